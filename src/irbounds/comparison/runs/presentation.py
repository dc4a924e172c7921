"""A comparison as text and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from irbounds.comparison.data.data import ComparisonData
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.significance.corrections import CORRECTIONS, alpha_of, is_joint
from irbounds.comparison.significance.table import TESTS
from irbounds.foundation.errors import counted
from irbounds.foundation.rounding import as_decimals, rounded_down, rounded_up
from irbounds.foundation.writing import (
    Latex,
    as_fitting_table,
    as_html,
    as_latex,
    html_lines,
    wrapped,
)
from irbounds.rankings.data.evaluation import words_of_barren
from irbounds.rankings.measure_table.measure import Measure, ties_words

REASON_MARK = "‡"
TIES_MARK = "†"
UNJUDGED_MARK = "§"
RAISED_MARK = "¶"
UNJUDGED_NOTE = f"{UNJUDGED_MARK} labels of unjudged documents could undo this difference"
MOST_CLAIMS = 6
OUTER_NOTE = "~ outer bounds: no labels need reach their ends"
RAISED_NOTE = f"{RAISED_MARK} p is raised to that of the sign test: the signs allow no less"
TIES_NOTE = f"{TIES_MARK} tie-breaking alone could undo this difference, or make one as large"


def as_text(comparison: ComparisonData, width: int | None = None) -> str:
    """The settings, the conclusion, a table of the runs, one of the differences, and notes; all
    as wide as the terminal, if that is given."""
    first = [wrapped(headline(comparison), width), wrapped(conclusion(comparison), width)]
    tables = [as_fitting_table(*_runs(comparison), 1, width)]
    tables.append(as_fitting_table(*_differences(comparison), 1, width))
    last = [wrapped(line, width, "  ") for line in notes(comparison)]
    return "".join([*first, *tables, *last])


def as_html_text(comparison: ComparisonData) -> str:
    """The same for notebooks, as HTML."""
    first = html_lines([headline(comparison), conclusion(comparison)])
    tables = as_html(*_runs(comparison)) + as_html(*_differences(comparison))
    return first + tables + html_lines(notes(comparison))


def headline(comparison: ComparisonData) -> str:
    """The runs, queries and tests of the comparison, in one line."""
    drawn = (
        ""
        if comparison.resamples is None
        else f", {comparison.resamples:,} resamples, seed {comparison.seed}"
    )
    n_queries = counted(len(comparison.query_ids), "query", "queries")
    if comparison.n_groups is not None:
        n_queries += f" in {counted(comparison.n_groups, 'group', 'groups')}"
    ties = ties_words(comparison.ties, comparison.measures)
    return f"{len(comparison.runs)} runs on {n_queries}{ties}; {_test(comparison)}{drawn}"


def conclusion(comparison: ComparisonData) -> str:
    """Which run is better by which measures, under which correction, and whether ties decide."""
    level = f"{100 * alpha_of(comparison.confidence_level):.10g} %"
    row = None if comparison.correction is None else CORRECTIONS[comparison.correction]
    if row is None:
        error = f"At {level} for each difference alone"
    else:
        family = "" if comparison.family == "all" else ", by each measure"
        error = f"At a family-wise error of {level} ({row.title}{family})"
    shown = [one for one in comparison.differences if one.is_significant]
    if not shown:
        return f"{error}, no difference is significant."
    claims = _claims(comparison, shown)
    more = len(claims) - MOST_CLAIMS
    text = "; ".join(claims[:MOST_CLAIMS]) + (f"; and {more} more" if more > 0 else "")
    return f"{error}, {text}.{_undone(comparison, shown)}"


def _claims(comparison: ComparisonData, shown: list[Difference]) -> list[str]:
    """Texts as "a is better than b and c by AP", one for each better run and set of measures."""
    by_pair: dict[tuple[str, str], list[str]] = {}
    for one in shown:
        by_pair.setdefault(_better_first(comparison, one), []).append(one.measure)
    worse: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (better, other), measures in by_pair.items():
        worse.setdefault((better, tuple(measures)), []).append(other)
    return [
        f"{better} is better than {_listed(others)} by {_listed(measures)}"
        for (better, measures), others in worse.items()
    ]


def _better_first(comparison: ComparisonData, one: Difference) -> tuple[str, str]:
    """Both runs of a significant difference, the better one first."""
    lower = {str(name) for name in comparison.measures if name.spec.lower_is_better}
    pair = one.run, one.against
    return pair if (one.estimate > 0) != (one.measure in lower) else pair[::-1]


def _undone(comparison: ComparisonData, shown: list[Difference]) -> str:
    """Whether orders of ties or labels could undo a significant difference."""

    def some(n: int) -> str:
        return "this" if len(shown) == 1 else f"{n} of these"

    said = ""
    ties, labels = (
        sum(one.hangs_on_ties for one in shown),
        sum(one.is_undone_by_unjudged for one in shown),
    )
    if ties:
        said = f" Ties alone could undo {some(ties)}."
    elif _has_ties(comparison):
        said = " No order of ties reverses this."
    return said + f" Labels of unjudged documents could undo {some(labels)}." * (labels > 0)


def _has_ties(comparison: ComparisonData) -> bool:
    """True if another order of ties changes some mean."""
    bounds = comparison.mean_bounds or {}
    return any(end.low < end.high for own in bounds.values() for end in own.values())


def _listed(names: Sequence[str]) -> str:
    """Names with commas and "and"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def notes(comparison: ComparisonData) -> list[str]:
    """The explanation of the tables."""
    over = "all differences" if comparison.family == "all" else "the differences by each measure"
    row = None if comparison.correction is None else CORRECTIONS[comparison.correction]
    if row is None:
        correction = "p is for one difference, not adjusted"
    elif row.is_joint:
        by = (
            "; adjusted: times the number of measures"
            if is_adjusted(comparison)
            else " by each measure"
            if len(comparison.measures) > 1
            else ""
        )
        remark = f" ({row.remark})" if row.remark else ""
        correction = f"p holds for {row.joint_over} at once{by}{remark}"
    else:
        correction = f"adjusted: {row.name.capitalize()} over {over}"
    together = row is not None and row.holds_together
    lines = words_of_barren(comparison.no_relevant_queries, comparison.query_ids)
    lines += [
        f"{correction}; {'simultaneous' if together else 'individual'} intervals; "
        f"* below {alpha_of(comparison.confidence_level):.10g}",
        _effect_line(row is not None and row.is_joint, comparison.n_groups is not None),
    ]
    estimand = TESTS[comparison.test].estimand
    if estimand != "mean":
        lines.append(
            f"the {estimand} is of the differences other than 0, as the test leaves those out"
        )
    reasons = dict.fromkeys(one.reason for one in comparison.differences if one.reason is not None)
    lines += [f"{REASON_MARK} {reason}" for reason in reasons]
    if any(difference.has_raised_p for difference in comparison.differences):
        lines.append(RAISED_NOTE)
    if any(difference.hangs_on_ties for difference in comparison.differences):
        lines.append(TIES_NOTE)
    if any(difference.is_undone_by_unjudged for difference in comparison.differences):
        lines.append(UNJUDGED_NOTE)
    elif any(difference.unjudged_bounds is not None for difference in comparison.differences):
        lines.append("no labels of unjudged documents undo any of these differences")
    if any(difference.unjudged_is_exact is False for difference in comparison.differences):
        lines.append(OUTER_NOTE)
    return lines


