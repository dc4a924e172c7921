"""Ends of intervals in tables for people: rounded outward; programs get all digits."""

import csv
import io
import json
from pathlib import Path

import pytest
from commands import run_cli
from outward import high_end, low_end

import irbounds as irb

CLOSE = ("--retrieved", "4682/393/344", "--unretrieved", "47658/1723/10", "--side", "lower")
WELL = ("--retrieved", "5000/2000/1000", "--unretrieved", "9000/3000/60")
HUGE = ("--retrieved", "1000000/2000/1800", "--unretrieved", "1000000000/500000/0")


def row_of(text, name):
    [line] = [line for line in text.splitlines() if line.lstrip(" |").startswith(name)]
    return line.replace("|", " ").replace("&", " ").replace("\\", " ").split()


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_a_bound_below_the_target_does_not_read_as_the_target(format):
    done = run_cli("recall", *CLOSE, "--target", ".9", "-f", format)
    assert row_of(done.stdout, "recall")[3] == "0.8999"
    low = irb.recall_interval((4682, 393, 344), (47658, 1723, 10), side="lower").low
    assert 0.8999 < low < 0.9
    [row, *_] = csv.DictReader(io.StringIO(run_cli("recall", *CLOSE, "-f", "csv").stdout))
    assert float(row["low"]) == low
    found = json.loads(run_cli("recall", *CLOSE, "-f", "json").stdout)
    assert found["intervals"][0]["low"] == low


def test_small_numbers_keep_two_digits_and_a_census_is_not_all():
    shown = run_cli("recall", *HUGE, "--side", "upper").stdout
    assert row_of(shown, "elusion")[-3:] == ["0.0000", "0.0000", "6.0e-06"]
    known = run_cli("recall", "--retrieved", "99999/99999/99999", "--unretrieved", "1/1/1").stdout
    assert row_of(known, "recall")[-3:] == ["0.99999"] * 3
    assert "P(recall >= 0.9) > 0.9999," in run_cli("recall", *WELL, "--target", 0.9).stdout
    assert row_of(known, "precision")[-3:] == ["1.0000"] * 3
    whole = run_cli("recall", "--retrieved", "10/10/7", "--unretrieved", "3/3/3").stdout
    assert row_of(whole, "recall")[-3:] == ["0.7000"] * 3


def test_other_tables_round_outward():
    one = irb.recall_interval_from_sample(None, None, 1500, 131, 20)
    shown = row_of(run_cli("recall", "--sample", "1500/131/20").stdout, "recall")
    assert shown[-2:] == [low_end(one.low), high_end(one.high)]
    low, high = irb.CountsPosterior(90, 10, 30).measure("recall").interval(0.95)
    shown = run_cli("counts", "--tp", 90, "--fp", 10, "--fn", 30).stdout
    assert f"[{low_end(low)}, {high_end(high)}]" in shown


def test_differences_round_outward_in_all_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("".join(f"q{i} 0 d1 1\n" for i in range(40)))
    for name, place in (("a", 3), ("b", 4)):
        Path(name).write_text(
            "".join(
                f"q{i} Q0 {'d1' if k == (i * place) % 7 else f'x{k}'} {k} {9 - k} t\n"
                for i in range(40)
                for k in range(9)
            )
        )
    [one] = irb.compare("q", ["a", "b"], "RR", test="t").differences
    low, high = one.low, one.high
    command = ("compare", "q", "a", "b", "-m", "RR", "--test", "t")
    ends = [f"{float(text):+.4f}" for text in (low_end(low), high_end(high))]
    assert f"[{ends[0]}, {ends[1]}]" in run_cli(*command).stdout
    assert (
        f"[{ends[0]}, {ends[1]}]"
        in run_cli(*command, "-f", "latex", "--rows", "differences").stdout
    )
    shown = run_cli(*command, "-f", "markdown").stdout
    assert f" {low_end(low)} " in shown
    assert f" {high_end(high)} " in shown
    assert f"{low!r}" in run_cli(*command, "-f", "csv").stdout
    check = irb.gate("q", "a", "b", "RR").checks[0]
    ends = [f"{float(text):+.4f}" for text in (low_end(check.low), high_end(check.high))]
    assert f"[{ends[0]}, {ends[1]}]" in run_cli("gate", "q", "a", "b", "-m", "RR").stdout
    latex = run_cli("gate", "q", "a", "b", "-m", "RR", "-f", "latex").stdout
    assert low_end(check.low) in latex


def test_judged_is_not_all_where_a_document_is_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("".join(f"q1 0 d{k} 1\n" for k in range(999)))
    Path("r").write_text("".join(f"q1 Q0 d{k} {k} {2000 - k} t\n" for k in range(1000)))
    options = ("--unjudged", "bounds", "--unjudged-hidden", 0)
    done = run_cli("eval", "q", "r", "-m", "P@1000", *options)
    assert "99%" in done.stdout
    assert "100%" not in done.stdout
    assert "99% judged" in repr(
        irb.evaluate("q", "r", "P@1000", unjudged="bounds", unjudged_hidden=0)
    )


@pytest.mark.usefixtures("empty_pictures")
def test_a_census_is_not_all_in_the_memo():
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    page = irb.report_recall((99999, 99999, 99999), (1, 1, 1), target=0.9, date="2026-01-31")
    assert (
        'recall is <strong><data value="0.99999">99.999\N{NO-BREAK SPACE}%</data></strong>, without'
        in page
    )
    chance = irb.recall_posterior((5000, 2000, 1000), (9000, 3000, 60)).sf(0.9)
    assert 0.99995 < chance < 1
    page = irb.report_recall((5000, 2000, 1000), (9000, 3000, 60), target=0.9, date="2026-01-31")
    assert "&gt;\N{NO-BREAK SPACE}0.9999</data></strong>" in page


def test_small_costs_keep_their_decimals():
    what = ("--retrieved", "40/20/10", "--unretrieved", "60/30/3", "--population", "100")
    goal = ("--target-recall", "0.5")
    done = run_cli("extrapolate", *what, *goal, "--per-document", "0.001")
    estimate, low, high = map(float, row_of(done.stdout, "cost")[1:])
    assert 0 < low <= estimate <= high < 1
    done = run_cli("extrapolate", *what, *goal, "--per-document", "1000")
    assert "." not in "".join(row_of(done.stdout, "cost")[1:])


@pytest.mark.usefixtures("empty_pictures")
def test_small_shares_of_a_page_are_not_0():
    from irbounds.report.page import more_places

    assert [more_places(value, 4) for value in (0.5, 0.01234, 0.00012, 3.7e-5)] == [0, 0, 1, 2]
    assert [more_places(value, 4) for value in (0.0, 1.0, 0.99996, 1e-30)] == [0, 0, 1, 11]


def test_differences_that_are_0_but_for_rounding_read_as_0():
    from irbounds.foundation.rounding import as_high_end, as_low_end

    for value in (5.6e-17, -1.4e-17, 0.0):
        assert (as_low_end(value, "+"), as_high_end(value, "+")) == ("+0.0000", "+0.0000")
    assert (as_low_end(-1e-9), as_high_end(1e-9)) == ("-0.0001", "0.0001")
