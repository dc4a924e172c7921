"""Figures 1, 3, 5 and 9 of Dimm, as far as they print numbers, beside what irbounds computes.

python benchmarks/papers/dimm.py       # writes benchmarks/papers/results/dimm.md
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from page import data_folder, printed, publish, table
from scipy.optimize import brentq

import irbounds as irb

RHO, TARGET = 0.03, 0.75  # of figure 5
EASY, HARD = (16, 526), (8, 50)  # β of the model curves in figure 3, left and right
COLLECTIONS = {"adi": 82, "cisi": 1460, "med": 1033}
STEP = 0.05  # of figure 9
GRID = np.arange(0.01, 1.0, 0.01)


def number(quantity: str) -> float:
    """A printed number."""
    return next(float(row["printed"]) for row in printed("dimm") if row["quantity"] == quantity)


def remark(text: float, value: float, tolerance: float) -> str:
    """Whether ours is as near to the printed number as this."""
    return "" if abs(text - value) <= tolerance + 1e-12 else "**differs**"


def figure_5() -> list[list[str]]:
    """β, X and x at recall 0.75: from the printed ends, and at even steps of X between."""
    ends = [number("least beta of figure 5"), number("greatest beta of figure 5")]
    steps = np.linspace(0.05, 0.95, 10)
    rows = []
    betas = irb.extrapolation.PrecisionCurve.through(TARGET, steps, RHO).beta
    for X, beta, text in zip(steps, betas, [ends[0], *[None] * 8, ends[1]], strict=True):
        of_printed = (
            None if text is None else irb.extrapolation.PrecisionCurve(RHO, text).precision(TARGET)
        )
        rows.append(
            [
                f"{X:.2f}",
                "" if text is None else f"{text:g}",
                f"{beta:.4g}",
                "" if of_printed is None else f"{of_printed:.5f}",
                f"{irb.extrapolation.PrecisionCurve(RHO, beta).relevance_probability(TARGET):.4f}",
                "" if of_printed is None else remark(X, of_printed, 0.0011),
            ]
        )
    return rows


def figure_1_precisions() -> tuple[float, float]:
    """Precision of both tasks at recall 0.75, from the printed ratios of documents and of F1."""
    documents, ratio = (
        number("ratio of documents to review at recall 0.75"),
        number("ratio of F1 at recall 0.75"),
    )
    hard = brentq(
        lambda p: (
            irb.extrapolation.f_score(TARGET, documents * p) / irb.extrapolation.f_score(TARGET, p)
            - ratio
        ),
        1e-3,
        1 / documents,
    )
    return documents * hard, hard


def best_recall(precision: float, prevalence: float, beta: float) -> float:
    """Where F is greatest along the reference curve through the point at recall 0.75."""
    curve = irb.extrapolation.PrecisionCurve.through(TARGET, precision, prevalence)
    return float(GRID[np.argmax(irb.extrapolation.f_score(GRID, curve.precision(GRID), beta))])


def figure_1() -> tuple[list[list[str]], list[list[str]]]:
    """Precisions that the printed ratios imply; the best recalls by F along reference curves."""
    easy, hard = figure_1_precisions()
    f2 = irb.extrapolation.f_score(TARGET, easy, 2) / irb.extrapolation.f_score(TARGET, hard, 2)
    text = number("ratio of F2 at recall 0.75")
    implied = [
        ["precision of the easy task", "", f"{easy:.3f}", ""],
        ["precision of the hard task", "", f"{hard:.3f}", ""],
        ["ratio of F2 at recall 0.75", f"{text:.1f}", f"{f2:.3f}", remark(text, f2, 0.05)],
    ]
    rows = []
    for task, P in (("easy", easy), ("hard", hard)):
        for beta in (1, 2):
            found = [best_recall(P, rho, beta) for rho in (0.005, 0.01, 0.03, 0.1)]
            rows.append(
                [
                    f"F{beta}, {task} task",
                    f"{number(f'recall of the greatest F{beta}, {task} task'):.2f}",
                    *(f"{recall:.2f}" for recall in found),
                ]
            )
    return implied, rows


def figure_9(folder: Path) -> list[list[float | str]]:
    """Errors of precision at a recall from that at 0.05 more, by X and by taking it as it is, of
    real rankings: for single queries mean absolute errors and mean errors, for the mean curve of
    all queries mean absolute errors."""
    rows: list[list[float | str]] = []
    levels = np.arange(1, 20) * STEP
    for name, size in COLLECTIONS.items():
        for run in sorted(folder.glob(f"{name}/{name}.*.run.xz")):
            with warnings.catch_warnings():  # the errors are what is measured
                warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
                found = irb.extrapolation.extrapolate_run(
                    folder / name / f"{name}.qrels", run, collection_size=size, levels=levels
                )
            P, rho = found.precision, found.prevalence[:, None]
            x, p = errors(P, rho, levels)
            mean_x, mean_p = errors(P.mean(axis=0), rho.mean(), levels)
            rows.append(
                [
                    name,
                    run.name.split(".")[1],
                    np.abs(x).mean(),
                    np.abs(p).mean(),
                    x.mean(),
                    p.mean(),
                    np.abs(mean_x).mean(),
                    np.abs(mean_p).mean(),
                ]
            )
    return rows


def errors(P: np.ndarray, rho: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    """Errors of X and of precision as it is, where the point is on a curve."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
        X = irb.extrapolation.extrapolate_precision(
            levels[1:], P[..., 1:], rho, levels[:-1], on_invalid="nan"
        )
    known = ~np.isnan(X)
    return (X - P[..., :-1])[known], (P[..., 1:] - P[..., :-1])[known]


