"""Sums that do not wander: means, bounds and differences are one number in any order, beside
anything, on any path."""

import io
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import irbounds as irb
from irbounds._core.common import exact_sum
from irbounds._core.draws import sign_flips
from irbounds.comparison.significance.resampling import LIKE_SCIPY

FINITE = st.floats(allow_nan=False, allow_infinity=False)
MEASURES = ("AP", "nDCG@10", "RR", "P@5", "R@5", "ERR@10", "RBP", "PRR(nr=1)", "NumRel", "Rprec")


def nearest(fraction):
    """The double nearest to it; infinite beyond the doubles."""
    try:
        return float(fraction)
    except OverflowError:
        return math.inf if fraction > 0 else -math.inf


@settings(max_examples=100, deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=30), st.booleans())
def test_sums_and_means_are_the_nearest_doubles(values, cancel):
    values = values + [-value for value in values[::2]] if cancel else values
    total = sum(map(Fraction, values))
    column = np.array(values)[:, None]
    assert exact_sum.column_sums(column)[0] == nearest(total)
    mean, exact = float(exact_sum.column_means(column)[0]), total / len(values)
    # half a unit, but that the middle between two doubles is known to 2^-100
    error = abs(Fraction(mean) - exact)
    assert error <= Fraction(math.ulp(mean)) / 2 + abs(exact) / 2**100 or (
        abs(mean) < 1e-307 and error <= 2 * 5e-324
    )
    shuffled = np.random.default_rng(len(values)).permutation(column)
    assert exact_sum.column_means(shuffled)[0] == mean
    assert min(values) <= mean <= max(values)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(2, 40),
    st.integers(-1040, 1010),
    st.sampled_from([0, 3, 30]),
    st.integers(1, 3),
)
def test_deviations_are_those_of_exact_sums_of_squares(seed, n, exponent, bits, stride):
    rng = np.random.default_rng(seed)
    sizes = 2.0 ** rng.integers(-bits, bits + 1, (n * stride, 2))
    values = np.ldexp(rng.normal(size=(n * stride, 2)) * sizes / 2.0**bits, exponent)[::stride]
    found = exact_sum.column_moments(values, 1e-12)
    assert np.array_equal(found[0], exact_sum.column_means(values))
    assert np.array_equal(found[2], values.min(axis=0))
    assert np.array_equal(found[3], values.max(axis=0))
    for column, deviation in zip(values.T.tolist(), found[1].tolist(), strict=True):
        exact = list(map(Fraction, column))
        mean = sum(exact) / n
        variance = sum((x - mean) ** 2 for x in exact) / (n - 1)
        # distances and squares are rounded, then quotient and root
        error = abs(Fraction(deviation) ** 2 - variance)
        assert error <= variance * Fraction(2) ** -49 + 2 * Fraction(deviation) * Fraction(5e-324)


def test_deviations_of_equal_values_and_of_what_is_not_finite():
    values = np.array([[0.1, 0.3, 1.0, 1.0], [0.1, 0.1 + 0.2, math.inf, math.nan]])
    mean, deviation, _, _ = exact_sum.column_moments(values, 1e-12)
    assert deviation[:2].tolist() == [0, 0]
    assert np.isnan(deviation[2:]).all()
    assert not np.isfinite(mean[2:]).any()
    assert exact_sum.column_moments(values[:1, :2], 1e-12)[1].tolist() == [0, 0]
    assert np.isnan(exact_sum.column_moments(values[:0], 1e-12)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(0, 60))
def test_values_of_one_size_and_of_many(seed, n, bits):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n) * 2.0 ** rng.integers(-bits, bits + 1, n)
    total = sum(map(Fraction, values.tolist()))
    assert exact_sum.column_sums(values[:, None])[0] == math.fsum(values)
    assert exact_sum.column_means(values[:, None])[0] == float(total / n)


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e308, 1e308), st.integers(1, 50))
def test_the_mean_of_equal_values_is_that_value(value, n):
    assert exact_sum.column_means(np.full((n, 1), value))[0] == value


