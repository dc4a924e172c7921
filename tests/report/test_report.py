"""Report pages: their numbers, what they must not hold, and what a browser makes of them.

The file is longer than 400 lines because all tests share the same pages.
"""

import hashlib
import math
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb
from irbounds.cli import main
from irbounds.samples.methods import INTERVAL_METHODS, METHODS

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
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
from sizes import long, only

DAY = "2026-01-31"
SIMPLE = (500, 50, 40), (2000, 100, 3)
STRATA = [(500, 50, 40), (300, 20, 5)], [(2000, 100, 3), (1000, 40, 1), (60, 60, 2)]
NASTY = [
    "<script>alert(1)</script>",
    "\"' onload=alert(1) x=",
    "]]>&amp;</svg></style>",
    "$\\frac{1}",
    "{{ 7*7 }}",
    "中文 система 🚀",
    "x" * 300,
    "a\x00\x1b\udc80\u202eb\nc",
]
QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(4)} | {"<b>q</b>": {"d1": 1}}
RUNS = {
    "tied": {q: {"d1": 0.7, "d2": 0.7, "d3": 0.4} for q in QRELS},
    "strict": {q: {"d1": 0.2, "d2": 0.7 if q == "q0" else 0.1, "d3": 0.4} for q in QRELS},
    "short": {"q1": {"d1": 1.0}, "other": {"d1": 1.0}},
}


def memo(*segments, **options):
    return irb.report_recall(*(segments or SIMPLE), date=DAY, **options)


def comparison(qrels=QRELS, runs=RUNS, *arguments, **options):
    return irb.report_runs(qrels, runs, *arguments, date=DAY, **options)


DAYS = [np.datetime64(f"2026-01-0{day}", "s").item() for day in range(1, 6)]


def history(names=("tied",), runs=("tied", "strict", "tied", "short", "tied"), hashes="xxxyy"):
    return irb.report_history(
        irb.History(
            tuple(
                irb.HistoryEntry(day, name, EVALUATIONS[run], qrels_sha256=mark)
                for name in names
                for day, run, mark in zip(DAYS, runs, hashes, strict=True)
            )
        ),
        date=DAY,
    )


EVALUATIONS = {
    name: irb.evaluate(QRELS, run, "AP ESL(nr=1) NumRel", bounds=True) for name, run in RUNS.items()
}
PAGES = {
    "memo": lambda: memo(subject="Smith & <Jones>"),
    "strata": lambda: memo(*STRATA),
    "nothing": lambda: memo((500, 50, 0), (2000, 100, 0)),
    "runs": comparison,
    "one run": lambda: comparison(QRELS, {"a": RUNS["tied"]}, "AP"),
    "sums": lambda: comparison(QRELS, RUNS, "NumRel ESL(nr=2) SetF"),
    "review": lambda: irb.report_review([1] * 20 + [0] * 100, 200, date=DAY, subject=NASTY[0]),
    "history": history,
    "hostile history": lambda: history(NASTY[:4]),
    "hostile": lambda: comparison(QRELS, dict.fromkeys(NASTY, RUNS["tied"]), title=NASTY[0]),
}


@cache
def made(name):
    """The text of one of these pages, made once."""
    return PAGES[name]()


@pytest.fixture(scope="module", params=only(["strata", "runs", "hostile"], PAGES))
def any_page(request):
    return Page(made(request.param))


# Every page.


@pytest.mark.long
def test_a_page_asks_for_nothing_from_outside(any_page):
    check_nothing_from_outside(any_page)


def test_every_picture_has_a_title_and_identifiers_are_unique(any_page):
    check_pictures(any_page)


def test_tables_say_what_their_cells_are(any_page):
    check_tables(any_page)


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_same_inputs_same_bytes(name):
    first, second = PAGES[name](), PAGES[name]()
    assert first == second
    assert f'<time datetime="{DAY}">' in first


@pytest.mark.long
def test_bytes_do_not_hang_on_the_hash_seed_nor_on_settings_of_matplotlib(tmp_path):
    code = (
        "import matplotlib, irbounds as irb; matplotlib.rcParams.update({'font.size': 20, "
        "'svg.hashsalt': 'x'});"
        f"print(irb.report_recall(*{SIMPLE}, date='{DAY}'), end='')"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, check=True, cwd=tmp_path
    )
    assert done.stdout.decode().replace("\r\n", "\n") == memo()


def test_today_is_the_date_where_none_is_given():
    assert re.search(r'<time datetime="\d{4}-\d\d-\d\d">', irb.report_recall(*SIMPLE))


