"""Intervals on recall and its kin: published numbers, slow twins of the methods, and edges."""

import csv
import math
import pickle
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segments import POSTERIOR, SMALL, A, B
from sizes import every

import irbounds as irb
from irbounds.samples import (
    elusion_interval,
    most_conservative_prior,
    recall_estimate,
    recall_estimator_distribution,
)
from irbounds.samples.intervals.table import METHODS
from tests.data import shared
from tests.reference import sample_intervals as intervals

C, D = (10_000, 500, 350), (90_000, 1000, 12)

# Table XII: topic, team, half prior, normal (corrected), Laplace; "AD" is the table's "UD".
TABLE_XII = """
201 UW .451 .928 .485 1.070 .351 .916
201 CS .287 .592 .304 .673 .226 .593
201 CB .119 .250 .126 .282 .093 .247
201 UP .097 .208 .102 .231 .076 .205
202 UW .523 .768 .542 .803 .501 .771
202 CS .451 .662 .467 .692 .432 .664
203 UW .623 .881 .832 .897 .552 .940
203 UB .427 .621 .552 .631 .378 .652
203 ZL-NoCull .123 .185 .157 .192 .105 .185
203 ZL-Cull .019 .034 .023 .035 .016 .033
204 H5 .572 .882 .595 .930 .538 .874
204 AD .229 .360 .235 .374 .216 .358
204 CB .149 .240 .151 .246 .140 .238
205 CS .592 .738 .599 .747 .587 .737
205 EQ .404 .509 .409 .516 .399 .505
205 IN .253 .327 .254 .329 .250 .325
206 CB-High .052 .112 .046 .106 .049 .109
206 LO .025 .069 .020 .063 .023 .067
206 CB-Mid .007 .015 .007 .015 .007 .014
206 CB-Low .006 .013 .006 .013 .005 .012
207 CB .698 .798 .723 .813 .689 .802
207 UW .688 .791 .714 .807 .677 .791
207 LO .489 .566 .503 .573 .484 .569
207 EQ .437 .507 .451 .515 .430 .507
"""


def enumerated_quantile(below, p):
    low, high = 1e-12, 1.0
    while high - low > 1e-13:
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) >= p else (middle, high)
    return high


@pytest.mark.parametrize(
    ("arguments", "low", "high", "tolerance"),
    [
        ({}, 0.71906355, 0.95707071, 5e-9),
        ({"large": True}, 0.79326431, 0.92184725, 5e-9),
        ({"large": True, "method": "betabinom-uniform"}, 0.788261, 0.917988, 5e-7),
        ({"large": True, "method": "koopman"}, 0.78805651, 0.91896375, 5e-9),
        (
            {"large": True, "method": "beta-jeffreys", "finite_population": False},
            0.792836,
            0.92215154,
            5e-7,
        ),
        ({"large": True, "method": "beta-jeffreys"}, 0.7936417805, 0.9214841870, 1e-9),
    ],
)
def test_numbers_of_others(arguments, low, high, tolerance):
    segments = (C, D) if arguments.pop("large", False) else (A, B)
    result = irb.recall_interval(*segments, **arguments)
    assert (result.low, result.high) == pytest.approx((low, high), abs=tolerance)


def test_more_numbers_of_others():
    assert irb.recall_interval(A, B, side="lower", method="betabinom-half").low == pytest.approx(
        0.74385246, abs=5e-9
    )
    published = irb.recall_interval(
        (2_027_935, 596, 541), (39_615_617, 7853, 131), method="beta-jeffreys"
    )
    assert (round(published.low, 4), round(published.high, 4)) == (0.7017, 0.7683)
    assert most_conservative_prior([20, 20, 40, 50], [5, 10, 10, 2]) == pytest.approx(
        [0.192354, 0.321907, 0.254813, 0.046403], abs=6e-7
    )
    known = recall_estimator_distribution((2000, 100, 1000), (100_000, 100, 3000))
    assert (known.recall, round(known.mean, 2)) == (0.25, 0.31)


def legal_strata(topic, team):
    segments = {"R": [], "N": []}
    with shared("trec_legal_2009_interactive", "strata.csv").open() as lines:
        for row in csv.DictReader(lines):
            if row["topic"] == topic:
                segments[row["pattern"][row["teams"].split().index(team)]].append(
                    (int(row["N"]), int(row["n"]), int(row["r2"]))
                )
    return segments["R"], segments["N"]


@pytest.mark.parametrize("row", TABLE_XII.strip().splitlines())
def test_table_xii(row):
    topic, team, *ends = row.split()
    ends = list(map(float, ends))
    segments = legal_strata(topic, team)
    half, normal, laplace = (
        irb.recall_interval(*segments, method=method)
        for method in ("betabinom-half-per-stratum", "normal-mle", "normal-laplace")
    )
    assert (half.low, half.high) == pytest.approx(ends[:2], abs=0.004)
    assert (normal.raw_low, normal.raw_high) == pytest.approx(ends[2:4], abs=0.002)
    assert (laplace.low, laplace.high) == pytest.approx(ends[4:], abs=0.002)


