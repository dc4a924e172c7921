"""`irbounds monitor`: one proportion of a random sample that grows, in a file."""

from __future__ import annotations

import datetime
import math
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import irbounds
from irbounds.cli.input import options
from irbounds.cli.reviews.foot_lines import IN_DOCUMENTS, level_of, share_cells
from irbounds.cli.reviews.proportion import sample_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import shown_name
from irbounds.foundation.writing import as_csv

if TYPE_CHECKING:
    from irbounds.cli.input.read import Row

COLUMNS = ["date", "relevant", "sampled", "all_relevant", "all_sampled", "population"]
METHOD = "anytime"
POINTS, SLASHES = r"([0-9]{1,2}\.){2}[0-9]{4}", "([0-9]{1,2}/){2}[0-9]{4}"
CONTRADICTION = (
    "the looks contradict each other: earlier ones leave no share that is possible now; the "
    "interval is that of this look alone"
)


class Look(NamedTuple):
    """A line of the file: what was added, and the whole sample afterwards."""

    date: str
    relevant: int
    sampled: int
    all_relevant: int
    all_sampled: int
    population: int


@declare(
    "monitor",
    {
        "Input": (
            options.argument(
                "log", "Table (.csv) of the looks, which --add writes or begins.", required=True
            ),
            options.option(
                "--add",
                "Documents that were drawn and read since the last look, as 3/200; adds a line.",
                metavar="RELEVANT/SAMPLED",
            ),
            options.population("Documents in the population; needed with the first --add."),
            options.option(
                "--date look_date",
                "With --add: the date of the look, as 2026-11-27; today by default.",
                **options.read_as(options.as_date),
            ),
        ),
        "Interval": (options.confidence_level, options.side),
        "Output": options.OUTPUT,
    },
    "irbounds monitor elusion.csv --add 3/200 --population 90000 --date 2026-11-27",
    "irbounds monitor elusion.csv --add 1/200 --side upper",
    "irbounds monitor elusion.csv",
)
def command(
    log: str,
    add: str | None,
    population: int | None,
    look_date: str | None,
    confidence_level: float,
    side: str,
) -> Report:
    """Follow a proportion, such as elusion, while its random sample grows.

    With --add a line is added to the file, and the interval of this look is printed; without it
    those of all looks. The confidence level holds for all looks together, however often you look
    and whenever you stop. For recall from two segments use `irbounds.SampleMonitor` in Python.
    """
    if add is None:
        options.refuse_unused("lines that --add adds", "look_date")
    elif not log.endswith(".csv"):
        raise InputError(f"`log` must be a file that ends in .csv; found {log!r}")
    looks = _read(log) if add is None or os.path.exists(log) else []  # noqa: PTH110, a faster start
    name = shown_name(log)
    if looks and population not in (None, looks[0].population):
        raise InputError(
            f"--population must be {looks[0].population}, as in {name}; found {population}"
        )
    if add is not None:
        if not looks and population is None:
            raise InputError(f"{name} does not exist: the first look needs --population")
        looks.append(_next(looks, add, population or 0, look_date, name))
    intervals = _intervals(looks, confidence_level, side)  # refuses wrong levels before it writes
    if add is not None:
        from irbounds.foundation.atomic import write_file

        write_file(as_csv(COLUMNS, looks).encode(), log, "log")
    shown = len(looks) - 1 if add is not None else 0
    return _report(looks[shown:], intervals[shown:], confidence_level, side)


def _next(looks: list[Look], add: str, population: int, date: str | None, name: str) -> Look:
    """The line that is added."""
    from irbounds.foundation.arguments import check_date

    last = looks[-1] if looks else Look("", 0, 0, 0, 0, population)
    _, relevant, sampled = sample_of(add)
    look = Look(
        check_date(date),
        relevant,
        sampled,
        last.all_relevant + relevant,
        last.all_sampled + sampled,
        last.population,
    )
    _check(look, last, f"--add {add}", f"the last look in {name}")
    return look


def _read(path: str) -> list[Look]:
    """The looks of a file, each checked against the one before."""
    from irbounds.cli.input.read import read_table

    columns, rows = read_table(path, COLUMNS)
    if columns != COLUMNS:  # others would be lost when the file is written
        raise InputError(
            f"{shown_name(path)}: the columns must be {','.join(COLUMNS)}; found "
            f"{','.join(columns)}"
        )
    looks: list[Look] = []
    day_place = _place_of_days([row["date"] for row in rows])
    for row in rows:
        counts = [_count(row, column) for column in COLUMNS[1:]]
        look = Look(_date(row["date"], row.where, day_place), *counts)
        last = looks[-1] if looks else Look("", 0, 0, 0, 0, look.population)
        _check(look, last, row.where, "the line before")
        looks.append(look)
    return looks


