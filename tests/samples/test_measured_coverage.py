"""Promises, tables of methods and docstrings have the coverage that the studies measured."""

import math
import tomllib
from pathlib import Path

import pytest

import irbounds as irb
from irbounds.samples.intervals.table import AVERAGE, BELOW, EVERY, INTERVAL_METHODS, usual_method
from irbounds.samples.one_proportion.table import PROPORTION_METHODS

ROOT = Path(__file__).parents[2]
FILE = ROOT / "benchmarks" / "results" / "coverage.toml"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="needs the source tree")
LEVEL, ROUNDED = 0.95, 1e-4  # the file has four decimals
HALF, SOME, WHOLE = "betabinom-half", "designs at some yields", "2 simple designs at every yield"


@pytest.fixture(scope="module")
def asked():
    """{question: {method and designs: numbers}}"""
    studies = tomllib.loads(FILE.read_text("utf-8"))
    return {ask: rows for study in studies.values() for ask, rows in study.items()}


def measured(rows):
    """The cell of a promise: largest error, or least coverage and the range of means."""
    if all(len(numbers) == 1 for numbers in rows):
        return f"errors ≤ {max(rows)[0]:.3f}"
    leasts, lows, highs = zip(*rows, strict=True)
    low, high = f"{min(lows):.3f}", f"{max(highs):.3f}"
    mean = low if low == high else f"{low} to {high}"
    return f"{math.floor(1000 * min(leasts) + 1e-9) / 1000:.3f} · {mean}"


def test_each_promise_has_the_measured_numbers(asked):
    page = (ROOT / "docs" / "promises.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    cells = {row[0]: row[3] for row in rows if len(row) == 5 and row[3]}
    assert cells.pop("you ask") == "measured"
    cells.pop("---")
    assert cells == {ask: measured([*asked[ask].values()]) for ask in cells}
    assert len(cells) == 21


def test_how_often_a_method_covers(asked):
    looks = "recall while the sample grows, one look"
    found = {
        name.partition(":")[0]: numbers
        for ask in ("recall, two-sided", "other methods for recall", looks)
        for name, numbers in asked[ask].items()
        if name.endswith(SOME)
    }
    for name, (least, lowest_mean, _) in found.items():
        usual = AVERAGE if lowest_mean >= 0.94 else BELOW
        assert INTERVAL_METHODS[name].covers == (EVERY if least >= LEVEL - ROUNDED else usual)
    assert {*INTERVAL_METHODS} - {*found} == {"betabinom-half-per-stratum"}


def test_guaranteed_never_covers_less_and_the_default_does_on_average(asked):
    one_sided = asked["these, one-sided"].items()
    found = [numbers[0] for name, numbers in one_sided if "every" in name]
    assert len(found) == 5
    assert min(found) >= LEVEL - ROUNDED
    assert usual_method("lower") == usual_method("upper") == "guaranteed"
    for name, (_, low, high) in asked["recall, two-sided"].items():
        assert 0.94 <= low <= high <= 0.98 or "drawn" in name


def test_recall_interval_says_the_least(asked):
    said = " ".join(irb.recall_interval.__doc__.split())
    two_sided = asked["recall, two-sided"]
    one_sided = asked["these, one-sided, by a posterior"]
    assert f"at 0.95 recall in {two_sided[f'{HALF}: {WHOLE}'][0]:.2f}" in said
    assert f"{one_sided[f'{HALF}: recall, {WHOLE}'][0]:.2f} there" in said


@pytest.mark.parametrize("name", list(PROPORTION_METHODS))
def test_shares(name, asked):
    rows = asked["methods for one share"]
    (least,) = (numbers[0] for key, numbers in rows.items() if key.startswith(f"{name}:"))
    assert (least >= LEVEL - ROUNDED) == ("never covers less" in PROPORTION_METHODS[name].note)
