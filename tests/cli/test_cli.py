"""The command line, as a user meets it."""

import csv
import io
import json
import os
import subprocess
import sys
import threading

import pytest
from commands import assert_refused, run_cli

import irbounds as irb
from irbounds.cli import main

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\nq9 Q0 d1 1 1 t\n"


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with qrels.txt and a.run; (exit status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def test_table(cli):
    status, out, err = cli("eval", "qrels.txt", "a.run", "-m", "AP RR", "-m", "NumRet", "--bounds")
    assert status == 0
    assert "0.3542 [0.2917, 0.4167]" in out
    assert err.splitlines() == [
        "irbounds: a.run: 1 query judged but missing from the run, counted as 0: q2",
        "irbounds: a.run: 1 query in the run but not judged, left out: q9",
    ]


def test_formats_carry_the_same_numbers(cli):
    ev = irb.evaluate("qrels.txt", "a.run", "AP RR", bounds=True)
    arguments = ("eval", "qrels.txt", "a.run", "-m", "AP RR", "--bounds", "--per-query", "-f")
    rows = list(csv.DictReader(io.StringIO(cli(*arguments, "csv")[1])))
    assert [row["query_id"] for row in rows] == ["q1", "q2", "all"]
    assert [float(rows[0][name]) for name in ("AP", "AP.low", "AP.high")] == [
        ev.values[0, 0],
        ev.low[0, 0],
        ev.high[0, 0],
    ]
    [report] = json.loads(cli(*arguments, "json")[1])
    assert report["values"] == ev.mean
    assert report["bounds"]["RR"] == list(ev.mean_bounds["RR"])
    assert report["queries"] == ev.to_dict()
    records = [json.loads(line) for line in cli(*arguments, "jsonl")[1].splitlines()]
    assert records[0] == {
        "run": "a.run",
        "query_id": "q1",
        "measure": "AP",
        "value": ev.values[0, 0],
        "low": ev.low[0, 0],
        "high": ev.high[0, 0],
    }
    assert records[-1].pop("settings")["measures"] == ["AP", "RR"]
    assert records[-1] == {
        "run": "a.run",
        "measure": "RR",
        "value": ev.mean["RR"],
        "low": ev.mean_bounds["RR"][0],
        "high": ev.mean_bounds["RR"][1],
    }
    latex = cli(*arguments, "latex")[1]
    assert latex.startswith(r"\begin{tabular}{llrr}")
    assert latex.count(r"\\") == 4


def test_a_sum_lies_within_its_bounds(cli):
    arguments = ("eval", "qrels.txt", "a.run", "-m", "NumRel NumRet", "--bounds", "-f")
    ev = irb.evaluate("qrels.txt", "a.run", "NumRel NumRet", bounds=True)
    assert ev.summary_bounds == {"NumRel": (3, 3), "NumRet": (3, 3)}
    assert "NumRel  3.0000  in [3.0000, 3.0000]" in repr(ev)
    [report] = json.loads(cli(*arguments, "json")[1])
    assert (report["values"], report["bounds"]) == (
        {"NumRel": 3, "NumRet": 3},
        {"NumRel": [3, 3], "NumRet": [3, 3]},
    )
    [row] = csv.DictReader(io.StringIO(cli(*arguments, "csv")[1]))
    assert (row["NumRel"], row["NumRel.low"], row["NumRel.high"]) == ("3.0", "3.0", "3.0")


def test_infinite_values_are_json(cli):
    [report] = json.loads(cli("eval", "qrels.txt", "a.run", "-m", "ESL(nr=1)", "-f", "json")[1])
    assert report["values"] == {"ESL(nr=1)": None}
    assert "∞" in cli("eval", "qrels.txt", "a.run", "-m", "ESL(nr=1)")[1]
    assert cli("eval", "qrels.txt", "a.run", "-m", "ESL(nr=1)", "-f", "csv")[1].startswith(
        "run,query_id,ESL(nr=1),settings\na.run,all,inf,"
    )


def test_a_query_named_all_is_no_summary(cli, tmp_path):
    for name in ("qrels.txt", "a.run"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace("q1", "all"))
    records = [
        json.loads(line)
        for line in cli("eval", "qrels.txt", "a.run", "-q", "-f", "jsonl", "-m", "AP")[
            1
        ].splitlines()
    ]
    assert [record.get("query_id") for record in records] == ["all", "q2", None]


@pytest.mark.parametrize("name", ["[x].txt", "*.txt"])
def test_a_row_of_latex_is_no_option_of_the_line_before(cli, tmp_path, name):
    (tmp_path / name).write_text(RUN)
    assert f"{{}}{name} & 0.3542 " in cli("eval", "qrels.txt", name, "-f", "latex")[1]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("tp,fp,fn\n9,1,1\n", "r" * 6),
        ("tp,fp,fn,category\n9,1,1,a\n8,2,1,b\n", "l" + "r" * 6),
        ("system,tp,fp,fn\nx,9,1,1\ny,8,2,1\n", "l" + "r" * 7),
        ("system,tp,fp,fn,category\nx,9,1,1,a\nx,8,2,1,b\ny,9,1,1,a\n", "ll" + "r" * 7),
    ],
)
def test_counts_set_names_left_and_numbers_right(cli, tmp_path, table, columns):
    (tmp_path / "table.csv").write_text(table)
    assert cli("counts", "table.csv", "-f", "latex")[1].startswith(
        rf"\begin{{tabular}}{{{columns}}}"
    )


