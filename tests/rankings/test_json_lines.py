"""JSON lines: what Python's json module reads in each line, in whatever pieces the file comes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.documents.doc_index import DocTable
from irbounds.rankings.reading import formats
from tests.rankings.test_tables import Pieces

# Members as text: plain ones, those that only the slow reader takes, and wrong ones.
IDS = ['"d1"', '"d 2"', '"ü"', '"a\\u0062"', '"\\""', '"' + "x" * 40 + '"', "7", "-3", "123456789"]
IDS += [
    *("0", "-0", "12345678901234567890", '"7"', "1.5", "null", '""', "true", "01", '"a\tb"'),
    "[1]",
]
VALUES = ["1", "0.5", "-1e-3", "2E+2", "1e400", "12345678901234567890123", '"1.5"', "true", "null"]
VALUES += ["-", "01", "1.", ".5", "+1", "NaN", "Infinity", "1_0", "{}", '"x"', "0.1", "-0"]
MORE = [
    '"more": [1, {"a": "}"}], ',
    '"t": "x, y", ',
    '"n": -1.5e3, "b": false, ',
    '"doc_id": "d9", ',
]
MORE += ['"a\\u0062": null, ', '"": 1, ', "7: 1, ", '"n": nul, ']


@st.composite
def lines(draw):
    """Lines of which most are right."""
    found = []
    for _ in range(draw(st.integers(1, 8))):
        odd = draw(st.integers(0, 5)) == 0
        query = draw(st.sampled_from(["q", "p", 'q\\"']))
        members = [
            f'"query_id": "{query}"',
            f'"doc_id":{draw(st.sampled_from(IDS if odd else IDS[:9]))}',
            f'"score" : {draw(st.sampled_from(VALUES if odd else VALUES[:4]))}',
        ]
        members = draw(st.permutations(members))
        more = draw(st.sampled_from(MORE if odd else ["", *MORE[:3]]))
        line = "{" + more + ", ".join(members) + "}"
        if draw(st.integers(0, 20)) == 0:
            line = line[: draw(st.integers(0, len(line)))]
        found.append(draw(st.sampled_from(["", " ", "\t"])) + line + draw(st.sampled_from("\r ")))
    return "\n".join(found) + draw(st.sampled_from(["", "\n", "\n\n"]))


def without_twins(pairs):
    """A key of a row that stands twice is refused, as nobody knows which value is meant."""
    names = [name for name, _ in pairs if name in ("query_id", "doc_id", "score")]
    if len(set(names)) < len(names):
        raise ValueError(names)
    return dict(pairs)


def slow_rows(text):
    """The rows as lists; None where a line is no row."""
    rows = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=without_twins)
            ids = [row["query_id"], row["doc_id"]]
            if any(isinstance(each, (bool, float, list)) or each in (None, "") for each in ids):
                return None
            if isinstance(row["score"], str):
                return None
            rows.append([*map(str, ids), float(row["score"]) + 0.0])
        except (ValueError, TypeError, KeyError, OverflowError):
            return None
    return rows


@pytest.mark.quick_examples(40)
@given(lines(), st.integers(1, 50))
def test_what_the_json_module_reads(text, size):
    rows, found = slow_rows(text), None
    try:
        reader = formats.FORMATS["jsonl"].read(Pieces(text.encode(), size), formats.Wanted("score"))
        table = DocTable.from_reader(reader)
        found = [
            [query, doc, value + 0.0]  # -0 is a whole number to json, without a sign
            for number, query in enumerate(table.query_ids)
            for doc, value in zip(
                table.rows.doc_ids(*table.row_starts()[number : number + 2]),
                table.rows.values(*table.row_starts()[number : number + 2]),
                strict=True,
            )
        ]
    except (irb.InputError, ValueError):
        pass
    if rows is None or found is None:
        assert rows is None
        assert found is None
    else:
        assert sorted(map(repr, found)) == sorted(map(repr, rows))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[]", "run:3: expected a JSON object, found []"),
        ('{"query_id": "q"}', "run:3: the object needs the column 'doc_id'"),
        ('{"query_id": "q", "doc_id": "", "score": 1}', "run:3: the document id is missing"),
        (
            '{"query_id": true, "doc_id": "e", "score": 1}',
            "run:3: ids must be text or whole numbers, found True",
        ),
        ('{"query_id": "q", "doc_id": "e", "score": "x"}', "run:3: expected a number as score"),
        (
            '{"query_id": "q", "doc_id": "e", "score": "2"}',
            "run:3: expected a number as score, found '2'",
        ),
        ('{"query_id": "q", "doc_id": "e", "score": 1', "run:3: the line is not JSON"),
        ('{"query_id": "q", "doc_id": "e\x00", "score": 1}', "run:3: the line is not JSON"),
        ('{"query_id": "q", "doc_id": "d", "score": 1}', "run:3: duplicate document 'd'"),
        ("[" * 2_000_000, "run:3: the line is longer than 1048576 bytes"),
    ],
)
def test_one_line_for_a_line_that_cannot_be_read(line, problem, tmp_path):
    good = '{"query_id": "q", "doc_id": "d", "score": 1}'
    (tmp_path / "run").write_text(f"{good}\n\n{line}\n")
    with pytest.raises(irb.InputError) as caught:
        irb.Run.from_file(tmp_path / "run")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_that_change_from_line_to_line(tmp_path):
    (tmp_path / "run").write_text(
        '{"": 1, "qid": "q", "docno": "a", "score": 3}\n'
        '{"qid": "q", "docno": "b", "score": 2}\n'
        '{"query_id": "q", "doc_id": "c", "score": 1}\n'
        '{"query_id": "q", "doc_id": "d", "score": 0.5}'
    )
    assert irb.Run.from_file(tmp_path / "run").to_dict() == {
        "q": {"a": 3, "b": 2, "c": 1, "d": 0.5}
    }
