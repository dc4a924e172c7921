"""Data frames: every library, type, chunking and order of rows gives what the same rows give as a
dict.

The file is longer than 400 lines because the draws of tables serve all of it.
"""

import decimal
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.documents.arrow_rows import ArrowBatch, ArrowRows
from irbounds._core.documents.doc_rows import BadRow

MEASURES = "AP nDCG@3 RR Bpref P@2"
TEXT = ["", "a", "d10", "0123456789ab", "0123456789abc", "a long name of a document ü", "7", "-3"]
NAMES = ["query_id", "doc_id", "score"]
FLOATS, WHOLE = (
    [pa.float16(), pa.float32(), pa.float64()],
    [
        pa.int8(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.uint8(),
        pa.uint16(),
        pa.uint32(),
        pa.uint64(),
    ],
)
VIEWS = [pa.string_view(), pa.binary_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
IDS = [pa.string(), pa.large_string(), pa.string_view(), *BYTES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("frames")


def as_dict(rows):
    found = {}
    for query, doc, value in rows:
        found.setdefault(str(query), {})[str(doc)] = float(value)
    return found


def whole_ids(kind):
    """Small numbers, and the ends of what the type holds."""
    size, is_signed = kind.bit_width, pa.types.is_signed_integer(kind)
    least, greatest = (-(2 ** (size - 1)), 2 ** (size - 1) - 1) if is_signed else (0, 2**size - 1)
    return st.integers(0, 12) | st.sampled_from([least, greatest, greatest - 1])


def array_of(draw, values, kind):
    """The values as an array of Arrow: a slice of a longer one, which may have nulls elsewhere, and
    perhaps a dictionary, whose words may come twice."""
    if pa.types.is_float16(kind):
        values = [None if value is None else np.float16(value) for value in values]
    elif kind in BYTES:
        values = [None if value is None else value.encode() for value in values]
    before, behind = draw(st.integers(0, 9)), draw(st.integers(0, 2))
    filling = draw(st.sampled_from([None, values[0]]))
    all_values = [filling] * before + list(values) + [filling] * behind
    if draw(st.integers(0, 2)) == 0 and kind not in VIEWS:
        words = list(dict.fromkeys(values)) * draw(st.integers(1, 2)) + [filling]
        places = [
            draw(st.sampled_from([i for i, word in enumerate(words) if word == value]))
            if value is not None
            else None
            for value in all_values
        ]
        codes = pa.array(places, draw(st.sampled_from(WHOLE)))
        array = pa.DictionaryArray.from_arrays(codes, pa.array(words, kind))
    else:
        array = pa.array(all_values, kind)
    return array.slice(before, len(values))


@st.composite
def tables(draw, nulls=False):
    """Distinct rows, and a table of them in drawn types, chunks, slices and dictionaries; with
    `nulls`, one value is missing."""
    types = [draw(st.sampled_from(WHOLE + IDS)) for _ in range(2)]
    types.append(draw(st.sampled_from([*FLOATS, *WHOLE, pa.bool_()])))
    ids = [whole_ids(kind) if kind in WHOLE else st.sampled_from(TEXT) for kind in types[:2]]
    pairs = draw(st.lists(st.tuples(*ids), min_size=1, max_size=12, unique=True))
    if draw(st.booleans()):
        pairs.sort(key=lambda pair: str(pair[0]))
    most = 1 if types[2] == pa.bool_() else 5
    rows = [(*pair, draw(st.integers(0, most))) for pair in pairs]
    columns = [list(column) for column in zip(*rows, strict=True)]
    missing = None
    if nulls:
        missing = draw(st.integers(0, 2)), draw(st.integers(0, len(rows) - 1))
        columns[missing[0]][missing[1]] = None
    if types[2] == pa.bool_():
        columns[2] = [None if value is None else bool(value) for value in columns[2]]
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    chunks = [
        pa.record_batch(
            [
                pa.array([], kind) if i == j else array_of(draw, column[i:j], kind)
                for column, kind in zip(columns, types, strict=True)
            ],
            names=NAMES,
        )
        for i, j in zip([0, *cuts], [*cuts, len(rows)], strict=True)
    ]
    return rows, chunks, missing


def in_one_type(chunks):
    """A table of chunks, which may be dictionaries and plain columns in turn."""
    if len({chunk.schema for chunk in chunks}) > 1:
        chunks = [
            pa.record_batch([decoded(column) for column in chunk.columns], names=NAMES)
            for chunk in chunks
        ]
    return pa.Table.from_batches(chunks)


def decoded(column):
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def as_file(path, format):
    """Writers of the formats that hold such a table."""
    from pyarrow import csv, feather, parquet

    def write(table):
        if format == "parquet":
            parquet.write_table(table, path, row_group_size=3)
        elif format == "arrow":
            feather.write_feather(table, path, compression="uncompressed", chunksize=2)
        elif format == "csv":
            plain = [
                pa.chunked_array(list(map(decoded, column.chunks)), decoded(column.chunk(0)).type)
                for column in table.columns
            ]
            csv.write_csv(pa.table(plain, names=NAMES), path)
        return path

    return write


WAYS = ["table", "reader", "batches", "polars", "pandas", "parquet", "arrow", "array"]


def source_of(chunks, way, folder):
    """The table as a library or a file has it; None where that does not know its types."""
    table = in_one_type(chunks)
    if way == "array":
        return chunks[0] if len(chunks) == 1 else None
    try:
        return {
            "table": lambda: table,
            "reader": table.to_reader,
            "polars": lambda: pl.from_arrow(table),
            "pandas": table.to_pandas,
            "batches": lambda: pa.RecordBatchReader.from_batches(
                table.schema, table.to_batches(max_chunksize=2)
            ),
            "parquet": lambda: as_file(folder / "p", "parquet")(table),
            "arrow": lambda: as_file(folder / "a", "arrow")(table),
        }[way]()
    except (
        pl.exceptions.PolarsError,
        pa.ArrowException,
        NotImplementedError,
        ValueError,
        TypeError,
    ):
        return None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of polars
            raise
        return None


@pytest.mark.quick_examples(25)
@given(tables(), st.sampled_from(WAYS))
@settings(max_examples=60)
def test_all_types_and_chunks(folder, drawn, way):
    rows, chunks, _ = drawn
    run = as_dict(rows)
    source = source_of(chunks, way, folder)
    if source is None:
        return
    assert irb.Run.of(source).to_dict() == run
    qrels = {query: {doc: value % 3 for doc, value in docs.items()} for query, docs in run.items()}
    found, wanted = (
        irb.evaluate(qrels, source, MEASURES, ties="given")
        for source in (source_of(chunks, way, folder), run)
    )
    order = [found.query_ids.index(query) for query in wanted.query_ids]
    assert np.array_equal(found.values[order], wanted.values)


@given(tables(nulls=True), st.sampled_from(WAYS))
@settings(max_examples=40)
def test_nulls_of_all_types(folder, drawn, way):
    _, chunks, (column, row) = drawn
    source = source_of(chunks, way, folder)
    if source is None:
        return
    with pytest.raises(irb.InputError) as caught:
        irb.Run.of(source)
    assert "has no value in row" in str(caught.value) or "nan" in str(caught.value)
    if way != "pandas":
        assert f"column {NAMES[column]!r} has no value in row {row}" in str(caught.value)


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, pd.DataFrame])
def test_ids_at_the_ends_of_whole_numbers(make):
    """7 is "7" and not "007"; negative numbers and those above 2^63 keep their digits."""
    docs = np.array([2**64 - 1, 2**63, 7], np.uint64)
    run = make({"query_id": [-(2**63)] * 3, "doc_id": docs, "score": [3.0, 2.0, 1.0]})
    wanted = {str(-(2**63)): {str(2**64 - 1): 3.0, str(2**63): 2.0, "7": 1.0}}
    assert irb.Run.of(run).to_dict() == wanted
    with pytest.warns(irb.warnings.RunWarning, match="none of its 3 documents is judged"):
        irb.evaluate({str(-(2**63)): {"007": 1}}, run, "AP")


def test_ids_that_are_numbers_in_one_table_and_text_in_the_other():
    run = pl.DataFrame({"query_id": [1, 1, 2], "doc_id": [10, 11, 10], "score": [1.0, 2.0, 3.0]})
    qrels = {"1": {"10": 1}, "2": {"10": 1}}
    assert irb.evaluate(qrels, run, "RR").values.ravel().tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    "names",
    [
        ["qid", "docno", "score", "qid", "docno", "label"],
        ["query-id", "corpus-id", "score"] * 2,
        ["q_id", "doc_id", "score"] * 2,
    ],
)
def test_names_of_other_tools(names):
    run = pa.table([["q", "q"], ["a", "b"], [1.0, 2.0]], names=names[:3])
    qrels = pa.table([["q"], ["a"], [1]], names=names[3:])
    assert irb.evaluate(qrels, run, "RR").mean["RR"] == 0.5


