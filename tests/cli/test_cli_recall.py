"""`irbounds recall`."""

import csv
import json

import pytest
from outward import low_end
from segments import A, B

import irbounds as irb
from irbounds.samples.intervals.table import METHODS
from tests.commands import assert_refused, run_cli

COVERS = ("on average", "below its level", "every review", "not always")


@pytest.mark.long
def test_recall_on_the_command_line():
    given = ["--retrieved", "500/50/40", "--unretrieved", "2,000/100/3"]
    done = run_cli("recall", *given, "--target", 0.75, "--format", "json")
    answer = json.loads(done.stdout)
    assert answer["probability_of_target"] == irb.recall_posterior(A, B).sf(0.75)
    recall = answer["intervals"][0]
    assert (recall["low"], recall["high"]) == (
        irb.recall_interval(A, B).low,
        irb.recall_interval(A, B).high,
    )
    assert "0.9417" in run_cli("recall", *given, "--target", 0.75).stdout
    rows = list(
        csv.DictReader(run_cli("recall", *given, "--all-methods", "-f", "csv").stdout.splitlines())
    )
    assert [row["method"] for row in rows] == [
        name for name in METHODS if not name.endswith("per-stratum")
    ]
    strata = (
        "segment;size;sampled;relevant\nretrieved;500;50;40\nretrieved;10;10;3\n"
        "unretrieved;2000;100;3\n"
    )
    rows = list(
        csv.DictReader(
            run_cli("recall", "-", "--side", "lower", "-f", "csv", text=strata).stdout.splitlines()
        )
    )
    assert float(rows[0]["low"]) == irb.recall_interval([A, (10, 10, 3)], B, side="lower").low
    assert (
        "koopman does not support strata"
        in run_cli("recall", "-", "--all-methods", text=strata).stdout
    )
    drawn = [
        run_cli("recall", *given, "--engine", "monte-carlo", "--seed", 5).stdout for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    assert run_cli("recall", *given, "-f", "latex").stdout.startswith(r"\begin{tabular}")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (
            "--sample 1000/5000/200/50/5 --method koopman",
            None,
            "--method must be one of 'betabinom-half', 'betabinom-uniform', 'guaranteed'",
        ),
        ("", None, "give --retrieved and --unretrieved as SIZE/SAMPLED/RELEVANT"),
        ("--retrieved 5/5/5", None, "--unretrieved is missing"),
        ("--retrieved 5/5 --unretrieved 5/5/5", None, "--retrieved must be SIZE/SAMPLED/RELEVANT"),
        (
            "--retrieved 5/6/5 --unretrieved 5/5/5",
            None,
            "--retrieved: sampled must be at most size",
        ),
        (
            "-",
            "segment,size,sampled,relevant\nx,5,5,5\n",
            "standard input:2: segment must be retrieved or unretrieved",
        ),
        (
            "-",
            "segment,size,sampled,relevant\nretrieved,5,5,9\n",
            "standard input:2: `retrieved`: relevant must be",
        ),
        (
            "-",
            "segment,size,sampled,relevant\nretrieved,5,5,1\n",
            "no stratum of the unretrieved segment",
        ),
        ("--retrieved 5/5/5 --unretrieved 5/5/5 --target 75", None, "--target must be from 0 to 1"),
        ("--sample 1500", None, "--sample must be RETRIEVED/UNRETRIEVED/TP/FP/FN/TN, or RETRIEVED"),
        ("--sample 1500/131", None, "--sample RETRIEVED/UNRETRIEVED needs a table with a row for"),
        (
            "--sample 90/50/8/1",
            None,
            "found '90/50/8/1'; for TP/FP/FN/TN alone use irbounds counts",
        ),
        ("--sample 90/50/8/x/2/9", None, "found '90/50/8/x/2/9'"),
        ("--sample 90/50/8/-1/2/9", None, "--sample must have numbers of 0 or more"),
        ("--sample 9/50/8/2/2/9", None, "RETRIEVED must be at least the retrieved documents of"),
        ("--sample 90/9/8/2/2/9", None, "UNRETRIEVED must be at least the unretrieved documents"),
        ("--sample 90/50/8/2/2/9 --retrieved 9/9/9", None, "--sample does not take --retrieved"),
        ("--sample 90/50/8/2/2/9 --weighted", None, "--sample does not take --weighted"),
        ("x.csv --sample 90/50/8/2/2/9", None, "--sample does not take a table beside RETRIEVED"),
        (
            "--sample 90/50/8/2/2/9 --unretrieved 50/5/1",
            None,
            "SIZE must be 39, the unretrieved documents that are not in the control sample",
        ),
        (
            "--sample 90/50/8/2/2/9 --unretrieved 39/5/6",
            None,
            "--unretrieved must have RELEVANT <= SAMPLED <= SIZE; found '39/5/6'",
        ),
        (
            "--sample 90/50/8/2/2/9 --unretrieved 39/5/1 --unretrieved 39/5/1",
            None,
            "--sample takes --unretrieved once",
        ),
        ("--sample 9/9/9", None, "relevant documents of the sample must be at most"),
        ("--sample 9/2/1 --seed 0", None, "--sample does not take --seed"),
        ("--sample 9/2/1 --target 0", None, "--sample does not take --target without RETRIEVED/"),
        ("- --sample 9/2/1", "", "--sample does not take a table"),
    ],
)
def test_bad_command_lines(arguments, text, message):
    assert_refused(run_cli("recall", *arguments.split(), text=text), message)


