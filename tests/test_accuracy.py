"""Every public name that returns numbers has a twin, and the page says how near it is."""

import importlib
import math
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from public_names import home_of

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = Path(__file__).parent / "public_names.toml"

pytestmark = pytest.mark.skipif(not BENCHMARKS.exists(), reason="needs the source tree")


@pytest.fixture
def accuracy(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS.parent))
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("accuracy")


@pytest.fixture
def hunts(accuracy):
    return importlib.import_module("hunts")


def test_every_public_name_has_a_hunt_or_a_reason(hunts):
    hunted = {hunt.function for hunt in hunts.all_hunts().values()}
    with NAMES.open("rb") as file:
        names = tomllib.load(file)
    alike, others = names["same_numbers_as"], " ".join(names["without_numbers"].values()).split()
    assert set(alike.values()) <= hunted
    listed = [*hunted, *alike, *others]
    assert sorted(listed) == sorted({*home_of(), "plot", "testing"})


@pytest.mark.parametrize(
    ("value", "truth", "is_relative", "is_kept"),
    [
        (0.1, 0.1, False, True),
        (0.1 + 2e-12, 0.1, False, False),
        (1e-20, 1.1e-20, False, True),
        (1e-20, 1.1e-20, True, False),
        (0.0, 0, True, True),
        (1e-30, 0, True, False),
        (50 + 1e-11, 50, True, True),
        (math.nan, 0.5, False, False),
        (0.5, math.nan, False, False),
        (math.nan, math.nan, False, True),
        (math.inf, math.inf, True, True),
        (math.inf, 1, True, False),
        (1.0, math.inf, True, False),
    ],
)
def test_errors(hunts, accuracy, value, truth, is_relative, is_kept):
    promise = hunts.Relative(1e-12) if is_relative else 1e-12
    hunt = hunts.Hunt("fake", lambda rng: {}, lambda args: value, lambda args: truth, promise)
    row = accuracy.Row([], "", "")
    assert (not row.ask(hunt, 2, 1)) is is_kept
    assert row.questions == 2


def test_a_page_names_what_is_broken(hunts, accuracy, monkeypatch, tmp_path, capsys):
    def draw(rng):
        return {"x": float(rng.random())}

    def fake(name, value):
        truth = Fraction(1, 3)
        return hunts.Hunt(name, draw, lambda args: value, lambda args: truth, 1e-12)

    fakes = {"right": fake("right", 1 / 3), "wrong": fake("wrong", 0.5)}
    monkeypatch.setattr(accuracy, "all_hunts", lambda: fakes)
    monkeypatch.setattr(sys.modules[__name__], "TWINS", "fractions", raising=False)
    monkeypatch.setattr(accuracy, "PAGE", tmp_path / "accuracy.md")
    monkeypatch.setattr("sys.argv", ["accuracy.py", "--cases", "3", "--seed", "1"])
    assert accuracy.main() == 1
    out = capsys.readouterr().out
    assert "wrong: error 0.167, promised 1e-12: 1.67e+11 times" in out
    assert "right:" not in out
    last = (tmp_path / "accuracy.md").read_text().splitlines()[-1]
    assert last == "| right; wrong | fractions | 6 | 1e-12 | 1.7e-01 | 2e+11 |"


def test_the_page_is_short_and_has_every_hunt(hunts, accuracy):
    page = accuracy.PAGE.read_text(encoding="utf-8")
    assert page.count("\n") <= 80
    assert "nan" not in page
    for name in hunts.all_hunts():
        assert name in page
    assert np.max([float(line.split("|")[-2]) for line in page.splitlines()[9:]]) <= 1
