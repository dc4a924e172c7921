"""Comparison of runs: irbounds beside ranx and a loop of SciPy calls, on the same runs, in one
process, on one thread.

    python benchmarks/comparison.py            # writes benchmarks/results/comparison.md
    python benchmarks/comparison.py --quick    # small, to see that it runs

Runs and judgments are in memory in each tool's own form.  All take the randomisation test with as
many resamples; ranx and SciPy one pair and measure at a time, irbounds all at once, with intervals
and tie ranges besides.  Before any ratio is printed, the p-values must agree: exactly with SciPy,
within what chance allows with ranx.
"""

from __future__ import annotations

import itertools
import os
import sys
import warnings
from typing import Any

for variable in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
from scipy import stats  # noqa: E402
from timing import best_seconds, is_quick, machine, publish, table  # noqa: E402

import irbounds as irb  # noqa: E402
from tools import lines_of  # noqa: E402

SEED, RESAMPLES = 1, 9999
MEASURES = {"map": "AP", "ndcg@10": "nDCG@10"}


def make_data(
    n_runs: int, n_queries: int, n_documents: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments, and runs of which each is a little better than the one before."""
    rng = np.random.default_rng(SEED)
    names = [f"d{i}" for i in range(n_documents)]
    grades = rng.integers(0, 4, (n_queries, n_documents)) * (
        rng.random((n_queries, n_documents)) < 0.1
    )
    grades[:, 0] = 1
    qrels = {
        f"q{q}": {name: int(grade) for name, grade in zip(names, grades[q], strict=True) if grade}
        for q in range(n_queries)
    }
    runs = {}
    for i in range(n_runs):
        scores = grades + rng.normal(0, 3 - 0.02 * i, grades.shape)
        runs[f"run {i}"] = {
            f"q{q}": dict(zip(names, scores[q].tolist(), strict=True)) for q in range(n_queries)
        }
    return qrels, runs


def with_irbounds(qrels: Any, runs: Any, test: str, correction: str | None) -> irb.Comparison:
    """All pairs and measures at once."""
    options: dict[str, Any] = {"test": test, "correction": correction}
    measures = list(MEASURES.values())
    return irb.compare(qrels, runs, measures, rng=SEED, resamples=RESAMPLES, **options)


def with_ranx(qrels: Any, runs: Any, test: str) -> Any:
    """All pairs and measures, each pair in both orders."""
    import ranx

    options = {"stat_test": test, "n_permutations": RESAMPLES, "threads": 1}
    return ranx.compare(qrels, runs, list(MEASURES), **options)


def with_scipy(qrels: irb.Qrels, runs: dict[str, irb.Run]) -> dict[Any, float]:
    """A loop over pairs and measures."""
    evaluator = irb.Evaluator(qrels, list(MEASURES.values()))
    values = {name: evaluator.evaluate(run).values for name, run in runs.items()}
    batch = max(1, 1_000_000 // len(qrels))
    return {
        (first, second, name): float(
            stats.permutation_test(
                (values[second][:, j], values[first][:, j]),
                lambda x, y, axis: np.mean(x - y, axis=axis),
                vectorized=True,
                permutation_type="samples",
                n_resamples=RESAMPLES,
                batch=batch,
                rng=SEED,
            ).pvalue
        )
        for first, second in itertools.combinations(runs, 2)
        for j, name in enumerate(MEASURES.values())
    }


def check_agreement(
    by_scipy: dict[Any, float], randomised: tuple[Any, Any], student: tuple[Any, Any]
) -> None:
    """Stop if the p-values are not those of SciPy, exactly, and those of ranx, as far as chance
    allows. The pairs have the comparisons of irbounds and of ranx."""
    for one, t in zip(randomised[0].differences, student[0].differences, strict=True):
        what = f"{one.run}, {one.measure}"
        if abs(by_scipy[one.against, one.run, one.measure] - one.p_value) > 1e-12:
            sys.exit(f"SciPy's p-value of {what} differs: no comparison")
        name = next(theirs for theirs, ours in MEASURES.items() if ours == one.measure)
        pair = frozenset([one.run, one.against])
        theirs, their_t = (
            pages[1].comparisons[pair][name]["p_value"] for pages in (randomised, student)
        )
        tail = max(one.p_value, 1e-3) / 2  # SciPy doubles the share of one tail, ranx counts both
        variance = (4 * tail * (1 - tail) + 2 * tail * (1 - 2 * tail)) / RESAMPLES
        if abs(theirs - one.p_value) > 5 * np.sqrt(variance):
            sys.exit(f"ranx's p-value of {what} differs: {theirs}, {one.p_value}: no comparison")
        if abs(their_t - t.p_value) > 1e-9:
            sys.exit(f"ranx's t-test of {what} differs: no comparison")


def measure(n_runs: int, n_queries: int, n_documents: int) -> list[list[str]]:
    """Rows of the table for one size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx
    qrels, runs = make_data(n_runs, n_queries, n_documents)
    our_qrels = irb.Qrels.from_dict(qrels)
    our_runs = {name: irb.Run.from_dict(run) for name, run in runs.items()}
    their_qrels = ranx.Qrels(qrels)
    their_runs = [ranx.Run(run, name=name) for name, run in runs.items()]

    def ours(test: str = "permutation", correction: str | None = "holm") -> irb.Comparison:
        return with_irbounds(our_qrels, our_runs, test, correction)

    def theirs(test: str = "fisher") -> Any:
        return with_ranx(their_qrels, their_runs, test)

    check_agreement(
        with_scipy(our_qrels, our_runs), (ours(), theirs()), (ours("t", None), theirs("student"))
    )
    size = f"{n_runs} runs, {n_queries:,} queries"
    rows = []
    for what, fast, slow in (
        (
            "randomisation test",
            ours,
            {"ranx": theirs, "SciPy": lambda: with_scipy(our_qrels, our_runs)},
        ),
        ("paired t-test", lambda: ours("t"), {"ranx": lambda: theirs("student")}),
    ):
        seconds = best_seconds(fast)
        others = {tool: best_seconds(work, repeat=2) for tool, work in slow.items()}
        rows.append(
            [
                f"{what}, {size}",
                f"{seconds * 1e3:.0f} ms",
                *(
                    f"{others[tool] * 1e3:.0f} ms ({others[tool] / seconds:.1f}×)"
                    if tool in others
                    else ""
                    for tool in ("ranx", "SciPy")
                ),
            ]
        )
    return rows


TOOLS = with_irbounds, with_ranx, with_scipy


def main() -> None:
    """Measure and write the table."""
    quick = is_quick(__doc__)
    sizes = [(3, 50, 30)] if quick else [(3, 50, 100), (5, 200, 100), (10, 1000, 50)]
    rows = [row for size in sizes for row in measure(*size)]
    publish(
        [
            "# Comparison",
            "",
            f"AP and nDCG@10, all pairs of runs, {RESAMPLES:,} resamples, from evaluation to "
            "p-values; "
            "irbounds adds intervals, tie ranges and Holm's correction, ranx takes each pair in "
            "both orders. One thread, "
            "the shortest of several runs; a ratio "
            "says how many times as long as irbounds the other takes. Made by `python "
            "benchmarks/comparison.py`.",
            "",
            machine(["numpy", "scipy", "ranx", "numba"]),
            "",
            *table(
                ["", "irbounds", "ranx", "a loop of SciPy calls"],
                [*rows, ["lines of code", *(str(lines_of(tool)) for tool in TOOLS)]],
            ),
        ],
        "comparison.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
