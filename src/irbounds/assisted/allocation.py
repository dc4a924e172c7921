"""Which pairs people should label: random within the judge's grades, more where labels tell more
(Neyman)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.assisted.estimators import SAME
from irbounds.assisted.judges import (
    grouped_scores,
    is_score,
    n_strata,
    pair_scores,
    read_judges,
)
from irbounds.assisted.label_plan import LabelPlan, LabelStratum
from irbounds.assisted.label_strata import NORMAL, EarlierPart, LabelGroups
from irbounds.assisted.labels import (
    Pair,
    check_drawn_from,
    largest,
    read_labels,
)
from irbounds.assisted.population import (
    counted_pairs,
    gain_of,
    largest_gain,
    measure_or_usual,
    pair_ranks,
    parse_linear,
)
from irbounds.assisted.warnings import (
    order_cautions,
    plan_cautions,
    warn_of_judge,
    warn_of_sample,
)
from irbounds.foundation.arguments import check_number, check_rng
from irbounds.foundation.errors import InputError, check_count
from irbounds.rankings.data.collection import Run

if TYPE_CHECKING:
    from irbounds.typing import JudgesLike, MeasureLike, QrelsLike, RNGLike, RunLike, RunsLike


def allocate_labels(
    judge: JudgesLike,
    runs: RunLike | RunsLike | None = None,
    measure: MeasureLike | None = None,
    n: int | None = None,
    rng: RNGLike = None,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    labelled: QrelsLike | None = None,
    combine: str = "patterns",
    ties: str = "expected",
    max_grade: float | None = None,
) -> LabelPlan:
    """Draw the pairs that people should label, for intervals by `assisted_interval`.

    Parameters
    ----------
    judge : Qrels, path, dict, data frame or named tuples; or several of them
        Grades of every document that the measure counts.  Several judges are a list or a dict by
        name.
    runs : run, list of runs or dict of runs, optional
        The sample is drawn from the documents that count in any of them, without runs (for SetP)
        from all pairs of the judge.
    measure : str
        P, DCG or RBP with a cut-off, or SetP; "P@10" by default, without runs "SetP".
    n : int, optional
        Pairs to label, 60 if no goal is given either.
    rng : None, int or numpy.random.Generator
        The same seed draws the same pairs.
    half_width : float, optional
        In place of `n`: about half the width of the 95 % interval on each run's measure, and on
        each difference between two.  Without earlier labels it is planned for a judge that tells
        little.
    difference : float, optional
        In place of `n`, with two runs or more: the 95 % interval on the difference of any two runs
        excludes 0 with about the probability `power`, if the difference is so large.
    power : float
        Only for `difference`.
    labelled : Qrels, path, dict, data frame or named tuples, optional
        Labels of earlier batches.  They are not drawn again, count towards each grade's share, and
        set what is assumed of the grades.  Give every run that they were drawn for: pairs that
        could not be drawn then come first now.
    combine : {"patterns", "best"}
        For several judges, as in `assisted_interval`.
    ties : {"expected", "doc_id", "given"}
    max_grade : float, optional
        For DCG: the highest grade of people's scale, as in `assisted_interval`.

    Returns
    -------
    LabelPlan

    Warns
    -----
    AssistedWarning
        Where judges order pairs in opposite ways, and where `n` is too small to even out earlier
        labels that are denser in a part of the pairs.

    Notes
    -----
    Labels go to grades in proportion to size × root mean square of the weights × standard deviation
    of the gains (Neyman allocation), with a least number for each grade.  Without earlier labels
    the spreads are assumed; label a few pairs first, and plan again with `labelled`.  A wrong
    assumption costs width, not coverage: within a grade every pair is as likely to be drawn.

    With several judges, or one with more grades than labels can cover, the sample is systematic, in
    the order of the judges' mean mid-ranks and with a random start.  Every pair is as likely then.

    Examples
    --------
    >>> import irbounds as irb
    >>> judge = {"q": {f"d{i}": i % 3 for i in range(90)}}
    >>> run = {"q": {f"d{i}": -i for i in range(90)}}
    >>> irb.allocate_labels(judge, run, "P@50", n=20, rng=1)
    20 pairs to label, half-width about 0.163
      grade 0: 7 of 17 without a label
      grade 1: 7 of 17 without a label
      grade 2: 6 of 16 without a label
    """
    measure = measure_or_usual(measure, runs)
    parsed = parse_linear(measure, "for other measures label whole queries, drawn at random")
    judges = read_judges(judge, combine)
    warn_of_judge(judges.n_skipped)
    pairs, weights, read_runs = counted_pairs(runs, judges, parsed, ties)
    earlier = {} if labelled is None else read_labels("labelled", labelled)
    check_drawn_from(earlier, judges.common, "labelled")
    columns = judges.columns(pairs)
    top = max(map(largest, judges.grades)) if max_grade is None else 0.0
    warn_of_sample(order_cautions(judges.names, columns) + plan_cautions(parsed.name, top))
    score = pair_scores(columns)
    raw = np.array([earlier.get(query, {}).get(doc, math.nan) for query, doc in pairs])
    contrasts = _contrasts(np.array([[w.get(pair, 0.0) for pair in pairs] for w in weights]))
    gain, is_free = gain_of(parsed), np.isnan(raw)
    n_earlier = int((~is_free).sum())
    # With equal weights the measure is a count of relevant pairs, whose posterior is exact.
    is_count = parsed.name != "DCG" and all(_are_equal(weight.values()) for weight in weights)

    most = largest_gain(parsed, earlier, judges, max_grade)

    def groups_for(n: int) -> LabelGroups:
        is_grouped = is_score(columns, n + n_earlier)
        name = grouped_scores(score, n_strata(n + n_earlier)) if is_grouped else score
        return LabelGroups(name, raw, contrasts, gain, most, is_grouped, is_count)

    if not is_free.any():
        raise InputError(
            f"`labelled` must leave a pair that {parsed} counts without a label; found none"
        )
    goals = {"n": n, "half_width": half_width, "difference": difference}
    n = _number(goals, power, len(weights), groups_for, int(is_free.sum()))
    ranks = _ranks(read_runs if n_earlier else [], weights, pairs)
    is_goal = half_width is not None or difference is not None
    n, groups, part = _with_part(n, groups_for, ranks, is_free, is_goal)
    chosen, counts = _drawn(groups, part, score, is_free, n, check_rng(rng))
    return LabelPlan(
        tuple(pairs[i] for i in chosen.tolist()),
        tuple(groups.grade[groups.group[chosen]].tolist()),
        tuple(LabelStratum(*each) for each in groups.rows(counts)),
        groups.half_width(counts),
    )


def _ranks(runs: list[Run], weights: list[dict[Pair, float]], pairs: list[Pair]) -> np.ndarray:
    """A row for each run: the ranks of the pairs, infinite where they do not count."""
    rows = []
    for run, weight in zip(runs, weights, strict=False):
        rank = pair_ranks(run, weight)
        rows.append([rank.get(pair, math.inf) for pair in pairs])
    return np.array(rows, float).reshape(len(rows), len(pairs))


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


def _with_part(
    n: int,
    groups_for: Callable[[int], LabelGroups],
    ranks: np.ndarray,
    is_free: np.ndarray,
    is_goal: bool,
) -> tuple[int, LabelGroups, EarlierPart]:
    """The number of labels, their groups, and where earlier labels are denser.  A plan for a goal
    has as many labels as even that out; n that were asked for stay so."""
    groups = groups_for(n)
    part = EarlierPart(ranks, ~is_free, groups.stratum)
    needed = int(part.needed().sum())
    if needed <= n:
        return n, groups, part
    if is_goal:
        groups = groups_for(needed)
        return needed, groups, EarlierPart(ranks, ~is_free, groups.stratum)
    warn_of_sample(
        (
            f"earlier labels are denser in {part.is_inside.sum()} of the {is_free.size} pairs: "
            f"it takes {needed} new labels, not {n}, until all pairs of a grade are labelled at "
            "the same rate",
        ),
        4,
    )
    return n, groups, part


def _drawn(
    groups: LabelGroups,
    part: EarlierPart,
    score: np.ndarray,
    is_free: np.ndarray,
    n: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs to label in random order, and how many of each stratum."""
    stratum, needed = groups.stratum, part.needed()
    counts = np.array([n]) if groups.is_even else groups.allocated(n, needed)
    drawn = []
    for i, count in enumerate(counts.tolist()):
        outside = part.outside(count, i)
        for each, number in ((part.is_inside, count - outside), (~part.is_inside, outside)):
            here = is_free & each & (stratum == i)
            drawn.append(
                _spread(score, here, number, rng)
                if groups.is_even
                else rng.permutation(np.flatnonzero(here))[:number]
            )
    chosen = np.concatenate(drawn).astype(int)
    return rng.permutation(chosen), np.bincount(groups.group[chosen], minlength=groups.size.size)


