"""Intervals on extrapolated precision, documents and cost: against enumeration, draws, and what
they must keep."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import nightly

import irbounds as irb
from irbounds.extrapolation import (
    cost_interval,
    documents_to_review_interval,
    extrapolate_precision,
    extrapolated_precision_interval,
)
from irbounds.extrapolation.at_target import CostAt, PrecisionAt
from irbounds.extrapolation.monotone_functional import RisingFunction, make_rows
from irbounds.samples.posterior.recall_posterior import YieldPair
from irbounds.warnings import ExtrapolationWarning
from tests.reference import extrapolation as reference
from tests.reference import samples as yields

A, B = (500, 50, 40), (2000, 100, 3)


def enumerated(retrieved, unretrieved, target, prior=0.5):
    """Values and probabilities of X and of the documents, over all pairs of yields."""
    laws = [yields.yield_pmf(*stratum, prior, prior) for stratum in (retrieved, unretrieved)]
    both = reference.measures_of_yields(retrieved[0], unretrieved[0], target)
    pairs = [
        (both(tp, fn), float(p) * float(q))
        for tp, p in laws[0].items()
        for fn, q in laws[1].items()
    ]
    return [([float(values[i]) for values, _ in pairs], [p for _, p in pairs]) for i in (0, 1)]


def check_quantile(values, probabilities, p, found):
    """The least value with probability p at or below it, but for rounding."""
    values, probabilities = np.array(values), np.array(probabilities)
    tolerance = 2e-8 * abs(found)
    assert probabilities[values <= found + tolerance].sum() >= p - 1e-12
    assert probabilities[values < found - tolerance].sum() <= p + 1e-12


@pytest.mark.long
@pytest.mark.parametrize(
    ("retrieved", "unretrieved"),
    [
        ((12, 6, 4), (25, 9, 2)),
        ((8, 3, 1), (20, 6, 1)),
        ((9, 5, 5), (15, 5, 1)),
        ((6, 6, 4), (18, 4, 0)),
        ((10, 4, 0), (12, 5, 1)),
        ((10, 4, 1), (12, 5, 3)),
    ],
)
@pytest.mark.parametrize("target", [0.3, 0.75, 1.0])
@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_small_designs_by_enumeration(retrieved, unretrieved, target):
    laws = enumerated(retrieved, unretrieved, target)
    functions = (extrapolated_precision_interval, documents_to_review_interval)
    for function, law in zip(functions, laws, strict=True):
        is_precision = function is extrapolated_precision_interval
        found = function(retrieved, unretrieved, target, confidence_level=0.8)
        forced_low = is_precision and retrieved[2] == 0
        forced_high = (
            target < 1 and (retrieved[2] == retrieved[1] or unretrieved[2] == 0)
            if is_precision
            else (retrieved[2] == 0)
        )
        if forced_low:
            assert found.low == 0
        else:
            check_quantile(*law, 0.1, found.low)
        if forced_high:
            assert found.high == (1 if is_precision else 22 * target)
        else:
            check_quantile(*law, 0.9, found.high)


def grid_quantile(retrieved, unretrieved, target, p, measure):
    """By enumeration of every pair of yields, in doubles."""
    laws = YieldPair([irb.Stratum(*retrieved)], [irb.Stratum(*unretrieved)], (0.5, 0.5)).laws
    values = measure(
        laws[0].position[:, None], laws[1].position[None, :], retrieved[0], unretrieved[0], target
    )
    order = np.argsort(values, axis=None)
    through = np.cumsum(np.multiply.outer(laws[0].weight, laws[1].weight).ravel()[order])
    return values.ravel()[order][np.searchsorted(through, p)]


@pytest.mark.parametrize("target", [0.3, 0.75])
def test_middling_designs_by_enumeration(target):
    for measure, function in (
        (PrecisionAt(), extrapolated_precision_interval),
        (CostAt(), documents_to_review_interval),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExtrapolationWarning)
            found = function(A, B, target)
        expected = [grid_quantile(A, B, target, p, measure) for p in (0.025, 0.975)]
        assert (found.low, found.high) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "question", "low", "high"),
    [
        ("documents", ((3, 2, 2), (256, 219, 167), 0.99, 0.8), 193.05, 256.41),
        ("documents", ((6, 4, 1), (140, 92, 7), 0.5, 0.95), None, 59.6667),
        ("precision", ((19, 17, 2), (67, 58, 3), 0.1, 0.5), None, 0.1903),
    ],
)
@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_the_reported_ends_b3(name, question, low, high):
    *design, target, level = question
    function = {
        "documents": documents_to_review_interval,
        "precision": extrapolated_precision_interval,
    }[name]
    found = function(*design, target, confidence_level=level)
    assert found.high == pytest.approx(high, rel=2e-4)
    if low:
        assert found.low == pytest.approx(low, rel=1e-6)
    X, documents, pairs = reference.all_pairs(*design, target)
    law = documents if name == "documents" else X
    assert reference.missing_probability(law, pairs, found.low, (1 - level) / 2) < 1e-9
    assert reference.missing_probability(law, pairs, found.high, (1 + level) / 2) < 1e-9


DESIGN = st.integers(1, 400).flatmap(
    lambda size: st.integers(0, size).flatmap(
        lambda n: st.tuples(
            st.just(size), st.just(n), st.one_of(st.just(0), st.just(n), st.integers(0, n))
        )
    )
)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    DESIGN,
    DESIGN,
    st.one_of(st.floats(0.001, 0.999), st.sampled_from([0.75, 1 - 1e-6])),
    st.sampled_from([0.5, 0.8, 0.95, 0.999]),
    st.sampled_from(["two-sided", "lower", "upper"]),
    st.booleans(),
)
def test_designs_by_enumeration_b3(retrieved, unretrieved, target, level, side, is_half):
    """Probabilities at the ends, of all pairs of yields, with a formula of its own."""
    prior, method = (0.5, "betabinom-half") if is_half else (1.0, "betabinom-uniform")
    laws = [reference.yield_law(*stratum, prior)[0].size for stratum in (retrieved, unretrieved)]
    if laws[0] * laws[1] > 20_000:
        return
    X, documents, pairs = reference.all_pairs(retrieved, unretrieved, target, prior)
    alpha = (1 - level) / (2 if side == "two-sided" else 1)
    none, all_relevant = retrieved[2] == 0, retrieved[2] == retrieved[1] > 0
    is_known = (
        retrieved[0] + unretrieved[0] == retrieved[1] + unretrieved[1]
        and retrieved[2] + unretrieved[2] > 0
    )
    for function, law, free in (
        (extrapolated_precision_interval, X, (not none, not (all_relevant or unretrieved[2] == 0))),
        (documents_to_review_interval, documents, (True, not none)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExtrapolationWarning)
            found = function(
                retrieved, unretrieved, target, confidence_level=level, side=side, method=method
            )
        if is_known:
            assert [found.low, found.high] == pytest.approx([law[0], law[0]], rel=1e-9)
            continue
        if free[0] and side != "upper":
            assert reference.missing_probability(law, pairs, found.low, alpha) < 1e-9
        if free[1] and side != "lower":
            assert reference.missing_probability(law, pairs, found.high, 1 - alpha) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize(
    "design", [((12, 6, 4), (25, 9, 2)), ((8, 3, 1), (20, 6, 1)), ((9, 5, 5), (15, 5, 0))]
)
@pytest.mark.parametrize("target", [0.02, 0.6, 0.99])
def test_the_twin_in_doubles(design, target):
    laws, (X, documents, _) = enumerated(*design, target), reference.all_pairs(*design, target)
    for exact, values in zip((laws[0][0], laws[1][0]), (X, documents), strict=True):
        assert values == pytest.approx(np.array(exact), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    ("retrieved", "unretrieved"),
    [
        ((5000, 400, 260), (95_000, 1500, 34)),
        ((500_000, 1000, 600), (45_000_000, 3000, 6)),
        ((500, 50, 3), B),
        ([(500, 50, 40), (200, 30, 10)], [(2000, 100, 3), (5000, 100, 1)]),
        ((30_000, 300, 290), (10**6, 400, 0)),
    ],
)
@pytest.mark.parametrize("side", ["two-sided", "upper"])
@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_both_engines_agree(retrieved, unretrieved, side):
    for function, options in (
        (extrapolated_precision_interval, {}),
        (documents_to_review_interval, {}),
        (cost_interval, {"per_relevant": 30.0, "fixed": 1000.0, "population": 10**7}),
    ):
        options = {**options, "side": side, "target_recall": 0.8}
        exact = function(retrieved, unretrieved, **options)
        drawn = function(
            retrieved, unretrieved, engine="monte-carlo", draws=100_000, rng=1, **options
        )
        assert (exact.engine, drawn.engine) == ("exact", "monte-carlo")
        np.testing.assert_equal(exact.estimate, drawn.estimate)
        assert exact.low <= exact.high
        for i, name in enumerate(("low", "high")):
            end, other = getattr(exact, name), getattr(drawn, name)
            assert abs(end - other) <= 4.5 * drawn.standard_error[i] + 1e-9 * abs(end)


@pytest.mark.long
@pytest.mark.parametrize(
    "design",
    [
        ((500_000.0, 1000.0, 600.0), (45e6, 3000.0, 6.0)),
        nightly((((10**8, 1000.0, 1000.0), (9e8, 1000.0, 3.0)),)),
        ((3.0, 2.0, 1.0), (10**9, 40.0, 2.0)),
        ((10**9, 30.0, 2.0), (3.0, 2.0, 1.0)),
        nightly((((10**8, 50.0, 0.0), (10**8, 60.0, 0.0)),)),
    ],
)
@pytest.mark.parametrize("target", [0.75])
def test_more_rows_change_little(design, target, monkeypatch):
    """Rows of several yields: the bound of the module's docstring is for the worst f."""
    laws = YieldPair([irb.Stratum(*design[0])], [irb.Stratum(*design[1])], (0.5, 0.5)).laws
    precision, documents = PrecisionAt(), CostAt()
    sizes = design[0][0], design[1][0], target
    most = documents.most(design[0][0] + design[1][0], target)

    def probabilities(places=None):
        first = RisingFunction(
            lambda r1, r0: precision(r1, r0, *sizes),
            laws[0],
            make_rows(laws[1]),
            1.0,
            precision.scaled,
            precision.unscaled,
        )
        second = RisingFunction(
            lambda r0, r1: documents(r1, r0, *sizes),
            laws[1],
            make_rows(laws[0]),
            most,
            documents.scaled,
            documents.unscaled,
        )
        places = places or [[f.quantile(p) for p in (0.025, 0.3, 0.975)] for f in (first, second)]
        return places, [
            f.below(q) for f, own in zip((first, second), places, strict=True) for q in own
        ]

    places, few = probabilities()
    monkeypatch.setattr("irbounds.extrapolation.monotone_functional.ROWS", 2**20)
    assert probabilities(places)[1] == pytest.approx(few, abs=1.6e-5)


