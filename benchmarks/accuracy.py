"""How far every public number is from a slow and exact twin, beside what is promised of it.

    python benchmarks/accuracy.py                 # writes benchmarks/results/accuracy.md

Questions are those of the hunts, drawn with a fresh seed. The exit status is 1, and the hunts are
named, where an error is larger than its promise. A promise is never raised to let an error pass.
"""

from __future__ import annotations

import argparse
import math
import secrets
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the twins are

from hunts import Hunt, Relative, all_hunts
from hunts._search import ask, stream

PAGE = Path(__file__).resolve().parent / "results" / "accuracy.md"
SECONDS = 5.0  # of the processor for one hunt, as some twins take seconds for a question


@dataclass
class Row:
    """A line of the page: hunts of one subject with one promise."""

    names: list[str]
    promise: str
    twin: str
    questions: int = 0
    ratio: float = 0.0  # the largest error, as a part of its promise
    error: float = 0.0  # the largest one, relative where the promise is

    def ask(self, hunt: Hunt, cases: int, seed: int) -> list[str]:
        """Ask so many questions; what breaks the promise, in words."""
        rng, start, faults = stream(seed, hunt.name), time.process_time(), list[str]()
        asked = 0
        while asked < cases and (not asked or time.process_time() - start < SECONDS):
            asked += 1
            answer = ask(hunt, hunt.draw(rng))
            if answer.fault:
                faults.append(f"{hunt.name}: {answer.fault} for {answer.args}")
            if answer.kind == "answer":
                is_relative = isinstance(hunt.promise, Relative) and answer.truth
                unit = abs(answer.truth) if is_relative and math.isfinite(answer.truth) else 1.0
                self.questions += 1
                self.ratio = max(self.ratio, answer.ratio)
                self.error = max(self.error, answer.error / unit)
        return faults

    @property
    def cells(self) -> str:
        """As Markdown."""
        numbers = f"{self.questions:,} | {self.promise} | {self.error:.1e} | {self.ratio:.1g}"
        return f"| {'; '.join(self.names)} | {self.twin} | {numbers} |"


def rows_of(hunts: dict[str, Hunt], cases: int, seed: int) -> tuple[list[Row], list[str]]:
    """All lines, and what breaks a promise."""
    rows: dict[tuple[str, str], Row] = {}
    faults: list[str] = []
    for hunt in hunts.values():
        module = sys.modules[hunt.draw.__module__]
        key = module.__name__, hunt.promise_in_words
        row = rows.setdefault(key, Row([], hunt.promise_in_words, module.TWINS))
        row.names.append(hunt.name)
        faults += row.ask(hunt, cases, seed)
    return list(rows.values()), faults


def page(rows: list[Row], seed: int) -> str:
    """The page of the documentation."""
    lines = [
        "# Accuracy",
        "",
        "The largest error over random questions, and what is promised. The twins share no code",
        "with irbounds: they enumerate, or compute with fractions or many digits. The error is",
        "relative where the promise is; the last column is the largest ratio of an error to its",
        f"promise. Made by `python benchmarks/accuracy.py --seed {seed}`.",
        "",
        "| what | twin | questions | promise | largest error | of the promise |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    return "\n".join([*lines, *(row.cells for row in rows)]) + "\n"


def main() -> int:
    """Measure, write the page, and say what is not kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=100, help="of each hunt (default: 100)")
    parser.add_argument("--seed", type=int, default=None, help="drawn by default")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    seed = secrets.randbits(32) if options.seed is None else options.seed
    rows, faults = rows_of(all_hunts(), options.cases, seed)
    PAGE.write_text(page(rows, seed), encoding="utf-8")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(rows)} rows, {sum(row.questions for row in rows):,} questions, seed {seed}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
