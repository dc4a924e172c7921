"""Several judges of the same pairs: one order of the pairs by all of their grades, and strata of
it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.assisted.labels import Labels, Pair, read_judge
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.paths import is_path, name_of, short_names
from irbounds.rankings.data.collection import Qrels

if TYPE_CHECKING:
    from irbounds.typing import JudgesLike

COMBINE = ("patterns", "best")
# A judge with more grades than this, and than the labels can carry, is taken as a score whose
# neighbouring values are one stratum; scales of labels have no more.
MANY_GRADES = 8
# Strata of a score, √(LABELS n) for n labels.  The prior of every stratum pulls its share towards
# 1/2, all of them by about k |1/2 - p|/n, which as a part of the standard error √(p (1 - p)/n) goes
# as k/√n.  So k may rise as √n only.  With 0.8 it is 4 at 20 labels, the number of grades of a
# usual judge; `docs/how_we_chose.md` has coverage and width.
LABELS = 0.8


@dataclass(frozen=True, eq=False)
class Judges:
    """Grades of one judge or more, by name."""

    names: tuple[str, ...]
    grades: tuple[Labels, ...]
    n_skipped: int = 0  # grades below 0, which are left out

    @property
    def is_one(self) -> bool:
        """Whether there is but one."""
        return len(self.grades) == 1

    @cached_property
    def common(self) -> Labels:
        """The first judge's grades of the pairs that all have graded."""
        first, *others = self.grades
        if not others:
            return first
        return {
            query: {
                doc: grade
                for doc, grade in docs.items()
                if all(doc in other[query] for other in others)
            }
            for query, docs in first.items()
        }

    def lacking(self, query: str, doc: str) -> str:
        """The judge that has no grade of a pair."""
        names = [
            name
            for name, grades in zip(self.names, self.grades, strict=True)
            if doc not in grades.get(query, {})
        ]
        return f" by judge {names[0]!r}" if names and not self.is_one else ""

    def columns(self, pairs: list[Pair]) -> np.ndarray:
        """The grades of some pairs, a row for each judge."""
        return np.array([[grades[q][doc] for q, doc in pairs] for grades in self.grades], float)


def read_judges(source: JudgesLike, combine: str = "patterns") -> Judges:
    """One judge, a list of judges, or {name: judge}."""
    check_choice("combine", combine, COMBINE)
    found = each_judge(source)
    if not found:
        raise InputError("`judge` must have at least one judge")
    read = [read_judge(each) for _, each in found]
    judges = Judges(
        tuple(name for name, _ in found),
        tuple(grades for grades, _ in read),
        sum(n_skipped for _, n_skipped in read),
    )
    _check_alike(judges)
    if combine == "best" and not judges.is_one:
        judges = _best(judges)
    return judges


def each_judge(source: Any) -> list[tuple[str, Any]]:
    """Judges with names: of files the short ones."""
    if isinstance(source, dict) and source:
        inner = next(iter(source.values()))
        deeper = next(iter(inner.values()), None) if isinstance(inner, dict) else inner
        if not isinstance(inner, dict) or isinstance(deeper, dict):
            return [(str(name), judge) for name, judge in source.items()]
    is_list = isinstance(source, list | tuple) and not hasattr(source, "_fields")
    if is_list and all(is_path(one) or isinstance(one, dict | Qrels) for one in source):
        paths = [name_of(one) for one in source if is_path(one)]
        if len(paths) == len(source):
            return list(zip(short_names(paths), source, strict=True))
        return [(f"judge {i}", one) for i, one in enumerate(source, 1)]
    if is_list and not any(hasattr(one, "query_id") for one in source):
        return [(f"judge {i}", one) for i, one in enumerate(source, 1)]
    return [("judge", source)]


def _check_alike(judges: Judges) -> None:
    """All judges have graded the same queries."""
    if len(set(judges.names)) < len(judges.names):
        raise InputError(f"`judge` must have different names; found {list(judges.names)}")
    first, *others = judges.grades
    for name, other in zip(judges.names[1:], others, strict=True):
        for query in first.keys() ^ other.keys():
            lacks, has = (name, judges.names[0]) if query in first else (judges.names[0], name)
            raise InputError(
                f"`judge` must have the same queries in all judges; found no query {query!r} in "
                f"{lacks!r}, which {has!r} has"
            )


def same_pairs(judges: Judges) -> None:
    """All judges have graded the same pairs: the share of all pairs is to be estimated."""
    for name, grades in zip(judges.names, judges.grades, strict=True):
        for query, docs in grades.items():
            for doc in docs.keys() - judges.common[query].keys():
                raise InputError(
                    f"`judge` must have the same pairs in all judges without a `run`; found no "
                    f"grade of document {doc!r} of query {query!r}{judges.lacking(query, doc)}, "
                    f"which {name!r} has graded"
                )


