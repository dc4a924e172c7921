"""The tools that are compared: for each kind of work, a function that prepares it and returns what
is timed.  The functions of `CODE` are what a user writes; their lines are counted."""

from __future__ import annotations

import ast
import inspect
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import baseline

MEASURES = "AP nDCG@10 P@10 RR"
Work = Callable[[], dict[str, float]]


# Code of a user ----------------------------------------------------------------------------------


def _irbounds(qrels: Any, run: Any, **options: Any) -> dict[str, float]:
    import irbounds

    return irbounds.evaluate(qrels, run, MEASURES, **options).mean


def _irbounds_arrays(scores: Any, relevance: Any, groups: Any, **options: Any) -> dict[str, float]:
    import irbounds

    return irbounds.rank_measures(scores, relevance, MEASURES, groups=groups, **options).mean


def _pytrec_eval(qrels: Any, run: Any) -> dict[str, float]:
    import pytrec_eval

    names = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR"}
    wanted = {"map", "ndcg_cut.10", "P.10", "recip_rank"}
    results = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run).values()
    return {
        ours: sum(result[theirs] for result in results) / len(qrels)
        for theirs, ours in names.items()
    }


def _pytrec_eval_files(qrels_path: str, run_path: str) -> dict[str, float]:
    import pytrec_eval

    with Path(qrels_path).open() as qrels, Path(run_path).open() as run:
        return _pytrec_eval(pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run))


def _ir_measures(qrels_path: str, run_path: str) -> dict[str, float]:
    import ir_measures
    from ir_measures import AP, RR, P, nDCG

    qrels = ir_measures.read_trec_qrels(qrels_path)
    run = ir_measures.read_trec_run(run_path)
    means = ir_measures.calc_aggregate([AP, nDCG @ 10, P @ 10, RR], qrels, run)
    return {str(measure): value for measure, value in means.items()}


def _ranx(qrels: Any, run: Any) -> dict[str, float]:
    import ranx

    names = {"map": "AP", "ndcg@10": "nDCG@10", "precision@10": "P@10", "mrr": "RR"}
    found = ranx.evaluate(qrels, run, list(names))
    return {names[name]: float(value) for name, value in found.items()}


def _ranx_files(qrels_path: str, run_path: str) -> dict[str, float]:
    import ranx

    qrels = ranx.Qrels.from_file(qrels_path, kind="trec")
    run = ranx.Run.from_file(run_path, kind="trec")
    return _ranx(qrels, run)


def _python_files(qrels_path: str, run_path: str) -> dict[str, float]:
    return baseline.evaluate(baseline.read_qrels(qrels_path), baseline.read_run(run_path))


# The functions of each tool and kind of work, the first of which is called.
CODE: dict[tuple[str, str], tuple[Callable[..., Any], ...]] = {
    ("irbounds", "files"): (_irbounds,),
    ("irbounds", "dicts"): (_irbounds,),
    ("irbounds", "arrays"): (_irbounds_arrays,),
    ("pytrec_eval", "files"): (_pytrec_eval_files, _pytrec_eval),
    ("pytrec_eval", "dicts"): (_pytrec_eval,),
    ("ir_measures", "files"): (_ir_measures,),
    ("ranx", "files"): (_ranx_files, _ranx),
    ("ranx", "arrays"): (_ranx,),
    ("plain Python", "files"): (
        _python_files,
        baseline.read_qrels,
        baseline.read_run,
        baseline.evaluate,
        baseline._dcg,
    ),
    ("plain Python", "dicts"): (baseline.evaluate, baseline._dcg),
}


def lines_of(*functions: Callable[..., Any]) -> int:
    """Lines of code: the statements of the first function, all of the others; no docstrings, no
    empty lines."""
    total = 0
    for place, function in enumerate(functions):
        source = textwrap.dedent(inspect.getsource(function))
        lines = {n for n, line in enumerate(source.splitlines(), 1) if line.strip()}
        definition = ast.parse(source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        if ast.get_docstring(definition) is not None:
            text = definition.body[0]
            lines -= set(range(text.lineno, int(text.end_lineno or text.lineno) + 1))
        if place == 0:
            lines -= set(range(1, definition.body[0].lineno))
        total += len(lines)
    return total


# Their input --------------------------------------------------------------------------------------


def _input(tool: str, kind: str, folder: Path) -> tuple[Any, ...]:
    """The arguments of the first function."""
    files = str(folder / "qrels"), str(folder / "run")
    if tool == "ranx":
        import numba
        import ranx

        numba.set_num_threads(1)
        if kind == "arrays":
            return (
                ranx.Qrels.from_file(files[0], kind="trec"),
                ranx.Run.from_file(files[1], kind="trec"),
            )
    if kind == "files":
        return files
    if kind == "dicts":
        return dict(baseline.read_qrels(files[0])), dict(baseline.read_run(files[1]))
    import numpy as np

    data = np.load(folder / "arrays.npz")
    return tuple(data[name] for name in ("scores", "relevance", "groups"))


def work_of(tool: str, kind: str, folder: Path, **options: Any) -> Work:
    """The call that is timed."""
    function, given = CODE[tool, kind][0], _input(tool, kind, folder)
    return lambda: function(*given, **options)


def measure(
    tool: str, kind: str, folder: Path, repeat: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Median seconds of the work after one warm-up, its result, and the process's peak memory by
    then, in MB."""
    work = work_of(tool, kind, folder, **options)
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
