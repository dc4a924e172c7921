"""The memo that says what recall a review reached, for a court or a systematic review."""
from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from typing import Any

from irbounds.foundation.arguments import check_level, check_number, check_text
from irbounds.foundation.errors import InputError, check_choice
from irbounds.plot.canvas import probability
from irbounds.plot.posteriors import recall_posterior as draw_posterior
from irbounds.rankings.files import shown_name
from irbounds.report.charts import chart
from irbounds.report.page import canonical, check_date, check_extra, file_hash, render, text_hash, written
from irbounds.samples.estimators import ESTIMATORS, recall_estimate, recall_posterior
from irbounds.samples.intervals import (
    METHODS,
    PRIOR_OF,
    elusion_interval,
    f_interval,
    precision_interval,
    recall_interval,
    yield_interval,
)
from irbounds.samples.proportions import Interval
from irbounds.samples.strata import Segment, Stratum, check_segment, common_shape

NOTES = {
    "betabinom-half": "beta-binomial posterior, prior with α = β = ½; what Webber recommends (3.6)",
    "betabinom-uniform": "the same, with α = β = 1 (3.6)",
    "betabinom-mcp": "the same, with the most conservative prior (3.6, eq. 18)",
    "beta-jeffreys": "beta posteriors of the unseen documents’ shares (3.5)",
    "koopman": "chi-square interval on the ratio of two shares; infinite population (3.4)",
    "normal-mle": "normal approximation by propagation of error; tends to be too narrow (3.2)",
    "normal-laplace": "the same, with 1 added to all counts (3.3)",
    "normal-agresti-coull": "the same, with 2 added to all counts (3.3)",
    "naive-binomial": "takes all relevant documents seen for one sample; wrong, shown because it is in use (3.1)",
    "guaranteed": "exact hypergeometric bounds on every stratum; coverage never below nominal, therefore wide",
}
PRIOR_WORDS = {
    "betabinom-half": "a prior of α = β = ½", "betabinom-uniform": "a prior of α = β = 1",
    "betabinom-mcp": "the most conservative α = β of each stratum",
}
INTERVALS: dict[str, Callable[..., Interval]] = {
    "precision": precision_interval, "F1": f_interval, "yield": yield_interval, "elusion": elusion_interval}
SEGMENTS = ("retrieved", "unretrieved")
TITLE = "Recall validation memo"


