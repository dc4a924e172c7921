"""Histories: what is appended comes back, whole or not at all."""

import datetime
import hashlib
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import irbounds as irb
from irbounds.foundation import appending

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 1}, "\udc80\n": {"d1": 1}}
RUN = {"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4}, "q2": {"d2": 1.0}}
EVALUATION = irb.evaluate(QRELS, RUN, "AP ESL(nr=1) NumRel", bounds=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history.jsonl"


def test_all_numbers_come_back_by_their_bits(path):
    assert np.isinf(EVALUATION["ESL(nr=1)"]).any()
    judgments = path.with_name("qrels.txt")
    judgments.write_text("q1 0 d1 1\n")
    irb.History.append(
        path, {"a": EVALUATION}, qrels=judgments, runs={"a": judgments}, settings={"missing": "x"}
    )
    [entry] = irb.History.read(path)
    found = entry.evaluation
    assert found.measures == EVALUATION.measures
    assert found.query_ids == EVALUATION.query_ids
    for name in ("values", "low", "high"):
        np.testing.assert_array_equal(getattr(found, name), getattr(EVALUATION, name))
    assert (found.ties, found.missing_queries) == ("expected", EVALUATION.missing_queries)
    assert (entry.run, entry.version, entry.settings) == ("a", irb.__version__, {"missing": "x"})
    digest = hashlib.sha256(judgments.read_bytes()).hexdigest()
    assert (entry.qrels_sha256, entry.run_sha256) == (digest, digest)
    age = datetime.datetime.now(datetime.UTC) - entry.time
    assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=5)
    [line] = path.read_text().splitlines()
    content = json.loads(line)
    assert content["mean"][0] == EVALUATION.mean["AP"]
    assert content["irbounds"] == irb.__version__


def test_entries_are_in_order_of_time_in_utc(path):
    for time in ("2026-01-31", "2026-01-30T23:30:00-01:00", datetime.date(2026, 1, 29)):
        irb.History.append(path, {"b": EVALUATION, "a": EVALUATION}, time=time)
    history = irb.History.read(path)
    assert [entry.time.isoformat() for entry in history][::2] == [
        "2026-01-29T00:00:00+00:00",
        "2026-01-31T00:00:00+00:00",
        "2026-01-31T00:30:00+00:00",
    ]
    assert history.runs == ("b", "a")
    assert history.measures == ("AP", "ESL(nr=1)", "NumRel")
    assert len(history.since("2026-01-30")) == 4
    assert len(history.of_run("a")) == 3
    frame = history.to_frame("pandas")
    assert frame.shape == (18, 6)
    assert repr(history) == "History(6 evaluations of 2 runs, 2026-01-29 to 2026-01-31)"


def test_judgments_without_a_file_have_the_hash_of_their_content(path):
    for qrels in (QRELS, irb.Qrels.from_dict(QRELS), {"q1": {"d1": 1}}):
        irb.History.append(path, {"a": EVALUATION}, qrels=qrels, time="2026-01-31")
    first, same, other = irb.History.read(path)
    assert first.is_comparable(same)
    assert not first.is_comparable(other)


def test_a_failed_write_leaves_the_file_as_it_was(path, monkeypatch):
    irb.History.append(path, {"a": EVALUATION})
    before = path.read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(appending.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        irb.History.append(path, {"a": EVALUATION})
    assert path.read_bytes() == before
    new = path.with_name("new.jsonl")
    with pytest.raises(OSError, match="No space left"):
        irb.History.append(new, {"a": EVALUATION})
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.long  # two processes
@pytest.mark.skipif(os.name == "nt", reason="needs locks of POSIX")
def test_processes_that_append_at_the_same_time_keep_their_lines_apart(path):
    code = (
        "import sys, numpy as np, irbounds as irb\n"
        "ev = irb.Evaluation(('AP',), tuple(map(str, range(9000))), np.zeros((9000, 1)))\n"
        "for _ in range(5): irb.History.append(sys.argv[1], {sys.argv[2]: ev})"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, path, name]) for name in "ab"]
    assert [process.wait(60) for process in started] == [0, 0]
    assert sorted(entry.run for entry in irb.History.read(path)) == ["a"] * 5 + ["b"] * 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "q1 0 d1 1\n", "history.jsonl:1: expected a line of JSON"),
        (lambda text: "[1]\n", ":1: expected a line of a history"),
        (lambda text: text[:-9], "the line is not complete, remove it"),
        (lambda text: text.replace('history": 1', 'history": 2'), "reads format 1 of histories"),
        (lambda text: text.replace('"values"', '"v"'), "'values' is missing"),
        (lambda text: text.replace('"inf"', '"x"'), "'x' is missing, or no number"),
        (lambda text: text.replace('["AP", ', "["), "must have a list for each measure"),
        (lambda text: text.replace('"q2"', '"q1"'), "query_ids has a query twice"),
        (
            lambda text: text.replace('"time": "2', '"time": "x'),
            "`time` must be a time, for example",
        ),
        (lambda text: "", "the history is empty"),
    ],
)
def test_hostile_files_are_one_line(path, change, message):
    irb.History.append(path, {"a": EVALUATION})
    path.write_text(change(path.read_text()))
    with pytest.raises(irb.InputError) as raised:
        irb.History.read(path)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_nothing_is_appended_to_other_files(path):
    path.write_text("q1 0 d1 1\n")
    with pytest.raises(irb.InputError, match="is not a history; nothing was appended"):
        irb.History.append(path, {"a": EVALUATION})
    path.unlink()
    irb.History.append(path, {"a": EVALUATION})
    path.write_text(path.read_text()[:-1])
    with pytest.raises(irb.InputError, match="the last line is not complete"):
        irb.History.append(path, {"a": EVALUATION})
    for wrong in ("-", "folder/", ""):
        with pytest.raises(irb.InputError, match="must name a file"):
            irb.History.append(wrong, {"a": EVALUATION})
    with pytest.raises(irb.InputError, match="must hold Evaluations"):
        irb.History.append(path, {"a": 1})
    with pytest.raises(irb.InputError, match="`time` must be a time, for example"):
        irb.History.append(path, {"a": EVALUATION}, time=5)
    with pytest.raises(irb.InputError, match="`time` must be a time, for example"):
        irb.History.append(path, {"a": EVALUATION}, time="0001-01-01T00:00:00+14:00")
    with pytest.raises(irb.InputError, match="`settings` must hold text and numbers"):
        irb.History.append(path, {"a": EVALUATION}, settings={"x": object()})