@pytest.mark.quick_examples(15)
@settings(max_examples=60, deadline=None)
@given(SMALL, SMALL, st.sampled_from([0.8, 0.95]), st.sampled_from(["two-sided", "lower", "upper"]))
def test_formulas_against_twins(retrieved, unretrieved, level, side):
    if 0 in (retrieved[1], unretrieved[1]):
        return
    segments = [retrieved], [unretrieved]
    with mpmath.workdps(20):
        for method, more in (("normal-mle", 0), ("normal-laplace", 1), ("normal-agresti-coull", 2)):
            twin = intervals.normal_recall(*segments, more, level, side)
            expected = [
                float(end) for end in intervals.reported(twin, *segments, more=more, side=side)
            ]
            ours = irb.recall_interval(*segments, method=method, confidence_level=level, side=side)
            if retrieved[2] + unretrieved[2] and not (
                retrieved[0] == retrieved[1] and retrieved[2] == 0
            ):
                assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-9), method
                assert ours.raw_low == pytest.approx(float(twin.low), abs=1e-9) or side == "upper"
        naive = intervals.reported(
            intervals.naive_recall(*segments, level, side), *segments, side=side
        )
        ours = irb.recall_interval(
            *segments, method="naive-binomial", confidence_level=level, side=side
        )
        assert (ours.low, ours.high) == pytest.approx([float(end) for end in naive], abs=1e-9)
        if retrieved[2] + unretrieved[2] and not (
            retrieved[0] == retrieved[1] and retrieved[2] == 0
        ):
            koopman = intervals.koopman_recall(retrieved, unretrieved, level, side)
            ours = irb.recall_interval(
                *segments, method="koopman", confidence_level=level, side=side
            )
            assert (ours.low, ours.high) == pytest.approx([float(end) for end in koopman], abs=1e-9)


SIZES = [
    ((40, 12), (90, 15, 2)),
    ((500, 50), (2000, 100, 3)),
    ((30, 30), (50, 9, 1)),
    ((100_000, 60), (900_000, 300, 2)),
]


@pytest.mark.parametrize(
    ("sizes", "method"), every(3, product(SIZES, [*POSTERIOR, "koopman", "guaranteed"]))
)
def test_one_more_relevant_never_lowers_an_end(sizes, method):
    retrieved, unretrieved = sizes
    found = np.arange(retrieved[1] + 1)
    result = irb.recall_interval((*retrieved, found), unretrieved, method=method)
    assert (np.diff(result.low) >= -1e-9).all()
    assert (np.diff(result.high) >= -1e-9).all()
    assert (result.low >= 0).all()
    assert (result.high <= 1).all()
    assert (result.low <= result.high).all()


def test_arrays_are_single_questions():
    sizes, found = np.array([[500], [5000]]), np.array([10, 20, 40])
    for method in METHODS:
        together = irb.recall_interval((sizes, 50, found), (20_000, 300, [[1], [4]]), method=method)
        assert together.low.shape == together.estimate.shape == (2, 3)
        single = irb.recall_interval((5000, 50, 40), (20_000, 300, 4), method=method)
        assert (together.low[1, 2], together.high[1, 2]) == pytest.approx(
            (single.low, single.high), abs=1e-12
        )
    mixed = irb.recall_interval([(sizes, 50, 10), A], B)
    assert mixed.low.shape == (2, 1)
    drawn = irb.recall_interval((sizes, 50, found), B, engine="monte-carlo", rng=1)
    assert drawn.standard_error[0].shape == (2, 3)


