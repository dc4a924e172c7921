"""The page of a history: measures over time with intervals, and significant changes."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from irbounds.comparison.runs.changes import DRIFT, STEP, Change, changes, has_tests, marks
from irbounds.comparison.significance.corrections import alpha_of
from irbounds.comparison.significance.table import TESTS
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.foundation.hashes import canonical, text_hash
from irbounds.foundation.paths import file_hash, is_path, name_of, shown_name
from irbounds.plot.histories import MOST_RUNS, interval_ends, value_of
from irbounds.plot.histories import history as draw_history
from irbounds.rankings.history.history import History, HistoryEntry
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.reading.groups import groups_by_query
from irbounds.report.charts import WIDE, chart
from irbounds.report.page import Page, command_line

if TYPE_CHECKING:
    from irbounds.typing import DateLike, GroupsLike, MeasuresLike, PathLike

TITLE = "History of runs"
MOST_CHANGES, MOST_MEASURES = 200, 99
CORRECTIONS = ("holm", "bonferroni")


def report_history(
    history: History | PathLike,
    measures: MeasuresLike | None = None,
    *,
    runs: str | Sequence[str] | None = None,
    since: DateLike = None,
    test: str = "t",
    correction: str | None = "holm",
    confidence_level: float = 0.95,
    title: str = TITLE,
    date: DateLike = None,
    output: PathLike | None = None,
    groups: GroupsLike | None = None,
) -> str:
    """A page that follows measures of runs over time: one self-contained HTML file.

    It draws each measure with its interval over queries, and marks significant changes by a paired
    test on the same queries. Evaluations whose judgments, tie rule or settings differ are never
    compared; a line in the picture says where that changed. An evaluation that repeats the one
    before is not tested, nor is a measure that is no mean over queries, such as GMAP.

    Parameters
    ----------
    history : History or path
        As `irbounds eval --append` writes it.
    measures : str or list of str, optional
        All by default, 99 at most.
    runs : list of str, optional
        All by default. The pictures draw seven at most, those with significant changes first; the
        tables and tests are of all.
    since : datetime.datetime, datetime.date or str, optional
        Leave out what is older. The first entry of a run that is left is the one that later ones
        are compared with, besides the one before.
    test : {"t", "wilcoxon", "sign"}
        The paired test, as in `compare`. Where the differences of all queries are equal, they have
        no variance for "t": the sign test takes its place, and the page says so.
    correction : {"holm", "bonferroni", None}
        Over all tests of the page: with it, the chance that a page marks anything although nothing
        changed is at most 1 - confidence_level, as far as the test keeps its own level. It is that
        of one page, not of a page every night. The longer the history, the larger a change has to
        be; `since` makes it shorter.
    confidence_level : float
    title, date, output
        As in `report_runs`.
    groups : mapping, path or data frame, optional
        As in `compare`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For a file that is no history, and for measures or runs that it does not have.

    Examples
    --------
    >>> import numpy as np
    >>> import irbounds as irb
    >>> old = irb.Evaluation(("AP",), tuple("abcdef"), np.array([[0.2, 0.3, 0.1, 0.5, 0.4, 0.3]]).T)
    >>> new = irb.Evaluation(("AP",), tuple("abcdef"), old.values + [[0.3]] + old.values / 10)
    >>> days = [np.datetime64(day, "s").item() for day in ("2026-01-30", "2026-01-31")]
    >>> entries = [irb.rankings.HistoryEntry(day, "bm25", ev) for day, ev in zip(days, (old, new))]
    >>> page = irb.report_history(irb.History(tuple(entries)), date="2026-02-01")
    >>> "1 change is significant" in page
    True
    """
    page = Page.of(title, date, output)
    whole = History.read(history) if is_path(history) else history
    if not isinstance(whole, History) or not len(whole):
        fail("history", "must be a History with an entry, or the path of one", history)
    check_choice("test", test, [name for name, one in TESTS.items() if not one.resamples])
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS)
    level = check_level(confidence_level)
    tests: Any = {"test": test, "correction": correction, "confidence_level": level}
    part = whole if since is None else whole.since(since)
    if not len(part):
        raise InputError(f"`since` leaves no entry; the last is of {whole[-1].time:%Y-%m-%d}")
    shown = _chosen("runs", runs, part.runs)
    series = {run: part.of_run(run) for run in shown}
    known = History(tuple(entry for entries in series.values() for entry in entries)).measures
    names = _chosen("measures", _split(measures), known)
    if len(names) > MOST_MEASURES:
        rule = f"must be at most {MOST_MEASURES} for a page: choose some of the history's"
        fail("measures", rule, len(names))
    named = _groups(groups, part)
    found = changes(series, names, **tests, groups=named)
    marked = _marked(found, shown, names)
    drawn = _drawn(shown, marked)
    written = _writer_of_times(series)
    return page.render(
        "history.html.j2",
        level_text=f"{100 * level:.10g}\N{NO-BREAK SPACE}%",
        alpha_text=f"{alpha_of(level):.10g}",
        runs=len(shown),
        all_runs=len(part.runs),
        drawn=drawn,
        first=f"{part[0].time:%Y-%m-%d}",
        last=f"{part[-1].time:%Y-%m-%d}",
        n_entries=sum(map(len, series.values())),
        pictures=_pictures(part, names, drawn, level, marked, named),
        latest=[
            row
            for run, entries in series.items()
            for row in _latest(run, entries, names, level, written, named)
        ],
        changes=[_row(one, series[one.run], test, written) for one in marked[:MOST_CHANGES]],
        n_changes=len(marked),
        n_tests=len(found),
        breaks=[row for run, entries in series.items() for row in _breaks(run, entries, written)],
        untested=_untested(series, names),
        test=TESTS[test].full_title.replace("'", "’"),
        estimand=TESTS[test].estimand,
        n_signs=sum(one.test != test for one in found),
        has_raised=any(one.difference.has_raised_p for one in found),
        correction={"holm": "Holm’s method", "bonferroni": "Bonferroni’s method"}.get(
            correction or "", ""
        ),
        source=_source(history, whole),
        command=_command(
            history, measures, runs, {"since": since, **tests, "groups": groups}, page
        ),
    )


def _groups(groups: GroupsLike | None, part: History) -> Mapping[Any, Any] | None:
    """Groups by query, read once for all entries."""
    if groups is None:
        return None
    queries = dict.fromkeys(query for one in part for query in one.evaluation.query_ids)
    return groups_by_query(groups, list(queries))


def _split(measures: MeasuresLike | None) -> list[str] | None:
    if measures is None:
        return None
    if not isinstance(measures, str | list | tuple):
        fail("measures", "must be a list of measures", measures)
    texts = [measures] if isinstance(measures, str) else measures
    return [str(Measure.of(word)) for text in texts for word in str(text).split()]


def _chosen(
    argument: str, wanted: str | Sequence[str] | None, known: tuple[str, ...]
) -> tuple[str, ...]:
    """The names that were asked for; unknown ones are refused."""
    if wanted is None:
        return known
    if not isinstance(wanted, str | list | tuple) or not wanted:
        fail(argument, f"must be some of {', '.join(known[:20])}", wanted)
    names = tuple(dict.fromkeys([wanted] if isinstance(wanted, str) else map(str, wanted)))
    missing = next((name for name in names if name not in known), None)
    if missing is not None:
        fail(argument, f"must be some of {', '.join(known[:20])}", missing)
    return names


def _marked(found: list[Change], runs: tuple[str, ...], names: tuple[str, ...]) -> list[Change]:
    """Those that pictures mark, run by run."""
    own = defaultdict(list)
    for one in found:
        own[one.run, one.difference.measure].append(one)
    return [one for run in runs for name in names for one in marks(own[run, name])]


def _drawn(runs: tuple[str, ...], marked: list[Change]) -> tuple[str, ...]:
    """The runs of the pictures, as many as there are colours: those with marked changes first."""
    first = sorted(runs, key=lambda run: not any(one.run == run for one in marked))[:MOST_RUNS]
    return tuple(run for run in runs if run in first)


def _untested(series: dict[str, tuple[HistoryEntry, ...]], names: tuple[str, ...]) -> list[str]:
    """Measures that no test can compare, and why."""
    how = {name: Measure.of(name).spec.aggregate for name in names if not has_tests(name)}
    lines = [
        f"{name}, as the tests compare means, and it is a {word} over queries"
        for name, word in how.items()
    ]
    for name in filter(has_tests, names):
        without = [
            run
            for run, entries in series.items()
            if any(not math.isfinite(entry.evaluation.mean.get(name, 0.0)) for entry in entries)
        ]
        if without:
            lines.append(f"{name} of {', '.join(without)}, where its mean is not finite")
    return lines


def _pictures(
    history: History,
    names: tuple[str, ...],
    runs: tuple[str, ...],
    level: float,
    marked: list[Change],
    groups: GroupsLike | None,
) -> list[str]:
    """A picture for each measure."""

    def drawing(name: str) -> Callable[[Any], Any]:
        return lambda ax: draw_history(
            history, name, ax, runs=runs, confidence_level=level, changes=marked, groups=groups
        )

    return [
        chart(
            f"history{i}",
            f"{name} over time",
            "A line for each run: the mean over queries, with its interval as a band. "
            "Triangles are significant changes. The numbers are in the tables.",
            drawing(name),
            (WIDE, 3.4),
        )
        for i, name in enumerate(names)
    ]


def _writer_of_times(series: dict[str, tuple[HistoryEntry, ...]]) -> Callable[[datetime], str]:
    """How the tables write times: to the minute, or to the second where entries of a run share a
    minute."""
    minutes = [[f"{entry.time:%Y-%m-%d %H:%M}" for entry in own] for own in series.values()]
    # Two entries of a run with one text of their time could not be told apart.
    is_fine = any(len({*own}) < len(own) for own in minutes)
    return lambda time: f"{time:%Y-%m-%d %H:%M:%S}" if is_fine else f"{time:%Y-%m-%d %H:%M}"


def _latest(
    run: str,
    entries: tuple[HistoryEntry, ...],
    names: tuple[str, ...],
    level: float,
    written: Callable[[datetime], str],
    groups: GroupsLike | None,
) -> list[dict[str, Any]]:
    """The last entry of a run with each measure."""
    rows = []
    for name in names:
        own = [one for one in entries if name in one.evaluation.mean]
        if not own:
            continue
        last = own.pop()
        low, high = interval_ends(last.evaluation, name, level, groups)
        before = next(
            (
                value_of(entry.evaluation, name)
                for entry in reversed(own)
                if entry.is_comparable(last)
            ),
            math.nan,
        )
        rows.append(
            {
                "run": run,
                "measure": name,
                "time": written(last.time),
                "queries": len(last.evaluation.query_ids),
                "mean": value_of(last.evaluation, name),
                "low": low,
                "high": high,
                "before": before,
            }
        )
    return rows


def _row(
    one: Change, entries: tuple[HistoryEntry, ...], test: str, written: Callable[[datetime], str]
) -> dict[str, Any]:
    """A significant change, as the template shows it."""
    return {
        "run": one.run,
        "measure": one.difference.measure,
        "time": written(entries[one.entry].time),
        "against": written(entries[one.against].time),
        "kind": {STEP: "step", DRIFT: "drift"}[one.kind],
        "word": "better" if one.is_better else "worse",
        "difference": one.difference,
        "p": one.adjusted_p_value,
        "by": TESTS[one.test].title
        if one.test != test
        else "signs"
        if one.difference.has_raised_p
        else "",
    }


def _breaks(
    run: str, entries: tuple[HistoryEntry, ...], written: Callable[[datetime], str]
) -> list[str]:
    """Entries that cannot be compared with the one before, and why."""
    found = []
    for before, after in itertools.pairwise(entries):
        if not after.is_comparable(before):
            reasons = [
                word
                for word, is_same in (
                    ("judgments", before.qrels_sha256 == after.qrels_sha256),
                    ("tie rule", before.evaluation.ties == after.evaluation.ties),
                    ("settings", before.settings == after.settings),
                )
                if not is_same
            ]
            found.append(f"{run}, {written(after.time)}: other {' and '.join(reasons)}")
    return found


def _source(history: History | PathLike, whole: History) -> dict[str, str]:
    """The source of the page, and its hash."""
    if is_path(history):
        return {"name": shown_name(history), "hash": file_hash(history), "note": ""}
    content = canonical([entry.to_dict() for entry in whole])
    return {"name": "history", "hash": text_hash(content), "note": " (of its content as JSON)"}


def _command(
    history: History | PathLike,
    measures: MeasuresLike | None,
    runs: str | Sequence[str] | None,
    options: dict[str, Any],
    page: Page,
) -> str | None:
    """The command that makes this page, if the history is a file."""
    if not is_path(history) or not (options["groups"] is None or is_path(options["groups"])):
        return None
    given = {
        "-m": " ".join(_split(measures) or ()),
        "run": [runs] if isinstance(runs, str) else list(runs or ()),
        **options,
        "test": None if options["test"] == "t" else options["test"],
        "correction": options["correction"] or "none",
    }
    given |= page.options(TITLE)
    return command_line("history", [name_of(history)], given, page.output)
