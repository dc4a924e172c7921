"""A change of the code voids the records of hunts that it concerns, and no others."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _path(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), str(ROOT), *sys.path])


@pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="needs the source tree")
def test_a_digest_holds_the_part_of_a_cython_module_that_is_used():
    from hunts._pieces import piece, used_of

    module = """import numpy as np
cdef extern from "one.h" nogil:
    ctypedef struct one_law:
        double other
    double one(const one_law *law)
cdef extern from "other.h" nogil:
    double other(double x)
cdef enum:
    SIZE = 3
LIMIT = 5
cdef double both(double x) noexcept:
    return one(x)
def first(double x,
          double y):
    return both(x) + SIZE
def second(double x):
    return other(x) + LIMIT
"""
    first, second = piece(module, ["first"]), piece(module, ["second"])
    words = ["import numpy", '"one.h"', "both", "SIZE", '"other.h"', "second", "LIMIT"]
    assert [word in first for word in words] == [True] * 4 + [False] * 3
    assert [word in second for word in words] == [True] + [False] * 3 + [True] * 3
    imported = "from irbounds._core import a, k as kernel\n"
    assert used_of(imported + "kernel.first(kernel.LIMIT)\n", "k") == {"first", "LIMIT"}
    assert used_of(imported + "f(kernel)\n", "k") is None
    assert used_of("from irbounds._core.k import (\n    first,\n    second,\n)\n", "k") == {
        "first",
        "second",
    }
    assert used_of("import irbounds._core.k\n", "k") is None
