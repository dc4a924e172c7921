"""Coverage of a judge's agreement with people; a part of assisted.py.

Random designs: 500 to 20,000 pairs, a share of relevant ones from 0.02 to 0.5, a judge whose kappa
over all pairs is 0 to 0.9 and who calls half to twice as many pairs relevant, 2 to 10 strata by the
judge's score.  60 to 1,000 labels are a simple random sample, or as many in each stratum.  Grades
of four classes are the score in five steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from study import Row, coverage_row, holds

from irbounds.assisted.judge_table import KINDS, JudgeTable

ALPHA, ASK = 0.025, "agreement of a judge with people"
NAMES = (*KINDS, "kappa, quadratic", "alpha, quadratic")


class Design(NamedTuple):
    """Grades of all pairs by people and the judge, strata, and how labels are drawn."""

    people: np.ndarray
    judge: np.ndarray
    stratum: np.ndarray
    n: int
    is_simple: bool


def kappa_of(a: np.ndarray, b: np.ndarray) -> float:
    """Cohen's, of two classes."""
    p, q = a.mean(), b.mean()
    chance = p * q + (1 - p) * (1 - q)
    return float(((a == b).mean() - chance) / (1 - chance))


def design_of(rng: np.random.Generator) -> Design | None:
    """A random design; None where no judge has the kappa, or almost all pairs were labelled."""
    size, n = int(rng.choice((500, 4000, 20_000))), int(rng.choice((60, 100, 300, 1000)))
    share, wanted = rng.choice((0.02, 0.05, 0.1, 0.3, 0.5)), rng.choice((0, 0.3, 0.5, 0.7, 0.9))
    n_strata, is_simple = int(rng.choice((2, 4, 6, 10))), bool(rng.random() < 0.5)
    called = min(0.9, share * rng.choice((0.5, 1, 2)))
    if n > 0.8 * size:
        return None
    latent, noise = rng.standard_normal((2, size))
    people = (latent >= np.quantile(latent, 1 - share)).astype(float)
    least, most = 0.0, 12.0
    for _ in range(30):  # how much a relevant pair adds to the judge's score
        more = (least + most) / 2
        score = noise + more * people
        judge = (score >= np.quantile(score, 1 - called)).astype(float)
        least, most = (more, most) if kappa_of(people, judge) < wanted else (least, more)
    if wanted and abs(kappa_of(people, judge) - wanted) > 0.1:
        return None
    stratum = judge
    if n_strata > 2:  # finer strata among high scores
        stratum = np.searchsorted(np.quantile(score, 1 - 0.5 ** np.arange(1, n_strata)), score)
    return Design(people, judge, stratum, n, is_simple)


def graded(design: Design, rng: np.random.Generator) -> Design:
    """The same with grades from 0 to 3: one more or less at random."""
    people, judge = (
        np.clip(2 * each + rng.integers(0, 2, each.size), 0, 3)
        for each in (design.people, design.judge)
    )
    return design._replace(people=people, judge=judge)


def sampled(design: Design, rng: np.random.Generator) -> np.ndarray:
    """People's grades, nan where they did not label the pair."""
    people, order = np.full(design.people.size, np.nan), rng.permutation(design.people.size)
    if design.is_simple:
        chosen = order[: design.n]
    else:  # one of each stratum, a second one of each, …
        own = design.stratum[order]
        by_stratum = np.argsort(own, kind="stable")
        counts = np.unique(own, return_counts=True)[1]
        place = np.empty(own.size, int)
        place[by_stratum] = np.concatenate([np.arange(count) for count in counts])
        chosen = order[np.argsort(place, kind="stable")[: design.n]]
    people[chosen] = design.people[chosen]
    return people


def measured(
    design: Design, weights: str | None, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Coverage of each."""
    is_binary = weights is None
    kinds = KINDS if is_binary else KINDS[:2]
    cells = design.people, design.judge, design.judge, is_binary
    truth = [one.estimate for one in JudgeTable.of(*cells).intervals(kinds, weights, ALPHA)]
    found = []
    for _ in range(draws):
        t = JudgeTable.of(sampled(design, rng), design.judge, design.stratum, is_binary)
        ends = np.array([one[1:] for one in t.intervals(kinds, weights, ALPHA)])
        found.append(holds(*ends.T, truth))
    return np.mean(found, axis=0)


def rows(quick: bool) -> list[Row]:
    """The coverage of each over random designs: its standard error is about 0.015 in a design."""
    designs, draws = (2, 3) if quick else (40, 200)
    rng, found = np.random.default_rng(49), []
    while len(found) < designs:
        design = design_of(rng)
        if design is not None:
            two = measured(design, None, draws, rng)
            four = measured(graded(design, rng), "quadratic", draws, rng)
            found.append(np.concatenate([two, four]))
    return [
        coverage_row(ASK, name, f"{designs} random designs", shares)
        for name, shares in zip(NAMES, np.transpose(found), strict=True)
    ]
