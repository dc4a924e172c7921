"""Agreement of a judge with people over all pairs of the judge, and of two reviewers on a random
sample that both have coded: κ and its relatives."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.assisted.estimators import Ends
from irbounds.assisted.judge_table import KINDS, SHARES, JudgeTable, distances
from irbounds.assisted.judges import is_score, pair_scores, read_judges, score_strata
from irbounds.assisted.labels import Pair, check_drawn_from, read_people
from irbounds.assisted.population import counted_pairs, measure_or_usual, parse_linear
from irbounds.foundation.arguments import as_floats, check_level, check_number
from irbounds.foundation.errors import InputError, check_choice, check_count, counted, fail
from irbounds.foundation.interval import Interval
from irbounds.samples.one_proportion.proportions import binomial_interval
from irbounds.warnings import AssistedWarning

if TYPE_CHECKING:
    from irbounds.typing import (
        ArrayLike,
        JudgesLike,
        MeasureLike,
        QrelsLike,
        RunLike,
        RunsLike,
    )

WEIGHTS = ("linear", "quadratic")
UNLIMITED = 1e12  # documents: the finite population then matters less than rounding
SQUARE = "must be a square table of counts, a row for each class of people and 2 documents or more"
WHOLE = (
    "people labelled all {} of the judge: the interval takes these as a simple random sample of an "
    "unlimited population; give its `size`, which is their number if there are no others"
)


def agreement(
    human: QrelsLike | ArrayLike,
    judge: JudgesLike | None = None,
    kind: str = "kappa",
    *,
    weights: str | None = None,
    rel: float | None = None,
    judge_rel: float | None = None,
    runs: RunLike | RunsLike | None = None,
    measure: MeasureLike | None = None,
    drawn_by: JudgesLike | None = None,
    size: int | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """How well a judge agrees with people, or one reviewer with another, from a sample.

    A judge, such as a model, has graded all pairs, and people a sample of them: a simple one, or
    one stratified by the judge's grades as `allocate_labels` draws it.  Plain κ of a stratified
    sample is biased: rare grades have too many labels.

    Two reviewers have coded the same documents: these are a simple random sample of `size`
    documents.

    Parameters
    ----------
    human, judge : Qrels, path, dict, data frame or named tuples
        As in `assisted_interval`; one judge.  `human` may also be a square table of counts without
        a `judge`: the classes of people in rows, those of the judge or of the other reviewer in
        columns, not relevant first.
    kind : {"kappa", "alpha", "accuracy", "sensitivity", "specificity"}
        Cohen's κ, Krippendorff's α, the share of pairs on which both agree, and the shares of the
        relevant and of the other pairs (by people) that the judge calls so.
    weights : {"linear", "quadratic"}, optional
        For κ and α: disagreements count by the distance of the two grades, by default all alike.
        "quadratic" makes α that for interval data.
    rel, judge_rel : float, optional
        The least grade by people, and by the judge, that counts as relevant; grades are then two
        classes.  `judge_rel` is `rel`, if not given.  Without both, κ, α and accuracy compare the
        grades; "sensitivity" and "specificity" take 1.
    runs, measure : optional
        As in `allocate_labels`, if the labels were drawn from the pairs that count in runs: it is
        agreement on these.
    drawn_by : judge or judges, optional
        Whose grades divided the pairs when labels were drawn, if another one's.
    size : int, optional
        Documents in the population, where people have labelled all pairs of the judge, or where
        counts are given; by default it is unlimited.  If there are no other pairs, `size` is their
        number, and the interval has no width.
    confidence_level : float

    Returns
    -------
    Interval
        The estimate is by strata, without a prior; that of a sample of both is the usual κ or α,
        nan where all have one class.

    Raises
    ------
    InputError
        For labels of pairs that the judge has not graded, fewer than two labels, and a `size` where
        the judge has graded other pairs.

    Warns
    -----
    AssistedWarning
        Where people have labelled all pairs of the judge, and `size` is not given: the interval is
        for an unlimited population.

    Notes
    -----
    Each measure is 1 - D/E, where D and E are sums over all pairs.  An end is the farther one of
    two: of the posterior by strata (as method "posterior" of `assisted_interval`), and of Student's
    t for a ratio of stratified sums (Cochran 1977, 6.11).  See Cohen (1960, 1968) and Krippendorff
    (2011, "Computing Krippendorff's alpha-reliability").

    Examples
    --------
    >>> import irbounds as irb
    >>> judge = {"q": {f"d{i}": int(i < 20) for i in range(200)}}
    >>> human = {"q": {f"d{i}": int(i < 16) for i in (*range(0, 20, 2), *range(20, 200, 6))}}
    >>> print(irb.assisted.agreement(human, judge))
    Interval(0.878049 in [0.566432, 0.988889], 0.95 two-sided, strata)

    Two reviewers coded 500 documents and agree on 390 that are not relevant and on 88 that are:

    >>> print(irb.assisted.agreement([[390, 10], [12, 88]], size=90_000))
    Interval(0.861461 in [0.79711, 0.91789], 0.95 two-sided, sample)
    """
    check_choice("kind", kind, KINDS)
    if weights is not None:
        check_choice("weights", weights, WEIGHTS)
        if kind in SHARES:
            raise InputError("`weights` is for kind 'kappa' and 'alpha'")
    level = float(check_level(confidence_level))
    alpha = (1 - level) / 2
    if judge is None:
        others = {"rel": rel, "judge_rel": judge_rel, "runs": runs, "measure": measure}
        for name, given in (others | {"drawn_by": drawn_by}).items():
            if given is not None:
                raise InputError(f"`{name}` requires `judge`: counts have classes already")
        table = _table_of(human)
        if kind in SHARES[1:] and len(table) > 2:
            raise InputError(f"kind {kind!r} requires two classes; found {len(table)}")
        ends = _of_counts(table, np.arange(float(len(table))), (kind, weights), size, alpha)
        return Interval(*ends, level, "two-sided", "sample")
    pairs, by_people, by_judge = _grades(human, judge, runs, measure)
    is_labelled = ~np.isnan(by_people)
    is_sample = runs is measure is drawn_by is None and bool(is_labelled.all())
    if size is not None and not is_sample:
        raise InputError(
            "`size` is for labels of all pairs of the judge; here these pairs are the population"
        )
    stratum = by_judge
    if drawn_by is not None:
        stratum = _strata_by(drawn_by, pairs, is_labelled)
    elif is_score(by_judge[None], int(is_labelled.sum())):
        stratum = score_strata(by_judge, is_labelled)
    if rel is None and (judge_rel is not None or kind in SHARES[1:]):
        rel = 1.0
    if rel is not None:
        check_number("rel", rel, "must be finite", math.isfinite)
        bar = rel if judge_rel is None else judge_rel
        check_number("judge_rel", bar, "must be finite", math.isfinite)
        by_people = np.where(is_labelled, by_people >= rel, math.nan)
        by_judge = (by_judge >= bar).astype(float)
    elif weights is None and (by_judge % 1).any():
        _check_grades_are_shared(by_people[is_labelled], by_judge)
    strata = JudgeTable.of(by_people, by_judge, stratum, rel is not None)
    if not is_sample or size == len(pairs):
        (ends,) = strata.intervals([kind], weights, alpha)
        return Interval(*ends, level, "two-sided", "strata")
    if size is None:
        warnings.warn(WHOLE.format(counted(len(pairs), "pair", "pairs")), AssistedWarning, 2)
    table = np.zeros([strata.classes.size] * 2)
    np.add.at(table, tuple(np.searchsorted(strata.classes, [by_people, by_judge])), 1)
    ends = _of_counts(table, strata.classes, (kind, weights), size, alpha)
    return Interval(*ends, level, "two-sided", "sample")


def _check_grades_are_shared(by_people: np.ndarray, by_judge: np.ndarray) -> None:
    if by_people.size and not np.isin(by_people, by_judge).any():
        raise InputError(
            "`judge` has scores, and no grade that `human` has: give the bars of relevance "
            "with rel= and judge_rel="
        )


def _grades(
    human: Any,
    judge: JudgesLike,
    runs: RunLike | RunsLike | None,
    measure: MeasureLike | None,
) -> tuple[list[Pair], np.ndarray, np.ndarray]:
    """The pairs that count, people's grades, nan where there are none, and the judge's."""
    (labels, _), judges = read_people("human", human), read_judges(judge)
    if not judges.is_one:
        raise InputError(f"`judge` must be one judge; found {len(judges.names)}: call it for each")
    check_drawn_from(labels, judges.common)
    if runs is None and measure is None:
        pairs = [(query, doc) for query, docs in judges.common.items() for doc in docs]
    else:
        parsed = parse_linear(measure_or_usual(measure, runs))
        pairs, _, _ = counted_pairs(runs, judges, parsed, "expected")
    by_people = np.array([labels.get(q, {}).get(doc, math.nan) for q, doc in pairs])
    (by_judge,) = judges.columns(pairs)
    return pairs, by_people, by_judge


def _strata_by(drawn_by: JudgesLike, pairs: list[Pair], is_labelled: np.ndarray) -> np.ndarray:
    """Strata of pairs by other judges than the one in question."""
    judges = read_judges(drawn_by)
    for query, doc in pairs:
        if doc not in judges.common.get(query, {}):
            raise InputError(
                f"`drawn_by` must grade all pairs; found no grade of document {doc!r} of query "
                f"{query!r}"
            )
    columns = judges.columns(pairs)
    score = pair_scores(columns)
    return score_strata(score, is_labelled) if is_score(columns, int(is_labelled.sum())) else score


def _table_of(counts: object) -> np.ndarray:
    """A square table of counts: people's classes in rows, the judge's in columns."""
    table = as_floats("human", counts, SQUARE)
    is_square = table.ndim == 2 and table.shape[0] == table.shape[1] >= 2
    if not (is_square and (table >= 0).all() and (table % 1 == 0).all() and table.sum() >= 2):
        fail("human", SQUARE, counts)
    return table


def _of_counts(
    table: np.ndarray,
    classes: np.ndarray,
    asked: tuple[str, str | None],
    size: int | None,
    alpha: float,
) -> Ends:
    """The estimate and the ends of a kind, with weights or none, of a table of both raters' classes
    in a random sample.

    For κ and α the sample is one stratum whose classes are the cells of the table, as both raters'
    shares come from it.  κ has E = p'Wq and α m'Wm, with people's shares p, the judge's q and their
    mean m.  These are taken as linear near the estimate, as E of α is in `JudgeTable`: what is left
    out is of second order.  The other kinds are proportions.
    """
    kind, weights = asked
    n = table.sum()
    population = UNLIMITED if size is None else float(check_count("size", size, int(n)))
    if kind in SHARES:
        return _share(table, kind, None if size is None else int(population), alpha)
    w = distances(classes, weights)
    people, judge = table.sum(axis=1) / n, table.sum(axis=0) / n
    if kind == "kappa":
        e = np.add.outer(w @ judge, people @ w) - people @ w @ judge
    else:
        mean = (people + judge) / 2
        e = 2 * n / (2 * n - 1) * (np.add.outer(w @ mean, w @ mean) - mean @ w @ mean)
    cells = JudgeTable(
        np.arange(float(table.size)), np.zeros(1, int), np.array([population]), table.reshape(1, -1)
    )
    (ends,) = cells.ends([kind], w.reshape(1, 1, -1), e.reshape(1, 1, -1), alpha)
    if np.count_nonzero(people + judge) > 1:
        return ends
    # one class alone: the measure is 0/0
    return Ends(math.nan, -1.0, 1.0) if n == population else Ends(math.nan, ends.low, ends.high)


def _share(table: np.ndarray, kind: str, size: int | None, alpha: float) -> Ends:
    """A proportion of the documents; of those of one class of people, the population is unknown and
    taken as unlimited, which is on the safe side."""
    if kind == "accuracy":
        right, n = int(np.trace(table)), int(table.sum())
    else:
        own = int(kind == "sensitivity")
        right, n = int(table[own, own]), int(table[own].sum())
        size = n if size == table.sum() else None
    found = binomial_interval(right, n, size=size, confidence_level=1 - 2 * alpha)
    return Ends(found.estimate, found.low, found.high)
