"""The table of accuracy: every promise is kept, and the command fails where one is not."""

import importlib
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import irbounds as irb

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "accuracy.py"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs the source tree")


@pytest.fixture
def accuracy(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return importlib.import_module("accuracy")


@pytest.mark.long
def test_every_promise_is_kept():
    done = subprocess.run([sys.executable, SCRIPT, "--quick"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "(broken)" not in done.stdout
    assert done.stdout.count("\n## ") > 8


@pytest.mark.parametrize(
    ("value", "exact", "kind", "is_kept"),
    [
        (0.1, Fraction(1, 10), "absolute", True),
        (0.1 + 2e-12, Fraction(1, 10), "absolute", False),
        (1e-20, 1.1e-20, "absolute", True),
        (1e-20, 1.1e-20, "relative", False),
        (0.0, 0, "relative", True),
        (1e-30, 0, "relative", False),
        (50 + 1e-11, 50, "relative above 1", True),
        (0.5 + 1e-11, 0.5, "absolute", False),
        (math.nan, 0.5, "absolute", False),
        (0.5, math.nan, "absolute", False),
        (math.nan, math.nan, "absolute", True),
        (math.inf, math.inf, "relative", True),
        (math.inf, 1, "relative", False),
        (1.0, math.inf, "absolute", False),
    ],
)
def test_errors(accuracy, value, exact, kind, is_kept):
    row = accuracy.Row("what", "against", 1e-12, kind)
    assert not row.is_kept  # nothing was asked
    row.add([1.0, value], [1, exact])
    assert (row.is_kept, row.answers) == (is_kept, 2)
    assert ("(broken)" in row.cells()[4]) is not is_kept


def test_broken_promises_fail(accuracy, monkeypatch, capsys):
    def rows(n):
        broken, silent = (
            accuracy.Row(name, "against", 1e-12) for name in ("wrong numbers", "no numbers")
        )
        broken.add(0.5, Fraction(1, 3))
        yield from (broken, silent)

    monkeypatch.setattr(sys, "argv", ["accuracy.py", "--quick"])
    monkeypatch.setattr(
        accuracy,
        "SUBJECTS",
        {"Subject": SimpleNamespace(FAMILIES=[accuracy.Family(rows, 1, 1, "")])},
    )
    monkeypatch.setattr(irb, "__all__", ["__version__", "brand_new"])
    assert accuracy.main() == 1
    assert capsys.readouterr().err.splitlines() == [
        "wrong numbers: 1.7e-01, promised 1e-12",
        "no numbers: no answer",
        "brand_new: a public name without a row",
    ]


def test_every_public_name_has_a_row_or_a_reason(accuracy):
    assert not accuracy.names_without_row()
    known = " ".join(
        [*(family.names for family in accuracy.families()), *accuracy.NO_NUMBERS.values()]
    )
    assert set(known.split()) <= set(irb.__all__)
