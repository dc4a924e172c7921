"""Intervals on a run's measure where a model judged everything and people judged a sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from irbounds.assisted.estimators import (
    SAME,
    Ends,
    Strata,
    both_by_strata,
    correlation,
    human_alone,
    is_equally_weighted,
    random_sample_width,
    strata_of,
)
from irbounds.assisted.judge_table import agreement_on_relevance
from irbounds.assisted.judges import Judges, read_judges
from irbounds.assisted.labels import Labels, largest, read_people
from irbounds.assisted.population import (
    Population,
    measure_or_usual,
    parse_linear,
    parse_one,
    population_of,
    unequal_queries,
)
from irbounds.assisted.result import AssistedInterval, JudgeStratum
from irbounds.assisted.warnings import (
    UNLIKELY,
    crowd_cautions,
    line_cautions,
    query_cautions,
    rate_probability,
    sample_cautions,
    scale_cautions,
    score_cautions,
    skip_cautions,
    warn_of_judge,
    warn_of_sample,
)
from irbounds.assisted.weighted_sums import both_model_assisted, by_draws, check_draws
from irbounds.assisted.whole_queries import (
    by_regression,
    correlation_of,
    query_units,
    within_known,
    without_judge,
)
from irbounds.foundation.arguments import check_level, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count
from irbounds.queries.cautions import caution_of_few_groups
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from irbounds.typing import GroupsLike, JudgesLike, MeasureLike, QrelsLike, RNGLike, RunLike

METHODS = (
    "strata",
    "strata-adjusted",
    "model-assisted",
    "model-assisted-adjusted",
    "posterior",
)
QUERY_METHODS = ("regression", "cochran")
UNITS = ("document", "query")


def assisted_interval(
    human: QrelsLike,
    judge: JudgesLike,
    run: RunLike | None = None,
    measure: MeasureLike | None = None,
    *,
    against: RunLike | None = None,
    method: str | None = None,
    combine: str = "patterns",
    unit: str = "document",
    groups: GroupsLike | None = None,
    ties: str = "expected",
    max_grade: float | None = None,
    confidence_level: float = 0.95,
    draws: int = 20_000,
    rng: RNGLike = None,
) -> AssistedInterval:
    """An interval on a run's measure from a judge's grades for all pairs and people's labels for a
    random sample of pairs.

    The judge may be a language model.  It need not be right, or calibrated, or use the same scale:
    its grades only divide the pairs into strata, within which people's labels are samples.  For DCG
    they are possible grades by people as well, unless `max_grade` says where people's scale ends.

    Parameters
    ----------
    human, judge : Qrels, path, dict, data frame or named tuples
        Labels, as `evaluate` takes them; files may have fractions, and a judge's may be scores in
        the form of a run.  The judge grades every document that the measure counts.  People label a
        random sample of these, as `allocate_labels` draws it.  Several judges are a list or a dict
        by name.
    run : Run, path, dict, data frame or named tuples, optional
        Without one the measure is "SetP", the share of relevant pairs among all of the judge.
    measure : str
        "P(rel=2)@10", or DCG or RBP with a cut-off; any measure for ``unit="query"``.  "P@10" by
        default.  The mean is over the judge's queries.
    against : run, optional
        The measure is then the difference ``run`` - ``against``.
    method : str, optional
        "strata-adjusted", the default where all documents count alike: the exact posterior by
        strata, with ends moved outward where priors pull them in or the sample varies more.
        "model-assisted-adjusted", the default elsewhere: the strata predict, residuals correct, and
        an end of the posterior is taken where that is farther out.  "strata", "model-assisted": the
        same without these adjustments.  "posterior": draws; it assumes that relevance does not go
        with the rank within a grade.  For whole queries "regression" (default) and "cochran".
    combine : {"patterns", "best"}
        For several judges: strata by all of their grades; or the one judge, of three or more, that
        agrees best with the others' mean.
    unit : {"document", "query"}
        "query": people judged some queries in full; by regression on the judge's value of each.
    groups : mapping of query to group, path or data frame, optional
        For ``unit="query"``, where whole groups were drawn, such as all queries of a document.
    ties : {"expected", "doc_id", "given"}
        Weights of documents of equal score: the mean over their orders, or those of one order.
    max_grade : float, optional
        For DCG: the highest grade of people's scale, by default the largest of all grades.
    confidence_level : float
    draws, rng : int; None, int or numpy.random.Generator
        For "posterior".

    Returns
    -------
    AssistedInterval

    Raises
    ------
    InputError
        For labels of pairs (or queries) that the judge has not graded, and counted documents
        without its grade.

    Warns
    -----
    AssistedWarning
        Where the labels show signs that they are no random sample, where the scales of people and
        judge do not fit, and where judges order pairs in opposite ways.

    Notes
    -----
    At 0.95 intervals on P@k cover 0.95 in the mean and 0.90 in the worst of 300 designs; see
    `benchmarks/results/assisted.md`.  The number of labels must be chosen before: an interval that
    is looked at after each batch of labels, until it is narrow enough, covers less often.

    Examples
    --------
    >>> import irbounds as irb
    >>> docs = [f"d{i}" for i in range(60)]
    >>> judge = {"q": {d: int(i < 37) for i, d in enumerate(docs)}}
    >>> human = {"q": {d: int(i not in (0, 37, 38)) for i, d in enumerate(docs)
    ...                if i in (0, 1, 2, 3, 4, 5, 6, 37, 38, 39)}}
    >>> irb.assisted_interval(human, judge, measure="SetP")
    SetP 0.6479 in [0.4333, 0.8500], 0.95 two-sided, strata
      10 of 60 pairs labelled by people, all by the judge
      judge alone   0.6167
      people alone  0.6848 in [0.4166, 0.9000]
      correlation   0.52
      kappa         0.5343 in [-0.2112, 0.9460]
      gain          14 % narrower than by people alone
    """
    level, generator = float(check_level(confidence_level)), check_rng(rng)
    check_choice("unit", unit, UNITS)
    draws = check_count("draws", draws, 100)
    (labels, n_skipped), judges = read_people("human", human), read_judges(judge, combine)
    if unit == "query" and max_grade is not None:
        raise InputError("`max_grade` is for unit='document'")
    if groups is not None and (unit == "document" or method == "cochran"):
        raise InputError("`groups` is for unit='query' with method 'regression'")
    of_judge = warn_of_judge(judges.n_skipped)
    measure = measure_or_usual(measure, run)
    if unit == "query":
        return _of_queries(labels, judges, run, measure, against, ties, groups, method, level)
    parsed = parse_linear(measure)
    p = population_of(labels, judges, run, parsed, against, ties, max_grade)
    if not p.is_labelled.any():
        raise InputError(f"`human` has no label of a pair that {parsed} counts")
    if method in QUERY_METHODS:
        raise InputError(f"`method` {method!r} is for unit='query'")
    usual = "strata-adjusted" if is_equally_weighted(p) else "model-assisted-adjusted"
    chosen = check_choice("method", usual if method is None else method, METHODS)
    cautions = of_judge + _cautions_of(
        labels, n_skipped, judges, p, parsed, chosen in METHODS[:2], max_grade is not None
    )
    alpha = (1 - level) / 2
    if chosen == "posterior":
        check_draws(draws, alpha)
        ends, _ = by_draws(p, alpha, draws, generator)
    else:
        both = both_by_strata if chosen in METHODS[:2] else both_model_assisted
        plain, moved = both(p, alpha)
        if method is None and moved == plain:
            chosen = chosen.removesuffix("-adjusted")
        ends = moved if chosen.endswith("-adjusted") else plain
    alone = _without_judge(p, alpha, chosen != "strata")
    if alone is not None:
        alone = _bounded(alone, parsed, against)
    estimate, low, high = _bounded(ends, parsed, against)
    return AssistedInterval(
        estimate=estimate,
        low=low,
        high=high,
        confidence_level=level,
        measure=str(parsed) if against is None else f"{parsed}, difference",
        method=chosen,
        unit=unit,
        population=p.weight.size,
        sampled=int(p.is_labelled.sum()),
        judge_alone=float(p.weight @ p.judged),
        human_alone=alone,
        strata=_described(p),
        correlation=correlation(p.label[p.is_labelled], p.judged[p.is_labelled]),
        alone_width=random_sample_width(p, alpha) if alone is None else alone.high - alone.low,
        cautions=cautions,
        judges=judges.names,
        unused=p.n_unused,
        agreement=agreement_on_relevance(p, alpha) if judges.is_one else {},
    )


def _without_judge(p: Population, alpha: float, is_adjusted: bool) -> Ends | None:
    """The interval by people alone; None where their labels are no simple random sample."""
    size, sampled = _by_side(p, strata_of(p))
    is_likely = rate_probability(size[size > 0], sampled[size > 0]) >= UNLIKELY
    if sampled.sum() < 2 or not is_likely:
        return None
    return human_alone(p, alpha, is_adjusted)


def _cautions_of(
    labels: Labels,
    n_skipped: int,
    judges: Judges,
    p: Population,
    measure: Measure,
    is_exact: bool,
    is_scale_known: bool,
) -> tuple[str, ...]:
    """Warnings about the sample and the scales, for the result as well."""
    strata = strata_of(p)
    cautions = (
        sample_cautions(strata.grade, *_by_side(p, strata), is_exact)
        + score_cautions(judges.names, p.columns, p.is_labelled, strata.group)
        + (() if is_scale_known else scale_cautions(*_scales(labels, judges, measure)))
        + query_cautions(p.ungraded, p.absent, p.n_queries)
        + crowd_cautions(p.pairs, p.rank, strata.group, p.is_labelled)
        + skip_cautions(n_skipped)
    )
    warn_of_sample(cautions, 4)
    return cautions


def _scales(labels: Labels, judges: Judges, measure: Measure) -> tuple[float, float, float | None]:
    """The largest grades of people and of judges, and the least one that counts as relevant."""
    rel = None if measure.name == "DCG" else float(measure.get("rel"))
    return largest(labels), max(map(largest, judges.grades)), rel


def _by_side(p: Population, strata: Strata) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and labels, a row for each grade: those that count for the run, then those that count
    for the other one."""
    cell = 2 * strata.group + (p.weight < 0)
    shape = (strata.size.size, 2)
    size, sampled = (
        np.bincount(each, minlength=2 * shape[0]).reshape(shape)
        for each in (cell, cell[p.is_labelled])
    )
    return size, sampled