YIELDS = st.integers(1, 60).flatmap(
    lambda n1: st.tuples(st.just(n1), st.integers(1, 200), st.integers(0, n1))
)


@settings(max_examples=300, deadline=None)
@given(YIELDS, st.floats(0, 1), st.floats(0, 1))
def test_what_rises_with_which_yield(counts, share, target):
    """Precision with R1; documents with R0: the exact engine rests on it."""
    n1, n0, fixed = counts
    r1, r0 = np.arange(n1 + 1.0), np.arange(n0 + 1.0)
    X = PrecisionAt()(r1, round(share * n0), n1, n0, target)
    assert (np.diff(X) >= -1e-12 * X[1:]).all()
    documents = CostAt()(fixed, r0, n1, n0, target)
    assert (np.diff(documents) >= -1e-12 * documents[1:]).all()
    assert (documents <= (n1 + n0) * target * (1 + 1e-12)).all()


def test_at_recall_1_precision_is_prevalence():
    found = extrapolated_precision_interval(A, B, 1.0)
    expected = irb.yield_interval(A, B)
    assert (found.low * 2500, found.high * 2500) == pytest.approx(
        (expected.low, expected.high), rel=1e-6
    )


def test_arrays_of_questions():
    many = extrapolated_precision_interval((500, 50, [35, 40]), (2000, 100, [[3], [5]]), 0.75)
    assert many.low.shape == many.estimate.shape == (2, 2)
    one = extrapolated_precision_interval((500, 50, 40), (2000, 100, 5), 0.75)
    assert (many.estimate[1, 1], many.low[1, 1], many.high[1, 1]) == (
        one.estimate,
        one.low,
        one.high,
    )
    documents = documents_to_review_interval((500, 50, [35, 40]), B, 0.75, population=25_000)
    assert documents.low[1] == pytest.approx(
        10 * documents_to_review_interval(A, B, 0.75).low, rel=1e-9
    )


