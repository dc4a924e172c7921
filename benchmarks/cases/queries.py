"""Intervals of means over queries beside SciPy; ranks and gates."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
from scipy import stats

import irbounds as irb
from cases import Case, Tools, Work, unchecked
from cases.rankings import make_data

RESAMPLES = 9999


def bca(quick: bool, n: int) -> Tools:
    """BCa's interval; the ends differ by the draws, and SciPy takes other quantiles."""
    x = np.random.default_rng(1).beta(1, 2, n)
    resamples = 100 if quick else RESAMPLES

    def theirs() -> tuple[float, float]:
        found = stats.bootstrap((x,), np.mean, method="BCa", n_resamples=resamples)
        return tuple(found.confidence_interval)

    def ours(method: str) -> Work:
        def work() -> tuple[float, float]:
            found = irb.mean_interval(x, method=method, resamples=resamples)
            return found.low, found.high

        return work

    found = {"irbounds": lambda: ours("bca"), "SciPy": lambda: theirs}
    others = {name: partial(unchecked, ours(name)) for name in ("gaffke", "t")}
    return found | others


def ranks(quick: bool) -> Tools:
    """A leaderboard, 10,000 draws."""
    rng, systems = np.random.default_rng(2), 20 if quick else 180
    scores = {f"s{i}": dict(enumerate(rng.normal(i / 60, 1, 41).tolist())) for i in range(systems)}
    return {"irbounds": lambda: unchecked(irb.comparison.compare_scores, scores)}


def gate(quick: bool) -> Tools:
    """The command as a whole process: a run of a thousand documents a query against itself."""
    folder = make_data(quick, n_queries=100)
    command = [sys.executable, "-m", "irbounds", "gate", "qrels", "run", "run"]
    options = {"cwd": folder, "capture_output": True}
    return {"irbounds gate": lambda: unchecked(subprocess.run, command, **options)}


CASES = (
    *(
        Case(f"bca, {n} queries", partial(bca, n=n), {"irbounds": 0, "SciPy": 0.1})
        for n in (10, 1000)
    ),
    Case("ranks, 180 systems × 41 tasks", ranks),
    Case("two runs of 100,000 rows, a whole process", gate),
)