@pytest.fixture
def parquet_path(tmp_path):
    pytest.importorskip("pyarrow")
    return tmp_path / "history.parquet"


def test_parquet_has_the_same_entries_as_json(path, parquet_path):
    values = np.array([[0.1, math.inf], [0.1 + 0.2, -0.0]])
    bounded = irb.Evaluation(("AP", "RR"), ("q1", "q2"), values, values, values + 1)
    for place, one in enumerate((irb.Evaluation(("AP", "RR"), ("q1", "q2"), values), bounded)):
        options = {"qrels": {"q1": {"d": 1}}, "settings": {"missing": "skip"}}
        for file in (path, parquet_path):
            irb.History.append(file, {"a": one, "é": one}, time=f"2026-01-0{place + 1}", **options)
    own, other = irb.History.read(parquet_path), irb.History.read(path)
    assert [entry.to_dict() for entry in own] == [entry.to_dict() for entry in other]
    assert len(own) == 4
    assert own[0].evaluation.low is None
    assert own[0].evaluation.values.tobytes() == values.tobytes()
    pages = [irb.report_history(file, "AP", date="2026-02-01") for file in (parquet_path, path)]
    parts = [page.partition("/history.")[0] for page in pages]  # the rest names the file
    assert parts[0] == parts[1]
    assert "<svg" in parts[0]


