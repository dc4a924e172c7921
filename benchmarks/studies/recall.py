"""How often intervals on recall, precision, elusion, the yield and F hold the truth.

    python benchmarks/studies/recall.py [--data ../shared/data] [--parts simple strata] [--quick]

Simple designs have one sample of each segment.  "Some yields" are 30 to 108 pairs of yields, each
summed over all samples whose probability exceeds 1e-6; "every yield" is summed at every pair.  A
share is summed over all samples at 2,001 shares, or at every one of a finite collection.  Designs
with strata are simulated, 1,000 reviews each; slow methods have fewer.  Looks: 4,000 reviews of
100,000 documents, recall 0.75, up to 500 + 3,000 assessments in 20 parts, which stop as soon as the
interval is as wanted (lower end 0.7 or 0.75, width 0.15 or 0.1).
"""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import reviews
from scipy.stats import binom, hypergeom
from study import DATA, LEVEL, ROUNDING, Row, about, coverage_row, holds, parser_of, publish, store

import irbounds as irb
from irbounds.samples.intervals.table import ALL_MEASURES, INTERVAL_METHODS
from irbounds.samples.one_proportion.table import PROPORTION_METHODS

HALF, SAFE = "betabinom-half", "guaranteed"
FUNCTIONS = {
    "recall": irb.recall_interval,
    "precision": irb.precision_interval,
    "elusion": irb.samples.elusion_interval,
    "yield": irb.yield_interval,
    "F": irb.f_interval,
}
SEGMENTS = {"precision": [0], "elusion": [1]}  # the other measures need both
SIMPLE = (  # (retrieved documents, sampled, unretrieved documents, sampled)
    (500, 50, 2000, 100),
    (12_000, 150, 88_000, 1300),
    (50_000, 192, 950_000, 2187),
    (200, 30, 1000, 30),
    (500, 500, 2000, 100),
    (2000, 100, 1_000_000, 3000),
)
SHARES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.97, 1.0)  # of the retrieved that are relevant
SINGLE = ((10, None), (30, None), (100, None), (300, None), (30, 100), (100, 1000))
# One of so many reviews is computed: guaranteed bounds take 5 times as long as posterior ones.
SELDOM = {SAFE: 5, "anytime": 25}
RECALL, OTHERS, POSTERIOR, ONE_SIDED, LOOK, OTHER, SHARE = (
    "recall, two-sided",
    "precision, elusion, yield and F, two-sided",
    "these, one-sided, by a posterior",
    "these, one-sided",
    "recall while the sample grows, one look",
    "other methods for recall",
    "methods for one share",
)
STOP = "recall where a look may stop the review"
KINDS = {
    "designs of made strata": reviews.made,
    "designs of tiny samples": reviews.tiny,
    "designs of uneven strata": reviews.uneven,
    "designs with retrieved strata": reviews.retrieved,
    "designs of contrasts": reviews.contrasts,
}


def true_values(yields: Any, sizes: Any) -> dict[str, Any]:
    """Each measure, where so many of the retrieved and of the unretrieved are relevant."""
    (r1, r0), (n1, n0) = yields, sizes
    with np.errstate(invalid="ignore"):  # no recall where nothing is relevant
        recall = r1 / (r1 + r0)
    of_f = 2 * r1 / (n1 + r1 + r0)
    return {"recall": recall, "precision": r1 / n1, "elusion": r0 / n0, "yield": r1 + r0, "F": of_f}


def interval(measure: str, segments: list[Any], **options: Any) -> irb.Interval:
    """The interval of the segments that the measure needs."""
    chosen = [segments[i] for i in SEGMENTS.get(measure, [0, 1])]
    return FUNCTIONS[measure](*chosen, **{"confidence_level": LEVEL, **options})


def some_yields(design: tuple[int, ...], every: int) -> np.ndarray:
    """Pairs of yields: shares of the retrieved × none to 5 % of the unretrieved."""
    n1_all, n1, n0_all, n0 = design
    most = n0_all * (0.002 if n0_all >= 10**6 else 0.05)
    shares, n_rare = (SHARES, 12) if n1 * n0 <= 100_000 else (SHARES[2::2], 6)
    rare = np.unique(np.round(np.geomspace(max(1, n0_all / n0 / 20), most, n_rare))).astype(int)
    pairs = [(max(1, round(s * n1_all)), int(r0)) for s in shares for r0 in (0, *rare)]
    return np.array(pairs[::every]).T


