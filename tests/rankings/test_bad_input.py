"""Bad files, arguments and measures: one clear line."""

import bz2
import gzip
import lzma
import math

import pytest
from runs_on_disk import QRELS, RUN

import irbounds as irb

BAD_RUNS = {
    "missing column": (
        "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7\n",
        r"run:2: expected 6 columns .*, found 5",
    ),
    "no number": ("q1 Q0 d1 1 high t\n", "run:1: expected a number as score, found 'high'"),
    "underscore": ("q1 Q0 d1 1 1_0 t\n", "run:1: expected a number as score, found '1_0'"),
    "nan": ("q1 Q0 d1 1 1 t\n\nq1 Q0 d2 1 nan t\n", r"run:3: .*'d2' is nan \(query 'q1'\)"),
    "duplicate": (
        "#\nq1 Q0 d1 1 1 t\nq1 Q0 d1 2 3 t\n",
        "run:3: duplicate document 'd1' for query 'q1'",
    ),
    "empty": ("", "run: the file is empty"),
    "blank": ("\n \n", "run: the file has no rows"),
    "comments": ("# nothing\n", "run: the file has no rows"),
    "binary": (b"q1 Q0 d\0 1 1 t\n", "run:1: found a NUL byte: this is no text file"),
    "utf-16": (RUN.encode("utf-16"), "run:1: this is UTF-16 text: save the file as UTF-8"),
    "qrels": (QRELS, "run:1: .*found 4; this looks like qrels: are qrels and run swapped?"),
    "truncated gzip": (
        gzip.compress(RUN.encode())[:-12],
        "run: the compressed file ends too early",
    ),
    "damaged gzip": (gzip.compress(RUN.encode())[:20] + b"?" * 40, "run: the compressed file"),
    "truncated xz": (lzma.compress(RUN.encode())[:-12], "run: the compressed file ends too early"),
    "truncated bzip2": (
        bz2.compress(RUN.encode())[:-12],
        "run: the compressed file ends too early",
    ),
    "other queries": (
        "x Q0 d1 1 1 t\n",
        "run: none of its queries is judged: it has 'x', the qrels have 'q1'",
    ),
    "a document id with a blank": (
        "q1 Q0 New York 1 2 t\nq1 Q0 Big Apple 2 1 t\n",
        "run:1: expected 6 columns .*, found 7 that do not fit: an id has no blanks",
    ),
    "a number in a document id with a blank": (
        "q1 Q0 d1 1 3 my tag\nq1 Q0 Windows 10 2 2.5 tag\n",
        "run:2: expected 6 columns .*, found 7 that do not fit",
    ),
    "lines within the line": (
        RUN.replace("\n", "\r"),
        "run:1: found a carriage return inside the line: lines must end",
    ),
    "one of them": (
        "q1 Q0 d1 1 2 t\r\nq1 Q0 d2 1 1 t\rq1 Q0 d3 1 0 t\r\n",
        "run:2: found a carriage return inside",
    ),
    "endless line": (b"q1 Q0 " + b"x" * (1 << 21), "run:1: the line is longer than 1048576 bytes"),
}


@pytest.mark.parametrize("case", BAD_RUNS)
def test_bad_runs(case, write):
    content, message = BAD_RUNS[case]
    path = write("run", content)
    with pytest.raises(ValueError, match=message) as error:
        irb.evaluate(write("qrels", QRELS), path, "AP")
    assert isinstance(error.value, irb.InputError)
    assert "\n" not in str(error.value)
    if case != "other queries":
        with pytest.raises(irb.InputError, match=message.replace(".*'d2' is nan", ".*nan")):
            irb.Run.from_trec(path)


BAD_QRELS = {
    "missing column": ("q1 0 d1\n", "qrels:1: expected 4 columns .*, found 3"),
    "more columns": ("q1 0 d1 1 x\n", "qrels:1: expected 4 columns .*, found 5"),
    "a run": (RUN, "qrels:1: .*this looks like a run: are qrels and run swapped?"),
    "no integer": (
        "q1 0 d1 1\nq1 0 d2 0.5\n",
        "qrels:2: expected an integer from .* as relevance, found 0.5",
    ),
    "word": ("q1 0 d1 yes\n", "qrels:1: expected a number as relevance, found 'yes'"),
    "infinite": (
        "q1 0 d1 inf\n",
        r"qrels:1: expected an integer from -2\^31 to 2\^31 as relevance, found inf",
    ),
    "huge": (
        "q1 0 d1 99999999999\n",
        r"qrels:1: expected an integer from -2\^31 to 2\^31 .*, found 99999999999 ",
    ),
    "duplicate": (
        "q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 0\n",
        "qrels:3: duplicate document 'd1' for query 'q1'",
    ),
    "empty": ("", "qrels: the file is empty"),
}


