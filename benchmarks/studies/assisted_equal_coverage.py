"""Widths of the default and of PPI++ where both cover equally often, for 33 judges and 20 labels.

    python benchmarks/studies/assisted_equal_coverage.py

writes benchmarks/results/assisted_equal_coverage.md.

An interval that covers less is narrower.  So the half-widths of PPI++ are multiplied, for each
judge, by the factor with which it covers as often as the default does with that judge.  The factor
is a quantile of |error|/half-width over the samples, which nobody knows outside of a study.
"""

from __future__ import annotations

import numpy as np
from assisted_coverage import RESULTS, THRESHOLDS, first_system, ppi, read
from assisted_exact import ENUMERATED, METHODS, alike, measured, outcomes

from irbounds.assisted.allocation import _Groups

DRAWS = 4_000
DEFAULT = METHODS.index("default")
Cell = tuple[str, str]  # measure, sample


def ppi_draws(
    y: np.ndarray, f: np.ndarray, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and half-widths of PPI++ from simple random samples."""
    found = np.empty((DRAWS, 2))
    for row in found:
        chosen = rng.permutation(y.size)[:n]
        estimate, _, high = ppi(y[chosen], f[chosen], np.delete(f, chosen))
        row[:] = estimate, high - estimate
    return found[:, 0], found[:, 1]


def widths(
    estimate: np.ndarray, half: np.ndarray, truth: float, coverage: float
) -> tuple[float, float]:
    """Mean widths with so much coverage: as they are, and cut off at 0 and 1."""
    error = np.abs(estimate - truth)
    ratio = np.divide(error, half, out=np.full(error.size, np.inf), where=half > 0)
    half = half * float(np.quantile(ratio, coverage, method="higher"))
    cut = np.minimum(1, estimate + half) - np.maximum(0, estimate - half)
    return float(2 * half.mean()), float(cut.mean())


def study() -> dict[Cell, list[tuple[float, ...]]]:
    """For each judge: coverage of both, and widths as parts of those of PPI++."""
    truth, judges = read()
    pool = [(query, doc) for query, docs in first_system(judges).items() for doc in docs[:10]]
    found: dict[Cell, list[tuple[float, ...]]] = {}
    for name, grades in judges.items():
        grade = np.array([float(grades[pair]) for pair in pool])
        weight = np.full((1, grade.size), 1 / grade.size)
        groups = _Groups(grade, np.full(grade.size, np.nan), weight, lambda g: g > 0, is_count=True)
        for rel in THRESHOLDS:
            n, rng = ENUMERATED, np.random.default_rng([23, rel])
            y = np.array([float(truth[pair] >= rel) for pair in pool])
            size, relevant = groups.size, np.bincount(groups.group, y).astype(int)
            plan, share = groups.allocated(n), float(y.mean())
            estimate, half = ppi_draws(y, (grade >= rel).astype(float), n, rng)
            covered = float((np.abs(estimate - share) <= half + 1e-12).mean())
            for design, samples in (
                ("drawn by grade", outcomes(size, relevant, plan)),
                ("drawn alike", alike(size, relevant, n, rng)),
            ):
                coverage, width = measured(samples, share)[DEFAULT]
                whole, cut = widths(estimate, half, share, coverage)
                found.setdefault((f"P(rel={rel})@10", design), []).append(
                    (covered, coverage, width / (2 * half.mean()), width / whole, width / cut)
                )
        print(name, flush=True)
    return found


def main() -> None:
    """Measure all judges, and write the page."""
    found = study()
    lines = [
        "# Widths at equal coverage",
        "",
        f"P@10 of 250 pairs, {ENUMERATED} labels, 33 judges. *Ratio*: the mean width of the "
        "default, as a part of the one of PPI++ with nominal 95 %; the median of judges. *At equal "
        "coverage*: PPI++ is made "
        "wider, for each judge, until it covers as often as the default does with that judge; "
        "*cut*: its ends are cut off at 0 and 1 after that. Coverage is the mean of judges. PPI++ "
        f"has {DRAWS:,} simple random samples for each. Made by "
        "`python benchmarks/studies/assisted_equal_coverage.py`.",
        "",
        "| measure | sample | coverage of PPI++ | of the default | ratio | at equal "
        "coverage | cut |",
        "|---|---|---|---|---|---|---|",
    ]
    together: dict[str, list[tuple[float, ...]]] = {}
    for (measure, design), rows in sorted(found.items()):
        lines.append(_row(measure, design, rows))
        together.setdefault(design, []).extend(rows)
    lines += [_row("both", design, rows) for design, rows in sorted(together.items())]
    (RESULTS / "assisted_equal_coverage.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _row(measure: str, design: str, rows: list[tuple[float, ...]]) -> str:
    peer, ours, *ratios = np.array(rows).T
    shown = " | ".join(f"{np.median(ratio):.3f}" for ratio in ratios)
    return f"| {measure} | {design} | {peer.mean():.3f} | {ours.mean():.3f} | {shown} |"


if __name__ == "__main__":
    main()
