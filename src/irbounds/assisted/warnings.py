"""Warnings about samples of labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter

import numpy as np

from irbounds.assisted.estimators import correlation
from irbounds.assisted.judges import mid_ranks
from irbounds.assisted.labels import USUAL_SCALE, Pair, is_on_scale
from irbounds.chance.hypergeometric import hypergeometric_cdf, hypergeometric_sf
from irbounds.foundation.errors import counted
from irbounds.queries.student import upper_tail
from irbounds.warnings import AssistedWarning

UNLIKELY = 1e-3  # the probability of a sample's grades, below which it was not drawn at random
# The same where ranks are compared.  One of 2,970,000 samples by `allocate_labels` (33 real judges,
# 20 to 80 of 250 pairs) was below it, and 18 were below 1e-5.  Twenty labels of the first three
# ranks are below it in 97 % of samples or more, twenty of the first five in 4 %.
UNLIKELY_RANKS = 1e-6
# Pairs of labels that share a query: so many deviations above their mean, and a few more where the
# mean is small.  The largest of 297,000 samples by the judge's grades had 4.4 (33 real judges, 8 to
# 220 of 250 pairs); 2 to 20 whole queries of 25 always had more than 6.
MANY_DEVIATIONS, FEW_SHARED = 6, 6
NO_WIDTH = 1e-12  # of an interval on a mean of values up to 1, by rounding
NOTICEABLE = 0.1  # of the pairs: a random sample may miss a grade that few pairs have


def rate_probability(size: np.ndarray, sampled: np.ndarray) -> float:
    """The probability that a simple random sample is as unevenly spread over the grades, by
    chi-square for a finite population."""
    from scipy.special import chdtrc

    total, n = size.sum(), sampled.sum()
    if size.size < 2 or n in (0, total):
        return 1.0
    expected = n * size / total
    # Without replacement the covariances are (total - n)/(total - 1) times those of a multinomial.
    statistic = ((sampled - expected) ** 2 / expected).sum() * (total - 1) / (total - n)
    return float(chdtrc(size.size - 1, statistic))


def sample_cautions(
    grade: np.ndarray, size: np.ndarray, sampled: np.ndarray, is_exact: bool
) -> tuple[str, ...]:
    """The faults of a sample, as far as can be told.

    `size` and `sampled` have a row for each grade and a column for each side: pairs that count for
    the run, and those that count for the run that it is compared with.  `is_exact` says that sides
    are strata of their own.
    """
    found = [_of_grades(grade, size.sum(axis=1), sampled.sum(axis=1))]
    shares = size.sum(axis=0) / size.sum()
    is_bare = sampled.sum(axis=0) == 0
    for side, name in enumerate(("run", "against")):
        if is_bare[side] and shares[side] > NOTICEABLE and not is_bare[1 - side]:
            found.append(
                f"no pair that counts more for `{name}` is labelled, {shares[side]:.0%} of all: "
                "labels must be drawn from both runs"
            )
    if not (is_exact or is_bare.any()) and _sides_probability(size, sampled) < UNLIKELY:
        found.append(
            "within the judge's grades the labels are unevenly spread over the two runs: they are "
            "not a random sample of a grade's pairs"
        )
    return tuple(one for one in found if one)


def _sides_probability(size: np.ndarray, sampled: np.ndarray) -> float:
    """The least two-sided probability of a grade's labels on one side, hypergeometric, times the
    number of grades."""
    found, drawn = sampled[:, 0], sampled.sum(axis=1)
    population, relevant = size.sum(axis=1), size[:, 0]
    below = hypergeometric_cdf(found, population, relevant, drawn)
    above = hypergeometric_sf(np.maximum(found - 1, 0), population, relevant, drawn)
    tail = np.minimum(below, np.where(found > 0, above, 1.0))
    # Bonferroni, for the least of several probabilities.
    return float(2 * tail.min()) * len(size)


def _of_grades(grade: np.ndarray, size: np.ndarray, sampled: np.ndarray) -> str | None:
    """Where all labels are of one grade, or grades of many pairs have none."""
    n = int(sampled.sum())
    if (sampled > 0).sum() == 1 and size.size > 1 and sampled.max() < size[sampled > 0][0]:
        share = float(size[sampled > 0][0] / size.sum())
        if n >= 2 and share**n < UNLIKELY:
            return (
                f"all {n} labels are of pairs with the judge's grade {grade[sampled > 0][0]:g}: "
                "they are not a random sample of the pairs"
            )
    bare = sampled == 0
    share = float(size[bare].sum() / size.sum())
    if share > NOTICEABLE:
        name = "grade" if bare.sum() == 1 else "grades"
        return (
            f"no pair with the judge's {name} "
            f"{', '.join(f'{g:g}' for g in grade[bare])} is labelled, {share:.0%} of all: their "
            "values come from the prior alone"
        )
    return None


def score_cautions(
    names: tuple[str, ...],
    columns: np.ndarray | None,
    is_labelled: np.ndarray,
    group: np.ndarray,
) -> tuple[str, ...]:
    """Judges by whose grades a sample is uneven within strata of several scores, so that it was
    drawn by other strata than these."""
    if columns is None:
        return ()
    found = [*order_cautions(names, columns)]
    for name, row in zip(names, columns, strict=True):
        excess, p_value = _excess(mid_ranks(row), is_labelled, group)
        if p_value * len(columns) < UNLIKELY:
            way = "higher" if excess > 0 else "lower"
            found.append(
                f"the labels are of pairs that {name!r} grades {way} than others of the same "
                "stratum: the sample was drawn by other strata"
            )
    return tuple(found)


def _excess(place: np.ndarray, is_labelled: np.ndarray, group: np.ndarray) -> tuple[float, float]:
    """By how much the sum of places over the labels is more than expected, and the two-sided
    probability of so much.

    Within a stratum the sum has the mean and variance of samples without replacement (Wilcoxon's
    rank sum); all strata together are nearly normal.
    """
    excess = variance = 0.0
    for each in range(int(group.max()) + 1):
        here = place[group == each]
        sample = place[(group == each) & is_labelled]
        if here.size and np.ptp(here) > 0:
            excess += float(sample.sum()) - sample.size * float(here.mean())
            rate = sample.size / here.size
            variance += sample.size * (1 - rate) * float(here.var(ddof=1))
    return excess, math.erfc(abs(excess) / math.sqrt(2 * variance)) if variance > 0 else 1.0


def order_cautions(names: tuple[str, ...], columns: np.ndarray) -> tuple[str, ...]:
    """Judges that order the pairs opposite to the others, by mid-ranks: scales in opposite
    directions cancel each other in the strata."""
    places = np.array([mid_ranks(row) for row in columns])
    found = []
    others = "judge" if len(names) == 2 else "judges"
    for name, place in zip(names, places, strict=True):
        rest = (places.sum(axis=0) - place).round(9)  # opposite ones add up to a constant
        r = correlation(place, rest)
        if r < 0:
            df = place.size - 2
            # Student's t of a correlation.
            statistic = r * math.sqrt(df / (1 - r * r)) if r > -1 else -math.inf
            if upper_tail(df, -statistic) * len(names) < UNLIKELY:
                found.append(
                    f"{name!r} orders the pairs opposite to the other {others} (correlation "
                    f"{r:.2f}) and cancels them in strata by all: reverse one scale, or leave "
                    "this judge out"
                )
    return tuple(found[:1] if len(names) == 2 else found)


def scale_cautions(people: float, judge: float, rel: float | None) -> tuple[str, ...]:
    """Scales that do not reach what counts as relevant, by their largest grades: labels of people,
    or of the judge, that use another scale.  Without `rel` grades are gains."""
    if rel is None and not is_on_scale(people, judge):
        return (
            f"the judge's grades go up to {judge:g}, and people's labels only to {people:g}: if "
            "people's scale ends before that, say where with `max_grade`; documents without a "
            f"label are thought to have grades up to {judge:g} here",
        )
    if rel is None and people - judge >= 0.5 and judge > 0:  # a real judge hardly says 3 exactly
        return (
            f"people's labels go up to {people:g}, and the judge's grades only to {judge:g}: if "
            "these are two scales, the value by the judge alone is not comparable",
        )
    if rel is None or (people >= rel) == (judge >= rel) or min(people, judge) <= 0:
        return ()
    who, top = ("people's labels", people) if people < rel else ("the judge's grades", judge)
    return (
        f"{who} go only up to {top:g}, and {rel:g} is the least grade that counts as relevant: if "
        "their scale ends there, choose another `rel`, or change their grades",
    )


def plan_cautions(measure: str, judge: float) -> tuple[str, ...]:
    """A judge's scale that may not be people's, where gains are grades."""
    if measure != "DCG" or judge <= USUAL_SCALE:
        return ()
    return (
        f"the judge's grades go up to {judge:g}, and the half width is planned as if people's "
        "labels did: if their scale ends before that, say where with `max_grade`",
    )


def query_cautions(
    ungraded: tuple[str, ...], absent: Mapping[str, tuple[str, ...]], n_queries: int
) -> tuple[str, ...]:
    """Queries of a run that the judge lacks, and the judge's queries that a run lacks."""
    found = []
    if ungraded:
        count = counted(len(ungraded), "query", "queries")
        found.append(
            f"the judge has no grades for {count} of the runs, first {ungraded[0]!r}: the measure "
            f"is the mean over {counted(n_queries, 'other query', 'other queries')}"
        )
    for name, missing in absent.items():
        if missing:
            they = "it counts" if len(missing) == 1 else "they count"
            found.append(
                f"`{name}` lacks {len(missing)} of the judge's "
                f"{counted(n_queries, 'query', 'queries')}, first {missing[0]!r}: {they} as 0"
            )
    return tuple(found)