def at_some_yields(design: tuple[int, ...], method: str, every: int) -> np.ndarray:
    """Coverage of recall at some yields, summed over the samples that matter."""
    n1_all, n1, n0_all, n0 = design
    r1, r0 = some_yields(design, every)
    first = np.array([hypergeom.pmf(np.arange(n1 + 1), n1_all, r, n1) for r in r1])
    second = np.array([hypergeom.pmf(np.arange(n0 + 1), n0_all, r, n0) for r in r0])
    likely = np.zeros((n1 + 1, n0 + 1), bool)
    for p, q in zip(first, second, strict=True):
        likely |= np.multiply.outer(p, q) > 1e-6
    found1, found0 = np.nonzero(likely)
    joint = first[:, found1] * second[:, found0]
    ends = interval("recall", [(n1_all, n1, found1), (n0_all, n0, found0)], method=method)
    truth = true_values((r1, r0), (n1_all, n0_all))["recall"]
    return (joint * holds(ends.low, ends.high, truth[:, None])).sum(1) / joint.sum(1)


def at_every_yield(design: tuple[int, ...], measure: str, method: str, side: str) -> np.ndarray:
    """Coverage at every pair of yields.

    Ends are monotone in the relevant documents of the unretrieved sample.  So for each count of the
    retrieved one those whose intervals hold a truth are a range: a difference of two cumulated
    probabilities.
    """
    n1_all, n1, n0_all, n0 = design
    yields1, yields0 = np.arange(n1_all + 1), np.arange(n0_all + 1)
    chance1 = hypergeom.pmf(np.arange(n1 + 1), n1_all, yields1[:, None], n1)
    chance0 = hypergeom.pmf(np.arange(n0 + 1), n0_all, yields0[:, None], n0)
    below = np.concatenate([np.zeros((n0_all + 1, 1)), chance0.cumsum(1)], axis=1)
    found1, found0 = np.indices((n1 + 1, n0 + 1)).reshape(2, -1)
    segments = [(n1_all, n1, found1), (n0_all, n0, found0)]
    ends = interval(measure, segments, method=method, side=side)
    sign = 1 if measure in ("yield", "elusion") else -1  # ends rise, or fall
    low, high = (
        sign * (end + slack).reshape(n1 + 1, n0 + 1)
        for end, slack in ((ends.low, -ROUNDING), (ends.high, ROUNDING))
    )
    first, last = (high, low) if sign == 1 else (low, high)
    if (np.diff(first) < 0).any() or (np.diff(last) < 0).any():
        raise AssertionError("ends are not monotone")
    covered = []
    for r1 in yields1:
        true = true_values((r1, yields0), (n1_all, n0_all))[measure]
        truth = np.broadcast_to(sign * np.asarray(true, float), n0_all + 1)
        held = np.zeros(n0_all + 1)
        for found in np.flatnonzero(chance1[r1]):
            start = first[found].searchsorted(truth, side="left")
            stop = np.maximum(last[found].searchsorted(truth, side="right"), start)
            held += chance1[r1, found] * (below[yields0, stop] - below[yields0, start])
        covered.append(held[np.isfinite(truth)])
    return np.concatenate(covered)


def of_share(sampled: int, size: int | None, method: str, points: int) -> Iterator[np.ndarray]:
    """Coverage of one share, two-sided and by a lower bound."""
    found = np.arange(sampled + 1)
    if size is None:
        truth = np.linspace(0, 1, points)
        chance = binom.pmf(found, sampled, truth[:, None])
    else:
        relevant = np.arange(size + 1)
        truth, chance = relevant / size, hypergeom.pmf(found, size, relevant[:, None], sampled)
    for side in ("two-sided", "lower"):
        options = {"method": method, "side": side, "confidence_level": LEVEL}
        ends = irb.binomial_interval(found, sampled, size=size, **options)
        yield (chance * holds(ends.low, ends.high, truth[:, None])).sum(1)


