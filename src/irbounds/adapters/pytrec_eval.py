"""The evaluator of pytrec_eval on dicts.  pytrec_eval itself need not be installed.

With an evaluator at hand, four measures of 50 queries of 1,000 documents took 6 to 11 percent of
pytrec_eval's time, of 1,000 queries of 100 documents 10 to 17, of 10,000 queries of 10 documents 18
to 22 (benchmarks/results/speed.md; the most where all is judged).  All 95 measures took 14 to 23
percent.  An evaluator takes longer to make than there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.documents.doc_rows import BadRow, id_as_text
from irbounds._core.evaluating.dict_runs import DictRuns
from irbounds._core.reading.text_tables import TextTables
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, fail, suggest
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.evaluating.label_rules import AsJudged
from irbounds.rankings.measure_table.aggregates import LEAST
from irbounds.rankings.measure_table.measure import TIE_RULES, Measure
from irbounds.rankings.measure_table.suggestions import reason_unread
from irbounds.rankings.measure_table.trec_names import (
    NICKNAMES,
    TREC_ROWS,
    WITH_TWO_PLACES,
    TrecRow,
    with_parameters,
)

if TYPE_CHECKING:
    from irbounds.typing import MeasuresLike

__version__ = "0.5.11"  # of pytrec_eval-terrier, whose names these are; ir_measures asks for it
__all__ = [
    "RelevanceEvaluator",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]
IN_POOL = -0.5  # to the kernels: a document that was chosen and not judged, a grade below 0
_NOT_THERE = ("dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj")  # in pytrec_eval
_WITH_NUMBERS = ("set_F", "utility", "11pt_avg")  # parameters in pytrec_eval; others are pairs
THERE = "pytrec_eval"  # the name of the module that this one stands for
_replaced: list[
    tuple[dict[str, Any], str, Any]
] = []  # by `install`: where, what and what was there
_ROWS = {name: row for name, row in TREC_ROWS.items() if name not in _NOT_THERE}

supported_measures: set[str] = set(_ROWS)
supported_nicknames: dict[str, set[str]] = {
    name: supported_measures.intersection(names) for name, names in NICKNAMES.items()
}


def install() -> None:
    """Let libraries that import pytrec_eval use this module: BEIR, MTEB, repro_eval, ir_measures.

    The module takes the place of pytrec_eval in ``sys.modules`` and in all modules that have
    imported it or its names already.  `uninstall` undoes it.

    Examples
    --------
    >>> from irbounds.adapters.pytrec_eval import install, uninstall
    >>> install()
    >>> import pytrec_eval
    >>> pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate({"q": {"d": 0.5}})
    {'q': {'map': 1.0}}
    >>> uninstall()
    """
    here = sys.modules[__name__]
    there = sys.modules.get(THERE)
    if there is here:
        return
    _replaced.append((sys.modules, THERE, there))
    sys.modules[THERE] = here
    if there is None:
        return
    names = [*__all__, "compute_aggregated_measure"]
    ours = {id(there): here} | {id(getattr(there, name)): globals()[name] for name in names}
    for module in list(sys.modules.values()):
        if module is not there and module is not here:
            own = getattr(module, "__dict__", {})
            for name, value in list(own.items()):
                if id(value) in ours:
                    _replaced.append((own, name, value))
                    own[name] = ours[id(value)]


def uninstall() -> None:
    """Undo `install`."""
    while _replaced:
        names, name, value = _replaced.pop()
        if value is None:
            del names[name]
        else:
            names[name] = value


class _Column(NamedTuple):
    """A value of the output: its name, the measure (None: always 0), whether its logarithm is
    shown."""

    name: str
    measure: Measure | None
    is_log: bool


class RelevanceEvaluator:
    """Evaluate runs against relevance judgments, as `pytrec_eval.RelevanceEvaluator` does.

    Parameters
    ----------
    query_relevance : dict
        ``{query_id: {doc_id: relevance}}``.
    measures : iterable of str
        Names of trec_eval, such as "map", "ndcg_cut_10", "ndcg_cut.5,10", "P", "official".  "P"
        alone stands for all its usual cut-offs.
    relevance_level : int
        The lowest grade that counts as relevant.
    judged_docs_only_flag : bool
        Drop unjudged documents from the rankings first.
    ties : {"doc_id", "expected", "best", "worst", "given"}
        The order of documents of equal score: descending document id as in pytrec_eval, the
        exact mean over all orders of tied documents, or another rule of `irbounds.evaluate`.

    Raises
    ------
    InputError
        A ValueError, for a measure that is not known and for data that cannot be used.
    TypeError
        For grades that are not whole numbers, as in pytrec_eval.

    Notes
    -----
    Scores are rounded to 32-bit floats, as pytrec_eval stores them, so that the same documents tie.
    A value is a double computed here: it differs from pytrec_eval's by rounding alone.  For a query
    without retrieved documents pytrec_eval gives nan for iprec_at_recall_0.00 and 11pt_avg (without
    relevant ones either, at all levels), and a num_rel that depends on the queries before.  Here
    these are 0, and num_rel is the number of relevant documents.  Several threads can share an
    evaluator, and it can be pickled.

    Examples
    --------
    >>> from irbounds.adapters.pytrec_eval import RelevanceEvaluator
    >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.5}}
    >>> RelevanceEvaluator(qrels, {"map", "P_1"}).evaluate(run)
    {'q1': {'map': 0.5, 'P_1': 0.0}}
    >>> RelevanceEvaluator(qrels, {"map", "P_1"}, ties="expected").evaluate(run)
    {'q1': {'map': 0.75, 'P_1': 0.5}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        ties: str = "doc_id",
    ) -> None:
        check_choice("ties", ties, TIE_RULES)
        judged_only = check_flag("judged_docs_only_flag", judged_docs_only_flag)
        if not isinstance(query_relevance, Mapping):
            fail("query_relevance", "must be a dict of dicts", query_relevance)
        if not isinstance(relevance_level, int | np.integer):
            raise TypeError(f"relevance_level must be a whole number; found {relevance_level!r}")
        if relevance_level < 0:
            fail("relevance_level", "must be 0 or more", relevance_level)
        columns = _read_measures(measures, int(relevance_level))
        order = list(dict.fromkeys(c.measure for c in columns if c.measure is not None))
        self._names = [
            (c.name, -1 if c.measure is None else order.index(c.measure), c.is_log) for c in columns
        ]
        for query, grades in query_relevance.items():
            if not isinstance(grades, Mapping):
                fail("query_relevance", f"must have a dict of documents for {query!r}", grades)
        judged = {query: dict(grades) for query, grades in query_relevance.items() if grades}
        self._judgments = None
        if judged:
            self._judgments = _Judgments(
                judged, order or ["NumQ"], ties=ties, judged_only=judged_only
            )
        # Each call takes one, so that threads can share the evaluator.
        self._idle: list[DictRuns] = []

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluate ``{query_id: {doc_id: score}}``.

        Returns
        -------
        dict
            ``{query_id: {measure: value}}`` for the queries of the run that are judged, in the
            order of the run.  gm_map and gm_bpref are logarithms, as pytrec_eval has them
            (`compute_aggregated_measure` knows).
        """
        if type(scores) is not dict:
            if not isinstance(scores, Mapping):
                fail("scores", "must be a dict of dicts", scores)
            scores = dict(scores)
        if self._judgments is None:
            return {}
        try:
            # `pop` is one step for the interpreter: two threads never get the same object, and none
            # waits.
            runs = self._idle.pop()
        except IndexError:
            runs = self._judgments.runs(self._names)
        try:
            found = runs.evaluate(scores)
        except BadRow as error:
            raise InputError(f"run: {error.problem}") from None
        self._idle.append(runs)
        return found

    def __getstate__(self) -> dict[str, Any]:
        # Objects that evaluate belong to a process: another one makes its own.
        return {**self.__dict__, "_idle": []}


class _Judgments(Evaluator):
    """The judgments of an evaluator, and what evaluates dicts with them."""

    def __init__(
        self, qrels: dict[Any, dict[Any, Any]], measures: MeasuresLike, **options: Any
    ) -> None:
        super().__init__(qrels, measures, **options)
        self._judged_only = options["judged_only"]
        table = self.qrels._table
        values = table.values()
        broken = np.flatnonzero(values != np.floor(values))
        if broken.size:
            row = int(broken[0])
            raise TypeError(  # as there, where "Expected relevance to be integer."
                f"query_relevance: expected a whole number as relevance, found {values[row]:.15g} "
                f"(query {table.query_of(row)!r}); irbounds.evaluate takes fractions"
            )
        self._numbers = TextTables([{id_as_text(query): i for i, query in enumerate(qrels)}])
        self._grades = TextTables(
            [
                {id_as_text(doc): grade if grade >= 0 else IN_POOL for doc, grade in grades.items()}
                for grades in qrels.values()
            ]
        )

    def runs(self, names: list[tuple[str, int, bool]]) -> DictRuns:
        """An object that evaluates one run after another."""
        rule = self._rule
        assert isinstance(rule, AsJudged)  # trec_eval has no measures of subtopics
        return DictRuns(
            rule.plan.make_kernel(rule.plan.views[0]),
            self._numbers,
            self._grades,
            self._judged_only,
            rule.levels[0],
            names,
            LEAST,
        )


def _read_measures(measures: Iterable[str], relevance_level: int) -> list[_Column]:
    """The columns of the output, in trec_eval's order."""
    asked: dict[str, set[str]] = {}
    if not isinstance(measures, Iterable):
        fail("measures", "must be a set of names of trec_eval", measures)
    for name in [measures] if isinstance(measures, str) else measures:
        for base, cutoffs in _expanded(name):
            asked.setdefault(base, set()).update(cutoffs)
    return [
        column
        for base, row in _ROWS.items()
        if base in asked
        for column in _columns_of(base, row, asked[base], relevance_level)
    ]


