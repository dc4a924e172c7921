"""Coverage of intervals for segments with strata, by simulated reviews: what `coverage.py` writes
into its page for them, and what its other parts share."""

from __future__ import annotations

from functools import partial

import numpy as np

import irbounds as irb
from irbounds.samples.intervals.table import ALL_MEASURES

LEVEL = 0.95
ROUNDING = 1e-9  # an end may be rounded to the other side of the truth
FUNCTIONS = {
    "recall": irb.recall_interval,
    "precision": irb.precision_interval,
    "F": irb.f_interval,
    "yield": irb.yield_interval,
    "elusion": irb.samples.elusion_interval,
}
SEGMENTS = {"precision": [0], "elusion": [1]}  # the other measures need both
# Guaranteed bounds take 5 to 20 times as long as posterior ones, those of "anytime" 100 times; both
# cover by proof.  Posteriors that are not the default are drawn less often, too.
SELDOM = {"guaranteed": 5, "anytime": 25, "beta-jeffreys": 2}
SELDOM |= dict.fromkeys(("betabinom-uniform", "betabinom-mcp"), 2)
OTHERS = ("betabinom-uniform", "betabinom-mcp", "beta-jeffreys")
FORMULAS = ("normal-mle", "normal-laplace", "normal-agresti-coull", "naive-binomial")
INFINITE = ", infinite population"
# Names of designs begin with a kind, or they are made ones.
KINDS = {
    "TREC": "TREC 2009",
    "tiny": "tiny samples",
    "uneven": "uneven strata",
    "retrieved": "strata of the retrieved",
    "contrast": "contrasts",
}
AUDITED_QUESTIONS = (
    ("recall", "two-sided"),
    ("recall", "one-sided"),
    ("yield", "two-sided"),
    ("yield", "one-sided"),
)


def true_values(r1, r0, n1, n0):
    """Each measure of a review with r1 of n1 retrieved and r0 of n0 unretrieved documents
    relevant."""
    return {
        "recall": r1 / (r1 + r0),
        "precision": r1 / n1,
        "F": 2 * r1 / (n1 + r1 + r0),
        "yield": r1 + r0,
        "elusion": r0 / n0,
    }


def holds(ends, truth):
    """Whether the intervals hold the truth (arrays that broadcast)."""
    slack = ROUNDING * np.maximum(1, truth)
    return (ends.low <= truth + slack) & (ends.high >= truth - slack)


def summary(covered):
    return float(np.min(covered)), float(np.mean(covered)), float(np.quantile(covered, 0.05))


def retrieved_designs():
    """{name: (retrieved, unretrieved)}: strata among the retrieved, which are rich, or of both."""
    rest = [(88_000, 1300, 1360)]
    shares = np.linspace(0.05, 0.95, 10)
    designs = {
        "10 of 1,200, 15 sampled": ([(1200, 15, 864)] * 10, rest),
        "20 of 600, 3 sampled": ([(600, 3, 432)] * 20, rest),
        "60 of 200, 2 sampled": ([(200, 2, 144)] * 60, rest),
        "10 of 1,200, 8 sampled, 5 to 95 %": (
            [(1200, 8, round(1200 * share)) for share in shares],
            rest,
        ),
        "20 of 100, 50 sampled; one of 10,000, 20 sampled": (
            [(100, 50, 20)] * 20 + [(10_000, 20, 8000)],
            rest,
        ),
        "2 of 6,000, 200 and 4 sampled": ([(6000, 200, 4500), (6000, 4, 4500)], rest),
        "5 censuses of 200, one of 5,000, 30 sampled": (
            [(200, 200, 150)] * 5 + [(5000, 30, 4000)],
            rest,
        ),
        "5 of 1, one of 12,000, 150 sampled": ([(1, 1, 1)] * 5 + [(12_000, 150, 8640)], rest),
        "10 of 1,200, 15 sampled, 97 %": ([(1200, 15, 1164)] * 10, rest),
        "20 of 600, 2 sampled; 40 others of 2,200, 7 sampled": (
            [(600, 2, 432)] * 20,
            [(2200, 7, 220)] * 40,
        ),
        "20 of 600, 5 sampled; 20 others of 4,400, 65 sampled": (
            [(600, 5, 432)] * 20,
            [(4400, 65, 68)] * 20,
        ),
    }
    return {f"retrieved: {name}": design for name, design in designs.items()}