def _count(row: Row, column: str) -> int:
    number = row.number(column)
    if not (number >= 0 and number == number // 1):
        raise InputError(
            f"{row.where}: {column} must be a whole number, 0 or more; found {row[column]!r}"
        )
    return int(number)


def _place_of_days(texts: Sequence[str]) -> int | None:
    """Where days stand in dates with slashes, as spreadsheets write them: 0 for 13/11/2026, 1 for
    11/13/2026, None if no date tells, or if they contradict each other."""
    parts = [text.split("/") for text in texts if re.fullmatch(SLASHES, text)]
    places = [i for i in (0, 1) if any(int(part[i]) > 12 for part in parts)]
    return places[0] if len(places) == 1 else None


def _date(text: str, where: str, day_place: int | None) -> str:
    """A date in ISO 8601: 2026-11-27, 27.11.2026, or with slashes where the file tells days from
    months."""
    advice = ""
    found = text
    if re.fullmatch(POINTS, text):
        found = "-".join(f"{part:0>2}" for part in reversed(text.split(".")))
    elif re.fullmatch(SLASHES, text):
        first, second, year = (f"{part:0>2}" for part in text.split("/"))
        ways = [f"{year}-{second}-{first}", f"{year}-{first}-{second}"]
        advice = f": write {' or '.join(dict.fromkeys(ways))}"
        found = text if day_place is None else ways[day_place]
    try:
        return datetime.date.fromisoformat(found).isoformat()
    except ValueError:
        raise InputError(f"{where}: date must be as 2026-11-27; found {text!r}{advice}") from None


def _check(look: Look, last: Look, where: str, before: str) -> None:
    """Refuse a line that does not fit the one before."""
    if look.relevant > look.sampled:
        raise InputError(
            f"{where}: relevant must be at most sampled, {look.sampled}; found {look.relevant}"
        )
    if look.population != last.population:
        raise InputError(
            f"{where}: population must be {last.population}, as in {before}; found "
            f"{look.population}"
        )
    for column in ("relevant", "sampled"):
        whole, found = f"all_{column}", getattr(look, f"all_{column}")
        total = getattr(last, whole) + getattr(look, column)
        if found != total:
            raise InputError(
                f"{where}: {whole} must be {total}, that of {before} and {column}; found {found}"
            )
    if look.all_sampled > look.population:
        raise InputError(
            f"{where}: all samples together must have at most {look.population} documents, the "
            f"population; found {look.all_sampled}"
        )
    if look.date <= last.date:
        raise InputError(
            f"{where}: date must be after {last.date}, that of {before}; found {look.date}"
        )


def _intervals(looks: list[Look], level: float, side: str) -> list[tuple[float, float, float]]:
    """Share, low and high at each look: the ends of all looks so far, as all are true together."""
    from irbounds.foundation.arguments import check_level

    check_level(level, "--confidence-level")
    columns = {name: [getattr(look, name) for look in looks] for name in COLUMNS[3:]}
    found = irbounds.binomial_interval(
        columns["all_relevant"],
        columns["all_sampled"],
        size=columns["population"],
        method=METHOD,
        confidence_level=level,
        side=side,
    )
    intervals = []
    least, most = 0, looks[0].population
    for look, low, high in zip(looks, found.low, found.high, strict=True):
        size, relevant = look.population, look.all_relevant
        own = round(float(low) * size), round(float(high) * size)  # whole documents
        least, most = max(least, own[0]), min(most, own[1])
        if max(least, relevant) > min(most, size - look.all_sampled + relevant):
            complain([f"{look.date}: {CONTRADICTION}"])
            least, most = own
        share = relevant / look.all_sampled if look.all_sampled else math.nan
        intervals.append((share, least / size, most / size))
    return intervals


def _report(
    looks: list[Look], intervals: list[tuple[float, float, float]], level: float, side: str
) -> Report:
    both = [share_cells(ends, look.population) for look, ends in zip(looks, intervals, strict=True)]
    rows: list[list[Any]] = [[*look, *each] for look, (each, _) in zip(looks, both, strict=True)]
    cells = [
        [look.date, look.all_relevant, look.all_sampled, *each]
        for look, (_, each) in zip(looks, both, strict=True)
    ]
    names = [*COLUMNS, "share", "low", "high", *IN_DOCUMENTS[0]]
    header = ["date", "relevant", "sampled", "share", "low", "high", *IN_DOCUMENTS[1]]
    return Report(
        names,
        rows,
        shown=Table(header, cells),
        document=[
            dict(zip(names, row, strict=True))
            | {"method": METHOD, "confidence_level": level, "side": side}
            for row in rows
        ],
        notes=[
            f"{level_of(level, side)}, method {METHOD}, of a population of "
            f"{looks[0].population} documents",
            "all looks are true together with this level, however often you look",
        ],
    )
