"""One conversion of labels for all containers: equal labels are one, others are refused."""

import enum
import math
import unicodedata
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irbounds as irb
from irbounds._core.counts.label_codes import codes_of_objects, codes_of_texts
from irbounds.counts import paired_comparison_from_labels

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

ANY = {
    "list": list,
    "tuple": tuple,
    "objects": lambda labels: np.array(labels, object),
    "pandas objects": lambda labels: pd.Series(labels, dtype=object),
    "pandas": pd.Series,
    "categorical": pd.Categorical,
    "series of categories": lambda labels: pd.Series(labels, dtype="category"),
    "arrow": pa.array,
    "chunks": lambda labels: pa.chunked_array([pa.array(labels)]),
    "dictionary": lambda labels: pa.array(labels).dictionary_encode(),
    "polars": pl.Series,
}
TEXTS = {
    "numpy": np.array,
    "StringDType": lambda labels: np.array(labels, np.dtypes.StringDType()),
    "pandas strings": lambda labels: pd.Series(labels, dtype="string"),
    "polars categories": lambda labels: pl.Series(labels, dtype=pl.Categorical),
    "np.str_": lambda labels: list(map(np.str_, labels)),
}
NUMBERS = {
    "int8": lambda labels: np.array(labels, np.int8),
    "float32": lambda labels: np.array(labels, np.float32),
    "Int64": lambda labels: pd.Series(labels, dtype="Int64"),
    "booleans": lambda labels: np.array(labels) == 1,
    "floats": lambda labels: list(map(float, labels)),
    "Decimal": lambda labels: list(map(Decimal, labels)),
    "Fraction": lambda labels: list(map(Fraction, labels)),
    "mixed": lambda labels: np.array(
        [(True, 1.0, 1)[i % 3] if x else 0 for i, x in enumerate(labels)], object
    ),
}
MISSING = [None, math.nan, np.nan, pd.NA, pd.NaT, Decimal("nan"), float("nan")]
WORDS = ["", " ", "NA", "?", "NaN", "nan", "null", "N/A", "<NA>", "None"]


def twin(truth, prediction, positive):
    """Counted one object after the other."""
    pairs = [(t == positive, p == positive) for t, p in zip(truth, prediction, strict=True)]
    return [pairs.count(cell) for cell in ((True, True), (False, True), (True, False))]


def counts_of(*arguments, **options):
    found = irb.CountsPosterior.from_labels(*arguments, **options)
    return [found.tp, found.fp, found.fn]


marks = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=9).map(
    lambda pairs: [*pairs, (True, True), (False, False)]  # both labels in both vectors
)


@settings(max_examples=60)
@given(
    marks,
    st.sampled_from([("yes", "no"), ("1", "0"), ("relevant", "not relevant"), ("ja", "né")]),
    *[st.sampled_from(sorted(ANY | TEXTS))] * 2,
)
def test_texts_in_all_containers(pairs, words, one, other):
    made = ANY | TEXTS
    truth, prediction = ([words[not mark] for mark in side] for side in zip(*pairs, strict=True))
    vectors = made[one](truth), made[other](prediction)
    assert counts_of(*vectors, positive=words[0]) == twin(truth, prediction, words[0])
    pair = irb.PairedCounts.from_labels(vectors[0], vectors[1], truth, positive=words[0])
    assert [pair.a.tp, pair.a.fp, pair.a.fn] == twin(truth, prediction, words[0])
    same = paired_comparison_from_labels(*vectors, prediction)
    assert same.wins == same.losses == 0
    with pytest.raises(irb.InputError, match="labels are strings: pass `positive`"):
        counts_of(*vectors)
    with pytest.raises(irb.InputError, match=f"no object has the label '{words[0]}x', `positive`"):
        counts_of(*vectors, positive=words[0] + "x")


@settings(max_examples=60)
@given(marks, *[st.sampled_from(sorted(ANY | NUMBERS))] * 2)
def test_numbers_in_all_containers(pairs, one, other):
    made = ANY | NUMBERS
    truth, prediction = ([int(mark) for mark in side] for side in zip(*pairs, strict=True))
    vectors = made[one](truth), made[other](prediction)
    for positive in (1, True, 1.0, np.int64(1)):
        assert counts_of(*vectors, positive=positive) == twin(truth, prediction, 1)
    with pytest.raises(irb.InputError, match="all strings or all numbers"):
        counts_of(vectors[0], list(map(str, prediction)))
    with pytest.raises(irb.InputError, match="`positive` must be one of the labels, which are num"):
        counts_of(*vectors, positive="1")


