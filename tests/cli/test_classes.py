"""`irbounds counts` for one label of several classes."""

import json

import pytest
from commands import assert_refused, run_cli

from irbounds.counts import ConfusionPosterior, PairedConfusion

TRUTH, A, B = (list(x) for x in ("aabbbcccaa" * 3, "aabbacccab" * 3, "ababbcbcaa" * 3))


@pytest.fixture
def files(tmp_path):
    for name, labels in (("truth", TRUTH), ("a", A), ("b", B)):
        (tmp_path / f"{name}.txt").write_text("\n".join(labels) + "\n")
    return [str(tmp_path / f"{name}.txt") for name in ("truth", "a", "b")]


def test_labels_of_several_classes(files):
    truth, a, b = files
    done = run_cli("counts", "--truth", truth, "--prediction", a, "--prediction", b, "-f", "json")
    rows = json.loads(done.stdout)["rows"]
    assert [row["class"] for row in rows[:6]] == [
        *("a", "b", "c", "(accuracy)", "(macro-average)", "(weighted average)")
    ]
    post = ConfusionPosterior.from_labels(TRUTH, A)
    assert [rows[4]["f.low"], rows[4]["f.high"]] == list(post.f("macro").interval())
    assert rows[3]["f.observed"] == 24 / 30
    assert rows[0]["objects"] == 12
    pair = PairedConfusion.from_labels(TRUTH, A, B)
    better = [row for row in rows[10].values() if row == pair.prob_superior().probability]
    assert better
    text = run_cli("counts", "--truth", truth, "--prediction", a).stdout
    assert "(macro-average)" in text
    assert "P(first better" not in text


def test_one_relevant_label_is_as_before(files):
    truth, a, _ = files
    done = run_cli("counts", "--truth", truth, "--prediction", a, "--positive", "b", "-f", "json")
    assert json.loads(done.stdout)["rows"][0]["tp"] == 6


@pytest.mark.parametrize("options", [(), ("--positive", "b")])
def test_a_table_of_labels_is_as_its_columns_in_files(files, tmp_path, options):
    table = tmp_path / "labels.csv"
    rows = [f"{i},{','.join(own)}" for i, own in enumerate(zip(TRUTH, A, B, strict=True))]
    table.write_text("\n".join(["id,Truth,a,b", *rows]) + "\n")
    truth, a, b = files
    named = ("--truth", truth, "--prediction", a, "--prediction", b)
    done = run_cli("counts", str(table), *options, "-f", "json")
    assert "the column 'id' is left out, as its cells all differ" in done.stderr
    found = json.loads(done.stdout)
    expected = json.loads(run_cli("counts", *named, *options, "-f", "json").stdout)
    for row in expected["rows"]:
        row["system"] = row["system"].rpartition("/")[2].removesuffix(".txt")
    assert found == expected


def test_tables_of_labels_are_refused_where_something_else_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text, said in (
        ("apart.csv", "truth,a\n1,x\n0,x\n", "no label of the column 'a' is one of 'truth'"),
        ("short.csv", "truth,a\n1,1\n0\n", "short.csv:3: expected 2 columns, found 1"),
        ("empty.csv", "truth,a\n1,1\n0,\n", "empty.csv:3: expected a label, found ''"),
        ("bare.csv", "truth,a\n", "expected a column of labels for each system, and rows"),
    ):
        (tmp_path / name).write_text(text)
        assert_refused(run_cli("counts", name), said)
    for name in ("truth.csv", "a.csv"):
        (tmp_path / name).write_text("truth,a\n1,1\n1,0\n0,1\n")
    done = run_cli("counts", "--truth", "truth.csv", "--prediction", "a.csv")
    assert_refused(done, "as irbounds counts truth.csv")


def test_tables_of_truth_by_prediction(tmp_path):
    (tmp_path / "k.csv").write_text("truth,a,b,c\na,50,3,2\nb,4,30,1\nc,0,2,8\n")
    done = run_cli("counts", "--confusion", tmp_path / "k.csv", "-f", "json")
    rows = json.loads(done.stdout)["rows"]
    post = ConfusionPosterior([[50, 3, 2], [4, 30, 1], [0, 2, 8]], ["a", "b", "c"])
    assert rows[2]["recall.low"] == post.recall("c").interval().low
    assert rows[3]["precision"] == post.accuracy().mean


def test_what_is_no_table_is_refused(tmp_path, files):
    for text, message in (
        ("truth,a,b\nb,1,2\na,3,4\n", "in the same order"),
        ("truth,a,b\na,1\nb,3,4\n", "expected 3 cells, found 2"),
        ("truth,a,b\na,1,x\nb,3,4\n", "expected counts"),
    ):
        (tmp_path / "k.csv").write_text(text)
        done = run_cli("counts", "--confusion", tmp_path / "k.csv")
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert message in done.stderr
    truth, a, _ = files
    done = run_cli("counts", "--truth", truth, "--prediction", a, "--kind", "hpd")
    assert "--kind is for one relevant label" in done.stderr
    done = run_cli("counts", "--confusion", truth, "--tp", "3")
    assert "not several of them" in done.stderr


def test_three_numbers_are_classes_and_it_is_said(tmp_path):
    """1 among other labels is not taken as the relevant one without a word."""
    for name, labels in (("truth", "0120122"), ("a", "0110121")):
        (tmp_path / name).write_text("\n".join(labels) + "\n")
    arguments = (
        "counts",
        "--truth",
        tmp_path / "truth",
        "--prediction",
        tmp_path / "a",
        "-f",
        "json",
    )
    done = run_cli(*arguments)
    assert "3 labels: all are classes; --positive LABEL takes one alone" in done.stderr
    assert json.loads(done.stdout)["rows"][3]["class"] == "(accuracy)"
    done = run_cli(*arguments, "--positive", "1")
    assert done.stderr == ""
    assert json.loads(done.stdout)["rows"][0]["tp"] == 2