UNBOUNDED = ("DCG", "ESL", "NumRet", "NumRel", "NumRelRet")


def _is_unbounded(measure: Measure) -> bool:
    return measure.name in UNBOUNDED or measure.spec.function is not None


def _values_of(measure: Measure, against: RunLike | None) -> tuple[float, float]:
    """The least and the greatest value that the measure may have, or the difference."""
    most = math.inf if _is_unbounded(measure) else 1.0
    return 0.0 if against is None else -most, most


def _bounded(ends: Ends, measure: Measure, against: RunLike | None) -> Ends:
    """Within the values that the measure may have; an end that misses a bound by rounding is it."""
    least, most = _values_of(measure, against)
    estimate, low, high = (min(max(x, least), most) for x in ends)
    low, high = (least if low < least + SAME else low), (most if high > most - SAME else high)
    return Ends(estimate, low, high)


def _described(p: Population) -> tuple[JudgeStratum, ...]:
    strata = strata_of(p)
    found = []
    for group, (grade, size, sampled) in enumerate(
        zip(strata.grade.tolist(), strata.size.tolist(), strata.sampled.tolist(), strict=True)
    ):
        labels = p.label[(strata.group == group) & p.is_labelled]
        mean = float(labels.mean()) if labels.size else math.nan
        found.append(JudgeStratum(grade, size, sampled, mean))
    return tuple(found)


