"""Intervals of a mean over queries: against SciPy, fractions, and the numbers of real runs."""

import inspect
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import irbounds as irb
from irbounds._core.distributions import dirichlet_mean
from irbounds._core.draws import query_draws
from irbounds.queries.ends import MEAN_METHODS
from tests.data import shared
from tests.reference import query_means as slow

# queries.md's numbers of real runs: estimate, t, and Gaffke's bounds to three digits
REAL = [
    ("med", "tfidf", "AP", 0.521907, 0.448825, 0.594988, 0.431, 0.611),
    ("med", "clm", "AP", 0.396109, 0.317975, 0.474243, None, None),
    ("med", "prob", "nDCG@10", 0.682478, 0.588672, 0.776285, None, None),
    ("cisi", "tfidf", "AP", 0.227001, 0.190058, 0.263944, 0.190, 0.280),
]


@pytest.mark.parametrize(
    ("collection", "run", "measure", "mean", "low", "high", "least", "most"), REAL
)
def test_real_runs(collection, run, measure, mean, low, high, least, most):
    folder = shared(collection)
    ev = irb.evaluate(
        folder / f"{collection}.qrels", folder / f"{collection}.{run}.run.xz", measure
    )
    interval = ev.interval(measure)
    assert interval.method == "t"
    assert [interval.estimate, interval.low, interval.high] == pytest.approx(
        [mean, low, high], abs=6e-7
    )
    if least is not None:
        gaffke = ev.interval(measure, method="gaffke")
        assert [gaffke.low, gaffke.high] == pytest.approx([least, most], abs=6e-4)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_t_is_scipys(level, side):
    values = np.random.default_rng(1).beta(1, 2, (17, 3))
    found = irb.mean_interval(values, method="t", confidence_level=level, side=side)
    which = {"two-sided": "two-sided", "lower": "greater", "upper": "less"}[side]
    low, high = stats.ttest_1samp(values, 0, alternative=which).confidence_interval(level)
    np.testing.assert_allclose(found.low, low, rtol=1e-12)
    np.testing.assert_allclose(found.high, high, rtol=1e-12)
    np.testing.assert_allclose(found.estimate, values.mean(axis=0), rtol=1e-15)


@pytest.mark.parametrize("n", [12, 31, 200])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_is_scipys(n, level):
    values = np.random.default_rng(n).exponential(size=n)
    # before SciPy 1.15 the generator has another name
    name = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
    found = irb.mean_interval(values, method="bca", confidence_level=level, resamples=999, rng=5)
    low, high = stats.bootstrap(
        (values,),
        np.mean,
        method="BCa",
        n_resamples=999,
        confidence_level=level,
        **{name: np.random.default_rng(5)},
    ).confidence_interval
    assert [found.low, found.high] == pytest.approx([low, high], rel=1e-13)


