"""Reviews with strata, drawn again and again: what the studies of priors share.

A change of the default is a list of pairs of priors: one for the ends that few relevant documents
of a segment give, and one for those that many give.  They are the same unless each end has a prior
of its own.  Several pairs are mixed, equally or ("weighed") by the probability of the samples.

A design is (retrieved, unretrieved), strata as (size, sampled, relevant).  The posterior of a
segment's yield is taken by draws.  Every count of relevant documents that a stratum shows in the
simulated samples gets one row of draws, in random order; a review adds up the rows of its strata.
A row of a small count is every eighth of eight times as many sorted draws of the share, so that a
single stratum that decides an interval does so with small error.
"""

from __future__ import annotations

import csv

import numpy as np
from scipy.special import betaln

import irbounds as irb

DRAWS, BATCH, TAIL = 800, 1000, 0.025
FEW, THINNED = 15, 8  # counts whose shares are thinned, and how much
MEASURES = ("recall", "F", "yield", "elusion")
STRIDE = 617  # has no divisor of DRAWS: so a mixture takes draws of all places
LEAST = 1e-9  # of a parameter of a beta law that is drawn
ROUNDED = 1e-6  # of draws, which are single precision


def equal(size, sampled):
    """Equal shares."""
    is_open = sampled < size
    return is_open / max(1, is_open.sum())


def by_sample(size, sampled):
    """In proportion to the sampled documents."""
    open_sample = sampled * (sampled < size)
    return open_sample / max(1, open_sample.sum())


def half_and_half(size, sampled):
    """Half equally, half by sample."""
    return (equal(size, sampled) + by_sample(size, sampled)) / 2