def test_names_of_ones_own():
    run = pd.DataFrame(
        {"q": ["q", "q"], "text": ["a", "b"], "s": [1.0, 2.0], "query_id": ["x", "x"]}
    )
    qrels = pd.DataFrame({"q": ["q"], "text": ["a"], "grade": [1]})
    columns = {"query_id": "q", "doc_id": "text", "score": "s", "relevance": "grade"}
    assert irb.evaluate(qrels, run, "RR", columns=columns).mean["RR"] == 0.5
    assert irb.Run.from_frame(run, columns).to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    with pytest.raises(
        irb.InputError, match="`columns` must have the keys query_id, doc_id, score, relevance"
    ):
        irb.evaluate(qrels, run, "RR", columns={"query": "q"})
    with pytest.raises(irb.InputError, match="`columns` must be a dict"):
        irb.evaluate(qrels, run, "RR", columns=["q"])
    for twice, names in (
        ({"doc_id": "q"}, "query_id and doc_id are both 'q'"),
        ({"score": "text"}, "doc_id and score are both 'text'"),
    ):
        for frame in (run, pl.from_pandas(run), pa.Table.from_pandas(run)):
            with pytest.raises(irb.InputError, match=f"different columns; {names}"):
                irb.Run.from_frame(frame, {**columns, **twice})
    # a chosen score must be there, whatever else is
    for frame in (run, run.rename(columns={"s": "score"})):
        with pytest.raises(irb.InputError, match="needs the column 'nowhere'; it has q, text, "):
            irb.Run.from_frame(frame, {**columns, "score": "nowhere"})
    with pytest.raises(irb.InputError, match="needs the column 'nowhere'"):
        irb.Run.from_frame(run.drop(columns="query_id"), {**columns, "query_id": "nowhere"})