def _effect_line(is_joint: bool, has_groups: bool) -> str:
    """The line that says by what an effect divides the difference."""
    if is_joint:
        spread = "residual standard deviation of all runs" + " of groups" * has_groups
    else:
        spread = "standard deviation of the differences" + " of queries, not of groups" * has_groups
    return f"effect: mean difference divided by the {spread}"


def is_adjusted(comparison: ComparisonData) -> bool:
    """True if p-values are adjusted by a correction that is not part of the test."""
    if is_joint(comparison.correction):
        return comparison.family == "all" and len(comparison.measures) > 1
    return comparison.correction is not None


def _test(comparison: ComparisonData) -> str:
    test = TESTS[comparison.test]
    if comparison.correction is None or not is_joint(comparison.correction):
        return test.title
    return f"{CORRECTIONS[comparison.correction].title}, {test.joint_title}"


def _runs(comparison: ComparisonData) -> tuple[list[str], list[list[str]]]:
    bounds = comparison.mean_bounds if _has_ties(comparison) else None
    rows = []
    for run in comparison.runs:
        cells = []
        for name in comparison.measures:
            cells.append(number(comparison.means[run][name]))
            if bounds is not None:
                cells.append(interval(*bounds[run][name]))
        rows.append([run + (" (baseline)" if run == comparison.baseline else ""), *cells])
    each = [] if bounds is None else ["over tie orders"]
    return ["run", *(text for name in comparison.measures for text in (name, *each))], rows


def _differences(comparison: ComparisonData) -> tuple[list[str], list[list[str]]]:
    """A row for each difference and measure.

    The header names the runs if there is one pair, else the rows do.
    """
    has_adjusted, has_ties = is_adjusted(comparison), _has_ties(comparison)
    differences = [one for name in comparison.measures for one in comparison[name]]
    pairs = {(one.run, one.against) for one in differences}
    has_raised = any(one.has_raised_p for one in differences)
    of = TESTS[comparison.test].estimand
    of_what = "" if of == "mean" else f" of the {of}"
    header = [
        *(f"{run} − {against}" for run, against in pairs if len(pairs) == 1),
        *([""] * (len(pairs) != 1)),
        "difference",
        f"{100 * comparison.confidence_level:.4g} % interval{of_what}",
        "p",
        *(["adjusted"] * has_adjusted),
        "wins/losses/same",
        "effect",
        *(["over tie orders"] * has_ties),
        *(["over labels"] * any(one.unjudged_bounds is not None for one in differences)),
    ]
    rows = []
    for one in differences:
        raised = f" {RAISED_MARK}" if one.has_raised_p else "  " if has_raised else ""
        own = p_text(one.p_value) + raised
        p_values = [own, *([p_text(one.adjusted_p_value)] * has_adjusted)]
        p_values[-1] += (
            " *" if one.is_significant else "  " if one.reason is None else f" {REASON_MARK}"
        )
        row = [
            one.measure if len(pairs) == 1 else f"{one.measure}: {one.run} − {one.against}",
            number(one.difference, "+"),
            _rounded_outward(one.low, one.high),
            *p_values,
            f"{one.wins}/{one.losses}/{one.same}",
            number(one.effect_size, "+", 2),
        ]
        if has_ties and one.tie_bounds is not None:
            mark = f" {TIES_MARK}" if one.hangs_on_ties else "  "
            row.append(interval(*one.tie_bounds, "+") + mark)
        if one.unjudged_bounds is not None:
            row.append(_over_labels(one))
        rows.append(row)
    return header, rows


