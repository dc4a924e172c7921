"""One proportion and the ratio of two, against published numbers, slow twins and the laws of
intervals.

The file is longer than 400 lines because of its tables of published numbers.
"""

import math

import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special
from sizes import only

import irbounds as irb
from irbounds.samples.one_proportion.table import PROPORTION_METHODS
from tests.reference import sample_intervals as reference

TWINS = {
    "wald": reference.wald,
    "wilson": reference.wilson,
    "wilson-cc": reference.wilson_corrected,
    "agresti-coull": reference.agresti_coull,
    "clopper-pearson": reference.clopper_pearson,
    "jeffreys": reference.jeffreys,
    "mid-p": reference.mid_p,
    "blaker": reference.blaker,
}
FINITE = {
    **{
        name: reference.scaled(TWINS[name])
        for name in ("wald", "wilson", "wilson-cc", "agresti-coull")
    },
    "mid-p": reference.hypergeometric_mid_p,
    "clopper-pearson": reference.hypergeometric_bounds,
    "blaker": reference.hypergeometric_blaker,
    "hypergeometric": reference.hypergeometric_bounds,
}


@pytest.mark.parametrize(
    ("x", "n", "method", "low", "high", "tolerance"),
    [
        (15, 148, "clopper-pearson", 0.0578, 0.1617, 6e-5),
        (15, 148, "wilson", 0.0624, 0.1605, 6e-5),
        (15, 148, "agresti-coull", 0.06138597, 0.16148767, 1e-8),
        (15, 148, "jeffreys", 0.06044852, 0.15764314, 1e-8),
        (81, 263, "clopper-pearson", 0.2527, 0.3676, 6e-5),
        (81, 263, "wilson", 0.2553, 0.3662, 6e-5),
        (81, 263, "agresti-coull", 0.25522067, 0.36627743, 1e-8),
        (81, 263, "jeffreys", 0.25452193, 0.3656475, 1e-7),
        (20, 100, "clopper-pearson", 0.1266555521019559, 0.2918426890886281, 1e-12),
        (0, 10, "clopper-pearson", 0, 0.3084971, 1e-7),
    ],
)
def test_published_proportions(x, n, method, low, high, tolerance):
    result = irb.binomial_interval(x, n, method=method)
    assert (result.low, result.high) == pytest.approx((low, high), abs=tolerance)


def test_published_bounds():
    upper, lower = (
        irb.binomial_interval(20, 100, method="clopper-pearson", side=side)
        for side in ("upper", "lower")
    )
    assert (upper.low, upper.high) == pytest.approx((0, 0.2772002496709138), abs=1e-12)
    assert (lower.low, lower.high) == pytest.approx((0.1366613252458672, 1), abs=1e-12)
    for x, n, size, least, most in (
        (3, 10, 100, 8, 63),
        (5, 20, 200, 19, 95),
        (0, 122, 2000, 0, 57),
    ):
        result = irb.binomial_interval(x, n, size=size)
        assert (round(result.low * size), round(result.high * size)) == (least, most)


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.quick_examples(20)
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(list(TWINS)),
    st.sampled_from([0.5, 0.9, 0.99]),
    st.sampled_from(["two-sided", "lower", "upper"]),
)
def test_proportions_against_twins(x, more, method, level, side):
    n = x + more
    with mpmath.workdps(20):
        expected = [
            float(end) for end in reference.binomial_interval(x, n, TWINS[method], level, side)
        ]
    ours = irb.binomial_interval(x, n, method=method, confidence_level=level, side=side)
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-11)


def test_every_method_has_its_twins():
    elsewhere = {"anytime"}  # tests/samples/test_anytime.py
    infinite = {name for name, method in PROPORTION_METHODS.items() if method.ends}
    finite = {name for name, method in PROPORTION_METHODS.items() if method.finite}
    assert set(TWINS) == infinite - elsewhere
    assert set(FINITE) == finite - elsewhere


