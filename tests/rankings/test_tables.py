"""Tables of text: what Python's csv module reads, in whatever pieces the file comes, and one line
for each that cannot be read."""

import csv
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.documents.doc_index import DocTable
from irbounds._core.reading.table_text import TableReader

FIELDS = st.text(st.sampled_from('ab1 ",;\t\n\rü'), min_size=1, max_size=6)
LONG = "x" * 70 + '"' + "y" * 200  # longer than the 64 bytes that are looked at together


class Pieces(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data, size):
        super().__init__(data)
        self.piece = size

    def readinto1(self, buffer):
        return super().readinto(memoryview(buffer)[: self.piece])


@pytest.mark.quick_examples(40)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["q", 'q"1', "q\n2", LONG]), FIELDS | st.just(LONG), FIELDS),
        min_size=1,
        max_size=12,
        unique_by=lambda row: row[:2],
    ),
    delimiter=st.sampled_from(",;\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    size=st.integers(1, 40),
    cut=st.booleans(),
    blank=st.sampled_from(["", "\n", " \r\n"]),
)
def test_what_the_csv_module_reads(rows, delimiter, end, quoting, size, cut, blank):
    """But for blanks around ids without quotes, which are none of the ids, as of numbers."""
    if any("\r" in field for row in rows for field in row):
        quoting = csv.QUOTE_ALL  # csv writes it without quotes, and does not read that

    def without_blanks(field):
        is_quoted = quoting == csv.QUOTE_ALL or {*field} & {*f'{delimiter}"\r\n'}
        return field if is_quoted else field.strip(" \t")

    ids = [(row[0], without_blanks(row[1])) for row in rows]
    assume(all(map(all, ids)) and len(set(ids)) == len(ids))
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    for number, (query, document, more) in enumerate(rows):
        writer.writerow([f" {number / 8}", document, more, query])
    data = blank + text.getvalue() + blank
    data = data.removesuffix("\n").removesuffix("\r") if cut else data
    wanted = {}
    for fields in csv.reader(io.StringIO(data, newline=""), delimiter=delimiter, strict=True):
        if len(fields) > 1:
            wanted.setdefault(fields[3], {})[without_blanks(fields[1])] = float(fields[0])
    reader = TableReader(Pieces(data.encode(), size), "score", delimiter, (3, 1, 0), 4)
    assert irb.Run(DocTable.from_reader(reader)).to_dict() == wanted


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"q1,d1\n", "run:2: expected 3 columns, as the first line has; found 2"),
        (b"q1,d1,1\n\n \nq1,d2,1,1\n", "run:5: expected 3 columns, as the first line has; found 4"),
        (b'q1,"d\n1",1\nq1\n', "run:4: expected 3 columns"),
        (b"q1,d1,1\n,d1,1\n", "run:3: the query id is missing"),
        (b'q1,"",1\n', "run:2: the document id is missing"),
        (b"q1,d1,1\nq1,d\x002,1\n", "run:3: found a NUL byte: this is no text file"),
        (b"q1,d1,1\rq1,d2,1\r", "run:2: found a carriage return inside the line"),
        (b'q1,d1,1\nq1,"d2,1\nq1,d3,1\n', "run:3: the table cannot be read: a quote is opened"),
        (b'q1,"d2"x,1\n', "run:2: the table cannot be read: text follows the quote"),
        (b"q1,d1,1_0\n", "run:2: expected a number as score, found '1_0'"),
        (b"q1,d1,\n", "run:2: expected a number as score, found ''"),
        (b'q1,"d\n\n1",high\n', "run:2: expected a number as score, found 'high'"),
        (b"q1,d1,\xff\n", "run:2: expected a number as score, found '"),
        (b"q1,d1," + b"9" * 2_000_000, "run:2: the line is longer than 1048576 bytes"),
        (b'q1,"' + b"d\n" * 2_000_000, "run:2: the line is longer than 1048576 bytes"),
        (b"q1,d1,nan\n", "run:2: `score` must be a number; found nan"),
        (b"q1,d1,1\nq1,d2,1\nq1,d1,2\n", "run:4: duplicate document 'd1' for query 'q1'"),
    ],
)
def test_one_line_for_a_table_that_cannot_be_read(data, problem, tmp_path):
    (tmp_path / "run").write_bytes(b"query_id,doc_id,score\n" + data)
    with pytest.raises(irb.InputError) as caught:
        irb.Run.from_file(tmp_path / "run")
    assert problem in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "run"))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_marks_ends_and_grades(tmp_path):
    """A byte order mark, CRLF, no end of the last line, a long number, infinity, a grade between
    whole ones, ids that are no UTF-8."""
    (tmp_path / "run").write_bytes(
        b"\xef\xbb\xbfquery_id;doc_id;score\r\n\r\n"
        b"q;d\xff; 0.1000000000000000055511151231257827\r\nq;e;inf"
    )
    assert irb.Run.from_file(tmp_path / "run").to_dict() == {
        "q": {"d\udcff": 0.1, "e": float("inf")}
    }
    (tmp_path / "qrels").write_text("query_id,doc_id,relevance\nq,d,0.5\n")
    assert irb.Qrels.from_file(tmp_path / "qrels").to_dict() == {"q": {"d": 0.5}}


def test_ranks_of_ms_marco(tmp_path):
    (tmp_path / "run").write_bytes(b'q1\td"2\t1\r\nq1\t"d1"\t999999999999999\n')
    found = irb.Run.from_file(tmp_path / "run").to_dict()
    assert found == {"q1": {'d"2': -1.0, '"d1"': -999999999999999.0}}
    for bad in ("1.5", "-1", "1000000000000000", ""):
        (tmp_path / "run").write_text(f"q1\td1\t1\nq1\td2\t{bad}\n")
        with pytest.raises(
            irb.InputError, match=r"run:2: expected 3 columns \(query_id doc_id rank"
        ):
            irb.Run.from_file(tmp_path / "run")


def test_one_column_cannot_hold_two_ids(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text("a,relevance\nx,1\n")
    columns = {"query_id": "a", "doc_id": "a"}
    with pytest.raises(irb.InputError, match="must name different columns"):
        irb.Qrels.from_file(path, format="table", columns=columns)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_blanks_around_ids(delimiter, tmp_path):
    lines = ["query_id, doc_id ,score", "q1, d1,3", " q1 ,d2 , 2", 'q2, "d 3",1', 'q2," d4",0.5']
    (tmp_path / "run").write_text("\n".join(lines).replace(",", delimiter) + "\n")
    wanted = {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d 3": 1.0, " d4": 0.5}}
    assert irb.Run(tmp_path / "run").to_dict() == wanted
