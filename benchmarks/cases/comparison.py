"""Comparison of runs beside ranx and a loop of SciPy calls, from evaluation to p-values.

irbounds adds intervals, tie ranges and Holm's correction; ranx takes each pair in both orders.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np

import irbounds as irb
from cases import Case, Tools, Work

SEED, RESAMPLES = 1, 9999
MEASURES = {"map": "AP", "ndcg@10": "nDCG@10"}
Keys = list[tuple[str, str, str]]  # run, run, measure


def make_data(n_runs: int, n_queries: int, n_docs: int = 100) -> tuple[Any, dict[str, Any]]:
    """Judgments, and runs of which each is a little better than the one before."""
    rng, names = np.random.default_rng(SEED), [f"d{i}" for i in range(n_docs)]
    grades = rng.integers(0, 4, (n_queries, n_docs)) * (rng.random((n_queries, n_docs)) < 0.1)
    grades[:, 0] = 1
    qrels = {
        f"q{q}": {name: int(grade) for name, grade in zip(names, grades[q], strict=True) if grade}
        for q in range(n_queries)
    }
    runs = {}
    for i in range(n_runs):
        scores = grades + rng.normal(0, 3 - 0.02 * i, grades.shape)
        each = (dict(zip(names, row.tolist(), strict=True)) for row in scores)
        runs[f"run {i}"] = {f"q{q}": row for q, row in enumerate(each)}
    return qrels, runs


def keys_of(runs: Any) -> Keys:
    """All pairs and measures."""
    pairs = itertools.combinations(runs, 2)
    return [(*pair, name) for pair in pairs for name in MEASURES.values()]


def ours(qrels: Any, runs: Any, test: str) -> Work:
    """p-values by `compare`."""
    judged = irb.Qrels.from_dict(qrels)
    read = {name: irb.Run.from_dict(run) for name, run in runs.items()}
    options = {"test": test, "rng": SEED, "resamples": RESAMPLES, "correction": None}

    def work() -> list[float]:
        found = irb.compare(judged, read, list(MEASURES.values()), **options)
        p = {(d.against, d.run, d.measure): d.p_value for d in found.differences}
        return [p[key] for key in keys_of(runs)]

    return work


def by_ranx(qrels: Any, runs: Any, test: str) -> Work:
    """p-values by ranx."""
    import ranx

    judged, read = ranx.Qrels(qrels), [ranx.Run(run, name=name) for name, run in runs.items()]
    theirs = {ours: name for name, ours in MEASURES.items()}
    options = {"stat_test": test, "n_permutations": RESAMPLES, "threads": 1}

    def work() -> list[float]:
        found = ranx.compare(judged, read, list(MEASURES), **options).comparisons
        return [found[frozenset(key[:2])][theirs[key[2]]]["p_value"] for key in keys_of(runs)]

    return work


def by_scipy(qrels: Any, runs: Any) -> Work:
    """A loop over pairs and measures."""
    from scipy import stats

    judged = irb.Qrels.from_dict(qrels)
    read = {name: irb.Run.from_dict(run) for name, run in runs.items()}
    options = {"permutation_type": "samples", "n_resamples": RESAMPLES, "vectorized": True}
    batch = max(1, 1_000_000 // len(qrels))

    def apart(x: Any, y: Any, axis: int) -> Any:
        return np.mean(x - y, axis=axis)

    def work() -> list[float]:
        evaluator = irb.Evaluator(judged, list(MEASURES.values()))
        values = {name: evaluator.evaluate(run) for name, run in read.items()}
        found = []
        for first, second, name in keys_of(runs):
            both = values[second][name], values[first][name]
            test = stats.permutation_test(both, apart, batch=batch, rng=SEED, **options)
            found.append(float(test.pvalue))
        return found

    return work


def tools(quick: bool, n_runs: int, n_queries: int, is_t: bool) -> Tools:
    """One size and test."""
    data = make_data(n_runs, min(n_queries, 20) if quick else n_queries)
    names = ("t", "student") if is_t else ("permutation", "fisher")
    found: Tools = {"irbounds": partial(ours, *data, names[0])}
    found["ranx"] = partial(by_ranx, *data, names[1])
    return found if is_t else {**found, "SciPy": partial(by_scipy, *data)}


SIZES = ((3, 50), (5, 200), (5, 1000))
CHANCE = 0.03  # of p-values by resamples: five standard errors
CASES = tuple(
    Case(
        f"{'t-test' if is_t else 'randomisation test'}, {n_runs} runs, {n_queries:,} queries",
        partial(tools, n_runs=n_runs, n_queries=n_queries, is_t=is_t),
        1e-9 if is_t else {"irbounds": 0, "SciPy": 1e-12, "ranx": CHANCE},
    )
    for is_t in (False, True)
    for n_runs, n_queries in SIZES
)
