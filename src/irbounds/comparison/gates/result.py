"""The result of a gate, and how machines and people read it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import counted
from irbounds.foundation.rounding import as_decimals, as_high_end, as_low_end
from irbounds.foundation.writing import InNotebooks, as_fitting_table, as_json, as_markdown, wrapped
from irbounds.queries.sizes import detectable_difference
from irbounds.rankings.data.evaluation import words_of_barren

if TYPE_CHECKING:
    from irbounds.typing import MeasureLike

POWER = 0.8  # of the detectable difference
# A reason beyond the checks says this of judgments; the others are about queries.
FEW_JUDGED = "of the first documents are judged"
EXIT_STATUS = {"pass": 0, "fail": 1, "unclear": 3}  # 2 is bad input


@dataclass(frozen=True)
class GateCheck:
    """The check of one measure.

    Attributes
    ----------
    measure : str
    verdict : {"pass", "fail", "unclear"}
    baseline, new : float
        Means over the queries that both have.
    difference : float
        Difference of the means, new less baseline, over the queries.
    low, high : float
        One-sided bounds of it, each at 1 - alpha; nan where there is no variance.
    p_value : float
        p-value by the paired t, or without variance the chance that all queries agree (0.9^n or
        less), of the hypothesis that the new run is not worse, before Holm's correction over the
        measures.
    margin : float
    n_queries : int
    sd : float
        The standard deviation of the differences over queries.
    alpha : float
    tie_bounds : pair of float, or None
        The least and the greatest difference over all orders of tied documents.
    reason : str or None
        Why ties, labels or changes of sign make it unclear, or why it has no bounds.
    unjudged_bounds : pair of float, or None
        With unjudged="bounds": the least and the greatest difference over all labels of unjudged
        documents.
    deciding_p : float or None
        The p-value that decides on "fail", before Holm's correction: the greatest of `p_value`,
        that of Hall's transform, with up to 16 queries that of all changes of sign, and the chance
        that queries that would turn the mean are so few in the sample (see `gate`).
    n_groups : int or None
        Groups that the queries are of; `sd` is then that of as many equal groups.
    """

    measure: str
    verdict: str
    baseline: float
    new: float
    difference: float
    low: float
    high: float
    p_value: float
    margin: float
    n_queries: int
    sd: float
    alpha: float
    tie_bounds: tuple[float, float] | None = None
    reason: str | None = None
    unjudged_bounds: tuple[float, float] | None = None
    deciding_p: float | None = None
    n_groups: int | None = None

    @cached_property
    def detectable(self) -> float:
        """The loss beyond the margin that these queries detect with power 0.8; nan without
        variance."""
        if not self.sd > 0:
            return math.nan
        return detectable_difference(
            self.n_groups or self.n_queries,
            self.sd,
            power=POWER,
            alpha=self.alpha,
            side="one-sided",
        )

    @property
    def sample(self) -> str:
        """How many queries there are, and of how many groups."""
        n = counted(self.n_queries, "query", "queries")
        return n if self.n_groups is None else f"{n} in {counted(self.n_groups, 'group', 'groups')}"

    @property
    def remark(self) -> str | None:
        """The reason, or where the queries are too few, which losses they detect."""
        if self.reason is not None or self.verdict != "unclear":
            return self.reason
        loss = f"{self.margin + self.detectable:.4g}"
        if self.margin:
            loss += f" (margin + {self.detectable:.4g})"
        units = "queries" if self.n_groups is None else "groups"
        return (
            f"too few {units} to say; Student's t detects a loss of {loss} by {self.sample} "
            f"with probability {POWER:g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, `detectable` and `remark`."""
        found = asdict(self)
        if self.n_groups is None:
            del found["n_groups"]
        return {**found, "detectable": self.detectable, "remark": self.remark}

    def __str__(self) -> str:
        said = (
            f"{self.measure}: {self.verdict}, {self.baseline:.4f} -> {self.new:.4f}, difference "
            f"{_signed(self.difference)}, bounds {_bounds(self)}, margin {self.margin:g}"
        )
        return f"{said}; {self.remark}" if self.remark else said


