"""The measures: what each is, its parameters, its name as ir_measures writes it."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

from irbounds.foundation.errors import InputError, fail, shown, suggest
from irbounds.rankings.measure_table import (
    ALIASES,
    RANX_NAMES,
    SPECS,
    TREC_NAMES,
    MeasureSpec,
    Parameter,
)

TIE_RULES = ("expected", "best", "worst", "doc_id", "given")
STOPS = ("nr", "recall", "nd")
WORDS: dict[str, bool | None] = {"True": True, "False": False, "None": None}


@dataclass(frozen=True)
class Measure:
    """One measure with its parameters; `str` gives its name as ir_measures writes it, such as
    ``P(rel=2)@5``.

    Examples
    --------
    >>> Measure.parse("ndcg_cut_10")
    nDCG@10
    >>> Measure.parse("PRR(recall=.5, interpolation='ceiling')")
    PRR(recall=0.5,interpolation=ceiling)
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    cutoff: int | float | None = None

    @property
    def spec(self) -> MeasureSpec:
        """Its row of the table of measures."""
        return SPECS[self.name]

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read a name such as ``nDCG(dcg=exp-log2)@10``, an alias (``MRR``), or one of trec_eval
        (``P_10``) or ranx (``mrr@10``).
        """
        if not isinstance(text, str):
            fail("text", "must be the name of a measure, as in P(rel=2)@5", text)
        form = re.compile(r"([^\W\d]\w*)\s*(?:\((.*)\))?\s*(?:@\s*([^@]+))?", re.DOTALL)
        match = form.fullmatch(_from_elsewhere(text.strip()))
        if match is None:
            raise InputError(f"cannot read the measure {shown(text)}: write it as in P(rel=2)@5")
        name, inside, at = match.groups()
        name = ALIASES.get(name, name)
        if name not in SPECS:
            raise InputError(
                f"unknown measure {shown(text)}{suggest(name, [*ALIASES, *SPECS])}; "
                "irbounds.measures() lists all"
            )
        spec = SPECS[name]
        parameters = {}
        for key, value in _read_parameters(text, inside or "").items():
            if key not in spec.parameters:
                raise InputError(
                    f"{shown(text)}: {name} has no parameter {key!r}; it takes "
                    f"{', '.join(spec.parameters) or 'none'}"
                )
            parameters[key] = _check(text, key, value, spec.parameters[key])
        parameters = {
            key: parameters[key]
            for key, parameter in spec.parameters.items()
            if key in parameters and parameters[key] != parameter.default
        }
        measure = cls(name, parameters, _read_cutoff(text, spec, at))
        if "nr" in spec.parameters and sum(stop in parameters for stop in STOPS) != 1:
            allowed = [f"{name}({stop}=…)" for stop in STOPS if stop in spec.parameters]
            raise InputError(f"{shown(text)}: say where the search stops: {' or '.join(allowed)}")
        if "interpolation" in parameters and "recall" not in parameters:
            raise InputError(f"{shown(text)}: interpolation goes with recall=")
        return measure

    def __getitem__(self, key: str) -> Any:
        return self.parameters.get(key, self.spec.parameters[key].default)

    def __str__(self) -> str:
        inside = ",".join(f"{key}={_write(value)}" for key, value in self.parameters.items())
        at = "" if self.cutoff is None else f"@{_write(self.cutoff)}"
        return self.name + (f"({inside})" if inside else "") + at

    __repr__ = __str__

    @property
    def view(self) -> tuple[bool, tuple[tuple[float, float], ...]]:
        """How it sees the relevances: judged documents only, and (grade, gain) pairs."""
        gains = self.parameters.get("gains", {})
        return bool(self.parameters.get("judged_only", False)), tuple(sorted(gains.items()))

    @property
    def mark_level(self) -> float:
        """The lowest grade that it tells from the others."""
        if self.name in ("Bpref", "Judged"):
            return 0.0
        if self.spec.is_graded or "max_rel" in self.parameters:
            return 5e-324
        rel = self["rel"]
        return float("inf") if rel is None else float(rel)

    @property
    def highest_gain(self) -> float:
        """The highest grade, or gain in its place, of which its sums are finite."""
        if not self.spec.is_graded:
            return math.inf
        return 1000.0 if self.name == "ERR" or self["dcg"] == "exp-log2" else 1e300

    def kernel_fields(self) -> dict[str, Any]:
        """What the kernel's description of a measure needs."""
        get = {key: self[key] for key in self.spec.parameters}
        fields = {"kind": self.name, "beta": get.get("beta", 1.0)}
        if get.get("rel") is not None:
            fields["relevant_from"] = get["rel"]
            if self.name == "NumRet":
                fields["kind"] = "NumRelRet"
        if get.get("relative"):
            fields["kind"] = "SetRelP"
        if self.spec.at == "recall":
            fields["at"] = self.cutoff
        elif self.cutoff is not None:
            fields["cutoff"] = self.cutoff
        if self.name in ("DCG", "nDCG"):
            fields["exponential_gain"] = get["dcg"] == "exp-log2"
        if "p" in get:
            fields["p"] = get["p"]
        if get.get("max_rel") is not None:
            fields.update(max_grade=get["max_rel"], is_graded=True)
        for stop in STOPS:
            if stop in self.parameters and "nr" in get:
                is_ceiling = self.parameters.get("interpolation") == "ceiling"
                fields.update(stop="ceiling" if is_ceiling else stop, at=get[stop])
        return fields


