"""One proportion and the ratio of two, against published numbers, slow twins and the laws of intervals."""
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irbounds as irb
from irbounds.samples.proportions import PROPORTION_METHODS
from tests.reference import sample_intervals as reference

TWINS = {"wald": reference.wald, "wilson": reference.wilson, "agresti-coull": reference.agresti_coull,
         "clopper-pearson": reference.clopper_pearson, "jeffreys": reference.jeffreys}


@pytest.mark.parametrize(("x", "n", "method", "low", "high", "tolerance"), [
    (15, 148, "clopper-pearson", .0578, .1617, 6e-5), (15, 148, "wilson", .0624, .1605, 6e-5),
    (15, 148, "agresti-coull", .06138597, .16148767, 1e-8), (15, 148, "jeffreys", .06044852, .15764314, 1e-8),
    (81, 263, "clopper-pearson", .2527, .3676, 6e-5), (81, 263, "wilson", .2553, .3662, 6e-5),
    (81, 263, "agresti-coull", .25522067, .36627743, 1e-8), (81, 263, "jeffreys", .25452193, .3656475, 1e-7),
    (20, 100, "clopper-pearson", .1266555521019559, .2918426890886281, 1e-12),
    (0, 10, "clopper-pearson", 0, .3084971, 1e-7)])
def test_published_proportions(x, n, method, low, high, tolerance):
    result = irb.binomial_interval(x, n, method=method)
    assert (result.low, result.high) == pytest.approx((low, high), abs=tolerance)


def test_published_bounds():
    upper, lower = (irb.binomial_interval(20, 100, method="clopper-pearson", side=side) for side in ("upper", "lower"))
    assert (upper.low, upper.high) == pytest.approx((0, .2772002496709138), abs=1e-12)
    assert (lower.low, lower.high) == pytest.approx((.1366613252458672, 1), abs=1e-12)
    for x, n, size, least, most in ((3, 10, 100, 8, 63), (5, 20, 200, 19, 95), (0, 122, 2000, 0, 57)):
        result = irb.binomial_interval(x, n, size=size)
        assert (round(result.low * size), round(result.high * size)) == (least, most)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from(PROPORTION_METHODS), st.sampled_from([.5, .9, .99]),
       st.sampled_from(["two-sided", "lower", "upper"]))
def test_proportions_against_twins(x, more, method, level, side):
    n = x + more
    with mpmath.workdps(20):
        expected = [float(end) for end in reference.binomial_interval(x, n, TWINS[method], level, side)]
    ours = irb.binomial_interval(x, n, method=method, confidence_level=level, side=side)
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-11)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.data())
def test_population_bounds_against_twin(size, data):
    n = data.draw(st.integers(0, size))
    x = data.draw(st.integers(0, n))
    level, side = data.draw(st.sampled_from([.8, .95])), data.draw(st.sampled_from(["two-sided", "lower", "upper"]))
    least, most = reference.hypergeometric_bounds(x, n, size, level, side)
    ours = irb.binomial_interval(x, n, size=size, confidence_level=level, side=side)
    assert (ours.low * size, ours.high * size) == pytest.approx((least, most), abs=1e-9)


@pytest.mark.parametrize(("size", "level", "most"), [(5, .8, 3), (10, .9, 8), (20, .95, 18)])
def test_probabilities_equal_to_alpha_reject(size, level, most):
    """One of `size` documents is drawn: with size (1 - level) of them not relevant, P(X = 0) is 1 - level."""
    assert irb.binomial_interval(0, 1, size=size, confidence_level=level, side="upper").high * size == most


def test_arrays_and_large_populations():
    result = irb.binomial_interval([[1], [5]], [10, 20, 30], method="jeffreys")
    assert result.low.shape == result.high.shape == (2, 3)
    result = irb.binomial_interval([0, 3, 400], [400, 400, 400], size=[10**6, 10**9, 400])
    assert result.low[2] == result.high[2] == 1
    near = irb.binomial_interval([0, 3], 400, method="clopper-pearson")
    assert (result.low[:2], result.high[:2]) == (pytest.approx(near.low, abs=1e-5), pytest.approx(near.high, rel=1e-3))
    nothing = irb.binomial_interval(0, 0)
    assert (nothing.low, nothing.high) == (0, 1)
    assert math.isnan(nothing.estimate)


@pytest.mark.parametrize(("counts", "low", "high"), [
    ((36, 40, 16, 80), 2.939569192215, 7.152223434866), ((7, 34, 1, 34), 1.220852853515, 42.575717609760),
    ((8, 15, 4, 15), .815013539383, 5.336316846323), ((29, 55, 11, 11), .397915443552, .738923351002)])
