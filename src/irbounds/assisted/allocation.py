"""Which pairs people should label: random within the judge's grades, more where labels tell more
(Neyman)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.assisted.cautions import order_cautions, warn_of_sample
from irbounds.assisted.estimators import SAME
from irbounds.assisted.judges import (
    grouped_scores,
    is_score,
    n_strata,
    pair_scores,
    read_judges,
)
from irbounds.assisted.labels import Pair, check_drawn_from, read_labels
from irbounds.assisted.population import gain_of, pair_weights, parse_linear
from irbounds.foundation.arguments import check_number, check_rng
from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError, check_count, counted
from irbounds.foundation.writing import as_csv

LEAST = 2  # labels of a grade, so that its variance can be estimated
# A count's posterior has a prior document in each stratum, and needs no variance: one label will
# do.  On 33 real judges, 20 labels and shares of 0.62, intervals become 2 % narrower than with two.
# Its prior says the same of all grades, so labels go in proportion to sizes until there are some.
# By sizes, intervals on shares of 0.88 and 0.62 are as wide and 1 % narrower than with rates that
# rise over the grades, 0.05 to 0.95 say.  If the prior counts as 1.5 labels, 20, 40 and 80 labels
# cover 0.932 to 0.976 with every judge; as 1 label, 0.929 with one judge.
LEAST_OF_COUNT, PRIOR_OF_COUNT = 1, 1.5
NORMAL = 1.959963984540054  # for half-widths of 95 % intervals


@dataclass(frozen=True)
class LabelStratum:
    """A grade of the judge: pairs that count, those labelled before, and those to be labelled.

    With several judges `grade` is the lowest mean mid-rank of the stratum; with scores it is the
    lowest score.
    """

    grade: float
    size: int
    labelled: int
    drawn: int


@dataclass(frozen=True)
class LabelPlan:
    """Pairs that people should label, in random order.

    Attributes
    ----------
    pairs : tuple of (query_id, doc_id)
    grades : tuple of float
        The judge's, or, of several judges or of scores, those that name the strata.  Do not show
        them to the people who label.
    strata : tuple of LabelStratum
    half_width : float
        About half the width of a 95 % interval on the measure (the widest, of several runs) with
        these labels, if relevance follows the judge's grades as was assumed.
    """

    pairs: tuple[Pair, ...]
    grades: tuple[float, ...]
    strata: tuple[LabelStratum, ...]
    half_width: float

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return {
            "pairs": [list(pair) for pair in self.pairs],
            "grades": list(self.grades),
            "strata": [dict(vars(stratum)) for stratum in self.strata],
            "half_width": self.half_width,
        }

    def write(self, path: Any, show_grades: bool = False) -> None:
        """A table to fill in: query_id, doc_id and an empty relevance, separated by commas.  The
        judge's grades are left out, so that they cannot sway people, unless `show_grades`."""
        rows = [
            [query, doc, *([f"{grade:g}"] if show_grades else []), ""]
            for (query, doc), grade in zip(self.pairs, self.grades, strict=True)
        ]
        header = ["query_id", "doc_id", *(["judge_grade"] if show_grades else []), "relevance"]
        write_file(as_csv(header, rows).encode(), path)

    def __repr__(self) -> str:
        drawn = counted(len(self.pairs), "pair", "pairs")
        lines = [f"{drawn} to label, half-width about {self.half_width:.3f}"]
        lines += [
            f"  grade {s.grade:g}: {s.drawn} of {s.size - s.labelled} without a label"
            for s in self.strata
        ]
        return "\n".join(lines)


