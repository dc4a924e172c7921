"""`irbounds stop` and `irbounds certify`."""

import json
from types import SimpleNamespace

import pytest
from commands import assert_refused
from commands import run_cli as run_process

import irbounds as irb
from irbounds.cli import main


@pytest.fixture
def run_cli(capsys):
    """`irbounds` with some arguments, in this process."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return SimpleNamespace(returncode=stop.value.code, stdout=captured.out, stderr=captured.err)

    return run


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("1\n" * 20 + "0\n" * 100)
    return path


def cells(done):
    return [line.split() for line in done.stdout.splitlines()]


def test_the_first_stop_is_not_told_of_one_look(run_cli, tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("1\n" * 20 + "0\n" * 280)

    def first(*options):
        done = run_cli("stop", path, "--population", 400, "--target", 0.5, "-f", "json", *options)
        return [one["first_stop"] for one in json.loads(done.stdout)]

    assert first("--method", "buscar") == [70]
    assert first("--method", "buscar", "--odds", 2) == [None]
    assert first("--method", "both", "--odds", 2)[1] is None
    assert first("--method", "buscar", "--odds", 2, "--curve") == [47]


def test_a_position_twice_names_its_rows(run_cli, tmp_path):
    path = tmp_path / "control.csv"
    path.write_text("position\n5\n9\n5\n")
    done = run_cli("certify", path, "--found", 3)
    assert_refused(done, "control.csv:4: position 5 again; it is that of")


def test_one_control_document(run_cli):
    done = run_cli("certify", "--found", 1)
    assert "  1 relevant control document is too few" in done.stdout


def test_stop_certified(run_cli, labels):
    done = run_cli("stop", labels, "--population", 200, "--target", 0.5)
    assert done.returncode == 0
    assert ["certified", "120", "20", "0.5128", "39", "—", "yes"] in cells(done)
    assert "stopped first after 116 documents" in done.stdout
    done = run_cli("stop", labels, "--population", 200)
    assert done.returncode == 1
    assert "target not yet certified" in done.stdout


def test_stop_by_both_rules(run_cli, labels):
    done = run_cli("stop", labels, "--population", 200, "--method", "both", "--format", "json")
    certified, buscar = json.loads(done.stdout)
    assert (certified["total_bound"], certified["may_stop"]) == (39, False)
    assert 0 < buscar["value"] < 1
    assert "buscar: p was computed after every document" in done.stderr
    done = run_cli("stop", labels, "--population", 200, "--curve", "--format", "csv")
    assert len(done.stdout.splitlines()) == 121
    options = ("--population", 200, "--method", "buscar", "--odds", 5, "--format", "json")
    [biased] = json.loads(run_cli("stop", labels, *options).stdout)
    assert biased["value"] < buscar["value"]


def test_stop_from_standard_input():
    done = run_process("stop", "-", "--population", 3, text="1\n0\n0\n")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("1\n2\n", ["--population", 5], ":2: a label must be 0 or 1; found '2'"),
        ("1\n0\n", [], "--population is needed"),
        ("1\n0\n", ["--population", 1], "LABELS must be at most --population, 1 documents"),
        ("1\n0\n", ["--population", 5, "--target", 0], "must be above 0 and at most 1"),
        ("1\n0\n", ["--population", 5, "--odds", 2], "--odds is for --method buscar or both"),
        ("1\n0\n", ["--population", 5, "--method", "x"], "--method"),
    ],
)
def test_hostile_labels_are_one_line(run_cli, tmp_path, text, arguments, message):
    path = tmp_path / "labels.txt"
    path.write_text(text)
    assert_refused(run_cli("stop", path, *arguments), message)


def test_certify(run_cli, tmp_path):
    done = run_cli("certify", "--found", 30, "--target", 0.8)
    assert "stop when the review has read 28 of 30 relevant" in done.stdout
    done = run_cli("certify", "--found", 13)
    assert "all 13 relevant control documents are too few" in done.stdout
    done = run_cli("certify", "--prevalence", 0.01)
    assert ["14", "14", "1400", "0.9333"] in cells(done)
    path = tmp_path / "control.csv"
    path.write_text("position\n" + "".join(f"{10 * j}\n" for j in range(1, 29)))
    done = run_cli("certify", path, "--found", 30)
    text = " ".join(done.stdout.split())
    assert "recall 0.8 is certified after 280 documents, with the rank 28" in text
    # the row of that rank says less, and a note why
    [last] = [row for row in cells(done) if row[:2] == ["28", "280"]]
    assert float(last[2]) < 0.8
    assert "each says less than the certificate, which is of one rank that was fixed" in text
    assert done.returncode == 0
    done = run_cli("certify", path, "--found", 30, "--format", "json")
    assert json.loads(done.stdout)["certified_at"] == 280
    # 28 that were reached say nothing where the size of the whole sample is not known
    assert_refused(run_cli("certify", path), "a table needs --found, the number of relevant")
    done = run_cli("certify", path, "--found", 31)
    assert "the review may not stop yet: 28 of the 29 needed" in done.stdout
    assert done.returncode == 1
    few = tmp_path / "few.csv"
    few.write_text("position\n5\n9\n")
    done = run_cli("certify", few, "--found", 2, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["rank"]) == (1, None)
    # a plan and a rank decide nothing
    for plan in (("--found", 30), ("--found", 13), ("--prevalence", 0.01)):
        assert run_cli("certify", *plan).returncode == 0
    help = " ".join(run_cli("certify", "--help").stdout.split())
    assert "the exit status is 0 if the target is certified, 1 if not yet" in help
    on_average = ["certify", path, "--found", 31, "--guarantee", "mean"]
    assert "mean recall 0.8 is certified after" in run_cli(*on_average).stdout
    for words in (on_average, ["certify", "--found", 30, "--guarantee", "mean"]):
        text = " ".join(run_cli(*words).stdout.split())
        assert "the recall of this review may be below it" in text
    document = json.loads(run_cli(*on_average, "--format", "json").stdout)
    assert document["guarantee"] == "mean"
    assert_refused(run_cli("certify"), "give --found, --prevalence, or a table of positions")
    assert_refused(run_cli("certify", path, "--prevalence", 0.1), "give it without a table")


def test_weighted_recall(run_cli, tmp_path):
    path = tmp_path / "found.csv"
    rows = ["retrieved,0.1"] * 40 + ["unretrieved,0.05"] * 3
    path.write_text("segment,probability\n" + "\n".join(rows) + "\n")
    done = run_cli("recall", "--weighted", path, "--format", "json")
    document = json.loads(done.stdout)
    assert [document["low"], document["high"]] == pytest.approx([0.67981509, 0.97117065], abs=5e-9)
    options = ("--largest-weight", 10, "--largest-weight", 40)
    path.write_text("segment,probability\nretrieved,0.5\n" + "unretrieved,0.5\n" * 2)
    shown = " ".join(run_cli("recall", "--weighted", path).stdout.split())
    assert "from 1 relevant document among the retrieved and 2 among the others" in shown
    path.write_text("segment,probability\n" + "\n".join(rows) + "\n")
    wider = json.loads(run_cli("recall", path, "--weighted", *options, "--format", "json").stdout)
    assert wider["low"] < document["low"]
    assert_refused(run_cli("recall", "--weighted"), "needs a table with columns")
    assert_refused(run_cli("recall", path, "--largest-weight", 5), "is for --weighted")
    for option in (("--target", 0.8), ("--method", "koopman"), ("--all-methods",)):
        done = run_cli("recall", path, "--weighted", *option)
        assert_refused(done, f"--weighted does not take {option[0]}")
    path.write_text("segment,probability\nretrieved,0\nunretrieved,0.1\n")
    assert_refused(run_cli("recall", "--weighted", path), ":2: probability must be above 0")


def test_weighted_recall_of_all_documents_of_the_sample(run_cli, tmp_path):
    """Rows of documents that are not relevant only tell the weights, 1/0.1 and 1/0.02."""
    path = tmp_path / "sample.csv"
    rows = ["retrieved,0.1,1"] * 40 + ["retrieved,0.2,0"] * 9 + ["unretrieved,0.05,1"] * 3
    rows += ["unretrieved,0.02,0"]
    path.write_text("segment,probability,relevant\n" + "\n".join(rows) + "\n")
    found = json.loads(run_cli("recall", "--weighted", path, "--format", "json").stdout)
    interval = irb.samples.weighted_recall_interval([0.1] * 40, [0.05] * 3, (10, 50))
    assert [found["low"], found["high"]] == pytest.approx([interval.low, interval.high])
    assert found["found"] == [40, 3]
    path.write_text("segment,probability,relevant\nretrieved,0.1,2\nunretrieved,0.1,1\n")
    assert_refused(run_cli("recall", "--weighted", path), ":2: relevant must be 0 or 1; found '2'")
