"""rank_measures on hostile arrays: an error of one line, or what a plain copy of the same numbers
gives, in bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from source import Source

import irbounds as irb

KINDS = [
    "f8",
    ">f8",
    "f4",
    ">f4",
    "f2",
    "i1",
    "u1",
    "i4",
    ">i8",
    "u8",
    "?",
    "O",
    "M8[s]",
    "c16",
    "S3",
    "U3",
    "V2",
    "g",
]
SPECIAL = [
    0.0,
    -0.0,
    np.nan,
    np.inf,
    -np.inf,
    5e-324,
    -5e-324,
    2.3e-308,
    1.8e308,
    -1.7e308,
    1e300,
    1.0,
    2.0,
    -1.0,
]
MEASURES = [
    "AP",
    "nDCG",
    "nDCG@3",
    "DCG(dcg=exp-log2)@2",
    "P@2",
    "R@3",
    "F@2",
    "RR",
    "Success@2",
    "Rprec",
    "RBP(p=0.5)",
    "ERR(max_rel=9)",
    "ERR",
    "Bpref",
    "Judged@2",
    "SetP",
    "SetR",
    "SetF",
    "NumRet",
    "NumRel",
    "NumRelRet",
    "ESL(nr=2)",
    "PRR(nr=1)",
    "PRR(recall=0.5,interpolation=ceiling)",
    "EP(nr=1.5)",
    "EP(recall=0.3,interpolation=ceiling)",
    "PRECALL(nd=3)",
    "ER@3",
    "Fallout@2",
    "HT@2",
    "nDCG(gains={1:3,2:0.5})@4",
    "P(judged_only=True)@2",
    "AP(rel=2)",
]


def array_of(source: Source, shape: tuple[int, ...]) -> Any:
    """Numbers of any kind, stride, byte order and alignment."""
    n = int(np.prod(shape))
    values = [
        source.choice(SPECIAL) if source.number(8) == 0 else source.double()
        for _ in range(min(n, 200))
    ]
    numbers = np.resize(np.array(values or [0.0]), n)
    with np.errstate(all="ignore"):
        kind = source.choice(KINDS)
        if kind == "V2":
            array = np.zeros(n, kind)
        elif kind[0] in "iu" or kind == ">i8":
            array = np.nan_to_num(numbers, nan=0, posinf=9, neginf=-1).clip(-100, 100).astype(kind)
        elif kind == "M8[s]":
            array = np.zeros(n, kind)
        else:
            array = numbers.astype(kind)
    layout = source.number(6)
    if layout == 1:
        array = np.repeat(array, 3)[::3]
    elif layout == 2:
        array = array[::-1]
    elif layout == 3 and kind not in ("O", "?"):
        shifted = bytearray(b"\0" + array.tobytes())
        array = np.frombuffer(shifted, array.dtype, n, 1) if n else array
    array = array.reshape(shape)
    if layout == 4:
        array = np.asfortranarray(array)
    elif layout == 5:
        array.flags.writeable = False
    return array if source.number(8) else array.tolist()


def check(data: bytes) -> None:
    """Arrays and options from bytes."""
    source = Source(data)
    n = source.choice([0, 1, 2, 3, 5, 9, 17, 40, 130, 700])
    shape = source.choice([(n,), (n,), (1, n), (n, 1), (2, n), (0, n), (n, 1, 1), ()])
    scores, relevance = array_of(source, shape), array_of(source, shape)
    names = [source.choice(MEASURES) for _ in range(1 + source.number(4))]
    options: dict[str, Any] = {
        "ties": source.choice(["expected", "best", "worst", "given", "doc_id"]),
        "bounds": True,
    }
    if source.flag():
        options["groups"] = (np.arange(n) // (1 + source.number(9)) * source.choice([1, -1])) % 7
    if source.flag():
        options["collection_size"] = source.choice([1, n, 10 * n + 9, 2**52])
    if source.number(4) == 0:
        options["n_relevant"] = source.choice([0, n, n + 5, 10**9, np.nan, -1])
    elif source.number(4) == 0:
        options["unretrieved"] = array_of(source, (source.number(4),))
    if options["ties"] == "doc_id":
        options["doc_ids"] = np.array(
            [f"d{i % (n - source.number(2) or 1)}" for i in range(n)], object
        ).reshape(shape if np.prod(shape) == n else (n,))
    kept = [repr(np.array(array).tolist()) for array in (scores, relevance)]
    try:
        with np.errstate(all="ignore"):
            ev = irb.rank_measures(scores, relevance, names, **options)
    except irb.InputError as error:
        assert "\n" not in str(error), str(error)
        return
    for before, after in zip(kept, (scores, relevance), strict=True):
        assert before == repr(np.array(after).tolist()), "input was changed"
    assert not np.isnan(ev.values).any(), (names, ev.values)
    assert (ev.low <= ev.values).all(), (names, ev.low, ev.values)
    assert (ev.values <= ev.high).all(), (names, ev.values, ev.high)
    plain = (
        np.array(np.array(array).tolist(), float).reshape(np.shape(array))
        for array in (scores, relevance)
    )
    again = irb.rank_measures(*plain, names, **options)
    assert again.values.tobytes() == ev.values.tobytes(), (names, again.values, ev.values)