def allocate_labels(
    judge: Any,
    runs: Any,
    measure: Any = "P@10",
    n: int | None = None,
    rng: Any = None,
    *,
    half_width: float | None = None,
    labelled: Any = None,
    combine: str = "patterns",
    ties: str = "expected",
) -> LabelPlan:
    """Draw the pairs that people should label, for intervals by `assisted_interval`.

    Parameters
    ----------
    judge : Qrels, path, dict, data frame or named tuples; or several of them
        Grades of every document that the measure counts.  Several judges are a list or a dict by
        name.
    runs : run, list of runs or dict of runs
        The sample is drawn from the documents that count in any of them.
    measure : str
        P, DCG or RBP with a cut-off.
    n : int, optional
        Pairs to label, 60 if `half_width` is not given either.
    rng : None, int or numpy.random.Generator
        The same seed draws the same pairs.
    half_width : float, optional
        In place of `n`: the fewest labels for which the 95 % interval on each run's measure is
        about so wide on either side.  With two runs or more it is that of each run and of each
        difference between two.
    labelled : Qrels, path, dict, data frame or named tuples, optional
        Labels of earlier batches.  They are not drawn again, count towards each grade's share, and
        set what is assumed of the grades.  The batches together are again a random sample within
        each grade.
    combine : {"patterns", "best"}
        For several judges, as in `assisted_interval`.
    ties : {"expected", "doc_id", "given"}

    Returns
    -------
    LabelPlan

    Warns
    -----
    AssistedWarning
        Where judges order pairs in opposite ways.

    Notes
    -----
    Labels go to grades in proportion to size × root mean square of the weights × standard deviation
    of the gains (Neyman allocation), at least 2 to each grade.  Where all documents count alike, at
    least 1, and the prior of each grade counts as 1.5 labels.  Without earlier labels all standard
    deviations are then taken as equal; for other measures, and for `half_width`, the mean gain is
    assumed to rise evenly over the judge's grades from 1/(2 k) to 1 - 1/(2 k) of the largest gain,
    for k grades.  A wrong assumption costs width, not coverage: within a grade every pair is as
    likely to be drawn.

    With several judges, or one with more grades than labels can cover, the pairs are put in the
    order of the judges' mean mid-ranks, equal ones in random order, and every so many of them one
    is drawn (a systematic sample with a random start).  Every pair is as likely then, so that all
    strata by these judges are sampled at the same rate, whichever of them the interval uses.

    Examples
    --------
    >>> import irbounds as irb
    >>> judge = {"q": {f"d{i}": i % 3 for i in range(90)}}
    >>> run = {"q": {f"d{i}": -i for i in range(90)}}
    >>> irb.allocate_labels(judge, run, "P@50", n=20, rng=1)
    20 pairs to label, half-width about 0.142
      grade 0: 7 of 17 without a label
      grade 1: 7 of 17 without a label
      grade 2: 6 of 16 without a label
    """
    parsed, judges = parse_linear(measure), read_judges(judge, combine)
    weights = [pair_weights(run, judges, parsed, ties, name) for name, run in _each(runs)]
    pairs = [
        (query, doc)
        for query, graded in judges.common.items()
        for doc in graded
        if any((query, doc) in weight for weight in weights)
    ]
    earlier = {} if labelled is None else read_labels("labelled", labelled)
    check_drawn_from(earlier, judges.common, "labelled")
    columns = judges.columns(pairs)
    warn_of_sample(order_cautions(judges.names, columns))
    score = pair_scores(columns)
    raw = np.array([earlier.get(query, {}).get(doc, math.nan) for query, doc in pairs])
    contrasts = _contrasts(np.array([[w.get(pair, 0.0) for pair in pairs] for w in weights]))
    gain, is_free = gain_of(parsed), np.isnan(raw)
    n_earlier = int((~is_free).sum())
    # With equal weights the measure is a count of relevant pairs, whose posterior is exact.
    is_count = parsed.name != "DCG" and all(_are_equal(weight.values()) for weight in weights)

    def groups_for(n: int) -> _Groups:
        is_grouped = is_score(columns, n + n_earlier)
        name = grouped_scores(score, n_strata(n + n_earlier)) if is_grouped else score
        most = float(gain(columns).max())
        return _Groups(name, raw, contrasts, gain, most, is_grouped, is_count)

    if not is_free.any():
        raise InputError(
            f"`labelled` must leave a pair that {parsed} counts without a label; found none"
        )
    if half_width is not None:
        if n is not None:
            raise InputError("`n` and `half_width` must not both be given")
        check_number("half_width", half_width, "must be above 0", lambda x: 0 < x < math.inf)
        n = _fewest(groups_for, half_width, int(is_free.sum()))
    n = check_count("n", min(60, int(is_free.sum())) if n is None else n)
    if n > is_free.sum():
        raise InputError(
            f"`n` must be at most the number of pairs without a label, {is_free.sum()}; found {n}"
        )
    groups = groups_for(n)
    chosen, counts = _drawn(groups, score, is_free, n, check_rng(rng))
    return LabelPlan(
        tuple(pairs[i] for i in chosen.tolist()),
        tuple(groups.grade[groups.group[chosen]].tolist()),
        tuple(
            LabelStratum(*each)
            for each in zip(
                groups.grade.tolist(),
                groups.size.tolist(),
                groups.labelled.tolist(),
                counts.tolist(),
                strict=True,
            )
        ),
        groups.half_width(counts),
    )


