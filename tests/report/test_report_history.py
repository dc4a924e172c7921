"""The page of a history: which runs and measures it tests, draws and lists."""

import shlex

import numpy as np
import pytest

import irbounds as irb

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from commands import run_cli
from pages import Page, numbers, words

QUERIES = tuple(f"q{i}" for i in range(60))
ONES, FIFTHS = np.ones(60), np.full(60, 0.2)


def nights(run, *columns):
    """An entry a night, of columns by the name of the measure."""
    return [
        irb.rankings.HistoryEntry(
            f"2026-01-{day:02d}",
            run,
            irb.Evaluation(tuple(night), QUERIES, np.column_stack(list(night.values()))),
        )
        for day, night in enumerate(columns, 1)
    ]


def page_of(entries, **options):
    return Page(irb.report_history(irb.History(tuple(entries)), date="2026-02-01", **options))


def rows_of(page, table):
    return [row for row in page.one(id=table).iter("tr") if row.get("data-run") is not None]


def test_the_same_loss_on_every_query_is_marked():
    page = page_of(nights("a", {"RR": ONES}, {"RR": FIFTHS}))
    assert "1 change is significant by 1 test" in words(page.root)
    assert "1 test is a sign test instead" in words(page.root)
    [row] = rows_of(page, "changes")
    assert "worse, step" in words(row)
    assert "sign test" in words(row)
    assert "sign test instead" not in words(page_of(nights("a", {"RR": ONES}), test="sign").root)


@pytest.mark.parametrize(
    ("test", "said"),
    [("sign", "of the median of the"), ("wilcoxon", "of the pseudo-median of the"), ("t", "")],
)
def test_the_caption_says_what_intervals_are_of(test, said):
    values = np.linspace(0.1, 0.5, 60), np.linspace(0.3, 0.8, 60) ** 2 + 0.3
    page = page_of(nights("a", *({"RR": each} for each in values)), test=test)
    (caption,) = page.one(id="changes").findall("caption")
    assert ("an interval " + said).strip() in words(caption)
    assert ("median" in words(caption)) == bool(said)


def test_all_runs_are_tested_and_the_changed_ones_drawn():
    rng = np.random.default_rng(5)
    entries = []
    for number in range(1, 11):
        values = rng.uniform(0.5, 0.7, 60)
        change = -0.4 if number == 10 else 0.0
        noise = rng.normal(0, 0.01, 60)
        entries += nights(f"r{number}", {"AP": values}, {"AP": values + change + noise})
    page = page_of(entries)
    assert "1 change is significant by 10 tests" in words(page.root)
    [row] = rows_of(page, "changes")
    assert row.get("data-run") == "r10"
    drawn = "Drawn: 7 of 10 runs, those with significant changes first: r1, r2, r3, r4, r5, r6, r10"
    assert drawn in words(page.root)
    assert len(rows_of(page, "latest")) == 10
    few = page_of(entries, runs=[f"r{number}" for number in range(2, 10)])
    assert "by 8 tests" in words(few.root)


def test_the_latest_entry_with_each_measure_is_listed():
    first = {"AP": np.linspace(0.1, 0.5, 60), "P@5": np.linspace(0.2, 0.8, 60)}
    page = page_of(nights("a", first, {"AP": np.linspace(0.1, 0.6, 60)}))
    found = {row.get("data-measure"): words(row) for row in rows_of(page, "latest")}
    assert list(found) == ["AP", "P@5"]
    assert "2026-01-02" in found["AP"]
    assert "2026-01-01" in found["P@5"]
    alone = page_of(nights("a", first, {"AP": first["AP"]}), measures="P@5")
    assert len(rows_of(alone, "latest")) == 1
    entries = [*nights("a", first), *nights("b", {"AP": ONES})]
    with pytest.raises(irb.InputError, match="`measures` must be some of AP; found 'P@5'"):
        page_of(entries, measures="P@5", runs=["b"])


def test_measures_that_are_no_means_are_shown_and_not_tested():
    values = np.linspace(0.1, 0.9, 60)
    night = {"GMAP": values, "NumRel": 10 * values}
    page = page_of(nights("a", night, {name: 0.9 * column for name, column in night.items()}))
    said = words(page.root)
    assert "1 change is significant by 1 test" in said
    assert "Not tested: GMAP, as the tests compare means, and it is a geometric mean" in said
    evaluation = irb.Evaluation(("GMAP",), QUERIES, 0.9 * values[:, None])
    [row] = [row for row in rows_of(page, "latest") if row.get("data-measure") == "GMAP"]
    interval = evaluation.interval("GMAP")
    shown = {cell.get("data-what"): numbers(cell) for cell in row.iter("td")}
    assert shown["mean"] == [pytest.approx(evaluation.summary["GMAP"], rel=1e-12)]
    assert shown["interval"] == pytest.approx([interval.low, interval.high], rel=1e-12)
    infinite = nights("a", {"ESL(nr=1)": values}, {"ESL(nr=1)": np.full(60, np.inf)})
    assert "Not tested: ESL(nr=1) of a, where its mean is not finite" in words(
        page_of(infinite).root
    )


def test_equal_values_have_the_interval_of_eval():
    [row] = rows_of(page_of(nights("a", {"RR": FIFTHS})), "latest")
    interval = irb.Evaluation(("RR",), QUERIES, FIFTHS[:, None]).interval("RR")
    [cell] = [cell for cell in row.iter("td") if cell.get("data-what") == "interval"]
    assert numbers(cell) == pytest.approx([interval.low, interval.high], rel=1e-12)
    # without limits of the measure there is none
    [row] = rows_of(page_of(nights("a", {"ESL(nr=1)": FIFTHS})), "latest")
    [cell] = [cell for cell in row.iter("td") if cell.get("data-what") == "interval"]
    assert words(cell) == "[—, —]"


def test_the_command_has_the_test_and_computes_the_page_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for night in (ONES, FIFTHS):
        evaluation = irb.Evaluation(("RR",), QUERIES, night[:, None])
        irb.History.append("h.jsonl", {"a": evaluation})
    options = ("--test", "sign", "--date", "2026-02-01", "-o", "page.html")
    done = run_cli("report", "history", "h.jsonl", *options)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Sign test, two-sided" in words(Page(page).root)
    command = shlex.split(words(Page(page).one(id="command")))
    assert run_cli(*command[1:]).returncode == 0
    assert (tmp_path / "history.html").read_text(encoding="utf-8") == page