# The memo.


@pytest.mark.parametrize(
    ("segments", "options"),
    [
        long((SIMPLE, {})),
        (STRATA, {"target": 0.8}),
        (SIMPLE, {"method": "guaranteed", "confidence_level": 0.9}),
        long((SIMPLE, {"method": "betabinom-uniform", "target": 0.755})),
        long((((50, 50, 40), (20, 20, 3)), {})),
        (((500, 50, 0), (2000, 100, 0)), {}),
        long((((10_000_000, 2000, 1500), (90_000_000, 3000, 2)), {"target": 1})),
    ],
)
def test_numbers_of_the_memo_are_the_api_s(segments, options):
    page = Page(memo(*segments, **options))
    method = options.get("method", "betabinom-half")
    model = method if method.startswith("betabinom") else "betabinom-half"
    level, target = options.get("confidence_level", 0.95), options.get("target", 0.75)

    def ends(interval_of, name, bound="guaranteed"):
        claimed = "upper" if interval_of is irb.elusion_interval else "lower"
        both, one_sided = (
            interval_of(*segments, method=method, confidence_level=level, side=side)
            for side, method in (("two-sided", name), (claimed, bound))
        )
        end = one_sided.high if claimed == "upper" else one_sided.low
        return [both.estimate, both.low, both.high, end]

    for measure, interval_of in {
        "recall": irb.recall_interval,
        "precision": irb.precision_interval,
        "F1": irb.f_interval,
        "yield": irb.yield_interval,
        "elusion": irb.elusion_interval,
    }.items():
        expected = ends(interval_of, method)
        np.testing.assert_array_equal(numbers(page.one(data_measure=measure)), expected)
    has_strata = max(map(np.ndim, segments)) > 1
    for name in METHODS:
        if name.endswith("per-stratum") and not has_strata:
            assert not page.elements(data_method=name)
            continue
        row = page.one(data_method=name)
        if has_strata and not INTERVAL_METHODS[name].allows_strata:
            assert "does not support strata" in words(row)
        else:
            assert numbers(row) == ends(irb.recall_interval, name, name)[1:]
    prior = {"betabinom-uniform": 1}.get(model, 0.5)
    assert numbers(page.one(data_what="chance")) == [
        irb.recall_posterior(*segments, prior=prior).sf(target)
    ]
    for name in ("ratio", "bias-corrected", "posterior-mean", "posterior-median"):
        np.testing.assert_array_equal(
            numbers(page.one(data_estimator=name)),
            [irb.recall_estimate(*segments, name, prior=prior)],
        )
    assert [numbers(row)[:3] for row in page.one(id="inputs").findall("tbody/tr")] == [
        list(map(float, stratum))
        for segment in segments
        for stratum in (segment if isinstance(segment, list) else [segment])
    ]
    assert words(page.root.find(".//tr[@class='chosen']/th")) == f"{method} (used here)"


def test_the_memo_is_said_in_plain_numbers():
    page = Page(made("memo"))
    said = words(page.one(aria_label="Finding")).replace("\xa0", " ")
    assert said.startswith(
        "With 95 % confidence, recall is at least 73.6 %. This bound is guaranteed:"
    )
    assert "a bound above it in at most 5 % of cases." in said
    assert (
        "an estimated 87.0 % of all relevant documents (recall). The two-sided interval of 95 % by "
        "“betabinom-half”, with a prior of α = β = ½ in each segment, reaches from 71.9 % to 95.8 "
        "%; it holds "
        "the true recall in about 95 % of reviews on average, in some reviews less often." in said
    )
    assert (
        "With a prior of α = β = ½ in each segment, the posterior probability that recall is 75 % "
        "or more, "
        "the target, is 0.9417. Under priors of ¼, ½, 1 and the most conservative one it is from "
        "0.9093 " in said
    )
    assert "Smith & <Jones>" in words(page.root.find(".//header"))
    assert irb.__version__ in words(page.root.find(".//header"))
    nothing = words(Page(made("nothing")).one(aria_label="Finding")).replace("\xa0", " ")
    assert (
        "give no estimate of recall. The two-sided interval of 95 % by “betabinom-half” reaches "
        "from 0.0 % to "
        "100.0 %." in nothing
    )
    assert "75.5 % or more" in memo(target=0.755).replace("\xa0", " ").replace(
        '<data value="0.755">', ""
    ).replace("</data>", "")


