"""The recall validation memo for a court or a systematic review."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.hashes import canonical, text_hash
from irbounds.foundation.interval import Interval
from irbounds.foundation.paths import file_hash, shown_name
from irbounds.report import clusters, coded
from irbounds.report.memo import (
    INTERVALS,
    LABELS,
    SEGMENTS,
    TITLE,
    Segments,
    claim_side,
    common,
    counts,
    how_assessed,
    picture,
    sensitivity,
    two_sides,
    words_of_test,
)
from irbounds.report.page import Page, command_line
from irbounds.samples.clusters.sample import ClusterSample
from irbounds.samples.intervals.estimators import ESTIMATORS, recall_estimate, recall_posterior
from irbounds.samples.intervals.intervals import recall_interval, richness_interval
from irbounds.samples.intervals.pipeline import AUDITED_POSTERIORS, as_asked
from irbounds.samples.intervals.sensitivity import USUAL_PRIORS
from irbounds.samples.intervals.table import (
    INTERVAL_METHODS,
    METHODS,
    ONE_SIDED,
    TWO_SIDED,
    method_beside,
    model_of,
    offered,
)
from irbounds.samples.model.priors import PerStratum
from irbounds.samples.model.strata import (
    AuditedCounts,
    Stratum,
    check_segments,
    common_shape,
)
from irbounds.samples.other_designs.control_sample import ControlSample, checked_segments

if TYPE_CHECKING:
    from irbounds.typing import DateLike, PathLike, SegmentLike


def report_recall(
    retrieved: SegmentLike | ControlSample | ClusterSample,
    unretrieved: SegmentLike | None = None,
    *,
    target: float | None = None,
    confidence_level: float = 0.95,
    method: str | None = None,
    title: str = TITLE,
    subject: str = "",
    source: PathLike | None = None,
    date: DateLike = None,
    output: PathLike | None = None,
) -> str:
    """A memo on the recall of a review: one self-contained HTML page to print.

    It has the claim (a guaranteed lower bound; an interval if the target was missed), the inputs,
    the estimates with two-sided intervals, the probability that the target was reached and its
    dependence on the prior, the formulas, the limits of the method, versions, a hash of the inputs,
    and an annex with recall by all methods.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, Audited, (size, sampled, relevant) or a list of such
        With `Audited` segments the memo shows beside every number what it would be if all calls
        were right. Where all documents were coded, the classes of calls are strata for most
        methods. Where only a sample was coded, there is no guaranteed bound, and the memo has those
        of the posterior.  A `ControlSample`, one sample of the whole collection, or a
        `ClusterSample` takes the place of both.
    target : float from 0 to 1, optional
        The recall to be reached; without it the memo says nothing of a target.
    confidence_level : float
        Level of each interval and of each bound.
    method : str, optional
        Method of the two-sided intervals, "betabinom-half" by default; see `recall_interval`.
        One-sided bounds are guaranteed ones where there are such: that of elusion is an upper one,
        all others are lower ones.  With the method "anytime" they are by that method,
        except that of F1, and hold at every look at samples that grow.  Not for a `ClusterSample`.
    subject : str
        The matter or the review that the page is about.
    source : path, optional
        A file that the counts come from: its name and hash are printed.
    title, date, output
        As in `report_runs`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For impossible counts, arrays of counts, and options that `recall_interval` refuses.

    Warns
    -----
    SampleWarning
        As `recall_interval`, for the intervals of `method`; the page says it too, and names the
        other methods whose intervals exclude the estimate.

    Examples
    --------
    >>> import irbounds as irb
    >>> page = irb.report_recall((500, 50, 40), (2000, 100, 3), target=0.75, date="2026-01-31")
    >>> "P(recall ≥ 0.75) = 0.9417" in page, "http://" in page
    (True, False)
    """
    asked = {"target": target, "confidence_level": confidence_level, "method": method}
    return memo(Page.of(title, date, output, subject), retrieved, unretrieved, asked, source)


def memo(
    page: Page,
    retrieved: SegmentLike | ControlSample | ClusterSample,
    unretrieved: SegmentLike | None,
    asked: Mapping[str, Any],
    source: PathLike | None = None,
    typed: tuple[Sequence[str], Mapping[str, Any]] | None = None,
) -> str:
    """The memo, with what was asked by name; `typed` are the arguments and options of the command
    line that say where its counts come from."""
    named = None
    if source is not None:
        named = {"name": shown_name(source), "hash": file_hash(source)}
    if isinstance(retrieved, ClusterSample):
        if (unretrieved, asked["method"]) != (None, None):
            raise InputError("a ClusterSample takes no `unretrieved` and no `method`")
        return clusters.memo(retrieved, page, asked["target"], asked["confidence_level"], named)
    control = retrieved if isinstance(retrieved, ControlSample) else None
    if (control is None) == (unretrieved is None):
        raise InputError(
            "give `retrieved` and `unretrieved`, or a ControlSample or ClusterSample in place of "
            "both"
        )
    given = (retrieved, unretrieved) if control is None else checked_segments(control)
    retrieved, unretrieved = check_segments(True, retrieved=given[0], unretrieved=given[1])
    if common_shape(retrieved, unretrieved):
        raise InputError("counts must be numbers, not arrays: a memo describes one review")
    inputs = {
        **({} if control is None else {"sample": _numbers(control)}),
        "retrieved": counts(retrieved),
        "unretrieved": counts(unretrieved),
        "target": asked["target"]
        if asked["target"] is None
        else check_number("target", asked["target"], "must be from 0 to 1", lambda x: 0 <= x <= 1),
        "confidence_level": check_level(asked["confidence_level"]),
        "method": check_choice("method", asked["method"] or TWO_SIDED.name, METHODS),
    }
    segments = coded.segments_of(inputs)  # as the functions take them
    is_coded = any(isinstance(one, AuditedCounts) for one in [*retrieved, *unretrieved])
    parts = coded.classes(Retrieved=retrieved, Unretrieved=unretrieved)
    shared = {
        "control": control,
        "canonical": canonical(inputs),
        "hash": text_hash(canonical(inputs)),
        "command": coded.command(inputs, segments, page)
        if is_coded and typed is None
        else _command(inputs, page, typed),
        "source": named,
    }
    if parts is None:
        strata = [*coded.rows("Retrieved", retrieved), *coded.rows("Unretrieved", unretrieved)]
        found = coded.findings(inputs, segments)
        return page.render("coded.html.j2", **found, **shared, strata=strata)
    strata = [_stratum(name, one) for part in parts for name, one in part]
    found = _findings(inputs, segments, parts, is_coded)
    return page.render("recall.html.j2", **found, **shared, strata=strata)


def _findings(
    inputs: dict[str, Any], segments: Segments, parts: coded.Parts, is_coded: bool
) -> dict[str, Any]:
    """All results, by their names in the template."""
    method, level = inputs["method"], inputs["confidence_level"]
    strata = [[stratum for _, stratum in part] for part in parts]
    chosen = INTERVAL_METHODS[method]
    has_strata = max(map(len, strata)) > 1
    checked = check_segments(retrieved=strata[0], unretrieved=strata[1])
    chosen.check_segments(retrieved=strata[0], unretrieved=strata[1])
    given = check_segments(True, retrieved=segments[0], unretrieved=segments[1])
    model = model_of(method)
    posterior = recall_posterior(*segments, model.prior)
    rows = {"recall": _row(recall_interval, "recall", segments, method, level)}
    interval = rows["recall"]["interval"]
    claimed = recall_interval(
        *segments, method=_claim_method(method, "recall"), confidence_level=level
    )
    rows |= {
        name: _row(interval_of, name, segments, method, level)
        for name, interval_of in INTERVALS.items()
    }
    if "sample" in inputs:  # of the collection
        rows["richness"] = _row(richness_interval, "yield", segments, method, level)
    methods = [
        {
            "name": row.name,
            "note": row.note,
            "section": row.section,
            "covers": row.covers,
            **(
                two_sides([as_asked(part, row.name) for part in given], row.name, interval)
                if row.allows_strata or not has_strata
                else {}
            ),
        }
        for row in offered(has_strata)
    ]
    return {
        **common(inputs, posterior, checked, rows, claimed),
        "covers": chosen.covers,
        "at_all_looks": chosen.holds_at_all_looks,
        "model": model.name,
        "prior_words": model.prior_words,
        "has_classes": model.name in AUDITED_POSTERIORS,
        "shares_prior": has_strata and not isinstance(model.prior, PerStratum),
        "methods": methods,
        "beside_words": _beside_words(method),
        "recall": rows.pop("recall"),
        "beside": rows,
        "estimators": {
            name: recall_estimate(one, other, name, prior=model.prior)
            for name in ESTIMATORS
            for one, other in [segments if name.startswith("posterior") else strata]
        },
        "sensitivity": sensitivity(inputs, segments, USUAL_PRIORS),
        "picture": picture(posterior, interval, inputs["target"], "samples"),
        "test_words": words_of_test(checked, level),
        "coding": coded.if_right(inputs, segments) if is_coded else None,
    }


def _row(
    interval_of: Callable[..., Interval],
    measure: str,
    segments: Segments,
    method: str,
    level: float,
) -> dict[str, Any]:
    """The two-sided interval by the method, or by the half prior if the method has none; the
    one-sided bound of the claim."""
    two_sided, one_sided = method_beside(method, measure), _claim_method(method, measure)
    return {
        "interval": interval_of(*segments, method=two_sided, confidence_level=level),
        "one_sided": interval_of(
            *segments, method=one_sided, confidence_level=level, side=claim_side(measure)
        ),
        "method": two_sided,
    }


def _claim_method(method: str, measure: str) -> str:
    """The method of one-sided bounds: guaranteed, also at every look if the intervals are."""
    chosen = INTERVAL_METHODS[method]
    is_at_all_looks = chosen.holds_at_all_looks and measure in chosen.measures
    return method if is_at_all_looks else ONE_SIDED.name


def _beside_words(method: str) -> str:
    """The names of measures that use another method than recall does; empty if none does."""
    others = [name for name in INTERVALS if method_beside(method, name) != method]
    if not others:
        return ""
    by = f"“{method_beside(method, others[0])}”"
    if len(others) == len(INTERVALS):
        return f" (recall) and {by} (all else)"
    names = [LABELS.get(name, name) for name in others]
    return f" and {by} ({', '.join(names)})"


def _stratum(name: str, stratum: Stratum) -> dict[str, Any]:
    """A row of the table of inputs."""
    size, sampled, relevant = stratum
    share = float(relevant / sampled) if sampled else math.nan
    return {
        "name": name,
        "size": size,
        "how": how_assessed(size, sampled),
        "sampled": sampled,
        "relevant": relevant,
        "share": share,
        "estimated": float(size * share) if size else 0.0,
    }


def _numbers(control: ControlSample) -> list[list[int]]:
    """One sample of the collection as options have it: documents of both segments, true and false
    positives, false and true negatives; and the elusion sample, if there is one."""
    outside = control.sampled - control.sampled_retrieved
    counts = (
        *(control.retrieved_size, control.unretrieved_size, control.relevant_retrieved),
        control.sampled_retrieved - control.relevant_retrieved,
        *(control.relevant_unretrieved, outside - control.relevant_unretrieved),
    )
    added = control.elusion_sampled, control.elusion_relevant
    elusion = (control.unretrieved_size - outside, *added) if added[0] else ()
    return [[int(count) for count in part] for part in (counts, elusion) if part]


def _command(
    inputs: dict[str, Any], page: Page, typed: tuple[Sequence[str], Mapping[str, Any]] | None
) -> str:
    """The command that makes this page: from the table that was read, or from its counts."""
    given = {name: inputs[name] for name in SEGMENTS}
    if "sample" in inputs:
        given = {"sample": inputs["sample"][:1], "unretrieved": inputs["sample"][1:]}
    arguments, options = typed or (
        (),
        {name: ["/".join(map(str, one)) for one in parts] for name, parts in given.items()},
    )
    asked = {name: inputs[name] for name in ("target", "confidence_level", "method")}
    output = "memo.html" if page.output is None else page.output
    return command_line("recall", arguments, {**options, **asked} | page.options(TITLE), output)