def test_frames_that_call_their_ids_differently():
    run = pl.DataFrame({"q": ["1"], "doc_id": ["a"], "score": [1.0]})
    qrels = pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    assert irb.evaluate(qrels, run, "RR", columns={"query_id": "q"}).mean["RR"] == 1


def test_rows_that_are_null_as_a_whole():
    rows = pa.StructArray.from_arrays(
        [pa.array(["q", "q"]), pa.array(["a", "b"]), pa.array([1.0, 2.0])],
        NAMES,
        mask=pa.array([False, True]),
    )
    with pytest.raises(irb.InputError, match="rows that are null as a whole"):
        irb.Run.from_frame(rows)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("column", NAMES)
def test_missing_values(make, column):
    data = {"query_id": ["q", "q", "q"], "doc_id": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}
    data[column][2] = None
    with pytest.raises(irb.InputError, match=rf"column '{column}' has no value in row 2"):
        irb.evaluate({"q": {"a": 1}}, make(data), "AP")


def test_missing_values_in_a_later_chunk_and_in_a_dictionary():
    chunks = pa.chunked_array([["a", "b"], ["c", None]])
    with pytest.raises(irb.InputError, match="column 'doc_id' has no value in row 3"):
        irb.Run.from_frame(
            pa.table([pa.array(["q"] * 4), chunks, pa.array([1.0] * 4)], names=NAMES)
        )
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(irb.InputError, match="column 'doc_id' has no value in row 1"):
        irb.Run.from_frame(pa.table([pa.array(["q"] * 2), words, pa.array([1.0] * 2)], names=NAMES))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"score": [[1.0], [2.0]]}, "score|number"),
        ({"score": ["1", "x"]}, "expected a number for document 'a', found '1'"),
        ({"doc_id": [1.5, 2.0]}, "ids must be text or whole numbers, found 1.5"),
        ({"query_id": [True, False]}, "ids must be text or whole numbers, found True"),
    ],
)
def test_types_that_are_refused(data, message):
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0], **data}
    for make in (pa.table, pl.DataFrame, pd.DataFrame):
        with pytest.raises(irb.InputError, match=message) as error:
            irb.Run.from_frame(make(columns))
        assert "\n" not in str(error.value)


