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

FIVES = (
    "AP nDCG@10 P@10 RR RBP",
    "AP Bpref nDCG RBP ERR",
    "Bpref Rprec nDCG AP P@10",
    "AP nDCG P@10 RR Bpref",
)
PRECISIONS = "IPrec@0 IPrec@0.1 IPrec@0.5 IPrec@0.9 IPrec@1"  # have no expectation over ties
# Beside a tenth judged without ties, on which each measure is timed alone, too.
HARDER = {
    "half judged": {"judged_part": 2},
    "500 scores": {"n_scores": 500},
    "half judged, 500 scores": {"judged_part": 2, "n_scores": 500},
    "5 scores": {"n_scores": 5},
    "one score": {"n_scores": 1},
    "half judged, one score": {"judged_part": 2, "n_scores": 1},
}
SINGLE = ("AP", "nDCG", "nDCG@10", "DCG", "Bpref", "RBP", "ERR", "RR", "P@10", "R@100", "Rprec")
RESIDUAL = "RBP(p=0.9)"


def ours(folder: Path, measures: str, repeat: int, **options: object) -> float:
    """Processor seconds of `evaluate` from files."""
    import irbounds

    files = str(folder / "qrels"), str(folder / "run")
    return best_seconds(
        lambda: irbounds.evaluate(*files, measures, **options), repeat, clock=time.process_time
    )


def cost_row(folder: Path, measures: str, repeat: int) -> list[str]:
    """Bounds over ties, over labels, and over both, in turn, so that a load meets all alike."""
    options: list[dict[str, object]] = [
        {"bounds": True},
        {"unjudged": "bounds"},
        {"bounds": True, "unjudged": "bounds"},
    ]
    ties = "best" if "IPrec" in measures else "expected"
    least = [float("inf")] * len(options)
    for _ in range(repeat):
        for i, own in enumerate(options):
            least[i] = min(least[i], ours(folder, measures, 1, ties=ties, **own))
    row = [measures, f"{least[0] * 1e3:.0f} ms"]
    row += [f"{seconds / least[0]:.2f}×" for seconds in least[1:]]
    print(row, flush=True)
    return row


def harder_rows(folder: Path, n: int, n_documents: int, repeat: int) -> list[list[str]]:
    """The rows of five measures on other data."""
    rows = []
    for name, options in HARDER.items():
        make_data(folder, n, n_documents, tied=False, **options)
        rows += [[name, *cost_row(folder, measures, repeat)] for measures in (*FIVES, PRECISIONS)]
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
        costs = [
            cost_row(folder, measures, arguments.repeat)
            for measures in (*FIVES, PRECISIONS, *SINGLE)
        ]
        harder = harder_rows(folder, n, n_documents, arguments.repeat)
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
        "Other data of the same size, a tenth judged unless half is, scores drawn from so many:",
        "",
        *table(["", "measures", "bounds=True", 'unjudged="bounds"', "both"], harder),
        "",
        f"RBP's residual ({RESIDUAL}), peers as whole processes:",
        "",
        *table(["", "peer", "`evaluate`", "`irbounds eval`"], peers),
    ]
    publish(lines, "unjudged.md", write=not arguments.quick)


if __name__ == "__main__":
    main()
