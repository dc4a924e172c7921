"""Intervals of means over queries in what `irbounds eval` writes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError
from irbounds.foundation.rounding import as_high_end, as_low_end

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval
    from irbounds.rankings.data.evaluation import Evaluation


MOST_NAMED = 3  # runs in the foot line
MOST_REACHES = 6  # measures in the line below means
CONJECTURE = "gaffke: that it covers at least its level is a conjecture, proved in part"


class Asked(NamedTuple):
    """How intervals are computed."""

    method: str | None
    confidence_level: float
    side: str
    limits: tuple[float, float] | None = None
    groups: dict[str, str] | None = None

    @classmethod
    def read(
        cls,
        interval: bool,
        method: str | None,
        level: float,
        side: str,
        limits: str | None,
        groups: str | None = None,
    ) -> Asked | None:
        """The options as given; the others are refused without `--interval`."""
        if interval:
            named = None
            if groups is not None:
                from irbounds.rankings.reading.groups import read_groups

                named = read_groups(groups)
            return cls(method, level, side, read_limits(limits), named)
        if (method, limits, groups, level, side) != (None, None, None, 0.95, "two-sided"):
            raise InputError(
                "--method, --limits, --groups, --confidence-level and --side need --interval"
            )
        return None


def read_limits(text: str | None) -> tuple[float, float] | None:
    """The least and the greatest value, as "0,5" or "0:5"."""
    if text is None:
        return None
    try:
        low, high = map(float, text.replace(":", ",").split(","))
    except ValueError:
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            "--limits must be the least and the greatest possible value, for example 0,5; "
            f"found {text!r}"
        )
    return low, high


def intervals_of(evaluation: Evaluation, asked: Asked) -> dict[str, Interval]:
    """That of each measure but of totals."""
    from irbounds.rankings.data.uncertainty import limits_of
    from irbounds.warnings import FewQueriesWarning, NoVarianceWarning

    if asked.limits is not None:
        _check_limits(evaluation, asked.limits)
    found = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NoVarianceWarning)
        # The foot says it of all runs, but of groups.
        warnings.simplefilter("ignore", FewQueriesWarning)
        warnings.filterwarnings("always", r"\d+ groups?, fewer", FewQueriesWarning)
        for name in evaluation.measures:
            is_finite = bool((abs(evaluation[name]) < math.inf).all())
            if not is_finite:
                complain([f"{name} is infinite for some query, so its mean has no interval"])
            if is_finite and not name.spec.is_sum:
                found[name] = evaluation.interval(
                    name,
                    asked.method,
                    asked.confidence_level,
                    asked.side,
                    limits=None if limits_of(name) else asked.limits,
                    groups=asked.groups,
                )
    complain(dict.fromkeys(str(warning.message) for warning in caught))
    return found


def _check_limits(evaluation: Evaluation, limits: tuple[float, float]) -> None:
    """Refuse limits that no measure needs, or that a value exceeds."""
    from irbounds.rankings.data.uncertainty import limits_of

    names = [name for name in evaluation.measures if not limits_of(name)]
    if not names:
        raise InputError(
            "--limits is for measures without limits of their own; "
            f"{', '.join(evaluation.measures)} have them"
        )
    for name in names:
        for query, value in zip(evaluation.query_ids, evaluation[name].tolist(), strict=True):
            if not limits[0] <= value <= limits[1] and not name.spec.is_sum:
                raise InputError(
                    f"--limits must contain the values of all queries; {name} of query {query} is "
                    f"{value:.6g}"
                )


def shown_interval(interval: Interval | None) -> str:
    """After a mean, in round brackets."""
    if interval is None:
        return ""
    return f" ({as_low_end(float(interval.low))}, {as_high_end(float(interval.high))})"


def queries_line(
    evaluations: Sequence[tuple[str, Evaluation]], groups: Mapping[Any, str] | None = None
) -> str:
    """The number of queries, the tie rule, and how far 95 % intervals reach from the means."""
    from irbounds.rankings.measure_table.measure import ties_words

    counts = sorted({len(evaluation.query_ids) for _, evaluation in evaluations})
    n_queries = " to ".join(f"{n:,}" for n in (counts[0], counts[-1])[: len(counts)])
    noun = "query" if counts[-1] == 1 else "queries"
    first = evaluations[0][1]
    line = f"{n_queries} {noun}{ties_words(first.ties, first.measures)}"
    if counts[0] < 2:
        return line
    reaches = _reaches(evaluations, groups)
    if not reaches:
        return line
    # as_high_end would import decimal, which an evaluation does not need
    texts = [f"{name} ± {math.ceil(reach * 1e4) / 1e4:.4f}" for name, reach in reaches.items()]
    more = ", …" if len(texts) > MOST_REACHES else ""
    return f"{line}; 95 % intervals within {', '.join(texts[:MOST_REACHES])}{more} (--interval)"


def _reaches(
    evaluations: Sequence[tuple[str, Evaluation]], groups: Mapping[Any, str] | None
) -> dict[str, float]:
    """By measure, the greatest distance of an end from its mean, over all runs."""
    reaches: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # --interval prints them
        for _, evaluation in evaluations:
            for name in evaluation.measures[: MOST_REACHES + 1]:
                if name.spec.is_sum or not bool((abs(evaluation[name]) < math.inf).all()):
                    continue
                found = evaluation.interval(name, groups=groups)
                value = evaluation.summary[name]
                reach = max(float(found.high) - value, value - float(found.low))
                reaches[name] = max(reaches.get(name, 0.0), reach)
    return reaches


def foot_lines(
    asked: Asked, has_bounds: bool, intervals: Mapping[str, Mapping[str, Interval]]
) -> list[str]:
    """Lines that explain the brackets."""
    from irbounds.queries.means import current_name

    about = f"( ): the mean over queries like these, {asked.confidence_level:g} {asked.side}"
    lines = [f"{about}, {current_name(asked.method) or _methods(intervals)}"]
    lines += _of_groups(intervals)
    if current_name(asked.method) == "gaffke":
        lines.append(CONJECTURE)
    lines += _of_limits(intervals)
    if has_bounds:
        lines.append("[ ]: the mean over these queries, least and greatest over orders of ties")
    return lines


def _of_groups(intervals: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """A line on groups: how many, and how much wider intervals are by them."""
    found = [one for own in intervals.values() for one in own.values() if one.n_groups is not None]
    if not found:
        return []
    ratios = sorted(float(one.inflation) for one in found if not math.isnan(one.inflation))
    counts = sorted({one.n_groups for one in found if one.n_groups is not None})
    n_groups = " to ".join(f"{n:,}" for n in (counts[0], counts[-1])[: len(counts)])
    line = f"queries in {n_groups} groups, the sampling units"
    if ratios:
        ends = dict.fromkeys(f"{ratio:.2f}" for ratio in (ratios[0], ratios[-1]))
        line += f": intervals are {' to '.join(ends)} times as wide as without groups"
    return [line]


def _of_limits(intervals: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """A line for each end that is what the limits allow."""
    from irbounds.queries.cautions import ends_of_limits

    lines = []
    for end, where in _places(intervals, ends_of_limits).items():
        listed = ", ".join(_place(*one, len(intervals)) for one in where.items())
        lines.append(
            f"{end} end of {listed}: set by the limits: nearly equal values may lack rare ones"
        )
    return lines


def _places(
    intervals: Mapping[str, Mapping[str, Interval]], keys: Callable[[Interval], list[str]]
) -> dict[str, dict[str, list[str]]]:
    """By key and measure the runs whose interval has it."""
    found: dict[str, dict[str, list[str]]] = {}
    for run, of_run in intervals.items():
        for measure, interval in of_run.items():
            for key in keys(interval):
                found.setdefault(key, {}).setdefault(str(measure), []).append(run)
    return found


def _methods(intervals: Mapping[str, Mapping[str, Interval]]) -> str:
    """Which methods the default was: one, or the commonest and where it was another."""
    found = _places(intervals, lambda interval: [interval.method])
    if len(found) < 2:
        return next(iter(found), "t")
    counts = {method: sum(map(len, where.values())) for method, where in found.items()}
    usual = max(counts, key=lambda method: (counts[method], method == "t"))
    others = [
        f"{method} for {', '.join(_place(*one, len(intervals)) for one in where.items())}"
        for method, where in found.items()
        if method != usual
    ]
    return "; ".join([usual, *others])


def _place(measure: str, runs: list[str], n_runs: int) -> str:
    if len(runs) == n_runs:
        return measure
    listed = ", ".join(runs) if len(runs) <= MOST_NAMED else f"{len(runs)} of {n_runs} runs"
    return f"{measure} ({listed})"
