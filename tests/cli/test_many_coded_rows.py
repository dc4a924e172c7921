"""Coded reviews whose calls have several rows, as one for each custodian; options that say
nothing."""

import json
from pathlib import Path

import pytest
from commands import assert_refused, run_cli

CLASSES = (
    "segment,call,size,audited,relevant\nretrieved,relevant,30000,500,420\n"
    "unretrieved,not,90000,500,10\nunretrieved,,880000,2000,4\n"
)
ROWS = "segment,call,size,audited,relevant\nretrieved,relevant,12000,150,108\n" + "".join(
    f"unretrieved,not,2200,32,{i % 2}\n" for i in range(16)
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classes.csv").write_text(CLASSES)
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "strata.csv").write_text(
        "segment,size,sampled,relevant\n"
        + ROWS.partition("\n")[2].replace(",not", "").replace(",relevant", "")
    )


def recall(*arguments):
    return json.loads(run_cli("recall", *arguments, "-f", "json").stdout)["intervals"]


def test_a_class_of_several_rows_has_one_prior():
    by_class, by_row = recall("--coded", "classes.csv")[0], recall("--coded", "rows.csv")[0]
    assert by_class["method"] == by_row["method"] == "betabinom-half"
    assert (round(by_class["low"], 6), round(by_class["high"], 6)) == (0.803522, 0.927374)
    strata = recall("strata.csv")[0]
    assert by_row["low"] == pytest.approx(strata["low"], abs=0.003)
    assert by_row["high"] == pytest.approx(strata["high"], abs=0.003)
    assert by_row["low"] < by_row["estimate"] < by_row["high"]


def test_words_on_coverage_are_of_the_design():
    done = run_cli("recall", "--coded", "rows.csv", "--target", ".8")
    assert "91 %" not in done.stdout
    assert "betabinom-half is right in about 95 %" in done.stdout
    assert "89 % at worst" in run_cli("recall", "--coded", "classes.csv").stdout


@pytest.mark.long
@pytest.mark.usefixtures("empty_pictures")
def test_the_memo_has_the_same_method(tmp_path):
    done = run_cli("report", "recall", "--coded", "rows.csv", "-o", "memo.html")
    assert done.returncode == 0
    page = (tmp_path / "memo.html").read_text(encoding="utf-8")
    assert "“betabinom-half”" in page
    assert "--method</span> betabinom-half" in page


def test_calls_without_an_audit_correct_nothing(tmp_path):
    (tmp_path / "bare.csv").write_text(CLASSES.replace("90000,500,10", "90000,0,0"))
    done = run_cli("recall", "--coded", "bare.csv")
    assert "not every class of calls was audited" in done.stdout
    assert "the audits correct that" in run_cli("recall", "--coded", "classes.csv").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recall", "strata.csv", "--seed", "1"), "--seed is for --engine monte-carlo"),
        (("recall", "strata.csv", "--draws", "100"), "--draws is for --engine monte-carlo"),
        (
            ("plan-queries", "--difference", ".02", "--sd", ".1", "-m", "AP"),
            "--measures goes with a pilot",
        ),
        (
            ("plan-queries", "q", "a", "b", "--sd", ".1", "--difference", ".02"),
            "give --sd, or a pilot: qrels and runs, not both",
        ),
        (("assist", "p.csv", "j.qrels", "a.run", "--combine", "best"), "is for several judges"),
        (("eval", "q", "a", "--columns", "score=a,score=b"), "must have each name once"),
        (("eval", "strata.csv", "AP"), "AP: No such file; a list of measures needs quotes"),
    ],
)
def test_what_would_be_ignored_is_refused(arguments, message):
    assert_refused(run_cli(*arguments), message)


def test_formats_of_rows_say_what_they_lack():
    done = run_cli("recall", "strata.csv", "--target", ".8", "-f", "csv")
    assert (done.returncode, "probability of the target is not in csv" in done.stderr) == (0, True)
    assert "not in" not in run_cli("recall", "strata.csv", "--target", ".8").stderr


@pytest.mark.long
@pytest.mark.usefixtures("empty_pictures")
def test_levels_are_not_rounded():
    done = run_cli("recall", "strata.csv", "--confidence-level", "0.9999999999")
    assert "99.99999999 % intervals" in done.stdout
    page = "memo.html"
    run_cli("report", "recall", "strata.csv", "--confidence-level", "0.9999999", "-o", page)
    text = Path(page).read_text(encoding="utf-8")
    assert "99.99999\N{NO-BREAK SPACE}%" in text
    assert "0.00001\N{NO-BREAK SPACE}%" in text
