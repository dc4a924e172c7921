"""Usual JSON is read by expressions, all other JSON by Python's reader: where the first takes a
file, both have the same rows."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.doc_rows import BadRow
from irbounds.rankings import json_runs

PLAIN = [
    '{"q1": {"d1": 1, "d2": 2.5e-3}, "q2": {"d": "0.5"}}',
    ' {"q"\t:\n{ "":-0.0 ,"é":1E5}\r}\n',
    '{"q": {"d": 12345678901234567890123}}',
    '{"q": {}, "r": { }, "s": {"d": 1}}',
    r'{"q\u0041\n": {"\"d\\": 1, "\/\b\f\r\t\ud83d\ude00\ud800": "\u0031"}}',
]
OTHER = [
    "{}",
    "[]",
    '{"q": {,}}',
    '{"q": {"d": NaN}}',
    '{"q": {"d": null, "e": true}}',
    '{"q": {"d": 1e400}}',
    r'{"q": {"d\u0041": 1, "dA": 2}}',
    r'{"qA": {"d": 1}, "q\u0041": {"e": 1}}',
    r'{"q": {"d\x41": 1}}',
    r'{"q": {"d\u004": 1}}',
    r'{"q": {"d\": 1}}',
    '{"q": {"d": 1, "d": 2}}',
    '{"q": {"d": 1}, "q": {"e": 1}}',
    '{"q": {"d": {"e": 1}}}',
    '{"q": {"d": 01}}',
    '{"q": {"d": 1.}}',
    '{"q": {"d": 1},}',
    '{"q": {"d": 1}} x',
    '{"q": {"d": 1',
    '{"q": {"d": ' + "1" * 5000 + "}}",
    '{"q":\u00a0{"d": 1}}',
]


def outcome(read):
    """Rows with numbers as doubles, or the error."""
    try:
        return [
            (*row[:3], float(row[3]) if type(row[3]) in (int, float) else row[3]) for row in read()
        ]
    except (BadRow, ValueError, OverflowError) as error:
        return f"{type(error).__name__}: {error}".replace("BadRow: the file is not JSON: ", "")


def check(text):
    def expected():
        return json_runs._all_rows(text)

    def found():
        return json_runs.json_rows(io.BytesIO(text.encode("utf-8", "surrogatepass")))

    wanted = outcome(expected)
    if isinstance(wanted, str):
        assert outcome(found).rpartition(": ")[2] == wanted.rpartition(": ")[2]
    else:
        assert repr(outcome(found)) == repr(wanted)


@pytest.mark.parametrize("text", [*PLAIN, *OTHER])
def test_both_readers_agree(text):
    check(text)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_files_are_read_by_expressions(text):
    assert json_runs._plain_rows(text) is not None


@given(
    st.sampled_from([*PLAIN, *OTHER]),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from('{}[]",:019.eE+- \n\\ax\x0b\u00a0é'))),
    st.booleans(),
)
def test_both_readers_agree_on_damaged_files(text, changes, inserts):
    for place, character in changes:
        text = text[:place] + character + text[place + (not inserts) :]
    check(text)


@pytest.mark.parametrize("kind", [irb.Run, irb.Qrels])
def test_numbers_in_quotes_are_no_numbers(kind, tmp_path):
    (tmp_path / "file.json").write_text('{"q": {"a": 1, "b": "2"}}')
    with pytest.raises(irb.InputError, match=r"file.json: expected a number as \w+, found '2'"):
        kind.from_file(tmp_path / "file.json")
