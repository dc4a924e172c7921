"""The page that compares runs: its numbers, names and sizes."""

import hashlib
import math
import shlex
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb
from irbounds.cli import main

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from example_pages import NASTY, QRELS, RUNS, comparison, made
from pages import Page, numbers, words
from sizes import long


def same(cell, *expected):
    """A cell has a value, and its range where ties make a difference."""
    value, low, high = expected
    np.testing.assert_array_equal(numbers(cell), [value, low, high] if low < high else [value])


def test_a_p_value_that_is_raised_is_marked():
    """Seven of 20 queries rise by one size: t gives the sign test's p."""
    qrels = {f"q{i}": {"d": 1, "e": 1} for i in range(20)}
    less = {query: {"d": 2.0, "x": 1.0} for query in qrels}
    more = less | {f"q{i}": {"d": 2.0, "e": 1.0} for i in range(7)}
    for test, is_marked in (("t", True), ("sign", False)):
        page = comparison(qrels, {"less": less, "more": more}, "R@2", baseline="less", test=test)
        assert ("raised to that of the sign test" in page) == is_marked
        assert ('<span class="flag">signs</span>' in page) == is_marked


def apart(first, second):
    """The difference of two means; nan of infinite ones."""
    return first - second if abs(first - second) > 1e-12 or first == math.inf else 0.0


@pytest.mark.parametrize(
    ("measures", "options"),
    [
        long(("AP nDCG@10 P@1", {})),
        ("RR ESL(nr=1) NumRel", {"baseline": "strict"}),
        long(("ESL(nr=2)", {})),
        ("AP P@2", {"ties": "doc_id", "judged_only": True}),
        long(("Fallout@2 HT@2", {"collection_size": 100})),
    ],
)
def test_numbers_of_the_comparison_are_the_api_s(measures, options):
    page = Page(comparison(QRELS, RUNS, measures, **options))
    settings = {name: value for name, value in options.items() if name != "baseline"}
    evs = {
        name: irb.evaluate(QRELS, run, measures, bounds=True, **settings)
        for name, run in RUNS.items()
    }
    baseline = evs[options.get("baseline", "tied")]
    summary = page.one(id="summary")
    for name, ev in evs.items():
        [row] = [row for row in summary.iter("tr") if row.get("data-run") == name]
        assert words(row[0]).startswith(name)
        for cell, measure in zip(row.findall("td"), ev.measures, strict=True):
            assert cell.get("data-measure") == measure
            same(cell, ev.summary[measure], *ev.summary_bounds[measure])
    rows = [] if measures == "NumRel" else page.one(id="differences").findall("tbody/tr")
    compared = [m for m in baseline.measures if m != "NumRel"]
    assert len(rows) == 2 * len(compared)
    for row in rows:
        ev, measure = evs[row.get("data-run")], row.get("data-measure")
        cells = {cell.get("data-what"): cell for cell in row.findall("td")}
        with np.errstate(invalid="ignore"):
            gain = ev[measure] - baseline[measure]
            low, high = (
                (mine - theirs).mean()
                for mine, theirs in zip(
                    ev.bounds(measure), baseline.bounds(measure)[::-1], strict=True
                )
            )
        same(
            cells["difference"],
            *(
                apart(*pair)
                for pair in (
                    (ev.mean[measure], baseline.mean[measure]),
                    (ev.mean_bounds[measure][0], baseline.mean_bounds[measure][1]),
                    (ev.mean_bounds[measure][1], baseline.mean_bounds[measure][0]),
                )
            ),
        )
        sign = -1 if measure.startswith(("ESL", "Fallout")) else 1
        better, equal, worse = numbers(cells["queries"])
        assert (better, worse) == ((sign * gain > 0).sum(), (sign * gain < 0).sum())
        assert better + equal + worse == len(QRELS)
        assert ("ties decide" in words(row)) == bool(low <= 0 <= high and low < high)
    for row in page.one(id="queries").findall("tbody/tr"):
        place = baseline.query_ids.index(row.get("data-query"))
        for cell in row.findall("td"):
            ev = evs[cell.get("data-run")]
            low, high = ev.bounds(ev.measures[0])
            same(cell, ev.values[place, 0], low[place], high[place])


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "t", "correction": None, "confidence_level": 0.9},
        {"correction": "tukey", "test": "t"},
        {"correction": "dunnett"},
        {"test": "bootstrap", "seed": 3},
        {"test": "sign", "correction": "bonferroni"},
    ],
)
def test_tests_of_the_comparison_are_the_api_s(options):
    rng = np.random.default_rng(4)
    qrels = {
        f"q{i}": {f"d{j}": int(rng.random() < 0.3) for j in range(12)} | {"x": 1} for i in range(30)
    }
    runs = {
        name: {
            q: {d: grade * strength + rng.random() for d, grade in documents.items()}
            for q, documents in qrels.items()
        }
        for name, strength in (("a", 0.1), ("b", 0.15), ("c", 3))
    }
    page = Page(comparison(qrels, runs, "AP RR", **options))
    settings = {name: value for name, value in options.items() if name != "seed"}
    expected = irb.compare(
        qrels, runs, "AP RR", baseline="a", rng=options.get("seed", 0), **settings
    )
    rows = page.one(id="differences").findall("tbody/tr")
    assert len(rows) == 4
    for row in rows:
        difference = expected.between(row.get("data-run"), "a", row.get("data-measure"))
        cells = {cell.get("data-what"): cell for cell in row.findall("td")}
        np.testing.assert_array_equal(numbers(cells["interval"]), [difference.low, difference.high])
        assert numbers(cells["p"]) == [difference.adjusted_p_value]
        assert ("top" in cells["p"].get("class")) == difference.is_significant
        np.testing.assert_array_equal(numbers(cells["effect"]), [difference.effect_size])
        assert numbers(cells["difference"])[0] == difference.difference
    assert any(difference.is_significant for difference in expected.differences)
    assert ("seed" in words(page.one(id="differences"))) == (
        options.get("test", "permutation") not in ("t", "sign")
    )


