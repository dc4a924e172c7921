"""`irbounds plan` and `irbounds coverage`."""

import json

import pytest

import irbounds as irb
from tests.commands import assert_refused, run_cli

PLAN = ("plan", "--population", "20000", "--retrieved", "2000", "--precision", "0.6")


@pytest.mark.long
def test_plan_command(tmp_path):
    found = json.loads(
        run_cli(*PLAN, "--recall", "0.85", "--target", "0.75", "--format", "json").stdout
    )
    expected = irb.sample_size(
        irb.AssumedReview(20_000, 2000, recall=0.85, precision=0.6), target=0.75
    )
    assert found["sample"] == expected.sample
    assert found["least_sample"] == expected.least_sample
    split = run_cli(*PLAN, "--recall", "0.85", "--sample", "500")
    assert split.returncode == 0
    assert "500 documents" in split.stdout
    assert (
        "assumed relevant: retrieved 1200 of 2000, unretrieved 212 of 18000, recall 0.85"
        in split.stdout
    )
    for text, assumed in (("85e-2", "recall 0.85"), ("8e-1-9E-1", "recall 0.8 to 0.9")):
        assert assumed in run_cli(*PLAN, "--recall", text, "--sample", "50").stdout
    missed = run_cli(*PLAN, "--recall", "0.7", "--target", "0.75")
    assert missed.returncode == 1
    assert "no sample of this size or a smaller one reaches the goal" in missed.stdout
    assert "it shows recall 0.7001" in missed.stdout  # 1200 of 1714
    strata = tmp_path / "strata.csv"
    strata.write_text("segment,size,prevalence\nretrieved,2000,0.6\nunretrieved,18000,0.005-0.02\n")
    table = run_cli("plan", str(strata), "--sample", "300", "-f", "csv").stdout.splitlines()
    assert table[0] == "segment,stratum,size,sample"
    assert len(table) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PLAN, "--width", ".1"), "--recall is missing"),
        ((*PLAN, "--recall", ".8"), "give one goal: --sample, --width or --target"),
        (
            (*PLAN, "--recall", ".8", "--sample", "30000"),
            "--sample must be at most the collection, 20000 documents",
        ),
        (
            (*PLAN, "--recall", "much", "--sample", "300"),
            "--recall must be a number or a range, for example 0.7 or 0.6-0.9",
        ),
        (
            (*PLAN, "--recall", ".8", "--sample", "300", "--at-most", "5"),
            "--at-most requires --width or --target",
        ),
        (
            (*PLAN, "--recall", ".8", "--target", ".3", "--probability", "5"),
            "--probability must be between 0 and 1",
        ),
        (
            ("coverage", "small", "--realisations", "1", "--seed", "-1"),
            "--seed must be None, a whole number, 0 or more",
        ),
        (("coverage", "tiny"), "SCENARIOS must be one of 'neutral', 'legal', 'small'"),
        (
            ("coverage", "small", "--per-realisation", "--realisations", "1"),
            "--per-realisation needs --format csv or json",
        ),
    ],
)
def test_commands_refuse(arguments, message):
    assert_refused(run_cli(*arguments), message)


def test_plan_refuses_rows_by_line(tmp_path):
    strata = tmp_path / "strata.csv"
    strata.write_text("segment,size,prevalence\nretrieved,2000,0.6\nunretrieved,18000,1.5\n")
    assert_refused(
        run_cli("plan", str(strata), "--sample", "300"),
        "strata.csv:3: `unretrieved.prevalence` must be between 0 and 1",
    )


def test_coverage_command():
    options = (
        *("--realisations", "4", "--samples", "20", "--seed", "3"),
        *("--methods", "koopman,betabinom-half"),
    )
    table = json.loads(run_cli("coverage", "small", *options, "-f", "json").stdout)
    report = irb.coverage(
        "small", ["koopman", "betabinom-half"], realisations=4, samples=20, rng=3, progress=False
    )
    assert table["small"]["koopman"] == pytest.approx(report.to_dict()["koopman"])
    lines = run_cli(
        "coverage", "small", "neutral", *options, "--per-realisation", "-f", "csv"
    ).stdout.splitlines()
    assert len(lines) == 1 + 2 * 4 * 2
    rows = json.loads(
        run_cli("coverage", "small", *options, "--per-realisation", "-f", "json").stdout
    )
    assert [row["realisation"] for row in rows] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]  # NumPy's numbers were refused
    assert run_cli("coverage", "small", *options).stdout.startswith(
        "Coverage of 0.95 two-sided intervals"
    )
