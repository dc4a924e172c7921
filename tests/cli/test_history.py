"""`irbounds eval --append` and `irbounds report history`."""

import json
from pathlib import Path

import pytest
from commands import assert_refused, run_cli

QRELS = "".join(f"q{i} 0 d1 1\nq{i} 0 d2 0\n" for i in range(12))


def run_of(worse):
    return "".join(
        f"q{i} Q0 d1 0 {1 if i >= worse else 0.1}.0 t\nq{i} Q0 d2 0 0.5 t\n".replace("0.1.0", "0.1")
        for i in range(12)
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    for name, worse in (("good.run", 1), ("bad.run", 11)):
        Path(name).write_text(run_of(worse))
    return tmp_path


def append(*runs, **options):
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return run_cli("eval", "qrels.txt", *runs, "-m", "RR P@1", "--append", "h.jsonl", *words)


@pytest.mark.usefixtures("empty_pictures")
def test_a_change_is_appended_and_reported(folder):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    plain = run_cli("eval", "qrels.txt", "good.run", "-m", "RR P@1")
    for day, run in enumerate(("good.run", "good.run", "bad.run"), 1):
        done = append(run, **{"as": "search", "time": f"2026-01-0{day}"})
        assert (done.returncode, done.stderr) == (0, "")
        if run == "good.run":
            assert done.stdout == plain.stdout
    lines = [json.loads(line) for line in Path("h.jsonl").read_text().splitlines()]
    assert [line["run"] for line in lines] == ["search"] * 3
    assert lines[0]["run_sha256"] == lines[1]["run_sha256"] != lines[2]["run_sha256"]
    assert lines[0]["mean"] == pytest.approx([23 / 24, 11 / 12])
    done = run_cli("report", "history", "h.jsonl", "--date", "2026-02-01", "-o", "h.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page = Path("h.html").read_text(encoding="utf-8")
    assert "2 changes are significant" in page
    assert "worse, step" in page


@pytest.mark.usefixtures("folder")
def test_what_is_appended_twice_is_told():
    assert append("good.run", **{"as": "a", "time": "2026-01-01"}).stderr == ""
    assert append("good.run", **{"as": "b", "time": "2026-01-01"}).stderr == ""
    done = append("bad.run", **{"as": "a", "time": "2026-01-01T00:00:00+00:00"})
    assert done.returncode == 0
    assert done.stderr.startswith("irbounds: h.jsonl: 'a' was there already at the time 2026-01-01")
    assert done.stderr.count("\n") == 1
    assert append("good.run", **{"as": "a", "time": "2026-01-02"}).stderr == ""


def test_names_settings_and_failures(folder):
    append("good.run", "bad.run")
    done = run_cli(
        "eval", "qrels.txt", "good.run", "absent.run", "--keep-going", "--append", "h.jsonl",
        "--missing", "skip", "--unjudged", "bounds", "-m", "P@1",
    )  # fmt: skip
    assert done.returncode == 2
    first, second, third = map(json.loads, Path("h.jsonl").read_text().splitlines())
    assert (first["run"], second["run"], third["run"]) == ("good.run", "bad.run", "good.run")
    assert (first["settings"], third["settings"]) == ({}, {"missing": "skip"})
    assert_refused(append("good.run", "bad.run", **{"as": "one"}), "once for each of the 2 runs")
    assert_refused(append("good.run", time="x"), "--time must be a time, for example")
    done = run_cli("eval", "qrels.txt", "good.run", "--time", "2026-01-01")
    assert_refused(done, "--time is for --append")
    done = run_cli("eval", "qrels.txt", "good.run", "--append", "h.arrow")
    assert_refused(done, "--append writes JSON lines or Parquet")
    done = run_cli("eval", "qrels.txt", "good.run", "--append", "qrels.txt")
    assert_refused(done, "--append would write over the input file qrels.txt")
    assert Path("qrels.txt").read_text() == QRELS
    Path("other.txt").write_text(QRELS)
    done = run_cli("eval", "qrels.txt", "good.run", "--append", "other.txt")
    assert_refused(done, "other.txt: is not a history; nothing was appended to it")
    assert Path("other.txt").read_text() == QRELS
    # a run that cannot be read: nothing is appended
    before = Path("h.jsonl").read_bytes()
    assert append("good.run", "absent.run").returncode == 2
    assert Path("h.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels.txt",), "qrels.txt:1: expected a line of JSON"),
        (("absent",), "absent: No such file"),
        (("h.jsonl", "-m", "AP"), "--measures must be some of RR, P@1; found 'AP'"),
        (("h.jsonl", "--since", "2999-01-01"), "--since leaves no entry"),
    ],
)
def test_hostile_histories_are_one_line(folder, arguments, message):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    append("good.run")
    assert_refused(run_cli("report", "history", *arguments), message)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("none/x", "none/x: No such file or directory"),
        ("good.run/x", "good.run/x: Not a directory"),
        (".", ".: Is a directory"),
    ],
)
def test_nothing_is_appended_if_the_output_has_no_place(folder, output, words):
    assert append("good.run").returncode == 0
    before = Path("h.jsonl").read_bytes()
    assert_refused(append("good.run", output=output), words)
    assert Path("h.jsonl").read_bytes() == before
    gate = ("gate", "qrels.txt", "good.run", "bad.run", "-m", "RR", "--junit", "j.xml")
    assert_refused(run_cli(*gate, "-o", output), words)
    assert not Path("j.xml").exists()