def test_published_ratios(counts, low, high):
    result = irb.binomial_ratio_interval(*counts)
    assert (result.low, result.high) == pytest.approx((low, high), abs=2e-12, rel=2e-12)
    assert irb.binomial_ratio_interval(13, 19, 16, 41).low == pytest.approx(1.046215, abs=1e-6)
    nothing = irb.binomial_ratio_interval(0, 12, 0, 15)
    assert (nothing.low, nothing.high) == (0, math.inf)


def test_ratios_on_the_whole_grid():
    """Finite but where it cannot be, about the observed ratio, and inverted with the ratio."""
    for m, k in ((1, 1), (4, 7), (11, 3)):
        x, y = np.arange(m + 1)[:, None], np.arange(k + 1)[None, :]
        result, turned = irb.binomial_ratio_interval(x, m, y, k), irb.binomial_ratio_interval(y, k, x, m)
        with np.errstate(divide="ignore", invalid="ignore"):
            assert result.low == pytest.approx(1 / turned.high, rel=1e-11)
            assert result.high == pytest.approx(1 / turned.low, rel=1e-11)
            observed = x / m / (y / k)
        inside = (result.low <= observed) & (observed <= result.high)
        assert (inside | np.isnan(observed)).all()
        assert (np.isinf(result.high) == (y == 0)).all()
        assert ((result.low == 0) == ((x == 0) | ((x == 0) & (y == 0)))).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_ratios_against_twin(x, more, y, others):
    with mpmath.workdps(20):
        low, high = reference.koopman(x, x + more, y, y + others)
    ours = irb.binomial_ratio_interval(x, x + more, y, y + others)
    assert ours.low == pytest.approx(float(low), rel=1e-10)
    assert ours.high == pytest.approx(float(high), rel=1e-10)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: irb.binomial_interval(5, 3), "`relevant` must be at most sampled; found 5 of 3"),
    (lambda: irb.binomial_interval(-1, 3), "`relevant` must be a whole number, 0 or more; found -1"),
    (lambda: irb.binomial_interval(1, 3, size=2), "`sampled` must be at most size; found 3 of 2"),
    (lambda: irb.binomial_interval(1, 3, method="exact"), "`method` must be one of"),
    (lambda: irb.binomial_interval([1, 2], [3, 4, 5]), "shapes must broadcast"),
    (lambda: irb.binomial_ratio_interval(1, 2, 3.5, 4), "`x2` must be a whole number, 0 or more; found 3.5"),
    (lambda: irb.binomial_ratio_interval(1, 2, 3, 4, confidence_level=0), "`confidence_level` must be between 0 and 1"),
])
def test_bad_input(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()


@pytest.mark.parametrize("counts", [(29, 55, 31, 51), (0, 10, 3, 10), (3, 10, 0, 10), (10, 10, 10, 10), (1, 9, 7, 7)])
@pytest.mark.parametrize("level", [0.5, 0.3, 0.05, 1e-6])
def test_a_bound_of_less_than_one_half_is_on_the_other_side(counts, level):
    """What the ratio exceeds with 30 % it is below with 70 %; at one half bounds once took for ever."""
    def bounds(level, of=irb.binomial_ratio_interval, options=None, counts=counts):
        return [getattr(of(*counts, confidence_level=level, side=side, **(options or {})), end)
                for side, end in (("lower", "low"), ("upper", "high"))]

    low, high = bounds(level)
    other_low, other_high = bounds(1 - level)
    if level < 0.5:
        assert [low, high] == pytest.approx([other_high, other_low], rel=1e-12)
    elif counts[0] and counts[2]:
        assert [low, high] == pytest.approx([counts[0] / counts[1] / (counts[2] / counts[3])] * 2, rel=1e-12)
    for method in ("wilson", "wald", "agresti-coull"):
        low, high = bounds(level, irb.binomial_interval, {"method": method}, counts[:2])
        other_low, other_high = bounds(1 - level, irb.binomial_interval, {"method": method}, counts[:2])
        assert [low, high] == pytest.approx([other_high, other_low], abs=1e-12)
    for method in ("koopman", "normal-mle"):
        low, high = bounds(level, irb.recall_interval, {"method": method}, ((500, 50, 40), (2000, 100, 3)))
        other = bounds(1 - level, irb.recall_interval, {"method": method}, ((500, 50, 40), (2000, 100, 3)))
        assert [low, high] == pytest.approx(other[::-1], rel=1e-9)
