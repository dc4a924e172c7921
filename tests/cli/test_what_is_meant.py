"""Counts as they are observed, label files that do not match, and words of other tools."""

import json
import pickle

import pytest
from commands import assert_refused, run_cli

import irbounds as irb


def refused(*arguments):
    done = run_cli(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr


# Counts
# ----------------------------------------------------------------------------------------


def test_counts_shows_what_was_observed():
    done = run_cli("counts", "--tp", 5, "--fp", 0, "--fn", 1)
    line = done.stdout.splitlines()[3].split()
    assert line[:4] == ["5", "0", "1", "1.0000"]
    assert line[4:7] == ["[0.6206,", "1.0000]", "0.8333"]
    [row] = json.loads(run_cli("counts", "--tp", 5, "--fp", 0, "--fn", 1, "-f", "json").stdout)[
        "rows"
    ]
    assert [row[name] for name in ("tp", "fp", "fn", "precision.observed", "prior")] == [
        5,
        0,
        1,
        1,
        0.5,
    ]
    assert row["F1.observed"] == pytest.approx(10 / 11)
    header = run_cli("counts", "--tp", 5, "--fp", 0, "--fn", 1, "-f", "csv").stdout.split("\n")[0]
    assert {"tp", "precision.observed", "recall.observed", "F1.observed", "prior"} <= {
        *header.split(",")
    }
    empty = run_cli("counts", "--tp", 0, "--fp", 0, "--fn", 0)
    assert "all counts are 0: the numbers are those of the prior alone" in empty.stderr
    assert empty.stdout.splitlines()[3].split()[3] == "—"


def test_rows_that_cannot_be_computed_are_left_out():
    done = run_cli(
        *("counts", "--tp", 5, "--fp", 0, "--fn", 1, "--tp", 4, "--fp", 1, "--fn", 1),
        *("--prior", "1e-5", "--beta", 2),
    )
    assert done.returncode == 0
    assert "left out: P(A better than B): the prior must be 0.0001 or more" in done.stderr
    assert "0.8621" in done.stdout


@pytest.mark.parametrize(
    ("truth", "prediction", "message"),
    [
        ("label 1 0 1", "pred 1 0 0", "truth:1: expected a label, found the header 'label'"),
        (
            "yes no yes no",
            "prediction yes no no",
            "prediction:1: expected a label, found the header",
        ),
        ("1 0 1", "1 NA 0", "prediction:2: expected a label, found 'NA': it is missing"),
        ("1 ? 1", "1 0 0", "truth:2: expected a label, found '?': it is missing"),
        ("1 0 1", "0.9 0.2 0.7", "apply a threshold"),
        ("1 0 1", "yes no no", "never has the label '1', and has labels that --truth never has"),
        ("0 2 0", "0 1 0", "truth: no object has the label '1': give the relevant label with"),
    ],
)
def test_label_files_that_do_not_match(tmp_path, monkeypatch, truth, prediction, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth").write_text(truth.replace(" ", "\n"))
    (tmp_path / "prediction").write_text(prediction.replace(" ", "\n"))
    assert message in refused(
        *("counts", "--truth", "truth", "--prediction", "prediction"),
        *("--positive", "yes" if "yes" in truth else "1"),
    )


def test_equal_numbers_are_one_label_in_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth").write_bytes("1\n0\n1\n0\n".encode("utf-16"))
    for name in ("1.0 0.0 0.0 +1", "True False False True", "1 0 0 01"):
        (tmp_path / "prediction").write_text(name.replace(" ", "\n"))
        done = run_cli("counts", "--truth", "truth", "--prediction", "prediction")
        assert done.stdout.splitlines()[3].split()[:4] == ["1"] * 4, done


# Words of other tools, and what people type
# ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("counts 10 5 3", "unexpected arguments 5 3: write --tp 10 --fp 5 --fn 3"),
        ("counts 90 10 30 870", "write --tp 90 --fp 10 --fn 30 --tn 870"),
        (
            "recall 500/50/40 2000/100/3",
            "unexpected argument 2000/100/3: write --retrieved 500/50/40 --unretrieved 2000/100/3",
        ),
        ("recall 500/50/40", "write --retrieved 500/50/40 --unretrieved SIZE/SAMPLED/RELEVANT"),
        ("recall --unretrieved 9/9/1", "for elusion alone give --retrieved 0/0/0"),
        (
            "eval -m AP RR q r",
            'RR: No such file; a list of measures needs quotes, as in -m "AP RR"',
        ),
        ("eval q r --metrics AP", "No such option '--metrics', did you mean '--measures'?"),
        ("recall t.csv --level .9", "did you mean '--confidence-level'?"),
        ("report qrels.txt", "No such command 'qrels.txt': write one of runs, recall, review"),
    ],
)
def test_what_is_meant_is_said(arguments, message):
    assert message in refused(*arguments.split())


def test_workbooks_as_runs(tmp_path):
    (tmp_path / "q").write_text("q 0 A 1\n")
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04" + bytes(100))
    for files in (("q", "t.xlsx"), ("t.xlsx", "q")):
        message = refused("eval", *(tmp_path / name for name in files))
        assert "this is an Excel workbook or a zip archive: save it as CSV" in message


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("beta", "clopper-pearson"),
        ("exact", "clopper-pearson"),
        ("binom_test", "clopper-pearson"),
        ("clopper_pearson", "clopper-pearson"),
        ("Clopper-Pearson", "clopper-pearson"),
        ("normal", "wald"),
        ("agresti_coull", "agresti-coull"),
        ("jeffrey", "jeffreys"),
        ("Wilson", "wilson"),
        ("wilsoncc", "wilson-cc"),
        ("midp", "mid-p"),
    ],
)
def test_methods_by_names_of_other_libraries(word, meant):
    with pytest.raises(irb.InputError, match=rf"found '{word}' \(did you mean '{meant}'\?\)"):
        irb.binomial_interval(2, 10, method=word)


def test_errors_say_where_users_find_them():
    assert irb.InputError.__module__ == irb.InputFileError.__module__ == "irbounds"
    error = pickle.loads(pickle.dumps(irb.InputFileError("x")))
    assert type(error) is irb.InputFileError
    assert "0.9999999 two-sided" in repr(irb.binomial_interval(0, 9, confidence_level=1 - 1e-7))


def test_the_certificate_names_its_own_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.txt").write_text("1\n0\n0\n1\n")
    report = ("report", "review", "l.txt", "--population", 100, "--target", 0.5, "-o")
    assert run_cli(*report, "mine.html").returncode == 0
    page = (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert "-o mine.html" in page
    assert run_cli(*report, "-").stdout.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("delimiter", ",;\t")
def test_files_of_labels_have_no_ids(tmp_path, monkeypatch, delimiter):
    """Each line would be a class of its own."""
    monkeypatch.chdir(tmp_path)
    for name, labels in (("a", "110"), ("b", "101")):
        rows = [f"d{i}{delimiter}{label}\n" for i, label in enumerate(labels)]
        (tmp_path / name).write_text("".join(rows))
    done = run_cli("counts", "--truth", "a", "--prediction", "b")
    assert_refused(done, "a:1: expected a label alone, found 'd0")
    for name in "ab":
        (tmp_path / name).write_text(f"red{delimiter} blue\nred{delimiter} blue\ngreen\n")
    done = run_cli("counts", "--truth", "a", "--prediction", "b", "--positive", "green")
    assert done.returncode == 0
