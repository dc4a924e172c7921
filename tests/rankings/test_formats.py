"""Files of every format give the numbers of the same rows in a dict, bit for bit."""

import bz2
import gzip
import io
import json
import lzma
import random
import threading
import time
import tracemalloc

import numpy as np
import pytest
from sizes import long

import irbounds as irb
from irbounds.rankings.reading.ahead import ahead
from tests.commands import run_cli

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

MEASURES = "AP nDCG@3 P@2 RR"
IDS = {"query_id": "query_id", "doc_id": "doc_id"}


def rows_of(value, seed=1, grouped=True):
    """(query, document, value), with tied scores and ids that need quotes in tables."""
    draw = random.Random(seed)
    rows = []
    for q in range(7):
        documents = draw.sample(range(60), 20)
        for d in documents:
            document = f'd"{d},x' if d % 7 == 0 else f"d{d}"
            number = (
                draw.randrange(4) if value == "relevance" else draw.choice([0.5, 1.25, -3e-7, 7])
            )
            rows.append((f"q{q}", document, number))
    if not grouped:
        draw.shuffle(rows)
    return rows


def as_dict(rows):
    queries = {}
    for query, document, value in rows:
        queries.setdefault(query, {})[document] = value
    return queries


def table(rows, value):
    query, document, number = zip(*rows, strict=True)
    return pyarrow.table(
        {
            "rank": list(range(len(rows))),
            value: np.array(number, np.float64),
            "doc_id": list(document),
            "query_id": list(query),
        }
    )


def write_csv(path, rows, value, delimiter=","):
    import csv

    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["tag", "query_id", value, "doc_id"])
        writer.writerows(["x", q, repr(v), d] for q, d, v in rows)


def write_jsonl(path, rows, value):
    lines = [json.dumps({"query_id": q, "doc_id": d, value: v, "more": [1]}) for q, d, v in rows]
    path.write_text("\n".join(lines) + "\n")


def write_arrow(path, rows, value, of="new_file"):
    made = table(rows, value)
    with path.open("wb") as file, getattr(pyarrow.ipc, of)(file, made.schema) as writer:
        writer.write_table(made, max_chunksize=13)


WRITERS = {
    "csv": write_csv,
    "tsv": lambda path, rows, value: write_csv(path, rows, value, "\t"),
    "semicolons": lambda path, rows, value: write_csv(path, rows, value, ";"),
    "jsonl": write_jsonl,
    "json": lambda path, rows, value: path.write_text(json.dumps(as_dict(rows))),
    "json, rows": lambda path, rows, value: path.write_text(
        json.dumps([dict(zip(("query_id", "doc_id", value), row, strict=True)) for row in rows])
    ),
    "json, indented": lambda path, rows, value: path.write_text(
        json.dumps(as_dict(rows), indent=1)
    ),
    "parquet": lambda path, rows, value: parquet.write_table(
        table(rows, value), path, row_group_size=11
    ),
    "arrow": write_arrow,
    "arrow-stream": lambda path, rows, value: write_arrow(path, rows, value, "new_stream"),
}


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("form", WRITERS)
def test_every_format_gives_the_numbers_of_a_dict(form, grouped, tmp_path):
    qrels, run = rows_of("relevance", 3, grouped), rows_of("score", 4, grouped)
    expected = irb.evaluate(as_dict(qrels), as_dict(run), MEASURES, bounds=True)
    WRITERS[form](tmp_path / "qrels", qrels, "relevance")
    WRITERS[form](tmp_path / "run", run, "score")
    found = irb.evaluate(tmp_path / "qrels", tmp_path / "run", MEASURES, bounds=True)
    order = [found.query_ids.index(query) for query in expected.query_ids]
    for name in ("values", "low", "high"):
        assert (getattr(found, name)[order] == getattr(expected, name)).all()
    assert irb.Run.from_file(tmp_path / "run").to_dict() == as_dict(run)


def zstd(data):
    try:
        from compression import zstd
    except ImportError:
        zstd = pytest.importorskip("zstandard")
    return zstd.compress(data)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, long(zstd)])
def test_compressed_tables(compress, tmp_path):
    rows = rows_of("score")
    for form in ("csv", "parquet"):
        WRITERS[form](tmp_path / "plain", rows, "score")
        (tmp_path / "run").write_bytes(compress((tmp_path / "plain").read_bytes()))
        assert irb.Run.of(tmp_path / "run").to_dict() == as_dict(rows)


