"""`irbounds certify`: certificates of one-phase reviews, by a control sample."""

from __future__ import annotations

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import Row, read_table
from irbounds.cli.reviews.stop import NOT_YET
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table, short, write
from irbounds.foundation.errors import InputError, counted
from irbounds.foundation.rounding import rounded_down


@declare(
    "certify",
    "irbounds certify --found 30 --target 0.8",
    "irbounds certify control.csv --found 30 --target 0.8",
    "irbounds certify --prevalence 0.01 --target 0.8",
)
@options.table(
    "CSV file with a column position: documents read when each control document was found"
)
@options.option("--found", type=int, help="Number of relevant documents in the control sample.")
@options.option("--prevalence", type=float, help="Plan a control sample for this prevalence.")
@options.option("--target", type=float, default=0.8, help="Target of recall.")
@options.one_of(
    "--guarantee",
    ("probability", "mean"),
    default="probability",
    help="Guarantee",
    notes={
        "probability": "recall reaches the target with the confidence level",
        "mean": "mean recall reaches it",
    },
)
@options.confidence_level
@options.format
@options.output
def command(
    table: str | None,
    found: int | None,
    prevalence: float | None,
    target: float,
    guarantee: str,
    confidence_level: float,
    format: str,
    output: str | None,
) -> int:
    """Certify the recall of a review by relevant documents of a control sample.

    The control sample is a random sample of the collection that was judged before the review and
    kept separate from it. The review stops when it has read enough of the relevant documents of the
    sample. This command computes how many are enough. With a table of positions the exit status is
    0 if the target is certified, 1 if not yet.
    """
    status = 0
    settings = {"confidence_level": confidence_level, "guarantee": guarantee}
    if table is not None:
        if prevalence is not None:
            raise InputError("--prevalence plans a control sample: give it without a table")
        report, is_certified = _report_of_positions(
            table, found, target, confidence_level, guarantee
        )
        status = 0 if is_certified else NOT_YET
    elif prevalence is not None:
        plan = irbounds.stopping.control_plan(
            target,
            prevalence,
            found=found,
            confidence_level=confidence_level,
            guarantee=guarantee,
        )
        header = ["found", "rank", "documents", "mean_recall"]
        row = [plan.found, plan.rank, plan.documents, plan.mean_recall]
        report = Report(
            header,
            [row],
            shown=Table(
                ["found", "rank", "documents", "mean recall"],
                [[*row[:3], short(plan.mean_recall)]],
                0,
            ),
            document=plan.to_dict(),
            notes=[
                f"judge about {plan.documents} random documents, until {plan.found} are relevant",
                f"stop the review when it has read {plan.rank} of these",
                *_said_of_mean(guarantee, target),
            ],
        )
    elif found is not None:
        rank = irbounds.stopping.certifying_rank(
            found, target, confidence_level=confidence_level, guarantee=guarantee
        )
        report = Report(
            ["found", "rank", "target"],
            [[found, rank, target]],
            shown=Table(["found", "rank", "target"], [[found, rank or "—", f"{target:g}"]], 0),
            document={"found": found, "rank": rank, "target": target, **settings},
            notes=[
                f"stop when the review has read {rank} of {found} relevant control documents"
                if rank
                else _too_few(found),
                *_said_of_mean(guarantee, target),
            ],
        )
    else:
        raise InputError("give --found, --prevalence, or a table of positions")
    if table is None and guarantee == "mean":
        options.refuse_unused("--guarantee probability", "confidence_level")
    write(report, format, output)
    return status


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


def _position(row: Row) -> float:
    """The documents that were read when one of the control sample was found."""
    position = row.number("position")
    if not (position >= 1 and position.is_integer()):
        raise InputError(
            f"{row.where}: position must be a whole number, 1 or more; found {row['position']!r}"
        )
    return position


def _positions(rows: list[Row]) -> list[float]:
    """Those of all rows, each once."""
    places: dict[float, str] = {}
    for row in rows:
        position = _position(row)
        if position in places:
            raise InputError(
                f"{row.where}: position {position:.0f} again; it is that of {places[position]}"
            )
        places[position] = row.where
    return [*places]


def _report_of_positions(
    table: str, found: int | None, target: float, level: float, guarantee: str
) -> tuple[Report, bool]:
    """The band, and where the rank was reached; whether it was."""
    rows = read_table(table, ("position",))[1]
    positions = _positions(rows)
    if found is not None and found < len(positions):
        raise InputError(
            f"--found must be at least the {len(positions)} positions of {table}; found {found}"
        )
    curve = irbounds.stopping.control_curve(positions, found, confidence_level=level)
    rank = irbounds.stopping.certifying_rank(
        curve.found_total, target, confidence_level=level, guarantee=guarantee
    )
    reached = None
    if rank is not None and rank <= len(curve.positions):
        reached = int(curve.positions[rank - 1])
    taken = []
    if found is None:  # those that the review has not reached yet are in no table
        taken = [
            "the control sample is taken to have "
            f"{counted(curve.found_total, 'relevant document', 'relevant documents')}, those of "
            "the table; --found sets another number"
        ]
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
    report = Report(
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
            *taken,
            said,
            *_said_of_mean(guarantee, target),
            f"recall at least: all rows are true together with confidence {100 * level:.4g} %, "
            "whichever one the review stops at; each says less than the certificate, which is of "
            "one rank that was fixed before the review",
            "assumed: the control sample was drawn at random and kept apart from the review",
        ],
    )
    return report, reached is not None
