"""Tables IX, X and XII and figures 9 to 15 of Webber, beside what irbounds computes.

python benchmarks/papers/webber.py       # writes benchmarks/papers/results/webber.md and its
pictures
"""

from __future__ import annotations

import csv
import resource
import time
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from page import HERE, data_folder, printed, publish, table

import irbounds as irb
from irbounds.plot.coverage import closest_shares, coverage_boxes, coverage_gaps
from irbounds.plot.design import allocation_widths, sample_widths

SCENARIOS = ("neutral", "legal", "small")
GOOD = ("koopman", "beta-jeffreys", "betabinom-uniform", "betabinom-mcp", "betabinom-half")
SEED = 2013
STRATA = "trec_legal_2009_interactive/strata.csv"


def coverages(realisations: int = 1000, samples: int = 1000) -> list[irb.planning.CoverageReport]:
    """One report a scenario."""
    return [
        irb.coverage(scenario, realisations=realisations, samples=samples, rng=SEED)
        for scenario in SCENARIOS
    ]


def remark(ours: float, text: str, tolerance: float) -> str:
    """Whether ours is as near to the printed number as this."""
    return "" if abs(ours - float(text)) <= tolerance + 1e-9 else "**differs**"


def table_ix(reports: list[irb.planning.CoverageReport]) -> list[list[str]]:
    """Method, scenario, printed and our width and mean coverage, remark."""
    rows = []
    for row in printed("webber_9"):
        for report in reports:
            method, scenario = row["method"], report.scenario
            width, cover = report.mean_width[method], report.mean_coverage[method]
            notes = [
                f"{what} {note}"
                for what, note in (
                    (
                        "width",
                        remark(
                            width, row[f"{scenario} width"], 0.04 if scenario == "legal" else 0.02
                        ),
                    ),
                    ("coverage", remark(cover, row[f"{scenario} coverage"], 0.015)),
                )
                if note
            ]
            # both sides are samples of 1000 realisations
            if notes and notes[-1].startswith("coverage"):
                error = report.standard_error[method] * 2**0.5
                notes.append(
                    f"by {abs(cover - float(row[f'{scenario} coverage'])) / error:.1f} standard "
                    "errors"
                )
            rows.append(
                [
                    method,
                    scenario,
                    row[f"{scenario} width"],
                    f"{width:.3f}",
                    row[f"{scenario} coverage"],
                    f"{cover:.3f}",
                    "; ".join(notes),
                ]
            )
    return rows


def table_x(reports: list[irb.planning.CoverageReport]) -> list[list[str]]:
    """Method, for each scenario and their mean printed / ours, remark."""
    rows = []
    for row in printed("webber_10"):
        method = row["method"]
        ours = {report.scenario: report.rmse[method] for report in reports}
        ours["mean"] = float(np.mean(list(ours.values())))
        tolerance = 0.01 if method in GOOD else 0.05
        notes = [
            f"{name} {remark(value, row[name], tolerance)}"
            for name, value in ours.items()
            if remark(value, row[name], tolerance)
        ]
        rows.append(
            [
                method,
                *(f"{row[name]} / {value:.3f}" for name, value in ours.items()),
                "; ".join(notes),
            ]
        )
    return rows


def segments(folder: Path, topic: str, team: str) -> tuple[list[Any], list[Any]]:
    """Strata that a team retrieved, and the others, as (size, sampled, relevant)."""
    strata: dict[str, list[Any]] = {"R": [], "N": []}
    with (folder / STRATA).open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["topic"] == topic:
                kind = row["pattern"][row["teams"].split().index(team)]
                strata[kind].append((int(row["N"]), int(row["n"]), int(row["r2"])))
    return strata["R"], strata["N"]


def table_xii(folder: Path) -> list[list[str]]:
    """Topic, team, printed and our ends by three methods, remark."""
    rows = []
    for row in printed("webber_12"):
        both = segments(folder, row["topic"], row["team"])
        half, normal, laplace = (
            irb.recall_interval(*both, method=method)
            for method in ("betabinom-half", "normal-mle", "normal-laplace")
        )
        ends = {
            "half": (half.low, half.high),
            "normal": (normal.raw_low, normal.raw_high),
            "laplace": (laplace.low, laplace.high),
        }
        cells, notes = [], []
        for name, pair in ends.items():
            texts = [row[f"{name} {end}"] for end in ("low", "high")]
            cells.append(f"{' '.join(texts)} / {pair[0]:.3f} {pair[1]:.3f}")
            if any(
                remark(value, text, 0.004 if name == "half" else 0.002)
                for value, text in zip(pair, texts, strict=True)
            ):
                notes.append(f"{name} **differs**")
        rows.append([f"t{row['topic']}", row["team"], *cells, "; ".join(notes)])
    return rows


