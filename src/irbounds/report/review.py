"""The certificate of a review that reads its documents in some order and stops."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_count
from irbounds.foundation.hashes import canonical, text_hash
from irbounds.foundation.paths import file_hash, is_path, name_of, shown_name
from irbounds.foundation.rounding import rounded_down
from irbounds.plot.stops import stopping as draw_stopping
from irbounds.report.charts import WIDE, chart
from irbounds.report.page import Page, command_line, levels
from irbounds.stopping.curves import StoppingCurve, stopping_curve
from irbounds.stopping.labels import ReviewLabels, read_labels
from irbounds.stopping.urns import exact_target

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, DateLike, LabelsLike, PathLike

TITLE = "Certificate of a stopped review"
UNFINISHED = "Report on a review that may not stop yet"
MOST_ROWS = 20  # looks in the annex


def report_review(
    labels: PathLike | ReviewLabels | LabelsLike,
    population: int | None = None,
    *,
    target: float | Fraction = 0.95,
    at_random: ArrayLike | None = None,
    confidence_level: float = 0.95,
    title: str | None = None,
    subject: str = "",
    date: DateLike = None,
    output: PathLike | None = None,
    **reading: Any,
) -> str:
    """The certificate of a stopped review: one self-contained HTML page to print.

    It has the claim, by the rule "certified" of `stopping_curve`, what was read, the bounds along
    the review as a picture and a table, the assumption that the claim needs, what it does not say,
    versions, and a hash of the inputs.

    Parameters
    ----------
    labels : path, ReviewLabels, or array_like of 0 and 1
        In the order of reading; files as `read_labels` takes them.
    population : int, optional
        Documents in the collection, read or not; needed where the labels do not say.
    target : float or Fraction
        Recall to be reached.
    at_random : array_like of bool or int, optional
        As in `stopping_curve`: the documents that were drawn at random, in batches.
    confidence_level : float
    title : str, optional
        By default it says whether the review may stop.
    subject : str
        The review that the page is about.
    date, output
        As in `report_runs`.
    **reading
        Options of `read_labels`, for a path.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For what `read_labels` and `stopping_curve` refuse, and where nothing was read.

    Examples
    --------
    >>> import irbounds as irb
    >>> page = irb.report_review([1] * 20 + [0] * 100, 200, target=0.5, date="2026-01-31")
    >>> "The review may stop" in page, "<script" in page
    (True, False)
    """
    page = Page.of(UNFINISHED if title is None else title, date, output, subject)
    level, goal = check_level(confidence_level), exact_target(target)
    if reading and not is_path(labels):
        raise InputError(f"`{next(iter(reading))}` is for labels from a file")
    read = read_labels(labels, **reading) if is_path(labels) else labels
    if not isinstance(read, ReviewLabels):
        read = ReviewLabels(np.asarray(read), None, 0, 0, "labels")
    size = read.population if population is None else check_count("population", population, 0)
    if size is None:
        raise InputError("`population` is needed: the labels do not say how large it is")
    curve = stopping_curve(read.labels, size, goal, at_random=at_random, confidence_level=level)
    if not len(curve):
        raise InputError("`labels` must have at least one document that was read")
    inputs = {
        "labels": "".join(str(int(label)) for label in read.labels),
        "population": size,
        "target": float(goal),
        "confidence_level": level,
        "at_random": None
        if at_random is None
        else " ".join(str(int(drawn)) for drawn in np.asarray(at_random)),
    }
    source = None
    if is_path(labels) and name_of(labels) != "-":
        source = {"name": shown_name(labels), "hash": file_hash(labels)}
    command = None
    if source is not None and at_random is None:
        options: dict[str, Any] = {"population": population}
        options |= {name: name_of(one) if is_path(one) else one for name, one in reading.items()}
        options |= {name: inputs[name] for name in ("target", "confidence_level")}
        options |= page.options(None if title else page.title)
        command = command_line("review", [name_of(labels)], options, page.output)
    if not title:  # it says whether the review may stop
        page = replace(page, title=TITLE if curve.stops[-1] else UNFINISHED)
    return page.render(
        "review.html.j2",
        **_findings(curve, read, at_random is not None),
        hash=text_hash(canonical(inputs)),
        source=source,
        command=command,
    )


def _findings(curve: StoppingCurve, read: ReviewLabels, is_random: bool) -> dict[str, Any]:
    """All results, by their names in the template."""
    assert curve.total_bound is not None
    last = {
        "read": int(curve.looks[-1]),
        "found": int(curve.found[-1]),
        "bound": int(curve.total_bound[-1]),
        "recall": float(curve.values[-1]),
    }
    picture = chart(
        "review",
        "Lower bound of recall along the review",
        f"The bound after each document. After {last['read']} documents it is "
        f"{rounded_down(last['recall'], 4):.4f}, and the target is {curve.target:g}.",
        lambda ax: draw_stopping(curve, ax),
        (WIDE, 3.2),
    )
    return {
        "last": last,
        "population": curve.population,
        "unread": curve.population - last["read"],
        "missed": last["bound"] - last["found"],
        **levels(curve.confidence_level, curve.target),
        "may_stop": bool(curve.stops[-1]),
        "first_stop": curve.first_stop,
        "contradicted_at": curve.contradicted_at,
        "prior": read.prior,
        "prior_relevant": read.prior_relevant,
        "unknown": read.unknown,
        "is_random": is_random,
        "rows": _rows(curve),
        "picture": picture,
    }


def _rows(curve: StoppingCurve) -> list[dict[str, Any]]:
    """Looks at equal distances, the first stop and the last document among them."""
    n = len(curve)
    places = {int(x) - 1 for x in np.linspace(1, n, min(n, MOST_ROWS)).round()}
    if curve.first_stop is not None:
        places.add(int(np.flatnonzero(curve.looks == curve.first_stop)[0]))
    assert curve.total_bound is not None
    return [
        {
            "read": int(curve.looks[i]),
            "found": int(curve.found[i]),
            "bound": int(curve.total_bound[i]),
            "recall": float(curve.values[i]),
            "stops": bool(curve.stops[i]),
        }
        for i in sorted(places)
    ]
