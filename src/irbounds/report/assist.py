"""The page under a launch decision: a measure from a judge's grades and people's labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irbounds.assisted.intervals import assisted_interval
from irbounds.assisted.judges import each_judge
from irbounds.assisted.labels import judge_of, qrels_of
from irbounds.assisted.population import measure_or_usual
from irbounds.assisted.result import AssistedInterval
from irbounds.assisted.trend_in_rank import RankProfile, rank_profile
from irbounds.foundation.errors import check_count
from irbounds.foundation.paths import is_path, name_of, short_names
from irbounds.plot.judges import draw_profile
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.measure_table.measure import parse_measures
from irbounds.report.charts import WIDE, chart
from irbounds.report.inputs import Input
from irbounds.report.page import Page, command_line

if TYPE_CHECKING:
    from irbounds.typing import DateLike, GroupsLike, MeasureLike, PathLike, QrelsLike, RunLike

TITLE = "Judged by a model and by people"
DRAWS = 20_000  # of method "posterior", as `assisted_interval` has it
KINDS = {"run": Run, "against": Run}  # other inputs are labels
READERS: dict[str, Any] = {"run": Run.of, "against": Run.of, "human": qrels_of}  # else judges
ROLES = {"human": "labels of people", "run": "run", "against": "run that it is compared with"}


def report_assist(
    human: QrelsLike,
    judge: QrelsLike | Sequence[QrelsLike],
    run: RunLike | None = None,
    measure: MeasureLike | None = None,
    *,
    against: RunLike | None = None,
    method: str | None = None,
    combine: str = "patterns",
    unit: str = "document",
    groups: GroupsLike | None = None,
    ties: str = "expected",
    max_grade: float | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    title: str = TITLE,
    subject: str = "",
    date: DateLike = None,
    output: PathLike | None = None,
) -> str:
    """A page for a decision: one self-contained HTML file.

    It has the measure of a run, or its difference from another run, with its interval; what the
    judge alone and people alone say; how much narrower the judge made the interval; people's labels
    by the judge's grade and by rank; the method, what it assumes, and what it does not say; hashes
    of the inputs, and the command that makes the page again.

    Parameters
    ----------
    human, judge, run, measure, against, method, combine, unit, groups, ties, max_grade
    confidence_level
        As in `assisted_interval`.
    seed : int
        Seed of the draws of method "posterior".
    subject : str
        The launch or the change that the page is about.
    title, date, output
        As in `report_runs`.

    Returns
    -------
    str
        The page.

    Raises
    ------
    InputError
        For what `assisted_interval` refuses.

    Warns
    -----
    AssistedWarning
        As `assisted_interval` does; the page says it too.

    Examples
    --------
    >>> import irbounds as irb
    >>> judge = {"q": {f"d{i}": i % 2 for i in range(40)}}
    >>> run = {"q": {f"d{i}": -i for i in range(40)}}
    >>> human = {"q": {f"d{i}": int(i % 2 and i < 20) for i in range(0, 40, 3)}}
    >>> page = irb.report_assist(human, judge, run, "P@40", date="2026-01-31")
    >>> "14 of 40 pairs" in page, "<script" in page
    (True, False)
    """
    page = Page.of(title, date, output, subject)
    seed = check_count("seed", seed, 0)
    each = each_judge(judge)
    keys = [f"judge {i}" for i in range(1, len(each) + 1)] if len(each) > 1 else ["judge"]
    sources = {"human": human, **dict(zip(keys, (one for _, one in each), strict=True))}
    sources |= {"run": run, "against": against}
    inputs = _inputs({name: source for name, source in sources.items() if source is not None})
    whole = {name: READERS.get(name, judge_of)(item.source) for name, item in inputs.items()}
    judges = {name: whole[key] for (name, _), key in zip(each, keys, strict=True)}
    measure = measure_or_usual(measure, run)
    arguments = (whole["human"], judges, whole.get("run"), measure)
    shared: dict[str, Any] = {
        "against": whole.get("against"),
        "combine": combine,
        "ties": ties,
        "max_grade": max_grade,
        "confidence_level": confidence_level,
    }
    found = assisted_interval(
        *arguments, method=method, unit=unit, groups=groups, **shared, draws=DRAWS, rng=seed
    )
    profile = None
    if found.unit == "document" and run is not None:
        profile = rank_profile(*arguments, **shared)
    names = {name: item.name for name, item in inputs.items()}
    (parsed,) = parse_measures(measure)
    return page.render(
        "assist.html.j2",
        found=found,
        measure=str(parsed),
        names=names,
        seed=seed,
        ties=ties,
        level_text=f"{100 * found.confidence_level:.10g}",
        labels_without=_labels_without(found),
        profile=profile,
        picture=None if profile is None else _picture(profile),
        is_share=profile is None or profile.most_gain == 1.0,
        draws=DRAWS,
        grouped=groups is not None,
        inputs=[
            item.row(len(whole[name].to_dict())) | {"role": ROLES.get(name, "grades of a judge")}
            for name, item in inputs.items()
        ],
        command=None
        if parsed.spec.function is not None or not (groups is None or is_path(groups))
        else _command(inputs, found, str(parsed), shared | {"seed": seed, "groups": groups}, page),
    )


def _inputs(sources: dict[str, Any]) -> dict[str, Input]:
    """The inputs of the page; files by short names, other things by their arguments."""
    paths = {name: name_of(source) for name, source in sources.items() if is_path(source)}
    short = dict(zip(paths, short_names(list(paths.values())), strict=True))
    return {
        name: Input.of(short.get(name, name), source, KINDS.get(name, Qrels))
        for name, source in sources.items()
    }


def _labels_without(found: AssistedInterval) -> float:
    """About how many labels would give people alone as narrow an interval; nan if not known.

    Widths go as √(1/n - 1/N).
    """
    ratio, n, total = found.width_ratio, found.sampled, found.population
    if math.isnan(ratio):
        return math.nan
    return 1 / (ratio**2 * (1 / n - 1 / total) + 1 / total)


def _picture(profile: RankProfile) -> str:
    return chart(
        "ranks",
        "Labels by rank within each of the judge’s grades",
        "Points are means of people’s labels at some ranks, with intervals; dashed lines are the "
        "means of grades. The numbers are in the table beside.",
        lambda ax: draw_profile(profile, ax),
        (WIDE, 3.4),
    )


def _command(
    inputs: dict[str, Input],
    found: AssistedInterval,
    measure: str,
    options: dict[str, Any],
    page: Page,
) -> str | None:
    """The command that makes this page, if all inputs are files."""
    if not all(item.is_file for item in inputs.values()):
        return None
    judges = [name for name in inputs if name.startswith("judge")]
    files = {name: name_of(item.source) for name, item in inputs.items()}
    first = [files[name] for name in ("human", judges[0], "run") if name in files]
    given = {
        "judge": [files[name] for name in judges[1:]],
        "combine": options["combine"] if len(judges) > 1 else None,
        "-m": measure,
        "against": files.get("against"),
        "groups": None if options["groups"] is None else name_of(options["groups"]),
        "unit": found.unit if found.unit != "document" else None,
        "method": found.method,
        "ties": options["ties"],
        "confidence_level": found.confidence_level,
        "max_grade": None if options["max_grade"] is None else float(options["max_grade"]),
        "seed": options["seed"] if found.method == "posterior" else None,
        **page.options(TITLE),
    }
    return command_line("assist", first, given, page.output)
