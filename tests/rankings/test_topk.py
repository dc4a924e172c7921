"""Matrices of retrieved documents: the same numbers as from a dict, whatever holds no document."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import irbounds as irb

MEASURES = "AP nDCG@3 RR NumRet"
QRELS = {"a": {"1": 1, "2": 0, "4": 2}, "b": {"3": 1}}


def evaluator(**options):
    return irb.Evaluator(QRELS, MEASURES, **options)


@pytest.mark.quick_examples(40)
@given(st.data())
def test_equal_to_a_dict(data):
    k = data.draw(st.integers(0, 5))
    kind = data.draw(st.sampled_from(["i1", "u2", "i4", "i8", "text", "object"]))
    score_kind = data.draw(st.sampled_from(["f2", "f4", "f8", "i4"]))
    ascending = data.draw(st.booleans())
    docs = np.array([data.draw(st.permutations(range(6)))[:k] for _ in range(2)]).reshape(2, k)
    scores = np.array(
        [data.draw(st.lists(st.integers(0, 3), min_size=k, max_size=k)) for _ in range(2)]
    )
    scores = scores.reshape(2, k).astype(score_kind)
    run = {
        query: {
            str(doc): (-1 if ascending else 1) * float(score)
            for doc, score in zip(*rows, strict=True)
            if doc != 5
        }
        for query, rows in zip("ab", zip(docs.tolist(), scores.tolist(), strict=True), strict=True)
    }
    assume(any(run.values()))  # a run without any row is refused
    texts = docs.astype(str)
    ids = {"text": texts, "object": texts.astype(object)}.get(kind)
    ids = docs.astype(kind) if ids is None else ids
    padding = "5" if kind in ("text", "object") else 5
    found = evaluator(bounds=True).evaluate_topk(
        ["a", "b"], ids, scores, padding=padding, ascending=ascending
    )
    wanted = evaluator(bounds=True).evaluate(run)
    assert found.missing_queries == wanted.missing_queries
    for part in ("values", "low", "high"):
        assert np.array_equal(getattr(found, part), getattr(wanted, part))


def test_the_order_given():
    found = evaluator().evaluate_topk(["a"], [[2, 4, 1]])
    assert np.array_equal(
        found.values, evaluator().evaluate({"a": {"2": 3, "4": 2, "1": 1}}).values
    )


def test_places_that_hold_no_document():
    run = {"a": {"2": 3.0, "4": 1.0}}
    wanted = evaluator().evaluate(run).values
    scores = [[3.0, 2.0, 1.0]]
    masked = np.ma.masked_array([[2, 9, 4]], [[False, True, False]])
    for docs, given_scores, padding in [
        ([[2, -1, 4]], scores, -1),
        ([[2, 0, 4]], scores, 0),
        (masked, scores, None),
        ([["2", None, "4"]], scores, -1),
        ([[2, 9, 4]], [[3.0, np.nan, 1.0]], -1),
        ([[2, 9, 4]], np.ma.masked_array(scores, [[False, True, False]]), -1),
    ]:
        assert np.array_equal(
            evaluator().evaluate_topk(["a"], docs, given_scores, padding=padding).values, wanted
        )
    kept = evaluator().evaluate_topk(["a"], [[2, -1, 4]], scores, padding=None)
    assert kept["NumRet"].tolist() == [3.0, 0.0]
    lowest = evaluator().evaluate_topk(["a"], [[2, 9, 4]], [[3.0, -np.inf, 1.0]])
    assert lowest["NumRet"][0] == 3.0  # minus infinity is a score


WORDS = ["", "a", "ü", "document 1", "naïve \U0001f600", "b", "raw \udcff"]  # the last: no UTF-8


@pytest.mark.parametrize("kind", ["text", "bytes", "object", "StringDType", "swapped"])
def test_text_of_every_kind(kind):
    """The same documents, whatever holds their ids; "b" is padding."""
    raw = [word.encode("utf-8", "surrogateescape") for word in WORDS]
    docs = {
        "text": lambda: np.array([WORDS]),
        "bytes": lambda: np.array([raw]),
        "object": lambda: np.array([WORDS], object),
        "swapped": lambda: np.array([WORDS]).astype(np.dtype("U20").newbyteorder()),
        "StringDType": lambda: np.array([WORDS[:-1]], np.dtypes.StringDType()),
    }
    if kind == "StringDType" and not hasattr(np.dtypes, "StringDType"):
        pytest.skip("NumPy has no StringDType before 2.0")
    ids = docs[kind]()
    n = ids.shape[1]
    qrels = {"q": {word: 1 + i % 3 for i, word in enumerate(WORDS[:n])}}
    run = {"q": {word: n - i for i, word in enumerate(WORDS[:n]) if word != "b"}}
    found = irb.Evaluator(qrels, "AP nDCG NumRet").evaluate_topk(["q"], ids, padding="b")
    assert np.array_equal(found.values, irb.evaluate(qrels, run, "AP nDCG NumRet").values)
    assert found["NumRet"][0] == n - 1


class Twin:
    """Equal to a text, though none."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return other == self.text

    def __hash__(self):
        return hash(self.text)


