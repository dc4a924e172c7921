"""The default interval of a mean: Student's, Wilson's where values repeat, Jeffreys' where they are
too skewed."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import irbounds as irb
from irbounds.queries.choice import names_of_default
from irbounds.queries.moments import moments_of
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


def test_the_rule_is_that_of_the_page(seed):
    rng = np.random.default_rng(seed)
    both = set()
    for _ in range(120):
        n = int(np.exp(rng.uniform(0, 5)))
        a, b = 10 ** rng.uniform(-1, 1, 2)
        values = rng.beta(a, b, n) * 10 ** rng.uniform(-2, 0)
        values = [values, np.round(values, 1), 1 - values][rng.integers(3)]
        expected = slow.default_name(values.tolist())
        (name,) = names_of_default(values[:, None], moments_of(values[:, None]), UNIT)
        both.add(name)
        assert name == expected, values.tolist()
    assert both == {"t", "wilson", "jeffreys"}


@pytest.mark.parametrize("collection", ["adi", "cisi", "med"])
def test_real_runs(collection):
    folder = shared(collection)
    evaluator = irb.Evaluator(folder / f"{collection}.qrels", "AP nDCG@10 nDCG Success@10 ERR@10")
    for system in SYSTEMS:
        ev = evaluator.evaluate(folder / f"{collection}.{system}.run.xz")
        for measure in ("AP", "nDCG@10", "nDCG", "ERR@10"):
            found = ev.interval(measure)
            assert found.method == (
                "t" if measure == "ERR@10" else slow.default_name(ev[measure].tolist())
            )
            if found.method != "t":
                continue
            low, high = stats.ttest_1samp(ev[measure], 0).confidence_interval()
            assert [found.low, found.high] == pytest.approx([low, high], rel=1e-12)
        if collection == "med":
            # 0 or 1, but for ties
            values = ev["Success@10"]
            is_whole = np.isin(values, UNIT).all()
            assert ev.interval("Success@10").method == ("wilson" if is_whole else "jeffreys")


def test_coverage_of_binomial_laws():
    # enumerated; Wald's t goes down to 0.22 here (n = 25, chances from 0.02 to 0.98)
    n, chances = 25, np.linspace(0.02, 0.98, 97)
    samples = np.array([np.repeat([1.0, 0.0], [k, n - k]) for k in range(n + 1)]).T
    found = irb.mean_interval(samples, limits=UNIT)
    holds = (found.low[:, None] <= chances) & (chances <= found.high[:, None])
    covered = (stats.binom.pmf(np.arange(n + 1)[:, None], n, chances) * holds).sum(axis=0)
    assert covered.min() > 0.895  # Wilson's own dips: Brown, Cai & DasGupta 2001, figure 5
    assert covered.mean() == pytest.approx(0.953, abs=0.01)


def test_equal_values_have_an_interval_within_limits():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (1, 2, 30):
            for value in (0.0, 0.3, 1.0):
                ev = irb.Evaluation(("P@10",), tuple(range(n)), np.full((n, 1), value))
                found = ev.interval("P@10")
                assert found.method == ("jeffreys" if value == 0.3 else "wilson")
                assert 0 <= found.low <= value <= found.high <= 1
                assert found.low < found.high


def test_without_limits_it_is_t():
    values = np.array([0.0, 0.0, 0.0, 1.0])
    assert irb.mean_interval(values).method == "t"
    ev = irb.Evaluation(("own",), (1, 2, 3, 4), values[:, None])
    assert ev.interval("own").method == "t"
    assert ev.interval("own", limits=UNIT).method == "wilson"
    one = irb.Evaluation(("P@10",), (1, 2, 3, 4), values[:, None])
    assert one.interval("P@10", method="t").method == "t"
    with pytest.warns(irb.warnings.NoVarianceWarning):
        assert math.isnan(irb.mean_interval([1.0, 1.0]).low)


def test_columns_of_two_kinds():
    rng = np.random.default_rng(5)
    kinds = [rng.random(30), rng.random(30) < 0.95, rng.random(30), np.ones(30), np.full(30, 0.4)]
    table = np.column_stack(kinds)
    found = irb.mean_interval(table, limits=UNIT)
    assert found.method == "t, wilson, t, wilson, jeffreys"
    assert found.engine == "formula, formula, formula, formula, exact"
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
