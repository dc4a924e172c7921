"""Designs of reviews with strata, and reviews drawn from them.

A design is (retrieved, unretrieved).  Each is a list of strata as (size, sampled, relevant), with a
fourth element if a coder's calls were audited: the coder's sensitivity, false alarms, and the
documents of the audit.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

import irbounds as irb

Design = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]
ONE = [(12_000, 150, 8640)]
REST = [(88_000, 1300, 1360)]


def growing(smallest: int, largest: int, strata: int, sampled: int, share: float) -> list[Any]:
    """Strata whose sizes rise by a constant ratio."""
    sizes = np.round(np.geomspace(smallest, largest, strata)).astype(int).tolist()
    return [(size, sampled, round(size * share)) for size in sizes]


def made() -> list[Design]:
    """Usual strata of the unretrieved."""
    equal = [
        (ONE, [(88_000 // h, round(1300 / h), round(1360 / h))] * h)
        for h in (1, 2, 5, 10, 20, 40, 60)
    ]
    rich = [(2000, 400, 800), (4000, 300, 300), (8000, 300, 150), (24_000, 200, 80)]
    few = [(40 + 10 * i, 3, int((40 + 10 * i) * 0.02 * (i % 5))) for i in range(30)]
    return [
        *equal,
        (ONE, [(4400, 65, 22)] * 20),
        (ONE, [(4400, 65, 680)] * 2 + [(4400, 65, 0)] * 18),
        ([(600, 8, 432)] * 20, [(4400, 65, 68)] * 20),
        (ONE, [*rich, (50_000, 100, 30)]),
        (ONE, [*few, (80_000, 900, 900)]),
        ([(6000, 150, 4000)], [(500, 25, 250)] * 20),
        ([(2000, 100, 1500)], [(10_000, 50, 10)] * 40),
        ([(2000, 100, 1500)], [(100_000, 400, 100)] + [(100, 20, 30)] * 19),
        ([(2000, 100, 1500)], [(30, 30, 10)] * 10 + [(50_000, 800, 400)]),
    ]


def tiny() -> list[Design]:
    """Strata of the unretrieved with few sampled documents each and the same share relevant."""
    equal = ((40, 1, 0.2), (60, 2, 0.2), (40, 3, 0.05), (40, 3, 0.3), (20, 7, 0.3), (40, 7, 0.1))
    more = (20, 15, 0.1), (10, 30, 0.1)
    unequal = [
        growing(500, 2000, 60, 2, 0.2),
        *(growing(50, 5000, 40, n, 0.2) for n in (1, 3, 7)),
    ]
    strata = [growing(1000, 1000, *each) for each in (*equal, *more)] + unequal
    return [([(12_000, 300, 8000)], each) for each in strata]


def uneven() -> list[Design]:
    """Unretrieved strata whose sampled documents stand for very different numbers of documents."""
    small = [(1000, 100, 50)] * 10
    strata = [
        *([*small, (20_000, n, r)] for n, r in ((1, 8000), (3, 4000), (20, 1000), (100, 200))),
        [(1000, 50, 10)] * 39 + [(100_000, 50, 500)],
        [(2000, 100, 100)] * 4 + [(50_000, 100, 500)],
        growing(100, 50_000, 10, 50, 0.01),
        growing(100, 10_000, 20, 10, 0.05),
        growing(50, 5000, 40, 5, 0.08),
        growing(50, 5000, 40, 15, 0.01),
        [(10_000, 2, 1000)] * 5 + [(4000, 200, 400)] * 5,
        [(300, 2, 200)] + [(2000, 20, 2)] * 50,
        [(10_000, 500, 100), (10_000, 5, 3000)],
        [(100_000, 300, 900)] + [(10, 9, 0)] * 39,
    ]
    return [([(12_000, 300, 8640)], each) for each in strata]


def retrieved() -> list[Design]:
    """Strata among the retrieved, which are rich, or of both segments."""
    rising = [(1200, 8, round(1200 * share)) for share in np.linspace(0.05, 0.95, 10)]
    return [
        ([(1200, 15, 864)] * 10, REST),
        ([(600, 3, 432)] * 20, REST),
        ([(200, 2, 144)] * 60, REST),
        (rising, REST),
        ([(100, 50, 20)] * 20 + [(10_000, 20, 8000)], REST),
        ([(6000, 200, 4500), (6000, 4, 4500)], REST),
        ([(200, 200, 150)] * 5 + [(5000, 30, 4000)], REST),
        ([(1, 1, 1)] * 5 + ONE, REST),
        ([(1200, 15, 1164)] * 10, REST),
        ([(600, 2, 432)] * 20, [(2200, 7, 220)] * 40),
        ([(600, 5, 432)] * 20, [(4400, 65, 68)] * 20),
    ]


def contrasts() -> list[Design]:
    """Nearly all of one stratum is relevant and nothing in the others; or one of each pair is."""
    found: list[Design] = [
        ([(10_000, 200, 7000)], [(1000, n, 0)] * 29 + [(1000, n, 900)]) for n in (4, 8, 16, 32)
    ]
    found.append(([(1000, 8, 0)] * 9 + [(1000, 8, 900)], [(88_000, 4000, 300)]))
    return [*found, ([(300, 60, 200)], [(2, 1, 1)] * 100)]


def audits() -> list[Design]:
    """Coded and audited segments beside strata."""
    coder, reviewer = (0.9, 0.1, 200), (0.8, 0.03, 200)
    part = [(10_000, 3000, 300, reviewer)] + [(4400, 65, 68)] * 9
    return [
        ([(12_000, 12_000, 8640, coder)], [(4400, 65, 68)] * 10),
        ([(6000, 6000, 4320, coder)], [(1000, 3, 200)] * 20),
        ([(12_000, 3000, 8640, coder)], part),
        (ONE, [(5000, 5000, 100, (0.8, 0.03, 120))] * 4),
        (ONE, [(10_000, 10_000, 300, reviewer)] + [(500, 2, 25)] * 10),
    ]


def trec(data: Path) -> dict[str, Design]:
    """By topic and team of TREC Legal 2009: yields as estimated from the official samples."""
    path = data / "trec_legal_2009_interactive" / "strata.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["N"])]
    designs = {}
    for topic in sorted({row["topic"] for row in rows}):
        of_topic = [row for row in rows if row["topic"] == topic]
        for k, team in enumerate(of_topic[0]["teams"].split()):
            segments: dict[str, list[Any]] = {"R": [], "N": []}
            for row in of_topic:
                size, sampled, relevant = (int(row[column]) for column in ("N", "a", "r2"))
                estimate = round(size * relevant / sampled) if sampled else 0
                segments[row["pattern"][k]].append((size, min(sampled, size), estimate))
            designs[f"{topic}, {team}"] = (segments["R"], segments["N"])
    return designs


def drawn(size: int, sampled: int, relevant: Any, reviews: int, rng: np.random.Generator) -> Any:
    """Relevant documents in samples of a stratum."""
    if sampled == size:
        return np.broadcast_to(relevant, reviews)
    return rng.hypergeometric(relevant, size - relevant, sampled, reviews)


def samples(design: Design, reviews: int, rng: np.random.Generator) -> list[list[irb.Stratum]]:
    """Both segments, with an element for each review."""
    return [
        [irb.Stratum(size, n, drawn(size, n, r, reviews, rng)) for size, n, r in segment]
        for segment in design
    ]


def sums_of(design: Design) -> tuple[list[int], list[int]]:
    """Documents, and relevant ones, of both segments."""
    sizes, yields = ([sum(each[i] for each in segment) for segment in design] for i in (0, 2))
    return sizes, yields


def audit(rng: np.random.Generator, relevant: int, size: int, most: int) -> tuple[int, int]:
    """(audited, relevant among them) of a class of calls."""
    audited = min(size, most)
    return audited, int(drawn(size, audited, relevant, 1, rng)[0])


def coded(
    rng: np.random.Generator, size: int, sampled: int, relevant: int, coder: Any = None
) -> irb.Stratum | irb.Audited:
    """One sample of a stratum, or the calls and audits of a coded one.

    The coder sees a random sample, calls relevant documents relevant with the probability of the
    sensitivity, and others with that of false alarms.  Half of the audit goes to each class, or so
    many documents of each if there are two numbers.
    """
    found = int(drawn(size, sampled, relevant, 1, rng)[0])
    if coder is None:
        return irb.Stratum(size, sampled, found)
    sensitivity, alarms, audited = coder
    right = int(rng.binomial(found, sensitivity))
    called = right + int(rng.binomial(sampled - found, alarms))
    most, rest = audited if isinstance(audited, tuple) else (audited // 2, None)
    one = audit(rng, right, called, most)
    other = audit(rng, found - right, sampled - called, audited - one[0] if rest is None else rest)
    return irb.Audited(size, sampled, called, one, other)
