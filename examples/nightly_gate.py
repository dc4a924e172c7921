"""Fail a build whose run is worse than last night's, whatever the order of tied documents.

python examples/nightly_gate.py             # invented judgments and runs; exit status 0 or 1
python examples/nightly_gate.py qrels.txt old.run new.run
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import irbounds as irb

MEASURES = "nDCG@10 AP RR"


def invent(folder: Path) -> list[str]:
    """Judgments, a run, and the same run with scores of one decimal."""
    rng = random.Random(7)
    qrels, old, new = [], [], []
    for q in range(1, 41):
        for d in range(1, 61):
            relevant = rng.random() < 0.15
            score = rng.gauss(relevant, 0.7)
            qrels.append(f"q{q} 0 d{d} {int(relevant)}")
            old.append(f"q{q} Q0 d{d} 0 {score:.6f} old")
            new.append(f"q{q} Q0 d{d} 0 {score:.1f} new")
    files = {"qrels.txt": qrels, "old.run": old, "new.run": new}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [str(folder / name) for name in files]


def gate(qrels: str, old_run: str, new_run: str) -> int:
    """1 if a measure fell by more than ties can explain, else 0."""
    evaluator = irb.Evaluator(qrels, MEASURES, bounds=True)
    old, new = evaluator.evaluate(old_run), evaluator.evaluate(new_run)
    failed = 0
    for measure in new.measures:
        (old_worst, old_best), (worst, best) = old.mean_bounds[measure], new.mean_bounds[measure]
        worse = best < old_worst
        failed |= worse
        print(
            f"{measure:8} {old.mean[measure]:.4f} [{old_worst:.4f}, {old_best:.4f}]  ->  "
            f"{new.mean[measure]:.4f} "
            f"[{worst:.4f}, {best:.4f}]  {'WORSE' if worse else 'ok'}"
        )
    for name, queries in (
        ("judged queries that the run lacks", new.missing_queries),
        ("queries without judgments", new.unjudged_queries),
    ):
        if queries:
            print(f"{len(queries)} {name}, such as {queries[0]}")
    return int(failed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(gate(*(sys.argv[1:] or invent(Path(folder)))))