@pytest.mark.quick_examples(90)
@settings(max_examples=120, deadline=None)
@given(st.integers(1, 40), st.sampled_from(list(FINITE)), st.data())
def test_populations_against_twins(size, method, data):
    n = data.draw(st.integers(1, size))
    x = data.draw(st.integers(0, n))
    level = data.draw(st.sampled_from([0.05, 0.5, 0.8, 0.95, 0.99]))
    side = data.draw(
        st.sampled_from(["two-sided", "lower", "upper"] if level >= 0.5 else ["two-sided"])
    )
    with mpmath.workdps(20):
        least, most = FINITE[method](x, n, size, level, side)
    ours = irb.binomial_interval(x, n, size=size, method=method, confidence_level=level, side=side)
    if n == size:
        least = most = x
    elif side != "two-sided":
        least, most = (0, most) if side == "upper" else (least, size)
    assert (ours.low * size, ours.high * size) == pytest.approx(
        (float(least), float(most)), abs=1e-9
    )


def docstring_coverage(method):
    """The least and mean coverages that the docstring tells of a method: endless, finite or nan."""
    row = next(
        line.split()
        for line in irb.binomial_interval.__doc__.splitlines()
        if line.split()[:1] == [method]
    )
    return [float(cell.strip(",")) for cell in row[1:]]


@pytest.mark.parametrize("method", only(["wilson", "blaker"], list(TWINS)))
def test_coverage_of_endless_populations(method):
    """The least is next to an end of an interval: between ends coverage rises, then falls."""
    least, means = 1.0, []
    for n in range(1, 31):
        ends = irb.binomial_interval(np.arange(n + 1), n, method=method)
        p = np.concatenate([[1e-9], np.outer([1 - 1e-9, 1 + 1e-9], [ends.low, ends.high]).ravel()])
        grid = (np.arange(1000) + 0.5) / 1000
        for values in (p[(p > 0) & (p < 1)], grid):
            covers = (ends.low[:, None] <= values) & (values <= ends.high[:, None])
            covered = (scipy.stats.binom.pmf(np.arange(n + 1)[:, None], n, values) * covers).sum(0)
            least = min(least, covered.min())
        means.append(covered.mean())
    assert [least, np.mean(means)] == pytest.approx(docstring_coverage(method)[:2], abs=7e-4)
    if method in ("blaker", "clopper-pearson"):
        assert least > 0.95 - 1e-7


@pytest.mark.parametrize("method", ["blaker", "clopper-pearson", "hypergeometric"])
def test_coverage_of_small_populations(method):
    least, _ = coverage_of_populations(method, 0.95, 12)
    assert least >= 0.95 - 1e-12


@pytest.mark.long
@pytest.mark.parametrize("method", list(FINITE))
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_coverage_of_finite_populations(method, level):
    least, mean = coverage_of_populations(method, level, 30)
    if method in ("blaker", "clopper-pearson", "hypergeometric"):
        assert least >= level - 1e-12
    if level == 0.95 and method != "hypergeometric":
        assert [least, mean] == pytest.approx(docstring_coverage(method)[2:], abs=7e-4)


def coverage_of_populations(method, level, most):
    """The least and the mean coverage in all populations of 2 to `most` documents, over all
    samples of fewer."""
    least, means = 1.0, []
    for size in range(2, most + 1):
        share = np.arange(size + 1) / size
        for n in range(1, size):
            ends = irb.binomial_interval(
                np.arange(n + 1), n, size=size, method=method, confidence_level=level
            )
            covers = (ends.low[:, None] <= share + 1e-12) & (share <= ends.high[:, None] + 1e-12)
            pmf = irb.chance.hypergeometric_pmf(
                np.arange(n + 1)[:, None], size, np.arange(size + 1), n
            )
            covered = (pmf * covers).sum(0)
            least = min(least, covered.min())
            means.append(covered.mean())
    return least, np.mean(means)


@pytest.mark.long
@pytest.mark.parametrize("size", [None, 60, 10**6])
@pytest.mark.parametrize("level", only([0.9], [0.3, 0.9, 0.99]))
def test_blaker_lies_within_clopper_pearson(size, level):
    n = np.arange(1, 50)[:, None]
    x = np.minimum(np.arange(50), n)
    shorter, longer = (
        irb.binomial_interval(x, n, size=size, method=method, confidence_level=level)
        for method in ("blaker", "clopper-pearson")
    )
    assert (shorter.low >= longer.low - 1e-15).all()
    assert (shorter.high <= longer.high + 1e-15).all()
    least, most = (
        (x / n,) * 2
        if size is None
        else (np.floor(x / n * size + 1e-9) / size, np.ceil(x / n * size - 1e-9) / size)
    )
    assert (shorter.low <= most + 1e-15).all()  # whole documents, next to the estimate
    assert (shorter.high >= least - 1e-15).all()
    assert (shorter.high - shorter.low < longer.high - longer.low).mean() > (
        0.3 if size == 60 else 0.8
    )


