"""Fail a build whose run is worse than last night's by more than a margin.

python examples/nightly_gate.py             # invented judgments and runs
python examples/nightly_gate.py qrels.txt old.run new.run
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import irbounds as irb

MEASURES = "nDCG@10 AP RR"
MARGIN = 0.01


def invent(folder: Path) -> list[str]:
    """Judgments, a run, and the same run with scores of three decimals."""
    rng = random.Random(7)
    qrels, old, new = [], [], []
    for q in range(1, 41):
        for d in range(1, 61):
            relevant = rng.random() < 0.15
            score = rng.gauss(relevant, 0.7)
            qrels.append(f"q{q} 0 d{d} {int(relevant)}")
            old.append(f"q{q} Q0 d{d} 0 {score:.6f} old")
            new.append(f"q{q} Q0 d{d} 0 {score:.3f} new")
    files = {"qrels.txt": qrels, "old.run": old, "new.run": new}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [str(folder / name) for name in files]


def gate(qrels: str, old_run: str, new_run: str) -> int:
    """The exit status: 0 if no measure fell by more than the margin, 1 if one did, 3 if the queries
    are too few to say, or ties decide it."""
    found = irb.gate(qrels, old_run, new_run, MEASURES, margin=MARGIN)
    print(found)
    return found.exit_status


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = sys.argv[1:] or invent(Path(folder))
        if len(files) != 3:
            sys.exit("expected three files: judgments, the old run and the new one")
        try:
            sys.exit(gate(*files))
        except irb.InputError as error:
            print(error, file=sys.stderr)
            sys.exit(2)
