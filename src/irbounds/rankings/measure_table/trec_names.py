"""The measures of trec_eval 10 by its names and parameters, as it prints them: `P.5,10`,
`ndcg.1=3,2=9`, and the sets `official`, `set` and `all_trec`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from irbounds.foundation.errors import InputError, shown

LENGTH = 10  # of a relstring
LEAST_BETA = 1e-100  # that SetF takes
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(i / 10 for i in range(11))
TIMES = tuple(i / 5 for i in range(1, 11))


class TrecRow(NamedTuple):
    """The meaning of a name of trec_eval.

    Attributes
    ----------
    form : str
        The measure, with {at} for what it is cut at; empty where the value is text.
    at : tuple
        Its cut-offs, unless others are given.
    takes_rel : bool
        Whether trec_eval's -l changes it.
    rounds : bool
        Whether versions 9 and 10 round differently.
    of_queries, of_all : bool
        Whether it is printed for queries, and for all of them.
    parameters : callable, optional
        Parameters here for the text of those there.
    """

    form: str
    at: tuple[float, ...] = ()
    takes_rel: bool = True
    rounds: bool = False
    of_queries: bool = True
    of_all: bool = True
    parameters: Callable[[str], str] | None = None


class TrecColumn(NamedTuple):
    """A value that trec_eval prints: its label, the measure here (empty: text of the row `base`),
    and the row."""

    label: str
    measure: str
    base: str


def _gains(text: str) -> str:
    """1=3,2=9"""
    return "gains={" + text.replace("=", ":") + "}"


def _patience(text: str) -> str:
    """p=0.8, and gains"""
    pairs = [pair.split("=") for pair in text.split(",")]
    gains = ",".join(f"{key}={value}" for key, value in pairs if key != "p")
    return ",".join(
        [f"p={value}" for key, value in pairs if key == "p"] + [_gains(gains)] * (gains != "")
    )


def _patience_alone(text: str) -> str:
    """The same for a measure that no gain changes."""
    return _patience(",".join(pair for pair in text.split(",") if pair.startswith("p=")))


def _worth(text: str) -> str:
    """1,-1,0,0"""
    values = text.split(",")
    if len(values) != 4:
        raise ValueError
    return ",".join(map("=".join, zip("abcd", values, strict=True)))


def _levels(text: str) -> str:
    """.25,.5"""
    return f"levels=[{text}]"


def _beta(text: str) -> str:
    """The square of beta, of which this is the root."""
    # F of the least beta is the precision to all digits, as trec_eval's is with 0
    return f"beta={max(math.sqrt(float(text)), LEAST_BETA)!r}"


WITHOUT_KEYS = (_worth, _levels, _beta)  # read numbers alone


# In the order of trec_eval's output.
TREC_ROWS = {
    "runid": TrecRow("", of_queries=False),
    "num_q": TrecRow("NumQ", takes_rel=False, of_queries=False),
    "num_ret": TrecRow("NumRet", takes_rel=False),
    "num_rel": TrecRow("NumRel"),
    "num_rel_ret": TrecRow("NumRelRet"),
    "map": TrecRow("AP"),
    "gm_map": TrecRow("GMAP", of_queries=False),
    "Rprec": TrecRow("Rprec"),
    "bpref": TrecRow("Bpref"),
    "recip_rank": TrecRow("RR"),
    "iprec_at_recall": TrecRow("IPrec@{at}", RECALLS, rounds=True),
    "P": TrecRow("P@{at}", CUTOFFS),
    "relstring": TrecRow("", (LENGTH,), of_all=False),
    "recall": TrecRow("R@{at}", CUTOFFS),
    "infAP": TrecRow("infAP"),
    "gm_bpref": TrecRow("GMBpref", of_queries=False),
    "Rprec_mult": TrecRow("Rprec(mult={at})", TIMES),
    "utility": TrecRow("Utility", parameters=_worth),
    "11pt_avg": TrecRow("IPrec11", rounds=True, parameters=_levels),
    "binG": TrecRow("binG"),
    "G": TrecRow("G", takes_rel=False, parameters=_gains),
    "dcg": TrecRow("DCG", takes_rel=False, parameters=_gains),
    "ideal_dcg": TrecRow("IDCG", takes_rel=False, parameters=_gains),
    "ndcg": TrecRow("nDCG", takes_rel=False, parameters=_gains),
    "ndcg_rel": TrecRow("nDCGrel", takes_rel=False, parameters=_gains),
    "Rndcg": TrecRow("RnDCG", parameters=_gains),
    "ndcg_cut": TrecRow("nDCG@{at}", CUTOFFS, takes_rel=False),
    "map_cut": TrecRow("AP@{at}", CUTOFFS),
    "relative_P": TrecRow("RelP@{at}", CUTOFFS),
    "success": TrecRow("Success@{at}", (1, 5, 10)),
    "set_P": TrecRow("SetP"),
    "set_relative_P": TrecRow("SetP(relative=True)"),
    "set_recall": TrecRow("SetR"),
    "set_map": TrecRow("SetAP"),
    "set_F": TrecRow("SetF", parameters=_beta),
    "num_nonrel_judged_ret": TrecRow("NumNonrelRet"),
    "yaap": TrecRow("YAAP"),
    "rbp": TrecRow("RBPGraded", takes_rel=False, parameters=_patience),
    "rbp_resid": TrecRow("RBPResid", takes_rel=False, parameters=_patience_alone),
    "unj": TrecRow("Hole@{at}", (5, 10, 20), takes_rel=False),
}
NOT_IN_ALL = ("dcg", "ideal_dcg", "yaap")
_COUNTS = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret"]
_RANKED = ["map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"]
_SETS = ["utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
NICKNAMES = {
    "official": [*_COUNTS, *_RANKED],
    "set": [*_COUNTS, *_SETS],
    "all_trec": [name for name in TREC_ROWS if name not in NOT_IN_ALL],
}
ROUNDINGS = {"all_trec": "nearest"}  # the set is that of version 10, which rounds so
WITH_TWO_PLACES = ("iprec_at_recall", "Rprec_mult")
# Names of measures are compared with these at every start; regular expressions of all names would
# take as long as a small evaluation.
PARAMETER_LETTERS = frozenset("-0123456789.,=p")


def trec_columns(
    text: str, given: Mapping[str, Sequence[str]] | None = None
) -> list[TrecColumn] | None:
    """The values that a name of trec_eval, or of a set, stands for, in its order; None for any
    other text.

    A set takes rel=, trec_eval's -l, and rounding=, "up" as version 9 or "nearest" as version 10.
    The parameters `given` for a name take the place of those that it has in a set or alone.
    """
    given = given or {}
    name, bracket, inside = text.partition("(")
    if name in NICKNAMES and (inside.endswith(")") or not bracket):
        options = _options_of_set(text, name, inside[:-1])
        return [
            column
            for base in NICKNAMES[name]
            for parameters in given.get(base, [""])
            for column in _row_columns(base, parameters, **options)
        ]
    if text in TREC_ROWS:
        return [x for parameters in given.get(text, [""]) for x in _row_columns(text, parameters)]
    parts = with_parameters_there(text) or _with_printed_parameters(text)
    return None if parts is None else _row_columns(*parts)


def with_parameters_there(text: str) -> tuple[str, str] | None:
    """A name of trec_eval, and its parameters as they are asked for there.  rbp.95 is ranx's."""
    name, _, given = text.partition(".")
    if name not in TREC_ROWS or not given or not {*given} <= PARAMETER_LETTERS:
        return None
    return None if name == "rbp" and "=" not in given else (name, given)