def _of_queries(
    human: Labels,
    judges: Judges,
    run: RunLike | None,
    measure: MeasureLike,
    against: RunLike | None,
    ties: str,
    groups: GroupsLike | None,
    method: str | None,
    level: float,
) -> AssistedInterval:
    if run is None:
        raise InputError("`run` must be given for unit='query'")
    method = "regression" if method is None else method
    check_choice("method", method, QUERY_METHODS)
    parsed = parse_one(measure)
    units = query_units(human, judges, run, parsed, against, ties, groups)
    n = int(units.sampled.sum())
    if n < 3:
        raise InputError(f"`human` must label at least 3 queries for unit='query'; found {n}")
    alpha, most = (1 - level) / 2, 0.0 if _is_unbounded(parsed) else 1.0
    with_judge, alone = (
        _bounded(within_known(units, ends, *_values_of(parsed, against)), parsed, against)
        for ends in (by_regression(units, alpha, most, method), without_judge(units, alpha, most))
    )
    if units.groups is not None:
        caution_of_few_groups(units.groups, alpha, 3)
    cautions = line_cautions(
        units.human[units.sampled], with_judge.high - with_judge.low, units.judge.size
    )
    cautions += query_cautions(*unequal_queries(judges, run, against), units.judge.size)
    warn_of_sample(cautions, 4)
    return AssistedInterval(
        estimate=with_judge.estimate,
        low=with_judge.low,
        high=with_judge.high,
        confidence_level=level,
        measure=str(parsed) if against is None else f"{parsed}, difference",
        method=method,
        unit="query",
        population=units.judge.size,
        sampled=n,
        judge_alone=float(np.mean(units.judge)),
        human_alone=alone,
        strata=(),
        correlation=correlation_of(units),
        alone_width=alone.high - alone.low,
        cautions=cautions,
        judges=judges.names,
    )
