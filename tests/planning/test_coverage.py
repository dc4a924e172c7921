"""The coverage laboratory: against enumeration in fractions, and against the paper's tables.

The file is longer than 400 lines because of its tables of bad arguments.
"""

import itertools
import math
import signal
import threading
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats
from sizes import every, nightly

import irbounds as irb
from irbounds.planning import LEGAL, NEUTRAL, SMALL, Scenario
from irbounds.planning.coverage_studies.coverage import PAPER_METHODS
from irbounds.samples.intervals.pipeline import Outcomes
from irbounds.samples.intervals.table import METHODS
from tests.reference import coverage as reference
from tests.reference import samples


def fixed(retrieved, unretrieved):
    """A scenario of one review only; segments as (size, relevant, sampled)."""
    (size1, relevant1, sampled1), (size0, relevant0, sampled0) = retrieved, unretrieved
    relevant = relevant1 + relevant0
    return Scenario(
        "fixed",
        population=size1 + size0,
        prevalence=relevant / (size1 + size0),
        recall=relevant1 / relevant,
        precision=relevant1 / size1,
        retrieved_sample=sampled1,
        unretrieved_sample=sampled0,
    )


def random_review(seed, most=25):
    rng = np.random.default_rng(seed)
    segments = []
    for least in (1, 0):
        size = int(rng.integers(2, most))
        segments.append((size, int(rng.integers(least, size + 1)), int(rng.integers(1, size + 1))))
    return segments


@cache
def posterior_interval(retrieved, unretrieved, prior):
    """The half or uniform prior's interval by enumeration."""
    (_, _, r1), (_, _, r0) = retrieved, unretrieved
    if r1 + r0 == 0:
        return Fraction(0), Fraction(1)
    pmfs = [samples.yield_pmf(*segment, prior, prior) for segment in (retrieved, unretrieved)]
    law = samples.law(samples.recall, *pmfs, undefined=Fraction(0))
    tail = Fraction(1, 40)
    all_assessed = retrieved[0] == retrieved[1]
    low = Fraction(0) if r1 == 0 else samples.quantile(law, tail)
    high = (
        Fraction(1)
        if r0 == 0 and not (r1 == 0 and all_assessed)
        else samples.quantile(law, 1 - tail)
    )
    return low, high


@pytest.mark.parametrize("seed", every(4, range(12)))
@pytest.mark.parametrize(
    ("method", "prior"), [("betabinom-half", Fraction(1, 2)), ("betabinom-uniform", Fraction(1))]
)
def test_exact_coverage_against_fractions(seed, method, prior):
    review = random_review(seed)
    report = irb.coverage(fixed(*review), method, realisations=1, exact=True, progress=False)
    expected = reference.coverage(*review, lambda one, other: posterior_interval(one, other, prior))
    found = [report.coverage, report.width, report.gap_below, report.gap_above]
    assert [float(column[0, 0]) for column in found] == pytest.approx(
        [float(x) for x in expected], abs=2e-8
    )


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "side"),
    list(zip(METHODS, itertools.cycle(["two-sided", "lower", "upper"]), strict=False)),
)
def test_exact_coverage_of_every_method_is_that_of_recall_interval(method, side):
    review = [(60, 22, 20), (90, 9, 25)]
    report = irb.coverage(
        fixed(*review), method, realisations=1, side=side, exact=True, progress=False
    )

    def interval(one, other):
        found = irb.recall_interval(one, other, method=method, side=side)
        return found.low - 1e-10, found.high + 1e-10  # within which ends are found

    expected = reference.coverage(*review, interval)
    found = [report.coverage, report.width, report.gap_below, report.gap_above]
    assert [float(column[0, 0]) for column in found] == pytest.approx(
        [float(x) for x in expected], abs=1e-7
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("size", "sampled", "prevalence"),
    [
        ((2000, 100_000), (100, 500), (0.5, 0.03)),
        ((10, 40), (10, 40), (0.5, 0.2)),
        ((3, 10**9), (1, 50), (0.4, 0.01)),
    ],
)
def test_ends_are_those_of_recall_interval(method, size, sampled, prevalence):
    rng = np.random.default_rng(3)
    counts = np.array(
        [
            rng.hypergeometric(int(n * p), n - int(n * p), k, 6)
            if n < 10**9
            else rng.binomial(k, p, 6)
            for n, k, p in zip(size, sampled, prevalence, strict=True)
        ]
    )
    counts = np.concatenate(
        [counts, [[0, sampled[0] if sampled[0] < size[0] else counts[0, 0]], [0, 0]]], axis=1
    )
    for side in ("two-sided", "lower"):
        low, high = Outcomes(size, sampled, method).ends(counts, 0.9, side)
        single = irb.recall_interval(
            (size[0], sampled[0], counts[0]),
            (size[1], sampled[1], counts[1]),
            method=method,
            confidence_level=0.9,
            side=side,
        )
        assert low == pytest.approx(single.low, abs=2e-6)
        assert high == pytest.approx(single.high, abs=2e-6)