def test_the_hash_is_that_of_the_line_shown():
    page = Page(memo())
    line = words(page.one(id="canonical"))
    assert line == (
        '{"confidence_level": 0.95, "method": "betabinom-half", "retrieved": [[500, 50, 40]], '
        '"target": 0.75, "unretrieved": [[2000, 100, 3]]}'
    )
    assert words(page.one(id="hash")) == hashlib.sha256(line.encode()).hexdigest()


@pytest.mark.long
def test_the_command_shown_makes_the_page_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for segments, options in (
        (SIMPLE, {"subject": 'Smith\'s "archive" $HOME'}),
        (STRATA, {"title": "A & B"}),
    ):
        page = memo(*segments, **options)
        command = words(Page(page).one(id="command"))
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(command)[1:])
        assert stop.value.code == 0
        assert Path("memo.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: memo((500, 50, 60), SIMPLE[1]), "relevant must be at most sampled"),
        (
            lambda: memo(([500, 600], 50, 40), SIMPLE[1]),
            "counts must be numbers, not arrays: a memo",
        ),
        (lambda: memo(target=75), "`target` must be from 0 to 1"),
        (lambda: memo(confidence_level=95), "`confidence_level` must be between"),
        (lambda: memo(method="wilson"), "`method` must be one of"),
        (lambda: memo(*STRATA, method="koopman"), "method 'koopman' does not support strata"),
        (lambda: memo(source="absent.csv"), "absent.csv: No such file"),
        (lambda: irb.report_recall(*SIMPLE, date="31.1.2026"), "`date` must be a day"),
        (lambda: irb.report_recall(*SIMPLE, date=20260131), "`date` must be a day"),
        (lambda: comparison(QRELS, {}), "`runs` must hold one run"),
        (
            lambda: comparison(QRELS, RUNS, baseline="x"),
            "`baseline` must be one of the runs, tied, strict, short",
        ),
        (
            lambda: comparison(QRELS, RUNS, missing="skip"),
            "`missing` must be one of 'zero', 'error'",
        ),
        (
            lambda: comparison(QRELS, RUNS, missing="error"),
            "short: it lacks the judged query 'q0' (4 such queries)",
        ),
        (lambda: comparison(QRELS, RUNS, "nDCG@x"), "nDCG@x"),
        (lambda: comparison(QRELS, RUNS, test="z"), "`test` must be one of"),
        (
            lambda: comparison(QRELS, {"a": RUNS["tied"]}, correction="fdr"),
            "`correction` must be one of",
        ),
        (lambda: comparison(QRELS, ["a.run", "a.run"]), "must have different names"),
        (lambda: comparison(QRELS, ["absent.run"]), "absent.run: No such file"),
        (lambda: memo(output="absent/memo.html"), "No such file"),
        (lambda: memo(output="./"), "`output` must name a file"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises((irb.InputError, OSError), match=re.escape(message)) as raised:
        call()
    assert "\n" not in str(raised.value)


# The comparison.


def same(cell, *expected):
    """A cell has a value, and its range where ties make a difference."""
    value, low, high = expected
    np.testing.assert_array_equal(numbers(cell), [value, low, high] if low < high else [value])


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
        assert words(row[3]) == said


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


def test_hostile_names_are_text():
    page = Page(made("hostile"))
    names = [words(row[0]) for row in page.one(id="inputs").findall("tbody/tr")[1:]]
    assert names == [*NASTY[:-1], "a\ufffd\ufffd\ufffd\ufffdb c"]
    assert words(page.root.find(".//h1")) == words(page.root.find(".//title")) == NASTY[0]
    drawn = [words(text) for text in page.root.iter("{http://www.w3.org/2000/svg}text")]
    assert NASTY[0] in drawn
    assert NASTY[3] in drawn


@pytest.mark.long
def test_a_page_of_many_runs_and_queries_stays_small():
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
        "The 50 of 1000 queries with the greatest difference between runs. Columns for 8 of 50 "
        "runs." in words(page.one(id="queries"))
    )


# Writing, and the command line.


def test_a_page_is_written_whole(tmp_path):
    target = tmp_path / "memo.html"
    target.write_text("old")
    assert memo(output=target) == target.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["memo.html"]


def test_options_are_checked_for_one_run_too():
    for option, message in (
        ({"seed": -1}, "must be 0 or more; found -1"),
        ({"confidence_level": 4}, "`confidence_level` must be"),
    ):
        with pytest.raises(irb.InputError, match=message):
            irb.report_runs({"q": {"d": 1}}, {"a": {"q": {"d": 1}}}, "AP", **option)


def test_extras_are_asked_for(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=re.escape('pip install "irbounds[report]"')):
        memo()
    with pytest.raises(SystemExit) as stop:
        main(["report", "recall", "--retrieved", "500/50/40", "--unretrieved", "2000/100/3"])
    assert stop.value.code == 2
    assert "irbounds[report]" in capsys.readouterr().err


def test_the_command_line_makes_the_same_pages(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("strata.csv").write_text(
        "segment,size,sampled,relevant\nretrieved,500,50,40\nunretrieved,2000,100,3\n"
    )

    def cli(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["report", *arguments])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    options = ("--target", "0.8", "--subject", "Ärzte", "--date", DAY)
    page = memo(target=0.8, subject="Ärzte")
    assert cli(
        "recall",
        "--retrieved",
        "500/50/40",
        "--unretrieved",
        "2,000/100/3",
        *options,
        "-o",
        "m.html",
    ) == (0, "", "")
    assert Path("m.html").read_bytes() == page.encode()
    status, out, _ = cli("recall", "strata.csv", *options)
    assert status == 0
    assert out.isascii()
    assert words(Page(out).root) == words(
        Page(memo(target=0.8, subject="Ärzte", source="strata.csv")).root
    )
    assert hashlib.sha256(Path("strata.csv").read_bytes()).hexdigest() in out
    status, out, err = cli("recall", "--retrieved", "500/50/60", "--unretrieved", "2000/100/3")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert cli("recall", "strata.csv", "--retrieved", "1/1/1")[0] == 2
    assert cli("runs", "-", "-")[0] == 2


# In a browser.


@pytest.mark.long
@pytest.mark.parametrize("name", ["memo", "runs", "hostile"])
def test_a_browser_shows_the_page_and_refuses_nothing(name, tmp_path):
    page = made(name)
    dom, log = browse(page, tmp_path, "--dump-dom")
    shown = Page("<!DOCTYPE html>" + dom.partition("<!DOCTYPE html>")[2])
    assert [words(cell) for cell in shown.root.iter("td")] == [
        words(cell) for cell in Page(page).root.iter("td")
    ]
    assert "CONSOLE" not in log, log


@pytest.mark.long
@pytest.mark.parametrize("paper", ["letter", "A4"])
@pytest.mark.parametrize("name", ["memo", "strata", "nothing"])
def test_the_memo_prints_on_two_sheets(name, paper, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    page = made(name).replace("@page {", f"@page {{ size: {paper};")
    browse(page, tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={tmp_path / 'memo.pdf'}")
    sheets = pypdf.PdfReader(tmp_path / "memo.pdf").pages
    assert len(sheets) == 2
    assert "2. What the samples say" in sheets[0].extract_text()
    assert "To compute this again" in sheets[1].extract_text()


@pytest.mark.long
@pytest.mark.parametrize("name", ["memo", "runs"])
def test_light_and_dark(name, tmp_path):
    from matplotlib.image import imread

    page = made(name)
    paper = []
    for scheme, options in (("light", ()), ("dark", DARK)):
        folder = tmp_path / scheme
        folder.mkdir()
        browse(
            page, folder, *options, "--window-size=1000,1600", f"--screenshot={folder / 'page.png'}"
        )
        pixels = imread(folder / "page.png")[..., :3]
        paper.append(pixels[2, 2].mean())
        darkness = pixels.mean(axis=2)
        assert np.abs(darkness - paper[-1]).max() > 0.7  # letters are seen
    assert paper[0] > 0.95
    assert paper[1] < 0.15


@pytest.mark.long
@pytest.mark.parametrize("name", ["memo", "runs", "hostile"])
def test_nothing_is_wider_than_a_small_screen(name, tmp_path):
    page = (
        made(name)
        .replace("default-src 'none'; ", "")
        .replace(
            "</body>",
            "<script>document.title = document.documentElement.scrollWidth</script></body>",
        )
    )
    dom, _ = browse(page, tmp_path, "--window-size=500,900", "--dump-dom")
    assert int(re.search(r"<title>(\d+)</title>", dom)[1]) <= 500


def test_a_page_of_history_drops_no_measure():
    """More than fit are refused, whether they were asked for or not."""
    measures = " ".join(f"P@{k}" for k in range(1, 101))
    evaluation = irb.evaluate(QRELS, RUNS["tied"], measures)
    entries = tuple(irb.HistoryEntry(day, "tied", evaluation) for day in DAYS[:2])
    for wanted in (None, measures):
        with pytest.raises(irb.InputError, match="`measures` must be at most 99 for a page"):
            irb.report_history(irb.History(entries), measures=wanted, date=DAY)