def test_beir_and_ms_marco(tmp_path):
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n")
    (tmp_path / "msmarco.tsv").write_text("q1\td2\t1\nq1\td1\t2\nq1\td9\t3\n")
    (tmp_path / "msmarco.qrels").write_text("q1\t0\td1\t1\n")
    for qrels in ("qrels.tsv", "msmarco.qrels"):
        found = irb.evaluate(tmp_path / qrels, tmp_path / "msmarco.tsv", "RR P@2")
        assert found.mean == {"RR": 0.5, "P@2": 0.5}


def test_ms_marco_with_scores(tmp_path):
    """ColBERT's rankings have the score behind the rank, and it decides, as in TREC's runs."""
    (tmp_path / "run").write_text("1\t20\t1\t9.5\n1\t10\t2\t9.5\n1\t30\t3\t-1e-1\n")
    scores = {"1": {"20": 9.5, "10": 9.5, "30": -0.1}}
    assert irb.Run.of(tmp_path / "run").to_dict() == scores
    found = irb.evaluate({"1": {"10": 1}}, tmp_path / "run", "RR", bounds=True)
    assert (found.mean, found.mean_bounds) == ({"RR": 0.75}, {"RR": (0.5, 1.0)})
    (tmp_path / "run").write_text("1\t20\t1\t9.5\n1\t10\t2\n")
    with pytest.raises(irb.InputError, match="run:2: expected 4 columns"):
        irb.Run.of(tmp_path / "run")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1\t10\t95\n", "expected 6 columns"),  # scores, or ranks?
        ("1\t10\t0\n", "expected 6 columns"),
        ("1\t0\t1\t1\n", "are qrels and run swapped?"),
        ("1\t10\t1\tnan\n", "expected 6 columns"),
        ("1\t10\t1\ttext\n", "expected 6 columns"),
    ],
)
def test_tables_without_a_header_are_not_guessed_at(line, problem, tmp_path):
    (tmp_path / "run").write_text(line)
    with pytest.raises(irb.InputError, match=problem.replace("?", r"\?")):
        irb.Run.of(tmp_path / "run")


def test_columns_of_any_name(tmp_path):
    (tmp_path / "run.csv").write_text("topic_number,passage,similarity\n1,d1,.5\n1,d2,.25\n")
    columns = {"query_id": "topic_number", "doc_id": "passage", "score": "similarity"}
    assert irb.evaluate({"1": {"d2": 1}}, tmp_path / "run.csv", "RR", columns=columns).mean == {
        "RR": 0.5
    }
    run = irb.Run.from_file(tmp_path / "run.csv", "table", columns=columns)
    assert run.to_dict() == {"1": {"d1": 0.5, "d2": 0.25}}
    with pytest.raises(irb.InputError, match="query_id and doc_id are both 'passage'"):
        irb.Run.from_file(tmp_path / "run.csv", columns={**columns, "query_id": "passage"})