def test_a_census_leaves_nothing_to_infer():
    for method in FINITE:
        for side in ("two-sided", "lower", "upper"):
            ends = irb.binomial_interval([0, 3, 43], 43, size=43, method=method, side=side)
            assert (
                ends.low.tolist() == ends.high.tolist() == ends.estimate.tolist() == [0, 3 / 43, 1]
            )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "jeffreys", "size": 100},
            "method 'jeffreys' does not support `size` (posterior with",
        ),
        (
            {"method": "hypergeometric"},
            "method 'hypergeometric' is for a finite population: give its `size`",
        ),
        ({"method": "exact", "size": 100}, "`method` must be one of 'wilson'"),
    ],
)
def test_no_method_is_dropped(options, message):
    with pytest.raises(irb.InputError) as error:
        irb.binomial_interval(3, 10, **options)
    assert str(error.value).startswith(message)
    wald, wilson, exact = (
        irb.binomial_interval(3, 10, size=100, method=method) for method in ("wald", "wilson", None)
    )
    assert (wald.method, wilson.method, exact.method) == ("wald", "wilson", "hypergeometric")
    assert len({wald.low, wilson.low, exact.low}) == 3


@pytest.mark.long
@pytest.mark.parametrize("method", ["beta", "wilson", "agresti_coull", "jeffreys"])
def test_against_statsmodels(method):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    ours = {"beta": "clopper-pearson", "agresti_coull": "agresti-coull"}.get(method, method)
    for x, n in ((3, 10), (15, 148), (81, 263), (1, 400)):
        found = irb.binomial_interval(x, n, method=ours)
        assert (found.low, found.high) == pytest.approx(
            proportion.proportion_confint(x, n, method=method), abs=1e-12
        )


def test_wilson_with_correction_against_scipy():
    for x, n in ((0, 10), (3, 10), (15, 148), (400, 400)):
        theirs = scipy.stats.binomtest(x, n).proportion_ci(method="wilsoncc")
        ours = irb.binomial_interval(x, n, method="wilson-cc")
        assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1e-12)


@pytest.mark.parametrize("level", [1e-15, 1e-9, 0.5, 1 - 1e-9, 1 - 2**-53])
def test_levels_near_0_and_1(level):
    """z kept no digits of small levels, and those next to 1 were refused by the normal quantile."""
    for method in TWINS:
        ends = irb.binomial_interval([0, 3, 10], 10, method=method, confidence_level=level)
        assert (ends.low <= ends.high).all()
        if method in ("jeffreys", "mid-p") and level < 0.5:  # about a median
            continue
        assert (ends.low <= ends.estimate + 1e-15).all()
        assert (ends.high >= ends.estimate - 1e-15).all()
    if level < 0.5:
        wald = irb.binomial_interval(300, 1000, method="wald", confidence_level=level)
        width = 2 * math.sqrt(2) * float(mpmath.erfinv(level)) * math.sqrt(0.3 * 0.7 / 1000)
        assert wald.high - wald.low == pytest.approx(width, rel=1e-5, abs=2e-16)


@pytest.mark.parametrize(("size", "level", "most"), [(5, 0.8, 3), (10, 0.9, 8), (20, 0.95, 18)])
def test_probabilities_equal_to_alpha_reject(size, level, most):
    """One of `size` documents is drawn: with size (1 - level) of them not relevant, P(X = 0) is 1 -
    level."""
    assert (
        irb.binomial_interval(0, 1, size=size, confidence_level=level, side="upper").high * size
        == most
    )


