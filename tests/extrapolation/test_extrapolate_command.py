"""`irbounds extrapolate` and the pictures of extrapolated precision."""

import csv
import io
import json
import warnings

import pytest
from outward import high_end, low_end

import irbounds as irb
from irbounds.extrapolation import (
    cost_interval,
    documents_to_review,
    extrapolate_precision,
    extrapolate_run,
    extrapolated_precision_interval,
)
from irbounds.warnings import ExtrapolationWarning
from tests.commands import assert_refused, run_cli

A, B = (500, 50, 40), (2000, 100, 3)


def test_command_for_points():
    done = run_cli(
        *("extrapolate", "--recall", 0.7, "--precision", 0.5, "--recall", 0.82),
        *("--precision", 0.38, "--prevalence", 0.03, "--population"),
        10**6,
        "--per-document",
        1.5,
        "-f",
        "csv",
    )
    assert done.stderr == ""
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["system"] for row in rows] == ["A", "B"]
    X = extrapolate_precision(0.82, 0.38, 0.03, 0.75)
    assert float(rows[1]["X(0.75)"]) == X
    assert float(rows[1]["documents"]) == documents_to_review(10**6, 0.03, 0.75, X)
    assert float(rows[1]["cost"]) == 1.5 * float(rows[1]["documents"])


def test_command_for_samples(tmp_path):
    strata = tmp_path / "strata.csv"
    strata.write_text(
        "segment,size,sampled,relevant\nretrieved,500,50,40\nunretrieved,2000,100,3\n"
    )
    picture = tmp_path / "band.svg"
    done = run_cli("extrapolate", strata, "--per-relevant", 2, "-f", "json", "--plot", picture)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    found = {
        row["measure"]: (row["estimate"], row["low"], row["high"]) for row in report["intervals"]
    }
    expected = cost_interval(A, B, 0.75, per_relevant=2)
    assert found["cost"] == (expected.estimate, expected.low, expected.high)
    assert list(found) == ["recall", "precision", "X(0.75)", "documents", "cost"]
    assert picture.read_text().count("<path") > 5
    shown = run_cli("extrapolate", "--retrieved", "500/50/40", "--unretrieved", "2000/100/3")
    at_target = extrapolated_precision_interval(A, B, 0.75)
    ends = f"{low_end(at_target.low)}   {high_end(at_target.high)}"
    assert f"X(0.75)       {at_target.estimate:.4f}   {ends}" in shown.stdout
    strata.write_text("segment,N,n,r\nretrieved,500,50,40\nunretrieved,2000,100,3\n")
    assert run_cli("extrapolate", strata).stdout == shown.stdout


def test_command_has_no_estimate_from_a_clean_sample_f5():
    done = run_cli(
        *("extrapolate", "--retrieved", "3945/200/6", "--unretrieved", "8862/400/0"),
        *("--target-recall", 0.754),
    )
    assert done.returncode == 0
    assert "X(0.754)           —   0.0155   1.0000" in done.stdout
    assert "documents          —" in done.stdout
    assert done.stderr == (
        "irbounds: extrapolated precision has no estimate, only an interval: the sample of the "
        "unretrieved segment has "
        "no relevant document, which makes recall 1\n"
    )


@pytest.mark.long
def test_command_warns_and_refuses(tmp_path):
    done = run_cli("extrapolate", "--recall", 0.3, "--precision", 0.5, "--prevalence", 0.03)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "irbounds: extrapolated precision is unreliable: recall 0.3 is far from the target"
    )
    points = tmp_path / "points.csv"
    points.write_text("system,recall,precision,prevalence\nx,.7,.5,.03\ny,.8,.01,.03\n")
    assert_refused(
        run_cli("extrapolate", points), "points.csv:3: `precision` must be above prevalence"
    )
    assert_refused(
        run_cli("extrapolate", "--recall", 0.7, "--prevalence", 0.03), "--precision is missing"
    )
    assert_refused(run_cli("extrapolate", points, "--recall", 0.5), "not several of them")
    assert_refused(
        run_cli(
            "extrapolate", "--recall", 0.7, "--precision", 0.5, "--prevalence", 0.03, "--fixed", 3
        ),
        "cost needs --population",
    )
    assert_refused(
        run_cli(
            *("extrapolate", "--recall", 0.7, "--precision", 0.5, "--precision", 0.4),
            *("--prevalence", 0.03),
        ),
        "found 1 of --recall, 2 of --precision",
    )
    point = ("extrapolate", "--recall", 0.7, "--precision", 0.5, "--prevalence", 0.03)
    assert_refused(run_cli(*point, "--method", "koopman"), "--method is for samples")
    samples = ("extrapolate", "--retrieved", "500/50/40", "--unretrieved", "2000/100/3")
    for option, value, message in (
        ("method", "koopman", "--method must be one of 'betabinom-half', 'betabinom-unif"),
        ("confidence-level", 3, "--confidence-level must be between 0 and 1"),
        ("side", "left", "--side must be one of"),
        ("engine", "x", "--engine must be one"),
        ("draws", 0, "--draws must be a whole number"),
        ("seed", -1, "--seed must be"),
    ):
        assert_refused(run_cli(*samples, f"--{option}", value), message)


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    from irbounds.plot.curves import extrapolated_run, reference_band, reference_curves

    ax = reference_curves([0.5, 0.7], [0.6, 0.7], 0.03, 0.75, labels=["A", "B"])
    target = [
        line
        for line in ax.get_lines()
        if line.get_xdata()[0] == 0.75 and line.get_marker() != "None"
    ]
    assert target[1].get_ydata()[0] == pytest.approx(extrapolate_precision(0.7, 0.7, 0.03, 0.75))
    ax = reference_band(A, B, 0.75, rng=1)
    bar = ax.collections[1].get_segments()[0][:, 1]
    expected = extrapolated_precision_interval(A, B, 0.75)
    assert bar == pytest.approx([expected.low, expected.high], abs=0.02)
    assert ax.get_xlabel() == "recall"
    with pytest.raises(irb.InputError, match="no reference curve"):
        reference_band((500, 50, 0), B)
    with pytest.raises(irb.InputError, match="`labels` must be one for each of the 1 points"):
        reference_curves(0.5, 0.6, 0.03, labels=["A", "B"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        found = extrapolate_run(
            {"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "b": 1, "c": 3}}, 0.5, collection_size=100
        )
    assert len(extrapolated_run(found).get_lines()) == 3
    with pytest.raises(irb.InputError, match="`query_id` must be a query of the run"):
        extrapolated_run(found, "x")
