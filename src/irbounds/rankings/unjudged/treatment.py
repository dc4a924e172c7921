"""Options for unjudged documents, and the measures that have bounds over their labels."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from numbers import Number
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.documents.doc_rows import id_as_text
from irbounds._core.label_bounds.unjudged import has_bounds
from irbounds.foundation.errors import InputError, check_count, fail, shown
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.measure_table.measure import Measure
from irbounds.warnings import RunWarning

if TYPE_CHECKING:
    from irbounds.typing import HiddenLike, UnjudgedLike

TREATMENTS = ("nonrelevant", "bounds", "condensed")
EXPECTED = "a probability"
MOST_GRADES = 10_000  # whole grades that are tried where some have gains of their own


class Hidden(NamedTuple):
    """How many documents that were neither retrieved nor judged may be relevant."""

    number: int = 0
    by_query: Mapping[str, int] | None = None
    collection_size: int = 0  # all the rest of the collection, if not 0
    limit: int = 0  # documents in the collection, 0: unknown

    @classmethod
    def read(cls, value: HiddenLike | None, collection_size: int, qrels: Qrels) -> Hidden:
        """From `unjudged_hidden`: None, a number, a number by query, or "collection"."""
        if value is None:
            return cls(limit=collection_size)
        if isinstance(value, str):
            if value != "collection":
                fail(
                    "unjudged_hidden",
                    "must be a number of documents, a dict of them by query, or 'collection'",
                    value,
                )
            if not collection_size:
                raise InputError("unjudged_hidden='collection' needs `collection_size`")
            return cls(collection_size=collection_size, limit=collection_size)
        if isinstance(value, Mapping):
            numbers = {id_as_text(query): number for query, number in value.items()}
            known = set(qrels.query_ids)
            for query, number in numbers.items():
                if query not in known:
                    fail("unjudged_hidden", "must name judged queries", query)
                numbers[query] = check_count("unjudged_hidden", number, 0)
            return cls(by_query=numbers, limit=collection_size)
        return cls(check_count("unjudged_hidden", value, 0), limit=collection_size)

    def by_number(self, query_ids: list[str]) -> np.ndarray:
        """For each of the queries; -1 for all the rest of the collection."""
        if self.by_query is not None:
            return np.array([self.by_query.get(query, 0) for query in query_ids], np.int64)
        return np.full(len(query_ids), -1 if self.collection_size else self.number, np.int64)

    def of(self, query_id: str, n_known: int) -> int:
        """For one query with this number of retrieved or judged documents."""
        number = self.number
        if self.by_query is not None:
            number = self.by_query.get(query_id, 0)
        if self.limit and n_known > self.limit:
            raise InputError(
                f"`collection_size` {self.limit} is less than the {n_known} documents of query "
                f"{query_id!r}"
            )
        if self.collection_size:
            return self.collection_size - n_known
        if self.limit and n_known + number > self.limit:
            raise InputError(
                f"`unjudged_hidden` {number} and the {n_known} documents of query {query_id!r} are "
                f"more than `collection_size` {self.limit}"
            )
        return number


def refuse_without_bounds(unjudged_hidden: HiddenLike | None, max_grade: float | None) -> None:
    """Refuse options of bounds that were not asked for."""
    for name, value in (("unjudged_hidden", unjudged_hidden), ("max_grade", max_grade)):
        if value is not None:
            raise InputError(f"`{name}` goes with unjudged='bounds'")


def highest_grade(qrels: Qrels, max_grade: float | None) -> float:
    """The highest grade that an unjudged document may have: the one given, or the highest of the
    judgments (1, if nothing is relevant)."""
    highest = float(qrels._table.values().max(initial=0.0))
    if max_grade is None:
        return highest if highest > 0 else 1.0
    try:
        given = float(max_grade)
    except (TypeError, ValueError, OverflowError):
        given = math.nan
    if isinstance(max_grade, bool | str) or not 0 < given <= 2**31:
        fail("max_grade", "must be a grade above 0, at most 2^31", max_grade)
    if given < highest:
        raise InputError(
            f"`max_grade` must be at least the highest grade of the qrels, {highest:g}; "
            f"found {shown(max_grade)}"
        )
    return given


def highest_gain(max_grade: float, gain_of: Mapping[float, float]) -> float:
    """The highest gain of the grades from 0 to max_grade."""
    if not gain_of:
        return max_grade
    grades = {max_grade, *(grade for grade in gain_of if 0 <= grade <= max_grade)}
    grades |= {float(grade) for grade in range(min(int(max_grade), MOST_GRADES) + 1)}
    return max(gain_of.get(grade, grade) for grade in grades)


def check_has_bounds(measures: list[Measure], max_grade: float, ties: str) -> None:
    """Refuse measures that have no bounds over the labels of unjudged documents by this rule for
    ties."""
    for measure in measures:
        reason = _reason_against(measure, ties)
        if reason:
            raise InputError(f"{measure} has no bounds over unjudged documents: {reason}")
        gain = highest_gain(max_grade, measure.gain_of)
        largest, max_rel = measure.spec.largest_gain(measure), measure.get("max_rel")
        if largest < gain:
            raise InputError(
                f"{measure}: `max_grade` is {max_grade:g}, a gain above the {largest:g} to which "
                "its sums are finite"
            )
        if max_rel is not None and max_grade > max_rel:
            raise InputError(f"{measure}: `max_grade` is {max_grade:g}, above max_rel={max_rel:g}")


def share_of_judged(measure: Measure) -> Measure:
    """Judged documents down to the measure's cut-off, as a share."""
    is_count = measure.spec.at == "cutoff"
    return Measure("Judged", None, measure.cutoff if is_count else None)