def test_types_that_take_another_way():
    numbers = [decimal.Decimal("1.5"), decimal.Decimal("2.25")]
    frame = pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": numbers})
    assert irb.Run.from_frame(frame).to_dict() == {"q": {"a": 1.5, "b": 2.25}}


@pytest.mark.parametrize("as_batch", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_dictionaries_of_dictionaries(name, as_batch):
    columns = {"query_id": ["q", "q", "p"], "doc_id": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]}
    run = as_dict(zip(*columns.values(), strict=True))
    words = list(dict.fromkeys(columns[name]))
    inner = pa.DictionaryArray.from_arrays(range(len(words))[::-1], pa.array(words))
    places = [len(words) - 1 - words.index(value) for value in columns[name]]
    outer = pa.DictionaryArray.from_arrays(places, inner)
    make = pa.RecordBatch.from_pydict if as_batch else pa.table
    assert irb.Run.from_frame(make({**columns, name: outer})).to_dict() == run


def test_an_arrow_array_that_was_read_already():
    batch = pa.record_batch({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    capsules = batch.__arrow_c_array__()

    class Once:
        def __arrow_c_array__(self):
            return capsules

    assert irb.Run.from_frame(Once()).to_dict() == {"q": {"a": 1.0}}
    with pytest.raises(irb.InputError, match="the Arrow array was read already"):
        irb.Run.from_frame(Once())


def test_duplicates_and_nan():
    frame = pl.DataFrame(
        {"query_id": ["q", "p", "q"], "doc_id": ["a", "a", "a"], "score": [1.0, 2.0, 3.0]}
    )
    with pytest.raises(irb.InputError, match=r"run: duplicate document 'a' for query 'q'"):
        irb.evaluate({"q": {"a": 1}}, frame, "AP")
    frame = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [float("nan")]})
    with pytest.raises(irb.InputError, match="nan"):
        irb.evaluate({"q": {"a": 1}}, frame, "AP")


