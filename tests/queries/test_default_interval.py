"""The default interval of a mean, Student's or wider within limits; Wilson's and Jeffreys'."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from sizes import long

import irbounds as irb
from tests.data import shared
from tests.reference import query_means as slow

UNIT = (0.0, 1.0)
SYSTEMS = ("btf", "bti", "clm", "clmw", "prob", "tfidf")


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 25), (24, 25), (25, 25), (1, 1), (40, 10**6)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_of_zeros_and_ones_it_is_jeffreys(k, n, level):
    values = np.zeros(n)
    values[:k] = 1
    found = irb.mean_interval(values, method="jeffreys", confidence_level=level)
    tail = (1 - level) / 2
    low, high = stats.beta.ppf([tail, 1 - tail], k + 0.5, n - k + 0.5)
    # it reaches to the sample's mean
    assert found.low == pytest.approx(0 if k == 0 else low, rel=1e-9)
    assert found.high == pytest.approx(1 if k == n else high, rel=1e-9)


@pytest.mark.parametrize("n", [7, 9])
def test_ends_leave_their_tails(n):
    rng = np.random.default_rng(n)
    for values in (rng.random(n), rng.beta(0.3, 2, n), np.round(rng.random(n), 1)):
        found = irb.mean_interval(values, method="jeffreys", confidence_level=0.9)
        x = [Fraction(value) for value in values.tolist()]
        for end, tail in ((found.low, 0.95), (found.high, 0.05)):
            assert slow.jeffreys_tail(x, Fraction(end), 40) == pytest.approx(tail, abs=1e-5)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_wilson_of_zeros_and_ones_is_scipys(level):
    for n in (1, 2, 9, 25, 1000):
        for k in {0, 1, n // 3, n - 1, n}:
            found = irb.mean_interval(
                np.repeat([1.0, 0.0], [k, n - k]), method="wilson", confidence_level=level
            )
            twin = stats.binomtest(k, n).proportion_ci(level, method="wilson")
            assert [found.low, found.high] == pytest.approx(list(twin), rel=1e-12, abs=1e-14)


def test_wilson_is_that_of_fractions(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        n = int(np.exp(rng.uniform(0.7, 5)))
        a, b, near = 10 ** rng.uniform(-2, 1.5, 3)
        values = rng.beta(a, b, n)
        kinds = [
            values,
            np.round(values, 1),
            1 - values * 1e-9 * near,
            values * 1e-200,
            values < 0.3,
        ]
        values = np.asarray(kinds[rng.integers(5)], float)
        if np.ptp(values) <= 1e-12 * values.max() and not np.isin(values, UNIT).all():
            continue
        level = float(rng.choice([0.2, 0.95, 0.999]))
        is_whole = np.isin(values, UNIT).all()
        law = stats.norm if is_whole else stats.t(n - 1)
        x = [Fraction(value) for value in values.tolist()]
        low, high = slow.wilson_ends(x, law.isf((1 - level) / 2))
        found = irb.mean_interval(values, method="wilson", confidence_level=level)
        assert found.low == pytest.approx(float(low), rel=1e-9)
        assert 1 - found.high == pytest.approx(float(1 - high), rel=1e-9, abs=1e-15)
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_wilson_has_both_sides():
    values = [0.5, 0.6, 0.1, 0.1, 0.1, 0.9]
    low = irb.mean_interval(values, method="wilson", side="lower", confidence_level=0.3)
    high = irb.mean_interval(values, method="wilson", side="upper", confidence_level=0.7)
    assert low.low == pytest.approx(high.high, rel=1e-12)  # the same quantile of the same law
    assert low.low > low.estimate
    with pytest.warns(irb.warnings.NoVarianceWarning):
        assert math.isnan(irb.mean_interval([0.5, 0.5], method="wilson").low)
    found = irb.mean_interval(np.array([[1, 0.5, 0], [1, 0.7, 0]]), method="wilson")
    assert found.high[0] == 1
    assert found.low[2] == 0


def test_other_limits_move_and_stretch_it():
    for method, values in (
        ("jeffreys", np.array([0.0, 0.1, 0.1, 0.9, 0.0])),
        ("wilson", np.array([0.0, 1.0, 0.0, 0.0, 1.0])),
        ("wilson", np.array([0.2, 0.2, 0.6, 0.6, 0.4])),
    ):
        moved_and_stretched(values, method)


def moved_and_stretched(values, method):
    plain = irb.mean_interval(values, method=method)
    for shift, scale in ((0.0, 1e-200), (-3.0, 10.0), (0.0, 1e200)):
        limits = (shift, shift + scale)
        found = irb.mean_interval(values * scale + shift, method=method, limits=limits)
        ends = [(found.low - shift) / scale, (found.high - shift) / scale]
        assert ends == pytest.approx([plain.low, plain.high], rel=1e-9)


def samples_of_all_kinds(rng):
    """Samples of few or many values, equal ones, most at 0, near a limit, of all sizes."""
    n = int(np.exp(rng.uniform(0, 5)))
    a, b, scale = 10 ** rng.uniform(-1.5, 1, 3)
    x = rng.beta(a, b, n) * min(scale, 1)
    few = x * (rng.random(n) < 0.2)
    return [x, np.round(x, 1), 1 - x, few, 1 - few, (x < 0.3) * 1.0, x * 1e-9][rng.integers(7)]


def within(values, **options):
    """The default within limits, without its cautions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.FewQueriesWarning)
        return irb.mean_interval(values, **({"limits": UNIT} | options))


