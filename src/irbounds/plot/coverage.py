"""Figures of coverage studies (Webber 2013, figures 9 to 13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irbounds.foundation.errors import fail
from irbounds.planning.coverage_studies.report import CoverageReport
from irbounds.plot.canvas import COLOURS, GREY, axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_SHOWN = 0.75


def _boxes(ax: Axes, columns: np.ndarray, places: np.ndarray, colour: str, height: float) -> None:
    ax.boxplot(
        list(columns.T),
        positions=places,
        orientation="horizontal",
        widths=height,
        patch_artist=True,
        boxprops={"facecolor": "none", "edgecolor": colour},
        medianprops={"color": colour, "linewidth": 2.5},
        whiskerprops={"color": colour},
        capprops={"color": colour},
        manage_ticks=False,
        flierprops={"marker": "o", "markersize": 2.5, "markeredgecolor": colour, "alpha": 0.5},
    )
    ax.plot(columns.mean(axis=0), places, linestyle="none", marker="x", markersize=6, color=colour)


def coverage_boxes(
    report: CoverageReport, ax: Axes | None = None, *, least: float = LEAST_SHOWN
) -> Axes:
    """Coverage over the realisations, a box for each method: median, quartiles, mean (cross),
    outliers.

    Parameters
    ----------
    report : CoverageReport
    ax : matplotlib.axes.Axes, optional
    least : float
        Coverage at the left edge; "<" marks methods that fall below it somewhere.

    Examples
    --------
    >>> import irbounds as irb
    >>> from irbounds.plot.coverage import coverage_boxes
    >>> report = irb.coverage("small", ["koopman", "betabinom-half"], realisations=5,
    ...                       samples=20, rng=1)
    >>> coverage_boxes(report).get_xlabel()
    'coverage'
    """
    _check_report(report)
    if not 0 <= least < report.confidence_level:
        fail(
            "least",
            f"must be from 0 to below the confidence level, {report.confidence_level:g}",
            least,
        )
    ax = axes(ax)
    places = np.arange(len(report.methods))[::-1]
    _boxes(ax, report.coverage, places, COLOURS[0], 0.55)
    ax.axvline(report.confidence_level, color=GREY, linestyle="--", linewidth=1, zorder=0)
    for place, worst in zip(places, report.coverage.min(axis=0), strict=True):
        if worst < least:
            _mark_edge(ax, "<", 0, place, COLOURS[0])
    ax.set(xlim=(least, 1.0 + 0.01 * (1 - least)), xlabel="coverage", title=_title(report))
    return _name_methods(ax, report)


def _mark_edge(ax: Axes, sign: str, side: int, place: float, colour: str) -> None:
    """A mark at the left (0) or right edge (1) for a box that reaches beyond the axis, which would
    look as if it ended there."""
    ax.annotate(
        sign,
        (side, place),
        xycoords=("axes fraction", "data"),
        xytext=(-3 if side else 3, 0),
        ha="right" if side else "left",
        textcoords="offset points",
        va="center",
        color=colour,
        weight="bold",
    )


def _name_methods(ax: Axes, report: CoverageReport) -> Axes:
    """A row for each method, from the top down."""
    places = np.arange(len(report.methods))[::-1]
    ax.set(ylim=(-0.6, len(places) - 0.4))
    ax.set_yticks(places, report.methods)
    return tidy(ax)


def coverage_gaps(report: CoverageReport, ax: Axes | None = None, *, most: float = 0.15) -> Axes:
    """Boxes of the probability that recall lies below and above the interval, two for each method
    (figure 12).

    Parameters
    ----------
    report : CoverageReport
    ax : matplotlib.axes.Axes, optional
    most : float
        Probability at the right edge; ">" marks methods that exceed it somewhere.

    Examples
    --------
    >>> import irbounds as irb
    >>> from irbounds.plot.coverage import coverage_gaps
    >>> report = irb.coverage("small", ["koopman", "betabinom-half"], realisations=5,
    ...                       samples=20, rng=1)
    >>> coverage_gaps(report).get_legend().get_texts()[0].get_text()
    'recall below the interval'
    """
    _check_report(report)
    if not 0 < most <= 1:
        fail("most", "must be above 0 and at most 1", most)
    ax = axes(ax)
    places = np.arange(len(report.methods))[::-1]
    sides = (
        ("recall below the interval", report.gap_below, COLOURS[0], 0.19),
        ("recall above the interval", report.gap_above, COLOURS[1], -0.19),
    )
    for label, gaps, colour, shift in sides:
        _boxes(ax, gaps, places + shift, colour, 0.3)
        ax.plot([], [], color=colour, linewidth=2.5, label=label)
        for place, worst in zip(places, gaps.max(axis=0), strict=True):
            if worst > most:
                _mark_edge(ax, ">", 1, place + shift, colour)
    # A two-sided interval may miss half of that on each side, a one-sided one all of it on the only
    # one.
    nominal = (1 - report.confidence_level) / (2 if report.side == "two-sided" else 1)
    ax.axvline(nominal, color=GREY, linestyle="--", linewidth=1, zorder=0)
    ax.set(xlim=(-0.02 * most, most), xlabel="share of the samples", title=_title(report))
    ax.legend(frameon=False, fontsize="small", loc="lower right", bbox_to_anchor=(1, 0))
    return _name_methods(ax, report)


def closest_shares(
    reports: CoverageReport | Sequence[CoverageReport], ax: Axes | None = None
) -> Axes:
    """The share of reviews in which each method's coverage is nearest to nominal, one bar for each
    scenario (figure 13).

    Parameters
    ----------
    reports : CoverageReport or list of CoverageReport
        All for the same methods.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> import irbounds as irb
    >>> from irbounds.plot.coverage import closest_shares
    >>> report = irb.coverage("small", ["koopman", "betabinom-half"], realisations=5,
    ...                       samples=20, rng=1)
    >>> closest_shares(report).get_xlabel()
    'share of the realisations where it is the closest'
    """
    several = list(reports) if isinstance(reports, Sequence) else [reports]
    for report in several:
        _check_report(report)
    if not several or any(report.methods != several[0].methods for report in several):
        fail("reports", "must be of the same methods", [report.methods for report in several])
    ax = axes(ax)
    places = np.arange(len(several[0].methods))[::-1]
    height = 0.8 / len(several)
    for i, report in enumerate(several):
        ax.barh(
            places + 0.4 - height * (i + 0.5),
            list(report.closest.values()),
            height * 0.92,
            color=COLOURS[i % len(COLOURS)],
            label=report.scenario,
        )
    ax.set(xlabel="share of the realisations where it is the closest", xlim=(0, None))
    if len(several) > 1:
        ax.legend(frameon=False, fontsize="small")
    return _name_methods(ax, several[0])


def _check_report(report: object) -> None:
    if not isinstance(report, CoverageReport):
        fail("report", "must be a CoverageReport, from coverage", report)


def _title(report: CoverageReport) -> str:
    side = "" if report.side == "two-sided" else f" {report.side}"
    return (
        f"{report.scenario}: {100 * report.confidence_level:g} %{side} intervals, "
        f"{len(report.coverage)} reviews"
    )