@dataclass(frozen=True)
class Gate(InNotebooks):
    """The verdict on a new run beside a baseline.

    Attributes
    ----------
    verdict : {"pass", "fail", "unclear"}
        "fail" if a measure fails, "pass" if all pass.
    checks : tuple of GateCheck
        By measure.
    alpha : float
    strict : bool
    ties : str
        The tie rule.
    drift : tuple of GateCheck
        The same against the previous run, if there is one; it does not affect the verdict.
    judged : float or None
        The mean share of judged documents among the first of the new run.
    reason : str or None
        Why the gate is unclear beyond its checks.
    missing_queries, baseline_missing_queries : tuple
        Judged queries that the new run lacks, and that the baseline lacks.
    unjudged_queries : tuple
        Queries of the new run that are left out, as they have no judgments.
    no_relevant_queries : tuple
        Queries without a relevant document, which count as 0.
    skips_no_relevant : bool
        Whether these are left out.
    """

    verdict: str
    checks: tuple[GateCheck, ...]
    alpha: float
    strict: bool
    ties: str
    drift: tuple[GateCheck, ...] = ()
    judged: float | None = None
    reason: str | None = None
    missing_queries: tuple[Any, ...] = ()
    baseline_missing_queries: tuple[Any, ...] = ()
    unjudged_queries: tuple[Any, ...] = ()
    no_relevant_queries: tuple[Any, ...] = ()
    skips_no_relevant: bool = False

    @property
    def exit_status(self) -> int:
        """0 pass, 1 fail, 3 unclear."""
        return EXIT_STATUS[self.verdict]

    def __getitem__(self, measure: MeasureLike) -> GateCheck:
        """The check of one measure."""
        for check in self.checks:
            if check.measure == str(measure):
                return check
        names = ", ".join(check.measure for check in self.checks)
        raise KeyError(f"{measure!s} was not checked; there are {names}")

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, and the exit status."""
        parts = {
            name: [check.to_dict() for check in getattr(self, name)] for name in ("checks", "drift")
        }
        return {**asdict(self), **parts, "exit_status": self.exit_status}

    def to_json(self) -> str:
        """`to_dict` as JSON; nan becomes null."""
        return as_json(self.to_dict())

    def to_text(self, width: int | None = None) -> str:
        """The verdict, and a table of the checks, with their margins where these differ, in `width`
        columns if they are given."""
        text = as_fitting_table(*self._table(), 2, width)
        title = wrapped(f"{self.verdict}: {self._rule()}", width)
        remarks = "".join(wrapped(remark, width) for remark in self._remarks())
        return f"{title}{text.rstrip()}\n{remarks}"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header, rows = self._all_columns()
        if self._one_margin():
            return header[:-1], [row[:-1] for row in rows]
        return header, rows

    def _all_columns(self) -> tuple[list[str], list[list[str]]]:
        header = ["measure", "verdict", "baseline", "new", "difference", "bounds", "margin"]
        rows = [
            [
                check.measure,
                check.verdict,
                f"{check.baseline:.4f}",
                f"{check.new:.4f}",
                _signed(check.difference),
                _bounds(check),
                f"{check.margin:g}",
            ]
            for check in self.checks
        ]
        return header, rows

    def _one_margin(self) -> str:
        """The margin of all checks, as text; empty where they differ."""
        margins = {f"{check.margin:g}" for check in self.checks}
        return margins.pop() if len(margins) == 1 else ""

    def _rule(self) -> str:
        """How many queries there are, which drop fails, and by which bounds."""
        margin = self._one_margin()
        fails = f"fails if a drop above {margin or 'its margin'} is shown"
        if self.strict:
            fails = "fails at any significant loss" + (f", margin {margin}" if margin else "")
        level = f"{100 * (1 - self.alpha):.12g} %"
        return f"{self.checks[0].sample}, {fails} (one-sided {level} bounds)"

    def _remarks(self) -> list[str]:
        remarks = [f"{check.measure}: {check.remark}" for check in self.checks if check.remark]
        remarks += [
            f"{check.measure}: p = {check.deciding_p:.3g} by the tests beside Student's t, "
            f"{check.p_value:.3g} by it; the greater one counts"
            for check in self.checks
            if check.verdict != "fail"
            and check.deciding_p is not None
            and check.deciding_p > check.p_value < self.alpha
            and check.deciding_p * len(self.checks) >= self.alpha  # by Holm's first step
        ]
        remarks += [
            f"{check.measure}: difference over {what} [{_signed(ends[0])}, {_signed(ends[1])}]"
            for check in self.checks
            for what, ends in (
                ("orders of ties", check.tie_bounds),
                ("labels of unjudged documents", check.unjudged_bounds),
            )
            if ends is not None and (ends[0] < ends[1] or what != "orders of ties")
        ]
        remarks += [self.reason] if self.reason else []
        for run, queries in (
            ("new run", self.missing_queries),
            ("baseline", self.baseline_missing_queries),
        ):
            if queries:
                lacking = counted(len(queries), "judged query", "judged queries")
                remarks.append(f"the {run} lacks {lacking}")
        if self.unjudged_queries:
            n = counted(len(self.unjudged_queries), "query", "queries")
            remarks.append(f"{n} of the new run without judgments, left out")
        barren = self.no_relevant_queries
        remarks += words_of_barren(barren, () if self.skips_no_relevant else barren)
        remarks += [
            f"since the previous run: {check.measure} {_signed(check.difference)}, "
            f"bounds {_bounds(check)}"
            for check in self.drift
        ]
        return remarks

    def to_junit(self) -> str:
        """JUnit's XML: a test case for each measure, "judged" where too few documents are judged,
        and "queries" where the new run lacks queries of the baseline; unclear ones are skipped
        tests."""
        reasons = self.reason.split("; ") if self.reason else []
        # A reason makes the gate unclear at best, whatever the measures say.
        counts = [check.verdict for check in self.checks] + ["unclear"] * len(reasons)
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuite name="irbounds gate" tests="{len(counts)}" '
            f'failures="{counts.count("fail")}" skipped="{counts.count("unclear")}">',
        ]
        for check in self.checks:
            case = f'  <testcase classname="irbounds.gate" name={_attribute(check.measure)}'
            kind = {"fail": "failure", "unclear": "skipped"}.get(check.verdict)
            said = f"<{kind} message={_attribute(str(check))}/>" if kind else ""
            lines.append(f"{case}>{said}</testcase>" if kind else f"{case}/>")
        for reason in reasons:
            name = "judged" if FEW_JUDGED in reason else "queries"
            said = f"<skipped message={_attribute(reason)}/>"
            lines.append(f'  <testcase classname="irbounds.gate" name="{name}">{said}</testcase>')
        return "\n".join([*lines, "</testsuite>", ""])

    def to_markdown(self) -> str:
        """For a summary page of GitHub Actions."""
        table = as_markdown(*self._all_columns(), 2)
        remarks = "".join(f"- {remark}\n" for remark in self._remarks())
        title = f"### irbounds gate: {self.verdict}\n\n{self._rule()}.\n\n"
        return title + table + (remarks and f"\n{remarks}")

    def annotations(self) -> list[str]:
        """Workflow commands of GitHub Actions: an error for each failure, a warning where it is
        unclear."""
        kinds = {"fail": "error", "unclear": "warning"}
        said = [
            f"::{kinds[check.verdict]} title=irbounds gate::{_escaped(str(check))}"
            for check in self.checks
            if check.verdict in kinds
        ]
        if self.reason:
            said.append(f"::warning title=irbounds gate::{_escaped(self.reason)}")
        return said

    def __repr__(self) -> str:
        return self.to_text().rstrip("\n")


def _attribute(text: str) -> str:
    """As a value in XML, in quotes.  (The standard library's function imports urllib.)

    Letters that XML 1.0 does not have, such as control characters, become U+FFFD.
    """
    from html import escape  # here, as a start of the command line does not need it

    text = escape(text, quote=False).replace('"', "&quot;")
    text = " ".join(text.split())
    return '"' + "".join(x if _is_in_xml(ord(x)) else "\ufffd" for x in text) + '"'


def _is_in_xml(code: int) -> bool:
    return 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF


def _signed(difference: float) -> str:
    return as_decimals(difference, sign="+")


def _bounds(check: GateCheck) -> str:
    if math.isnan(check.low):
        return "none"
    return f"[{as_low_end(check.low, '+')}, {as_high_end(check.high, '+')}]"


def _escaped(text: str) -> str:
    """As workflow commands want it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