def test_what_ties_make_of_a_difference_is_said():
    page = Page(comparison(QRELS, RUNS, "AP"))
    expected = irb.compare(QRELS, RUNS, "AP", baseline="tied")
    for row in page.one(id="differences").findall("tbody/tr"):
        difference = expected.between(row.get("data-run"), "tied")
        said = (
            "ties decide"
            if difference.is_undone_by_ties
            else "ties make as much"
            if (difference.is_made_by_ties)
            else ""
        )
        flags = [words(one) for one in row[2].iter("span") if one.get("class") == "flag"]
        assert flags == [said] * bool(said)


def test_counts_are_no_ground_for_comparison():
    page = Page(comparison(QRELS, RUNS, "NumRel RR"))
    assert {row.get("data-measure") for row in page.one(id="differences").findall("tbody/tr")} == {
        "RR"
    }
    assert "5. Query by query: RR" in [words(heading) for heading in page.root.iter("h2")]
    assert not [
        cell
        for cell in page.one(id="summary").iter("td")
        if cell.get("data-measure") == "NumRel" and "top" in cell.get("class")
    ]


def test_the_best_of_a_column_is_marked_and_queries_that_differ_come_first():
    page = Page(comparison(QRELS, RUNS, "RR ESL(nr=1) NumRel"))
    top = {
        (row.get("data-run"), cell.get("data-measure"))
        for row in page.one(id="summary").iter("tr")
        for cell in row
        if "top" in cell.get("class", "")
    }
    evs = {name: irb.evaluate(QRELS, run, "RR ESL(nr=1)") for name, run in RUNS.items()}
    best = max(evs, key=lambda name: evs[name].mean["RR"])
    shortest = min(evs, key=lambda name: evs[name].mean["ESL(nr=1)"])
    assert top == {(best, "RR"), (shortest, "ESL(nr=1)")}
    queries = [row.get("data-query") for row in page.one(id="queries").findall("tbody/tr")]
    values = np.array([evs[name]["RR"] for name in RUNS])
    spread = dict(zip(QRELS, values.max(axis=0) - values.min(axis=0), strict=True))
    assert [spread[query] for query in queries] == sorted(spread.values(), reverse=True)


def test_what_was_read_is_named_with_its_hash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = "".join(
        f"{q} 0 {d} {grade}\n" for q, row in QRELS.items() for d, grade in row.items()
    ).encode()
    Path("qrels.txt").write_bytes(qrels)
    for folder, run in (("x", RUNS["tied"]), ("y", RUNS["short"])):
        Path(folder).mkdir()
        Path(folder, "a.run").write_text(
            "".join(
                f"{q} Q0 {d} 1 {score} t\n" for q, row in run.items() for d, score in row.items()
            )
        )
    page = Page(comparison("qrels.txt", ["x/a.run", Path("y/a.run")], title="A 'title'"))
    rows = page.one(id="inputs").findall("tbody/tr")
    assert [words(row[0]) for row in rows] == ["qrels.txt", "x/a.run", str(Path("y/a.run"))]
    assert [numbers(row[1])[0] for row in rows] == [5, 5, 2]
    for row, path in zip(rows, ("qrels.txt", "x/a.run", "y/a.run"), strict=True):
        assert words(row[2]) == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert "y/a.run: 4 queries judged but missing from the run: q0, q2, q3, <b>q</b>" in words(
        page.root
    )
    assert "y/a.run: 1 query in the run but not judged, left out: other" in words(page.root)
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(words(page.one(id="command")))[1:])
    assert stop.value.code == 0
    assert Path("runs.html").read_text(encoding="utf-8") == page.text
    from_memory = Page(comparison("qrels.txt", {"a": RUNS["tied"]}))
    assert "(of its content as JSON)" in words(from_memory.one(id="inputs"))
    assert not from_memory.elements(id="command")


def test_hostile_names_are_text(pictures):
    page = Page(made("hostile"))
    names = [words(row[0]) for row in page.one(id="inputs").findall("tbody/tr")[1:]]
    assert names == [*NASTY[:-1], "a\ufffd\ufffd\ufffd\ufffdb c"]
    assert words(page.root.find(".//h1")) == words(page.root.find(".//title")) == NASTY[0]
    drawn = [words(text) for text in page.root.iter("{http://www.w3.org/2000/svg}text")]
    assert NASTY[0] in drawn
    assert NASTY[3] in drawn


@pytest.mark.nightly
@pytest.mark.long
def test_a_page_of_many_runs_and_queries_stays_small(pictures):
    qrels = {f"query {i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(1000)}
    rng = np.random.default_rng(0)
    runs = {
        f"run {i}": {
            q: dict(zip(("d1", "d2", "d3"), scores, strict=True))
            for q, scores in zip(qrels, rng.integers(0, 4, (1000, 3)).tolist(), strict=True)
        }
        for i in range(50)
    }
    page = Page(comparison(qrels, runs))
    assert len(page.text.encode()) < 3e6
    assert len(page.one(id="summary").findall("tbody/tr")) == 50
    assert len(page.one(id="differences").findall("tbody/tr")) == 49 * 4
    assert len(page.one(id="queries").findall("tbody/tr")) == 50
    assert (
        "The 50 of 1,000 queries with the greatest difference between runs. Columns for 8 of 50 "
        "runs." in words(page.one(id="queries"))
    )