def skip_cautions(n_skipped: int) -> tuple[str, ...]:
    """Pairs that people were asked about, and marked as not judged."""
    if not n_skipped:
        return ()
    they = "is" if n_skipped == 1 else "are"
    return (
        f"{n_skipped} of people's labels {they} below 0, for not judged: what people skip is "
        "not a random sample",
    )


def warn_of_judge(n_skipped: int) -> tuple[str, ...]:
    """Warn of a judge's grades below 0, before errors about documents that lack one."""
    if not n_skipped:
        return ()
    they = "is" if n_skipped == 1 else "are"
    found = (
        f"{n_skipped} of the judge's grades {they} below 0, for not judged, and left out: if these "
        "are scores, add a constant to all of them",
    )
    warn_of_sample(found, 4)
    return found


def crowd_cautions(
    pairs: list[Pair], rank: np.ndarray | None, group: np.ndarray, is_labelled: np.ndarray
) -> tuple[str, ...]:
    """Labels that crowd in queries, or near an end of the run."""
    # Pairs are in the order of the judge's file, query by query.
    sizes = {name: len(list(group)) for name, group in groupby(pairs, itemgetter(0))}
    query = np.repeat(np.arange(len(sizes)), list(sizes.values()))
    rate = np.bincount(group[is_labelled], minlength=group.max() + 1) / np.bincount(group)
    # The labels of each query, and their mean in random samples of the strata.
    mean = np.bincount(query, rate[group])
    found = np.bincount(query[is_labelled], minlength=mean.size)
    in_queries = _in_a_query(list(sizes), mean, found) or _in_some_queries(mean, found, len(pairs))
    return in_queries + _at_an_end(rank, group, is_labelled)