def same_bca(values, seed, decimals):
    """Ours, and SciPy's of means that are rounded, so that equal ones are equal."""
    name = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
    found = irb.mean_interval(values, method="bca", resamples=499, rng=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin = stats.bootstrap(
            (values,),
            lambda x, axis=-1: np.round(np.mean(x, axis=axis), decimals),
            method="BCa",
            n_resamples=499,
            **{name: np.random.default_rng(seed)},
        ).confidence_interval
    return [found.low, found.high], list(twin)


def test_bca_takes_equal_means_for_equal(seed):
    # 0.1 + 0.2 and 0.3 + 0 are equal means, though not as doubles; of few queries many resamples
    # are the sample in another order.  SciPy's sums of them differ by rounding.
    rng = np.random.default_rng(seed)
    for n in (2, 3, 5, 9, 13, 30):
        for values in (rng.beta(1, 2, n), rng.integers(0, 11, n) / 10, 1 / rng.integers(1, 9, n)):
            if np.ptp(values) == 0:
                continue
            own, twin = same_bca(values, int(rng.integers(1000)), 12)
            assert own == pytest.approx(twin, abs=2e-11, nan_ok=True)
            whole = np.round(values * 2**20)  # whose sums are exact
            own, twin = same_bca(whole, int(rng.integers(1000)), 12)
            assert own == pytest.approx(twin, rel=1e-12, nan_ok=True)


RESAMPLED = [*((n, 1) for n in range(1, 10)), (7, 3), (1023, 1), (1024, 2)]
RESAMPLED += [(100_001, 1), (100_001, 2)]


@pytest.mark.parametrize(("n", "columns"), RESAMPLED)
@pytest.mark.parametrize("seed", [3, 2**63])
def test_resamples_are_numpys(n, columns, seed):
    # of 100,001 queries some 12 draws in 400,000 are rejected and drawn again
    resamples = max(4, min(600, 400_000 // n))  # more than one block of draws where n is small
    values = np.random.default_rng(2).integers(-1000, 1000, (n, columns))
    drawn = np.random.default_rng(seed).integers(0, n, (resamples, n))
    generator = np.random.default_rng(seed).bit_generator
    found = query_draws.bootstrap_sums(values, resamples, generator)
    np.testing.assert_array_equal(found, values[drawn].sum(axis=1))


def test_hall_solves_his_cubic():
    values = np.random.default_rng(4).exponential(size=20)
    mean, spread = values.mean(), values.std(ddof=1)
    skewness = np.mean((values - mean) ** 3) / spread**3

    def straightened(mu):
        t = (mean - mu) / spread
        return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / (6 * 20)

    quantile = stats.t.ppf(0.975, 19) / math.sqrt(20)
    found = irb.mean_interval(values, method="hall")
    assert straightened(found.low) == pytest.approx(quantile, rel=1e-12)
    assert straightened(found.high) == pytest.approx(-quantile, rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5, 11, 25])
def test_dirichlet_tails_are_those_of_fractions(n):
    rng = np.random.default_rng(n)
    for kind in range(4):
        x = np.sort(rng.random(n)) if kind < 2 else rng.integers(0, 3, n) / 2
        if kind == 1:  # one far from the others
            x[-1] += 1000
        if np.ptp(x) == 0:
            continue
        exact = [Fraction(value) for value in x.tolist()]
        values, counts = np.unique(x, return_counts=True)
        order = np.argsort(counts, kind="stable")
        t = np.quantile(x, [0.02, 0.3, 0.5, 0.9]) + 1e-3 * np.ptp(x)
        t = np.append(t[t < x.max()], [x.mean(), x.max() - 1e-6 * np.ptp(x)])
        below, above = dirichlet_mean.tails(
            values[order], counts[order].astype(float), int((counts == 1).sum()), t
        )
        twin = [float(slow.dirichlet_tail(exact, Fraction(at))) for at in t.tolist()]
        np.testing.assert_allclose(above, twin, atol=1e-13, rtol=1e-9)
        np.testing.assert_allclose(below + above, 1, atol=1e-15)


@pytest.mark.parametrize("method", ["gaffke", "bayesian-bootstrap"])
def test_quantiles_have_their_tails(method):
    rng = np.random.default_rng(6)
    for n in (3, 10, 40):
        x = np.round(rng.beta(0.4, 0.7, n), 2)
        found = irb.mean_interval(x, method=method, confidence_level=0.9)
        added = {"gaffke": ([0.0], [1.0]), "bayesian-bootstrap": ([], [])}[method]
        for end, more, tail in ((found.low, added[0], 0.95), (found.high, added[1], 0.05)):
            exact = [Fraction(value) for value in [*x.tolist(), *more]]
            assert float(slow.dirichlet_tail(exact, Fraction(end))) == pytest.approx(tail, abs=1e-9)


def test_gaffkes_bound_of_equal_values_is_a_power():
    # all at the limit: the weight of one added 0 is Beta(1, n)
    for n in (1, 5, 1000):
        found = irb.mean_interval(np.ones(n), method="gaffke", side="lower")
        assert found.low == pytest.approx(0.05 ** (1 / n), rel=1e-11)
        assert found.high == 1
    assert irb.mean_interval([0.5], method="gaffke").low == pytest.approx(0.5 * 0.025)


def test_the_former_name_of_gaffkes_bound():
    found = irb.mean_interval([0.2, 0.9], method="guaranteed")
    assert found.to_dict() == irb.mean_interval([0.2, 0.9], method="gaffke").to_dict()
    assert found.method == "gaffke"


@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("tail", [0.025, 0.1])
def test_gaffkes_bound_covers_laws_on_two_points(n, tail):
    # 0 and 1, and 0.3 and 0.9: how many are the larger one is binomial
    for least, most in ((0.0, 1.0), (0.3, 0.9)):
        lows = np.array(
            [
                irb.mean_interval(
                    np.repeat([most, least], [k, n - k]),
                    method="gaffke",
                    side="lower",
                    confidence_level=1 - tail,
                ).low
                for k in range(n + 1)
            ]
        )
        for p in np.unique(np.append(np.linspace(0, 1, 201), (lows - least) / (most - least))):
            for chance in (p, p - 1e-9):
                if 0 <= chance <= 1:
                    mean = least + chance * (most - least)
                    covered = stats.binom.pmf(np.arange(n + 1), n, chance)[lows <= mean].sum()
                    assert covered >= 1 - tail - 1e-9


def test_geometric_mean_is_that_of_logarithms():
    values = [0.0, 0.2, 0.4, 0.9]
    logs = np.log([1e-5, 0.2, 0.4, 0.9])
    expected = np.exp(stats.ttest_1samp(logs, 0).confidence_interval())
    found = irb.mean_interval(values, statistic="geometric-mean")
    assert found.estimate == pytest.approx(math.exp(logs.mean()))
    assert [found.low, found.high] == pytest.approx(expected)
    inside = irb.mean_interval(values, statistic="geometric-mean", method="gaffke")
    assert 1e-5 <= inside.low < inside.estimate < inside.high <= 1


@pytest.mark.parametrize("n", [1, 5, 6, 9, 30])
def test_median_lies_between_places_of_the_binomial_law(n):
    values = np.random.default_rng(n).permutation(n).astype(float)
    found = irb.mean_interval(values, statistic="median")
    assert found.estimate == np.median(values)
    if n < 6:  # 2 · 2^-5 is above 0.05
        assert (found.low, found.high) == (-math.inf, math.inf)
        return
    few = int(found.low)
    assert found.high == n - 1 - few
    tail = [sum(math.comb(n, k) for k in range(j + 1)) / 2**n for j in (few, few + 1)]
    assert tail[0] <= 0.025 < tail[1]


def test_equal_values_have_no_interval_but_within_limits():
    for values in ([0.5], [0.3] * 8, [0.1 + 0.2, 0.3]):
        for method in MEAN_METHODS:
            if not MEAN_METHODS[method].needs_spread:
                found = irb.mean_interval(values, method=method)
                assert 0 <= found.low < found.estimate < found.high <= 1
            else:
                with pytest.warns(irb.warnings.NoVarianceWarning, match="no variance"):
                    found = irb.mean_interval(values, method=method)
                assert math.isnan(found.low)
                assert math.isnan(found.high)
                assert found.estimate == pytest.approx(values[0])


def test_ends_stay_within_the_measures_limits():
    values = np.array([[1.0], [1.0], [0.6]])
    ev = irb.Evaluation(("P@5",), (1, 2, 3), values)
    found = ev.interval("P@5", method="t")
    assert found.high == 1 < found.raw_high
    assert found.low == found.raw_low
    assert ev.interval("P@5").method == "widened-t"
    own = irb.Evaluation(("my measure",), (1, 2, 3), values)
    assert own.interval("my measure").high == found.raw_high
    assert own.interval("my measure", method="t", limits=(0, 1)).high == 1
    assert own.interval("my measure", side="lower").high == math.inf
    assert ev.interval("P@5", side="lower").high == 1


@pytest.mark.parametrize("method", MEAN_METHODS)
def test_sizes_of_all_kinds(method):
    rng = np.random.default_rng(8)
    x = rng.random(9)
    plain = irb.mean_interval(x, method=method, limits=(0, 1))
    for scale in (1e-300, 1e-160, 1e150, 1e300):
        found = irb.mean_interval(x * scale, method=method, limits=(0, scale))
        assert [found.low / scale, found.high / scale] == pytest.approx(
            [plain.low, plain.high], rel=1e-9
        )
    away = irb.mean_interval(x + 1000, method=method, limits=(1000, 1001))
    assert [away.low - 1000, away.high - 1000] == pytest.approx([plain.low, plain.high], abs=1e-9)


@pytest.mark.parametrize("method", MEAN_METHODS)
def test_order_and_other_columns_make_no_difference(method):
    rng = np.random.default_rng(9)
    table = rng.random((25, 3))
    found = irb.mean_interval(table, method=method, rng=1)
    for j in range(3):
        alone = irb.mean_interval(table[:, j], method=method, rng=1)
        assert (found.low[j], found.high[j]) == (alone.low, alone.high)
    if method != "bca":  # which draws by place
        turned = irb.mean_interval(table[::-1], method=method)
        np.testing.assert_allclose(turned.low, found.low, rtol=1e-14)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"values": []}, "`values` must have the shape"),
        ({"values": [0.1, math.nan]}, "`values` must be finite; found nan at index 1"),
        ({"values": [0.1, 0.2], "method": "z"}, "`method` must be one of 't', 'widened-t'"),
        ({"values": [0.1, 2.0], "method": "gaffke"}, "`values` must be within limits, 0 to 1"),
        ({"values": [0.1, 0.2], "limits": (1, 0)}, "`limits` must be two numbers"),
        ({"values": [0.1, 0.2], "resamples": 3}, "`resamples` must be a whole number, 100"),
        ({"values": [0.1, 0.2], "method": "bca", "rng": -1}, "`rng` must be"),
    ],
)
def test_bad_input(options, text):
    with pytest.raises(irb.InputError) as caught:
        irb.mean_interval(**options)
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


def test_evaluations_say_what_is_missing():
    values = np.array([[0.2, 3.0], [0.4, math.inf]])
    ev = irb.Evaluation(("AP", "ESL(nr=1)"), ("q1", "q2"), values)
    with pytest.raises(irb.InputError, match=r"ESL\(nr=1\) is inf for query 'q2'"):
        ev.interval("ESL(nr=1)")
    dcg = irb.Evaluation(("DCG",), ("q1", "q2"), values[:, :1])
    for method in ("gaffke", "jeffreys"):
        with pytest.raises(irb.InputError, match="DCG has none: give `limits`"):
            dcg.interval("DCG", method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dcg.interval("DCG", method="gaffke", limits=(0, 9)).high < 9