def many_words(k):
    """Rows of words, of which some are no ASCII, no UTF-8, long, or end in NUL."""
    forms = ["d{}", "ü{}", "{}\0", "long " * 9 + "{}", "{}\udcff", "\U0001f600{}", "{}"]
    return [[forms[(q + i) % len(forms)].format(i) for i in range(k)] for q in range(3)]


@pytest.mark.parametrize("padding", [None, -1, "d0", "\ud800", "long " * 9 + "3", Twin("d0")])
@pytest.mark.parametrize("layout", ["rows", "columns", "strided", "reversed", "lists", "missing"])
def test_objects_of_every_layout(layout, padding):
    """More objects than are read in a piece, wherever they lie."""
    k = 3000
    words = many_words(k)
    docs = np.array(words, object)
    if layout == "columns":
        docs = np.asfortranarray(docs)
    elif layout == "strided":
        docs = np.repeat(docs, 2, axis=1)[:, ::2]
    elif layout == "reversed":
        docs, words = docs[:, ::-1], [row[::-1] for row in words]
    elif layout == "lists":
        docs = words
    elif layout == "missing":
        docs[:, 7] = None
        words = docs.tolist()
        docs[1, 9] = np.str_(docs[1, 9])
    run = {
        query: {
            word: k - i
            for i, word in enumerate(row)
            if word is not None and not (padding is not None and padding == word)
        }
        for query, row in zip("abc", words, strict=True)
    }
    chosen = {query: list(own)[::41] for query, own in run.items()}
    qrels = {query: dict.fromkeys(own, 1) for query, own in chosen.items()}
    job = irb.Evaluator(qrels, "AP nDCG NumRet")
    found = job.evaluate_topk(list("abc"), docs, padding=padding)
    assert np.array_equal(found.values, job.evaluate(run).values)


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy has it from 2.0 on")
@pytest.mark.parametrize("missing", ["none", None, np.nan])
def test_texts_of_any_length(missing):
    """Read in blocks, the last of which is not full; missing texts are no documents."""
    k = 3000
    words = [[word for word in row if "\udcff" not in word] for row in many_words(k)]
    k = min(map(len, words))
    words = [row[:k] for row in words]
    options = {} if missing == "none" else {"na_object": missing}
    docs = np.array(words, np.dtypes.StringDType(**options))
    if missing is None:
        docs[:, 5] = None
    run = {
        query: {word: k - i for i, word in enumerate(row) if missing is not None or i != 5}
        for query, row in zip("abc", words, strict=True)
    }
    qrels = {query: dict.fromkeys(list(own)[::41], 1) for query, own in run.items()}
    job = irb.Evaluator(qrels, "AP nDCG NumRet")
    found = job.evaluate_topk(list("abc"), docs)
    assert np.array_equal(found.values, job.evaluate(run).values)


def test_query_ids_that_are_numbers_and_queries_without_judgments():
    found = irb.Evaluator({7: {1: 1}}, "RR").evaluate_topk(
        np.array([7, 8]), np.array([[2, 1], [1, 2]])
    )
    assert found.mean["RR"] == 0.5
    assert found.unjudged_queries == ("8",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"], [[1], [2]]), "`query_ids` must be distinct; found 'a'"),
        ((["a"], [[1], [2]]), "`query_ids` must have one id for each of 2 rows; found 1"),
        (([1.5], [[1]]), "`query_ids`: ids must be text or whole numbers, found 1.5"),
        ((["a"], [[1, 1]]), "duplicate document '1' for query 'a'"),
        (
            (["a"], [1, 2]),
            r"`doc_ids` must be a matrix, queries × documents; found 'the shape \(2,\)'",
        ),
        ((["a"], [[1.0, 2.5]]), "`doc_ids`: ids must be text or whole numbers, found .*2.5"),
        (
            (["a"], [[1, 2]], [[1.0]]),
            r"`scores` must have the shape of `doc_ids`, \(1, 2\); found \(1, 1\)",
        ),
        ((["a"], [[1, 2]], [["x", "y"]]), "`scores` must be numbers"),
        (("a", [[1, 2]]), "`query_ids` must be a list of ids"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(irb.InputError, match=message):
        evaluator().evaluate_topk(*arguments)
    with pytest.raises(irb.InputError, match="`ascending` needs `scores`"):
        evaluator().evaluate_topk(["a"], [[1]], ascending=True)
    with pytest.raises(irb.InputError, match="`ascending` must be True or False; found 'no'"):
        evaluator().evaluate_topk(["a"], [[1]], [[0.5]], ascending="no")


def test_matrices_that_have_nothing_but_dlpack():
    class Matrix:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    ids, scores = np.array([[4, 2, 1], [3, 9, -1]]), np.array([[3.0, 2, 1], [2, 2, 9]], np.float32)
    wanted = evaluator().evaluate_topk(["a", "b"], ids, scores).values
    found = evaluator().evaluate_topk(["a", "b"], Matrix(ids), Matrix(scores)).values
    np.testing.assert_array_equal(found, wanted)