def simulated(
    samples: list[Any], truth: dict[str, Any], measure: str, method: str, sides: str
) -> list[float]:
    """Coverage by one interval, or by both one-sided bounds: the ends of a two-sided interval that
    misses twice as often."""
    n = max(1, samples[0][0].relevant.size // SELDOM.get(method, 1))
    some = [[each._replace(relevant=each.relevant[:n]) for each in part] for part in samples]
    true = truth[measure][:n] if np.ndim(truth[measure]) else truth[measure]
    ends_of = partial(interval, measure, some, method=method)
    if sides == "two-sided":
        ends = ends_of()
        return [float(holds(ends.low, ends.high, true).mean())]
    ends = ends_of(confidence_level=2 * LEVEL - 1)
    return [
        float(holds(ends.low, np.inf, true).mean()),
        float(holds(-np.inf, ends.high, true).mean()),
    ]


def add_simulated(found: dict[Any, list[float]], kind: str, design: Any, n: int, rng: Any) -> None:
    """All shares of one design with strata, by question, method and measure."""
    sizes, yields = reviews.sums_of(design)
    samples, truth = reviews.samples(design, n, rng), true_values(yields, sizes)
    for measure in ALL_MEASURES:
        key = (RECALL, HALF, kind) if measure == "recall" else (OTHERS, HALF, f"{measure}, all")
        found.setdefault(key, []).extend(simulated(samples, truth, measure, HALF, "two-sided"))
    for ask, method, name in (
        (POSTERIOR, HALF, "recall, all"),
        (ONE_SIDED, SAFE, "recall, all"),
        (LOOK, "anytime", "all"),
    ):
        sides = "two-sided" if ask == LOOK else "both"
        found.setdefault((ask, method, name), []).extend(
            simulated(samples, truth, "recall", method, sides)
        )


def some_yield(size: int, relevant: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """The relevant documents of a stratum in each review: half to twice as many of the rarer
    kind."""
    is_rare = relevant <= size / 2
    times = np.exp2(rng.uniform(-1, 1, n))
    few = np.minimum(size, np.rint((relevant if is_rare else size - relevant) * times)).astype(int)
    return few if is_rare else size - few


def of_topics(designs: dict[str, Any], n: int, rng: np.random.Generator) -> dict[str, list[float]]:
    """Coverage of recall by topic, whose yields are drawn anew for each review: at one yield it is
    that of a few counts."""
    found: dict[str, list[float]] = {}
    for name, design in designs.items():
        drawn = tuple(
            [(size, sampled, some_yield(size, r, n, rng)) for size, sampled, r in segment]
            for segment in design
        )
        sizes, yields = reviews.sums_of(drawn)
        truth = true_values(yields, sizes)
        share = simulated(reviews.samples(drawn, n, rng), truth, "recall", HALF, "two-sided")
        found.setdefault(name.partition(",")[0], []).extend(share)
    return found


def of_audits(design: Any, n: int, rng: np.random.Generator) -> float:
    """Coverage of recall where a coder's calls of some strata were audited."""
    sizes, yields = reviews.sums_of(design)
    truth, held = true_values(yields, sizes)["recall"], 0
    for _ in range(n):
        samples = [[reviews.coded(rng, *each) for each in segment] for segment in design]
        ends = interval("recall", samples, method=HALF)
        held += bool(holds(ends.low, ends.high, truth))
    return held / n


def of_control(n: int, rng: np.random.Generator) -> Iterator[float]:
    """Coverage of recall by one sample of 1,000 of 100,000 documents, split afterwards."""
    for prevalence in (0.01, 0.05, 0.2):
        for recall in (0.5, 0.7, 0.8, 0.9, 0.97):
            relevant = round(100_000 * prevalence)
            first = round(relevant * recall)
            kinds = [first, relevant - first, 100_000 - relevant]
            counts = rng.multivariate_hypergeometric(kinds, 1000, n)
            pairs, times = np.unique(counts[:, :2], axis=0, return_counts=True)
            ends = irb.recall_interval_from_sample(None, None, 1000, *pairs.T, method=HALF)
            yield float(times[holds(ends.low, ends.high, first / relevant)].sum() / n)


def simple_rows(given: Namespace) -> Iterator[Row]:
    """Recall by every method at some yields."""
    designs = SIMPLE[: 1 if given.quick else None]
    for method, known in INTERVAL_METHODS.items():
        if "recall" not in known.measures or method.endswith("per-stratum"):
            continue  # the latter are the same as without strata
        shares = [at_some_yields(each, method, 8 if given.quick else 1) for each in designs]
        ask = {HALF: RECALL, "anytime": LOOK}.get(method, OTHER)
        name = f"{len(designs)} simple designs at some yields"
        yield coverage_row(ask, method, name, map(np.min, shares), map(np.mean, shares))


def every_rows(given: Namespace) -> Iterator[Row]:
    """Each measure at every yield of two small designs."""
    designs = [(50, 5, 200, 10)] if given.quick else [SIMPLE[0], SIMPLE[3]]
    for measure in FUNCTIONS:
        for method, side, ask in (
            (HALF, ("two-sided",), RECALL if measure == "recall" else OTHERS),
            (HALF, ("lower", "upper"), POSTERIOR),
            (SAFE, ("lower", "upper"), ONE_SIDED),
        ):
            shares = [at_every_yield(d, measure, method, each) for d in designs for each in side]
            name = f"{len(designs)} simple designs at every yield"
            name = name if ask == RECALL else f"{measure}, {name}"
            yield coverage_row(ask, method, name, map(np.min, shares), map(np.mean, shares))


def share_rows(given: Namespace) -> Iterator[Row]:
    """One share by every method."""
    for method, known in PROPORTION_METHODS.items():
        has_ends = [each for each in SINGLE if (known.finite if each[1] else known.ends)]
        points = 101 if given.quick else 2001
        shares = [s for each in has_ends for s in of_share(*each, method, points)]
        name = f"{len(has_ends)} samples"
        yield coverage_row(SHARE, method, name, map(np.min, shares), map(np.mean, shares))


def strata_rows(given: Namespace) -> Iterator[Row]:
    """Designs with strata, their topics, and control samples."""
    n, few = (20, 2) if given.quick else (1000, None)
    kinds = {name: make() for name, make in KINDS.items()}
    topics = reviews.trec(given.data)
    if topics:
        kinds = {"designs of TREC 2009": [*topics.values()], **kinds}
    found: dict[Any, list[float]] = {}
    for seed, (kind, designs) in enumerate(kinds.items()):
        rng = np.random.default_rng(seed)
        for design in designs[:few]:
            add_simulated(found, kind, design, n, rng)
    n_designs = sum(len(designs[:few]) for designs in kinds.values())
    for (ask, method, name), shares in found.items():
        shown = f"{len(shares)} {name}"
        if name.endswith("all"):
            shown = name.removesuffix("all") + f"{n_designs} designs with strata"
        yield coverage_row(ask, method, shown, shares)
    rng = np.random.default_rng(22)
    of_topic = of_topics(dict([*topics.items()][:few]), n, rng)
    if of_topic:
        leasts, means = map(min, of_topic.values()), map(np.mean, of_topic.values())
        name = f"{len(of_topic)} topics of TREC 2009 whose yields are drawn"
        yield coverage_row(RECALL, HALF, name, leasts, means)
    of_coded = [of_audits(each, max(2, n // 5), rng) for each in reviews.audits()[:few]]
    yield coverage_row(RECALL, HALF, f"{len(of_coded)} designs of audits beside strata", of_coded)
    yield coverage_row(RECALL, HALF, "1 control sample", of_control(4 * n, rng))


def look_rows(given: Namespace) -> Iterator[Row]:
    """Reviews in which a look may end the work, without and with a correction for the looks."""
    review = irb.AssumedReview(100_000, 10_000, recall=0.75, precision=0.5)
    options: dict[str, Any] = {"looks": 20, "reviews": 20 if given.quick else 4000, "rng": 1}
    goals = ({"target": 0.70}, {"target": 0.75}, {"width": 0.15}, {"width": 0.10})
    for corrected, ask, method, name in (
        (True, STOP, "SampleMonitor", "4 goals, 20 planned looks"),
        (False, f"{STOP}, uncorrected", HALF, "4 goals, 20 looks"),
    ):
        shares = []
        for goal in goals:
            side = "lower" if "target" in goal else "two-sided"
            asked = {"side": side, "corrected": corrected, **options, **goal}
            report = irb.planning.simulate_stopping(review, 500, 3000, **asked)
            shares.append(report.coverage)
        yield coverage_row(ask, method, name, shares)


PARTS = {
    "simple": simple_rows,
    "every": every_rows,
    "shares": share_rows,
    "strata": strata_rows,
    "looks": look_rows,
}


def main() -> None:
    """Measure, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="where TREC 2009's strata are")
    parser.add_argument("--parts", nargs="+", default=[*PARTS], choices=[*PARTS])
    given = parser.parse_args()
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    rows = [row for part in given.parts for row in PARTS[part](given)]
    page(store("recall", rows, given), given)


def page(lines: list[str], given: Namespace) -> None:
    """Write the page: how the numbers were made, and the table."""
    publish("Coverage of recall", [*about(__doc__), "", *lines], "recall.md", given)


if __name__ == "__main__":
    main()
