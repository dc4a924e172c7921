"""The recall memo of coded and audited documents."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb
from irbounds.cli.input.samples import Samples

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("html5lib")
from commands import run_cli
from pages import Page, check_nothing_from_outside, check_pictures, check_tables, numbers, words

DAY = "2026-01-31"
TABLE = """\
segment,call,size,audited,relevant
retrieved,relevant,30000,500,420
unretrieved,not,90000,500,10
unretrieved,,880000,2000,4
"""
ORDER = (
    [irb.Audited(30_000, 30_000, 30_000, (500, 420), (0, 0))],
    [irb.Audited(90_000, 90_000, 0, (0, 0), (500, 10)), (880_000, 2000, 4)],
)
STRATA = [(30_000, 500, 420)], [(90_000, 500, 10), (880_000, 2000, 4)]
PARTLY = irb.Audited(10_000, 1000, 300, (60, 51), (120, 4)), (90_000, 1000, 3)
MEASURES = {
    "recall": irb.recall_interval,
    "precision": irb.precision_interval,
    "F1": irb.f_interval,
    "yield": irb.yield_interval,
    "elusion": irb.samples.elusion_interval,
}


def memo(segments=PARTLY, **options):
    return irb.report_recall(*segments, **{"date": DAY, "target": 0.75} | options)


@pytest.mark.parametrize(
    ("segments", "claimed", "options"),
    [
        (PARTLY, ((10_000, 1000, 300), PARTLY[1]), {"target": 0.9}),
        pytest.param(
            ORDER,
            ((30_000, 30_000, 30_000), [(90_000, 90_000, 0), (880_000, 2000, 4)]),
            {"method": "betabinom-half-per-stratum", "confidence_level": 0.9},
            marks=pytest.mark.long,
        ),
    ],
)
def test_numbers_are_the_api_s_and_the_page_is_sound(segments, claimed, options, pictures):
    page = Page(memo(segments, **options, subject="A & <B>", title="</title><script>"))
    check_nothing_from_outside(page)
    check_pictures(page)
    check_tables(page)
    level, target = options.get("confidence_level", 0.95), options.get("target", 0.75)
    strata = STRATA if segments is ORDER else None  # all documents were coded: calls are strata
    shared = {"method": options.get("method", "betabinom-half"), "confidence_level": level}
    for name, interval_of in MEASURES.items():
        right, corrected = (interval_of(*each, **shared) for each in (claimed, segments))
        one_sided = {**shared, "method": "guaranteed"} if strata else shared
        if name == "elusion":
            end = interval_of(*(strata or segments), **one_sided, side="upper").high
        else:
            end = interval_of(*(strata or segments), **one_sided, side="lower").low
        assert numbers(page.one(data_measure=name)) == [
            *(
                getattr(each, end)
                for each in (right, corrected)
                for end in ("estimate", "low", "high")
            ),
            end,
        ]
    assert numbers(page.one(id="claim"))[0] == irb.recall_interval(*claimed, **shared).estimate
    if "method" not in options:
        assert numbers(page.one(data_what="chance")) == [irb.recall_posterior(*segments).sf(target)]
        [mean] = numbers(page.one(data_estimator="posterior-mean"))
        assert mean == irb.recall_posterior(*segments).mean
    for row in page.one(id="methods").findall("tbody/tr"):
        name = row.get("data-method")
        if strata and name == "koopman":
            assert words(row[-1]) == "does not support strata"
        elif strata or name in (
            "betabinom-half",
            "betabinom-uniform",
            "betabinom-half-per-stratum",
        ):
            found = irb.recall_interval(*segments, method=name, confidence_level=level)
            assert numbers(row)[:2] == [found.low, found.high]
        else:
            assert words(row[1]) == "has no form for audited documents"


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "is_coded"), [("betabinom-half", True), ("betabinom-half-per-stratum", False)]
)
def test_the_range_over_priors_holds_what_the_memo_says(is_coded, method):
    first = irb.Audited(5000, 5000, 5000, (200, 150), (0, 0)) if is_coded else (5000, 200, 150)
    retrieved = [first, (2000, 100, 5)]
    segments = retrieved, [(300, 60, 20), (40_000, 400, 3), (10_000, 300, 1)]
    text = re.sub(r"<[^>]+>", "", memo(segments, target=0.8, method=method))
    said, least, most, low, high = map(
        float,
        re.search(
            r"the\s+target,\s+is\s+(\d+\.\d+).*?Under priors.*?it\s+is\s+from\s+(\d+\.\d+)\s+to\s+"
            r"(\d+\.\d+),.*?from\s+(\d+\.\d+)\s%\s+to\s+(\d+\.\d+)\s%",
            text,
            re.DOTALL,
        ).groups(),
    )
    assert least <= said <= most
    assert low <= 100 * irb.recall_interval(*segments, method=method).low + 0.05 <= high + 0.1


def test_the_validation_sample_of_an_order(tmp_path, monkeypatch):
    """The sample sizes of In re Broiler Chicken with invented counts; the numbers of
    calls that are right are by enumeration, all others those of the functions."""
    monkeypatch.chdir(tmp_path)
    Path("coded.csv").write_text(TABLE)
    arguments = ("report", "recall", "--coded", "coded.csv", "--target", "0.8", "--date", DAY)
    done = run_cli(*arguments, "--subject", "Smith's", "-o", "c.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = Path("c.html").read_text(encoding="utf-8")
    page = Page(text)
    found = numbers(page.one(data_measure="recall"))[:6]
    one = irb.recall_interval(*ORDER)
    assert found[:4] == pytest.approx([0.944584, 0.877809, 0.980552, 0.876217], abs=1e-6)
    assert found[3:] == [one.estimate, one.low, one.high]
    said = words(page.one(id="claim")).replace("\xa0", " ")
    assert "If every call were right, recall would be 94.5 %" in said
    assert "overstates recall by 6.8 % of the relevant documents" in said
    rows = page.one(id="inputs").findall("tbody/tr")
    assert [words(row[0]) for row in rows] == [
        "Retrieved, called relevant",
        "Unretrieved, called not relevant",
        "Unretrieved, not coded",
    ]
    assert run_cli(*shlex.split(words(page.one(id="command")))[1:]).returncode == 0
    assert Path("c.html").read_text(encoding="utf-8") == text
    # so does the function, whose command is a call of it, as it reads no table
    segments = Samples.read(None, (), (), "coded.csv").audited()
    told = {"target": 0.8, "subject": "Smith's", "output": "d.html"}
    text = memo(segments, **told)
    program, option, code = shlex.split(words(Page(text).one(id="command")))
    assert (program, option) == ("python", "-c")
    Path("d.html").unlink()
    exec(code, {})
    assert Path("d.html").read_text(encoding="utf-8") == text
    # a prior for each stratum was refused here
    done = run_cli("recall", "--coded", "coded.csv", "--target", "0.8")
    assert "P(recall >= 0.8) = 0.97" in done.stdout
    for arguments, message in (
        (("coded.csv", "--coded", "coded.csv"), "give --coded or samples, not both"),
        (("--coded", "coded.csv", "--method", "koopman"), "does not support strata"),
    ):
        done = run_cli("report", "recall", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert message in done.stderr


def test_counts_of_a_coded_table_are_named_by_its_columns(tmp_path):
    table = tmp_path / "coded.csv"
    for counts, message in (
        ("100,20,30", ":2: `retrieved`: relevant must be at most audited; found 30 of 20"),
        ("100,120,30", ":2: `retrieved`: audited must be at most size; found 120 of 100"),
    ):
        table.write_text(f"segment,call,size,audited,relevant\nretrieved,relevant,{counts}\n")
        done = run_cli("recall", "--coded", str(table))
        assert (done.returncode, done.stderr) == (2, f"irbounds: {table}{message}\n")


@pytest.mark.parametrize("coded", [900, 1000])
def test_nothing_found_and_nothing_audited(coded):
    nothing = irb.Audited(1000, coded, 300, (30, 0), (40, 0))
    page = Page(memo((nothing, (5000, 100, 0))))
    assert "give no estimate of recall" in words(page.one(aria_label="Finding"))
    rows = page.one(id="inputs").findall("tbody/tr")
    calls = [words(row[3 if coded < 1000 else 0]) for row in rows]
    names = ["Retrieved, called relevant", "Retrieved, called not relevant", "Unretrieved"]
    assert calls == (["relevant", "not relevant", "not coded"] if coded < 1000 else names)


def test_one_sample_has_one_finding_and_one_annex():
    """As coded classes and as strata (A13): the guaranteed bound is the headline of both. Two
    posteriors of classes of calls have ends of their own."""
    coded, strata = (Page(memo(each, target=0.85)) for each in (ORDER, STRATA))
    headlines = [
        words(page.one(aria_label="Finding")).partition("The retrieved documents hold")[0]
        for page in (coded, strata)
    ]
    assert headlines[0] == headlines[1] != ""
    rows = [page.one(id="methods").findall("tbody/tr") for page in (coded, strata)]
    for one, other in zip(*rows, strict=True):
        if one.get("data-method") not in ("betabinom-half", "betabinom-uniform"):
            assert words(one) == words(other)
    finding = words(coded.one(aria_label="Finding")).replace("\xa0", " ")
    low = irb.recall_interval(*STRATA, side="lower").low
    assert numbers(coded.one(aria_label="Finding"))[0] == low
    assert "show neither that the target was reached nor" in finding
    assert memo(ORDER, method="guaranteed")


def test_a_missed_target_is_one_claim():
    """One two-sided interval, not two one-sided bounds that hold together less often (A15)."""
    segments = (12_000, 150, 60), (88_000, 1300, 60)
    page = Page(memo(segments, target=0.75))
    found = irb.recall_interval(*segments, method="guaranteed")
    finding = page.one(aria_label="Finding")
    assert numbers(finding)[:2] == [found.low, found.high]
    said = words(finding).replace("\xa0", " ")
    assert "With 95 % confidence, recall is from 46.2 % to 61.9 %. This interval" in said
    assert "recall is at least" not in said
    assert numbers(page.one(data_measure="recall"))[3:] == [found.low, found.high]


def test_the_table_says_what_was_sampled_and_adds_up():
    page = Page(memo(((500, 500, 400), [(2000, 100, 3), (700, 0, 0)]), target=1))
    rows = page.one(id="inputs").findall("tbody/tr")
    assert [words(row[2]) for row in rows] == ["read whole", "simple random sample", "not sampled"]
    assert numbers(page.one(id="inputs").find("tfoot"))[:3] == [3200.0, 600.0, 403.0]
    text = words(page.root)
    assert "100\xa0% or more" not in text
    census = words(Page(memo(((500, 500, 400), (2000, 2000, 3)))).root)
    assert "simple random sample" not in census
    sure = words(Page(memo(((500, 50, 50), (2000, 1900, 0)), target=0.3)).root)
    assert "from > 0.9999 to > 0.9999" not in sure
    assert "it is > 0.9999 each time" in sure


def test_the_memo_names_the_test_of_its_bound():
    """Rates that differ bring in another bound than Buehler's (A14)."""
    one, other = memo(((500, 50, 40), (2000, 100, 3))), memo(STRATA)
    assert words(Page(one).one(id="test")) == "Buehler's bound"
    assert words(Page(other).one(id="test")).startswith("exact test of the weighted counts")


def test_priors_of_audited_segments():
    found = irb.samples.prior_sensitivity(*PARTLY, target=0.9)
    assert found.priors == (0.25, 0.5, 1.0)
    np.testing.assert_array_equal(
        found.probability,
        [irb.recall_posterior(*PARTLY, prior=prior).sf(0.9) for prior in found.priors],
    )
    assert found.low[1] == irb.recall_interval(*PARTLY).low


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "guaranteed"}, "method 'guaranteed' has no form for Audited segments"),
        ({"target": 75}, "`target` must be from 0 to 1"),
        ({"segments": (irb.Audited([9, 8], 5, 3, (2, 1), (2, 1)), (9, 3, 1))}, "not arrays"),
        ({"segments": (PARTLY[0]._replace(called=1001), (9, 3, 1))}, "called must be at most"),
    ],
)
def test_bad_input_is_one_line(options, message):
    with pytest.raises(irb.InputError, match=message):
        memo(**options)
