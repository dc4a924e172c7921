"""The hash of judgments and runs in memory is that of their dict of dicts as sorted JSON."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.reading.content_text import write_content
from irbounds.rankings.data.content_hash import content_hash

ids = st.text(st.characters(exclude_characters="\0"), min_size=1) | st.text(
    "ab1", min_size=1, max_size=4
)
numbers = st.floats(allow_nan=False) | st.integers(-3, 3).map(float)


def slow_hash(content):
    text = json.dumps(content.to_dict(), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


@pytest.mark.quick_examples(30)
@given(st.dictionaries(ids, st.dictionaries(ids, numbers)))
def test_the_hash_is_that_of_sorted_json(rows):
    try:
        run = irb.Run(rows)
    except irb.InputError:  # of surrogates
        return
    assert content_hash(run) == slow_hash(run)


@pytest.mark.parametrize(
    ("rows", "is_plain"),
    [
        ({}, True),
        ({"q": {}}, True),
        ({"q2": {"d10": 1, "d1": 0.1, "d": -0.0}, "q10": {}, "q1": {"~ !": 1e300}}, True),
        ({"q": {"d": 5e-324, "e": 12345678901234567890.0, "f": 1e16, "g": 1e-5}}, True),
        ({"q": {"é": 1.0, "z": 2.0}}, False),
        ({"q": {'"': 1.0}}, False),
        ({"\\": {"d": 1.0}}, False),
        ({"q": {"a\tb": 1.0}}, False),
        ({"q": {"a\x7f": 1.0}}, False),
        ({"q": {"d": float("inf")}}, False),
    ],
)
def test_plain_ids_are_written_in_pieces(rows, is_plain):
    run, pieces = irb.Run.from_dict(rows), []
    assert write_content(run._table, lambda piece: pieces.append(bytes(piece))) is is_plain
    if is_plain:
        assert b"".join(pieces).decode() == json.dumps(run.to_dict(), sort_keys=True)
    assert content_hash(run) == slow_hash(run)


def test_rows_in_any_order():
    rows = [("q2", "b", 1), ("q1", "a", 2), ("q2", "a", 0)]
    queries, documents, values = zip(*rows, strict=True)
    judged = irb.Qrels.from_arrays(queries, documents, values)
    assert content_hash(judged) == content_hash(irb.Qrels({"q1": {"a": 2}, "q2": {"a": 0, "b": 1}}))
