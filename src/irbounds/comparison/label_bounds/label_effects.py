"""About how much the label of an unjudged document moves AP or ERR, to say which to judge first.

Both multiply labels, so the effect of one depends on the others: these are estimates, and serve for
an order alone.  A tie counts by the mean of its places.
"""

from __future__ import annotations

import numpy as np

from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.unjudged.pools import PooledQuery, RankedDocuments

ESTIMATED = ("AP", "ERR")
OTHERS = 0.5  # the chance that another unjudged document is relevant to AP


def label_effects(
    measure: Measure, query: PooledQuery, run: RankedDocuments, max_grade: float
) -> np.ndarray:
    """For each document of the pool: what the measure gains where its grade is max_grade and not 0;
    0 for those that the run lacks."""
    effects = np.zeros(len(query.grade))
    n = len(run) if measure.cutoff is None else int(min(measure.cutoff, len(run)))
    if n == 0 or (measure.name == "AP" and max_grade < measure.get("rel")):
        return effects
    grade = query.grade[run.documents]
    of_measure = _precision_effects if measure.name == "AP" else _stop_effects
    by_place = np.append(of_measure(measure, query, grade[:n], max_grade), np.zeros(len(run) - n))
    first = np.flatnonzero(run.before == np.arange(len(run)))
    means = np.add.reduceat(by_place, first) / run.size[first]
    effects[run.documents] = np.repeat(means, run.size[first])
    return effects


def _precision_effects(
    measure: Measure, query: PooledQuery, grade: np.ndarray, max_grade: float
) -> np.ndarray:
    """A document at place i adds (those above + 1)/i and 1/j for each relevant one at j below."""
    rel = measure.get("rel")
    chance = np.where(grade < 0, OTHERS, grade >= rel)
    inverse = 1 / np.arange(1, len(grade) + 1)
    above = np.cumsum(chance) - chance
    below = np.cumsum((chance * inverse)[::-1])[::-1] - chance * inverse
    # AP's denominator counts this document as well.
    return np.asarray(((above + 1) * inverse + below) / (query.n_judged(rel) + 1))


def _stop_effects(
    measure: Measure, query: PooledQuery, grade: np.ndarray, max_grade: float
) -> np.ndarray:
    """A reader who stops at place i does not stop below; other unjudged documents stop nobody."""
    scale = 2.0 ** -measure.get("max_rel")
    stop = (np.exp2(np.maximum(grade, 0)) - 1) * scale
    still = np.cumprod(np.append(1.0, 1 - stop[:-1]))
    found = still * stop / np.arange(1, len(grade) + 1)
    below = np.cumsum(found[::-1])[::-1] - found
    own = (2.0**max_grade - 1) * scale
    # Readers who come to place i: the share `own` now stops there, and is missing from all
    # stops below.
    return np.asarray(own * (still / np.arange(1, len(grade) + 1) - below))
