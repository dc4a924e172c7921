"""Bounds over the labels of unjudged documents: their cost beside bounds over ties, and RBP's
residual beside trec_eval and cwl_eval.

    python benchmarks/unjudged.py --trec-eval PATH --cwl-eval PATH     # writes results/unjudged.md
    python benchmarks/unjudged.py --quick

Processor seconds, the least of some runs. trec_eval 10 is built with -O3; cwl_eval -r takes a tenth
of the queries. A peer that is not given has no row.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rankings import make_data
from timing import best_seconds, machine, publish, table

FIVES = ("AP nDCG@10 P@10 RR RBP", "AP Bpref nDCG RBP ERR")
SINGLE = ("AP", "nDCG", "nDCG@10", "DCG", "Bpref", "RBP", "ERR", "RR", "P@10", "R@100", "Rprec")
RESIDUAL = "RBP(p=0.9)"


def ours(folder: Path, measures: str, repeat: int, **options: object) -> float:
    """Processor seconds of `evaluate` from files."""
    import irbounds

    files = str(folder / "qrels"), str(folder / "run")
    return best_seconds(
        lambda: irbounds.evaluate(*files, measures, **options), repeat, clock=time.process_time
    )


def cost_rows(folder: Path, repeat: int) -> list[list[str]]:
    """Each measure: bounds over ties, over labels, and over both."""
    rows = []
    for measures in (*FIVES, *SINGLE):
        ties = ours(folder, measures, repeat, bounds=True)
        labels = ours(folder, measures, repeat, unjudged="bounds")
        both = ours(folder, measures, repeat, bounds=True, unjudged="bounds")
        row = [f"{ties * 1e3:.0f} ms", f"{labels / ties:.2f}×", f"{both / ties:.2f}×"]
        rows.append([measures, *row])
        print(rows[-1], flush=True)
    return rows


def process_seconds(command: list[str], folder: Path, repeat: int) -> float:
    """Processor seconds of a whole process, which runs in this folder: cwl-eval writes a log."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    least = float("inf")
    for _ in range(repeat):
        before = os.times()
        subprocess.run(command, check=True, cwd=folder, **quiet)
        after = os.times()
        spent = after.children_user + after.children_system
        least = min(least, spent - before.children_user - before.children_system)
    return least


def peer_row(name: str, command: list[str], folder: Path, repeat: int) -> list[str]:
    """Seconds of a peer, of `evaluate`, and of our command."""
    files = [str(folder / "qrels"), str(folder / "run")]
    peer = process_seconds([*command, *files], folder, repeat)
    own = ours(folder, RESIDUAL, 3, unjudged="bounds")
    line = [sys.executable, "-m", "irbounds", "eval", *files, "-m", RESIDUAL, "--unjudged"]
    whole = process_seconds([*line, "bounds"], folder, repeat)
    cells = f"{own * 1e3:.0f} ms ({peer / own:.0f}×)", f"{whole * 1e3:.0f} ms ({peer / whole:.1f}×)"
    return [name, f"{peer:.2f} s", *cells]


def binary_gains(qrels: Path) -> None:
    """Grades 0 and 1, as cwl_eval takes no gain above 1."""
    lines = [line.split() for line in qrels.read_text().splitlines()]
    qrels.write_text("".join(f"{q} 0 {doc} {min(1, int(g))}\n" for q, _, doc, g in lines))


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trec-eval", help="the program")
    parser.add_argument("--cwl-eval", help="the program")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="20 queries × 100 documents")
    arguments = parser.parse_args()
    n, n_documents = (20, 100) if arguments.quick else (1000, 1000)
    peers = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder, n, n_documents, tied=False)
        if arguments.trec_eval:
            command = [arguments.trec_eval, "-m", "rbp", "-m", "rbp_resid"]
            peers.append(peer_row("trec_eval -m rbp -m rbp_resid", command, folder, 2))
        costs = cost_rows(folder, arguments.repeat)
        if arguments.cwl_eval:  # over the files of before
            make_data(folder, n // 10, n_documents, tied=False)
            binary_gains(folder / "qrels")
            (folder / "metrics").write_text("RBPCWLMetric(0.9)\n")
            command = [arguments.cwl_eval, "-r", "-m", str(folder / "metrics")]
            peers.append(peer_row("cwl-eval -r, a tenth of the queries", command, folder, 1))
    lines = [
        "# Bounds over labels of unjudged documents: speed",
        "",
        f"{n:,} queries × {n_documents:,} documents from files, a tenth of them judged, no ties; "
        "processor time, the least of some runs. Made by `python benchmarks/unjudged.py "
        "--trec-eval … --cwl-eval …`.",
        "",
        machine(["numpy"]),
        "",
        "Beside `bounds=True`:",
        "",
        *table(["", "bounds=True", 'unjudged="bounds"', "both"], costs),
        "",
        f"RBP's residual ({RESIDUAL}), peers as whole processes:",
        "",
        *table(["", "peer", "`evaluate`", "`irbounds eval`"], peers),
    ]
    publish(lines, "unjudged.md", write=not arguments.quick)


if __name__ == "__main__":
    main()
