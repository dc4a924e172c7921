"""Bounds on differences over the labels of unjudged documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from irbounds.comparison.data.data import ComparisonData
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.label_bounds.label_pairs import check_pairs, mean_bounds
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.unjudged.treatment import Hidden, highest_grade, refuse_relevant_only


def check_labels(
    qrels: Qrels,
    measures: list[Measure],
    ties: str,
    max_grade: Any,
    unjudged_hidden: Any,
    *,
    judged_only: bool,
) -> None:
    """Refuse what has no bounds over labels."""
    if judged_only:
        raise InputError("`judged_only` drops unjudged documents: it does not go with their bounds")
    refuse_relevant_only(qrels, unjudged_hidden)
    check_pairs(measures, ties, highest_grade(qrels, max_grade))


def over_labels(
    comparison: ComparisonData,
    qrels: Qrels,
    runs: dict[str, Run],
    measures: list[Measure],
    *,
    hidden: Hidden,
    max_grade: Any,
    score_rule: ScoreRule,
) -> tuple[Difference, ...]:
    """The same differences, with their bounds."""
    place = {name: number for number, name in enumerate(comparison.runs)}
    names = [str(measure) for measure in measures]
    pairs = {(place[one.run], place[one.against]) for one in comparison.differences}
    found = mean_bounds(
        qrels,
        list(runs.values()),
        measures,
        sorted(pairs),
        ties=comparison.ties,
        query_ids=comparison.query_ids,
        hidden=hidden,
        max_grade=max_grade,
        score_rule=score_rule,
    )
    differences = []
    for one in comparison.differences:
        own = found[place[one.run], place[one.against]][names.index(one.measure)]
        differences.append(replace(one, unjudged_bounds=own.bounds, unjudged_is_exact=own.is_exact))
    return tuple(differences)
