"""The page under a decision: its numbers, its words, and what it must not hold."""

import hashlib
import shlex
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from commands import run_cli
from pages import (
    DARK,
    Page,
    browse,
    check_nothing_from_outside,
    check_pictures,
    check_tables,
    numbers,
    words,
)

DAY = "2026-01-31"
QUERIES = ("q1", "<script>alert(1)</script>", "$\\frac{{ 7*7 }}", "q4", "q5", "q6")
rng = np.random.default_rng(5)
GRADES = {q: {f"d{i:02}": int(rng.integers(0, 3)) for i in range(20)} for q in QUERIES}
TRUTH = {
    q: {doc: int(rng.random() < (0.1, 0.4, 0.9)[grade]) for doc, grade in docs.items()}
    for q, docs in GRADES.items()
}
NEW, OLD = (
    {q: {doc: float(rng.random() + y / 2) for doc, y in docs.items()} for q, docs in TRUTH.items()}
    for _ in range(2)
)
PLAN = irb.allocate_labels(GRADES, [NEW, OLD], "P@10", n=40, rng=1)
HUMAN = {}
for query, doc in PLAN.pairs:
    HUMAN.setdefault(query, {})[doc] = TRUTH[query][doc]
WHOLE = {q: TRUTH[q] for q in QUERIES[:4]}


def assist(*arguments, **options):
    return irb.report_assist(*(arguments or (HUMAN, GRADES, NEW)), **{"date": DAY} | options)


CASES = {
    "one": ((HUMAN, GRADES, NEW, "P@10"), {}),
    "difference": ((HUMAN, GRADES, NEW, "P@10"), {"against": OLD, "confidence_level": 0.9}),
    "posterior": ((HUMAN, GRADES, NEW, "DCG@10"), {"method": "posterior", "ties": "doc_id"}),
    "queries": ((WHOLE, GRADES, NEW, "AP"), {"unit": "query"}),
    "share": ((HUMAN, GRADES, None, "SetP"), {}),
}


@pytest.mark.parametrize(
    "name",
    [
        "one",
        "difference",
        "queries",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("posterior", "share")),
    ],
)
def test_numbers_are_the_api_s_and_the_page_is_sound(name, pictures):
    arguments, options = CASES[name]
    page = Page(assist(*arguments, **options, subject="A & <B>", title="</title><script>"))
    check_nothing_from_outside(page)
    check_tables(page)
    if page.elements(role="img"):
        check_pictures(page)
    assert [heading.text[0] for heading in page.root.iter("h2")] == list("12345")
    assert words(page.root.find(".//h1")) == "</title><script>"
    found = irb.assisted_interval(*arguments, **options, rng=0)
    rows = {row.get("data-from"): numbers(row) for row in page.one(id="estimates").iter("tr")}
    assert rows["judge and people"] == [found.estimate, found.low, found.high]
    assert rows["judge alone"] == [found.judge_alone]
    if found.human_alone is None:
        assert "people alone" not in rows
        assert "without the strata they would be biased" in words(page.root)
    else:
        assert rows["people alone"] == list(found.human_alone)
        assert numbers(page.one(data_what="ratio")) == [found.width_ratio]
    assert numbers(page.one(data_what="correlation")) == [found.correlation]
    assert [numbers(row) for table in page.elements(id="strata") for row in table.iter("tr")][
        1:
    ] == [[stratum.size, stratum.sampled, stratum.mean] for stratum in found.strata]
    assert words(page.root.findall(".//h2")[2]) == f"3. Method: {found.method}"


def test_the_words_follow_the_numbers():
    same = {q: {doc: -i for i, doc in enumerate(docs)} for q, docs in GRADES.items()}
    everything = words(Page(assist(TRUTH, GRADES, same, "P@5", against=TRUTH, ties="given")).root)
    assert "The difference in P@5, run less against, is an estimated −" in everything
    assert "it is below 0, against has the larger P@5 on these queries" in everything
    assert "leave no width to compare with" in everything  # everything is labelled


def test_how_many_labels_people_alone_would_have_needed():
    # Student's t of a simple random sample: the width is that of the returned number of labels
    docs = [f"d{i}" for i in range(60)]
    judge = {"q": {d: int(i < 37) for i, d in enumerate(docs)}}
    human = {"q": {d: int(i < 7) for i, d in enumerate(docs) if i < 7 or 37 <= i < 40}}
    page = Page(assist(human, judge, None, "SetP"))
    found = irb.assisted_interval(human, judge, measure="SetP")
    finding = page.one(aria_label="Finding")
    needed = numbers(finding)[-1]
    widths = [(1 / n - 1 / 60) ** 0.5 for n in (needed, 10)]
    assert widths[0] / widths[1] == pytest.approx(found.width_ratio, rel=1e-12)
    assert 10 < needed < 60