def contrast_designs():
    """{name: (retrieved, unretrieved)}: strata that the prior of a segment does not expect.

    Nearly all of one stratum is relevant, and nothing in the others: where its whole sample is
    relevant, a small share of the prior leaves no doubt about the rest.  Or one document of each
    pair is relevant, so that the seen one says the contrary of the other one.
    """
    one, rest = [(10_000, 200, 7000)], [(88_000, 4000, 300)]
    designs = {
        f"30 of 1,000, {n} sampled; 90 % of one, none of others": (
            one,
            [(1000, n, 0)] * 29 + [(1000, n, 900)],
        )
        for n in (4, 8, 16, 32)
    }
    designs["10 retrieved of 1,000, 8 sampled; 90 % of one"] = (
        [(1000, 8, 0)] * 9 + [(1000, 8, 900)],
        rest,
    )
    designs["100 of 2, 1 sampled, one of each relevant"] = ([(300, 60, 200)], [(2, 1, 1)] * 100)
    return {f"contrast: {name}": design for name, design in designs.items()}


def audited_designs():
    """{name: (retrieved, unretrieved)}: strata as (size, sampled, relevant), and some with the
    sensitivity of a coder, the false alarms, and the documents of the audit."""
    reviewer = (0.8, 0.03, 200)
    designs = {
        "coded; 10 strata of 65 sampled": (
            [(12_000, 12_000, 8640, (0.9, 0.1, 200))],
            [(4400, 65, 68)] * 10,
        ),
        "coded; 20 strata of 3 sampled": (
            [(6000, 6000, 4320, (0.9, 0.1, 200))],
            [(1000, 3, 200)] * 20,
        ),
        "a part coded; coded and 9 strata of 65": (
            [(12_000, 3000, 8640, (0.9, 0.1, 200))],
            [(10_000, 3000, 300, reviewer)] + [(4400, 65, 68)] * 9,
        ),
        "sampled; 4 coded of 5,000": (
            [(12_000, 150, 8640)],
            [(5000, 5000, 100, (0.8, 0.03, 120))] * 4,
        ),
        "sampled; coded, 10 of 2 sampled": (
            [(12_000, 150, 8640)],
            [(10_000, 10_000, 300, reviewer)] + [(500, 2, 25)] * 10,
        ),
    }
    return {f"audited: {name}": design for name, design in designs.items()}


def questions_of(wanted):
    """(measure, method, side, options) of a review with strata."""
    half = "betabinom-half"
    found = [
        ("recall", "betabinom-half-per-stratum", "two-sided"),
        *(
            ("recall", m, side)
            for m in ("guaranteed", "anytime")
            for side in ("two-sided", "lower")
        ),
        *((measure, half, side) for measure in ALL_MEASURES for side in ("two-sided", "one-sided")),
        *(("recall", method, "two-sided") for method in (*OTHERS, *FORMULAS)),
    ]
    found = [(*question, {}) for question in found]
    found.append(("recall", "beta-jeffreys", "two-sided", {"finite_population": False}))
    return [question for question in found if question[1] in wanted]


def sides_of(ends_of, side, truth):
    """{side: whether each review's interval holds the truth}; the one-sided bounds are the ends of
    one two-sided interval, which misses twice as often."""
    if side != "one-sided":
        return {side: holds(ends_of(confidence_level=LEVEL, side=side), truth)}
    ends = ends_of(confidence_level=1 - 2 * (1 - LEVEL))
    slack = ROUNDING * max(1, truth)
    return {"lower": ends.low <= truth + slack, "upper": ends.high >= truth - slack}