def _reason_against(measure: Measure, ties: str) -> str:
    if measure.spec.function is not None:
        return "it is a Python function"
    if not has_bounds(measure.spec.kernel or measure.name):
        return "irbounds computes none for it"
    if measure.name == "IPrec" and ties == "expected":
        return "its mean over tied orders has none; choose ties='doc_id' or 'given'"
    if measure.parameters.get("judged_only"):
        return "`judged_only` drops them"
    if measure.name not in ("Judged", "Hole") and measure.parameters.get("rel", 1) == 0:
        return "with rel=0 every grade is relevant"
    gains = measure.parameters.get("gains") or {}
    if gains.get(0, 0) > 0:
        return "a document of grade 0 has a gain"
    return ""


def lists_relevant_only(qrels: Qrels) -> bool:
    """Whether there are judgments, and none of them says that a document is not relevant."""
    values = qrels._table.values()
    return bool(len(values) and np.all((values > 0) | (values < 0)))


def refuse_relevant_only(qrels: Qrels, unjudged_hidden: HiddenLike | None) -> None:
    """Refuse judgments that list relevant documents only, unless hidden documents were spoken of:
    then nobody knows which of the others were judged."""
    if unjudged_hidden is None and lists_relevant_only(qrels):
        raise InputError(
            "the qrels list relevant documents only, so they do not show which others were judged; "
            "pass unjudged_hidden=0 to treat all others as unjudged"
        )


def warn_of_relevant_only(qrels: Qrels, unjudged_hidden: HiddenLike | None) -> None:
    """Warn of such judgments, at the line that called the public function."""
    if unjudged_hidden is None and lists_relevant_only(qrels):
        warnings.warn(
            "the qrels list relevant documents only: all others count as unjudged; pass "
            "unjudged_hidden=0 if they are",
            RunWarning,
            stacklevel=3,
        )


class Unjudged(NamedTuple):
    """How unjudged documents count.

    treatment: one of TREATMENTS, or EXPECTED with `probability`: one number for all that are
    retrieved, or a Run whose scores are probabilities.
    """

    treatment: str
    hidden: Hidden
    max_grade: float
    probability: float | Run | None = None

    @property
    def has_bounds(self) -> bool:
        """Whether bounds over labels are asked for."""
        return self.treatment == "bounds"

    @classmethod
    def read(
        cls,
        unjudged: UnjudgedLike,
        unjudged_hidden: HiddenLike | None,
        max_grade: float | None,
        qrels: Qrels,
        collection_size: int,
        *,
        judged_only: bool,
    ) -> Unjudged:
        """From the arguments of `evaluate`."""
        treatment, probability = read_treatment(unjudged)
        if treatment != "bounds":
            refuse_without_bounds(unjudged_hidden, max_grade)
        if judged_only and treatment not in ("nonrelevant", "condensed"):
            raise InputError(
                "`judged_only` drops unjudged documents: it goes with unjudged='condensed' alone"
            )
        if probability is not None and not isinstance(probability, float):
            from irbounds.rankings.unjudged.probabilities import check_probabilities

            check_probabilities(probability, qrels)
        hidden = Hidden()
        highest = 0.0
        if treatment == "bounds":
            refuse_relevant_only(qrels, unjudged_hidden)
            hidden = Hidden.read(unjudged_hidden, collection_size, qrels)
            highest = highest_grade(qrels, max_grade)
        return cls(treatment, hidden, highest, probability)


def read_treatment(unjudged: UnjudgedLike) -> tuple[str, float | Run | None]:
    """The treatment; with it a probability for all or by document."""
    if isinstance(unjudged, str) and unjudged in TREATMENTS:
        return unjudged, None
    if isinstance(unjudged, Number) and not isinstance(unjudged, bool | complex):
        value = float(unjudged)  # type: ignore[arg-type]
        if not 0 <= value <= 1:
            fail("unjudged", "must be a probability in [0, 1]", unjudged)
        return EXPECTED, value
    known = ", ".join(map(repr, TREATMENTS))
    rule = f"must be one of {known}, a probability, or a table or file of probabilities"
    if isinstance(unjudged, str) and not os.path.exists(unjudged):  # noqa: PTH110, a faster start
        if _is_named_as_file(unjudged):
            raise InputError(f"unjudged: {unjudged}: No such file or directory")
        fail("unjudged", rule, unjudged)
    if unjudged is None or isinstance(unjudged, bool | complex | list | tuple | np.ndarray):
        fail("unjudged", rule, unjudged)
    from irbounds.rankings.unjudged.probabilities import read_probabilities

    return EXPECTED, read_probabilities(unjudged)


def _is_named_as_file(text: str) -> bool:
    """Whether the text looks like a path more than like a treatment or a number."""
    stem, suffix = os.path.splitext(text)  # noqa: PTH122, a faster start
    return bool(os.path.dirname(text)) or (suffix[1:].isidentifier() and bool(stem))  # noqa: PTH120