def test_estimators():
    assert recall_estimate(A, B) == pytest.approx(400 / 460)
    assert math.isnan(recall_estimate((10, 5, 0), (10, 5, 0)))
    post = irb.recall_posterior(C, D)
    assert recall_estimate(C, D, "posterior-mean") == post.mean
    assert recall_estimate(C, D, "posterior-median") == post.median == post.quantile(0.5)
    drawn = post.rvs(200_000, rng=2)
    assert drawn.mean() == pytest.approx(post.mean, abs=5 * drawn.std() / math.sqrt(drawn.size))
    assert post.cdf(post.quantile([0.1, 0.5, 0.9])) == pytest.approx([0.1, 0.5, 0.9], abs=1e-5)
    assert pickle.loads(pickle.dumps(post)).median == post.median
    true = recall_estimator_distribution((200, 20, 100), (3000, 60, 90))
    assert true.probabilities.sum() + true.undefined == pytest.approx(1)
    r1, r0 = np.random.default_rng(1).hypergeometric(
        [[100], [90]], [[100], [2910]], [[20], [60]], (2, 200_000)
    )
    estimates = r1 * 10 / (r1 * 10 + r0 * 50)
    assert true.mean == pytest.approx(
        estimates.mean(), abs=5 * estimates.std() / math.sqrt(estimates.size)
    )
    assert true.std == pytest.approx(estimates.std(), rel=0.01)
    corrected = recall_estimate((200, 20, r1[:5000]), (3000, 60, r0[:5000]), "bias-corrected")
    assert abs(corrected.mean() - true.recall) < abs(true.bias)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (((10, 20, 3), B), {}, "`retrieved`: sampled must be at most size; found 20 of 10"),
        ((A, (100, 10, 11)), {}, "`unretrieved`: relevant must be at most sampled; found 11 of 10"),
        (
            ([A, (10, 5, -1)], B),
            {},
            r"`retrieved\[1\].relevant` must be a whole number, 0 or more; found -1",
        ),
        (([], B), {}, "`retrieved` has no strata"),
        (((1, 2), B), {}, r"`retrieved` must be \(size, sampled, relevant\)"),
        ((5, B), {}, "`retrieved` must be a stratum"),
        (
            (A, B),
            {"confidence_level": 1},
            "`confidence_level` must be between 0 and 1, for example 0.95; found 1",
        ),
        ((A, B), {"method": "wilson"}, "`method` must be one of 'betabinom-half'"),
        (
            ([A, A], B),
            {"method": "koopman"},
            "'koopman' does not support strata; `retrieved` has 2",
        ),
        (((500, 50, [1, 2]), (500, 50, [1, 2, 3])), {}, "strata must broadcast"),
        (((10**30, 50, 1), B), {}, r"`retrieved.size` must be at most 2\^49"),
    ],
)
def test_impossible_questions(arguments, options, message):
    with pytest.raises(irb.InputError, match=message):
        irb.recall_interval(*arguments, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: irb.recall_posterior((500, 50, [1, 2]), B), "counts must be numbers, not arrays"),
        (lambda: irb.recall_posterior(A, B).cdf(2), "`q` must be from 0 to 1; found 2"),
        (lambda: recall_estimate(A, B, "mean"), "`estimator` must be one of"),
        (lambda: irb.f_interval(A, B, beta=-1), "`beta` must be 0 or more; found -1"),
        (lambda: irb.f_interval(A, B, method="koopman"), "`method` must be one of"),
        (lambda: most_conservative_prior(10, 20), "`sampled` must be at most size, 10; found 20"),
    ],
)
def test_impossible_options(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()


def test_f_of_extreme_weights_is_precision_or_recall():
    for retrieved, unretrieved in ((A, B), ((10**9, 1000, 50), (10**12, 1000, 3))):
        precision, recall = (
            irb.precision_interval(retrieved),
            irb.recall_interval(retrieved, unretrieved),
        )
        for beta, other in (
            (0, precision),
            (1e-9, precision),
            (1e-200, precision),
            (1e12, recall),
            (1e200, recall),
            (math.inf, recall),
        ):
            f = irb.f_interval(retrieved, unretrieved, beta=beta)
            assert (f.estimate, f.low, f.high) == pytest.approx(
                (other.estimate, other.low, other.high), rel=2e-6
            )


def test_options_are_those_of_the_signature():
    for interval in (irb.precision_interval, elusion_interval):
        with pytest.raises(
            TypeError, match=rf"{interval.__name__}\(\) got an unexpected keyword argument 'foo'"
        ):
            interval(A, foo=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 5}, "`draws` must be a whole number, 10 or more"),
        ({"rng": -1}, "`rng` must be None, a whole number"),
        ({"rng": "x"}, "`rng` must be"),
        ({"rng": 1.5}, "`rng` must be"),
    ],
)
def test_options_of_the_other_engine_are_checked_too(options, message):
    for interval in (
        irb.recall_interval,
        irb.precision_interval,
        irb.f_interval,
        irb.yield_interval,
    ):
        for engine in ("exact", "monte-carlo"):
            with pytest.raises(irb.InputError, match=message):
                interval(A, B, engine=engine, **options)


def test_ends_of_yields_as_of_their_shares():
    nothing, everything = ((100, 10, 0), (200, 20, 0)), ((100, 10, 10), (200, 20, 20))
    assert irb.yield_interval(*nothing).low == 0
    assert irb.yield_interval(*everything).high == 300
    assert (
        irb.yield_interval((0, 0, 0), (100, 10, 0)).high
        == 100 * elusion_interval((100, 10, 0)).high
    )


def test_an_estimator_without_estimates():
    nothing = recall_estimator_distribution((20, 10, 0), (100, 10, 0))
    assert nothing.undefined == 1
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.std)