def _over_labels(one: Difference) -> str:
    """Bounds over the labels of unjudged documents, and their marks."""
    assert one.unjudged_bounds is not None
    outer = "" if one.unjudged_is_exact else "~"
    mark = f" {UNJUDGED_MARK}" if one.is_undone_by_unjudged else "  "
    return outer + interval(*one.unjudged_bounds, "+") + mark


def number(value: float, sign: str = "", digits: int = 4) -> str:
    """A mean or a difference."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "−∞" if value < 0 else f"{sign}∞"
    return as_decimals(value, digits, sign)


def interval(low: float, high: float, sign: str = "") -> str:
    """Two ends; one dash if there are none."""
    return (
        "–"
        if math.isnan(low) or math.isnan(high)
        else f"[{number(low, sign)}, {number(high, sign)}]"
    )


def _rounded_outward(low: float, high: float) -> str:
    """The ends of an interval of the difference."""
    return interval(rounded_down(low, 4), rounded_up(high, 4), "+")


def p_text(p_value: float) -> str:
    """The p-value with four decimals."""
    return "–" if math.isnan(p_value) else "<0.0001" if p_value < 5e-5 else f"{p_value:.4f}"


def letter(place: int) -> str:
    """a, b, …, z, then aa, ab, …."""
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def runs_as_latex(comparison: ComparisonData) -> str:
    """Runs by measures: the best is bold, and superscripts name the runs that a run is
    significantly better than."""
    letters = {run: letter(place) for place, run in enumerate(comparison.runs)}
    best = {
        name: _best([comparison.means[run][name] for run in comparison.runs], name)
        for name in comparison.measures
    }
    rows: list[list[Any]] = []
    for run in comparison.runs:
        cells: list[Any] = [letters[run], run]
        for name in comparison.measures:
            mean = comparison.means[run][name]
            beaten = sorted(letters[other] for other in _beaten(comparison, run, name))
            text = number(mean).replace("∞", r"$\infty$")
            text = rf"\textbf{{{text}}}" if mean == best[name] else text
            between = "," if len(comparison.runs) > 26 else ""
            cells.append(Latex(text + (f"$^{{{between.join(beaten)}}}$" if beaten else "")))
        rows.append(cells)
    comments = [
        headline(comparison),
        *notes(comparison)[:1],
        "superscripts: significantly better than the runs of these letters",
    ]
    return _commented(comments) + as_latex(["", "run", *comparison.measures], rows, numbers_from=2)


def differences_as_latex(comparison: ComparisonData) -> str:
    """One row for each difference, as in the text."""
    header, cells = _differences(comparison)
    differences = [one for name in comparison.measures for one in comparison[name]]
    rows = [
        [one.measure, one.run, one.against, *(Latex(_set(cell)) for cell in row[1:])]
        for one, row in zip(differences, cells, strict=True)
    ]
    return _commented([headline(comparison), *notes(comparison)]) + as_latex(
        ["measure", "run", "against", *header[1:]], rows, numbers_from=3
    )


def _set(cell: str) -> str:
    """Numbers in LaTeX: signs, infinities and marks in math mode."""
    cell = cell.strip()
    for sign, command in (
        (TIES_MARK, r"\dagger"),
        (REASON_MARK, r"\ddagger"),
        (UNJUDGED_MARK, r"\S"),
        (RAISED_MARK, r"\P"),
        ("~", r"\sim"),
        ("∞", r"\infty"),
        ("−", "-"),
        (" *", "^*"),
        ("–", r"\text{–}"),
    ):
        cell = cell.replace(sign, command)
    return "–" if cell == r"\text{–}" else f"${cell}$"


def _commented(lines: list[str]) -> str:
    return "".join(f"% {line}\n" for line in lines)


def _best(means: list[float], measure: Measure) -> float:
    return (min if measure.spec.lower_is_better else max)(means)


def _beaten(comparison: ComparisonData, run: str, measure: Measure) -> list[str]:
    """The runs that this one is significantly better than."""
    pairs = [_better_first(comparison, one) for one in comparison[measure] if one.is_significant]
    return [worse for better, worse in pairs if better == run]