def test_a_failed_write_leaves_parquet_as_it_was(parquet_path, monkeypatch):
    evaluation = irb.Evaluation(("AP",), ("q1",), np.array([[0.5]]))
    irb.History.append(parquet_path, {"a": evaluation})
    before = parquet_path.read_bytes()

    def full(descriptor):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(appending.os, "fsync", full)
        with pytest.raises(OSError, match="no space left"):
            irb.History.append(parquet_path, {"a": evaluation})
    assert parquet_path.read_bytes() == before
    assert os.listdir(parquet_path.parent) == [parquet_path.name]  # noqa: PTH208


def test_parquet_of_others_is_refused(parquet_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write_marked(version):
        table = pa.table({"x": [1]}).replace_schema_metadata({b"irbounds-history": version})
        pq.write_table(table, parquet_path)

    evaluation = irb.Evaluation(("AP",), ("q1",), np.array([[0.5]]))
    for write, message in (
        (lambda: parquet_path.write_text("x"), "expected a Parquet file"),
        (lambda: pq.write_table(pa.table({"x": [1]}), parquet_path), "expected a history"),
        (lambda: write_marked(b"1"), "expected one column 'irbounds'"),
        (lambda: write_marked(b"2"), "reads format 1 of histories; found 2"),
        (lambda: write_marked(b"\xff"), r"reads format 1 of histories; found \\xff"),
    ):
        write()
        before = parquet_path.read_bytes()
        with pytest.raises(irb.InputError, match=message):
            irb.History.read(parquet_path)
        with pytest.raises(irb.InputError, match=message):
            irb.History.append(parquet_path, {"a": evaluation})
        assert parquet_path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("mean", None),
        ("mean", [None]),
        ("query_ids", None),
        ("query_ids", [None]),
        ("values", [[None]]),
        ("low", [None]),
        ("run", None),
    ],
)
def test_parquet_refuses_null_cells(parquet_path, name, cell):
    import pyarrow as pa
    import pyarrow.parquet as pq

    evaluation = irb.Evaluation(("AP",), ("q1",), np.array([[0.5]]))
    irb.History.append(parquet_path, {"a": evaluation})
    table = pq.read_table(parquet_path)
    place = table.column_names.index(name)
    cells = pa.array([cell], table.schema.field(place).type)
    pq.write_table(table.set_column(place, table.schema.field(place), cells), parquet_path)
    before = parquet_path.read_bytes()
    message = f"{parquet_path.name}: column '{name}' has no value in a row$"
    with pytest.raises(irb.InputError, match=message):
        irb.History.read(parquet_path)
    with pytest.raises(irb.InputError, match=message):
        irb.History.append(parquet_path, {"b": evaluation})
    assert parquet_path.read_bytes() == before


def test_parquet_refuses_lone_surrogates(parquet_path):
    evaluation = irb.Evaluation(("AP",), ("q1",), np.array([[0.5]]))
    with pytest.raises(irb.InputError, match="lone surrogates"):
        irb.History.append(parquet_path, {"a\ud800": evaluation})
    assert list(parquet_path.parent.iterdir()) == []  # no file whose history is empty
    parquet_path.touch()
    with pytest.raises(irb.InputError, match="lone surrogates"):
        irb.History.append(parquet_path, {"a\ud800": evaluation})
    assert list(parquet_path.parent.iterdir()) == [parquet_path]


def test_threads_that_append_parquet_keep_all(parquet_path):
    evaluation = irb.Evaluation(("AP",), ("q1",), np.array([[0.5]]))
    with ThreadPoolExecutor(4) as pool:
        list(
            pool.map(
                lambda i: irb.History.append(
                    parquet_path, {f"r{i}": evaluation}, time="2026-01-01"
                ),
                range(12),
            )
        )
    assert sorted(irb.History.read(parquet_path).runs) == sorted(f"r{i}" for i in range(12))