@pytest.mark.long
def test_guaranteed_coverage_is_never_below_nominal():
    for level in (0.8, 0.95):
        scenario = Scenario(
            "any",
            population=(50, 400),
            prevalence=(0.02, 0.5),
            recall=(0, 1),
            precision=(0.05, 1),
            retrieved_sample=lambda rng, n, known: 1 + known["retrieved"] * rng.uniform(0, 1, n),
            unretrieved_sample=lambda rng, n, known: known["unretrieved"] * rng.uniform(0.1, 1, n),
        )
        report = irb.coverage(
            scenario,
            "guaranteed",
            realisations=30,
            confidence_level=level,
            exact=True,
            rng=1,
            progress=False,
        )
        assert report.coverage.min() >= level - 1e-9


@pytest.mark.nightly
@pytest.mark.long
def test_drawn_coverage_is_near_exact_coverage():
    scenario = Scenario(
        "one",
        population=5000,
        prevalence=0.1,
        recall=0.6,
        precision=0.5,
        retrieved_sample=100,
        unretrieved_sample=300,
    )
    exact = irb.coverage(scenario, realisations=1, exact=True, progress=False)
    drawn = irb.coverage(scenario, realisations=40, samples=1000, rng=5, progress=False)
    error = np.sqrt(exact.coverage[0] * (1 - exact.coverage[0]) / 40_000)
    assert (np.abs(drawn.coverage.mean(axis=0) - exact.coverage[0]) < 5 * error).all()
    assert drawn.width.mean(axis=0) == pytest.approx(exact.width[0], rel=0.01)
    for report in (exact, drawn):
        assert report.coverage + report.gap_below + report.gap_above == pytest.approx(
            np.ones_like(report.coverage)
        )


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize("scenario", [nightly("neutral"), nightly("legal"), "small"])
def test_table_ix(scenario):
    """Mean coverage, with the error of 60 realisations; the whole table is in benchmarks/papers."""
    printed = {
        "neutral": [0.77, 0.87, 0.93, 0.91, 0.96, 0.94, 0.95, 0.95, 0.95],
        "legal": [0.70, 0.86, 0.90, 0.83, 0.95, 0.95, 0.95, 0.95, 0.95],
        "small": [0.90, 0.89, 0.94, 0.90, 0.97, 0.92, 0.95, 0.95, 0.95],
    }[scenario]
    report = irb.coverage(scenario, realisations=60, samples=200, rng=11, progress=False)
    for method, expected in zip(PAPER_METHODS, printed, strict=True):
        assert (
            abs(report.mean_coverage[method] - expected) < 4 * report.standard_error[method] + 0.01
        ), method


def test_report_does_not_depend_on_the_workers():
    reports = [
        irb.coverage(
            "small",
            ["koopman", "betabinom-half"],
            realisations=8,
            samples=50,
            rng=3,
            workers=n,
            progress=False,
        )
        for n in (1, 4)
    ]
    assert (reports[0].coverage == reports[1].coverage).all()
    assert (reports[0].width == reports[1].width).all()
    other = irb.coverage("small", "koopman", realisations=8, samples=50, rng=4, progress=False)
    assert (other.realisations.population != reports[0].realisations.population).any()


def test_methods_see_the_same_samples():
    both = irb.coverage(
        "small", ["koopman", "normal-mle"], realisations=5, samples=40, rng=3, progress=False
    )
    alone = irb.coverage("small", "normal-mle", realisations=5, samples=40, rng=3, progress=False)
    assert (both.coverage[:, 1] == alone.coverage[:, 0]).all()


def test_own_methods():
    def copied(retrieved, unretrieved, level):
        interval = irb.recall_interval(
            retrieved, unretrieved, confidence_level=level, method="koopman"
        )
        return interval.low, interval.high

    report = irb.coverage(
        "small",
        {"mine": copied, "all": lambda one, other, level: (0, 1), "theirs": "koopman"},
        realisations=4,
        samples=100,
        rng=2,
        progress=False,
    )
    assert (report.coverage[:, 0] == report.coverage[:, 2]).all()
    assert report.coverage[:, 1] == pytest.approx(np.ones(4), abs=1e-15)
    assert report.width[:, 1] == pytest.approx(np.ones(4), abs=1e-15)