@pytest.mark.parametrize("case", BAD_QRELS)
def test_bad_qrels(case, write):
    content, message = BAD_QRELS[case]
    with pytest.raises(irb.InputError, match=message):
        irb.evaluate(write("qrels", content), write("run", RUN), "AP")


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("missing/q", {}, "missing/q: No such file or directory"),
        (
            {"q": {"d": 1}},
            {"q": {"d": math.nan}},
            r"the score of document 'd' is nan \(query 'q'\)",
        ),
        (
            {"q": {"d": 1e11}},
            {},
            r"expected a number from -2\^31 to 2\^31 as relevance, found 100000000000 ",
        ),
        ({"q": {"d": math.nan}}, {}, "`relevance` must be a number; found nan"),
        (
            {"q": {"d": 1}},
            {"q": {"d": "high"}},
            "query 'q': expected a number for document 'd', found 'high'",
        ),
        ({"q": {"d": 1}}, {"q": 3}, "query 'q': expected a dict of documents, found int"),
        ({"q": {"d": 1}}, {"q": {"d": 1, b"d": 2}}, "duplicate document 'd' for query 'q'"),
        ({"q": {"d": 1}}, {"q": {1.5: 2}}, "ids must be text or whole numbers, found 1.5"),
        (
            {"q": {"d": 1}},
            {"q": {"d": 10**400}},
            "query 'q': expected a number for document 'd', found 1000",
        ),
        ({"1": {"d": 1}}, {"1": {"d": 1}, 1: {"d": 0}}, "run: duplicate query '1'"),
        ({"1": {"d": 1}, 1: {"e": 1}}, {}, "qrels: duplicate query '1'"),
        ({"q": {"d": 1}}, "a\0b", r"'a\\x00b': a path must not contain a NUL"),
        ({}, {}, "`qrels` has no query"),
        (
            17,
            {},
            "`qrels` must be a Qrels, a path, a dict of dicts, a data frame or named tuples; "
            "found int",
        ),
        (
            {"q": {"d": 1}},
            17,
            "`run` must be a Run, a path, a dict of dicts, a data frame or named tuples; found int",
        ),
    ],
)
def test_bad_arguments(qrels, run, message):
    with pytest.raises(irb.InputError, match=message):
        irb.evaluate(qrels, run, "AP")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(irb.InputError, match="Is a directory"):
        irb.Run.from_trec(tmp_path)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("NDGC", "unknown measure 'NDGC', did you mean 'nDCG'"),
        ("AP@0", "cut-off must be a whole number, 1 or more"),
        ("F", "F needs a cut-off, as in F@10"),
        ("", "must name at least one measure"),
        ("AP(rel=x)", "rel must be a grade, 0 or more"),
        ("AP(foo=1)", "AP has no parameter 'foo'"),
        ("Rprec@5", "Rprec takes no cut-off"),
        ("AP@1.5", "whole number"),
        ("IPrec@2", r"recall level must be in \[0, 1\]"),
        ("PRR", "where the search stops"),
        ("PRR(nr=1,recall=1)", "give exactly one of"),
        ("PRR(nr=0)", "nr must be a number of relevant"),
        ("EP(nr=1,interpolation=ceiling)", "interpolation requires recall="),
        ("AP(1)", "parameters must be named"),
        ("nDCG(dcg=ln)", "dcg must be log2 or exp-log2"),
        ("AP@@5", "cannot read the measure"),
        ("YAAP", "no exact expectation .*ties='best', 'worst'"),
        ("Fallout@3", "needs `collection_size`"),
        ("ERR(max_rel=1)", r"grades go up to 2.*write ERR\(max_rel=2\)"),
        ("RBP(p=0.5,max_rel=1,rel=2)", r"above max_rel=1; write RBP\(p=0.5,max_rel=2,rel=2\)$"),
        (f"P(rel={10**400})@5", "rel must be a grade, 0 or more; found 1000"),
        ("P(judged_only=yes)@5", "judged_only must be True or False; found 'yes'"),
        ("nDCG(gains=3)@5", "gains must be a dict of gains, 0 or more, by grade; found 3"),
        ("P(rel=" + "-" * 10**5 + "1)@5", "rel must be a grade"),
        ("P(rel=1,rel=2)@5", "rel is given twice"),
        (
            "nDCG(dcg=exp-log2,gains={2:2000})",
            "gains go up to 2000, above the 1000 to which its sums are finite",
        ),
        ("nDCG(gains={2:1e308})", "gains go up to 1e[+]308, above the 1e[+]300"),
    ],
)
def test_bad_measures(measures, message):
    with pytest.raises(irb.InputError, match=message):
        irb.evaluate({"q": {"d": 2}}, {"q": {"d": 1.0}}, measures)


