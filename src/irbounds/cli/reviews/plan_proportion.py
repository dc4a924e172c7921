"""`irbounds plan-proportion`: sample sizes for one proportion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.numbers import whole_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table, short
from irbounds.foundation.errors import InputError
from irbounds.foundation.rounding import rounded_down

MOST_ROWS = 20  # on a screen; other formats have all
WIDER = "it is exact, and a little wider than that of wilson, the method without a population"
PARTS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.5)  # of the share that acceptance excludes: rows of the curve


@declare(
    "plan-proportion",
    {
        "Goal": (
            options.number("--margin", "Find the sample for a proportion ± this margin."),
            options.number(
                "--at-most",
                "Find the samples that show that the proportion is at most this; with --stage, the "
                "confidence with which the rule shows it.",
            ),
            options.option(
                "--stage",
                "Show what a rule in stages does: draw SAMPLED more documents, accept with at most "
                "ACCEPT relevant ones in all, reject with REJECT. Once for each stage; the last "
                "has no REJECT.",
                multiple=True,
                metavar="SAMPLED:ACCEPT[:REJECT]",
            ),
        ),
        "Assumptions": (
            options.number(
                "--expected",
                "Proportion expected; by default 0.5 with --margin, the worst case, and 0 with "
                "--at-most; with --stage one more row.",
            ),
            options.population("Documents in the population; unlimited by default."),
            options.number(
                "--power",
                "With --at-most: probability of acceptance at the expected proportion; 0.8 by "
                "default.",
            ),
            options.confidence_level,
        ),
        "Output": options.BOOK_OUTPUT,
    },
    "irbounds plan-proportion --margin 0.02 --expected 0.1 --population 90000",
    "irbounds plan-proportion --at-most 0.01 --expected 0.003 --population 90000",
    "irbounds plan-proportion --stage 300:0:3 --stage 300:2 --population 90000",
)
def command(
    margin: float | None,
    at_most: float | None,
    stage: tuple[str, ...],
    expected: float | None,
    population: int | None,
    power: float | None,
    confidence_level: float,
) -> Report:
    """Plan the sample for one proportion: richness, elusion, prevalence.

    With --at-most the table has a row for each number of relevant documents that is allowed. Choose
    one row before the sample is drawn.
    """
    if (margin is not None) + (at_most is not None or bool(stage)) != 1:
        raise InputError("give one goal: --margin, --at-most, or --stage, also with --at-most")
    if stage:
        if power is not None:
            raise InputError("--power goes with --at-most without --stage")
        return _of_stages(stage, at_most, expected, population, confidence_level)
    asked: dict[str, Any] = {"size": population, "confidence_level": confidence_level}
    percent = f"{100 * confidence_level:g} %"
    if margin is not None:
        from irbounds.samples.one_proportion.table import usual_proportion_method

        if power is not None:
            raise InputError("--power goes with --at-most: an interval has no power")
        share = 0.5 if expected is None else expected
        n = irbounds.planning.proportion_sample_size(margin, expected=share, **asked)
        row = [margin, share, n]
        return Report(
            ["margin", "expected", "sampled"],
            [row],
            shown=Table(["margin", "expected", "documents"], [[f"{margin:g}", f"{share:g}", n]], 0),
            notes=[
                f"half width of the {percent} interval of irbounds proportion, method "
                f"{usual_proportion_method(population is not None)}",
                *([WIDER] if population is not None else []),
            ],
        )
    assert at_most is not None
    samples = irbounds.planning.acceptance_samples(
        at_most,
        expected=0.0 if expected is None else expected,
        power=0.8 if power is None else power,
        **asked,
    )
    return Report(
        ["sampled", "allowed", "accepted"],
        [[each.sampled, each.allowed, each.power] for each in samples],
        shown=Table(
            ["documents", "relevant allowed", "accepted"],
            [[each.sampled, each.allowed, short(each.power)] for each in samples[-MOST_ROWS:]],
            0,
        ),
        notes=[
            *([f"the last {MOST_ROWS} of {len(samples)} rows"] if len(samples) > MOST_ROWS else []),
            f"with at most the number allowed, the proportion is at most {at_most:g}: {percent} "
            "confidence",
            f"accepted: probability of that if the proportion is {expected or 0:g}",
        ],
    )


def _of_stages(
    stages: Sequence[str],
    at_most: float | None,
    expected: float | None,
    population: int | None,
    confidence_level: float,
) -> Report:
    """The operating curve of a rule in stages, and with which confidence it shows a limit."""
    rule = irbounds.planning.AcceptanceStages([_stage_of(text) for text in stages], population)
    limit = rule.excluded_share(confidence_level)
    shares = {share for part in PARTS if (share := float(f"{part * limit:.3g}")) <= 1}
    shares |= {limit} | {share for share in (expected, at_most) if share is not None}
    rows = [[share, rule.accepts(share), rule.documents(share)] for share in sorted(shares)]
    return Report(
        ["share", "accepted", "documents"],
        rows,
        shown=Table(
            ["share", "accepted", "mean documents"],
            [[f"{share:.4g}", short(chance), f"{mean:.1f}"] for share, chance, mean in rows],
            0,
        ),
        notes=[
            f"acceptance shows a share of at most {limit:.4g}: {100 * confidence_level:g} % "
            "confidence",
            *([] if at_most is None else [_shown(rule, at_most)]),
            "accepted: probability of that if this is the share; exact",
        ],
    )


def _shown(rule: irbounds.planning.AcceptanceStages, at_most: float) -> str:
    """With which confidence acceptance shows a limit: at shares above it, by one document of a
    population, the rule accepts most often at the first of them."""
    from irbounds.foundation.arguments import check_number

    check_number("--at-most", at_most, "must be between 0 and 1", lambda x: 0 < x < 1)
    first = at_most
    if rule.size is not None:
        first = (math.floor(rule.size * at_most + 1e-9) + 1) / rule.size
    level = 100 * rounded_down(1 - float(rule.accepts(first)), 4)
    return f"acceptance shows a share of at most {at_most:g}: {level:.4g} % confidence"


def _stage_of(text: str) -> tuple[int, ...]:
    """The numbers of a stage."""
    try:
        return tuple(map(whole_of, text.split(":")))
    except ValueError as error:
        raise InputError(
            f"--stage must be SAMPLED:ACCEPT[:REJECT], in whole numbers; found {text!r}{error}"
        ) from None