def test_arrays_and_large_populations():
    result = irb.binomial_interval([[1], [5]], [10, 20, 30], method="jeffreys")
    assert result.low.shape == result.high.shape == (2, 3)
    result = irb.binomial_interval([0, 3, 400], [400, 400, 400], size=[10**6, 10**9, 400])
    assert result.low[2] == result.high[2] == 1
    near = irb.binomial_interval([0, 3], 400, method="clopper-pearson")
    assert (result.low[:2], result.high[:2]) == (
        pytest.approx(near.low, abs=1e-5),
        pytest.approx(near.high, rel=1e-3),
    )
    nothing = irb.binomial_interval(0, 0)
    assert (nothing.low, nothing.high) == (0, 1)
    assert math.isnan(nothing.estimate)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((36, 40, 16, 80), 2.939569192215, 7.152223434866),
        ((7, 34, 1, 34), 1.220852853515, 42.575717609760),
        ((8, 15, 4, 15), 0.815013539383, 5.336316846323),
        ((29, 55, 11, 11), 0.397915443552, 0.738923351002),
    ],
)
def test_published_ratios(counts, low, high):
    result = irb.samples.binomial_ratio_interval(*counts)
    assert (result.low, result.high) == pytest.approx((low, high), abs=2e-12, rel=2e-12)
    assert irb.samples.binomial_ratio_interval(13, 19, 16, 41).low == pytest.approx(
        1.046215, abs=1e-6
    )
    nothing = irb.samples.binomial_ratio_interval(0, 12, 0, 15)
    assert (nothing.low, nothing.high) == (0, math.inf)