def report(folder: Path) -> list[str]:
    """The page. It is longer than 60 lines because its paragraphs and tables stand in order."""
    implied, best = figure_1()
    nine = figure_9(folder)
    better = [sum(abs(row[i]) < abs(row[i + 1]) for row in nine) for i in (2, 4, 6)]
    ranges = [
        [
            task,
            str(low),
            str(high),
            *(
                f"{irb.extrapolation.PrecisionCurve(rho, beta).precision(TARGET):.3f}"
                for rho in rhos
                for beta in (low, high)
            ),
        ]
        for task, (low, high), rhos in (
            ("left", EASY, (0.005, 0.014)),
            ("right", HARD, (0.04, 0.255)),
        )
    ]
    return [
        "# Dimm, extrapolated precision",
        "",
        "Made by `python benchmarks/papers/dimm.py`. The paper prints few numbers; its tasks are "
        "not public.",
        "",
        "## Figure 5: reference curves, prevalence 0.03, by X at recall 0.75",
        "",
        "β is said to be chosen for evenly spaced X, from 2.44 to 833: steps of 0.1 from 0.05 to "
        "0.95, within 0.001.",
        "",
        *table(["X", "β printed", "β ours", "X of printed β", "x ours", "remark"], figure_5()),
        "## Figure 1: the two tasks",
        "",
        "Ratios at recall 0.75 of documents (6.5) and of F1 (3.6) leave one pair of precisions, "
        "which gives the third "
        "printed ratio:",
        "",
        *table(["quantity", "printed", "ours", "remark"], implied),
        "Where F is greatest, as printed for the tasks' own curves, and along the reference "
        "curves through these "
        "points for several prevalences (they are not printed):",
        "",
        *table(["greatest", "printed", "ρ = 0.005", "0.01", "0.03", "0.1"], best),
        "## Figure 3: precision at recall 0.75 that the printed ranges of β and ρ span",
        "",
        *table(
            [
                "graphs",
                "least β",
                "greatest β",
                "X at least ρ, least β",
                "greatest β",
                "at greatest ρ, least β",
                "greatest β",
            ],
            ranges,
        ),
        "## Figure 9, on other rankings: precision at R from that at R + 0.05",
        "",
        "Expected precision, exact over ties, of small public collections under six weightings, R "
        "= 0.05 to 0.90. The "
        "paper finds that X generally has smaller errors than taking precision as it is. For the "
        "mean curve over all "
        f"queries that is so in {better[2]} of {len(nine)} runs, all but those of adi, whose "
        "queries have some five "
        "relevant documents. For single queries the mean error of X is nearer to 0 in "
        f"{better[1]}, but its mean "
        f"absolute error is the smaller one in {better[0]} only: with few relevant documents "
        "precision goes up and "
        "down in steps, which no smooth curve follows.",
        "",
        *table(
            [
                "collection",
                "weighting",
                "queries, mean abs. error: X",
                "P as it is",
                "mean error: X",
                "P as it is",
                "mean curve, mean abs. error: X",
                "P as it is",
            ],
            [
                [
                    *row[:2],
                    *(f"{value:.4f}" for value in row[2:4]),
                    *(f"{value:+.4f}" for value in row[4:6]),
                    *(f"{value:.4f}" for value in row[6:]),
                ]
                for row in nine
            ],
        ),
    ]


if __name__ == "__main__":
    publish(report(data_folder(__doc__, *(f"{name}/{name}.qrels" for name in COLLECTIONS))), "dimm")