def test_special_values_and_layouts():
    inf, nan = math.inf, math.nan
    columns = np.array([[1, inf, inf, nan, 0.0], [2, 5, -inf, 1, -0.0]])
    np.testing.assert_array_equal(exact_sum.column_sums(columns), [3, inf, nan, nan, 0])
    np.testing.assert_array_equal(exact_sum.column_means(columns), [1.5, inf, nan, nan, 0])
    np.testing.assert_array_equal(exact_sum.column_means(np.zeros((0, 2))), [nan, nan])
    np.testing.assert_array_equal(exact_sum.column_sums(np.zeros((0, 2))), [0, 0])
    assert exact_sum.column_means(np.zeros((3, 0))).shape == (0,)
    assert exact_sum.column_means(np.full((5, 1), 1.7e308)) == 1.7e308
    values = np.random.default_rng(1).normal(size=(40, 6))
    expected = exact_sum.column_means(values)
    records = np.zeros(40, [("small", "i1"), ("x", "f8")])
    records["x"] = values[:, 2]
    np.testing.assert_array_equal(exact_sum.column_means(records["x"][:, None]), expected[2:3])
    for other in (
        np.asfortranarray(values),
        values[::-1],
        np.repeat(values, 2, axis=1)[:, ::2],
        values.astype(">f8"),
        values.tolist(),
    ):
        np.testing.assert_array_equal(exact_sum.column_means(other), expected)


@pytest.fixture(scope="module")
def collection():
    rng = np.random.default_rng(21)
    qrels = {
        f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(15)} | {"x": 1} for q in range(37)
    }
    runs = {
        name: {
            query: {d: round(float(rng.normal()), digits) for d in documents}
            for query, documents in qrels.items()
        }
        for name, digits in (("fine", 6), ("coarse", 0))
    }
    return qrels, runs


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=6, unique=True))
def test_issue_16_a_mean_is_one_number_whatever_is_asked_for_beside_it(collection, names):
    qrels, runs = collection
    together = irb.compare(qrels, runs, names, test="t")
    for run in runs:
        whole = irb.evaluate(qrels, runs[run], names, bounds=True)
        for name in names:
            alone = irb.evaluate(qrels, runs[run], name, bounds=True)
            assert whole.mean[name] == alone.mean[name] == together.means[run][name]
            assert (
                whole.mean_bounds[name]
                == alone.mean_bounds[name]
                == together.mean_bounds[run][name]
            )
            assert whole.summary[name] == alone.summary[name]
    for name in names:
        one, alone = (
            comparison.between("fine", "coarse", name)
            for comparison in (together, irb.compare(qrels, runs, name, test="t"))
        )
        for what in ("difference", "tie_bounds", "effect_size", "low", "high", "p_value"):
            np.testing.assert_array_equal(getattr(one, what), getattr(alone, what))
        assert one.difference == one.mean - one.against_mean
        assert one.tie_bounds.low <= one.difference <= one.tie_bounds.high
        assert one.run_ties.low <= one.mean <= one.run_ties.high
        assert one.estimate == one.difference


def test_issue_16_a_mean_is_one_number_on_every_path(collection, tmp_path):
    """Files, dicts, frames, arrays, queries in another order."""
    import pandas as pd

    qrels, runs = collection
    run = runs["coarse"]
    with (tmp_path / "qrels").open("w") as judged, (tmp_path / "run").open("w") as ranked:
        for query, documents in reversed(qrels.items()):
            judged.writelines(f"{query} 0 {d} {grade}\n" for d, grade in documents.items())
            ranked.writelines(f"{query} Q0 {d} 1 {score!r} r\n" for d, score in run[query].items())
    rows = [
        (query, d, grade, run[query][d])
        for query, documents in qrels.items()
        for d, grade in documents.items()
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "score"]).sample(
        frac=1, random_state=3
    )
    expected = irb.evaluate(qrels, run, list(MEASURES), bounds=True)
    others = [
        irb.evaluate(tmp_path / "qrels", tmp_path / "run", list(MEASURES), bounds=True),
        irb.evaluate(
            frame[["query_id", "doc_id", "relevance"]],
            frame[["query_id", "doc_id", "score"]],
            list(MEASURES),
            bounds=True,
        ),
    ]
    for other in others:
        assert (other.mean, other.mean_bounds, other.summary) == (
            expected.mean,
            expected.mean_bounds,
            expected.summary,
        )


