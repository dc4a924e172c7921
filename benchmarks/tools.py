"""The tools that are compared: for each kind of work, a function that prepares it and returns what
is timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEASURES = "AP nDCG@10 P@10 RR"
Work = Callable[[], dict[str, float]]


def _load(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    import baseline

    return dict(baseline.read_qrels(str(folder / "qrels"))), dict(
        baseline.read_run(str(folder / "run"))
    )


def _irbounds(kind: str, folder: Path, **options: Any) -> Work:
    import irbounds

    files = str(folder / "qrels"), str(folder / "run")
    if kind == "files":
        return lambda: irbounds.evaluate(*files, MEASURES, **options).mean
    if kind == "dicts":
        loaded = _load(folder)
        return lambda: irbounds.evaluate(*loaded, MEASURES, **options).mean
    import numpy as np

    data = np.load(folder / "arrays.npz")
    scores, relevance, groups = (data[name] for name in ("scores", "relevance", "groups"))
    return lambda: (
        irbounds.rank_measures(scores, relevance, MEASURES, groups=groups, **options).mean
    )


def _pytrec_eval(kind: str, folder: Path) -> Work:
    import pytrec_eval

    names = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR"}

    def evaluate(qrels: Any, run: Any) -> dict[str, float]:
        evaluator = pytrec_eval.RelevanceEvaluator(
            qrels, {"map", "ndcg_cut.10", "P.10", "recip_rank"}
        )
        results = evaluator.evaluate(run).values()
        return {
            ours: sum(result[theirs] for result in results) / len(qrels)
            for theirs, ours in names.items()
        }

    def from_files() -> dict[str, float]:
        with (folder / "qrels").open() as qrels, (folder / "run").open() as run:
            return evaluate(pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run))

    if kind == "files":
        return from_files
    loaded = _load(folder)
    return lambda: evaluate(*loaded)


def _ir_measures(kind: str, folder: Path) -> Work:
    import ir_measures
    from ir_measures import AP, RR, P, nDCG

    def work() -> dict[str, float]:
        qrels = ir_measures.read_trec_qrels(str(folder / "qrels"))
        run = ir_measures.read_trec_run(str(folder / "run"))
        return {
            str(measure): value
            for measure, value in ir_measures.calc_aggregate(
                [AP, nDCG @ 10, P @ 10, RR], qrels, run
            ).items()
        }

    return work


def _ranx(kind: str, folder: Path) -> Work:
    import numba
    import ranx

    numba.set_num_threads(1)
    names = {"map": "AP", "ndcg@10": "nDCG@10", "precision@10": "P@10", "mrr": "RR"}

    def load() -> tuple[Any, Any]:
        return (
            ranx.Qrels.from_file(str(folder / "qrels"), kind="trec"),
            ranx.Run.from_file(str(folder / "run"), kind="trec"),
        )

    def evaluate(qrels: Any, run: Any) -> dict[str, float]:
        return {
            names[name]: float(value)
            for name, value in ranx.evaluate(qrels, run, list(names)).items()
        }

    if kind == "files":
        return lambda: evaluate(*load())
    loaded = load()
    return lambda: evaluate(*loaded)


def _python(kind: str, folder: Path) -> Work:
    import baseline

    if kind == "files":
        return lambda: baseline.evaluate(
            baseline.read_qrels(str(folder / "qrels")), baseline.read_run(str(folder / "run"))
        )
    loaded = _load(folder)
    return lambda: baseline.evaluate(*loaded)


TOOLS: dict[str, Callable[..., Work]] = {
    "irbounds": _irbounds,
    "pytrec_eval": _pytrec_eval,
    "ir_measures": _ir_measures,
    "ranx": _ranx,
    "plain Python": _python,
}


def measure(
    tool: str, kind: str, folder: Path, repeat: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Median seconds of the work after one warm-up, its result, and the process's peak memory by
    then, in MB."""
    work = TOOLS[tool](kind, folder, **options)
    result = work()
    peak = _peak_memory()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return {"seconds": sorted(seconds)[len(seconds) // 2], "result": result, "peak": peak}


def _peak_memory() -> float:
    """The peak memory of this process alone; getrusage can report its parent's."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