def test_frames_without_rows():
    for make in (pa.table, pd.DataFrame, pl.DataFrame):
        frame = make({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})[:0]
        assert len(irb.Run.from_frame(frame)) == 0
        with pytest.raises(irb.InputError, match="run: it has no rows"):
            irb.evaluate({"q": {"a": 1}}, frame, "AP")


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("pandas", "frames of pandas need pandas: pip install pandas"),
        ("polars", "frames of polars need polars: pip install polars"),
        ("pyarrow", "frames of pyarrow need pyarrow: pip install pyarrow"),
        ("narwhals", 'data frames need narwhals: pip install "irbounds[frames]"'),
    ],
)
def test_a_package_that_is_missing(package, line, monkeypatch):
    """One line says what to install."""

    def from_dict(*_, **__):
        raise ModuleNotFoundError(f"No module named {package!r}")

    if package == "narwhals":
        monkeypatch.setitem(sys.modules, package, None)
    else:  # narwhals remembers packages that were imported once
        monkeypatch.setattr("narwhals.from_dict", from_dict)
    run = irb.Run.from_dict({"q": {"a": 1.0}})
    with pytest.raises(ImportError) as caught:
        run.to_frame("pandas" if package == "narwhals" else package)
    assert str(caught.value) == line


def test_what_is_no_table():
    with pytest.raises(irb.InputError, match="not a table"):
        irb.evaluate({"q": {"a": 1}}, pa.array([1, 2]), "AP")
    reader = pa.table({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]}).to_reader()
    reader.read_all()
    with pytest.raises(irb.InputError, match="run: it has no rows"):  # nothing is left in it
        irb.evaluate({"q": {"a": 1}}, reader, "AP")


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1.0], name="score"),
        pd.Series([1.0], pd.MultiIndex.from_tuples([("q", "a")]), name="score"),
        pd.Series({"q": {"a": 1.0}}),
        pl.Series("score", [1.0]),
    ],
)
def test_a_series_is_no_table(series):
    message = "expected a data frame with the columns query_id, doc_id and score, found a Series"
    with pytest.raises(irb.InputError, match=message) as error:
        irb.evaluate({"q": {"a": 1}}, series, "AP")
    assert "\n" not in str(error.value)
    with pytest.raises(irb.InputError, match=message):
        irb.Run.from_frame(series)
    with pytest.raises(irb.InputError, match="and relevance, found a Series"):
        irb.evaluate(series, {"q": {"a": 1.0}}, "AP")


def test_pandas_without_pyarrow(monkeypatch):
    frame = pd.DataFrame(
        {
            "query_id": pd.Categorical(["q", "p", "q"]),
            "doc_id": ["a", "b", "c"],
            "score": np.array([1, 2, 3], ">f4"),
        }
    )
    run = {"q": {"a": 1.0, "c": 3.0}, "p": {"b": 2.0}}
    assert irb.Run.from_frame(frame).to_dict() == run
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", raise_import_error)
    assert irb.Run.from_frame(frame).to_dict() == run
    numbers = pd.DataFrame(
        {"query_id": [1, 1], "doc_id": np.array([5, 6], np.uint16), "score": [True, False]}
    )
    assert irb.Run.from_frame(numbers).to_dict() == {"1": {"5": 1.0, "6": 0.0}}


def raise_import_error(self, requested_schema=None):
    raise ImportError("no pyarrow")


def test_many_stretches_and_batches():
    rng = np.random.default_rng(5)
    n = 30_000
    frame = pl.DataFrame(
        {"query_id": rng.integers(0, 40, n), "doc_id": np.arange(n), "score": rng.random(n)}
    )
    run = as_dict(frame.rows())
    chunked = pa.Table.from_batches(frame.to_arrow().to_batches(max_chunksize=777))
    qrels = {query: dict.fromkeys(list(docs)[::7], 1) for query, docs in run.items()}
    wanted = irb.evaluate(qrels, run, MEASURES).values
    for source in (frame, chunked, frame.sort("query_id", maintain_order=True)):
        evaluation = irb.evaluate(qrels, source, MEASURES)
        assert np.array_equal(evaluation.values, wanted)


def test_buffers_that_are_damaged():
    ends = np.array([0, 5, 3], np.int64)  # offsets must not fall
    texts = ("T", (ends, b"abcde"))
    numbers = ("f", np.ones(2))
    batch = ArrowBatch.from_buffers([texts, texts, numbers])
    with pytest.raises(BadRow, match="column 'query_id' is damaged"):
        ArrowRows([batch], NAMES)