def made_designs():
    """{name: (retrieved, unretrieved)}, strata as (size, sampled, relevant); 8,640 of 12,000
    retrieved are relevant."""
    one = [(12_000, 150, 8640)]
    designs = {
        f"{h} equal strata": (one, [(88_000 // h, round(1300 / h), round(1360 / h))] * h)
        for h in (1, 2, 5, 10, 20, 40, 60)
    }
    return designs | {
        "20 equal, .5 % elusion": (one, [(4400, 65, 22)] * 20),
        "20 equal, all relevant in 2": (one, [(4400, 65, 680)] * 2 + [(4400, 65, 0)] * 18),
        "20 + 20 equal strata": ([(600, 8, 432)] * 20, [(4400, 65, 68)] * 20),
        "5, small ones rich": (
            one,
            [
                (2000, 400, 800),
                (4000, 300, 300),
                (8000, 300, 150),
                (24_000, 200, 80),
                (50_000, 100, 30),
            ],
        ),
        "30 of 3 sampled, 1 large": (
            one,
            [(40 + 10 * i, 3, int((40 + 10 * i) * 0.02 * (i % 5))) for i in range(30)]
            + [(80_000, 900, 900)],
        ),
        "20, half relevant": ([(6000, 150, 4000)], [(500, 25, 250)] * 20),
        "40, .1 % relevant": ([(2000, 100, 1500)], [(10_000, 50, 10)] * 40),
        "1 large, 19 small": ([(2000, 100, 1500)], [(100_000, 400, 100)] + [(100, 20, 30)] * 19),
        "10 censuses, 1 sample": ([(2000, 100, 1500)], [(30, 30, 10)] * 10 + [(50_000, 800, 400)]),
    }


def tiny_designs():
    """{name: (retrieved, unretrieved)}: strata of the unretrieved with few sampled documents each,
    that have the same share relevant; of 1,000 documents each, or their sizes rise by a ratio."""
    designs = {}
    for h, n, share, smallest, largest in (
        (40, 1, 0.2, 1000, 1000),
        (60, 2, 0.2, 1000, 1000),
        (40, 3, 0.05, 1000, 1000),
        (40, 3, 0.3, 1000, 1000),
        (20, 7, 0.3, 1000, 1000),
        (40, 7, 0.1, 1000, 1000),
        (20, 15, 0.1, 1000, 1000),
        (10, 30, 0.1, 1000, 1000),
        (60, 2, 0.2, 500, 2000),
        (40, 1, 0.2, 50, 5000),
        (40, 3, 0.2, 50, 5000),
        (40, 7, 0.2, 50, 5000),
    ):
        sizes = np.round(np.geomspace(smallest, largest, h)).astype(int).tolist()
        name = f"tiny: {h} strata of {n} sampled, {100 * share:g} %"
        if smallest < largest:
            name += f", of {smallest} to {largest:,} documents"
        unretrieved = [(size, n, round(size * share)) for size in sizes]
        designs[name] = [(12_000, 300, 8000)], unretrieved
    return designs


def uneven_designs():
    """{name: (retrieved, unretrieved)}: unretrieved strata whose sampled documents stand for very
    different numbers of documents."""

    def growing(smallest, largest, h, n, share):
        sizes = np.round(np.geomspace(smallest, largest, h)).astype(int).tolist()
        return [(size, n, round(size * share)) for size in sizes]

    small = [(1000, 100, 50)] * 10
    designs = {
        "10 of 1,000, 100 sampled; one of 20,000, 1 sampled": [*small, (20_000, 1, 8000)],
        "10 of 1,000, 100 sampled; one of 20,000, 3 sampled": [*small, (20_000, 3, 4000)],
        "10 of 1,000, 100 sampled; one of 20,000, 20 sampled": [*small, (20_000, 20, 1000)],
        "10 of 1,000, 100 sampled; one of 20,000, 100 sampled": [*small, (20_000, 100, 200)],
        "39 of 1,000, one of 100,000, 50 sampled": [(1000, 50, 10)] * 39 + [(100_000, 50, 500)],
        "4 of 2,000, one of 50,000, 100 sampled": [(2000, 100, 100)] * 4 + [(50_000, 100, 500)],
        "10 of 100 to 50,000, 50 sampled, 1 %": growing(100, 50_000, 10, 50, 0.01),
        "20 of 100 to 10,000, 10 sampled, 5 %": growing(100, 10_000, 20, 10, 0.05),
        "40 of 50 to 5,000, 5 sampled, 8 %": growing(50, 5000, 40, 5, 0.08),
        "40 of 50 to 5,000, 15 sampled, 1 %": growing(50, 5000, 40, 15, 0.01),
        "5 of 10,000, 2 sampled; 5 of 4,000, 200 sampled": (
            [(10_000, 2, 1000)] * 5 + [(4000, 200, 400)] * 5
        ),
        "a rich one of 300, 2 sampled; 50 of 2,000, 20 sampled": (
            [(300, 2, 200)] + [(2000, 20, 2)] * 50
        ),
        "2 of 10,000, 500 and 5 sampled": [(10_000, 500, 100), (10_000, 5, 3000)],
        "one of 100,000, 300 sampled; 39 of 10, 9 sampled": (
            [(100_000, 300, 900)] + [(10, 9, 0)] * 39
        ),
    }
    return {f"uneven: {name}": ([(12_000, 300, 8640)], strata) for name, strata in designs.items()}


def trec_designs(data):
    """The topics and teams of TREC Legal 2009, yields as estimated from the official samples."""
    with (data / "trec_legal_2009_interactive" / "strata.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["N"])]
    designs = {}
    for topic in sorted({row["topic"] for row in rows}):
        of_topic = [row for row in rows if row["topic"] == topic]
        for k, team in enumerate(of_topic[0]["teams"].split()):
            segments = {"R": [], "N": []}
            for row in of_topic:
                size, sampled, relevant = (int(row[column]) for column in ("N", "a", "r2"))
                segments[row["pattern"][k]].append(
                    (size, min(sampled, size), round(size * relevant / sampled) if sampled else 0)
                )
            designs[f"TREC {topic}, {team}"] = (segments["R"], segments["N"])
    return designs


def around(d):
    """A prior for each end, moved by d towards the values beyond it."""
    return (0.5 - d, 0.5 + d), (0.5 + d, 0.5 - d)


def samples(design, reviews, rng):
    """The relevant documents in the samples of both segments (strata × reviews)."""
    return [
        np.array(
            [
                rng.hypergeometric(r, size - r, n, reviews) if n < size else np.full(reviews, r)
                for size, n, r in segment
            ]
        )
        for segment in design
    ]


def sampled_segments(design, reviews, rng):
    """The samples of both segments as irbounds takes them, with an element for each review."""
    return [
        [
            irb.Stratum(size, n, counts)
            for (size, n, _), counts in zip(segment, of_segment, strict=True)
        ]
        for segment, of_segment in zip(design, samples(design, reviews, rng), strict=True)
    ]


def coverage_of(intervals, segments, true):
    """For each measure the share of reviews whose interval holds the true value."""
    for name, function in intervals.items():
        ends = function(*(segments[1:] if name == "elusion" else segments))
        slack = ROUNDED * true[name]
        held = (ends.low <= true[name] + slack) & (ends.high >= true[name] - slack)
        yield float(held.mean())


def tables(segment, found, alpha, beta, rng):
    """For each stratum the draws of its yield, a row for each count that its samples show, and
    the row of each review; `alpha` and `beta` are the strata's priors."""
    made = []
    for (size, n, _), counts, a, b in zip(segment, found, alpha, beta, strict=True):
        seen, row = np.unique(counts, return_inverse=True)
        table = np.empty((seen.size, DRAWS), np.float32)
        for r, draws in zip(seen.tolist(), table, strict=True):
            times = THINNED if min(r, n - r) <= FEW else 1
            shares = rng.beta(max(LEAST, a + r), max(LEAST, b + n - r), times * DRAWS)
            if times > 1:
                shares = np.sort(shares)[times // 2 :: times]
            draws[:] = r + rng.binomial(int(size - n), np.clip(shares, 0, 1))
        made.append((rng.permuted(table, axis=1), row))
    return made


def drawn(made, part):
    """Draws of the segment's yield for the reviews of a slice (reviews × draws)."""
    total = 0
    for table, row in made:
        total = total + table[row[part]]
    return total


class Posterior:
    """Draws of a segment's yield under priors that are shared by a rule."""

    def __init__(self, segment, found, seed):
        self.segment, self.found, self.seed, self.made = segment, found, seed, {}
        self.size, self.sampled, _ = np.array(segment).T

    def tables(self, prior, rule):
        """The tables of a prior (alpha, beta)."""
        key = prior, rule.__name__
        if key not in self.made:
            share = rule(self.size, self.sampled)
            rng = np.random.default_rng([*self.seed, len(self.made)])
            self.made[key] = tables(
                self.segment, self.found, prior[0] * share, prior[1] * share, rng
            )
        return self.made[key]

    def log_evidence(self, prior, rule, part):
        """Log probability of the samples of a slice, but for factors without the prior."""
        total = 0.0
        for counts, n, size, w in zip(
            self.found, self.sampled, self.size, rule(self.size, self.sampled), strict=True
        ):
            if n < size:
                a, b, r = max(LEAST, prior[0] * w), max(LEAST, prior[1] * w), counts[part]
                total = total + betaln(a + r, b + n - r) - betaln(a, b)
        return total

    def draws(self, priors, part, rule, is_weighed):
        """Draws for the reviews of a slice, from a mixture if there are several priors."""
        each = [drawn(self.tables(prior, rule), part) for prior in priors]
        if len(each) == 1:
            return each[0]
        log = np.zeros((len(priors), len(each[0])))
        if is_weighed:
            log += [self.log_evidence(prior, rule, part) for prior in priors]
        weight = np.exp(log - log.max(0))
        edge = np.cumsum(weight / weight.sum(0), 0)[:-1]
        place = (np.arange(DRAWS) * STRIDE % DRAWS + 0.5) / DRAWS
        chosen = sum((place >= row[:, None]).astype(int) for row in edge)
        return np.choose(chosen, each)


def values(first, second, sizes):
    """Each measure at yields of both segments."""
    return {
        "recall": first / np.maximum(first + second, LEAST),
        "F": 2 * first / (sizes[0] + first + second),
        "yield": first + second,
        "elusion": second / sizes[1],
    }


def truth_of(design):
    """The true value of each measure."""
    sizes, yields = ([sum(s[i] for s in segment) for segment in design] for i in (0, 2))
    return values(*yields, sizes)


def forced(found):
    """Which ends samples without relevant documents force: (low, high) of each measure."""
    first, second = (counts.sum(0) == 0 for counts in found)
    none = np.zeros(first.size, bool)
    return {
        "recall": (first, second),
        "F": (first, none),
        "yield": (first & second, none),
        "elusion": (second, none),
    }


def parts_of(reviews):
    """Slices of reviews that fit in memory."""
    return [slice(start, min(start + BATCH, reviews)) for start in range(0, reviews, BATCH)]


def tails_hold(low, high, true, sides):
    """Whether at least 2.5 % of the draws `low`, which give the low end, are at or below the truth,
    and of `high` at or above it."""
    return (((low <= true * (1 + ROUNDED)).mean(1) >= TAIL) | sides[0]) & (
        ((high >= true * (1 - ROUNDED)).mean(1) >= TAIL) | sides[1]
    )


def shortest_holds(low, high, true, sides):
    """Whether the shortest 95 % of the draws hold the truth; low and high are the same."""
    ordered = np.sort(low, axis=1)
    k = round((1 - 2 * TAIL) * ordered.shape[1])
    at = (ordered[:, k:] - ordered[:, :-k]).argmin(1)[:, None]
    ends = [np.take_along_axis(ordered, at + i, 1)[:, 0] for i in (0, k)]
    return ((ends[0] <= true * (1 + ROUNDED)) | sides[0]) & (
        (ends[1] >= true * (1 - ROUNDED)) | sides[1]
    )


def coverages(design, reviews, seed, changes):
    """{change: ([coverage of each measure], mean width of recall)}; a change is (pairs of priors,
    rule of the shares, "", "weighed" or "shortest")."""
    found = samples(design, reviews, np.random.default_rng(seed))
    posteriors = [Posterior(*pair, seed) for pair in zip(design, found, strict=True)]
    sizes = [sum(s[0] for s in segment) for segment in design]
    true, outcome = truth_of(design), {}
    for name, (pairs, rule, kind) in changes.items():
        held, widths = np.zeros(len(MEASURES)), None
        for part in parts_of(reviews):
            few, many = (
                [p.draws([*priors], part, rule, kind == "weighed") for p in posteriors]
                for priors in zip(*pairs, strict=True)
            )
            low = values(few[0], many[1], sizes)
            low |= {name: values(*few, sizes)[name] for name in ("yield", "elusion")}
            high = values(many[0], few[1], sizes)
            high |= {name: values(*many, sizes)[name] for name in ("yield", "elusion")}
            sides = forced([counts[:, part] for counts in found])
            holds = shortest_holds if kind == "shortest" else tails_hold
            held += [holds(low[m], high[m], true[m], sides[m]).sum() for m in MEASURES]
            if widths is None:
                widths = np.quantile(high["recall"], 1 - TAIL, 1) - np.quantile(
                    low["recall"], TAIL, 1
                )
        outcome[name] = held / reviews, float(np.mean(widths))
    return outcome
