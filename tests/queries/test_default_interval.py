"""The default interval of a mean: Student's, or Jeffreys' where the values are too skewed."""

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


def test_other_limits_move_and_stretch_it():
    values = np.array([0.0, 0.1, 0.1, 0.9, 0.0])
    plain = irb.mean_interval(values, method="jeffreys")
    for shift, scale in ((0.0, 1e-200), (-3.0, 10.0), (0.0, 1e200)):
        found = irb.mean_interval(values * scale + shift, limits=(shift, shift + scale))
        assert found.method == "jeffreys"
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
        expected = slow.leaves_t(values.tolist())
        (name,) = names_of_default(values[:, None], moments_of(values[:, None]), UNIT)
        both.add(name)
        assert (name == "jeffreys") == expected, values.tolist()
    assert both == {"t", "jeffreys"}


@pytest.mark.parametrize("collection", ["adi", "cisi", "med"])
def test_real_runs(collection):
    folder = shared(collection)
    evaluator = irb.Evaluator(folder / f"{collection}.qrels", "AP nDCG@10 nDCG Success@10 ERR@10")
    for system in SYSTEMS:
        ev = evaluator.evaluate(folder / f"{collection}.{system}.run.xz")
        for measure in ("AP", "nDCG@10", "nDCG", "ERR@10"):
            found = ev.interval(measure)
            assert found.method == "t"
            low, high = stats.ttest_1samp(ev[measure], 0).confidence_interval()
            assert [found.low, found.high] == pytest.approx([low, high], rel=1e-12)
        if collection == "med":
            assert ev.interval("Success@10").method == "jeffreys"


def test_coverage_of_binomial_laws():
    # enumerated; Wald's t goes down to 0.22 here (n = 25, chances from 0.01 to 0.99)
    n, chances = 25, np.linspace(0.01, 0.99, 99)
    samples = np.array([np.repeat([1.0, 0.0], [k, n - k]) for k in range(n + 1)]).T
    found = irb.mean_interval(samples, limits=UNIT)
    holds = (found.low[:, None] <= chances) & (chances <= found.high[:, None])
    covered = (stats.binom.pmf(np.arange(n + 1)[:, None], n, chances) * holds).sum(axis=0)
    assert covered.min() > 0.88  # Jeffreys' own dips: Brown, Cai & DasGupta 2001, figure 5
    assert covered.mean() == pytest.approx(0.955, abs=0.01)


def test_equal_values_have_an_interval_within_limits():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (1, 2, 30):
            for value in (0.0, 0.3, 1.0):
                ev = irb.Evaluation(("P@10",), tuple(range(n)), np.full((n, 1), value))
                found = ev.interval("P@10")
                assert found.method == "jeffreys"
                assert 0 <= found.low <= value <= found.high <= 1
                assert found.low < found.high


def test_without_limits_it_is_t():
    values = np.array([0.0, 0.0, 0.0, 1.0])
    assert irb.mean_interval(values).method == "t"
    ev = irb.Evaluation(("own",), (1, 2, 3, 4), values[:, None])
    assert ev.interval("own").method == "t"
    assert ev.interval("own", limits=UNIT).method == "jeffreys"
    one = irb.Evaluation(("P@10",), (1, 2, 3, 4), values[:, None])
    assert one.interval("P@10", method="t").method == "t"
    with pytest.warns(irb.NoVarianceWarning):
        assert math.isnan(irb.mean_interval([1.0, 1.0]).low)


def test_columns_of_two_kinds():
    rng = np.random.default_rng(5)
    table = np.column_stack([rng.random(30), rng.random(30) < 0.95, rng.random(30), np.ones(30)])
    found = irb.mean_interval(table, limits=UNIT)
    assert found.method == "t, jeffreys, t, jeffreys"
    assert found.engine == "formula, exact, formula, exact"
    for j in range(4):
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
