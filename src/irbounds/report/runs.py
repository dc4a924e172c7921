"""The page that compares runs: measures with their tie ranges, differences from a baseline, and the
queries behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Number
from typing import TYPE_CHECKING, Any

from irbounds.comparison.data.alignment import evaluated
from irbounds.comparison.label_bounds.pairs import LabelBounds
from irbounds.comparison.runs.comparison import Comparison
from irbounds.comparison.significance.table import TESTS
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import check_choice
from irbounds.foundation.paths import can_reread, file_hash, is_path, name_of, shown_name
from irbounds.rankings.data.collection import DUPLICATES, Qrels, Run
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.data.shared_documents import warn_of_shared
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.evaluating.graphs import recall_precision_graph
from irbounds.rankings.evaluating.label_rules import LabelMeans
from irbounds.rankings.reading.groups import read_groups
from irbounds.rankings.unjudged.treatment import TREATMENTS
from irbounds.report.inputs import Input
from irbounds.report.page import Page, by_name, command_line
from irbounds.report.run_pictures import label_pictures
from irbounds.report.scores import compared_page, page_of_scores
from irbounds.report.systems import Systems

if TYPE_CHECKING:
    from irbounds.typing import (
        DateLike,
        EvaluationsLike,
        GroupsLike,
        HiddenLike,
        MeasuresLike,
        PathLike,
        QrelsLike,
        RunsLike,
        UnjudgedLike,
    )

TITLE = "Comparison of runs"
MEASURES = "AP nDCG@10 P@10 RR"
MOST_GRAPHS = 6
TIES = {
    "expected": "Tied documents count by the mean over all their orders.",
    "best": "Tied documents count in the best order.",
    "worst": "Tied documents count in the worst order.",
    "doc_id": "Ties are broken by document id, as in trec_eval.",
    "given": "Tied documents count in the order of the input.",
}
COMMAND_OPTIONS = (
    *("test", "correction", "family", "groups", "confidence_level", "seed", "ties", "missing"),
    *("no_relevant", "duplicates", "collection_size", "unjudged", "unjudged_hidden", "max_grade"),
    *("score_precision", "score_tolerance", "title", "date"),
)
PROBABILITIES = "probabilities"
LEFT_OUT = {
    *(("unjudged", "nonrelevant"), ("no_relevant", "zero"), ("duplicates", "error")),
    *EXACT.arguments().items(),
}
MISSING = {
    "zero": "A judged query that a run lacks counts as an empty ranking.",
    "error": "Every run has every judged query.",
}


def report_runs(
    qrels: QrelsLike | None,
    runs: RunsLike | EvaluationsLike,
    measures: MeasuresLike = MEASURES,
    *,
    baseline: str | None = None,
    test: str = "permutation",
    correction: str | None = "holm",
    family: str | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    ties: str = "expected",
    missing: str = "zero",
    no_relevant: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    judged_only: bool = False,
    collection_size: int | None = None,
    unjudged: UnjudgedLike = "nonrelevant",
    unjudged_hidden: HiddenLike | None = None,
    max_grade: float | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
    title: str = TITLE,
    date: DateLike = None,
    output: PathLike | None = None,
    groups: GroupsLike | None = None,
) -> str:
    """A page that compares runs: one self-contained HTML file.

    It has the measures with their ranges over the orders of ties, differences from a baseline with
    intervals and paired tests, whether ties decide them, figures of both, the recall-precision
    graph, the queries with the largest differences, definitions, versions, and hashes of the
    inputs.

    Parameters
    ----------
    qrels : Qrels, path, dict or data frame; or None
    runs : dict of runs by name, or list of runs
        As `evaluate` takes them.  Listed files are called by their names.  With ``qrels=None`` a
        dict of `Evaluation`, such as `read_scores` returns; the arguments on rankings, from `ties`
        to `score_tolerance`, are then not used.
    measures : str, list of str, or ir_measures objects
        The first one that is no count is also shown query by query.
    baseline : str, optional
        The name of the run that others are compared with; the first by default.
    test, correction, family, confidence_level
        Correction of the differences from the baseline, as in `compare`, where "tukey" with a
        baseline means "dunnett".
    seed : int
        Seed of the tests that resample.
    ties, no_relevant, drop_self, duplicates, judged_only, collection_size
        As in `evaluate`.
    score_precision, score_tolerance
        As in `evaluate`.
    unjudged : {"nonrelevant", "bounds", "condensed"}, float, dict, data frame or path
        As in `evaluate`.  With "bounds" the page has the ranges of the measures over labels of
        unjudged documents, and names the differences from the baseline that no labels can reverse.
        With probabilities it has no ranges over the orders of ties.
    unjudged_hidden, max_grade
        As in `compare`.
    missing : {"zero", "error"}
        As in `evaluate`, without "skip": runs are compared on the same queries.
    title : str
    date : datetime.date or str, optional
        As 2026-01-31; today by default.  The same inputs and date give the same bytes.
    output : path, optional
        A file to write the page to as well; it appears whole or not at all.
    groups : mapping, path, data frame or sequence, optional
        As in `compare`; the page says how many groups there are, and the hash of the file.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For what `evaluate` and `compare` refuse, and for a baseline that is none of the runs.
    ImportError
        Without Jinja2 or Matplotlib (``pip install "irbounds[report]"``).

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"a": {"q1": {"d1": 0.7, "d2": 0.7}}, "b": {"q1": {"d3": 2.0, "d1": 1.0}}}
    >>> page = irb.report_runs(qrels, runs, "AP P@1", date="2026-01-31")
    >>> "Differences from the baseline, a" in page, "<script" in page
    (True, False)
    """
    # longer than 60 lines: it names each part of the page once
    page = Page.of(title, date, output)
    tests: dict[str, Any] = {"test": test, "correction": correction, "family": family}
    tests["confidence_level"] = confidence_level
    if qrels is None:
        asked = tests | {"rng": seed, "groups": groups}
        return page_of_scores(runs, baseline, asked, page)
    check_choice("missing", missing, MISSING)
    treatment = unjudged if isinstance(unjudged, str) and unjudged in TREATMENTS else PROBABILITIES
    score_rule = ScoreRule.read(score_precision, score_tolerance)
    judged, *ranked = _inputs(qrels, runs)
    options: dict[str, Any] = {
        "missing": missing,
        "no_relevant": no_relevant,
        "drop_self": check_flag("drop_self", drop_self),
        "duplicates": check_choice("duplicates", duplicates, DUPLICATES),
        "judged_only": judged_only or treatment == "condensed",
        "collection_size": collection_size,
        **score_rule.arguments(),
    }
    labels: dict[str, Any] = {"unjudged_hidden": unjudged_hidden, "max_grade": max_grade}
    labels["unjudged"] = treatment
    has_tie_ranges = treatment != PROBABILITIES
    given = options | labels | {"judged_only": judged_only, "unjudged": unjudged}
    evaluator = Evaluator(judged.source, measures, ties=ties, bounds=has_tie_ranges, **given)
    bounds = None
    if treatment == "bounds" and len(ranked) > 1:
        bounds = LabelBounds(evaluator, unjudged_hidden, max_grade)
    systems = Systems({run.name: _evaluate(evaluator, run) for run in ranked}, baseline)
    if groups is None:
        warn_of_shared(evaluator.qrels)
    comparison = systems.compare(**tests, rng=seed, groups=groups)
    if comparison is not None and bounds is not None:
        rows_of = {run.name: _rows(run, options) for run in ranked}
        whole = bounds.of_comparison(comparison, rows_of)
        comparison = replace(comparison, differences=whole)
    seed_used = seed if TESTS[test].resamples else None
    rows = [run.row(_n_queries(systems.evaluations[run.name])) for run in ranked]
    rows += _probabilities(unjudged, evaluator)
    return compared_page(
        page,
        systems,
        comparison,
        _graphs(systems, evaluator.qrels, ranked, options),
        **_label_contents(systems, comparison, unjudged_hidden),
        ties=ties,
        tie_words=" ".join([TIES[ties], *score_rule.words()]),
        missing_words=MISSING[missing],
        has_tie_ranges=has_tie_ranges,
        unjudged_words=_unjudged_words(unjudged, treatment, judged_only=judged_only),
        collection_size=collection_size,
        inputs=[judged.row(len(evaluator.qrels)), *rows, *_groups_row(groups)],
        command=_command(
            judged,
            ranked,
            systems,
            given
            | tests
            | {"groups": groups, "seed": seed_used, "ties": ties}
            | page.options(TITLE)
            | {"output": page.output},
        ),
    )


def _inputs(qrels: QrelsLike, runs: RunsLike) -> list[Input]:
    """The judgments and the runs, listed by name."""
    of_qrels = next(iter(by_name(qrels, "qrels"))) if is_path(qrels) else "qrels"
    return [
        Input.of(of_qrels, qrels, Qrels),
        *(Input.of(name, run, Run) for name, run in by_name(runs, "run").items()),
    ]


def _probabilities(unjudged: UnjudgedLike, evaluator: Evaluator) -> list[dict[str, Any]]:
    """The row of a table of probabilities among the inputs, if there is one; as the evaluator read
    it, as a file of them need not have the form of a run."""
    rule = evaluator._rule
    if not isinstance(rule, LabelMeans) or isinstance(unjudged, Number):
        return []
    table: Any = rule.probability
    is_file = is_path(unjudged) and can_reread(unjudged)
    name = shown_name(unjudged) if is_path(unjudged) else "probabilities"
    return [Input.of(name, unjudged if is_file else table, Run).row(len(table))]


def _groups_row(groups: GroupsLike | None) -> list[dict[str, Any]]:
    """The row of a file of groups among the inputs."""
    if not is_path(groups) or not can_reread(groups):
        return []
    return [
        Input(shown_name(groups), groups, file_hash(groups), True).row(len(read_groups(groups)))
    ]


def _n_queries(evaluation: Evaluation) -> int:
    """The number of queries of a run."""
    n_judged = len(evaluation.query_ids) - len(evaluation.missing_queries)
    return n_judged + len(evaluation.unjudged_queries)


def _evaluate(evaluator: Evaluator, run: Input) -> Evaluation:
    """An evaluation; an error names the run."""
    found = evaluated(evaluator, RunSource.of(run.source, run.name))
    evaluator._warn(run.name, found)
    if found.low is None:  # with probabilities
        found = replace(found, low=found.values, high=found.values)
    return found


def _graphs(
    systems: Systems, qrels: Qrels, ranked: list[Input], options: dict[str, Any]
) -> dict[str, Any]:
    """Recall-precision graphs of the best runs."""
    best = systems.best(MOST_GRAPHS)
    return {
        run.name: recall_precision_graph(qrels, run.source, **options)
        for run in ranked
        if run.name in best
    }


def _label_contents(
    systems: Systems, comparison: Comparison | None, unjudged_hidden: HiddenLike | None
) -> dict[str, Any]:
    """Tables and pictures of unjudged documents by their names in the template."""
    labels = systems.labels()
    return {
        "labels": labels,
        "hidden_words": _hidden_words(unjudged_hidden),
        "label_pictures": label_pictures(systems, comparison) if labels else [],
    }


def _rows(run: Input, options: Mapping[str, Any]) -> Run:
    rows = Run.of(run.source, duplicates=options["duplicates"])
    return rows.without_self() if options["drop_self"] else rows


def _unjudged_words(unjudged: UnjudgedLike, treatment: str, *, judged_only: bool) -> str:
    """How unjudged documents count."""
    if judged_only or treatment == "condensed":
        return "Unjudged documents were dropped from the rankings first."
    if treatment != PROBABILITIES:
        return "Unjudged documents take places and count as not relevant."
    chance = "given probabilities"
    if isinstance(unjudged, Number):
        chance = f"probability {float(unjudged):.10g}"  # type: ignore[arg-type]
    return (
        f"Each unjudged document is relevant with {chance}, independently of the others; the "
        "numbers are the means over all labels. Recall-precision graphs count them as not relevant."
    )


def _hidden_words(unjudged_hidden: HiddenLike | None) -> str:
    """How many documents that were not retrieved may be relevant."""
    if isinstance(unjudged_hidden, Mapping):
        return "numbers by query"
    if isinstance(unjudged_hidden, str):
        return "all the rest of the collection"
    return f"up to {unjudged_hidden:,} for each query" if unjudged_hidden else "none"


def _command(
    judged: Input, ranked: list[Input], systems: Systems, options: dict[str, Any]
) -> str | None:
    """The command that makes this page, if all inputs are files and all measures built in."""
    if options["groups"] is not None and not is_path(options["groups"]):
        return None
    own = [measure for measure in systems.measures if measure.spec.function is not None]
    by_query = isinstance(options["unjudged_hidden"], Mapping)
    if not isinstance(options["unjudged"], Number) and not is_path(options["unjudged"]):
        return None
    if own or by_query or not all(item.is_file for item in (judged, *ranked)):
        return None
    given = {
        "-m": " ".join(systems.measures),
        "baseline": systems.baseline,
    }
    given |= {
        name: options[name] for name in COMMAND_OPTIONS if (name, options[name]) not in LEFT_OUT
    }
    given |= {"correction": options["correction"] or "none"}
    given |= {name: options[name] for name in ("drop_self", "judged_only")}
    files = [name_of(item.source) for item in (judged, *ranked)]
    return command_line("runs", files, given, options["output"])