def report_recall(retrieved: Any, unretrieved: Any, *, target: float = 0.75, confidence_level: float = 0.95,
                  method: str = "betabinom-half", title: str = TITLE, subject: str = "",
                  source: Any = None, date: Any = None, output: Any = None) -> str:
    """A memo on the recall of a review: one HTML page that needs nothing else, and prints on two sheets.

    It has the inputs, the estimates with two-sided and one-sided intervals, recall by all methods, the probability that
    the target was reached, the formulas, the limits of the method in plain words, versions, and a hash of the inputs.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
    target : float from 0 to 1
        The recall to be reached.
    confidence_level : float
    method : str
        Of the interval on recall; see `recall_interval`.
    title, subject : str
        What the page is called; the matter or the review that it is about.
    source : path, optional
        A file that the counts come from: its name and hash are printed.
    date : datetime.date or str, optional
        As 2026-01-31; today by default.  The same inputs and date give the same bytes.
    output : path, optional
        A file to write the page to as well; it appears whole or not at all.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For impossible counts, arrays of counts, and options that `recall_interval` refuses.
    ImportError
        Without Jinja2 or Matplotlib (``pip install "irbounds[report]"``).

    Examples
    --------
    >>> import irbounds as irb
    >>> page = irb.report_recall((500, 50, 40), (2000, 100, 3), target=0.75, date="2026-01-31")
    >>> "P(recall ≥ 0.75) = 0.9417" in page, "http://" in page
    (True, False)
    """
    check_extra()
    one, other = check_segment("retrieved", retrieved), check_segment("unretrieved", unretrieved)
    if common_shape(one, other):
        raise InputError("a memo is on one review: counts must be numbers, not arrays")
    inputs = {
        "retrieved": _counts(one), "unretrieved": _counts(other),
        "target": check_number("target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1),
        "confidence_level": check_level(confidence_level), "method": check_choice("method", method, METHODS),
    }
    title, subject, date = check_text("title", title), check_text("subject", subject), check_date(date)
    return render(
        "recall.html.j2", output, **_findings(inputs), title=title, subject=subject, date=date,
        strata=[*_rows("Retrieved", one), *_rows("Unretrieved", other)], canonical=canonical(inputs),
        hash=text_hash(canonical(inputs)), command=_command(inputs, title, subject, date),
        source=None if source is None else {"name": shown_name(source), "hash": file_hash(source)})


def _findings(inputs: dict[str, Any]) -> dict[str, Any]:
    """All that is computed, by its name in the template."""
    method, level, target = inputs["method"], inputs["confidence_level"], inputs["target"]
    retrieved, unretrieved = ([Stratum(*counts) for counts in inputs[name]] for name in SEGMENTS)
    model = method if method in PRIOR_OF else "betabinom-half"
    posterior = recall_posterior(retrieved, unretrieved, PRIOR_OF[model])
    chance = float(posterior.sf(target))
    methods = [{"name": name, "note": NOTES[name], **_two_sides(recall_interval, retrieved, unretrieved, name, level)}
               for name in METHODS]
    recall = methods[METHODS.index(method)]
    interval: Any = recall["interval"]
    if interval is None:
        raise InputError(f"method {method!r} has no form for strata")
    picture = chart("recall", f"P(recall ≥ {target:g}) {probability(chance)}",
                    f"How probable each recall is, given the samples. The {100 * level:g} % interval reaches from "
                    f"{interval.low:.4f} to {interval.high:.4f}.",
                    lambda ax: draw_posterior(posterior, target, ax, interval=interval), (6.4, 2.9))
    return {
        "method": method, "model": model, "prior_words": PRIOR_WORDS[model], "methods": methods, "recall": recall,
        "beside": {name: _two_sides(interval_of, retrieved, unretrieved, model, level)
                   for name, interval_of in INTERVALS.items()},
        "estimators": {name: recall_estimate(retrieved, unretrieved, name, prior=PRIOR_OF[model])
                       for name in ESTIMATORS},
        "level": written(level, _decimals(100 * level), "%"), "target": target,
        "target_digits": _decimals(100 * target), "chance": chance, "picture": picture,
    }


def _two_sides(interval_of: Callable[..., Interval], retrieved: Segment, unretrieved: Segment, method: str,
               level: float) -> dict[str, Interval | None]:
    """The two-sided interval and the one-sided lower one; none where a method has no form for strata."""
    has_none = method == "koopman" and max(len(retrieved), len(unretrieved)) > 1
    return {name: None if has_none else
            interval_of(retrieved, unretrieved, method=method, confidence_level=level, side=side)
            for name, side in (("interval", "two-sided"), ("lower", "lower"))}


def _counts(segment: Segment) -> list[list[int]]:
    return [[int(field) for field in stratum] for stratum in segment]


def _rows(name: str, segment: Segment) -> list[dict[str, Any]]:
    """Strata as the table of inputs has them."""
    rows = []
    for i, (size, sampled, relevant) in enumerate(segment, 1):
        share = float(relevant / sampled) if sampled else math.nan
        rows.append({"name": f"{name}, stratum {i}" if len(segment) > 1 else name, "size": size, "sampled": sampled,
                     "relevant": relevant, "share": share, "estimated": float(size * share) if size else 0.0})
    return rows


def _decimals(number: float) -> int:
    """As many as the number has, but for what its binary form adds."""
    return len(f"{number:.10g}".partition(".")[2])


def _command(inputs: dict[str, Any], title: str, subject: str, date: str) -> str:
    """The command that makes this page."""
    parts = ["irbounds", "report", "recall"]
    for name in SEGMENTS:
        for counts in inputs[name]:
            parts += [f"--{name}", "/".join(map(str, counts))]
    parts += ["--target", f"{inputs['target']!r}", "--confidence-level", f"{inputs['confidence_level']!r}", "--method",
              inputs["method"], *(["--subject", subject] if subject else []),
              *(["--title", title] if title != TITLE else []), "--date", date, "-o", "memo.html"]
    return shlex.join(parts)