def test_ratios_on_the_whole_grid():
    """Finite but where it cannot be, about the observed ratio, and inverted with the ratio."""
    for m, k in ((1, 1), (4, 7), (11, 3)):
        x, y = np.arange(m + 1)[:, None], np.arange(k + 1)[None, :]
        result, turned = (
            irb.samples.binomial_ratio_interval(x, m, y, k),
            irb.samples.binomial_ratio_interval(y, k, x, m),
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            assert result.low == pytest.approx(1 / turned.high, rel=1e-11)
            assert result.high == pytest.approx(1 / turned.low, rel=1e-11)
            observed = x / m / (y / k)
        inside = (result.low <= observed) & (observed <= result.high)
        assert (inside | np.isnan(observed)).all()
        assert (np.isinf(result.high) == (y == 0)).all()
        assert ((result.low == 0) == ((x == 0) | ((x == 0) & (y == 0)))).all()


@pytest.mark.quick_examples(20)
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_ratios_against_twin(x, more, y, others):
    with mpmath.workdps(20):
        low, high = reference.koopman(x, x + more, y, y + others)
    ours = irb.samples.binomial_ratio_interval(x, x + more, y, y + others)
    assert ours.low == pytest.approx(float(low), rel=1e-10)
    assert ours.high == pytest.approx(float(high), rel=1e-10)


@pytest.mark.parametrize("counts", [(0, 7, 7, 95), (0, 3, 2, 900), (0, 5, 4, 4)])
def test_ratios_near_a_ratio_of_0(counts):
    """Chi-square is the ratio times m y/k, to first order; rounding of y - k p was 3/4 of it."""
    _, m, y, k = counts
    level = 2.783415389183753e-16
    square = 2 * special.erfinv(level) ** 2
    high = irb.samples.binomial_ratio_interval(*counts, confidence_level=level).high
    assert high == pytest.approx(square * k / (m * y), rel=1e-12)


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("level", [1e-15, 1e-9, 0.3, 0.5, 0.95, 1 - 1e-9, 1 - 2**-53])
def test_ratios_always_end_c1(level, side):
    """A limit of 0 was out of reach of rounding: bounds at one half with a zero count never came
    back."""
    count = np.array([0, 1, 2, 54, 69, 70])
    x, y = count[:, None, None], count[None, :, None]
    k = np.array([70, 188, 10**6, 2**51])
    ends, turned = (
        irb.samples.binomial_ratio_interval(*counts, confidence_level=level, side=side)
        for counts in ((x, 70, y, k), (y, k, x, 70))
    )
    known = (x + y > 0) & (k > 0)
    assert not np.isnan(ends.low).any()
    assert not np.isnan(ends.high).any()
    if side == "two-sided":
        assert (ends.low <= ends.high).all()
        with np.errstate(divide="ignore"):
            assert ends.low == pytest.approx(np.where(known, 1 / turned.high, 0), rel=1e-11)
    elif level == 0.5:
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = x / 70 / (y / k)
        end = ends.low if side == "lower" else ends.high
        assert end[known.repeat(1, 2) & np.ones(end.shape, bool)] == pytest.approx(
            observed[known & np.ones(end.shape, bool)], rel=1e-14
        )


def test_the_reported_hang_c1():
    for level, side in ((0.5, "upper"), (0.5, "lower"), (1e-15, "two-sided")):
        ends = irb.samples.binomial_ratio_interval(
            0, 70, 54, 188, confidence_level=level, side=side
        )
        assert ends.low == 0
        assert ends.high == (math.inf if side == "lower" else pytest.approx(0, abs=1e-30))


@pytest.mark.long
@pytest.mark.quick_examples(15)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_ratios_of_huge_counts(data):
    """The discriminant and 1 - p lost their digits."""
    counts = []
    for _ in range(2):
        n = data.draw(st.integers(1, 2**52 - 1))
        counts += [
            data.draw(st.one_of(st.just(n), st.integers(0, n), st.integers(0, min(n, 9)))),
            n,
        ]
    if counts[0] + counts[2] == 0:
        return
    with mpmath.workdps(50):
        low, high = reference.koopman(*counts)
    ours = irb.samples.binomial_ratio_interval(*counts)
    assert ours.low == pytest.approx(float(low), rel=1e-13)
    assert ours.high == pytest.approx(float(high), rel=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: irb.binomial_interval(5, 3), "`relevant` must be at most sampled; found 5 of 3"),
        (
            lambda: irb.binomial_interval(-1, 3),
            "`relevant` must be a whole number, 0 or more; found -1",
        ),
        (
            lambda: irb.binomial_interval(1, 3, size=2),
            "`sampled` must be at most size; found 3 of 2",
        ),
        (lambda: irb.binomial_interval(1, 3, method="exact"), "`method` must be one of"),
        (lambda: irb.binomial_interval([1, 2], [3, 4, 5]), "shapes must broadcast"),
        (
            lambda: irb.samples.binomial_ratio_interval(1, 2, 3.5, 4),
            "`x2` must be a whole number, 0 or more; found 3.5",
        ),
        (
            lambda: irb.samples.binomial_ratio_interval(1, 2, 3, 4, confidence_level=0),
            "`confidence_level` must be between 0 and 1",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()


@pytest.mark.parametrize(
    "counts", [(29, 55, 31, 51), (0, 10, 3, 10), (3, 10, 0, 10), (10, 10, 10, 10), (1, 9, 7, 7)]
)
@pytest.mark.parametrize("level", [0.5, 0.3, 0.05, 1e-6])
def test_a_bound_of_less_than_one_half_is_on_the_other_side(counts, level):
    """The lower bound of 30 % is the upper bound of 70 %; at one half bounds once took for ever."""

    def bounds(level, of=irb.samples.binomial_ratio_interval, options=None, counts=counts):
        return [
            getattr(of(*counts, confidence_level=level, side=side, **(options or {})), end)
            for side, end in (("lower", "low"), ("upper", "high"))
        ]

    low, high = bounds(level)
    other_low, other_high = bounds(1 - level)
    if level < 0.5:
        assert [low, high] == pytest.approx([other_high, other_low], rel=1e-12)
    elif counts[0] and counts[2]:
        assert [low, high] == pytest.approx(
            [counts[0] / counts[1] / (counts[2] / counts[3])] * 2, rel=1e-12
        )
    for method in ("wilson", "wald", "agresti-coull"):
        low, high = bounds(level, irb.binomial_interval, {"method": method}, counts[:2])
        other_low, other_high = bounds(
            1 - level, irb.binomial_interval, {"method": method}, counts[:2]
        )
        assert [low, high] == pytest.approx([other_high, other_low], abs=1e-12)
    for method in ("koopman", "normal-mle"):
        low, high = bounds(
            level, irb.recall_interval, {"method": method}, ((500, 50, 40), (2000, 100, 3))
        )
        other = bounds(
            1 - level, irb.recall_interval, {"method": method}, ((500, 50, 40), (2000, 100, 3))
        )
        assert [low, high] == pytest.approx(other[::-1], rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("method", ["clopper-pearson", "jeffreys", "mid-p"])
@pytest.mark.parametrize("level", [0.9999999999999999, 0.9999999999997474])
def test_levels_near_one_keep_the_digits_of_what_is_left(method, level):
    for x, n in ((43, 151), (0, 28)):
        with mpmath.workdps(30):
            ends = TWINS[method](x, n, mpmath.mpf(level), "two-sided")
            expected = [float(end) for end in ends]
        found = irb.binomial_interval(x, n, method=method, confidence_level=level)
        assert [found.low, found.high] == pytest.approx(expected, abs=1e-13)
