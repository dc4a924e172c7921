"""Report pages: the numbers of the memo, and what a browser makes of all pages."""

import hashlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb
from irbounds.cli import main
from irbounds.rankings import HistoryEntry
from irbounds.samples import elusion_interval, recall_estimate
from irbounds.samples.intervals.table import INTERVAL_METHODS, METHODS

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from example_pages import DAY, DAYS, PAGES, QRELS, RUNS, SIMPLE, STRATA, comparison, made, memo
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
from sizes import long, nightly, only


@pytest.mark.parametrize("name", only(["strata", "hostile"], PAGES))
def test_every_page(name, pictures):
    page = Page(made(name))
    check_nothing_from_outside(page)
    check_pictures(page)
    check_tables(page)
    assert f'<time datetime="{DAY}">' in page.text
    if name != "hostile":  # the largest
        assert PAGES[name]() == page.text


@pytest.mark.long
def test_bytes_do_not_hang_on_the_hash_seed_nor_on_settings_of_matplotlib(tmp_path, pictures):
    code = (
        "import matplotlib, irbounds as irb; matplotlib.rcParams.update({'font.size': 20, "
        "'svg.hashsalt': 'x'});"
        f"print(irb.report_recall(*{SIMPLE}, target=0.75, date='{DAY}'), end='')"
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
        claimed = "upper" if interval_of is elusion_interval else "lower"
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
        "elusion": elusion_interval,
    }.items():
        expected = ends(interval_of, method)
        guaranteed = irb.recall_interval(*segments, method="guaranteed", confidence_level=level)
        if measure == "recall" and guaranteed.high < target:  # missed: one two-sided claim
            expected[3:] = [guaranteed.low, guaranteed.high]
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
            numbers(page.one(data_estimator=name)), [recall_estimate(*segments, name, prior=prior)]
        )
    assert [numbers(row)[:3] for row in page.one(id="inputs").findall("tbody/tr")] == [
        list(map(float, stratum))
        for segment in segments
        for stratum in (segment if isinstance(segment, list) else [segment])
    ]
    used = {words(row[0]) for row in page.root.iterfind(".//tr[@class='chosen']")}
    assert used == (
        {"guaranteed (used here)"}
        if method == "guaranteed"
        else {
            "guaranteed (claim)",
            f"{method} (intervals)",
        }
    )


def test_the_memo_is_said_in_plain_numbers():
    page = Page(PAGES["memo"]())
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
    nothing = words(Page(PAGES["nothing"]()).one(aria_label="Finding")).replace("\xa0", " ")
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
        (lambda: memo(method="wilson"), "`method` must be one of"),
        (lambda: memo(*STRATA, method="koopman"), "method 'koopman' does not support strata"),
        (lambda: memo(source="absent.csv"), "absent.csv: No such file"),
        (lambda: irb.report_recall(*SIMPLE, date="31.1.2026"), "`date` must be a date"),
        (lambda: comparison(QRELS, {}), "`runs` must have at least one run"),
        (
            lambda: comparison(QRELS, RUNS, baseline="x"),
            "`baseline` must be one of the runs, tied, strict, short",
        ),
        (
            lambda: comparison(QRELS, RUNS, missing="error"),
            "short: it lacks the judged query 'q0' (4 such queries)",
        ),
        (lambda: comparison(QRELS, RUNS, "nDCG@x"), "nDCG@x"),
        (lambda: comparison(QRELS, ["absent.run"]), "absent.run: No such file"),
        (lambda: memo(output="./"), "`output` must name a file"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises((irb.InputError, OSError), match=re.escape(message)) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_run_that_is_given_twice_has_its_place(tmp_path):
    (tmp_path / "a.run").write_text("q0 Q0 d1 1 1 x\n")
    page = comparison(QRELS, [tmp_path / "a.run", tmp_path / "a.run"])
    assert "a.run (2)" in page


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
    page = memo(target=0.8, subject="Ärzte", output="m.html")
    Path("m.html").unlink()
    assert cli(
        *("recall", "--retrieved", "500/50/40", "--unretrieved", "2,000/100/3"),
        *options,
        "-o",
        "m.html",
    ) == (0, "", "")
    assert Path("m.html").read_bytes() == page.encode()
    status, out, _ = cli("recall", "strata.csv", *options)
    assert status == 0
    assert out.isascii()
    again = shlex.split(words(Page(out).one(id="command")))
    assert again[:4] == ["irbounds", "report", "recall", "strata.csv"]
    assert cli(*again[2:])[0] == 0
    from_table = Path("memo.html").read_text(encoding="utf-8")
    assert words(Page(from_table).root) == words(Page(out).root)
    of_counts = Page(memo(target=0.8, subject="Ärzte", source="strata.csv"))
    command = of_counts.one(id="command")
    command[:], command.text = [], shlex.join(again)
    assert words(of_counts.root) == words(Page(out).root)
    assert hashlib.sha256(Path("strata.csv").read_bytes()).hexdigest() in out
    status, out, err = cli("recall", "--retrieved", "500/50/60", "--unretrieved", "2000/100/3")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert cli("recall", "strata.csv", "--retrieved", "1/1/1")[0] == 2
    assert cli("runs", "-", "-")[0] == 2


# In a browser.


@pytest.mark.long
@pytest.mark.parametrize("name", ["memo", "runs", "hostile"])
def test_a_browser_shows_the_page_and_refuses_nothing(name, tmp_path, pictures):
    page = made(name)
    dom, log = browse(page, tmp_path, "--dump-dom")
    shown = Page("<!DOCTYPE html>" + dom.partition("<!DOCTYPE html>")[2])
    assert [words(cell) for cell in shown.root.iter("td")] == [
        words(cell) for cell in Page(page).root.iter("td")
    ]
    assert "CONSOLE" not in log, log


@pytest.mark.long
@pytest.mark.parametrize("paper", ["letter", nightly("A4")])
@pytest.mark.parametrize("name", ["memo", "strata", "nothing"])
def test_the_memo_prints_on_two_sheets(name, paper, tmp_path, pictures):
    pypdf = pytest.importorskip("pypdf")
    page = made(name).replace("@page {", f"@page {{ size: {paper};")
    browse(page, tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={tmp_path / 'memo.pdf'}")
    sheets = pypdf.PdfReader(tmp_path / "memo.pdf").pages
    assert len(sheets) == 2
    for i, sheet in enumerate(sheets, 1):
        foot = " ".join(sheet.extract_text().split())
        assert f"{i} / 2" in foot
        assert re.search(rf" · {DAY} · SHA-256 [0-9a-f]{{12}}…", foot), foot
    assert "2. What the samples say" in sheets[0].extract_text()
    assert "To compute this again" in sheets[1].extract_text()


@pytest.mark.long
@pytest.mark.parametrize("name", ["memo", "runs"])
def test_light_and_dark(name, tmp_path, pictures):
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
def test_nothing_is_wider_than_a_small_screen(name, tmp_path, pictures):
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
    entries = tuple(HistoryEntry(day, "tied", evaluation) for day in DAYS[:2])
    for wanted in (None, measures):
        with pytest.raises(irb.InputError, match="`measures` must be at most 99 for a page"):
            irb.report_history(irb.History(entries), measures=wanted, date=DAY)