def _expanded(name: str) -> list[tuple[str, list[str]]]:
    """A measure, or those of a nickname, and the cut-offs or parameters that the name says."""
    if name in supported_nicknames:
        return [(base, []) for base in supported_nicknames[name]]
    if name in supported_measures:
        return [(name, [])]
    match = re.fullmatch(r"(\w+?)[._](-?[\d.]+(?:,-?[\d.]+)*)", str(name))
    row = _ROWS.get(match[1]) if match is not None else None
    if match is not None and row is not None:
        if row.at and row.form and re.fullmatch(r"\d+(\.\d+)?(,\d+(\.\d+)?)*", match[2]):
            return [(match[1], [each.lstrip("0") or "0" for each in match[2].split(",")])]
        if match[1] in _WITH_NUMBERS:
            return [(match[1], [match[2]])]
    text = str(name)
    if reason := reason_unread(text):
        raise InputError(f"unsupported measure {name!r}: {reason}")
    there = _name_there(text)
    hint = f", did you mean {there!r}?" if there else suggest(text, sorted(_ROWS))
    raise InputError(f"unsupported measure {name!r}{hint}")


def _name_there(text: str) -> str | None:
    """trec_eval's name of what is a measure elsewhere, as "nDCG@10" and "mrr" are."""
    try:
        measure = Measure.parse(text)
    except InputError:
        return None
    for base, row in _ROWS.items():
        at = measure.cutoff if row.at else None
        if not row.form or base in WITH_TWO_PLACES or (row.at and at is None):
            continue
        if Measure.parse(row.form.format(at=at)) == measure:
            return f"{base}_{at}" if row.at else base
    return None


