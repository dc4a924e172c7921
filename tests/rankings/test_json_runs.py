"""JSON of runs and judgments: its rows are those that json itself reads, or one line says what is
wrong."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.documents.doc_rows import BadRow
from irbounds.rankings.reading import json_runs

PLAIN = [
    '{"q1": {"d1": 1, "d2": 2.5e-3}, "q2": {"d": "0.5"}}',
    ' {"q"\t:\n{ "":-0.0 ,"é":1E5}\r}\n',
    '{"q": {"d": 12345678901234567890123}}',
    r'{"q\u0041\n": {"\"d\\": 1, "\/\b\f\r\t\ud83d\ude00\ud800": "\u0031"}}',
]
OTHER = {
    "{}": [],
    '{"q": {}, "r": { }, "s": {"d": 1}}': {"q": {}, "r": {}, "s": {"d": 1}},
    '{"q": {}, "r": 3}': "query 'r': expected an object of documents",
    "[]": [],
    '[{"a": "q", "b": "d"}]': "row 1: the object needs three columns",
    '{"q": {,}}': "the file is not JSON: ",
    '{"q": {"d": null, "e": true}}': [(0, "q", "d", None), (0, "q", "e", True)],
    '{"q": {"d": 1e400}}': [(0, "q", "d", float("inf"))],
    r'{"q": {"d\u0041": 1, "dA": 2}}': "duplicate name 'dA'",
    r'{"qA": {"d": 1}, "q\u0041": {"e": 1}}': "duplicate name 'qA'",
    r'{"q": {"d\x41": 1}}': "the file is not JSON: ",
    '{"q": {"d": 1, "d": 2}}': "duplicate name 'd'",
    '{"q": {"d": {"e": 1}}}': [(0, "q", "d", {"e": 1})],
    '{"q": {"d": 01}}': "the file is not JSON: ",
    '{"q": {"d": 1},}': "the file is not JSON: ",
    '{"q": {"d": 1}} x': "the file is not JSON: ",
    '{"q": {"d": 1': "the file is not JSON: ",
    '{"q": {"d": ' + "1" * 5000 + "}}": "the file is not JSON: ",
    '{"q":\u00a0{"d": 1}}': "the file is not JSON: ",
}


def first_three(names):
    """The names of query id, document id and value."""
    if len(names) < 3:
        raise irb.InputError("the data frame needs three columns")
    return names[:3]


def read(text):
    """Rows, a dict with queries that are empty, or the error."""
    file = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    try:
        found = json_runs.json_rows(file, first_three)
        return found if isinstance(found, dict) else list(found)
    except BadRow as error:
        return error.problem


@pytest.mark.parametrize("text", PLAIN)
def test_rows_are_those_of_json(text):
    assert read(text) == [
        (0, query, *item) for query, own in json.loads(text).items() for item in own.items()
    ]


@pytest.mark.parametrize(("text", "expected"), OTHER.items())
def test_what_else_json_may_hold(text, expected):
    found = read(text)
    assert found.startswith(expected) if isinstance(expected, str) else found == expected


@given(
    st.sampled_from([*PLAIN, *OTHER]),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from('{}[]",:019.eE+- \n\\ax\x0b\u00a0é'))),
    st.booleans(),
)
def test_damaged_files_are_refused_in_one_way(text, changes, inserts):
    for place, character in changes:
        text = text[:place] + character + text[place + (not inserts) :]
    read(text)


@pytest.mark.parametrize("kind", [irb.Run, irb.Qrels])
def test_numbers_in_quotes_are_no_numbers(kind, tmp_path):
    (tmp_path / "file.json").write_text('{"q": {"a": 1, "b": "2"}}')
    with pytest.raises(
        irb.InputError,
        match=r"file.json: expected a number as \w+ of document '\w+' \(query '\w+'\), found '2'",
    ):
        kind.from_file(tmp_path / "file.json")


def test_an_array_of_rows(tmp_path):
    (tmp_path / "run.json").write_text(
        '[{"qid": 1, "docno": "a", "score": 2},\n {"score": 0.5, "docno": "b", "qid": 1, "x": {}}]'
    )
    assert irb.Run.from_file(tmp_path / "run.json").to_dict() == {"1": {"a": 2.0, "b": 0.5}}
    (tmp_path / "qrels.json").write_text(' [ {"q": "1", "d": "a", "rel": 1} ]')
    names = {"query_id": "q", "doc_id": "d", "relevance": "rel"}
    qrels = irb.Qrels.from_file(tmp_path / "qrels.json", columns=names)
    assert qrels.to_dict() == {"1": {"a": 1.0}}


def test_an_array_as_pandas_writes_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"query_id": ["q", "q"], "doc_id": [7, 8], "score": [0.1, 1e-9]})
    frame.to_json(tmp_path / "run.json", orient="records", double_precision=15)
    assert irb.Run.from_file(tmp_path / "run.json").to_dict() == {"q": {"7": 0.1, "8": 1e-9}}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (
            '[{"query_id": "q", "doc_id": "d", "score": 1}, 3]',
            "row 2: expected a JSON object, found 3",
        ),
        (
            '[{"query_id": "q", "text": "d", "score": 1}]',
            "row 1: the object needs the column 'doc_id'",
        ),
        ('[{"query_id": "q", "doc_id": "", "score": 1}]', "row 1: the document id is missing"),
        ('[{"query_id": null, "doc_id": "d", "score": 1}]', "row 1: the query id is missing"),
        ('[{"query_id": "q", "doc_id": "d", "score": "1"}]', "row 1: expected a number as score"),
        ("[]", "the file has no rows"),
    ],
)
def test_one_clear_line_for_an_array_that_has_no_rows_of_a_run(rows, problem, tmp_path):
    (tmp_path / "run.json").write_text(rows)
    with pytest.raises(irb.InputError) as caught:
        irb.Run.from_file(tmp_path / "run.json")
    assert str(caught.value).startswith(f"{tmp_path / 'run.json'}: {problem}")


def test_queries_without_documents_count_as_in_a_dict(tmp_path):
    qrels, run = (
        {"q1": {}, "q2": {"a": 1}, "q3": {"b": 1}},
        {"q3": {}, "q1": {"a": 1}, "q2": {"a": 1}, "q4": {}},
    )
    for name, source in (("qrels", qrels), ("run", run)):
        (tmp_path / f"{name}.json").write_text(json.dumps(source))
    expected = irb.evaluate(qrels, run, "AP NumRet")
    assert expected.missing_queries == ("q3",)
    for one, other in (
        (tmp_path / "qrels.json", tmp_path / "run.json"),
        (irb.Qrels(tmp_path / "qrels.json"), irb.Run(tmp_path / "run.json")),
        (qrels, tmp_path / "run.json"),
    ):
        found = irb.evaluate(one, other, "AP NumRet")
        assert found.query_ids == expected.query_ids
        assert found.missing_queries == expected.missing_queries
        assert (found.values == expected.values).all()
    (tmp_path / "nothing.json").write_text('{"q2": {}}')
    with pytest.raises(irb.InputError, match="it has no rows"):
        irb.evaluate(qrels, tmp_path / "nothing.json", "AP")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"e": {}, "q": {"": 1}}', "the document id is missing"),
        ('{"e": {}, "": {"d": 1}}', "the query id is missing"),
        ('{"e": {}, "q": {"d": "2"}}', "expected a number"),
        ('{"e": {}, "q": {"d": null}}', "expected a number"),
    ],
)
def test_what_is_refused_beside_a_query_without_documents(text, problem, tmp_path):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(irb.InputError, match=problem):
        irb.Run(tmp_path / "run.json")
