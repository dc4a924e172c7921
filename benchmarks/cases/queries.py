"""Intervals of means over queries beside SciPy; ranks, gates and the cost of each measure."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

import irbounds as irb
from cases import Case, Tools, Work, unchecked
from cases.rankings import make_data
from irbounds.rankings.measure_table.table import SPECS

RESAMPLES, N_DOCS = 9999, 1000
WORDS = {"p=…": "p=0.8", "recall=…": "recall=0.5", "nr=…": "nr=5"}  # else 5
SHOWN = 24  # measures


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


def forms() -> Iterator[str]:
    """Every built-in measure of rankings without subtopics, with the parameters that it needs."""
    for name, spec in SPECS.items():
        if spec.scale:
            continue
        form = spec.form.replace("[@k]", "").replace("[@r]", "").replace("@r", "@0.5")
        for word, value in WORDS.items():
            form = form.replace(word, value)
        form = form.replace("=…", "=5").replace("@k", "@10")
        yield f"{name}@10" if spec.at == "percentage" else form


def measures(quick: bool, has_ties: bool, first: int, last: int) -> Tools:
    """`rank_measures` by one measure, a tenth of the documents judged; the values differ."""
    n, rng = (5 if quick else 300) * N_DOCS, np.random.default_rng(1)
    scores = rng.random(n)
    scores = np.round(scores * N_DOCS / 5) if has_ties else scores
    relevance = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), -1)
    groups = np.repeat(np.arange(n // N_DOCS), N_DOCS)

    def work(name: str) -> Any:
        ties = "expected" if irb.Measure.parse(name).spec.has_expectation else "given"
        options = {"groups": groups, "ties": ties, "collection_size": 100 * N_DOCS}
        return unchecked(irb.rank_measures, scores, relevance, name, **options)

    some = [*forms()][first:last]
    return {"irbounds": partial(work, "nDCG"), **{name: partial(work, name) for name in some}}


def measure_cases() -> Iterator[Case]:
    """Some measures a row, as multiples of nDCG."""
    for has_ties in (False, True):
        for first in range(0, len([*forms()]), SHOWN):
            name = f"nDCG and {SHOWN} measures, {'ties of five' if has_ties else 'no ties'}"
            span = {"first": first, "last": first + SHOWN}
            yield Case(name, partial(measures, has_ties=has_ties, **span))


CASES = (
    *(
        Case(f"bca, {n} queries", partial(bca, n=n), {"irbounds": 0, "SciPy": 0.1})
        for n in (10, 1000)
    ),
    Case("ranks, 180 systems × 41 tasks", ranks),
    Case("two runs of 100,000 rows, a whole process", gate),
    *measure_cases(),
)