@pytest.mark.parametrize(
    ("retrieved", "unretrieved", "reason"),
    [
        (
            (3945, 200, 6),
            (8862, 400, 0),
            "the unretrieved segment has no relevant document, which makes recall 1",
        ),
        (
            (500, 50, 50),
            (2000, 100, 3),
            "the retrieved segment are relevant, which makes precision 1",
        ),
        ([(500, 50, 50), (20, 20, 20)], [(2000, 100, 3)], "which makes precision 1"),
    ],
)
def test_no_estimate_where_a_sample_makes_recall_or_precision_1_f5(retrieved, unretrieved, reason):
    for function in (extrapolated_precision_interval, documents_to_review_interval, cost_interval):
        with pytest.warns(ExtrapolationWarning, match=reason) as caught:
            found = function(retrieved, unretrieved, 0.754)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert math.isnan(found.estimate)
        assert 0 < found.low < found.high
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)  # precision 1 is near 1
        at_1 = extrapolated_precision_interval(retrieved, unretrieved, 1.0)
    assert at_1.low < at_1.estimate < at_1.high  # the prevalence, which needs no curve


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_a_census_is_known(side):
    """Recall 1 that was seen is no guess: the limit stands."""
    for function in (extrapolated_precision_interval, documents_to_review_interval):
        for design in (((500, 500, 400), (2000, 2000, 60)), ((500, 500, 400), (2000, 2000, 0))):
            found = function(*design, 0.75, side=side)
            assert found.low == found.high == found.estimate
    assert extrapolated_precision_interval((500, 500, 400), (2000, 2000, 0), 0.75).estimate == 1