def _from_elsewhere(text: str) -> str:
    """The name here of a measure as trec_eval or ranx writes it; anything else stays as it is."""
    for pattern, template in (*TREC_NAMES, *RANX_NAMES):
        match = re.fullmatch(pattern, text)
        if match is not None:
            return match.expand(template)
    return text


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
    """A number, True or False, a word with quotes or without, or {number: number}; what is none of
    these stays text."""
    if re.fullmatch(r"[+-]?\d{1,4000}", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return float(text)
    if text in WORDS:
        return WORDS[text]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
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
    if not re.fullmatch(r"\d{1,18}", at.strip()) or int(at) == 0:
        raise InputError(
            f"{shown(text)}: the cut-off must be a whole number, 1 or more; found "
            f"{' '.join(at.split())}"
        )
    return int(at)


def _check(text: str, key: str, value: Any, parameter: Parameter) -> Any:
    try:
        return parameter.read(value)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise InputError(
            f"{shown(text)}: {key} must be {parameter.rule}; found {shown(value)}"
        ) from None


def _write(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_write(key)}:{_write(gain)}" for key, gain in value.items()) + "}"
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


def parse_measures(measures: Any) -> list[Measure]:
    """Measures from one string, from a list of strings, or from ir_measures objects (their `str` is
    read)."""
    if isinstance(measures, str):
        texts = split_outside_brackets(measures, " \t\r\n,")
    elif isinstance(measures, Iterable) and getattr(measures, "ndim", True):
        texts = [
            part
            for item in measures
            for part in (
                [_text(item)]
                if not isinstance(item, str)
                else split_outside_brackets(item, " \t\r\n,")
            )
        ]
    else:
        texts = [_text(measures)]
    parsed = list(dict.fromkeys(Measure.parse(text) for text in texts))
    if not parsed:
        raise InputError("`measures` names no measure")
    return parsed


def _text(measure: Any) -> str:
    """What an object of another library is called, which is not to be a list or a number."""
    if measure is None or isinstance(measure, Number | Iterable | bytes):
        fail("measures", "must be names of measures", measure)
    return str(measure)


def name_among(measure: Any, names: Sequence[str], done: str) -> str:
    """The one of these names that stands for a measure, however it is written; `done` says what was
    done with them."""
    name = str(measure)
    if name not in names:
        with contextlib.suppress(ValueError):
            name = str(Measure.parse(name))
    if name not in names:
        raise KeyError(f"{measure!s} was not {done}; there are {', '.join(names)}")
    return name


@dataclass(frozen=True)
class MeasureInfo:
    """What `measures()` tells of a measure."""

    name: str
    form: str
    definition: str
    tie_rule: str
    source: str
    parameters: dict[str, str]

    def __repr__(self) -> str:
        return f"{self.form}: {self.definition} Ties: {self.tie_rule} Source: {self.source}"


def _rule(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" (default {parameter.default})"
    return f"{parameter.rule}{default}"


def measures() -> list[MeasureInfo]:
    """All measures, each with its definition, its source and its tie rule.

    Examples
    --------
    >>> import irbounds as irb
    >>> [info.form for info in irb.measures()][:3]
    ['AP[@k]', 'P@k', 'R@k']
    """
    return [
        MeasureInfo(
            spec.name,
            spec.form,
            spec.definition,
            spec.tie_rule,
            spec.source,
            {key: _rule(parameter) for key, parameter in spec.parameters.items()},
        )
        for spec in SPECS.values()
    ]