def test_own_methods_go_by_their_names():
    def mine(retrieved, unretrieved, level):
        return 0, 1

    options = {"realisations": 2, "samples": 5, "rng": 1}
    assert irb.coverage("small", mine, **options).methods == ("mine",)
    nothing, everything = (lambda one, other, level: (0, 0)), (lambda one, other, level: (0, 1))
    report = irb.coverage("small", [nothing, everything, "koopman", "koopman"], **options)
    assert report.methods == ("<lambda>", "<lambda>'", "koopman")
    assert report.coverage[0, :2].tolist() == pytest.approx([0, 1])


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((math.nan, math.nan), "method 'mine' must return low <= high; found nan and nan"),
        ((1, 0), "method 'mine' must return low <= high; found 1 and 0"),
        ((0, math.nan), "low <= high; found 0 and nan"),
        ((np.zeros(3000), 1), "one for each of"),
        (("a", "b"), "method 'mine' must return"),
        (5, "method 'mine' must return"),
        ((0, 1, 2), "method 'mine' must return"),
    ],
)
def test_ends_of_own_methods_are_intervals(ends, message):
    with pytest.raises(irb.InputError, match=message):
        irb.coverage(
            "small", {"mine": lambda one, other, level: ends}, realisations=1, samples=5, rng=1
        )


def test_report_figures():
    report = irb.coverage(
        "small",
        ["normal-mle", "betabinom-half"],
        realisations=30,
        samples=100,
        rng=2,
        progress=False,
    )
    half = report.coverage[:, 1]
    row = report.to_dict()["betabinom-half"]
    assert row["mean_coverage"] == pytest.approx(half.mean())
    assert row["rmse"] == pytest.approx(math.sqrt(np.mean((half - 0.95) ** 2)))
    assert row["standard_error"] == pytest.approx(stats.sem(half))
    assert [row["q1"], row["median"], row["q3"]] == pytest.approx(np.percentile(half, [25, 50, 75]))
    assert sum(report.closest.values()) == pytest.approx(1)
    distance = np.abs(report.coverage - 0.95)
    wins, ties = (
        (distance[:, 1] < distance[:, 0] - 1e-9).mean(),
        (np.abs(np.diff(distance)) < 1e-9).mean(),
    )
    assert row["closest"] == pytest.approx(wins + ties / 2)
    assert "betabinom-half" in repr(report)
    assert len(repr(report).splitlines()) == 4
    frame = report.to_frame()
    assert list(frame.method) == ["normal-mle", "betabinom-half"]
    rows = report.to_frame("polars", rows="realisations")
    assert rows.shape == (60, 14)
    assert (rows["coverage"].to_numpy() == report.coverage.ravel()).all()
    with pytest.raises(ValueError, match="`rows` must be 'methods' or 'realisations'"):
        report.to_frame(rows="samples")


@pytest.mark.parametrize("scenario", [NEUTRAL, LEGAL, SMALL])
def test_realisations_can_exist(scenario):
    drawn = scenario.draw(2000, rng=1)
    assert len(drawn) == 2000
    assert (drawn.retrieved_relevant <= np.minimum(drawn.relevant, drawn.retrieved)).all()
    assert (drawn.unretrieved_relevant <= drawn.unretrieved).all()
    assert (drawn.retrieved_sample <= drawn.retrieved).all()
    assert (drawn.unretrieved_sample <= drawn.unretrieved).all()
    assert (drawn.retrieved_sample >= 1).all()
    least, most = {"neutral": (1000, 4.1e6), "legal": (5e5, 5e7), "small": (1000, 10_000)}[
        scenario.name
    ]
    assert least <= drawn.population.min()
    assert drawn.population.max() <= most
    if scenario is not NEUTRAL:
        assert drawn.retrieved.max() <= 0.51 * drawn.population.max()
    assert (drawn[3:5].population == drawn.population[3:5]).all()


def test_means_of_the_printed_tables():
    """Tables VI to VIII print means; the legal population's, 1,075,000, is not that of its
    formula."""
    for scenario, population, prevalence, recall in (
        (NEUTRAL, 495_000, 0.287, 0.55),
        (SMALL, 3900, 0.085, 0.55),
        (LEGAL, None, 0.031, 0.33),
    ):
        drawn = scenario.draw(20_000, rng=2)
        for values, printed in (
            (drawn.population, population),
            (drawn.prevalence, prevalence),
            (drawn.recall, recall),
        ):
            if printed is not None:
                assert values.mean() == pytest.approx(printed, rel=0.05)