def test_lower_bounds_name_the_side_of_claims_of_elusion():
    said = "to claim that elusion is low, use --side upper"
    for side, times in (("lower", 1), ("upper", 0), ("two-sided", 0)):
        samples = ("--retrieved", "500/50/40", "--unretrieved", "2000/100/3")
        assert run_cli("recall", *samples, "--side", side).stdout.count(said) == times


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12,000/88000/1500/131/20", (12_000, 88_000, 1500, 131, 20)),
        ("1500/131/20", (None, None, 1500, 131, 20)),
        ("1500/0/0", (None, None, 1500, 0, 0)),
    ],
)
@pytest.mark.parametrize("side", ["two-sided", "lower"])
def test_one_sample_of_the_collection(text, numbers, side):
    done = run_cli("recall", "--sample", text, "--side", side, "-f", "json")
    (row,) = json.loads(done.stdout)["intervals"]
    expected = irb.recall_interval_from_sample(*numbers, side=side)
    assert (row["low"], row["high"], row["method"]) == (
        expected.low,
        expected.high,
        expected.method,
    )
    words = {"betabinom-half": "on average over reviews", "guaranteed": "in every review"}
    shown = run_cli("recall", "--sample", text, "--side", side).stdout
    assert f"{row['method']} covers" in shown
    assert words[row["method"]] in shown
    assert shown.count("—") == (numbers[3:] == (0, 0))


def test_one_sample_by_all_its_methods():
    done = run_cli("recall", "--sample", "12000/88000/1500/131/20", "--all-methods", "-f", "json")
    for row in json.loads(done.stdout)["intervals"]:
        found = irb.recall_interval_from_sample(12_000, 88_000, 1500, 131, 20, method=row["method"])
        assert (row["low"], row["high"]) == (found.low, found.high)
    assert "guaranteed covers at least 95 %" in run_cli(*done.args[:-2]).stdout


def test_words_of_bounds_by_all_methods():
    given = ("recall", "--retrieved", "500/50/40", "--unretrieved", "2000/100/3", "--all-methods")
    for side, others in (("two-sided", "on average"), ("lower", "not always")):
        shown = run_cli(*given, "--side", side).stdout
        said = {line.split()[1]: line for line in shown.splitlines() if line.startswith("  recall")}
        assert said["guaranteed"].endswith("every review")
        assert said["betabinom-half"].endswith(others)
        assert ("much less often than 95 %" in shown) == (side == "lower")
        table = [line for line in shown.splitlines() if line.startswith("  recall")]
        assert max(map(len, table)) <= 80
        in_json = json.loads(run_cli(*given, "--side", side, "-f", "json").stdout)["intervals"]
        assert {row["method"]: row["covers"] for row in in_json} == {
            name: next(words for words in COVERS if line.endswith(words))
            for name, line in said.items()
        }


def test_one_sided_bounds_in_json_have_words_of_bounds():
    sample = ("recall", "--sample", "1500/131/20", "--method", "betabinom-half", "-f", "json")
    for side, words in (("two-sided", "on average"), ("lower", "not always")):
        (row,) = json.loads(run_cli(*sample, "--side", side).stdout)["intervals"]
        assert row["covers"] == words


def test_measures_beside_any_time_bounds():
    """F has no any-time bound: its own holds at one look, and one that is one-sided covers."""
    given = ("recall", "--retrieved", "500/50/40", "--unretrieved", "2000/100/3")
    for side, beside in (("two-sided", "betabinom-half"), ("lower", "guaranteed")):
        shown = run_cli(*given, "--method", "anytime", "--side", side).stdout
        (row,) = (line.split() for line in shown.splitlines() if line.startswith("  F1"))
        bound = irb.f_interval((500, 50, 40), (2000, 100, 3), method=beside, side=side)
        assert row[1:4] == [beside, f"{bound.estimate:.4f}", low_end(bound.low)]
        foot = {line.split()[0]: line for line in shown.splitlines() if " covers " in line}
        assert foot["anytime"].endswith("in every review, at all looks at a growing sample")
        assert foot[beside].endswith("not at repeated looks")