def test_a_sample_of_one_run_alone_is_cautioned():
    docs = [f"d{i:03}" for i in range(100)]
    judge = {"q": dict.fromkeys(docs, 1)}
    new, old = ({"q": {doc: i * sign for i, doc in enumerate(docs)}} for sign in (-1, 1))
    human = {"q": {doc: i % 2 for i, doc in enumerate(docs[:50:2])}}
    with pytest.warns(
        irb.warnings.AssistedWarning, match="no pair that counts more for `against` is"
    ):
        page = Page(assist(human, judge, new, "P@50", against=old))
    assert "labels must be drawn from both runs" in words(page.one(**{"class": "caution"}))
    human["q"]["d099"] = 1
    with pytest.warns(irb.warnings.AssistedWarning, match="unevenly spread over the two runs"):
        found = irb.assisted_interval(human, judge, new, "DCG@50", against=old)
    assert found.human_alone is None
    assert len(found.to_dict()["cautions"]) == 1
    # strata of their own need no even spread
    assert irb.assisted_interval(human, judge, new, "P@50", against=old).cautions == ()


@pytest.mark.filterwarnings("ignore:no pair with the judge's grade")
def test_the_method_says_how_ends_of_a_difference_are_moved():
    human = {}
    for query, doc in irb.allocate_labels(GRADES, [NEW, OLD], "P@10", n=16, rng=0).pairs:
        human.setdefault(query, {})[doc] = TRUTH[query][doc]
    page = words(Page(assist(human, GRADES, NEW, "P@10", against=OLD)).root)
    assert "Method: strata-adjusted" in page
    assert "Both ends are moved outward, too, where the variance of the estimate" in page


@pytest.mark.parametrize("run", [None, {"q": {f"d{i}": -i for i in range(60)}}])
def test_cautions_of_a_single_run(run):
    judge = {"q": {f"d{i}": i % 3 for i in range(60)}}
    human = {"q": {f"d{i}": i % 2 for i in range(0, 60, 3)}}  # all of one grade
    with pytest.warns(irb.warnings.AssistedWarning):
        page = Page(assist(human, judge, run, "SetP" if run is None else "P@50"))
    assert "the judge's grades 1, 2 is labelled" in words(page.one(**{"class": "caution"}))


def test_the_command_line_makes_the_same_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = dict(zip(QUERIES, ("a", "b", "c", "d", "e", "f"), strict=True))
    for name, rows, line in (
        ("people & <co>.qrels", HUMAN, "{} 0 {} {}\n"),
        ("model.qrels", GRADES, "{} 0 {} {}\n"),
        ("new.run", NEW, "{} Q0 {} 1 {} t\n"),
        ("x/old.run", OLD, "{} Q0 {} 1 {} t\n"),
    ):
        Path(name).parent.mkdir(exist_ok=True)
        text = "".join(
            line.format(plain[q], d, y) for q, row in rows.items() for d, y in row.items()
        )
        Path(name).write_text(text)
    files = ("people & <co>.qrels", "model.qrels", "new.run")
    options = {"against": "x/old.run", "method": "posterior", "seed": 3, "measure": "RBP(p=0.5)@5"}
    page = assist(*files, **options, subject="Smith's", title="<b>", ties="doc_id")
    done = run_cli(*shlex.split(words(Page(page).one(id="command")))[1:])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path("assist.html").read_text(encoding="utf-8") == page
    rows = Page(page).one(id="inputs").findall("tbody/tr")
    assert [words(row[0]) for row in rows] == [*files, "old.run"]
    for row, name in zip(rows, (*files, "x/old.run"), strict=True):
        assert words(row[3]) == hashlib.sha256(Path(name).read_bytes()).hexdigest()
    from_memory = Page(assist(HUMAN, GRADES, None, "SetP"))
    assert "(of its content as JSON)" in words(from_memory.one(id="inputs"))
    assert not from_memory.elements(id="command")
    done = run_cli("report", "assist", "new.run", "model.qrels")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_command_has_the_method_of_queries_and_the_scale(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, line in (("q", "{} 0 {} {}\n"), ("run", "{} Q0 {} 1 {} t\n")):
        text = "".join(line.format(f"q{i}", d, (i * d) % 3) for i in range(6) for d in range(3))
        Path(f"of.{name}").write_text(text)
    for measure, options in (
        ("nDCG", {"unit": "query", "method": "cochran"}),
        ("DCG@2", {"max_grade": 3}),
    ):
        page = assist("of.q", "of.q", "of.run", measure, **options)
        run_cli(*shlex.split(words(Page(page).one(id="command")))[1:])
        assert Path("assist.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "`seed` must be"),
        ({"title": 3}, "`title` must be text"),
        ({"date": "31.1.2026"}, "`date` must be a date"),
        ({"method": "ppi"}, "`method` must be one of"),
        ({"unit": "query"}, "must label all of the judge's pairs"),
        ({"against": "absent.run"}, "absent.run: No such file"),
    ],
)
def test_bad_input_is_one_line(options, message):
    with pytest.raises((irb.InputError, OSError), match=message) as raised:
        assist(**options)
    assert "\n" not in str(raised.value)


@pytest.mark.long
def test_light_and_dark(tmp_path, pictures):
    from matplotlib.image import imread

    for scheme, options in (("light", ()), ("dark", DARK)):
        folder = tmp_path / scheme
        folder.mkdir()
        shot = folder / "page.png"
        browse(assist(), folder, *options, "--window-size=1000,1600", f"--screenshot={shot}")
        pixels = imread(shot)[..., :3]
        assert (pixels[2, 2].mean() > 0.95) if scheme == "light" else (pixels[2, 2].mean() < 0.15)
        assert np.abs(pixels.mean(axis=2) - pixels[2, 2].mean()).max() > 0.7  # letters are seen