def _with_printed_parameters(text: str) -> tuple[str, str] | None:
    """A name of trec_eval with the cut-off, or with the parameters, with which it is printed."""
    name, _, given = text.rpartition("_")
    row = TREC_ROWS.get(name)
    if row is None or not given or not {*given} <= PARAMETER_LETTERS:
        return None
    if row.at:
        return (name, given) if re.fullmatch(r"\d+|\d*\.\d+", given) else None
    # ndcg_10 has a cut-off at most: gains are pairs
    is_read = row.parameters in WITHOUT_KEYS or (row.parameters is not None and "=" in given)
    return (name, given) if is_read else None


def _options_of_set(text: str, name: str, inside: str) -> dict[str, str]:
    options = {"rounding": ROUNDINGS.get(name, "up")}
    for item in filter(None, (part.strip() for part in inside.split(","))):
        key, _, value = (part.strip() for part in item.partition("="))
        known = {"rel": r"\d+(\.\d+)?", "rounding": "up|nearest"}
        if not re.fullmatch(known.get(key, "(?!)"), value):
            raise InputError(
                f"{shown(text)}: {name} takes rel=, a grade, and rounding=, up or nearest; found "
                f"{item!r}"
            )
        options[key] = value
    if options["rounding"] == "up":
        del options["rounding"]
    return options


def _row_columns(base: str, given: str, **options: str) -> list[TrecColumn]:
    """Those of one row, with parameters as trec_eval writes them, and options for all of a set."""
    try:
        return list(_each_column(base, given, **options))
    except ValueError:
        raise InputError(
            f"cannot read the parameters of {shown(f'{base}.{given}')}: trec_eval -h -m {base} "
            "shows them"
        ) from None


def _each_column(base: str, given: str, **options: str) -> Iterator[TrecColumn]:
    row = TREC_ROWS[base]
    keep = [key for key, taken in (("rounding", row.rounds), ("rel", row.takes_rel)) if taken]
    taken = [f"{key}={options[key]}" for key in keep if key in options]
    if not row.at or (base == "relstring" and not given):
        if given and row.parameters is None:
            raise ValueError
        own = [row.parameters(given)] if given and row.parameters else []
        label = f"{base}_{given}" if given else base
        yield TrecColumn(label, row.form and with_parameters(row.form, own + taken), base)
        return
    for at in sorted(map(float, given.split(","))) if given else row.at:
        is_share = base in WITH_TWO_PLACES
        shown_at = f"{at:.2f}" if is_share else str(int(at))
        form = row.form.format(at=repr(float(at)) if is_share else int(at))
        measure = row.form and with_parameters(form, taken)
        yield TrecColumn(f"{base}_{shown_at}", measure, base)


def with_parameters(form: str, parameters: list[str]) -> str:
    """A measure with more parameters."""
    if not parameters:
        return form
    head, at, cutoff = form.partition("@")
    name, _, inside = head.rstrip(")").partition("(")
    return f"{name}({','.join([inside] * (inside != '') + parameters)}){at}{cutoff}"