def test_it_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        values = samples_of_all_kinds(rng)
        level, sides = float(rng.choice([0.5, 0.95, 0.99])), int(rng.integers(1, 3))
        limits = [UNIT, (-1.0, 1.0)][rng.integers(2)]
        x = [Fraction(value) for value in values.tolist()]
        ends = slow.widened_ends(x, tuple(map(Fraction, limits)), (1 - level) / sides, sides)
        for side, name, end in zip(("lower", "upper"), ("low", "high"), ends, strict=True):
            side = side if sides == 1 else "two-sided"
            found = within(values, limits=limits, confidence_level=level, side=side)
            assert getattr(found, name) == pytest.approx(float(end), rel=1e-9, abs=1e-12)


def test_no_end_jumps(seed):
    rng = np.random.default_rng(seed)
    for _ in range(150):
        values = samples_of_all_kinds(rng)
        n, i = len(values), rng.integers(len(values))
        moved = values.copy()
        moved[i] = np.clip(values[i] + rng.choice([-0.01, 0.01]), 0, 1)
        one, other = within(values), within(moved)
        for end in ("low", "high"):
            step = abs(getattr(one, end) - getattr(other, end))
            assert step <= 0.05 / math.sqrt(n), (values.tolist(), i)


def test_a_value_that_rises_takes_little_from_the_high_end(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        n = int(rng.integers(3, 60))
        values = rng.beta(0.5, 10 ** rng.uniform(-1, 3), n) * (rng.random(n) < rng.random() * 0.3)
        some = within(values)
        assert some.high >= within(np.zeros(n)).high * (1 - 1e-12)
        i = rng.integers(n)
        risen = values.copy()
        risen[i] += rng.random() * (1 - risen[i])
        assert within(risen).high > some.high - 0.2 * (some.high - some.low)


def test_one_limit_may_be_infinite():
    values = np.random.default_rng(5).lognormal(0, 1.5, 30)
    found = irb.mean_interval(values, limits=(0, math.inf))
    assert found.method == "widened-t"
    assert found.low > max(found.raw_low, 0)
    assert found.high > found.raw_high
    mirrored = irb.mean_interval(-values, limits=(-math.inf, 0))
    assert [mirrored.low, mirrored.high] == pytest.approx([-found.high, -found.low])
    assert within(values, limits=(0, 1e9)).low == pytest.approx(found.low, rel=1e-6)
    assert irb.mean_interval([0.0, 0.0], limits=(0, math.inf)).high == math.inf
    assert irb.mean_interval(values, limits=(-math.inf, math.inf)).method == "t"
    for method in ("wilson", "jeffreys", "gaffke"):
        with pytest.raises(irb.InputError, match=f"'{method}' needs two finite `limits`"):
            irb.mean_interval(values, method=method, limits=(0, math.inf))


def test_it_is_hardly_wider_than_gaffkes(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        values = samples_of_all_kinds(rng)
        found, gaffke = within(values), irb.mean_interval(values, method="gaffke")
        assert found.high - found.low <= 1.1 * (gaffke.high - gaffke.low), values.tolist()


def two_scales(zeros, small, share, large):
    """A law: so many zeros, of the others a share at `large`, the rest about `small`."""

    def draw(rng, shape):
        x = np.where(rng.random(shape) < share, large, small * rng.lognormal(0, 0.2, shape))
        return x * (rng.random(shape) >= zeros)

    return draw


LAWS = {
    "two scales": two_scales(0.75, 0.004, 0.2, 0.5),
    "two scales, no zeros": two_scales(0, 0.05, 0.1, 1.0),
    "two scales, rare": two_scales(0.5, 0.01, 0.2, 1.0),
    "deep hits": lambda rng, s: (rng.random(s) < 0.4) / np.ceil(10 ** rng.uniform(0, 3, s)),
    "half zeros, Beta(1, 20)": lambda rng, s: rng.beta(1, 20, s) * (rng.random(s) < 0.5),
    "RR": lambda rng, s: (rng.random(s) < 0.5) / rng.geometric(0.3, s),
    "P@5": lambda rng, s: rng.binomial(5, 0.9, s) / 5,
    "R@10 of 40": lambda rng, s: rng.binomial(4, 0.1, s) / 40,
    "heavy": lambda rng, s: np.minimum(0.01 * (1 + rng.pareto(1.2, s)), 1),
    "differences": lambda rng, s: rng.choice([-1.0, 0, 1], s, p=[0.03, 0.85, 0.12]),
}


@pytest.mark.parametrize(
    ("law", "n", "least"),
    [
        ("two scales", 25, 0.93),
        *(long((law, n, 0.9 if n < 25 else 0.93)) for law in LAWS for n in (10, 25, 50)),
    ],
)
def test_coverage_of_wide_laws(law, n, least):
    rng = np.random.default_rng(n)
    limits = (-1.0 if law == "differences" else 0.0, 1.0)
    mean = LAWS[law](rng, 500_000).mean()
    found = within(LAWS[law](rng, (n, 3000)), limits=limits)
    assert np.mean((found.low <= mean) & (mean <= found.high)) > least


@pytest.mark.parametrize("n", [10, 25, 50])
def test_where_t_is_right_it_is_hardly_wider(n):
    rng = np.random.default_rng(n)
    for values in (rng.random((n, 300)), rng.beta(2, 2, (n, 300)), rng.beta(0.6, 0.9, (n, 300))):
        found = within(values)
        assert (found.high - found.low).mean() < 1.05 * (found.raw_high - found.raw_low).mean()


@pytest.mark.parametrize("collection", ["adi", "cisi", "med"])
def test_real_runs(collection):
    folder = shared(collection)
    evaluator = irb.Evaluator(folder / f"{collection}.qrels", "AP nDCG@10 nDCG")
    methods = []
    for system in SYSTEMS:
        ev = evaluator.evaluate(folder / f"{collection}.{system}.run.xz")
        for measure in ("AP", "nDCG@10", "nDCG"):
            found = ev.interval(measure)
            methods.append(found.method)
            if found.method == "t":
                low, high = stats.ttest_1samp(ev[measure], 0).confidence_interval()
                assert [found.low, found.high] == pytest.approx([low, high], rel=1e-12)
    assert methods.count("t") >= len(methods) / 2


def test_coverage_of_binomial_laws():
    # enumerated; Wald's t goes down to 0.22 here (n = 25, chances from 0.02 to 0.98)
    n, chances = 25, np.linspace(0.02, 0.98, 97)
    samples = np.array([np.repeat([1.0, 0.0], [k, n - k]) for k in range(n + 1)]).T
    found = irb.mean_interval(samples, limits=UNIT)
    holds = (found.low[:, None] <= chances) & (chances <= found.high[:, None])
    covered = (stats.binom.pmf(np.arange(n + 1)[:, None], n, chances) * holds).sum(axis=0)
    assert covered.min() > 0.928  # Wilson's goes down to 0.896: Brown, Cai & DasGupta 2001
    assert covered.mean() == pytest.approx(0.963, abs=0.01)


def test_equal_values_have_an_interval_within_limits():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (1, 2, 30):
            for value in (0.0, 0.3, 1.0):
                ev = irb.Evaluation(("P@10",), tuple(range(n)), np.full((n, 1), value))
                found = ev.interval("P@10")
                assert found.method == "widened-t"
                assert 0 <= found.low <= value <= found.high <= 1
                assert found.low < found.high


def test_without_limits_it_is_t():
    values = np.array([0.0, 0.0, 0.0, 1.0])
    assert irb.mean_interval(values).method == "t"
    ev = irb.Evaluation(("own",), (1, 2, 3, 4), values[:, None])
    assert ev.interval("own").method == "t"
    assert ev.interval("own", limits=UNIT).method == "widened-t"
    one = irb.Evaluation(("P@10",), (1, 2, 3, 4), values[:, None])
    assert one.interval("P@10", method="t").method == "t"
    with pytest.warns(irb.warnings.NoVarianceWarning):
        assert math.isnan(irb.mean_interval([1.0, 1.0]).low)


def test_columns_of_two_kinds():
    rng = np.random.default_rng(5)
    kinds = [rng.random(30), rng.random(30) < 0.95, rng.random(30), np.ones(30), np.full(30, 0.4)]
    table = np.column_stack(kinds)
    found = irb.mean_interval(table, limits=UNIT)
    assert found.method == "t, widened-t, t, widened-t, widened-t"
    assert found.engine == "formula"
    for j in range(5):
        alone = irb.mean_interval(table[:, j], limits=UNIT)
        assert (alone.low, alone.high) == (found.low[j], found.high[j])
    assert irb.mean_interval(np.ones((3, 0)), limits=UNIT).method == "t"


def test_geometric_means_are_judged_by_their_logarithms():
    values = np.array([0.0, 0.5, 0.6, 0.55, 0.62, 0.4, 0.7])
    found = irb.mean_interval(values, statistic="geometric-mean", limits=UNIT)
    logs = np.log(np.maximum(values, 1e-5))
    within = irb.mean_interval(logs, method="jeffreys", limits=(math.log(1e-5), 0))
    assert found.method == "jeffreys"
    assert [found.low, found.high] == pytest.approx(np.exp([within.low, within.high]))


def test_measures_that_exceed_1_have_no_limits():
    qrels = {f"q{i}": {"a": 1, "b": 2, "c": 0} for i in range(6)}
    run = {f"q{i}": {"abcdef"[(i + j) % 6]: float(j) for j in range(4)} for i in range(6)}
    names = "IDCG Utility LastRel ATD YAAP NumNonrelRet NumQ Depth@0.8 WSS@0.8 LossER"
    ev = irb.evaluate(qrels, run, names, ties="doc_id", collection_size=9)
    for measure in ev.measures:
        if np.isfinite(ev[measure]).all() and np.ptp(ev[measure]) > 0:
            assert ev.interval(measure, side="upper").low == -math.inf


@long
def test_students_own_laws_are_hardly_widened():
    """Of Beta(5, 2) and 10 queries they were 14 % wider than t's."""
    rng = np.random.default_rng(46)
    for draw, most in (
        (lambda size: rng.beta(5, 2, size), 1.08),
        (lambda size: np.clip(rng.normal(0.5, 0.15, size), 0, 1), 1.04),
        (lambda size: rng.beta(2, 2, size), 1.01),
    ):
        values = draw((10, 4000))
        found, own = within(values), irb.mean_interval(values, method="t")
        assert (found.high - found.low).mean() <= most * (own.high - own.low).mean()