def _each(runs: Any) -> list[tuple[str, Any]]:
    """Runs with names: a list of runs, {name: run}, or one run; in a dict of dicts the second
    level tells documents' scores from queries."""
    if isinstance(runs, list | tuple) and not hasattr(runs, "_fields"):
        if not runs:
            raise InputError("`runs` must have at least one run")
        if not all(hasattr(run, "query_id") for run in runs):
            return [(f"runs[{i}]", run) for i, run in enumerate(runs)]
    if isinstance(runs, dict) and runs:
        inner = next(iter(runs.values()))
        deeper = next(iter(inner.values()), None) if isinstance(inner, dict) else inner
        if not isinstance(inner, dict) or isinstance(deeper, dict):
            return [(str(name), run) for name, run in runs.items()]
    return [("runs", runs)]


def _are_equal(weights: Iterable[float]) -> bool:
    """Whether all documents count alike."""
    found = list(weights)
    return max(found) <= min(found) * (1 + SAME)


def _contrasts(weights: np.ndarray) -> np.ndarray:
    """The runs' weights and, with two runs or more, their differences."""
    rows: list[Sequence[float]] = list(weights)
    rows += [
        weights[i] - weights[j] for i in range(len(weights)) for j in range(i + 1, len(weights))
    ]
    return np.array(rows)


def _rounded(parts: np.ndarray) -> np.ndarray:
    """Whole numbers of the same sum, by the largest remainders."""
    # Parts that are whole but for the rounding of their shares stay whole.
    counts = np.floor(parts + 1e-9).astype(int)
    short = round(float(parts.sum())) - int(counts.sum())
    counts[np.argsort(counts - parts, kind="stable")[:short]] += 1
    return counts