def log_chance(m: np.ndarray, mean: np.ndarray, n: int) -> np.ndarray:
    """Bounds of the logarithms of the probabilities that m of n labels or more are in a part, of
    which random samples of the strata have the mean μ there: (μ/m)^m ((n - μ)/(n - m))^(n - m),
    Chernoff's for binomial laws, which holds for sums of hypergeometric ones too (Hoeffding 1963);
    0 where m is not above the mean."""
    is_more = m > mean
    m, mean = m[is_more], mean[is_more]
    # Where all labels are in the part, the second factor is 1.
    rest = np.where(m < n, (n - m) * np.log((n - mean) / np.maximum(n - m, 1)), 0.0)
    found = np.zeros(is_more.size)
    found[is_more] = m * np.log(mean / m) + rest
    return found


def _in_a_query(names: list[str], mean: np.ndarray, found: np.ndarray) -> tuple[str, ...]:
    """A query with far more labels than random samples of the strata have there: the first ones of
    a file were labelled."""
    n = int(found.sum())
    # Bonferroni's correction for the number of queries
    unlikely = log_chance(found, mean, n) + math.log(mean.size)
    worst = int(np.argmin(unlikely))
    if unlikely[worst] >= math.log(UNLIKELY):
        return ()
    return (
        f"{found[worst]} of {n} labels are of query {names[worst]!r}, where a random sample has "
        f"about {mean[worst]:.1f}: if whole queries were labelled, use unit='query'",
    )