def test_a_cell_without_end_is_one_line(cli, tmp_path):
    (tmp_path / "table.csv").write_text("tp,fp,fn\n" + "1" * 200_000 + ",1,1\n")
    assert cli("counts", "table.csv") == (
        2,
        "",
        "irbounds: table.csv: field larger than field limit (131072)\n",
    )


def test_output_appears_whole_or_not_at_all(cli, tmp_path):
    assert cli("eval", "qrels.txt", "a.run", "-f", "csv", "-o", "out.csv")[:2] == (0, "")
    assert (
        (tmp_path / "out.csv").read_text().startswith("run,query_id,AP,nDCG@10,P@10,RR,settings\n")
    )
    status, _, err = cli("eval", "qrels.txt", "a.run", "-o", "none/out.csv")
    assert status == 2
    assert err.splitlines()[-1].startswith("irbounds: none/")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.run", "out.csv", "qrels.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", "qrels.txt", "b.run"), "b.run: No such file or directory"),
        (
            ("eval", "a.run", "qrels.txt"),
            "a.run:1: expected 4 columns (query_id 0 doc_id relevance), found 6; "
            "this looks like a run: are qrels and run swapped?",
        ),
        (
            ("eval", "qrels.txt", "a.run", "-m", "AP@0"),
            "'AP@0': the cut-off must be a whole number, 1 or more; found 0",
        ),
        (
            ("eval", "qrels.txt", "a.run", "--ties", "name"),
            "--ties must be one of 'expected', 'best', 'worst', 'doc_id', 'given'; found 'name'",
        ),
        (("eval", "-", "-"), "standard input can be read once only: `-` was given twice"),
        (("eval", "qrels.txt"), "RUNS is missing; --help shows the usage"),
        (("evaluate",), "No such command 'evaluate'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(cli, arguments, message):
    status, out, err = cli(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith(f"irbounds: {message}")


def test_measures_and_version(cli):
    status, out, _ = cli("measures")
    assert status == 0
    assert all(info.name in out for info in irb.measures())
    few = json.loads(cli("measures", "nDCG@10 map_cut_5", "nDCG", "PRR", "-f", "json")[1])
    assert [item["name"] for item in few] == ["nDCG", "AP", "PRR"]
    assert cli("measures", "nDGC")[:2] == (2, "")
    listed = json.loads(cli("measures", "-f", "json")[1])
    rows = list(csv.DictReader(io.StringIO(cli("measures", "-f", "csv")[1])))
    assert [json.loads(row["parameters"]) for row in rows] == [one["parameters"] for one in listed]
    assert [item["name"] for item in listed] == [info.name for info in irb.measures()]
    assert cli("--version") == (0, f"irbounds {irb.__version__}\n", "")
    status, out, err = cli("--help")
    assert (status, err) == (0, "")
    assert "eval" in out
    assert cli() == cli("-h") == (0, out, "")
    assert cli("eval", "-h") == cli("eval", "--help")
    assert "P@10" in cli("eval", "-h")[1]  # the default, which was taken for markup


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "irbounds", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_standard_input_of_a_real_process(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    process = start(
        "eval", "qrels.txt", "-", "-m", "AP", "-f", "csv", stdin=subprocess.PIPE, cwd=tmp_path
    )
    out, _ = process.communicate(RUN.encode())
    assert process.returncode == 0
    assert out.decode().splitlines()[1].startswith("-,all,0.354")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of this kind are of Unix")
def test_a_closed_pipe_is_no_error(tmp_path):
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 d 1\n" for i in range(20000)))
    (tmp_path / "a.run").write_text("".join(f"q{i} Q0 d 1 1 t\n" for i in range(20000)))
    process = start("eval", "qrels.txt", "a.run", "-q", "-f", "csv", cwd=tmp_path)
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a name of Unix")
def test_a_pipe_as_input_file(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    os.mkfifo(tmp_path / "pipe")
    process = start("eval", "qrels.txt", "pipe", "-m", "AP", "-f", "csv", cwd=tmp_path)
    threading.Thread(target=(tmp_path / "pipe").write_text, args=(RUN,), daemon=True).start()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"pipe,all,0.354" in out


def test_an_unknown_measure_names_the_command_that_lists_them():
    for command in (("measures",), ("eval", "a", "b", "-m")):
        refused = run_cli(*command, "tn@10")
        assert_refused(refused, "unknown measure 'tn@10'; `irbounds measures` lists all")
