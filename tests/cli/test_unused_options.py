"""Options that would change nothing are refused in a line; tables name what they compare."""

import csv
import io
import json
import re
from pathlib import Path

import click
import pytest
from commands import assert_refused, run_cli

from irbounds.cli.app import COMMANDS, find_command

SAMPLES = ("--retrieved", "500/50/40", "--unretrieved", "2000/100/3")
POINT = ("extrapolate", "--recall", 0.7, "--precision", 0.5, "--prevalence", 0.03)
TWO = ("counts", "--tp", 90, "--fp", 10, "--fn", 30, "--tp", 80, "--fp", 9, "--fn", 31)
NEGATIVES = ("--tn", 5, "--tn", 6)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("".join(f"q{i} 0 d1 1\n" for i in range(12)))
    for name, rest in (("a", 0), ("b", 1)):  # each finds d1 first on half of the queries
        Path(name).write_text(
            "".join(
                f"q{i} Q0 d1 0 {1 + (i % 2 == rest)} t\nq{i} Q0 d2 0 1.5 t\n" for i in range(12)
            )
        )
    return tmp_path


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ((*POINT, "--side", "lower"), "--side is for samples"),
        ((*POINT, "--engine", "monte-carlo"), "--engine is for samples"),
        ((*POINT, "--confidence-level", 0.9), "--confidence-level is for samples"),
        (
            ("recall", *SAMPLES, "--engine", "monte-carlo", "--method", "guaranteed"),
            "--engine is for methods by a posterior",
        ),
        (
            ("recall", *SAMPLES, "--engine", "monte-carlo", "--side", "lower"),
            "--engine is for methods by a posterior",
        ),
        (
            ("certify", "--found", 30, "--guarantee", "mean", "--confidence-level", 0.99),
            "--confidence-level is for --guarantee probability",
        ),
    ],
)
def test_options_that_change_nothing_are_refused(command, message):
    assert_refused(run_cli(*command), message)


def test_options_at_their_defaults_are_not():
    assert run_cli(*POINT, "--side", "two-sided", "--engine", "exact").returncode == 0
    mean = ("certify", "--found", 30, "--guarantee", "mean", "--confidence-level", 0.95)
    assert run_cli(*mean).returncode == 0
    drawn = ("recall", *SAMPLES, "--engine", "monte-carlo", "--method", "koopman", "--seed", 1)
    assert "posteriors from" in run_cli(*drawn).stdout  # those of the other measures


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_tests_without_draws_take_no_seed(folder, test):
    command = ("compare", "q", "a", "b", "-m", "RR", "--test", test)
    words = "is for --test permutation or bootstrap"
    assert_refused(run_cli(*command, "--seed", 3), f"--seed {words}")
    assert_refused(run_cli(*command, "--resamples", 500), f"--resamples {words}")
    assert run_cli(*command, "--seed", 0, "--resamples", 9999).returncode == 0
    page = ("report", "runs", "q", "a", "b", "-m", "RR", "--test", test)
    assert_refused(run_cli(*page, "--seed", 9), f"--seed {words}")


def test_the_seed_is_that_of_ranks_too(folder):
    command = ("compare", "q", "a", "b", "-m", "RR", "--test", "t", "--ranks", "-f", "json")

    def best(seed):
        ranks = json.loads(run_cli(*command, "--seed", seed).stdout)["ranks"]
        return [row["p_best"] for row in ranks["RR"]["systems"]]

    drawn = [best(seed) for seed in (0, 1, 1)]
    assert drawn[1] == drawn[2]
    assert drawn[0] != drawn[1]


@pytest.mark.usefixtures("empty_pictures")
def test_the_command_of_a_page_has_no_seed_that_is_not_used(folder):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    shown = run_cli("report", "runs", "q", "a", "b", "-m", "RR", "--test", "t").stdout
    assert "--seed" not in shown
    shown = run_cli("report", "runs", "q", "a", "b", "-m", "RR", "--seed", 4).stdout
    assert "--seed 4" in re.sub("<[^>]*>", "", shown)


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_counts_name_the_measure_and_the_margin(format):
    shown = run_cli(*TWO, *NEGATIVES, "--measure", "specificity", "-f", format).stdout
    assert "P(A better in specificity; different objects)" in shown
    shown = run_cli(*TWO, "--margin", 0.5, "-f", format).stdout
    assert "P(A better by 0.5 in F1; different objects)" in shown


def test_counts_in_csv_name_the_measure_and_the_margin():
    options = ("--measure", "negative_predictive_value", "--margin", 0.5, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(run_cli(*TWO, *NEGATIVES, *options).stdout)))
    assert [(row["measure"], row["margin"]) for row in rows] == [
        ("negative_predictive_value", "0.5")
    ] * 2
    alone = run_cli(*TWO[:7], "-f", "csv").stdout
    assert "margin" not in alone


def test_true_negatives_that_no_measure_needs():
    for command in (TWO[:7] + NEGATIVES[:2], TWO + NEGATIVES):
        done = run_cli(*command)
        assert "--tn is not used: precision, recall and F do not need it" in done.stderr
    assert not run_cli(*TWO, *NEGATIVES, "--measure", "specificity").stderr


def test_help_of_plan_and_dots():
    shown = " ".join(run_cli("plan", "--help").stdout.split())
    assert "guaranteed (default of one-sided bounds), betabinom-half (default of two-sided" in shown
    for command in (("plan",), ("counts",), ("report", "recall")):
        assert "….\n" not in run_cli(*command, "--help").stdout


# Options given twice
# ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_with_one_value_is_given_once(command):
    for option in find_command(command).params:
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag):
            for name in option.opts:
                given = (name, "1", option.opts[0], "2")
                assert_refused(
                    run_cli(*command.split(), *given),
                    f"{max(option.opts, key=len)} must be given once",
                )


def test_a_population_for_each_sample():
    both = run_cli(
        *("proportion", "12/1500", "30/1500", "-f", "csv"),
        *("--population", 90000, "--population", 60000),
    ).stdout.splitlines()
    alone = [
        run_cli("proportion", sample, "--population", size, "-f", "csv").stdout.splitlines()
        for sample, size in (("12/1500", 90000), ("30/1500", 60000))
    ]
    assert both == [*alone[0], alone[1][1]]
    assert_refused(
        run_cli(
            *("proportion", "12/1500", "30/1500", "1/9"),
            *("--population", 90000, "--population", 60000),
        ),
        "--population must be given once, or once for each sample",
    )