@pytest.mark.parametrize("container", [*ANY, "numpy"])
def test_missing_labels_are_refused_everywhere(container):
    make = (ANY | TEXTS)[container]
    refused = r"`truth` must have a label for every object; found .* at index 2"
    for base, missing in [
        *((["yes", "no"], gone) for gone in (None, *WORDS)),
        ([1, 0], None),
        ([1.0, 0.0], math.nan),
    ]:
        if container == "numpy" and not isinstance(missing, str):
            continue  # an array of objects
        vector, good = make([*base, missing]), [*base, base[0]]
        for call in (
            lambda v=vector, g=good: counts_of(v, g, positive=g[0]),
            lambda v=vector, g=good: irb.PairedCounts.from_labels(v, g, g, positive=g[0]),
            lambda v=vector, g=good: paired_comparison_from_labels(v, g, g),
            lambda v=vector, g=good: counts_of(v, g, labels=g[:2]),
        ):
            with pytest.raises(irb.InputError, match=refused):
                call()
    assert counts_of(make(["NA", "DE"]), ["NA", "DE"], positive="NA") == [1, 0, 0]  # asked for


@pytest.mark.parametrize("missing", MISSING)
def test_missing_objects(missing):
    for container in (list, lambda x: np.array(x, object)):
        for base in ([1, 0], ["a", "b"]):
            with pytest.raises(irb.InputError, match="`prediction` must have a label for every"):
                counts_of([*base, base[0]], container([*base, missing]), positive=base[0])


@pytest.mark.parametrize(
    ("truth", "prediction", "options", "message"),
    [
        ([0, 1, 0], [0, 2, 0], {}, r"`prediction` never has the label 1, and has labels that `tru"),
        ([0, 2, 0], [0, 1, 0], {}, r"`truth` never has the label 1, .*: 2; `prediction` has 0, 1"),
        ([0, 1, 0], [0.2, 0.9, 0.1], {}, "apply a threshold"),
        ([0, 1, 0], [0.2, 1.0, 0.0], {}, r"`prediction` must have labels; found 0.2, as scores"),
        (["yes", "no"], ["Yes", "No"], {"positive": "yes"}, "label 'Yes', which looks like 'yes'"),
        (["a", "b"], ["a ", "b"], {"labels": ["a", "b"]}, "label 'a ', which looks like 'a'"),
        ([0, 2], [0, 2], {}, "no object has the label 1"),
        ([0.3, 0.9], [0.3, 0.8], {}, "no object has the label 1"),
        ([b"1", b"0"], [b"1", b"0"], {}, "no object has the label 1"),
        ([0, 1, 2], [0, 1, 1], {}, "`truth` has the labels 0, 1, 2, and .*count as relevant as 1"),
        ([0, 1, 1], [0, 1, -1], {}, "`prediction` has the labels -1, 0, 1, and `truth` 0, 1: wri"),
        ({0: 1, 1: 0}, [1, 0], {}, "`truth` must be a list or an array of labels"),
        ("10", [1, 0], {}, "`truth` must be a list or an array of labels"),
        (["1", "0"], ["yes", "no"], {"positive": "1"}, "write the same labels in both"),
        (["spam", "ham"], ["spam", "ham"], {"positive": "Spam"}, "found 'ham', 'spam'"),
        (["spam", "ham"], ["spam", "ham"], {"labels": ["Spam", "ham"]}, "no object has .* 'Spam'"),
        (["a", 1], ["a", "b"], {"positive": "a"}, "`truth` must have .*found 'a' and 1 at index 1"),
        ([1, "a"], ["a", "b"], {"positive": "a"}, "`truth` must have .*found 1 and 'a' at index 1"),
        ([0, 1], [0, 1], {"positive": None}, "no object has the label None"),
        ([0, 1], [0, 1], {"positive": 3}, "no object has the label 3"),
        ([b"a", b"b"], ["a", "b"], {"positive": "a"}, "must be all strings or all numbers"),
        (["a", "b"], ["c", "d"], {"labels": ["a", "b"]}, "`prediction` has no label of `truth`"),
    ],
)
def test_labels_that_never_match(truth, prediction, options, message):
    with pytest.raises(irb.InputError, match=message) as error:
        counts_of(truth, prediction, **options)
    assert "\n" not in str(error.value)


BLURS = [  # of a label: the same to a reader
    lambda word: word + " ",
    lambda word: "\u00a0" + word,
    lambda word: word + "\u200b",
    lambda word: "\ufeff" + word,
    lambda word: unicodedata.normalize("NFD", word),
    lambda word: word.replace(" ", "\u3000"),
]


