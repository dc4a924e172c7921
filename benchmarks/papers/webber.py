"""Tables IX, X and XII and figures 9 to 15 of Webber, beside what irbounds computes.

python benchmarks/papers/webber.py       # writes benchmarks/papers/results/webber.md and its
pictures
"""

from __future__ import annotations

import csv
import resource
import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from page import HERE, data_folder, filled, printed, publish, table

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
    for row, report in product(printed("webber_9"), reports):
        method, scenario = row["method"], report.scenario
        width, cover = report.mean_width[method], report.mean_coverage[method]
        texts = row[f"{scenario} width"], row[f"{scenario} coverage"]
        of_width = remark(width, texts[0], 0.04 if scenario == "legal" else 0.02)
        of_cover = remark(cover, texts[1], 0.015)
        notes = [f"width {of_width}"] * bool(of_width)
        if of_cover:  # both sides are samples of 1000 realisations
            error = report.standard_error[method] * 2**0.5
            apart = abs(cover - float(texts[1])) / error
            notes += [f"coverage {of_cover}", f"by {apart:.1f} standard errors"]
        numbers = [texts[0], f"{width:.3f}", texts[1], f"{cover:.3f}"]
        rows.append([method, scenario, *numbers, "; ".join(notes)])
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
        cells = (f"{row[name]} / {value:.3f}" for name, value in ours.items())
        rows.append([method, *cells, "; ".join(notes)])
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
    drawings: list[Any] = [
        (9 + i, f"coverage, {each.scenario} scenario", partial(coverage_boxes, each))
        for i, each in enumerate(reports)
    ]
    gaps, closest = partial(coverage_gaps, reports[0]), partial(closest_shares, reports)
    share = "expected width over the share of 5,000 assessments, half prior"
    drawings += [
        (12, "gaps below and above the intervals, neutral scenario", gaps),
        (13, "how often each method is closest to nominal", closest),
        (14, share, draw_figure_14),
        (15, "expected width over the size of the sample", draw_figure_15),
    ]
    for number, caption, draw in drawings:
        size = (7.2, 5.2 if number in (12, 13) else 4.2)
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        made.append((f"Figure {number}: {caption}", f"webber_figure_{number}.png"))
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
    captions = [
        line
        for caption, name in pictures(reports)
        for line in (f"![{caption}]({name})", "", caption, "")
    ]
    width = ["method", "scenario", "width", "ours", "coverage", "ours", "remark"]
    return filled(
        "webber",
        seconds=seconds,
        memory=memory,
        half=rmse["betabinom-half"],
        least=min(rmse, key=rmse.__getitem__),
        least_rmse=min(rmse.values()),
        within_9=f"{len(nine) - differs[0]} of {len(nine)}",
        within_10=f"{len(ten) - differs[1]} of {len(ten)}",
        within_12=f"{len(twelve) - differs[2]} of {len(twelve)}",
        table_9=table(width, nine),
        table_10=table(["method", *SCENARIOS, "mean", "remark"], ten),
        table_12=table(["topic", "team", "half prior", "normal", "Laplace", "remark"], twelve),
        shares=table(["method", *SCENARIOS], shares),
        figures=captions,
    )


if __name__ == "__main__":
    matplotlib.use("Agg")
    publish(report(data_folder(__doc__, STRATA)), "webber")