def _columns_of(
    base: str, row: TrecRow, cutoffs: set[str], relevance_level: int
) -> Iterator[_Column]:
    if not row.form:
        yield _Column(base, None, False)
        return
    is_log = base.startswith("gm_")  # of the measure itself
    form = row.form.removeprefix("GM") if is_log else row.form
    options = [f"rel={relevance_level}"] if row.takes_rel and relevance_level != 1 else []
    if cutoffs and not row.at:
        options.append(_parameters_of(base, row, max(cutoffs)))
    # By number, as trec_eval prints them: P_5 before P_10.
    for cutoff in sorted(cutoffs or map(str, row.at), key=float) if row.at else [""]:
        shown = f"{float(cutoff):.2f}" if base in WITH_TWO_PLACES else cutoff
        name = f"{base}_{shown}" if cutoff else base
        try:
            measure = Measure.parse(with_parameters(form.format(at=cutoff), options))
        except InputError as error:
            rule = str(error).partition(": ")[2]  # behind the name of the measure here
            raise InputError(f"unsupported measure {name!r}: {rule}") from None
        yield _Column(name, measure, is_log)


def _parameters_of(base: str, row: TrecRow, given: str) -> str:
    """Parameters that trec_eval's measure has behind its name."""
    try:
        return row.parameters(given) if row.parameters is not None else ""
    except ValueError:
        raise InputError(f"unsupported parameters of {base}: {given}") from None


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """``{query_id: {doc_id: score}}`` of the lines of a TREC run; a document that a query has twice
    is refused."""
    return _parsed(f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """``{query_id: {doc_id: relevance}}`` of the lines of TREC qrels; a document that a query has
    twice is refused."""
    return _parsed(f_qrel, 4, 3, int)


def _parsed(lines: Iterable[str], n_fields: int, at: int, kind: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != n_fields:
            raise InputError(f"line {number}: expected {n_fields} columns, found {len(fields)}")
        documents = found.setdefault(fields[0], {})
        if fields[2] in documents:
            raise InputError(f"line {number}: query {fields[0]!r} has {fields[2]!r} twice")
        try:
            documents[fields[2]] = kind(fields[at])
        except ValueError:
            raise InputError(f"line {number}: expected a number, found {fields[at]!r}") from None
    return found


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """One number over queries: the sum of a `num_*` measure, the geometric mean of a `gm_*` measure
    (whose values are logarithms), the mean of another.

    Examples
    --------
    >>> from irbounds.adapters.pytrec_eval import compute_aggregated_measure
    >>> compute_aggregated_measure("map", [0.25, 0.75])
    0.5
    """
    array = np.asarray(list(values), float)
    if measure.startswith("num_"):
        return float(array.sum())
    mean = float(array.mean()) if array.size else float("nan")
    return float(np.exp(mean)) if measure.startswith("gm_") else mean
