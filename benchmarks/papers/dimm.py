"""Figures 1, 3, 5 and 9 of Dimm, as far as they print numbers, beside what irbounds computes.

python benchmarks/papers/dimm.py       # writes benchmarks/papers/results/dimm.md
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from page import data_folder, filled, printed, publish, table
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
        x = f"{irb.extrapolation.PrecisionCurve(RHO, beta).relevance_probability(TARGET):.4f}"
        if text is None:
            rows.append([f"{X:.2f}", "", f"{beta:.4g}", "", x, ""])
            continue
        of_text = irb.extrapolation.PrecisionCurve(RHO, text).precision(TARGET)
        cells = [f"{X:.2f}", f"{text:g}", f"{beta:.4g}", f"{of_text:.5f}", x]
        rows.append([*cells, remark(X, of_text, 0.0011)])
    return rows


def figure_1_precisions() -> tuple[float, float]:
    """Precision of both tasks at recall 0.75, from the printed ratios of documents and of F1."""
    documents = number("ratio of documents to review at recall 0.75")
    ratio = number("ratio of F1 at recall 0.75")

    def apart(p: float) -> float:
        return (
            irb.extrapolation.f_score(TARGET, documents * p) / irb.extrapolation.f_score(TARGET, p)
            - ratio
        )

    hard = brentq(apart, 1e-3, 1 / documents)
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
            text = number(f"recall of the greatest F{beta}, {task} task")
            rows.append([f"F{beta}, {task} task", *(f"{recall:.2f}" for recall in (text, *found))])
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
            of_queries = [np.abs(x).mean(), np.abs(p).mean(), x.mean(), p.mean()]
            of_mean = [np.abs(mean_x).mean(), np.abs(mean_p).mean()]
            rows.append([name, run.name.split(".")[1], *of_queries, *of_mean])
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
    """The page."""
    implied, best = figure_1()
    nine = figure_9(folder)
    better = [sum(abs(row[i]) < abs(row[i + 1]) for row in nine) for i in (2, 4, 6)]
    ranges = []
    for task, ends, rhos in (("left", EASY, (0.005, 0.014)), ("right", HARD, (0.04, 0.255))):
        curves = [irb.extrapolation.PrecisionCurve(rho, beta) for rho in rhos for beta in ends]
        precisions = (f"{curve.precision(TARGET):.3f}" for curve in curves)
        ranges.append([task, *map(str, ends), *precisions])
    columns = ["queries, mean abs. error", "mean error", "mean curve, mean abs. error"]
    signs = ("", "", "+", "+", "", "")
    of_figure_9 = [
        [*row[:2], *(f"{x:{sign}.4f}" for x, sign in zip(row[2:], signs, strict=True))]
        for row in nine
    ]
    of_figure_5 = ["X", "β printed", "β ours", "X of printed β", "x ours", "remark"]
    of_ranges = [f"{end} β" for end in ("least", "greatest")]
    return filled(
        "dimm",
        figure_5=table(of_figure_5, figure_5()),
        implied=table(["quantity", "printed", "ours", "remark"], implied),
        best=table(["greatest", "printed", "ρ = 0.005", "0.01", "0.03", "0.1"], best),
        ranges=table(
            [
                "graphs",
                *of_ranges,
                "X at least ρ, least β",
                "greatest β",
                "at greatest ρ, least β",
                "greatest β",
            ],
            ranges,
        ),
        curve=better[2],
        runs=len(nine),
        mean=better[1],
        absolute=better[0],
        figure_9=table(
            ["collection", "weighting", *(x for c in columns for x in (f"{c}: X", "P as it is"))],
            of_figure_9,
        ),
    )


if __name__ == "__main__":
    publish(report(data_folder(__doc__, *(f"{name}/{name}.qrels" for name in COLLECTIONS))), "dimm")
