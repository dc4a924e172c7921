"""Figures of sampling designs (Webber 2013, figures 14 and 15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import InputError, fail
from irbounds.planning.assumptions.review import AssumedReview, check_review
from irbounds.planning.design.expected_width import allocate, check_sample, expected_width
from irbounds.plot.canvas import COLOURS, MARKERS, axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    ReviewsLike = AssumedReview | Sequence[AssumedReview] | dict[str, AssumedReview]

SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def _labelled(reviews: ReviewsLike) -> dict[str, AssumedReview]:
    if isinstance(reviews, AssumedReview):
        reviews = [reviews]
    labelled = (
        dict(reviews)
        if isinstance(reviews, dict)
        else {repr(review)[14:-1]: review for review in reviews}
    )
    for review in labelled.values():
        check_review(review)
        if [len(sizes) for sizes in review.sizes] != [1, 1]:
            raise InputError("the figure needs reviews with one stratum in each segment")
    return labelled


def allocation_widths(
    reviews: ReviewsLike,
    sample: int,
    ax: Axes | None = None,
    *,
    shares: Sequence[float] = SHARES,
    **options: Any,
) -> Axes:
    """The expected width of the interval by the share of the sample in the retrieved segment
    (figure 14).

    Parameters
    ----------
    reviews : AssumedReview, sequence of them, or dict of labels and reviews
    sample : int
        Documents to assess in all.
    ax : matplotlib.axes.Axes, optional
    shares : sequence of float
        Where to compute; those that the segments cannot give are left out.
    **options
        Options of `expected_width`.

    Examples
    --------
    >>> import irbounds as irb
    >>> from irbounds.plot.design import allocation_widths
    >>> review = irb.AssumedReview(100_000, 10_000, recall=0.9, precision=0.1)
    >>> ax = allocation_widths({"recall 0.9": review}, 1000, shares=(0.1, 0.2, 0.5))
    >>> ax.lines[0].get_ydata().round(2)
    array([0.33, 0.32, 0.38])
    """
    curves = []
    for label, review in _labelled(reviews).items():
        check_sample(review, sample)
        (first,), (second,) = review.sizes
        taken = [
            n
            # Several shares of a small sample are one number.
            for n in dict.fromkeys(round(share * sample) for share in shares)
            if 1 <= n <= first and 1 <= sample - n <= second
        ]
        if not taken:
            fail(
                "shares",
                f"must include one that gives each segment 1 document or more of the {sample}, "
                "and at most its size",
                tuple(shares),
                f"for {label}",
            )
        curves.append(
            (label, taken, [expected_width(review, n, sample - n, **options) for n in taken])
        )
    ax = axes(ax)
    for i, (label, taken, widths) in enumerate(curves):
        colour = COLOURS[i % len(COLOURS)]
        ax.plot([n / sample for n in taken], widths, color=colour, label=label)
        best = int(np.argmin(widths))
        ax.plot(
            taken[best] / sample,
            widths[best],
            marker=MARKERS[i % len(MARKERS)],
            color=colour,
            linestyle="none",
        )
    ax.set(
        xlabel=f"share of {sample:,} assessments in the retrieved segment",
        ylabel="expected width of the interval",
        xlim=(0, 1),
        ylim=(0, None),
    )
    ax.legend(frameon=False, fontsize="small")
    return tidy(ax)


def sample_widths(
    reviews: ReviewsLike,
    samples: Sequence[int],
    ax: Axes | None = None,
    *,
    methods: Sequence[str] = ("betabinom-half", "normal-mle"),
    **options: Any,
) -> Axes:
    """The expected width of the interval by the size of the sample (figure 15).

    Samples are divided in the best way for the first method.

    Parameters
    ----------
    reviews : AssumedReview, sequence of them, or dict of labels and reviews
    samples : sequence of int
        Documents to assess in all.
    methods : sequence of str
        The first is drawn as a line, the second dashed, others dotted.

    Examples
    --------
    >>> import irbounds as irb
    >>> from irbounds.plot.design import sample_widths
    >>> review = irb.AssumedReview(100_000, 10_000, recall=0.5, precision=0.5)
    >>> ax = sample_widths({"retrieved 10,000": review}, [200, 800], methods=["betabinom-half"])
    >>> ax.get_xscale()
    'log'
    """
    from matplotlib.ticker import FuncFormatter

    ax = axes(ax)
    styles = ("-", "--", ":", "-.")
    for i, (label, review) in enumerate(_labelled(reviews).items()):
        sizes = [n for n in samples if n <= sum(map(sum, review.sizes))]
        splits = [allocate(review, n, method=methods[0], **options) for n in sizes]
        for j, method in enumerate(methods):
            widths = [
                expected_width(review, *split.samples, method=method, **options) for split in splits
            ]
            ax.plot(
                sizes,
                widths,
                color=COLOURS[i % len(COLOURS)],
                linestyle=styles[min(j, 3)],
                marker=MARKERS[i % len(MARKERS)],
                markersize=4,
                label=label if len(methods) == 1 else f"{label}, {method}",
            )
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="documents assessed",
        ylabel="expected width of the interval",
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(
            # Minor ticks at 2 and 5 of each power of ten only: names of all would overlap.
            FuncFormatter(lambda value, _: f"{value:,g}" if f"{value:e}"[0] in "25" else "")
        )
    ax.legend(frameon=False, fontsize="small")
    return tidy(ax)