def pictures(reports: list[irb.planning.CoverageReport]) -> list[tuple[str, str]]:
    """Figures 9 to 15 in files beside the page: what each is, and its name."""
    import matplotlib.pyplot as plt

    made = []

    def save(number: int, caption: str, *, height: float = 4.2) -> Any:
        figure, ax = plt.subplots(figsize=(7.2, height), layout="constrained")
        made.append((f"Figure {number}: {caption}", f"webber_figure_{number}.png"))
        return figure, ax

    drawings = [
        *(
            (
                9 + i,
                f"coverage, {report.scenario} scenario",
                lambda ax, r=report: coverage_boxes(r, ax),
            )
            for i, report in enumerate(reports)
        ),
        (
            12,
            "gaps below and above the intervals, neutral scenario",
            lambda ax: coverage_gaps(reports[0], ax),
        ),
        (13, "how often each method is closest to nominal", lambda ax: closest_shares(reports, ax)),
        (14, "expected width over the share of 5,000 assessments, half prior", draw_figure_14),
        (15, "expected width over the size of the sample", draw_figure_15),
    ]
    for number, caption, draw in drawings:
        figure, ax = save(number, caption, height=5.2 if number in (12, 13) else 4.2)
        draw(ax)
        figure.savefig(HERE / "results" / made[-1][1], dpi=80, metadata={"Software": None})
        plt.close(figure)
    return made


def draw_figure_14(ax: Any) -> None:
    """A population of 5,000,000, of which 500,000 are retrieved."""
    allocation_widths(
        {
            f"recall {recall}, precision {precision}": irb.AssumedReview(
                5_000_000, 500_000, recall=recall, precision=precision
            )
            for recall, precision in ((0.25, 0.9), (0.5, 0.5), (0.75, 0.25), (0.9, 0.1))
        },
        5000,
        ax,
    )


def draw_figure_15(ax: Any) -> None:
    """Recall and precision 0.5; normal intervals are those of the design that is best for the half
    prior."""
    sample_widths(
        {
            f"{n:,} retrieved": irb.AssumedReview(5_000_000, n, recall=0.5, precision=0.5)
            for n in (5000, 50_000, 500_000)
        },
        [200, 500, 1000, 2000, 5000, 10_000],
        ax,
    )


def report(folder: Path) -> list[str]:
    """The page."""
    start = time.perf_counter()
    reports = coverages()
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    nine, ten, twelve = table_ix(reports), table_x(reports), table_xii(folder)
    differs = [sum("differs" in row[-1] for row in rows) for rows in (nine, ten, twelve)]
    rmse = {row[0]: float(row[-2].split(" / ")[1]) for row in ten}
    shares = [
        [method, *(f"{report.closest[method]:.3f}" for report in reports)]
        for method in reports[0].methods
    ]
    return [
        "# Webber, approximate recall confidence intervals",
        "",
        "Made by `python benchmarks/papers/webber.py`: 1000 realisations of each scenario, 1000 "
        "samples of each, nine "
        f"methods, in {seconds:.0f} s with {memory:.0f} MiB. The scenarios are the formulas of "
        "tables V to VIII, with "
        "minimum and maximum where they must stand.",
        "",
        f"Half prior: mean RMSE {rmse['betabinom-half']:.4f}; the least is "
        f"{min(rmse, key=rmse.__getitem__)}'s, {min(rmse.values()):.4f}.",
        "",
        "## Table IX: mean width and mean coverage",
        "",
        f"{len(nine) - differs[0]} of {len(nine)} rows within 0.02 of the printed width (legal "
        "0.04, whose mean "
        "population is not that of the printed formula) and 0.015 of the printed coverage.",
        "",
        *table(["method", "scenario", "width", "ours", "coverage", "ours", "remark"], nine),
        "## Table X: RMSE from nominal coverage, printed / ours",
        "",
        f"{len(ten) - differs[1]} of {len(ten)} rows within 0.01 (the five methods with small "
        "errors) or 0.05.",
        "",
        *table(["method", *SCENARIOS, "mean", "remark"], ten),
        "## Table XII: TREC 2009 Legal Track, printed / ours",
        "",
        f"{len(twelve) - differs[2]} of {len(twelve)} rows within 0.004 (half prior; the paper "
        "draws 40,000 pairs) and "
        "0.002 (normal approximations, not clipped; the paper's UD is the data's AD).",
        "",
        *table(["topic", "team", "half prior", "normal", "Laplace", "remark"], twelve),
        "## Figure 13: share of the realisations where a method is closest",
        "",
        *table(["method", *SCENARIOS], shares),
        "## Figures",
        "",
        *(
            line
            for caption, name in pictures(reports)
            for line in (f"![{caption}]({name})", "", caption, "")
        ),
    ]


if __name__ == "__main__":
    matplotlib.use("Agg")
    publish(report(data_folder(__doc__, STRATA)), "webber")