@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_ends_that_samples_force():
    none = extrapolated_precision_interval((500, 50, 0), B, 0.75)
    assert none.low == 0
    assert none.estimate == pytest.approx(60 / 2500)  # no better than random: the prevalence
    assert documents_to_review_interval((500, 50, 0), B, 0.75).high == 1875
    assert extrapolated_precision_interval((500, 50, 50), B, 0.75).high == 1
    assert extrapolated_precision_interval((500, 50, 40), (2000, 100, 0), 0.75).high == 1
    nothing = extrapolated_precision_interval((500, 50, 0), (2000, 100, 0), 0.75)
    assert math.isnan(nothing.estimate)
    assert 0 == nothing.low < nothing.high <= 1
    census = extrapolated_precision_interval((500, 500, 400), (2000, 2000, 60), 0.75)
    assert census.low == pytest.approx(census.high, rel=1e-8)
    assert census.estimate == pytest.approx(extrapolate_precision(400 / 460, 0.8, 460 / 2500, 0.75))


def test_intervals_warn_of_far_points():
    with pytest.warns(ExtrapolationWarning, match="far from the target 0.1"):
        extrapolated_precision_interval(A, B, 0.1)
    with pytest.warns(ExtrapolationWarning, match="no higher than prevalence"):
        extrapolated_precision_interval((500, 50, 1), (2000, 100, 10), 0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target_recall": 1.5}, "`target_recall` must be a number from 0 to 1"),
        ({"method": "koopman"}, "`method` must be one of"),
        ({"retrieved": (10, 20, 3)}, "sampled must be at most size"),
        ({"confidence_level": 95}, "`confidence_level`"),
    ],
)
def test_refused_intervals(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        extrapolated_precision_interval(
            **{"retrieved": A, "unretrieved": B, "target_recall": 0.75, **arguments}
        )