def test_distributions_of_every_kind():
    mine = Scenario(
        "mine",
        population=10_000,
        prevalence=stats.beta(2, 20),
        recall=(0.4, 0.6),
        precision=lambda rng, n, known: np.full(n, 0.5),
        retrieved_sample=20,
        unretrieved_sample=50,
    )
    drawn = mine.draw(500, rng=1)
    assert drawn.prevalence.mean() == pytest.approx(2 / 22, rel=0.1)
    assert drawn.recall.min() >= 0.39
    assert (drawn.unretrieved_sample == 50).all()
    assert repr(mine) == "Scenario('mine')"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recall": 1.5}, "scenario 'bad' is impossible: recall must be between 0 and 1"),
        ({"precision": 2.0}, "precision must be at most 1"),
        (
            {"retrieved_sample": 10_000},
            "retrieved_sample must be at least 1 and at most the retrieved segment",
        ),
        ({"unretrieved_sample": 0}, "unretrieved_sample must be at least 1"),
        ({"prevalence": 0}, "of the documents one at least must be relevant"),
        ({"precision": 0.05}, "must leave some documents unretrieved"),
        ({"recall": "high"}, "`recall` must be a number, a pair"),
    ],
)
def test_impossible_scenarios(change, message):
    fields = {
        "population": 1000,
        "prevalence": 0.1,
        "recall": 0.6,
        "precision": 0.5,
        "retrieved_sample": 10,
        "unretrieved_sample": 20,
        **change,
    }
    with pytest.raises(ValueError, match=message):
        irb.coverage(Scenario("bad", **fields), "koopman", realisations=2, progress=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("neutrall",), "`scenario` must be one of 'neutral', 'legal', 'small'"),
        ((17,), "`scenario` must be a Scenario"),
        (("small", "betabinomial"), "`methods` must be one of"),
        (("small", []), "`methods` must be names of methods"),
    ],
)
def test_unknown_words(arguments, message):
    with pytest.raises(ValueError, match=message):
        irb.coverage(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"realisations": 0}, "`realisations` must be a whole number, 1 or more"),
        ({"confidence_level": 95}, "`confidence_level` must be"),
        ({"side": "left"}, "`side` must be one of"),
        ({"workers": 0}, "`workers` must be"),
        (
            {"rng": -1},
            "`rng` must be None, a whole number, 0 or more, or a numpy Generator; found -1",
        ),
        ({"rng": "x"}, "`rng` must be .*; found 'x'"),
        ({"methods": {}}, "`methods` must be names"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        irb.coverage("small", **{"methods": "koopman", "realisations": 2, "samples": 5, **options})


def test_a_report_refuses_quantiles_beyond_1():
    report = irb.coverage("small", "koopman", realisations=2, samples=5, rng=1)
    with pytest.raises(irb.InputError, match="`probabilities` must be from 0 to 1"):
        report.quantiles([0.5, 2])


def test_no_realisations_are_refused():
    with pytest.raises(irb.InputError, match="`count` must be a whole number, 1 or more"):
        SMALL.draw(0)


@pytest.mark.long
def test_an_interrupt_keeps_what_is_done():
    def progress(done, count):
        if done == 3:
            signal.raise_signal(signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    report = irb.coverage(
        "small", "koopman", realisations=500, samples=20, rng=1, workers=1, progress=progress
    )
    assert report.interrupted
    assert 3 <= len(report.coverage) < 500
    assert "interrupted" in repr(report)
    whole = irb.coverage("small", "koopman", realisations=500, samples=20, rng=1, progress=False)
    assert (report.coverage == whole.coverage[: len(report.coverage)]).all()


def test_an_interrupt_before_anything_is_done():
    def progress(done, count):
        raise AssertionError("not reached")

    def method(retrieved, unretrieved, level):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        irb.coverage(
            "small",
            {"slow": method},
            realisations=5,
            samples=5,
            rng=1,
            workers=1,
            progress=progress,
        )


def test_a_fault_of_an_own_method_is_shown():
    def method(retrieved, unretrieved, level):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        irb.coverage("small", {"bad": method}, realisations=50, samples=5, progress=False)


def test_large_collections():
    scenario = Scenario(
        "large",
        population=4e9,
        prevalence=0.01,
        recall=0.7,
        precision=0.3,
        retrieved_sample=200,
        unretrieved_sample=2000,
    )
    report = irb.coverage(
        scenario, ["betabinom-half", "koopman"], realisations=3, samples=300, rng=1, progress=False
    )
    assert (report.coverage > 0.85).all()
    exact = irb.coverage(scenario, "betabinom-half", realisations=1, exact=True, progress=False)
    assert 0.93 < exact.coverage[0, 0] < 0.97
