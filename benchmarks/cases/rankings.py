"""Ranking measures from files, dicts and arrays, beside other tools."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cases import Case, Tools, Work, new_folder, unchecked

MEASURES = "AP nDCG@10 P@10 RR"
LABELS = "AP Bpref nDCG RBP ERR"  # measures with bounds over labels


def make_data(quick: bool, *, tied: bool = False, n_queries: int = 1000) -> Path:
    """A run, qrels and the same as arrays; the run's order is by falling score, as systems write
    it.  One document in ten is judged."""
    folder = new_folder()
    rng = np.random.default_rng(7)
    n_queries, n_documents = (min(n_queries, 20), 100) if quick else (n_queries, 1000)
    columns: dict[str, list[Any]] = {name: [] for name in ("scores", "relevance", "groups")}
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for query in range(n_queries):
            ids = [f"doc{i:07d}" for i in rng.choice(10**6, n_documents, replace=False)]
            scores = np.sort(rng.normal(10, 3, n_documents))[::-1]
            scores = np.round(
                scores if tied else scores - 1e-5 * np.arange(n_documents), 0 if tied else 5
            )
            relevance = np.full(n_documents, -1)
            judged = rng.choice(n_documents, n_documents // 10, replace=False)
            relevance[judged] = rng.integers(0, 4, judged.size)
            qrels.writelines(f"q{query} 0 {ids[i]} {relevance[i]}\n" for i in sorted(judged))
            run.writelines(
                f"q{query} Q0 {ids[i]} {i + 1} {scores[i]:.5f} t\n" for i in range(n_documents)
            )
            groups = np.full(n_documents, query)
            for own, values in zip(columns.values(), (scores, relevance, groups), strict=True):
                own.append(values)
    arrays = {name: np.concatenate(parts) for name, parts in columns.items()}
    np.savez(folder / "arrays.npz", **arrays)
    return folder


def names(folder: Path) -> tuple[str, str]:
    """The files."""
    return str(folder / "qrels"), str(folder / "run")


def ours(qrels: Any, run: Any, **options: Any) -> Work:
    """By irbounds."""
    import irbounds

    return lambda: irbounds.evaluate(qrels, run, MEASURES, **options).mean


def our_arrays(folder: Path, **options: Any) -> Work:
    """By irbounds, from arrays."""
    import irbounds

    data = np.load(folder / "arrays.npz")
    scores, relevance, groups = (data[name] for name in ("scores", "relevance", "groups"))
    return lambda: (
        irbounds.rank_measures(scores, relevance, MEASURES, groups=groups, **options).mean
    )


def trec_eval_means(qrels: Any, run: Any) -> dict[str, float]:
    """By pytrec_eval."""
    import pytrec_eval

    keys = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR"}
    wanted = {"map", "ndcg_cut.10", "P.10", "recip_rank"}
    found = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run).values()
    return {ours: sum(x[theirs] for x in found) / len(qrels) for theirs, ours in keys.items()}


def by_pytrec_eval(folder: Path) -> Work:
    """Files by pytrec_eval."""
    import pytrec_eval

    def work() -> dict[str, float]:
        with (folder / "qrels").open() as qrels, (folder / "run").open() as run:
            return trec_eval_means(pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run))

    return work


def by_ir_measures(folder: Path) -> Work:
    """Files by ir_measures."""
    import ir_measures

    wanted = [ir_measures.parse_measure(name) for name in MEASURES.split()]

    def work() -> dict[str, float]:
        qrels = ir_measures.read_trec_qrels(str(folder / "qrels"))
        run = ir_measures.read_trec_run(str(folder / "run"))
        means = ir_measures.calc_aggregate(wanted, qrels, run)
        return {str(measure): value for measure, value in means.items()}

    return work


def by_ranx(folder: Path, from_files: bool) -> Work:
    """By ranx, which reads the files first or in the work."""
    import ranx

    keys = {"map": "AP", "ndcg@10": "nDCG@10", "precision@10": "P@10", "mrr": "RR"}

    def read() -> tuple[Any, Any]:
        qrels, run = names(folder)
        return ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec")

    given = read()

    def work() -> dict[str, float]:
        found = ranx.evaluate(*(read() if from_files else given), list(keys))
        return {keys[name]: float(value) for name, value in found.items()}

    return work


def by_polars(folder: Path) -> Work:
    """Files by a polars query."""
    import polars as pl

    from cases.frames import by_hand

    def read(path: str, wanted: dict[int, str]) -> Any:
        frame = pl.read_csv(path, separator=" ", has_header=False)
        return frame.select(pl.nth(place).alias(name) for place, name in wanted.items())

    def work() -> dict[str, float]:
        qrels, run = names(folder)
        judged = read(qrels, {0: "query_id", 2: "doc_id", 3: "relevance"})
        return by_hand(read(run, {0: "query_id", 2: "doc_id", 4: "score"}), judged, MEASURES)

    return work


def from_files(quick: bool, tied: bool = False, n_queries: int = 1000) -> Tools:
    """Files to means; ranx and the polars query do not break ties by document id."""
    folder = make_data(quick, tied=tied, n_queries=n_queries)
    options = {"ties": "doc_id"} if tied else {}
    untied = {"ranx": partial(by_ranx, folder, True), "polars by hand": partial(by_polars, folder)}
    return {
        "irbounds": lambda: ours(*names(folder), **options),
        "pytrec_eval": partial(by_pytrec_eval, folder),
        "ir_measures": partial(by_ir_measures, folder),
        **({} if tied else untied),
    }


def from_dicts(quick: bool) -> Tools:
    """Dicts to means."""
    import irbounds

    qrels, run = names(make_data(quick))
    judged = {
        query: {document: int(grade) for document, grade in own.items()}
        for query, own in irbounds.Qrels(qrels).items()
    }
    given = judged, irbounds.Run(run).to_dict()
    return {
        "irbounds": lambda: ours(*given),
        "pytrec_eval": lambda: lambda: trec_eval_means(*given),
    }


def from_arrays(quick: bool) -> Tools:
    """Arrays to means."""
    folder = make_data(quick)
    return {"irbounds": lambda: our_arrays(folder), "ranx": lambda: by_ranx(folder, False)}


def two_queries(quick: bool) -> Tools:
    """A whole process, imports included."""
    folder = make_data(quick, n_queries=2)

    def process(*command: str) -> Work:
        return unchecked(subprocess.run, command, check=True, capture_output=True)

    def python(module: str, call: str) -> Work:
        code = f"import sys; sys.path[:0] = {sys.path!r}; import {module}; {call}"
        return process(sys.executable, "-W", "ignore", "-c", code)

    qrels, run = names(folder)
    load = f"from pathlib import Path; from cases import rankings as r; f = Path({str(folder)!r})"
    return {
        "irbounds": lambda: python("irbounds", f"irbounds.evaluate({qrels!r}, {run!r}, 'AP').mean"),
        "irbounds eval": lambda: process(sys.executable, "-m", "irbounds", "eval", qrels, run),
        "pytrec_eval": lambda: python("pytrec_eval", f"{load}; r.by_pytrec_eval(f)()"),
        "ir_measures": lambda: python("ir_measures", f"{load}; r.by_ir_measures(f)()"),
    }


def with_bounds(quick: bool, tied: bool) -> Tools:
    """The cost of bounds over ties and labels: another problem, so nothing is compared."""
    import irbounds

    files = names(make_data(quick, tied=tied))

    def evaluated(**options: Any) -> Work:
        return unchecked(irbounds.evaluate, *files, LABELS, **options)

    return {
        "irbounds": evaluated,
        "bounds=True": lambda: evaluated(bounds=True),
        'unjudged="bounds"': lambda: evaluated(unjudged="bounds"),
        "both": lambda: evaluated(bounds=True, unjudged="bounds"),
    }


def fifty_runs(quick: bool) -> Tools:
    """Many files: one job, two, and a loop over pytrec_eval, which reads the judgments once."""
    import irbounds

    folder, n_runs = make_data(quick, n_queries=200), 3 if quick else 50
    paths = {f"{i}": str(folder / f"{i}.run") for i in range(n_runs)}
    for path in paths.values():
        shutil.copyfile(folder / "run", path)
    evaluator = irbounds.Evaluator(folder / "qrels", MEASURES)

    def jobs(n: int) -> Work:
        def work() -> list[float]:
            found = evaluator.evaluate_many(paths, jobs=n)
            return [x for name in paths for x in found[name].mean.values()]

        return work

    def loop() -> Work:
        import pytrec_eval

        with (folder / "qrels").open() as file:
            judged = pytrec_eval.parse_qrel(file)

        def work() -> list[float]:
            means = []
            for path in paths.values():
                with Path(path).open() as file:
                    means.append(trec_eval_means(judged, pytrec_eval.parse_run(file)))
            return [each[name] for each in means for name in MEASURES.split()]

        return work

    others = {"irbounds, jobs=2": partial(jobs, 2), "pytrec_eval": loop}
    return {"irbounds": partial(jobs, 1), **others}


CASES = (
    Case("10^5 rows, files to means", partial(from_files, n_queries=100), 1e-6),
    Case("10^6 rows, files to means", from_files, 1e-6, has_memory=True),
    Case("10^7 rows, files to means", partial(from_files, n_queries=10_000), 1e-6),
    Case("the same, ties by document id", partial(from_files, tied=True), 1e-6),
    Case("dicts to means", from_dicts, 1e-6),
    Case("arrays to means (ranx: read before)", from_arrays, 1e-6),
    Case("50 files of 200,000 rows", fifty_runs, 1e-6),
    Case("two queries, a whole process", two_queries),
    Case(f"bounds of {LABELS}, no ties", partial(with_bounds, tied=False)),
    Case(f"bounds of {LABELS}, ties", partial(with_bounds, tied=True)),
)
