"""Ranking measures: irbounds, a plain Python baseline and the peers on the same data, in one run,
on one thread.

    python benchmarks/rankings.py              # writes benchmarks/results/rankings.md
    python benchmarks/rankings.py --quick      # small, to see that it runs
    python benchmarks/rankings.py --scaling    # the growth of time up to seven million rows as well

Every tool works in a process of its own. Before any ratio is printed, the tools must agree on the
values. The extra `bench` installs the peers; the cells of one that is absent are empty.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import machine, publish

import tools

HERE = Path(__file__).resolve().parent
ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
PEERS = ["pytrec_eval", "ir_measures", "ranx", "plain Python"]
PRESENT = [peer for peer in PEERS if peer == "plain Python" or importlib.util.find_spec(peer)]
PACKAGES = ["numpy", "pytrec-eval-terrier", "ir_measures", "ranx", "numba"]


def make_data(
    folder: Path,
    n_queries: int,
    n_documents: int,
    tied: bool,
    *,
    judged_part: int = 10,
    n_scores: int = 0,
) -> None:
    """A run, qrels and the same as arrays; the run's order is by falling score, as systems write
    it.  One document in `judged_part` is judged; n_scores: the scores are so many whole numbers."""
    rng = np.random.default_rng(7)
    n_judged = max(1, n_documents // judged_part)
    columns: dict[str, list[Any]] = {name: [] for name in ("scores", "relevance", "groups")}
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for query in range(n_queries):
            ids = [f"doc{i:07d}" for i in rng.choice(10**6, n_documents, replace=False)]
            scores = np.sort(rng.normal(10, 3, n_documents))[::-1]
            scores = (
                np.round(scores) if tied else np.round(scores - 1e-5 * np.arange(n_documents), 5)
            )
            if n_scores:
                scores = np.sort(rng.integers(0, n_scores, n_documents).astype(float))[::-1]
            relevance = np.full(n_documents, -1)
            relevance[rng.choice(n_documents, n_judged, replace=False)] = rng.integers(
                0, 4, n_judged
            )
            qrels.writelines(
                f"q{query} 0 {ids[i]} {relevance[i]}\n" for i in np.flatnonzero(relevance >= 0)
            )
            run.writelines(
                f"q{query} Q0 {ids[i]} {i + 1} {scores[i]:.5f} system\n" for i in range(n_documents)
            )
            for name, values in zip(
                columns, (scores, relevance, np.full(n_documents, query)), strict=True
            ):
                columns[name].append(values)
    np.savez(
        folder / "arrays.npz", **{name: np.concatenate(parts) for name, parts in columns.items()}
    )


def run_tool(tool: str, kind: str, folder: Path, repeat: int, **options: Any) -> dict[str, Any]:
    """Measure one tool in a fresh process."""
    code = (
        f"import sys, json; sys.path.insert(0, {str(HERE)!r}); from pathlib import Path; import "
        "tools; "
        f"print(json.dumps(tools.measure({tool!r}, {kind!r}, Path({str(folder)!r}), {repeat}, "
        f"{options!r})))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{tool} ({kind}) failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def check_agreement(results: dict[str, dict[str, Any]], tolerance: float) -> None:
    """Refuse to compare tools that did not compute the same."""
    reference = results["irbounds"]["result"]
    for tool, outcome in results.items():
        for name, value in reference.items():
            if abs(outcome["result"][name] - value) > tolerance:
                sys.exit(
                    f"{tool} has {name} = {outcome['result'][name]}, irbounds {value}: no "
                    "comparison"
                )


def compare(kind: str, folder: Path, peers: list[str], repeat: int, **options: Any) -> list[str]:
    """One row of the table: milliseconds, and for each peer the ratio to irbounds."""
    results = {
        tool: run_tool(tool, kind, folder, repeat, **(options if tool == "irbounds" else {}))
        for tool in ["irbounds", *(peer for peer in peers if peer in PRESENT)]
    }
    check_agreement(results, 1e-6)
    ours = results["irbounds"]["seconds"]
    cells = [
        f"{results[tool]['seconds'] * 1e3:.0f} ms ({results[tool]['seconds'] / ours:.1f}×)"
        if tool in results
        else ""
        for tool in PEERS
    ]
    return [f"{ours * 1e3:.1f} ms", *cells]


def first_result(folder: Path) -> list[str]:
    """Seconds of a whole process that evaluates two queries, imports included."""
    make_data(folder, 2, 10, tied=False)
    code = (
        "import sys; sys.path.insert(0, {!r}); from pathlib import Path; import tools; "
        "tools.work_of({!r}, 'files', "
        "Path({!r}))()"
    )
    commands = {
        tool: [sys.executable, "-W", "ignore", "-c", code.format(str(HERE), tool, str(folder))]
        for tool in ["irbounds", *PRESENT]
    }
    commands["command line"] = [
        sys.executable,
        "-m",
        "irbounds",
        "eval",
        str(folder / "qrels"),
        str(folder / "run"),
    ]
    medians = {}
    for tool, command in commands.items():
        seconds = []
        for _ in range(6):
            start = time.perf_counter()
            subprocess.run(
                command, check=True, capture_output=True, env={**os.environ, **ONE_THREAD}
            )
            seconds.append(time.perf_counter() - start)
        medians[tool] = statistics.median(seconds[1:])
    ours = medians["irbounds"]
    return [
        f"{ours * 1e3:.0f} ms; command line {medians['command line'] * 1e3:.0f} ms",
        *(
            f"{medians[tool] * 1e3:.0f} ms ({medians[tool] / ours:.1f}×)" if tool in medians else ""
            for tool in PEERS
        ),
    ]


def code_row(kind: str) -> list[str]:
    """Lines of code of each tool, imports among them."""
    lines = {
        tool: str(tools.lines_of(*tools.CODE[tool, kind]))
        for tool in ["irbounds", *PEERS]
        if (tool, kind) in tools.CODE
    }
    return [f"lines of code, {kind}", *(lines.get(tool, "") for tool in ["irbounds", *PEERS])]


def memory(folder: Path) -> list[str]:
    """Peak memory of a process that evaluates the files."""
    peaks = {tool: run_tool(tool, "files", folder, 1)["peak"] for tool in ["irbounds", *PRESENT]}
    return [
        f"{peaks['irbounds']:.0f} MB",
        *(
            f"{peaks[tool]:.0f} MB ({peaks[tool] / peaks['irbounds']:.1f}×)"
            if tool in peaks
            else ""
            for tool in PEERS
        ),
    ]


def bounds_rows(folder: Path, name: str, repeat: int) -> list[str]:
    """How much bounds=True adds to each kind of input."""
    cells = []
    for kind in ("files", "dicts", "arrays"):
        without, with_bounds = (
            run_tool("irbounds", kind, folder, repeat, bounds=flag)["seconds"]
            for flag in (False, True)
        )
        cells.append(
            f"{kind} {without * 1e3:.1f} → {with_bounds * 1e3:.1f} ms "
            f"({with_bounds / without:.2f}×)"
        )
    return [f"bounds=True, {name}", *cells]


def labels_row(folder: Path, name: str, repeat: int) -> list[str]:
    """Time of bounds over labels of unjudged documents, beside that of those over ties."""
    ties, labels, both = (
        run_tool("irbounds", "files", folder, repeat, **options)["seconds"]
        for options in (
            {"bounds": True},
            {"unjudged": "bounds"},
            {"bounds": True, "unjudged": "bounds"},
        )
    )
    return [
        f'unjudged="bounds", {name}',
        f"files, beside bounds=True {ties * 1e3:.1f} → {labels * 1e3:.1f} ms "
        f"({labels / ties:.2f}×)",
        f"both together {both * 1e3:.1f} ms ({both / ties:.2f}×)",
    ]


def scaling(folder: Path) -> list[str]:
    """Time per row and per row and doubling, one query of all rows and queries of a thousand
    rows."""
    import irbounds

    lines = [
        "| rows | queries of 1,000, ns a row | one query, ns a row | one query, ns a row / log2 "
        "rows |",
        "| ---: | ---: | ---: | ---: |",
    ]
    rng = np.random.default_rng(3)
    for n in (10**4, 10**5, 10**6, 7 * 10**6):
        scores, relevance = rng.random(n), (rng.random(n) < 0.1).astype(float)
        seconds = {}
        for name, groups in (("many", np.arange(n) // 1000), ("one", None)):
            times = []
            for _ in range(3):
                start = time.perf_counter()
                irbounds.rank_measures(scores, relevance, "AP nDCG@10 P@10 RR", groups=groups)
                times.append(time.perf_counter() - start)
            seconds[name] = min(times)
        many, one = seconds["many"] / n * 1e9, seconds["one"] / n * 1e9
        lines.append(f"| {n:,} | {many:.1f} | {one:.1f} | {one / math.log2(n):.2f} |")
    return lines


def speed_rows(folders: dict[str, Path], repeat: int) -> list[list[str]]:
    """Ours and the peers, from files, dicts and arrays."""
    return [
        ["files to means", *compare("files", folders["free"], PEERS, repeat)],
        [
            "files to means, tied, ties by document id",
            *compare(
                "files",
                folders["tied"],
                ["pytrec_eval", "ir_measures", "plain Python"],
                repeat,
                ties="doc_id",
            ),
        ],
        [
            "dicts to means",
            *compare("dicts", folders["free"], ["pytrec_eval", "plain Python"], repeat),
        ],
        [
            "arrays to means (ranx: its second call)",
            *compare("arrays", folders["free"], ["ranx"], repeat),
        ],
        *(code_row(kind) for kind in ("files", "dicts", "arrays")),
        ["peak memory from files", *memory(folders["free"])],
        ["two queries, a whole process", *first_result(folders["two"])],
    ]


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument(
        "--quick", action="store_true", help="50 queries × 100 documents, nothing written"
    )
    parser.add_argument("--scaling", action="store_true")
    arguments = parser.parse_args()
    n_queries, n_documents = (
        (50, 100) if arguments.quick else (arguments.queries, arguments.documents)
    )
    with tempfile.TemporaryDirectory() as name:
        folders = {}
        for label in ("free", "tied", "two"):
            folders[label] = Path(name) / label
            folders[label].mkdir()
        make_data(folders["free"], n_queries, n_documents, tied=False)
        make_data(folders["tied"], n_queries, n_documents, tied=True)
        rows = speed_rows(folders, arguments.repeat)
        bounds = [
            rows_of(folders[label], text, arguments.repeat)
            for rows_of in (bounds_rows, labels_row)
            for label, text in (("free", "no ties"), ("tied", "about 20 levels of score"))
        ]
    lines = [
        "# Ranking measures",
        "",
        f"{n_queries:,} queries × {n_documents:,} documents, AP nDCG@10 P@10 RR, one thread, "
        f"median of {arguments.repeat} after "
        "a warm-up. A ratio says how many times as long (or large) as irbounds. Lines of code are "
        "those of `benchmarks/tools.py`, imports among them. Made by "
        "`python benchmarks/rankings.py --scaling`.",
        "",
        machine(PACKAGES),
        "",
        "| | irbounds | " + " | ".join(PEERS) + " |",
        "| --- " * (len(PEERS) + 2) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
        "## The cost of bounds",
        "",
        *(f"- {row[0]}: " + "; ".join(row[1:]) for row in bounds),
    ]
    if arguments.scaling:
        lines += ["", "## Growth", "", *scaling(Path())]
    publish(lines, "rankings.md", write=not arguments.quick)


if __name__ == "__main__":
    main()