def _in_some_queries(mean: np.ndarray, found: np.ndarray, n_pairs: int) -> tuple[str, ...]:
    """Labels that share their queries more often than those of random samples: some queries were
    labelled whole, each with no more labels than chance may bring.

    Two labels are of one query for Σ m (m - 1)/2 pairs of labels.  m has the mean μ and about the
    variance μ (1 - p) (1 - f), if a part f of all pairs is labelled and a part p of the labels is
    of the query.  If n labels fell into the queries independently, the sum would have the variance
    C(n, 2) (Σ p² - (Σ p²)²) + n (n - 1) (n - 2) (Σ p³ - (Σ p²)²); without replacement it has about
    (1 - f)² of it.
    """
    n, shared = float(found.sum()), float((found * (found - 1)).sum()) / 2
    p, rest = mean / n, 1 - n / n_pairs
    expected = float((mean**2 - mean + mean * (1 - p) * rest).sum()) / 2
    two, three = float((p**2).sum()), float((p**3).sum())
    variance = n * (n - 1) / 2 * (two - two**2) + n * (n - 1) * (n - 2) * (three - two**2)
    variance = max(variance, 0.0) * rest**2
    if shared <= expected + MANY_DEVIATIONS * math.sqrt(variance) + FEW_SHARED:
        return ()
    return (
        f"all {n:.0f} labels are of {(found > 0).sum()} of {found.size} queries, with "
        f"{n / (found > 0).sum():.1f} labels each, where a random sample spreads them more evenly: "
        "if whole queries were labelled, use unit='query'",
    )


def _at_an_end(
    rank: np.ndarray | None, group: np.ndarray, is_labelled: np.ndarray
) -> tuple[str, ...]:
    """Labels at the top, or the bottom, of the run within the strata: people labelled the first
    documents of each query, and no random sample."""
    if rank is None:
        return ()
    excess, p_value = _excess(mid_ranks(rank), is_labelled, group)
    if p_value >= UNLIKELY_RANKS:
        return ()
    way = "top" if excess < 0 else "bottom"
    return (
        f"within the judge's grades the labels are of pairs near the {way} of the run, which "
        f"happens in less than one random sample in {1 / UNLIKELY_RANKS:,.0f}: the interval does "
        "not hold for the other pairs",
    )


def line_cautions(values: np.ndarray, width: float, n_queries: int) -> tuple[str, ...]:
    """Values of sampled queries by people to which regression on the judge's fits without error."""
    n = values.size
    has_width = width >= NO_WIDTH
    is_equal = np.ptp(values) == 0
    if n == n_queries or (has_width and not is_equal):
        return ()
    how = "are equal" if is_equal else "lie on a line with the judge's"
    what = (
        f"the width of the interval assumes that one of {n + 1} differs"
        if has_width
        else "the interval has no width, which does not show that other queries are like these"
    )
    return (f"people's values of all {n} queries {how}: {what}",)


def warn_of_sample(cautions: tuple[str, ...], level: int = 3) -> None:
    """Warn of each; the level is that of the public function's caller."""
    for message in cautions:
        warnings.warn(message, AssistedWarning, stacklevel=level)