def strata_shares(design, reviews, rng, wanted):
    """{(measure, method, side): (coverage, reviews)} of one review with strata, drawn again and
    again; slow methods less often."""
    sizes, yields = ([sum(s[i] for s in segment) for segment in design] for i in (0, 2))
    truth = true_values(*yields, *sizes)
    samples = [
        [
            irb.Stratum(size, sampled, drawn(size, sampled, relevant, reviews, rng))
            for size, sampled, relevant in segment
        ]
        for segment in design
    ]
    shares = {}
    for measure, method, side, options in questions_of(wanted):
        n = max(1, reviews // SELDOM.get(method, 1))
        chosen = [
            [stratum._replace(relevant=stratum.relevant[:n]) for stratum in samples[i]]
            for i in SEGMENTS.get(measure, [0, 1])
        ]
        ends_of = partial(FUNCTIONS[measure], *chosen, method=method, **options)
        name = method + (INFINITE if options else "")
        for of_side, held in sides_of(ends_of, side, truth[measure]).items():
            shares[measure, name, of_side] = held.mean(), n
    return shares


def drawn(size, sampled, relevant, reviews, rng):
    """Relevant documents in samples; NumPy's generator takes no more than 10^9 documents."""
    if sampled == size:
        return np.broadcast_to(relevant, reviews)
    return rng.hypergeometric(relevant, size - relevant, sampled, reviews)


def strata_rows(designs, reviews, rng, wanted):
    """Rows of designs with strata: each, and all of a kind."""
    kinds = {}
    for name, design in designs.items():
        kind = KINDS.get(name.partition(":")[0].partition(" ")[0], "made strata")
        for key, (share, n) in strata_shares(design, reviews, rng, wanted).items():
            yield [*key, name, f"simulated, {n:,}", share, share, share, 1]
            kinds.setdefault((*key, kind, n), []).append(share)
    for (*key, kind, n), shares in kinds.items():
        yield [*key, f"all of {kind}", f"simulated, {n:,}", *summary(shares), len(shares)]


def topic_rows(designs, reviews, rng, wanted):
    """Rows of the topics of TREC 2009, whose yields are drawn anew for each review.

    At one yield the coverage is that of a few counts: where three relevant documents are expected
    in the sample of a large stratum, intervals with half a prior document cover .92, at other
    yields more.  Here each stratum has from half to twice the relevant (or, if most are, other)
    documents of the official estimate.
    """
    held = {}
    for name, design in designs.items():
        samples, yields = [], []
        for segment in design:
            drawn_yields = [
                some_yield(size, relevant, reviews, rng) for size, _, relevant in segment
            ]
            yields.append(sum(drawn_yields))
            samples.append(
                [
                    irb.Stratum(size, n, drawn(size, n, relevant, reviews, rng))
                    for (size, n, _), relevant in zip(segment, drawn_yields, strict=True)
                ]
            )
        sizes = [sum(size for size, _, _ in segment) for segment in design]
        truth = true_values(*yields, *sizes)
        for measure in ALL_MEASURES if "betabinom-half" in wanted else ():
            chosen = [samples[i] for i in SEGMENTS.get(measure, [0, 1])]
            found = holds(FUNCTIONS[measure](*chosen, method="betabinom-half"), truth[measure])
            held.setdefault((measure, name.partition(",")[0]), []).append(float(found.mean()))
    for (measure, topic), shares in held.items():
        name, how = f"{topic}, yields drawn", f"simulated, {reviews:,}"
        yield [measure, "betabinom-half", "two-sided", name, how, *summary(shares), len(shares)]


def some_yield(size, relevant, reviews, rng):
    """The relevant documents of a stratum in each review: half to twice as many of the rarer
    kind."""
    is_rare = relevant <= size / 2
    times = np.exp2(rng.uniform(-1, 1, reviews))
    few = np.minimum(size, np.rint((relevant if is_rare else size - relevant) * times)).astype(int)
    return few if is_rare else size - few


def audited_rows(designs, reviews, rng, wanted):
    """Rows of reviews in which a coder's calls of some strata were audited.

    The coder sees a random sample, calls relevant documents relevant with the probability of the
    sensitivity, and others with that of false alarms; half of the audit is of each class.
    """
    for name, design in designs.items():
        yields, sizes = ([sum(s[i] for s in segment) for segment in design] for i in (2, 0))
        truth = true_values(*yields, *sizes)
        held = {}
        for _ in range(reviews if "betabinom-half" in wanted else 0):
            samples = [[one_sample(rng, *stratum) for stratum in segment] for segment in design]
            for measure, side in AUDITED_QUESTIONS:
                chosen = [samples[i] for i in SEGMENTS.get(measure, [0, 1])]
                ends_of = partial(FUNCTIONS[measure], *chosen, method="betabinom-half")
                for of_side, is_held in sides_of(ends_of, side, truth[measure]).items():
                    held.setdefault((measure, of_side), []).append(is_held)
        for (measure, side), each in held.items():
            how, share = f"simulated, {reviews:,}", float(np.mean(each))
            yield [measure, "betabinom-half", side, name, how, share, share, share, 1]


def one_sample(rng, size, sampled, relevant, coder=None):
    """The sample of a stratum, or the audit of one that was coded."""
    found = int(drawn(size, sampled, relevant, 1, rng)[0])
    if coder is None:
        return irb.Stratum(size, sampled, found)
    sensitivity, alarms, audited = coder
    right = int(rng.binomial(found, sensitivity))
    called = right + int(rng.binomial(sampled - found, alarms))
    audits = [
        (n, int(drawn(of_class, n, good, 1, rng)[0]))
        for of_class, good in ((called, right), (sampled - called, found - right))
        for n in [min(of_class, audited // 2)]
    ]
    return irb.Audited(size, sampled, called, *audits)