def _drawn(
    groups: _Groups, score: np.ndarray, is_free: np.ndarray, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs to label in random order, and how many of each stratum."""
    if groups.is_even:
        chosen = _spread(score, is_free, n, rng)
        counts = np.bincount(groups.group[chosen], minlength=groups.size.size)
    else:
        counts = groups.allocated(n)
        drawn = [
            rng.permutation(np.flatnonzero(is_free & (groups.group == i)))[:count]
            for i, count in enumerate(counts.tolist())
        ]
        chosen = np.concatenate(drawn).astype(int)
    return rng.permutation(chosen), counts


def _spread(score: np.ndarray, is_free: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """A systematic sample in the order of scores, equal ones in random order: spread evenly over
    all scores, and every pair is as likely."""
    free = rng.permutation(np.flatnonzero(is_free))
    free = free[np.argsort(score[free], kind="stable")]
    places = (rng.random() + np.arange(n)) * (free.size / max(n, 1))
    return free[np.minimum(places.astype(int), free.size - 1)]


def _fewest(groups_for: Callable[[int], _Groups], half_width: float, most: int) -> int:
    """Labels for a half-width, by bisection."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        groups = groups_for(middle)
        if groups.half_width(groups.allocated(middle)) <= half_width:
            high = middle
        else:
            low = middle
    return max(high, 1)


class _Groups:
    """The judge's grades: sizes, labels, spreads of gains, and sums of squared weights."""

    def __init__(
        self,
        grade: np.ndarray,
        raw: np.ndarray,
        contrasts: np.ndarray,
        gain: Any,
        most: float = 1.0,
        is_even: bool = False,
        is_count: bool = False,
    ) -> None:
        self.grade, self.group = np.unique(grade, return_inverse=True)
        n_groups = self.grade.size
        has_label = ~np.isnan(raw)
        self.size = np.bincount(self.group, minlength=n_groups)
        self.labelled = np.bincount(self.group[has_label], minlength=n_groups)
        self.squares = np.array(
            [np.bincount(self.group, row**2, minlength=n_groups) / self.size for row in contrasts]
        )
        self.is_even = is_even
        self.least = LEAST_OF_COUNT if is_count else LEAST
        self.prior = PRIOR_OF_COUNT if is_count else 0.0
        most = float(gain(raw[has_label]).max(initial=max(most, 1.0)))
        # Without labels the shares of relevant pairs are assumed to rise evenly over the grades; a
        # share p has the deviation √(p (1 - p)).
        mean = (np.arange(n_groups) + 0.5) / n_groups
        self.deviation = most * np.sqrt(mean * (1 - mean))
        is_known = bool(has_label.any())
        if is_known:
            # Two assumed documents beside the labels, of no and of the largest gain: a few labels
            # that agree do not show that a grade has no others.  With one, of the assumed mean
            # gain, later batches all but left out such grades, and coverage was 0.4 points lower.
            of_labels = np.zeros(raw.size)
            of_labels[has_label] = gain(raw[has_label])
            sums, squares = (
                np.bincount(self.group[has_label], of_labels[has_label] ** k, minlength=n_groups)
                for k in (1, 2)
            )
            total = self.labelled + 2
            centre, second = (sums + most) / total, (squares + most**2) / total
            self.deviation = np.sqrt(np.maximum(second - centre**2, 0.0))
        is_by_size = is_count and not is_known
        # In Neyman's proportions a grade with a spread of 0 would get nothing.
        self.spread = np.ones(n_groups) if is_by_size else np.maximum(self.deviation, 1e-3)

    def allocated(self, n: int) -> np.ndarray:
        """New labels of each grade, n in all: those with the earlier ones are nearly in Neyman's
        proportion; or in proportion to the pairs without a label."""
        free = self.size - self.labelled
        if self.is_even:
            return _rounded(n * free / max(1, free.sum()))
        # Neyman: labels in proportion to size times the deviation of weight times gain.
        share = self.size * np.sqrt(self.squares.mean(axis=0)) * self.spread
        counts = np.zeros(free.size, int)
        short = np.minimum(np.maximum(self.least - self.labelled, 0), free)
        for i in np.argsort(-share):  # the least of every grade first, if there is enough
            counts[i] = min(int(short[i]), n - int(counts.sum()))
        while counts.sum() < n:  # one by one to where the variance falls most
            have = counts + self.labelled + self.prior
            with np.errstate(divide="ignore"):
                # One label more takes share²/n - share²/(n + 1) = share²/(n (n + 1)) off the
                # variance.
                worth = np.where(counts < free, share**2 / (have * (have + 1.0)), -1.0)
            counts[int(np.argmax(worth))] += 1
        return counts

    def half_width(self, counts: np.ndarray) -> float:
        """The half width of the widest contrast."""
        n = np.maximum(counts + self.labelled, 1)
        # Stratified sampling without replacement: N² (1 - n/N)/n times the variance of gains, for
        # each stratum, times its mean squared weight.
        variance = self.size * (self.size - np.minimum(n, self.size)) / n * self.deviation**2
        return float(NORMAL * np.sqrt((self.squares * variance).sum(axis=1).max()))
