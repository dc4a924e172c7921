"""Widths of the default and of PPI++ where both cover equally often, for 33 judges and 20 labels.

    python benchmarks/studies/assisted_equal_coverage.py

writes benchmarks/results/assisted_equal_coverage.md.

An interval that covers less is narrower.  PPI++ cannot be made to cover 95 % where all labels of
many samples agree: then its width is 0, and so is every multiple of it.  So the default goes down:
for each judge it takes the lowest level of a grid with which it covers as often as PPI++ does.
"""

from __future__ import annotations

import numpy as np
from assisted_coverage import RESULTS, THRESHOLDS, ppi, read
from assisted_exact import ENUMERATED, outcomes
from judged_pairs import first_pairs, grades_of, groups_of

from irbounds.assisted.estimators import Cells, moved_outward
from irbounds.samples.posterior.recall_posterior import open_parts, parts_law

DRAWS = 4_000
ALPHAS = np.arange(0.025, 0.0901, 0.0025)  # on each side; the first is that of 95 %
SAME = 1e-12


def peer(y: np.ndarray, f: np.ndarray, rng: np.random.Generator) -> tuple[float, float, float]:
    """PPI++ from simple random samples: coverage, mean width, and the share of width 0."""
    found, share = np.empty((DRAWS, 2)), float(y.mean())
    for row in found:
        chosen = rng.permutation(y.size)[:ENUMERATED]
        row[:] = ppi(y[chosen], f[chosen], np.delete(f, chosen))[1:]
    low, high = found.T
    held = (low <= share + SAME) & (high >= share - SAME)
    return float(held.mean()), float((high - low).mean()), float((high - low < SAME).mean())


def all_ends(counts: tuple[tuple[int, int, int], ...]) -> np.ndarray:
    """The default's ends for every alpha, as `count_ends` has them, from one law."""
    size, sampled, relevant = np.array(counts, float).T
    cells = Cells(np.ones(size.size), size, sampled, relevant)
    law, most = parts_law(open_parts(cells.parts)), float(size.sum())
    found = np.empty((ALPHAS.size, 2))
    for row, alpha in zip(found, ALPHAS.tolist(), strict=True):
        low = 0.0 if relevant.sum() == 0 else law.quantile(alpha)
        high = most if relevant.sum() == sampled.sum() else law.quantile(1 - alpha)
        row[:] = moved_outward(cells, alpha, low, high)
    return found / most


def ours(size: np.ndarray, relevant: np.ndarray, plan: np.ndarray) -> np.ndarray:
    """Coverage and mean width of the default for every alpha, labels drawn by grade."""
    total, share = np.zeros((ALPHAS.size, 2)), relevant.sum() / size.sum()
    for weight, counts in outcomes(size, relevant, plan):
        low, high = all_ends(counts).T
        held = (low <= share + SAME) & (high >= share - SAME)
        total += weight * np.column_stack([held, high - low])
    return total


def one_judge(y: np.ndarray, grade: np.ndarray, rel: int) -> tuple[float, ...]:
    """A row of numbers; the last two are ratios of widths."""
    groups = groups_of(grade)
    relevant = np.bincount(groups.group, y).astype(int)
    rng = np.random.default_rng([23, rel])
    covered, width, no_width = peer(y, (grade >= rel).astype(float), rng)
    found = ours(groups.size, relevant, groups.allocated(ENUMERATED))
    as_often = int(np.flatnonzero(found[:, 0] >= covered).max(initial=0))
    (coverage, plain), (lower, narrow) = found[0].tolist(), found[as_often].tolist()
    return covered, no_width, coverage, lower, plain / width, narrow / width


def main() -> None:
    """Measure all judges, and write the page."""
    truth, judges = read()
    pool = first_pairs(judges)
    found: dict[str, list[tuple[float, ...]]] = {}
    for name, grades in judges.items():
        grade = grades_of(grades, pool)
        for rel in THRESHOLDS:
            y = np.array([float(truth[pair] >= rel) for pair in pool])
            found.setdefault(f"P(rel={rel})@10", []).append(one_judge(y, grade, rel))
        print(name, flush=True)
    found["both"] = [row for rows in found.values() for row in rows]
    lines = [
        "# Widths at equal coverage",
        "",
        f"P@10 of 250 pairs, {ENUMERATED} labels, drawn by grade for the default, all samples of "
        f"which are enumerated, and alike for PPI++ ({DRAWS:,} samples). Coverage is the mean of "
        "33 judges. *No width*: samples whose labels all agree, for which PPI++ has no width. "
        "*Ratio*: the mean width of the default to that of PPI++, the median of judges; *at equal "
        "coverage*: the same for the default at the lowest level with which it covers at least as "
        "often as PPI++ does, judge by judge. Made by "
        "`python benchmarks/studies/assisted_equal_coverage.py`.",
        "",
        "| measure | coverage of PPI++ | no width | of the default | ratio | of the default, lower "
        "level | ratio at equal coverage |",
        "|---|---|---|---|---|---|---|",
    ]
    for measure, rows in found.items():
        covered, no_width, coverage, lower, ratio, fair = np.array(rows).T
        lines.append(
            f"| {measure} | {covered.mean():.3f} | {no_width.mean():.1%} | {coverage.mean():.3f} "
            f"| {np.median(ratio):.3f} | {lower.mean():.3f} | {np.median(fair):.3f} |"
        )
    (RESULTS / "assisted_equal_coverage.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