@pytest.mark.parametrize(
    "name",
    [
        *("RBP(p=0.8888888888888888)", "RBP(p=0.888888888888889)", "RBP(p=0.75)"),
        *("IPrec@0.1234567", "IPrec@0.1", "IPrec@1", "EP(nr=1e-07)"),
        *("PRR(recall=0.30000000000000004)", "nDCG(gains={1:0.1,2:5})@3", "P(rel=2)@5"),
        "ESL(nr=2)",
    ],
)
def test_names_tell_measures_apart(name):
    measure = irb.Measure.parse(name)
    assert str(measure) == name
    assert irb.Measure.parse(str(measure)) == measure


@pytest.mark.parametrize(
    "text", ["IPrec@1\n7", "AP@1\n2", "AP(rel=\n)", "A\nP", "AP(\n=1)", "AP(rel=1,rel=\n1)"]
)
def test_lines_in_a_measure_make_no_lines_of_an_error(text):
    with pytest.raises(irb.InputError) as error:
        irb.Measure.parse(text)
    assert "\n" not in str(error.value)


def test_bad_options():
    qrels, run = {"q": {"d": 2, "e": 0}, "r": {"d": 1}}, {"q": {"d": 1.0}, "z": {"d": 1}}
    for options, message in (
        ({"ties": "random"}, "`ties` must be one of 'expected'"),
        ({"missing": "nan"}, "`missing` must be one of"),
        ({"missing": "error"}, "run: it lacks the judged query 'r'"),
        ({"collection_size": 1}, "`collection_size` 1 is less than the 2"),
        ({"collection_size": 1.5}, "`collection_size` must be a whole number"),
        ({"collection_size": 10**16}, r"`collection_size` must be at most 2\^52"),
    ):
        with pytest.raises(irb.InputError, match=message):
            irb.evaluate(qrels, run, "AP", **options)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2], [1], "AP"), {}, "must have one shape"),
        (
            ([1, math.nan, 2], [1, 0, 0], "AP"),
            {"groups": ["a", "b", "a"]},
            r"`scores` must not be nan; found nan at index 1 \(query 'b'\)",
        ),
        (([1, 2], [1, math.inf], "AP"), {}, "`relevance` must be finite; found inf at index 1"),
        (([[1, 2], [3, 4]], [[1, 0], [math.nan, 1]], "AP"), {}, r"found nan at index \(1, 0\)$"),
        (([[1, 2], [math.nan, 4]], [[1, 0], [0, 1]], "AP"), {}, r"at index \(1, 0\) \(query 1\)"),
        ((["a"], [1], "AP"), {}, "`scores` must be numbers; found 'a' at index 0"),
        (
            ([[1, 2], [3]], [[1, 2], [3]], "AP"),
            {},
            "`scores` must be an array; found rows of several",
        ),
        (
            ([1, 2, 3], [1, 0, 1], "AP"),
            {"groups": [1, math.nan, math.nan]},
            "`groups` must not be nan; found nan at index 1",
        ),
        (([1, 2], [1, 0], "AP"), {"groups": [("a", 1), ("a", 1)]}, "one entry for each row"),
        (
            ([1, 2], [1, 0], "AP"),
            {"ties": "doc_id", "doc_ids": [1.5, 2]},
            "`doc_ids`: ids must be text or whole numbers, found 1.5",
        ),
        (([1], [1], "AP"), {"n_relevant": 0}, "`n_relevant` must be at least the 1 relevant"),
        (([1, 2], [2, 0], "nDCG"), {"n_relevant": 2}, "give `unretrieved`"),
        (
            ([1], [1], "AP"),
            {"n_relevant": math.inf},
            r"`n_relevant` must be at most 2\^52; found inf",
        ),
        (
            ([1], [1], "AP"),
            {"n_relevant": 1e30},
            r"`n_relevant` must be at most 2\^52; found 1e\+30",
        ),
        (([1], [1], "AP"), {"n_relevant": math.nan}, "`n_relevant` must be a whole number"),
        (
            ([1], [1], "AP"),
            {"n_relevant": 9, "collection_size": 8},
            "must be at least the 9 documents",
        ),
        (([1, 2], [1, 0], "AP"), {"groups": ["a"]}, "`groups` must have one entry for each row"),
        (([1], [1], "AP"), {"ties": "doc_id"}, "needs `doc_ids`"),
        (
            ([1], [1], "AP"),
            {"unretrieved": [1], "unretrieved_groups": ["x"]},
            "must be among the groups",
        ),
    ],
)
def test_bad_arrays(arguments, options, message):
    with pytest.raises(irb.InputError, match=message):
        irb.rank_measures(*arguments, **options)