def _spread(score: np.ndarray, is_free: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """A systematic sample in the order of scores, equal ones in random order: spread evenly over
    all scores, and every pair is as likely."""
    free = rng.permutation(np.flatnonzero(is_free))
    free = free[np.argsort(score[free], kind="stable")]
    places = (rng.random() + np.arange(n)) * (free.size / max(n, 1))
    return free[np.minimum(places.astype(int), free.size - 1)]


def _number(
    goals: dict[str, Any],
    power: float,
    n_runs: int,
    groups_for: Callable[[int], LabelGroups],
    most: int,
) -> int:
    """The labels that were asked for, or that reach a goal; at most the pairs without a label."""
    check_number("power", power, "must be from 0.5 to below 1", lambda x: 0.5 <= x < 1)
    given = [name for name, value in goals.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"`{given[0]}` and `{given[1]}` must not both be given")
    n, half_width, difference = goals.values()
    if half_width is not None:
        check_number("half_width", half_width, "must be above 0", lambda x: 0 < x < math.inf)
        return _fewest(groups_for, half_width, most)
    if difference is not None:
        width = _width_for(difference, power, n_runs)
        if not groups_for(0).squares[n_runs:].any():
            raise InputError("`runs` must differ in the documents that count")
        return _fewest(groups_for, width, most, n_runs)
    n = check_count("n", min(60, most) if n is None else n)
    if n > most:
        raise InputError(
            f"`n` must be at most the number of pairs without a label, {most}; found {n}"
        )
    return n


def _width_for(difference: float, power: float, n_runs: int) -> float:
    """The half width of intervals that exclude 0 with a power, if the difference is so large: its
    error is half_width/z, so that power = Φ(difference/error - z)."""
    check_number("difference", difference, "must be above 0", lambda x: 0 < x < math.inf)
    if n_runs < 2:
        raise InputError("`difference` needs two runs or more")
    return difference * NORMAL / (NORMAL + NormalDist().inv_cdf(power))


def _fewest(
    groups_for: Callable[[int], LabelGroups], half_width: float, most: int, first: int = 0
) -> int:
    """Labels for a half-width of the contrasts from the first one on, by bisection."""

    def width(n: int) -> float:
        groups = groups_for(n)
        return groups.half_width(groups.allocated(n), first)

    if groups_for(0).labelled.any() and width(0) <= half_width:
        raise InputError(
            f"the labels in `labelled` are enough: they give a half width of about {width(0):.3f}, "
            f"where {half_width:.3f} is asked for"
        )
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if width(middle) <= half_width:
            high = middle
        else:
            low = middle
    return max(high, 1)