def _best(judges: Judges) -> Judges:
    """The judge that agrees best with the others' mean, by correlation.  People's labels are not
    looked at: among many judges one agrees with them by chance."""
    if len(judges.names) < 3:
        raise InputError(
            "`combine` 'best' requires three judges or more, because it finds the one that agrees "
            "best with the others; found two: if earlier labels show which is better, give that "
            "one alone"
        )
    pairs = [(query, doc) for query, docs in judges.common.items() for doc in docs]
    places = np.array([mid_ranks(row) for row in judges.columns(pairs)])
    rest = (places.sum(axis=0) - places) / (len(places) - 1)
    agreement = [_correlation(one, other) for one, other in zip(places, rest, strict=True)]
    best = int(np.argmax(agreement))
    return Judges((judges.names[best],), (judges.grades[best],), judges.n_skipped)


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(x) > 0 and np.ptp(y) > 0 else -1.0


def mid_ranks(grades: np.ndarray) -> np.ndarray:
    """The share of pairs with a lower grade, and half of those with the same one: judges with
    different scales then count alike."""
    _, group, size = np.unique(grades, return_inverse=True, return_counts=True)
    return ((np.cumsum(size) - size / 2) / grades.size)[group]


def pair_scores(columns: np.ndarray) -> np.ndarray:
    """The order of pairs by all judges: the grade of one, the mean of the mid-ranks of several.
    Equal scores are exactly equal."""
    if len(columns) == 1:
        return columns[0]
    return np.mean([mid_ranks(row) for row in columns], axis=0).round(9)


def is_score(columns: np.ndarray, n_labels: int) -> bool:
    """Whether strata are groups of neighbouring scores, and not the grades themselves."""
    n_grades = np.unique(columns[0]).size
    return len(columns) > 1 or n_grades > max(MANY_GRADES, n_strata(n_labels))


def n_strata(n_labels: float) -> int:
    """The number of strata of a score that this number of labels can carry."""
    return max(1, round((LABELS * n_labels) ** 0.5))


def grouped_scores(score: np.ndarray, n_groups: int) -> np.ndarray:
    """The lowest score of each pair's stratum.

    The largest stratum that has more than one score is cut in the middle, again and again: more
    strata are parts of fewer ones.  Labels are not looked at, so that they are as random within the
    strata as within the scores.
    """
    level, group, size = np.unique(score, return_inverse=True, return_counts=True)
    before = np.concatenate([[0], np.cumsum(size)])
    cuts = [0, level.size]
    while len(cuts) <= n_groups:
        spans = [(before[b] - before[a], a, b) for a, b in pairwise(cuts)]
        spans = [span for span in spans if span[2] - span[1] > 1]
        if not spans:
            break
        _, a, b = max(spans, key=lambda span: (span[0], -span[1]))
        middle = (before[a] + before[b]) / 2
        cuts.append(a + 1 + int(np.argmin(abs(before[a + 1 : b] - middle))))
        cuts.sort()
    first = np.repeat(level[cuts[:-1]], np.diff(cuts))
    return first[group]


def score_strata(score: np.ndarray, is_labelled: np.ndarray, n_sides: int = 1) -> np.ndarray:
    """The stratum of each pair, named by its lowest score: as many as the labels can carry, each
    with two of them at least; those with fewer join a neighbour.

    How many labels a stratum has does not depend on what they say, so coverage is not touched.
    """
    n = int(is_labelled.sum())
    name = grouped_scores(score, n_strata(n / n_sides))
    lowest, group = np.unique(name, return_inverse=True)
    joined = join_neighbours(np.bincount(group[is_labelled], minlength=lowest.size), 2)
    first = np.searchsorted(joined, np.arange(joined[-1] + 1))
    return lowest[first][joined[group]]


def join_neighbours(sampled: np.ndarray, least: int) -> np.ndarray:
    """The new number of each of some groups in order: those with fewer than `least` labels join the
    next lower one, the lowest ones the next higher one."""
    joined, so_far = np.zeros(sampled.size, int), 0
    for i in range(1, sampled.size):
        if so_far + sampled[i - 1] >= least:
            joined[i], so_far = joined[i - 1] + 1, 0
        else:
            joined[i], so_far = joined[i - 1], so_far + sampled[i - 1]
    if joined.size and joined[-1] and sampled[joined == joined[-1]].sum() < least:
        joined[joined == joined[-1]] = joined[-1] - 1
    return joined
