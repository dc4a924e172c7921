"""The measures: what each is, its parameters, its name as ir_measures writes it.

The file is longer than 400 lines because reading a name checks each of its parts with a line of its
own.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from numbers import Number
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError, fail, shown
from irbounds.rankings.measure_table.aliases import ALIASES, from_elsewhere
from irbounds.rankings.measure_table.spec import (
    GAIN_REL,
    LEAST_GRADE,
    STOPS,
    FromLevel,
    MeasureSpec,
    Parameter,
)
from irbounds.rankings.measure_table.table import SPECS
from irbounds.rankings.measure_table.trec_names import NICKNAMES, TREC_ROWS, trec_columns

if TYPE_CHECKING:
    from irbounds.typing import MeasureLike, MeasuresLike

TIE_RULES = ("expected", "best", "worst", "doc_id", "given")
WORDS: dict[str, bool | None] = {"True": True, "False": False, "None": None}
ELSEWHERE = "Computed elsewhere."


class _NoMeasureError(InputError):
    """No measure is called so."""

    def __init__(self, *, is_name: bool) -> None:
        super().__init__("no measure")
        self.is_name = is_name


class Measure(str):
    """One measure with its parameters.  It is the text of its name, as ir_measures writes it, such
    as ``P(rel=2)@5``, and is accepted wherever that text is.

    Attributes
    ----------
    name : str
        Without parameters and cut-off.
    parameters : dict
        Those that are not the default.
    cutoff : int, float or None

    Examples
    --------
    >>> Measure.parse("ndcg_cut_10")
    nDCG@10
    >>> Measure.parse("PRR(recall=.5, interpolation='ceiling')")
    PRR(recall=0.5,interpolation=ceiling)
    >>> Measure.parse("MAP") == "AP"
    True
    """

    __slots__ = ("cutoff", "name", "parameters", "spec")

    name: str
    parameters: Mapping[str, Any]
    cutoff: int | float | None
    spec: MeasureSpec

    def __new__(
        cls,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        cutoff: int | float | None = None,
        spec: MeasureSpec | None = None,
    ) -> Measure:
        """A row of the table unless `spec` is another; a name that the table lacks is one's own."""
        parameters = MappingProxyType(dict(parameters or {}))
        inside = ",".join(f"{key}={_write(value)}" for key, value in parameters.items())
        at = "" if cutoff is None else f"@{_write(cutoff)}"
        self = super().__new__(cls, name + (f"({inside})" if inside else "") + at)
        spec = spec or SPECS.get(name) or MeasureSpec(name, ELSEWHERE, "", {})
        for key, value in zip(cls.__slots__, (cutoff, name, parameters, spec), strict=True):
            object.__setattr__(self, key, value)
        return self

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError(f"a Measure does not change: cannot set {key!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        if self.spec.function is None and not self.is_elsewhere:
            return Measure.of, (str(self),)
        return Measure, (self.name, None, None, self.spec)

    def __repr__(self) -> str:
        return str(self)

    @classmethod
    def elsewhere(
        cls, name: str, limits: tuple[float, float] | None = None, lower_is_better: bool = False
    ) -> Measure:
        """The measure of scores that were computed elsewhere, by their name as it is, also where
        a measure of the table is called so."""
        spec = MeasureSpec(name, ELSEWHERE, "", {}, lower_is_better=lower_is_better, limits=limits)
        return cls(name, spec=spec)

    @property
    def is_elsewhere(self) -> bool:
        """Whether its scores were computed elsewhere."""
        return self.spec.definition == ELSEWHERE

    @classmethod
    def of(cls, text: str) -> Measure:
        """The measure that a column of results is named after, a name of one's own included; it
        prints as it is written here."""
        if isinstance(text, Measure):
            return text
        try:
            known = cls.parse(text)
        except InputError:
            return cls(str(text))
        return known if known == text else cls(text, spec=known.spec)

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read a name such as ``nDCG(dcg=exp-log2)@10``, an alias (``MRR``), or one of trec_eval
        (``P_10``) or ranx (``mrr@10``).  Upper and lower case do not matter where one measure alone
        is called so.
        """
        try:
            return cls._read(text)
        except _NoMeasureError as error:
            # a start needs none of these
            from irbounds.rankings.measure_table.suggestions import in_other_case, no_measure

            found: Measure | None = in_other_case(text, SPECS, _read_or_none)
            if found is not None:
                return found
            known = [*NICKNAMES, *TREC_ROWS, *SPECS]
            raise InputError(no_measure(text, error.is_name, known, _parses)) from None

    @classmethod
    def _read(cls, text: str) -> Measure:
        if not isinstance(text, str):
            fail("text", "must be the name of a measure, as in P(rel=2)@5", text)
        form = re.compile(r"([^\W\d]\w*)\s*(?:\((.*)\))?\s*(?:@\s*([^@]+))?", re.DOTALL)
        match = form.fullmatch(from_elsewhere(text.strip()))
        if match is None:
            raise _NoMeasureError(is_name=False)
        name, inside, at = match.groups()
        name = ALIASES.get(name, name)
        if name not in SPECS:
            raise _NoMeasureError(is_name=True)
        spec = SPECS[name]
        parameters = {}
        for key, value in _read_parameters(text, inside or "").items():
            if key not in spec.parameters:
                hint = ""
                if key == "residual":
                    hint = "; unjudged='bounds' gives what unjudged documents can add"
                raise InputError(
                    f"{shown(text)}: {name} has no parameter {key!r}; it takes "
                    f"{', '.join(spec.parameters) or 'none'}{hint}"
                )
            parameters[key] = _check(text, key, value, spec.parameters[key])
        # In the order of the table, without defaults: one measure has one text, however it was
        # written.
        parameters = {
            key: parameters[key]
            for key, parameter in spec.parameters.items()
            if key in parameters and parameters[key] != parameter.default
        }
        for key, parameter in spec.parameters.items():
            if parameter.required and key not in parameters:
                raise InputError(f"{shown(text)}: {name} needs {key}=, {parameter.rule}")
        measure = cls(name, parameters, _read_cutoff(text, spec, at))
        if "nr" in spec.parameters and sum(stop in parameters for stop in STOPS) != 1:
            allowed = [f"{name}({stop}=…)" for stop in STOPS if stop in spec.parameters]
            raise InputError(
                f"{shown(text)}: give exactly one of {', '.join(allowed)}, where the search stops"
            )
        if parameters.get("gains") and "rel" in parameters and spec.parameters["rel"] is GAIN_REL:
            raise InputError(f"{shown(text)}: give gains= or rel=, not both")
        if "interpolation" in parameters and "recall" not in parameters:
            raise InputError(f"{shown(text)}: interpolation requires recall=")
        return measure

    def get(self, key: str) -> Any:
        """A parameter's value, or its default; None where the measure has no such parameter."""
        parameter = self.spec.parameters.get(key)
        return self.parameters.get(key, parameter and parameter.default)

    @property
    def gain_of(self) -> dict[float, float]:
        """The gains that stand in the place of grades; empty where grades are gains."""
        if not self.parameters:
            return {}
        if self.spec.parameters.get("rel") is GAIN_REL and "rel" in self.parameters:
            return FromLevel(float(self.parameters["rel"]))
        return dict(sorted(self.parameters.get("gains", {}).items()))

    @property
    def view(self) -> tuple[bool, tuple[tuple[float, float], ...], float | None]:
        """How it sees the relevances: judged documents only, (grade, gain) pairs, and the level
        from which on the gain is 1."""
        gains = self.gain_of
        level = gains.level if isinstance(gains, FromLevel) else None
        return bool(self.parameters.get("judged_only", False)), tuple(gains.items()), level

    @property
    def least_relevant(self) -> float | None:
        """The lowest grade (or gain in its place) of which it finds a document; None where it does
        not look for relevant documents."""
        if self.spec.function is not None:
            return float(self.spec.rel)
        if self.spec.mark_level(self) == LEAST_GRADE:
            return LEAST_GRADE
        rel = self.get("rel")
        return None if rel is None else float(rel)

    @property
    def kernel_row(self) -> tuple[str, float, int, Sequence[float]]:
        """Input of the kernels: name, lowest relevant grade (-1: all documents count), cut-off (0:
        none), arguments."""
        parameter = self.spec.parameters.get("rel", GAIN_REL)
        rel = 1 if parameter is GAIN_REL else self.get("rel")
        is_count = self.spec.at == "cutoff" and self.cutoff is not None
        return (
            self.spec.kernel or self.name,
            -1.0 if rel is None else float(rel),
            int(self.cutoff or 0) if is_count else 0,
            self.spec.arguments(self),
        )


def _read_or_none(text: str) -> Measure | None:
    with contextlib.suppress(InputError):
        return Measure._read(text)
    return None


def _parses(text: str) -> bool:
    """Whether a measure, or several, are called so."""
    if _read_or_none(text) is not None:
        return True
    return text in NICKNAMES or (text in TREC_ROWS and text != "P")  # P@10 is likelier meant


def is_known(name: str) -> bool:
    """Whether a built-in measure is called so, here or by another tool."""
    return name in SPECS or name in ALIASES or from_elsewhere(name) != name


def _read_parameters(text: str, inside: str) -> dict[str, Any]:
    parameters = {}
    for item in split_outside_brackets(inside, ","):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key:
            raise InputError(
                f"{shown(text)}: parameters must be named, as in P(rel=2)@5; found {item.strip()!r}"
            )
        if key in parameters:
            raise InputError(f"{shown(text)}: {key} is given twice")
        parameters[key] = _read_value(value)
    return parameters


def _read_value(text: str) -> Any:
    """A number, True or False, a word with quotes or without, [number, …] or {number: number}; what
    is none of these stays text."""
    if re.fullmatch(r"[+-]?\d{1,4000}", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return float(text)
    if text in WORDS:
        return WORDS[text]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        levels = [_read_value(item.strip()) for item in text[1:-1].split(",") if item.strip()]
        if all(isinstance(level, int | float) for level in levels):
            return tuple(levels)
    if text.startswith("{") and text.endswith("}"):
        items = [item.partition(":") for item in text[1:-1].split(",") if item.strip()]
        pairs = [(_read_value(key.strip()), _read_value(value.strip())) for key, _, value in items]
        if all(isinstance(part, int | float) for pair in pairs for part in pair):
            return dict(pairs)
    return text


def _read_cutoff(text: str, spec: MeasureSpec, at: str | None) -> int | float | None:
    if at is None:
        if spec.needs_cutoff:
            raise InputError(
                f"{shown(text)}: {spec.name} needs a cut-off, as in "
                f"{spec.name}@{spec.example_cutoff}"
            )
        return None
    if not spec.takes_cutoff:
        raise InputError(f"{shown(text)}: {spec.name} takes no cut-off")
    if spec.at == "recall":
        try:
            level = float(at)
        except ValueError:
            level = -1.0
        if not 0 <= level <= 1:
            raise InputError(
                f"{shown(text)}: the recall level must be in [0, 1]; found {' '.join(at.split())}"
            )
        return level + 0.0  # no -0
    if spec.at == "percentage":
        if not re.fullmatch(r"\d{1,3}(\.\d{1,9})?", at.strip()) or not 0 < float(at) <= 100:
            raise InputError(
                f"{shown(text)}: the percentage must be above 0, at most 100; found "
                f"{' '.join(at.split())}"
            )
        return int(float(at)) if float(at).is_integer() else float(at)
    found = " ".join(at.split())
    if re.fullmatch(r"\d{19,}", found):
        raise InputError(f"{shown(text)}: the cut-off must be below 10^18; found {found[:40]}")
    if late := re.fullmatch(r"(\d+) ?\((.*)\)", found):
        inside = late[2] if late[2] != "gains=exp" else "dcg=exp-log2"
        raise InputError(
            f"{shown(text)}: parameters stand before the cut-off: {spec.name}({inside})@{late[1]}"
        )
    if not re.fullmatch(r"\d{1,18}", found) or int(found) == 0:
        raise InputError(
            f"{shown(text)}: the cut-off must be a whole number, 1 or more; found {found}"
        )
    return int(at)


def _check(text: str, key: str, value: Any, parameter: Parameter) -> Any:
    try:
        return parameter.read(value)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise InputError(
            f"{shown(text)}: {key} must be {parameter.rule}; found {shown(value)}"
        ) from None


def _write(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_write(key)}:{_write(gain)}" for key, gain in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(_write, value)) + "]"
    if not isinstance(value, float):
        return str(value)
    short = f"{value:.15g}"
    return short if float(short) == value else repr(value)  # a name must tell measures apart


def split_outside_brackets(text: str, separators: str) -> list[str]:
    """The parts of a text between separators, those inside brackets or quotes left alone."""
    parts, depth, quote, start = [], 0, "", 0
    for i, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter in separators and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def words_of(text: str) -> list[str]:
    """The measures of a text, or lists of them with commas: what spaces separate, but for spaces
    before brackets and beside @."""
    return split_outside_brackets(re.sub(r"\s*(@)\s*|\s+(?=\()", r"\1", text), " \t\r\n")


def parse_measures(measures: MeasuresLike) -> list[Measure]:
    """Measures from one string, from a list of strings and of measures, or from ir_measures objects
    (their `str` is read)."""
    if isinstance(measures, str) or not (
        isinstance(measures, Iterable) and getattr(measures, "ndim", True)
    ):
        measures = [measures]
    if isinstance(measures, set | frozenset):  # whose order is another one in each process
        measures = sorted(measures, key=str)
    found: dict[Measure, Measure] = {}
    for item in measures:
        for measure in _measures_of(item):
            if found.setdefault(measure, measure).spec.function is not measure.spec.function:
                raise InputError(f"two measures are called {measure}")
    if not found:
        raise InputError("`measures` must name at least one measure")
    return list(found)


def _measures_of(item: object) -> list[Measure]:
    if isinstance(item, Measure) and (item.spec.function or item.name in SPECS):
        return [item]
    if not isinstance(item, str):
        return [Measure.parse(_text(item))]
    return _measures_of_text(str(item))


@lru_cache(maxsize=256)  # to read four names takes as long as to evaluate ten small queries
def _measures_of_text(text: str) -> list[Measure]:
    """The measures that a text names; the list is not changed."""
    found = []
    for word in words_of(text):
        if word == "recall":
            from irbounds.rankings.measure_table.suggestions import RECALL

            raise InputError(f"the measure {word!r} has two meanings: {RECALL}")
        columns = trec_columns(word)
        if columns is None:
            found += [
                measure for text in split_outside_brackets(word, ",") for measure in _one(text)
            ]
        else:
            found += [Measure.parse(column.measure) for column in columns if column.measure]
            if not any(column.measure for column in columns):
                raise InputError(f"{word} is text: irbounds eval --format trec prints it")
    return found


def _one(text: str) -> list[Measure]:
    """A measure, or those of a name of trec_eval's that has no cut-off here."""
    columns = trec_columns(text)
    if columns is None:
        return [Measure.parse(text)]
    return [Measure.parse(column.measure) for column in columns if column.measure]


def _text(measure: object) -> str:
    """The name of another library's measure, which must be neither a list nor a number."""
    if measure is None or isinstance(measure, Number | Iterable | bytes):
        fail("measures", "must be names of measures", measure)
    return str(measure)


def ties_words(ties: str, measures: Iterable[Measure]) -> str:
    """ ", ties expected"; nothing of scores that were computed elsewhere."""
    return "" if all(measure.is_elsewhere for measure in measures) else f", ties {ties}"


def find_measure(measure: MeasureLike, measures: Sequence[Measure], done: str) -> int:
    """The number of a measure among these, however it is written; `done` says what was done with
    them."""
    text = str(measure)
    if text not in measures:
        with contextlib.suppress(InputError):
            text = Measure.parse(text)
    if text in measures:
        return measures.index(text)
    raise KeyError(f"{measure!s} was not {done}; there are {', '.join(measures)}")
