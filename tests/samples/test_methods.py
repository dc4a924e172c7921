"""One table says all about the methods for intervals, and whatever has a twin agrees with it."""

import ast
import importlib
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import reference

import irbounds as irb
from irbounds.foundation.interval import SIDES
from irbounds.samples.intervals.table import (
    ALL_MEASURES,
    INTERVAL_METHODS,
    ONE_SIDED,
    PAPER_METHODS,
    TWO_SIDED,
    method_beside,
    methods_for,
    model_of,
    offered,
)
from irbounds.samples.model.quantiles import ENGINES
from irbounds.samples.one_proportion.table import PROPORTION_METHODS, usual_proportion_method

PACKAGE = Path(irb.__file__).parent
INTERVALS = {
    "recall": irb.recall_interval,
    "precision": irb.precision_interval,
    "F": irb.f_interval,
    "yield": irb.yield_interval,
    "elusion": irb.samples.elusion_interval,
}
SIMPLE = (500, 50, 40), (2000, 100, 3)
STRATA = [(300, 30, 25), (200, 20, 4)], [(1000, 50, 2)]


@pytest.mark.parametrize("name", INTERVAL_METHODS)
def test_a_row_says_what_the_method_does(name):
    row = INTERVAL_METHODS[name]
    assert row.name == name
    assert row.note
    assert bool(row.section) == row.in_paper
    assert (row.prior is None) == (row.prior_words == "")
    for measure, interval_of in INTERVALS.items():
        if measure not in row.measures:
            with pytest.raises(irb.InputError, match="`method` must be one of"):
                interval_of(*SIMPLE, method=name)
            continue
        for side in row.sides:
            found = interval_of(*SIMPLE, method=name, side=side)
            assert (found.method, found.engine) == (name, row.engines[0])
            assert 0 <= found.low <= found.high <= (2500 if measure == "yield" else 1)
        drawn = interval_of(*SIMPLE, method=name, engine="monte-carlo", draws=100, rng=1)
        assert drawn.engine == ("monte-carlo" if row.is_posterior else row.engines[0])
        assert (drawn.standard_error is not None) == row.is_posterior
        if row.allows_strata:
            interval_of(*STRATA, method=name)
        else:
            with pytest.raises(irb.InputError, match="does not support strata; `retrieved` has 2"):
                interval_of(*STRATA, method=name)


def test_the_table_as_a_whole():
    assert [INTERVAL_METHODS[name].row for name in PAPER_METHODS] == list(range(1, 10))
    sections = [INTERVAL_METHODS[name].section for name in PAPER_METHODS]
    assert sections == sorted(sections)
    for row in INTERVAL_METHODS.values():
        assert set(row.measures) <= set(ALL_MEASURES)
        assert row.engines in (ENGINES, ("exact",), ("formula",))
        assert set(row.sides) <= set(SIDES)
        assert row.stratum_law is None or row.is_posterior
        assert len(row.rough_priors) in (1, 3)
    for row in (TWO_SIDED, ONE_SIDED):
        assert row.measures == ALL_MEASURES
    assert TWO_SIDED.prior is not None
    assert method_beside("koopman", "F") == model_of("koopman").name == TWO_SIDED.name
    assert method_beside("beta-jeffreys", "elusion") == "beta-jeffreys"
    assert "koopman" not in methods_for("F")
    assert {row.name for row in offered(True)} - {row.name for row in offered(False)} == {
        "betabinom-half-per-stratum"
    }
    assert usual_proportion_method(False) == "wilson"
    assert usual_proportion_method(True) == "hypergeometric"


@pytest.mark.skipif(not (PACKAGE / "py.typed").is_file(), reason="needs the source tree")
def test_no_module_asks_for_the_name_of_a_method():
    """A method's properties are columns of its row: no other module compares names."""
    names = {*INTERVAL_METHODS, *PROPORTION_METHODS}
    for path in PACKAGE.rglob("*.py"):
        # Intervals of means over queries have methods of their own.
        if path.relative_to(PACKAGE).parts[0] in ("cli", "queries", "rankings"):
            continue
        text = path.read_text(encoding="utf-8")
        if not any(f'"{name}"' in text for name in names):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare):
                texts = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
                assert not texts & names, f"{path.name}:{node.lineno}"


def twins():
    """Methods and functions in the `TWINS` of modules of tests/reference."""
    for path in sorted(Path(reference.__file__).parent.glob("*.py")):
        if "\nTWINS = " in path.read_text(encoding="utf-8"):
            module = importlib.import_module(f"reference.{path.stem}")
            yield from (pytest.param(*twin, id=twin[0]) for twin in module.TWINS.items())


@pytest.mark.parametrize(("name", "twin"), list(twins()))
def test_methods_agree_with_their_twins(name, twin):
    """Ends of single strata; a twin without an answer returns None."""
    row, rng, compared = INTERVAL_METHODS[name], np.random.default_rng(23), 0
    for _ in range(25):
        segments = []
        for _segment in range(2):
            size = int(rng.integers(1, 40))
            sampled = int(rng.integers(1, size + 1))
            segments.append((size, sampled, int(rng.integers(0, sampled + 1))))
        level = float(rng.choice([0.5, 0.8, 0.95, 0.99]))
        for measure, side in itertools.product(row.measures, row.sides):
            expected = twin(measure, *segments, level, side)
            if expected is None:
                continue
            found = INTERVALS[measure](
                *segments, method=row.name, confidence_level=level, side=side
            )
            assert [found.low, found.high] == pytest.approx(
                [float(end) for end in expected], abs=1e-9
            ), (segments, measure, level, side)
            compared += 1
    assert compared > 25


@pytest.mark.parametrize("beta", [0.0, 1e-9, 1.0, math.inf])
def test_f_checks_both_segments_whatever_its_weight(beta):
    with pytest.raises(irb.InputError, match=r"`unretrieved\.sampled` must be a whole number"):
        irb.f_interval((1413, 3, 3), (46, -5, 2), beta=beta)
