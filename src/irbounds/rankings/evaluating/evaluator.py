"""Evaluation of runs against judgments: `evaluate`, and `Evaluator` for many runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.rankings.data.collection import DUPLICATES, Qrels
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.data.warnings import warn_of_run
from irbounds.rankings.evaluating.label_rules import AsJudged, Options, label_rule
from irbounds.rankings.measure_table.measure import Measure, parse_measures
from irbounds.rankings.reading.frames import check_columns, check_found

# Modules that few evaluations need are imported where they are used, so that a start is quick.
if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from irbounds.rankings.data.evaluated_runs import EvaluatedRuns
    from irbounds.rankings.evaluating.subtopic_evaluation import Subtopics
    from irbounds.typing import (
        HiddenLike,
        MeasuresLike,
        QrelsLike,
        RunLike,
        UnjudgedLike,
    )

NO_RELEVANT = ("zero", "skip", "error")


def evaluate(
    qrels: QrelsLike,
    run: RunLike,
    measures: MeasuresLike,
    *,
    ties: str = "expected",
    bounds: bool = False,
    missing: str = "zero",
    no_relevant: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    judged_only: bool = False,
    collection_size: int | None = None,
    columns: Mapping[str, str] | None = None,
    unjudged: UnjudgedLike = "nonrelevant",
    unjudged_hidden: HiddenLike | None = None,
    max_grade: float | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
) -> Evaluation:
    """Evaluate a run against relevance judgments.

    Parameters
    ----------
    qrels, run : Qrels, Run, path, dict, data frame or named tuples
        A path names a file (TREC, CSV, JSON, Parquet, …; plain or compressed; ``-`` is standard
        input), and so does an address such as ``s3://…``; a list of paths, a pattern such as
        ``"part-*.run"`` and a dataset of pyarrow are several files; a dict is
        ``{query_id: {doc_id: value}}``; a frame of pandas, or anything that gives Arrow's tables,
        has the columns query_id, doc_id and relevance or score, and so have named tuples, such as
        ir_measures'.  Qrels and Run of ranx will do.  Measures of subtopics need qrels with
        column 2, ``iteration``, or ``{query_id: {doc_id: {subtopic: relevance}}}``.
    measures : str, list of str, or ir_measures objects
        Such as ``"AP nDCG@10 PRR(recall=0.5)"``; `irbounds.measures` lists all.
    ties : {"expected", "best", "worst", "doc_id", "given"}
        The rule for documents of equal score: the exact mean over all their orders (for some
        measures that of random orders, see `irbounds.measures`), the best or the worst order,
        descending document id (trec_eval's rule), or the order of the input.
    bounds : bool
        Give the least and the greatest value over all orders of tied documents as well.
    missing : {"zero", "skip", "error"}
        A judged query for which the run has no document counts as an empty ranking, is left out, or
        is refused.
    no_relevant : {"zero", "skip", "error"}
        A query without a relevant document (of a grade that the measures count) has the value 0, is
        left out, or is refused.  `Evaluation.no_relevant_queries` lists such queries.
    drop_self : bool
        Drop documents whose id is that of the query, as BEIR and MTEB do where queries are
        documents.
    duplicates : {"error", "best", "first"}
        A document that a query of the run has twice, as where rows are chunks of documents, is
        refused, or the row with the highest score or the first one is kept.
    judged_only : bool
        Drop unjudged documents from the rankings first.
    collection_size : int, optional
        Documents in the collection.  Fallout and HT need it; with it the unretrieved documents form
        one last rank, as in a `WeakOrdering`, for ESL, PRR, EP, PRECALL, ER and Fallout.
    columns : dict, optional
        Your names of frames' columns, as in ``{"query_id": "q", "doc_id": "d", "score": "s"}``.
        Those of PyTerrier, BEIR and ranx are known.
    unjudged : {"nonrelevant", "bounds", "condensed"}, float, table or path
        The rule for documents without a judgment.  "nonrelevant" is what other tools do; "bounds"
        adds the least and the greatest value over all labels that they could have, as
        `Evaluation.unjudged_low` and `unjudged_high`; "condensed" drops them, as `judged_only`
        does.  A probability of relevance, for all or as ``{query_id: {doc_id: p}}``, a frame or a
        run file, gives the exact mean over independent labels; documents that a table lacks are
        not relevant.
    unjudged_hidden : int, dict or "collection", optional
        With "bounds": how many documents that were neither retrieved nor judged may be relevant,
        for all queries or by query; "collection" means all the rest of `collection_size`.  0 by
        default; needed where the judgments list relevant documents only.
    max_grade : float, optional
        With "bounds": the highest grade of an unjudged document; by default the highest judged.
    score_precision : {"float64", "float32"}
        Round scores to floats of this precision before ties are found.  trec_eval 9 and pytrec_eval
        store 32-bit floats.
    score_tolerance : float
        Documents tie as well if their scores differ by at most this share, also through a chain of
        such documents.  0 or more and less than 1.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        A ValueError whose one line names what is wrong and where.  A run without rows, or without a
        judged query, is refused.

    Warns
    -----
    RunWarning
        None of the run's documents is judged, all documents of each query have one score, nearly
        all queries retrieve a document of their own id, a
        measure of subtopics has judgments of one subtopic alone, or no judgment has a grade that a
        measure counts as relevant (1 or more, 9 or more by ``AP(rel=9)``).

    Notes
    -----
    Scores a >= b of neighbours in the ranking are equal if a - b is at most score_tolerance times
    the larger of their absolute values; -0.0 equals 0.0; NaN is refused.  Ties are found among all
    documents of the run, also where unjudged ones are dropped.  Unjudged documents take places but
    are never relevant; documents with a negative grade are unjudged.  Queries of the run without
    judgments are left out and listed.

    Examples
    --------
    Two documents tie for the first place:

    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> run = {"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4}}
    >>> irb.evaluate(qrels, run, "AP RR P@1", bounds=True)
    Evaluation of 1 query, ties expected
      AP   0.7083  in [0.5833, 0.8333]
      RR   0.7500  in [0.5000, 1.0000]
      P@1  0.5000  in [0.0000, 1.0000]
    """
    columns = check_columns(columns, is_shared=True)
    evaluator = Evaluator(
        qrels,
        measures,
        ties=ties,
        bounds=bounds,
        missing=missing,
        no_relevant=no_relevant,
        drop_self=drop_self,
        duplicates=duplicates,
        judged_only=judged_only,
        collection_size=collection_size,
        columns=columns,
        unjudged=unjudged,
        unjudged_hidden=unjudged_hidden,
        max_grade=max_grade,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
    )
    found = evaluator.evaluate(run)
    check_found(columns)
    return found


def evaluate_silently(
    qrels: QrelsLike, run: RunLike | RunSource, measures: MeasuresLike, **options: Any
) -> Evaluation:
    """`evaluate` without its warnings, for a part of a run or once more for all of it."""
    return Evaluator(qrels, measures, **options)._evaluate_silently(run)


class Evaluator:
    """Judgments indexed once, to evaluate many runs.  Takes the arguments of `evaluate` except the
    run.

    Several threads can share an evaluator, and it can be pickled.

    Examples
    --------
    >>> import irbounds as irb
    >>> evaluator = irb.Evaluator({"q1": {"d1": 1}}, "RR")
    >>> runs = {"q1": {"d1": 1}}, {"q1": {"d2": 2, "d1": 1}}
    >>> [evaluator.evaluate(run)["RR"][0].item() for run in runs]
    [1.0, 0.5]
    """

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasuresLike,
        *,
        ties: str = "expected",
        bounds: bool = False,
        missing: str = "zero",
        no_relevant: str = "zero",
        drop_self: bool = False,
        duplicates: str = "error",
        judged_only: bool = False,
        collection_size: int | None = None,
        columns: Mapping[str, str] | None = None,
        unjudged: UnjudgedLike = "nonrelevant",
        unjudged_hidden: HiddenLike | None = None,
        max_grade: float | None = None,
        score_precision: str = "float64",
        score_tolerance: float = 0.0,
    ) -> None:
        options = Options(
            ties=ties,
            bounds=bounds,
            missing=missing,
            no_relevant=check_choice("no_relevant", no_relevant, NO_RELEVANT),
            judged_only=judged_only,
            collection_size=collection_size,
            columns=columns,
            unjudged=unjudged,
            unjudged_hidden=unjudged_hidden,
            max_grade=max_grade,
            score_precision=score_precision,
            score_tolerance=score_tolerance,
        )
        self.measures: list[Measure] = parse_measures(measures)
        self.missing: str = check_choice("missing", missing, ("zero", "skip", "error"))
        self._drop_self = check_flag("drop_self", drop_self)
        self._duplicates = check_choice("duplicates", duplicates, DUPLICATES)
        self._is_mended = self._drop_self or duplicates != "error"
        self._rule: AsJudged | Subtopics
        # as bounds of differences over labels ask for them
        self._asked = ties, judged_only, collection_size
        self._is_said = False  # whether a warning spoke of the judgments
        if any(measure.spec.scale for measure in self.measures):
            from irbounds.rankings.evaluating.subtopic_evaluation import Subtopics

            self._rule = Subtopics(qrels, self.measures, options)
        else:
            self._rule = label_rule(qrels, self.measures, options)

    @property
    def qrels(self) -> Qrels:
        """The judgments; with measures of subtopics each document's highest grade."""
        return self._rule.qrels

    @property
    def columns(self) -> dict[str, str]:
        """Names of frames' columns."""
        return self._rule.columns

    @property
    def score_rule(self) -> ScoreRule:
        """Which scores tie."""
        return self._rule.score_rule

    def evaluate(self, run: RunLike) -> Evaluation:
        """Evaluate one run; see `irbounds.evaluate`."""
        source = RunSource.of(run)
        found = self._evaluate_silently(source)
        self._warn(source, found)
        return found

    def _warn(self, run: RunSource | str, found: Evaluation) -> None:
        """Warn of a run by its name, and with the first one of the judgments."""
        said, self._is_said = self._is_said, True
        if found.cautions:
            known = self._rule.cautions if said else ()
            new = [caution for caution in found.cautions if caution not in known]
            warn_of_run(run if isinstance(run, str) else run.title, new)

    def _evaluate_silently(
        self, run: RunLike | RunSource, score_rule: ScoreRule | None = None
    ) -> Evaluation:
        """One evaluation, without warnings; errors name the run."""
        source = RunSource.of(run)
        if self._is_mended:
            source = source.mended(
                self.columns, drop_self=self._drop_self, duplicates=self._duplicates
            )
        source = source.among(self.qrels)
        try:
            return self._rule.evaluate(source, score_rule)
        except (BadRow, InputError) as error:
            raise source.named(error) from error.__cause__

    def evaluate_topk(
        self,
        query_ids: ArrayLike,
        doc_ids: ArrayLike,
        scores: ArrayLike | None = None,
        *,
        padding: int | str | None = -1,
        ascending: bool = False,
    ) -> Evaluation:
        """Evaluate the results of a vector index: matrices of document ids and scores, one row for
        each query.

        Parameters
        ----------
        query_ids : array_like, shape (queries,)
        doc_ids : array_like of int or str, shape (queries, k)
            NumPy's arrays, and what NumPy reads without a copy, such as tensors of torch.  Masked
            places and None have no document.
        scores : array_like, shape (queries, k), optional
            Higher first.  Places with nan, and masked ones, have no document.  Without scores the
            documents rank in the order given.
        padding : int or str, optional
            The id of places without a document, -1 in FAISS; "-1" is the same id in text.  None:
            every place has a document.
        ascending : bool
            Scores are distances: lower first.

        Returns
        -------
        Evaluation

        Examples
        --------
        >>> import irbounds as irb
        >>> evaluator = irb.Evaluator({"q1": {7: 1, 9: 1}}, "RR P@2")
        >>> evaluator.evaluate_topk(["q1"], [[3, 7, -1]], [[0.1, 0.4, 9.9]], ascending=True).mean
        {'RR': 0.5, 'P@2': 0.5}
        """
        from irbounds.rankings.reading.topk import top_rows

        if not isinstance(self._rule, AsJudged):
            raise InputError("evaluate_topk takes no measures of subtopics: use evaluate")
        rows = top_rows(query_ids, doc_ids, scores, padding, ascending=ascending)
        rule = EXACT if scores is None else None  # ranks in the place of scores never tie
        source = RunSource(rows)
        found = self._evaluate_silently(source, rule)
        self._warn(source, found)
        return found

    def evaluate_many(
        self, runs: Mapping[str, RunLike], *, jobs: int | None = None, keep_going: bool = False
    ) -> EvaluatedRuns:
        """Evaluate many runs, several of them in parallel.

        Parameters
        ----------
        runs : dict
            ``{name: run}``, each of what `evaluate` takes.
        jobs : int, optional
            Runs that are evaluated at the same time, in threads.  One for each processor unless
            given.
        keep_going : bool
            A run that cannot be evaluated costs only itself: its error is in `errors`.
            Otherwise the first error is raised.

        Returns
        -------
        EvaluatedRuns
            A mapping of names to evaluations, in the order of `runs`.

        Examples
        --------
        >>> import irbounds as irb
        >>> evaluator = irb.Evaluator({"q1": {"d1": 1}}, "RR")
        >>> runs = {"a": {"q1": {"d1": 1}}, "b": "nowhere.run"}
        >>> found = evaluator.evaluate_many(runs, keep_going=True)
        >>> found["a"].mean, list(found.errors)
        ({'RR': 1.0}, ['b'])
        """
        from irbounds.rankings.data.evaluated_runs import EvaluatedRuns
        from irbounds.rankings.evaluating.threads import in_threads

        if not isinstance(runs, Mapping):
            fail("runs", "must be a dict of runs by name", runs)
        keep_going = check_flag("keep_going", keep_going)
        evaluations: dict[str, Evaluation] = {}
        errors: dict[str, InputError] = {}
        sources = ((name, RunSource.of(run, name)) for name, run in runs.items())
        for name, found in in_threads(self._evaluate_silently, sources, jobs):
            if isinstance(found, InputError):
                if not keep_going:
                    raise found
                errors[name] = found
            else:
                self._warn(name, found)
                evaluations[name] = found
        return EvaluatedRuns(evaluations, errors)
