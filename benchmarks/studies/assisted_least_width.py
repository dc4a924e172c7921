"""The least mean width that any interval with a coverage of 95 % can have, from 20 labels of the
judges' pairs.

    python benchmarks/studies/assisted_least_width.py  # writes results/assisted_least_width.md

The mean number of values in an interval is the sum over values t of the probability that it holds t
(Pratt 1961).  An interval with coverage 1 - α leaves out t, where t is true, with a probability of
at most α, so it is a test of level α; where something else is true it holds t at least as often as
the most powerful test does not reject it.  The most powerful test of one population against the
true one is Neyman and Pearson's, and any population with the sum t gives a lower bound.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from assisted_coverage import first_system, read
from scipy.stats import hypergeom

from irbounds.assisted.allocation import _Groups

RESULTS = Path(__file__).resolve().parents[1] / "results" / "assisted_least_width.md"
LABELS, LEVELS, THRESHOLDS = 20, (0.95,), (1,)


def sample_law(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray) -> np.ndarray:
    """The probabilities of all outcomes of samples of strata."""
    law = np.ones(1)
    for total, right, n in zip(size.tolist(), relevant.tolist(), plan.tolist(), strict=True):
        law = np.multiply.outer(law, one_law(int(total), int(right), int(n))).ravel()
    return law


@cache
def one_law(size: int, relevant: int, n: int) -> np.ndarray:
    """Hypergeometric."""
    return hypergeom(size, relevant, n).pmf(np.arange(n + 1))


def least_error(null: np.ndarray, true: np.ndarray, alpha: float) -> float:
    """The least probability, under `true`, that a test of level alpha accepts `null`."""
    ratio = np.divide(true, null, out=np.where(true > 0, np.inf, 0.0), where=null > 0)
    order = np.argsort(-ratio)
    level, power = (np.concatenate([[0.0], np.cumsum(law[order])]) for law in (null, true))
    return 1 - float(np.interp(alpha, level, power))


def near(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray, total: int) -> np.ndarray:
    """A population with another sum that samples tell badly from this one: differences go to strata
    in proportion to their parts of the variance."""
    share = np.clip(relevant / size, 0.02, 0.98)
    variance = size**2 * share * (1 - share) / np.maximum(plan, 1)
    found = relevant + variance / variance.sum() * (total - relevant.sum())
    found = np.clip(np.rint(found), 0, size)
    while found.sum() != total:
        step = np.sign(total - found.sum())
        open_to = np.flatnonzero((found + step >= 0) & (found + step <= size))
        found[open_to[np.argmax(variance[open_to])]] += step
    return found


def least_width(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray, alpha: float) -> float:
    """As a share of the pairs, between the ends."""
    true, total = sample_law(size, relevant, plan), int(size.sum())
    held = sum(
        least_error(sample_law(size, near(size, relevant, plan, t), plan), true, alpha)
        for t in range(total + 1)
        if t != relevant.sum()
    )
    return (held - alpha) / total


def main() -> None:
    """Measure all judges, and write the table."""
    truth, judges = read()
    pool = [(query, doc) for query, docs in first_system(judges).items() for doc in docs[:10]]
    lines = [
        "# The least width that is possible",
        "",
        f"Mean widths of intervals from {LABELS} labels, drawn by grade, of 250 pairs. No interval "
        "that covers so often wherever the truth is can be narrower on average than this (Pratt's "
        "bound), even if it were made for these very judges: median (least to greatest) of 33. "
        "Made by `python benchmarks/studies/assisted_least_width.py`.",
        "",
        "| measure | coverage | least mean width |",
        "|---|---|---|",
    ]
    for rel in THRESHOLDS:
        y = np.array([float(truth[pair] >= rel) for pair in pool])
        for level in LEVELS:
            found = []
            for judge in judges.values():
                grade = np.array([float(judge[pair]) for pair in pool])
                weight = np.full((1, y.size), 1 / y.size)
                groups = _Groups(
                    grade, np.full(y.size, np.nan), weight, lambda g: g > 0, is_count=True
                )
                relevant = np.bincount(groups.group, y)
                plan = groups.allocated(LABELS)
                found.append(least_width(groups.size, relevant, plan, 1 - level))
            lines.append(
                f"| P(rel={rel})@10 | {level} | {np.median(found):.3f} ({min(found):.3f} to "
                f"{max(found):.3f}) |"
            )
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
