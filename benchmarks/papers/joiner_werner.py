"""Table 1 and the selection of the best method of Joiner & Werner, beside what irbounds computes.

python benchmarks/papers/joiner_werner.py       # writes
benchmarks/papers/results/joiner_werner.md
"""

from __future__ import annotations

import numpy as np
from page import filled, printed, publish, table

import irbounds as irb

# of the relevant ones among 200 documents
PLACES = [1, 2, 3, 10, 11, 14, 15, 20, 40, 50, 69, 78]


def measures() -> list[tuple[int, int, str, float]]:
    """Relevant, drawn, printed, ours: one row of table 1 each."""
    texts = [row["measure"] for row in printed("joiner_werner_1")]
    ranking = np.zeros(len(texts), bool)
    ranking[[place - 1 for place in PLACES if place <= len(ranking)]] = True
    curve = irb.chance.hypergeometric_curve(ranking, population=200, relevant=len(PLACES))
    return [
        (int(found), n, text, float(value))
        for n, (found, text, value) in enumerate(
            zip(np.cumsum(ranking), texts, curve, strict=True), 1
        )
    ]


def remark(text: str, value: float) -> str:
    """How the printed digits come from ours, if they do."""
    if f"{value:.5f}" == text:
        return ""
    return "cut, not rounded" if f"{int(value * 1e5) / 1e5:.5f}" == text else "**differs**"


def report() -> list[str]:
    """The page."""
    rows = [(found, n, text, value, remark(text, value)) for found, n, text, value in measures()]
    differs = [n for _, n, _, _, note in rows if "differs" in note]
    cut = [n for _, n, _, _, note in rows if "cut" in note]
    selection = irb.chance.probability_of_correct_selection(trials=1000, methods=3, ratio=1.5)
    shown = [[str(found), str(n), text, f"{x:.7f}", note] for found, n, text, x, note in rows]
    claim = "P(correct choice), 1000 trials, ratio 1.5"
    verdict = "agrees" if selection > 0.98 else "**differs**"
    return filled(
        "joiner_werner",
        rows=len(rows),
        rounded=len(rows) - len(cut) - len(differs),
        cut=len(cut),
        differ=len(differs),
        first=differs[0],
        last=differs[-1],
        low=rows[-1][3] - float(rows[-1][2]),
        table_1=table(["relevant", "drawn", "printed", "ours", "remark"], shown),
        choice=table(
            ["claim", "printed", "ours", "remark"],
            [[claim, "over 0.98", f"{selection:.5f}", verdict]],
        ),
    )


if __name__ == "__main__":
    publish(report(), "joiner_werner")
