"""A change of the code voids the records of hunts that it concerns, and no others."""

import contextlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _path(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), str(ROOT), *sys.path])


source = pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="needs the source tree")


@source
def test_a_digest_holds_the_part_of_a_python_module_that_is_used():
    from hunts._pieces import python_piece, used_of

    module = """from irbounds.other import first as one, second
if TYPE_CHECKING:
    from irbounds.types import Kind
LIMIT, SIZE = (3, 4)
TABLE: dict[str, int] = {}
TABLE['a'] = LIMIT
def both(x: Kind):
    return one(x) + SIZE
class Law:
    def value(self):
        return both(second(self))
def apart():
    from irbounds.last import end
    return end
"""
    both, apart = python_piece(module, ["both"]), python_piece(module, ["apart"])
    words = ["first as one", "second", "Kind", "SIZE", "TABLE['a']", "Law", "irbounds.last"]
    assert [word in both for word in words] == [True, False, True, True, True, False, False]
    assert "import Kind" not in both
    assert [word in apart for word in words] == [False] * 3 + [True, True, False, True]
    assert "second" in python_piece(module, ["Law"])
    assert python_piece(module, ["both", "unknown"]) == module
    assert used_of(apart, "last", "irbounds") == {"end"}
    assert used_of("from irbounds.last import *\n", "last", "irbounds") is None


@source
def test_words_of_errors_change_no_digest(tmp_path):
    from hunts._digest import _code

    def code(words, number):
        file = tmp_path / f"{words}{number}.py"
        file.write_text(
            f'''def f(x):
    """{words}"""
    if x > {number}:
        raise ValueError(f"{words} {{x}}")
    fail("x", "{words}", x)
    return {{"a": x}}  # {words}
'''
        )
        return _code(file)

    assert code("one", 3) == code("two", 3) != code("one", 4)
    assert "'a'" in code("one", 3)


@source
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


@source
@pytest.mark.long
def test_what_a_digest_leaves_out_is_not_run(monkeypatch):
    from hunts._digest import REACHED_BY, files_of, homes, names_of
    from hunts._search import stream
    from hunts._workers import load

    import irbounds
    from irbounds.samples.posterior import recall_posterior as yields

    class Reached(Exception):
        pass

    def fail(*_):
        raise Reached

    assert REACHED_BY == {"irbounds.samples.posterior.coded": "Audited"}
    for name in ("audited_law", "draw_audited", "is_moved"):
        monkeypatch.setattr(yields, name, fail)
    n_hunts = 0
    for hunt in load(None).values():
        names = names_of(hunt) & homes().keys()
        file = "src/irbounds/samples/posterior/coded.py"
        if "Audited" not in names and any(file in files_of(name) for name in names):
            n_hunts += 1
            for case in range(5):
                with contextlib.suppress(irbounds.InputError, ValueError):
                    hunt.value(hunt.draw(stream(20261126, hunt.name, case)))
    assert n_hunts >= 20
    with pytest.raises(Reached):
        irbounds.recall_interval([irbounds.Audited(50, 20, 8, (4, 3), (5, 1))], [(90, 30, 2)])