def test_issue_16_untied_differences_lie_within_their_tie_bounds():
    """295 of 300 did not, by 1e-17."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        qrels = {f"q{q}": {f"d{d}": int(rng.random() < 0.4) for d in range(8)} for q in range(11)}
        runs = {
            name: {
                query: dict(zip(documents, rng.random(8).tolist(), strict=True))
                for query, documents in qrels.items()
            }
            for name in "ab"
        }
        for one in irb.compare(qrels, runs, "AP nDCG@10 RR", test="t").differences:
            assert one.tie_bounds.low == one.difference == one.tie_bounds.high


def test_means_equal_but_for_rounding_are_no_difference():
    """0.1 + 0.2 and 0.3: no query is won, and the means do not differ either."""
    queries = ("q0", "q1", "q2")
    named = {
        name: irb.Evaluation(("AP",), queries, *(np.full((3, 1), value) for _ in range(3)))
        for name, value in (("a", 0.3), ("b", 0.1 + 0.2))
    }
    [one] = irb.comparison.compare_evaluations(named).differences
    assert (one.difference, one.tie_bounds, one.p_value, one.same) == (0.0, (0.0, 0.0), 1.0, 3)
    assert not one.hangs_on_ties


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 70), st.integers(1, 4), st.integers(1, 300))
def test_flipped_sums_are_those_of_numpys_plan(seed, n, m, resamples):
    """Rows of two, permuted as SciPy's permutation_test has them; in batches of any size."""
    values = np.random.default_rng(seed + 1).integers(-(2**40), 2**40, (m, n))
    plan = np.random.default_rng(seed).permuted(np.tile([0, 1], (resamples, n, 1)), axis=-1)[
        :, :, 0
    ]
    for batch in (1, 7, 1000):
        sums, flipped = sign_flips.flipped_sums(
            values, resamples, batch, np.random.default_rng(seed).bit_generator
        )
        np.testing.assert_array_equal(sums, values @ plan.T)
        np.testing.assert_array_equal(flipped, plan.sum(axis=1))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 200), st.integers(1, 4), st.integers(1, 300))
def test_dense_plans_take_every_bit_once(seed, n, m, resamples):
    values = np.random.default_rng(seed + 1).integers(-(2**40), 2**40, (m, n))
    numbers = np.random.default_rng(seed).bit_generator.random_raw((resamples, (n + 63) // 64))
    bits = np.unpackbits(numbers.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    plan = bits[:, :n].astype(np.int64)
    for batch in (1, 7, 1000):
        sums, flipped = sign_flips.flipped_sums(
            values, resamples, batch, np.random.default_rng(seed).bit_generator, True
        )
        np.testing.assert_array_equal(sums, values @ plan.T)
        np.testing.assert_array_equal(flipped, plan.sum(axis=1))


@pytest.mark.parametrize("n", [LIKE_SCIPY, LIKE_SCIPY + 1])
def test_p_values_of_both_plans_are_near_that_of_the_normal_distribution(n):
    values = np.random.default_rng(n).normal(0.03, 1, n)
    queries = tuple(map(str, range(n)))
    named = {
        name: irb.Evaluation(("AP",), queries, column[:, None])
        for name, column in (("a", values), ("b", np.zeros(n)))
    }
    [one] = irb.comparison.compare_evaluations(named, resamples=9999).differences
    z = values.sum() / np.sqrt((values**2).sum())
    expected = 2 * norm.sf(abs(z))
    error = np.sqrt(expected / 9999)
    assert one.p_value == pytest.approx(expected, abs=5 * error)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 3), st.integers(2, 9))
def test_shuffled_sums_are_those_of_numpys_plan(seed, n, m, k):
    values = np.random.default_rng(seed + 1).integers(-1000, 1000, (n, m, k))
    plan = np.random.default_rng(seed).permuted(np.tile(np.arange(k), (50, n, 1)), axis=-1)
    sums = np.array(
        [
            [[values[range(n), j, order[:, s]].sum() for s in range(k)] for j in range(m)]
            for order in plan
        ]
    )
    for baseline in (-1, k - 1):
        expected = (
            np.ptp(sums, axis=2)
            if baseline < 0
            else np.abs(sums - sums[:, :, [baseline]]).max(axis=2)
        )
        np.testing.assert_array_equal(
            sign_flips.shuffled(values, baseline, 50, np.random.default_rng(seed).bit_generator),
            expected,
        )


def test_csv_carries_the_same_means(collection):
    qrels, runs = collection
    comparison = irb.compare(qrels, runs, "AP RR", test="t")
    lines = io.StringIO(comparison.to_csv("runs")).readlines()[1:]
    assert [float(line.split(",")[2]) for line in lines] == [
        irb.evaluate(qrels, runs[run], "AP RR").mean[name] for run in runs for name in ("AP", "RR")
    ]