def test_parquet_with_integer_ids_and_dictionaries(tmp_path):
    ids = np.arange(2000) // 2
    made = pyarrow.table(
        {
            "query-id": pyarrow.array((ids // 10).astype(np.int32)),
            "corpus-id": pyarrow.array(np.arange(2000).astype(str)).dictionary_encode(),
            "score": pyarrow.array(-np.arange(2000), pyarrow.float32()),
        }
    )
    parquet.write_table(made, tmp_path / "run", row_group_size=333)
    run = irb.Run.from_file(tmp_path / "run")
    assert len(run) == 100
    assert run.to_dict()["99"]["1999"] == -1999.0


def test_memory_does_not_grow_with_the_row_groups_of_parquet(tmp_path):
    """All bytes of a file were kept until its last row group was read."""
    n = 120_000
    made = pyarrow.table(
        {
            "query_id": np.arange(n) // 100,
            "doc_id": np.random.default_rng(1).integers(0, 2**52, n),
            "score": np.arange(n) / n,
        }
    )
    parquet.write_table(made, tmp_path / "run", row_group_size=n // 40)
    parquet.write_table(made.slice(0, n // 40), tmp_path / "part")
    peaks = []
    for name in ("part", "part", "run"):  # the first one imports modules
        tracemalloc.start()
        irb.evaluate({"1": {"1": 1}}, tmp_path / name, "NumRet")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + (tmp_path / "run").stat().st_size / 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("query_id,doc_id,score\nq1,d1,x\n", "run:2: expected a number as score, found 'x'"),
        ("query_id,doc_id,score\nq1,d1\n", "run:2: expected 3 columns, as the first line has"),
        ("query_id,doc_id,score\nq1,,1\n", "run:2: the document id is missing"),
        ("query_id,doc_id\nq1,d1\n", "the table needs the column 'score'; it has query_id, doc_id"),
        ("query_id,doc_id,score\n", "the file has no rows"),
        ("query_id,doc_id,score\nq1,d1,1\nq1,d1,2\n", "duplicate document 'd1'"),
        ("query_id,doc_id,score\nq1,d1,nan\n", "is nan"),
        ('{"query_id": "q1", "doc_id": "d1"}\n', "the object needs the column 'score'"),
        ('{"query_id": "q1", "doc_id": "d", "score": 1}\n{"a', "run:2: the line is not JSON"),
        ('{"query_id": "q1", "doc_id": "d", "score": 1}\n[]', "run:2: expected a JSON object"),
        ('{"q1": {"d1": 1}, "q2": 3}', "query 'q2': expected an object of documents"),
        ('{"q1": {"d1": 1}', "the file is not JSON"),
        ('{"q1": {"d1": 1, "d1": 2}}', "duplicate name 'd1'"),
        ('{"q1": {"d1": 1}, "q1": {"d2": 2}}', "duplicate name 'q1'"),
        ('{"q1": ' * 5000, "the file is not JSON"),
        ('{"q1": {"d1": [1]}}', "as score of document 'd1' (query 'q1'), found [1]"),
        ('{"query_id": 1.5, "doc_id": "d", "score": 1}', "ids must be text"),
        ("\n\nquery_id,doc_id,score\nq1,d1,x\n", "run:4: expected a number as score"),
        ('query_id,doc_id,score\n"q1,d1,1\n', "the table cannot be read"),
        ("q1\td1\t1\nq1\td2\tx\n", "run:2: expected 3 columns (query_id doc_id rank)"),
        (f"q1\td1\t1\nq1\td2\t{'9' * 400}\n", "run:2: expected 3 columns (query_id doc_id rank)"),
        (
            f'{{"q1": {{"d1": {"9" * 400}}}}}',
            "as score of document 'd1' (query 'q1'), found 999",
        ),
        ('{"q":' * 100_000, "the file is not JSON"),
        ("a,b,c\n1,2,3\n", "a table needs a first line that names its columns"),
        ("PAR1 and no more", "the file is damaged"),
        ("hello world\n", "found 2 (read as TREC, as it is none of parquet, arrow,"),
    ],
)
def test_one_clear_line_for_a_bad_file(text, problem, tmp_path):
    (tmp_path / "run").write_text(text)
    with pytest.raises(irb.InputError) as caught:
        irb.evaluate({"q1": {"d1": 1}}, tmp_path / "run", "AP")
    assert problem in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "run"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("form", "text", "problem"),
    [
        ("json", "[1]", "row 1: expected a JSON object, found 1"),
        ("json", "1", "expected a JSON object of queries"),
        ("table", "\n\n", "no names of columns"),
    ],
)
def test_one_clear_line_for_a_file_of_another_format(form, text, problem, tmp_path):
    (tmp_path / "run").write_text(text)
    with pytest.raises(irb.InputError, match=problem):
        irb.Run.from_file(tmp_path / "run", form)


@pytest.mark.parametrize("form", ["msmarco", "colbert"])
def test_formats_of_runs_are_none_of_judgments(form, tmp_path):
    (tmp_path / "qrels").write_text("q1\td1\t1\n")
    with pytest.raises(irb.InputError, match=f"'{form}' is one of runs"):
        irb.Qrels.from_file(tmp_path / "qrels", form)


def test_names_of_columns_in_capital_letters_and_with_blanks(tmp_path):
    (tmp_path / "run.csv").write_text("Query_ID, DOC_ID , score\nq1,d1,2\n")
    assert irb.Run(tmp_path / "run.csv").to_dict() == {"q1": {"d1": 2.0}}
    # the order of known names decides, whatever the case
    for header in ("qid,docno,score,label", "QID,DocNo,Score,Label"):
        (tmp_path / "qrels.csv").write_text(f"{header}\nq,d,17.5,1\n")
        assert irb.Qrels(tmp_path / "qrels.csv").to_dict() == {"q": {"d": 1.0}}
    (tmp_path / "run.csv").write_text("QID,DocNo,Score,SCORE\nq1,d1,2,3\n")
    with pytest.raises(irb.InputError, match="expected one of the columns Score, SCORE"):
        irb.Run(tmp_path / "run.csv")
    (tmp_path / "run.csv").write_text("qid,docno,bm25\nq1,d1,2\n")
    with pytest.raises(irb.InputError, match="needs the column 'BM25'"):
        irb.Run(tmp_path / "run.csv", columns={"score": "BM25"})


def test_nulls_and_types_of_parquet(tmp_path):
    def refused(**columns):
        parquet.write_table(pyarrow.table(columns), tmp_path / "run")
        with pytest.raises(irb.InputError) as caught:
            irb.evaluate({"q1": {"d1": 1}}, tmp_path / "run", "AP")
        return str(caught.value)

    good = {"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    assert "column 'score' has no value in row 1" in refused(**good | {"score": [1.0, None]})
    assert "has a type that is not read" in refused(**good | {"score": [[1.0], [2.0]]})
    assert "needs the column 'doc_id'" in refused(query_id=["q"], score=[1.0])


def test_standard_input_takes_every_format(tmp_path):
    rows = rows_of("score")
    irb_qrels = tmp_path / "qrels.json"
    irb_qrels.write_text(json.dumps(as_dict(rows_of("relevance"))))
    text = "\n".join(
        ["query_id,doc_id,score"]
        + [f'{q},"{d.replace(chr(34), chr(34) * 2)}",{v!r}' for q, d, v in rows]
    )
    done = run_cli("eval", irb_qrels, "-", "-m", "AP", "-f", "json", text=text)
    expected = irb.evaluate(irb_qrels, as_dict(rows), "AP").mean["AP"]
    assert str(expected) in done.stdout, done.stderr


def test_a_pipe_that_cannot_seek_is_read_to_its_end(tmp_path, monkeypatch):
    rows = rows_of("score")
    write_arrow(tmp_path / "run", rows, "score")

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    class Stdin:
        buffer = io.BufferedReader(Pipe((tmp_path / "run").read_bytes()))

    monkeypatch.setattr("sys.stdin", Stdin)
    assert irb.Run.from_file("-").to_dict() == as_dict(rows)


@pytest.mark.parametrize("form", ["table", "msmarco", "json", "jsonl", "trec"])
def test_a_named_format_refuses_what_is_another(form, tmp_path):
    for text in ("\n\n", "a b c\n", "[]", "7"):
        (tmp_path / "run").write_text(text)
        with pytest.raises(irb.InputError, match="run"):
            irb.Run.from_file(tmp_path / "run", form)
    with pytest.raises(irb.InputError, match="`format` must be one of"):
        irb.Run.from_file(tmp_path / "run", "xml")


def test_batches_that_are_read_ahead_are_closed_without_waiting_for_the_thread():
    """The garbage collector closed such a generator in a thread that was being started, and both
    threads waited for ever."""
    may_end = threading.Event()

    def batches():
        yield 1
        may_end.wait(30)
        yield 2

    parts = ahead(batches())
    assert next(parts) == 1
    began = threading.Timer(5, may_end.set)  # so that a failure ends as well
    began.start()
    parts.close()
    assert not may_end.is_set()
    may_end.set()
    began.cancel()


def test_parts_that_are_made_ahead_keep_their_order_and_their_error():
    made = []

    def parts(n, end=None):
        for i in range(n):
            made.append(i)
            yield i
        if end:
            raise end

    assert list(ahead(parts(1000))) == list(range(1000))
    found = ahead(parts(20, KeyError("x")))
    with pytest.raises(KeyError):
        for i, part in enumerate(found):
            assert part == i
    made.clear()
    found = ahead(parts(1000))
    next(found)
    time.sleep(0.05)
    assert len(made) <= 5  # and no more memory than that
    found.close()


def test_json_lines_with_objects_beside_what_is_read(tmp_path):
    line = '{{"doc": {{"title": "x"}}, "qid": "q", "docno": "{}", "score": {}}}\n'
    (tmp_path / "run").write_text(line.format("a", 1) + line.format("b", 2.5))
    assert irb.Run.of(tmp_path / "run").to_dict() == {"q": {"a": 1.0, "b": 2.5}}
    (tmp_path / "run").write_text('{"qid": {"docno": 1}, "docno": {"a": 1}, "score": {"b": 2}}\n')
    assert list(irb.Run.of(tmp_path / "run")) == ["qid", "docno", "score"]