@given(
    st.sampled_from(["né", "not né", "für"]),
    st.sampled_from(BLURS),
    st.lists(st.booleans(), min_size=4),
    st.data(),
)
def test_labels_that_look_alike_are_refused_or_counted(word, blur, truth, data):
    """One label of one vector is written otherwise: never a count without it."""
    vectors = [[word if mark else "other" for mark in truth] for _ in range(2)]
    own = data.draw(st.sampled_from(vectors))
    place = data.draw(st.integers(0, len(truth) - 1))
    is_changed = own[place] == word != blur(word)
    own[place] = blur(word) if is_changed else own[place]
    for options in ({"positive": word}, {"labels": [word, "other"]}):
        if is_changed:
            with pytest.raises(irb.InputError, match=r"looks like|write the same labels"):
                counts_of(*vectors, **options)
        elif word in own:
            found = counts_of(*vectors, positive=word)
            assert found == [sum(truth), 0, 0]


def test_letters_of_two_cases_are_two_labels():
    for positive in "Kk":
        assert counts_of(["K", "k", "K"], ["K", "k", "k"], positive=positive)[0] == 1


def test_iterators_of_labels():
    truth, prediction = [1, 1, 0, 0, 1], [1, 0, 0, 1, 1]
    for own in (iter(truth), map(int, truth), (x for x in truth), dict(enumerate(truth)).values()):
        assert counts_of(own, prediction) == [2, 1, 1]
    assert counts_of(truth, iter(prediction)) == [2, 1, 1]


def test_equal_numbers_are_one_label_also_as_text():
    truth = ["1", "0", "1", "0", "0"]
    for prediction in (
        ["1.0", "0.0", "0.0", "1.0", "0.0"],
        ["+1", "0", "0", "1", "-0"],
        ["True", "False", "False", "True", "False"],
        [" 1", "0 ", "0", "1e0", "00"],
    ):
        for positive in ("1", "1.0", "true"):
            assert counts_of(truth, prediction, positive=positive) == [1, 1, 1]
        compared = paired_comparison_from_labels(truth, prediction, truth)
        assert (compared.wins, compared.losses, compared.same) == (0, 2, 3)
    assert counts_of(["9007199254740993", "2"], ["9007199254740992", "2"], positive="2")[0] == 1
    assert counts_of(["1e999999999", "2"], ["1", "2"], positive="2")[0] == 1  # at once


def test_labels_that_explain_themselves():
    """Vectors in which one label alone occurs."""
    assert counts_of([0, 0], [1, 1]) == [0, 2, 0]
    assert counts_of([0, 0], [0, 0]) == [0, 0, 0]
    assert counts_of([-1, -1], [1, 1]) == [0, 2, 0]
    assert counts_of([False, False], [True, 1]) == [0, 2, 0]
    assert counts_of(["no", "no"], ["yes", "no"], positive="yes") == [0, 1, 0]
    assert counts_of([], []) == [0, 0, 0]
    assert counts_of([0.5, 1.0, 0], [0.5, 0, 1]) == [0, 1, 1]  # fractions in both are labels


def test_other_objects():
    kind = enum.Enum("kind", "spam ham")
    vectors = [kind.spam, kind.ham, kind.ham], [kind.spam, kind.spam, kind.ham]
    assert counts_of(*vectors, positive=kind.spam) == [1, 1, 0]
    assert irb.CountsPosterior.from_labels(*vectors, labels=[kind.spam, kind.ham]).tp.tolist() == [
        1,
        1,
    ]
    with pytest.raises(irb.InputError, match="no object has the label 'spam'"):
        counts_of(*vectors, positive="spam")


@given(
    st.lists(st.sampled_from(["yes", "no", "yesterday", "ja", "né"]) | st.text(max_size=3)),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_codes_number_labels_as_a_table_does(labels, are_objects):
    labels = [label.rstrip("\0") for label in labels if label.rstrip("\0")] or ["yes"]
    array = np.array(labels, object if are_objects else None)
    rows = array if are_objects else array.view(np.uint8).reshape(len(array), -1)
    found = (codes_of_objects if are_objects else codes_of_texts)(rows)
    first = list(dict.fromkeys(labels))
    if len(first) > 32:
        assert found is None
        return
    codes, places = found
    assert [labels[i] for i in places] == first
    assert [first[code] for code in codes] == labels


def test_codes_of_numbers_are_those_of_equal_ones():
    codes, places = codes_of_objects(np.array([1, True, 0.0, 1.0, False, 257, 1], object))
    assert codes.tolist() == [0, 0, 1, 0, 1, 2, 0]
    assert places == [0, 2, 5]
    assert codes_of_objects(np.array([1, None], object)) is None
    assert codes_of_objects(np.arange(33).astype(object)) is None
