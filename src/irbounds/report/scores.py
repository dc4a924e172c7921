"""The page that compares systems by scores that were computed elsewhere, and the words on tests
that it shares with the page of runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from irbounds.comparison.runs.comparison import Comparison
from irbounds.comparison.runs.presentation import conclusion
from irbounds.comparison.significance.corrections import CORRECTIONS, alpha_of
from irbounds.comparison.significance.table import TESTS
from irbounds.foundation.errors import InputError, counted, fail
from irbounds.foundation.paths import file_hash, shown_name
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.report.inputs import Input
from irbounds.report.page import Page
from irbounds.report.run_pictures import pictures
from irbounds.report.systems import Systems


def page_of_scores(
    evaluations: Any,
    baseline: str | None,
    tests: dict[str, Any],
    page: Page,
) -> str:
    """The page of scores that were computed elsewhere: without ties, labels and graphs."""
    if not isinstance(evaluations, dict) or not all(
        isinstance(one, Evaluation) for one in evaluations.values()
    ):
        fail("runs", "must be a dict of Evaluation where `qrels` is None", evaluations)
    # The page is of ranges over ties; where there are none, they are the values.
    whole = {
        str(name): replace(one, low=one.values, high=one.values, unjudged_low=None)
        for name, one in evaluations.items()
    }
    if len({one.query_ids for one in whole.values()}) > 1:
        raise InputError("`runs` must have the same queries, in one order")
    systems = Systems(whole, baseline)
    if tests["groups"] is None:
        tests = tests | {"groups": getattr(evaluations, "groups", None)}
    comparison = systems.compare(**tests)
    paths = getattr(evaluations, "paths", ())
    n_queries = len(systems.query_ids)
    rows = [Input(shown_name(path), path, file_hash(path), True).row(n_queries) for path in paths]
    return compared_page(
        page,
        systems,
        comparison,
        {},
        ties="",
        labels=[],
        hidden_words="",
        label_pictures=[],
        tie_words="Means of scores that were computed elsewhere.",
        missing_words="Units without a score of every system are left out."
        if any(one.missing_queries for one in whole.values())
        else "Every system has a score for every unit.",
        has_tie_ranges=False,
        unjudged_words="",
        collection_size=None,
        inputs=rows,
        command=None,
    )


def compared_page(
    page: Page,
    systems: Systems,
    comparison: Comparison | None,
    graphs: dict[str, Any],
    *,
    has_tie_ranges: bool,
    tie_words: str,
    **others: object,
) -> str:
    """The page of runs or of scores; others: contents in which these differ."""
    has_ties = any((one.low < one.high).any() for one in systems.evaluations.values())  # type: ignore[operator]
    no_ties = " No order of ties changes a value." * (has_tie_ranges and not has_ties)
    return page.render(
        "runs.html.j2",
        **systems.contents(comparison),
        **pictures(systems, graphs, has_tie_ranges and has_ties),
        has_tie_ranges=has_tie_ranges and has_ties,
        tie_words=f"{tie_words}{no_ties}",
        conclusion=conclusion(comparison).replace("'", "’") if comparison else "",
        test_words=said_of_tests(comparison),
        notes=systems.notes(),
        **others,
    )


def said_of_tests(comparison: Comparison | None) -> str:
    """The explanation of the tests' columns."""
    if comparison is None:
        return ""
    resampled = (
        ""
        if comparison.seed is None
        else f", {comparison.resamples} resamples, seed {comparison.seed}"
    )
    level = comparison.confidence_level
    family = "all differences" if comparison.family == "all" else "the differences by each measure"
    correction, holds = "not corrected for the number of differences", "individual"
    if comparison.correction is not None:
        row = CORRECTIONS[comparison.correction]
        remark = f" ({row.remark})" if row.remark else ""
        correction = f"corrected for {family} by {row.title}{remark}"
        holds = "simultaneous" if row.holds_together else holds
    estimand = comparison.differences[0].estimand
    others = "" if estimand == "mean" else " other than 0"
    reasons = dict.fromkeys(one.reason for one in comparison.differences if one.reason is not None)
    missing = "".join(f" No interval: {reason}." for reason in reasons)
    if any(one.has_raised_p for one in comparison.differences):
        missing += (
            " “Signs”: p is raised to that of the sign test, as the signs of the differences allow "
            "no less."
        )
    if comparison.n_groups is not None:
        groups = counted(comparison.n_groups, "group", "groups")
        missing += f" Queries are in {groups}, the sampling units."
    said = (
        f"{TESTS[comparison.test].full_title}{resampled}; p {correction}, bold where below "
        f"{alpha_of(level):.10g}. Interval: "
        f"{100 * level:.10g}\N{NO-BREAK SPACE}%, of the {estimand} of the "
        f"differences{others}; intervals are {holds}.{missing} Effect: "
        "the mean difference over the standard deviation of the differences."
    )
    return said.replace("'", "’")
