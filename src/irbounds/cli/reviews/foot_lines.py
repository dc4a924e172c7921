"""Words below tables of intervals: how often methods cover; for `irbounds recall` also the target,
and what coded documents would say without their audits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irbounds.cli.input.samples import Segments
from irbounds.cli.terminal.render import interval_cells
from irbounds.foundation.rounding import documents_of, probability

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval
    from irbounds.samples.other_designs.control_sample import ControlSample

# The columns of a number of documents with its ends, in files and for people.
IN_DOCUMENTS = ["documents", "documents_low", "documents_high"], ["documents", "low", "high"]
# benchmarks/studies/coded.py
CODED_METHOD = "betabinom-half"
CODED_WORDS = f"{CODED_METHOD} at 95 % covered 96 % of simulated yields on average, 89 % at worst"


def level_of(level: float, side: str) -> str:
    """The level and the side of intervals, in words: "95 % lower bounds"."""
    percent = percent_of(level)
    return f"{percent} intervals, {side}" if side == "two-sided" else f"{percent} {side} bounds"


def percent_of(level: float) -> str:
    """A level in percent."""
    return f"{100 * level:.12g} %"


def share_cells(
    ends: tuple[float, float, float], population: int | None
) -> tuple[list[float], list[str]]:
    """A share with its ends, and with a population these in documents: as numbers and in cells."""
    numbers, cells = [*ends], interval_cells(*ends)
    if population is not None:
        documents = [documents_of(end, population) for end in ends]
        numbers += documents
        cells += interval_cells(documents[0], documents[1], documents[2], whole=True)
    return numbers, cells


def effect_words(interval: Interval) -> str:
    """The design effect of a sample of clusters; of recall that of each segment."""
    found: Any = interval.design_effect
    effects = found if isinstance(found, tuple) else (found,)
    return " and ".join("unknown" if x != x else f"{x:.2f}" for x in effects)


def said_of(covers: str, percent: str, side: str) -> str:
    """How often a method covers, in words: of the true recall, at a level in percent."""
    from irbounds.samples.intervals.table import AVERAGE, EVERY

    if covers == EVERY:
        return f"is right in at least {percent} of samples, in any review"
    if side != "two-sided":  # the page of measured coverage has 69 % for bounds on F at 95 %
        return f"is right much less often than {percent} in some reviews"
    if covers == AVERAGE:
        return f"is right in about {percent} of reviews on average, in some less often"
    return f"is right in less than {percent} on average in some designs"


def covers_of(covers: str, side: str) -> str:
    """How often a method covers, in a cell: the table of methods has it for two-sided intervals."""
    from irbounds.samples.intervals.table import EVERY

    return covers if side == "two-sided" or covers == EVERY else "not always"


def of_target(target: float | None, chance: float | None, prior_words: str) -> list[str]:
    """The probability of the target."""
    if chance is None:
        return []
    reached = f"P(recall >= {target:g}) {probability(chance)}"
    return [f"{reached}, posterior probability under {prior_words}"]


def claims(claimed: Interval | None, segments: Segments, believed: Segments | None) -> list[str]:
    """The recall if all calls were right."""
    if claimed is None or believed is None:
        return []
    if claimed.estimate != claimed.estimate:
        return ["if every call were right, nothing would be relevant, and recall undefined"]
    classes = [
        (audit, one.relevant > 0)
        for audits, known in zip(segments, believed, strict=True)
        for audit, one in zip(audits, known, strict=True)
        if one is not audit and audit.size
    ]
    if not classes:
        return []
    end = "; not every class of calls was audited"
    if all(audit.sampled for audit, _ in classes):
        is_right = all(audit.relevant == audit.sampled * call for audit, call in classes)
        end = "; every audited call is" if is_right else ": the audits correct that"
    estimate, low, high = interval_cells(claimed.estimate, claimed.low, claimed.high)
    reach = f" in [{low}, {high}]" if claimed.low < claimed.high else ""
    return [f"if every call were right, recall would be {estimate}{reach}{end}"]


def of_control(control: ControlSample | None) -> list[str]:
    """How the samples of both segments come from one of the collection."""
    if control is None:
        return []
    lines = [
        f"one sample of the collection, {control.sampled} documents: a random sample of each "
        "segment"
    ]
    if control.elusion_sampled:
        lines.append(
            f"with {control.elusion_sampled} further unretrieved documents of an elusion sample, "
            f"{control.elusion_relevant} of them relevant"
        )
    return lines


def of_test(method: str, segments: Segments, level: float, side: str) -> list[str]:
    """Which test the guaranteed bound on recall from strata inverts, and why it is loose."""
    from irbounds.samples.intervals.tested_strata import guaranteed_test, loose_bound_note

    if method != "guaranteed" or max(map(len, segments)) < 2:
        return []
    note = loose_bound_note(*segments, confidence_level=level, side=side)
    name = f"guaranteed recall from these strata: {guaranteed_test(*segments)}"
    return [name, note] if note else [name]


def is_drawn(names: list[str], engine: str) -> bool:
    """Whether any of these methods draws."""
    from irbounds.samples.intervals.table import INTERVAL_METHODS

    return engine == "monte-carlo" and any(INTERVAL_METHODS[name].is_posterior for name in names)


def notes_on_methods(
    names: list[str], settings: Mapping[str, Any], all_methods: bool, is_by_class: bool = False
) -> list[str]:
    """Level, side and engine, how often each method covers, and the side for elusion; of
    coded documents with one row for each class of calls what was measured of them."""
    from irbounds.samples.intervals.table import INTERVAL_METHODS

    level, side = settings["confidence_level"], settings["side"]
    percent, first = percent_of(level), level_of(level, side)
    if is_drawn(names, settings["engine"]):
        first += f", posteriors from {settings['draws']:,} draws"
    else:
        first += ", computed without simulation"
    if all_methods:
        what = "an interval" if side == "two-sided" else "a bound"
        notes = [
            first,
            f'covers: how often {what} contains the true recall; "every review" is a guarantee',
        ]
        if side != "two-sided":
            return [*notes, f'"not always": in some reviews much less often than {percent}']
        return [
            *notes,
            f'"on average": in about {percent} of reviews on average, in some less often',
            '"below its level": less on average in some designs',
        ]
    if side == "lower":
        first += "; to claim that elusion is low, use --side upper"
    covers = {name: INTERVAL_METHODS[name].covers for name in names}
    looks = dict.fromkeys(names, "")
    if "anytime" in names:
        looks = dict.fromkeys(names, ", at one look only")
        looks["anytime"] = ", at every look"
    said = (f"{name} {said_of(covers[name], percent, side)}{looks[name]}" for name in names)
    words = f"{CODED_METHOD} is right in about"
    return [first, *(CODED_WORDS if is_by_class and x.startswith(words) else x for x in said)]
