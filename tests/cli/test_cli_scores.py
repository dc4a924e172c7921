"""`--scores`: a table of scores in place of judgments and runs."""

import json
import math
from pathlib import Path

import pytest
from commands import assert_refused, run_cli

from irbounds.rankings import read_scores

ROWS = "\n".join(f"{i},{i % 5 / 4},{(i * 7) % 5 / 4},{i % 2}" for i in range(60))


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(f"unit,A,B,C\n{ROWS}\n")
    long = [f"{name},{i},acc,{i % 2}" for name in "AB" for i in range(20)]
    long += [f"{name},{i},ms,{i}" for name in "AB" for i in range(20)]
    (tmp_path / "long.csv").write_text("m,unit,measure,score\n" + "\n".join(long))


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("eval --scores scores.csv --interval", 0, "C     0.5000 (0.3"),
        ("eval --scores scores.csv", 0, "60 queries; 95 % intervals"),
        ("compare --scores scores.csv --baseline A", 0, "3 runs on 60 queries; permutation"),
        ("compare --scores scores.csv --ranks", 0, "P(best)"),
        ("gate --scores scores.csv --baseline A --new B --margin .5", 0, "pass: 60 queries"),
        ("gate --scores scores.csv --baseline A --new C", 3, "unclear: 60 queries"),
        ("plan-queries --scores scores.csv --baseline A --new C --difference .1", 0, "0.1"),
        ("plan-queries --scores scores.csv --new A --half-width .1", 0, "interval of the mean,"),
        ("eval --scores long.csv --columns system=m -m ms", 0, "9.5000"),
    ],
)
def test_commands_that_take_a_table(words, status, said):
    done = run_cli(*words.split())
    assert (done.returncode, done.stderr) == (status, "")
    assert said in done.stdout
    assert "ties" not in done.stdout


@pytest.mark.parametrize(("moved", "status"), [(0.3, 3), (0.0, 0)])
def test_a_gate_is_unclear_where_a_repeat_moves_all_differences(moved, status, tmp_path):
    rows = ["system,unit,repeat,score"]
    for unit in range(60):
        for repeat in range(3):
            noise = (unit * 7 + repeat * 3) % 11 / 100
            rows.append(f"A,{unit},{repeat},{unit % 5 / 10 + noise}")
            gain = 0.1 + moved * (repeat - 1) * 0.2 + (unit * 5 + repeat * 4) % 13 / 300
            rows.append(f"B,{unit},{repeat},{unit % 5 / 10 + noise + gain}")
    (tmp_path / "s.csv").write_text("\n".join(rows))
    done = run_cli("gate", "--scores", tmp_path / "s.csv", "--baseline", "A", "--new", "B")
    assert done.returncode == status
    assert ("the differences of a repeat move together" in done.stdout) == (status == 3)


@pytest.mark.usefixtures("table")
def test_what_machines_read():
    words = "compare --scores scores.csv -f json"
    found = json.loads(run_cli(*words.split()).stdout)
    assert found["scores"][0]["name"] == "scores.csv"
    assert len(found["scores"][0]["sha256"]) == 64
    assert [one["run"] for one in found["differences"]] == ["B", "C", "C"]
    found = json.loads(run_cli("eval", "--scores", "scores.csv", "-f", "json").stdout)
    assert [one["values"] for one in found][2] == {"score": 0.5}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("eval qrels.txt a.run --scores scores.csv", "--scores takes the place of QRELS and runs"),
        ("eval --scores scores.csv --ties best", "--ties is for runs, not for --scores"),
        ("eval --scores scores.csv --missing zero", "--missing must be error or skip"),
        ("eval --scores scores.csv --columns query_id=a", "--columns must name system, unit,"),
        ("eval --scores none.csv", "none.csv: No such file"),
        ("eval --scores scores.csv -m AP", "the table has no measure 'AP'; it has score"),
        ("eval q r --lower-is-better", "--lower-is-better needs --scores"),
        ("gate --scores scores.csv --baseline A --new D", "--new must be one of the systems"),
        ("gate --scores scores.csv --new B", "--baseline must be one of the systems, A, B, C"),
        ("gate q a b --new B", "--baseline and --new need --scores"),
        ("compare --scores scores.csv --baseline D", "`baseline` must be one of"),
        ("compare --scores scores.csv --columns score=A", "one system, scores.csv: compare needs"),
        ("plan-queries --scores scores.csv --difference .1", "a pilot needs two systems"),
        ("plan-queries --sd 1 --new A --difference .1", "--baseline, --new, --columns"),
    ],
)
def test_what_is_refused(words, message):
    done = run_cli(*words.split())
    assert_refused(done, message.replace("`baseline`", "--baseline"))


@pytest.mark.usefixtures("table")
def test_the_page():
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    words = "report runs --scores scores.csv --date 2026-01-31 -o page.html"
    done = run_cli(*words.split())
    assert (done.returncode, done.stderr) == (0, "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Comparison of systems" in page
    assert "Recall and precision" not in page
    assert "ties" not in page.split("<style")[0] + page.split("</style>")[-1].split("<svg")[0]


def test_a_column_of_groups_is_the_sample(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(i, i // 4, (i // 4 * 7) % 10 / 10, (i // 4 * 3) % 10 / 10) for i in range(80)]
    lines = [",".join(map(str, row)) for row in rows]
    Path("a.csv").write_text("unit,group,A,B\n" + "\n".join(lines))
    Path("b.csv").write_text("unit,A,B\n" + "\n".join(f"{i},{a},{b}" for i, _, a, b in rows))
    Path("groups.csv").write_text("query,group\n" + "\n".join(f"{i},{g}" for i, g, *_ in rows))
    for words in (
        "eval --scores {} --interval",
        "compare --scores {} --test t",
        "gate --scores {} --baseline A --new B",
        "plan-queries --scores {} --difference .1",
    ):
        of_column = run_cli(*words.format("a.csv").split())
        of_file = run_cli(*words.format("b.csv --groups groups.csv").split())
        without = run_cli(*words.format("b.csv").split())
        assert of_column.stdout == of_file.stdout != without.stdout
        assert of_column.returncode == of_file.returncode
        assert "group" in of_column.stdout
    without_interval = run_cli("eval", "--scores", "a.csv").stdout
    assert without_interval != run_cli("eval", "--scores", "b.csv").stdout
    found = read_scores("a.csv")
    groups = [found.groups[unit] for unit in found["A"].query_ids]
    ends = [found[name].interval("score", groups=found.groups) for name in "AB"]
    reach = max(max(one.high - one.estimate, one.estimate - one.low) for one in ends)
    assert f"within score ± {math.ceil(reach * 1e4) / 1e4:.4f}" in without_interval
    twice = [f"{i},{g},{k},{a + k / 50}" for i, g, a, _ in rows for k in range(2)]
    Path("c.csv").write_text("unit,group,repeat,A\n" + "\n".join(twice))
    of_repeats = read_scores("c.csv")
    assert of_repeats.repeated("A").n_groups == len({*groups}) == 20
    assert "by 20 groups" in run_cli("eval", "--scores", "c.csv").stdout
