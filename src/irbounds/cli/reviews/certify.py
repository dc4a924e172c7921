"""`irbounds certify`: certificates of one-phase reviews, by a control sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import Row, read_table
from irbounds.cli.reviews.stop import NOT_YET
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table, short
from irbounds.foundation.errors import InputError
from irbounds.foundation.rounding import rounded_down

if TYPE_CHECKING:
    from irbounds.stopping.control_plans import ControlPlan


@declare(
    "certify",
    {
        "Input": (
            options.table(
                "CSV file with a column position: documents read when each control document was "
                "found"
            ),
            options.count(
                "--found",
                "Number of relevant documents in the whole control sample, reached by the review "
                "or not; needed with a table.",
            ),
            options.number("--prevalence", "Plan a control sample for this prevalence."),
        ),
        "Guarantee": (
            options.number("--target", "Target of recall.", 0.8),
            options.one_of(
                "--guarantee",
                ("probability", "mean"),
                "Guarantee",
                default="probability",
                notes={
                    "probability": "recall reaches the target with the confidence level",
                    "mean": "mean recall reaches it",
                },
            ),
            options.confidence_level,
        ),
        "Output": options.OUTPUT,
    },
    "irbounds certify --found 30 --target 0.8",
    "irbounds certify control.csv --found 30 --target 0.8",
    "irbounds certify --prevalence 0.01 --target 0.8",
)
def command(
    table: str | None, found: int | None, prevalence: float | None, target: float, **settings: Any
) -> Report:
    """Certify the recall of a review with a control sample.

    The control sample is a random sample of the collection that was judged before the review and
    kept separate from it. The review stops when it has read enough of the relevant documents of the
    sample. This command computes how many are enough. With a table of positions the exit status is
    0 if the target is certified, 1 if not yet.
    """
    if table is not None:
        if prevalence is not None:
            raise InputError("--prevalence plans a control sample: give it without a table")
        if found is None:
            raise InputError(
                "a table needs --found, the number of relevant documents in the whole control "
                "sample: those that the review has not reached are in no table"
            )
        return _report_of_positions(table, found, target, settings)
    if prevalence is not None:
        report = _report_of_plan(
            irbounds.stopping.control_plan(target, prevalence, found=found, **settings)
        )
    elif found is not None:
        report = _report_of_rank(found, target, settings)
    else:
        raise InputError("give --found, --prevalence, or a table of positions")
    if settings["guarantee"] == "mean":
        options.refuse_unused("--guarantee probability", "confidence_level")
    return report


def _report_of_plan(plan: ControlPlan) -> Report:
    """The control sample that a prevalence needs."""
    row = [plan.found, plan.rank, plan.documents]
    return Report(
        ["found", "rank", "documents", "mean_recall"],
        [[*row, plan.mean_recall]],
        shown=Table(
            ["found", "rank", "documents", "mean recall"], [[*row, short(plan.mean_recall)]], 0
        ),
        document=plan.to_dict(),
        notes=[
            f"judge about {plan.documents} random documents, until {plan.found} are relevant",
            f"stop the review when it has read {plan.rank} of these",
            *_said_of_mean(plan.guarantee, plan.target),
        ],
    )


def _report_of_rank(found: int, target: float, settings: dict[str, Any]) -> Report:
    """How many documents of the control sample are enough."""
    rank = irbounds.stopping.certifying_rank(found, target, **settings)
    header = ["found", "rank", "target"]
    return Report(
        header,
        [[found, rank, target]],
        shown=Table(header, [[found, rank or "—", f"{target:g}"]], 0),
        document={
            "found": found,
            "rank": rank,
            "target": target,
            "confidence_level": settings["confidence_level"],
            "guarantee": settings["guarantee"],
        },
        notes=[
            f"stop when the review has read {rank} of {found} relevant control documents"
            if rank
            else _too_few(found),
            *_said_of_mean(settings["guarantee"], target),
        ],
    )


def _too_few(found: int) -> str:
    """The words where no rank certifies the target."""
    if found == 1:
        return "1 relevant control document is too few for this target"
    return f"all {found} relevant control documents are too few for this target"


def _said_of_mean(guarantee: str, target: float) -> list[str]:
    """A line that says what --guarantee mean leaves open."""
    if guarantee != "mean":
        return []
    return [
        f"recall reaches {target:g} on average over control samples; the recall of this review may "
        "be below it"
    ]


def _positions(rows: list[Row]) -> list[float]:
    """The documents that were read when each of the control sample was found."""
    places: dict[float, str] = {}
    for row in rows:
        position = row.number("position")
        if not (position >= 1 and position.is_integer()):
            raise InputError(
                f"{row.where}: position must be a whole number, 1 or more; found "
                f"{row['position']!r}"
            )
        if position in places:
            raise InputError(
                f"{row.where}: position {position:.0f} again; it is that of {places[position]}"
            )
        places[position] = row.where
    return [*places]


def _report_of_positions(table: str, found: int, target: float, settings: dict[str, Any]) -> Report:
    """The band, and where the rank was reached."""
    level, guarantee = settings["confidence_level"], settings["guarantee"]
    positions = _positions(read_table(table, ("position",))[1])
    if found < len(positions):
        raise InputError(
            f"--found must be at least the {len(positions)} positions of {table}; found {found}"
        )
    curve = irbounds.stopping.control_curve(positions, found, confidence_level=level)
    rank = irbounds.stopping.certifying_rank(curve.found_total, target, **settings)
    reached = None
    if rank is not None and rank <= len(curve.positions):
        reached = int(curve.positions[rank - 1])
    cells = [
        [j, int(read), float(low)]
        for j, (read, low) in enumerate(zip(curve.positions, curve.recall_low, strict=True), 1)
    ]
    if rank is None:
        said = _too_few(curve.found_total)
    elif reached is None:
        said = f"the review may not stop yet: {len(cells)} of the {rank} needed were read"
    else:
        what = "mean recall" if guarantee == "mean" else "recall"
        said = f"{what} {target:g} is certified after {reached} documents, with the rank {rank}"
    return Report(
        ["rank", "position", "recall_low"],
        cells,
        shown=Table(
            ["rank", "position", "recall at least"],
            [[j, read, short(rounded_down(low, 4))] for j, read, low in cells],
            0,
        ),
        document={
            **curve.to_dict(),
            "target": target,
            "guarantee": guarantee,
            "rank": rank,
            "certified_at": reached,
        },
        notes=[
            said,
            *_said_of_mean(guarantee, target),
            f"recall at least: all rows are true together with confidence {100 * level:.4g} %, "
            "whichever one the review stops at; each says less than the certificate, which is of "
            "one rank that was fixed before the review",
            "assumed: the control sample was drawn at random and kept apart from the review",
        ],
        status=NOT_YET if reached is None else 0,
    )
