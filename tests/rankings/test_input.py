"""Files, dicts, frames and arrays: every way in gives the same numbers, and bad input one clear
line."""

import bz2
import collections
import copy
import gzip
import io
import itertools
import lzma
import math
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irbounds as irb

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d9 1\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\nq2 Q0 d1 1 2 t\nq2 Q0 d9 2 1 t\n"
MEASURES = "AP nDCG@2 RR P@1 Bpref"


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def values(write):
    return irb.evaluate(write("qrels.txt", QRELS), write("run.txt", RUN), MEASURES).values


VARIANTS = {
    "crlf": RUN.replace("\n", "\r\n"),
    "tabs": RUN.replace(" ", "\t"),
    "wide": RUN.replace(" ", " \t  "),
    "no final newline": RUN[:-1],
    "blank lines": "\n\n" + RUN.replace("\n", "\n \n"),
    "comments": "# made by hand\n" + RUN + "# end",
    "byte order mark": b"\xef\xbb\xbf" + RUN.encode(),
    "more columns": RUN.replace(" t\n", " t and more\n"),
    "gzip": gzip.compress(RUN.encode()),
    "two gzip members": gzip.compress(RUN[:40].encode()) + gzip.compress(RUN[40:].encode()),
    "xz": lzma.compress(RUN.encode()),
    "bzip2": bz2.compress(RUN.encode()),
    "ungrouped": "".join(RUN.splitlines(keepends=True)[i] for i in (3, 0, 4, 2, 1)),
    "exponents": RUN.replace("0.7", "7e-1").replace("0.4", "+.4E0"),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_ways_to_write_a_run(variant, write, values):
    path = write("run", VARIANTS[variant])
    assert (irb.evaluate(write("qrels.txt", QRELS), path, MEASURES).values == values).all()
    assert (
        irb.evaluate(
            irb.Qrels.from_trec(write("q", QRELS)), irb.Run.from_trec(path), MEASURES
        ).values
        == values
    ).all()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, pl.LazyFrame])
def test_frames(make, values):
    def frame(text, names, columns):
        rows = [line.split() for line in text.splitlines()]
        data = {name: [row[i] for row in rows] for name, i in zip(names, columns, strict=True)}
        data[names[2]] = [float(x) for x in data[names[2]]]
        return make(data)

    qrels = frame(QRELS, ["query_id", "doc_id", "relevance"], (0, 2, 3))
    run = frame(RUN, ["query_id", "doc_id", "score"], (0, 2, 4))
    assert (irb.evaluate(qrels, run, MEASURES).values == values).all()
    with pytest.raises(
        irb.InputError, match="needs the column 'score'; it has query_id, doc_id, relevance"
    ):
        irb.Run.from_frame(qrels)
    with pytest.raises(irb.InputError, match="column 'score' has no value in row 1"):
        irb.Run.from_frame(
            make({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, None]})
        )


def test_frames_with_two_columns_of_one_name():
    with pytest.raises(irb.InputError, match=r"the data frame: .*score") as error:
        irb.Run.from_frame(
            pd.DataFrame([["q", "d", 1.0, 2.0]], columns=["query_id", "doc_id", "score", "score"])
        )
    assert "\n" not in str(error.value)


def test_dicts_and_arrays(values):
    qrels = {"q1": {"d1": np.int64(1), "d2": 0, "d3": 2}, "q2": {"d1": False, "d9": True}}
    run = {
        "q1": {"d1": np.float32(0.75), "d2": 0.75, "d3": np.float64(0.4)},
        "q2": {"d1": 2, "d9": np.int8(1)},
    }
    assert (irb.evaluate(qrels, run, MEASURES).values == values).all()
    made = irb.Run.from_arrays(
        np.array(["q1"] * 3 + ["q2"] * 2),
        ["d1", "d2", "d3", "d1", "d9"],
        np.array([0.7, 0.7, 0.4, 2, 1]),
    )
    assert (irb.evaluate(irb.Qrels.from_dict(qrels), made, MEASURES).values == values).all()
    assert irb.Run.from_dict(made.to_dict()).to_dict() == made.to_dict()
    numbered = irb.evaluate({7: {1: 1}}, {7: {1: 0.5, 2: 0.7}, 8: {1: 1}}, "RR")
    assert (numbered.query_ids, numbered.unjudged_queries) == (("7",), ("8",))
    assert numbered["RR"][0] == 0.5


def test_what_is_indexed_can_travel(values, write):
    qrels, run = irb.Qrels.from_trec(write("q", QRELS)), irb.Run.from_trec(write("r", RUN))
    evaluator = irb.Evaluator(qrels, MEASURES, bounds=True)
    for there_and_back in (
        lambda thing: pickle.loads(pickle.dumps(thing)),
        copy.deepcopy,
        copy.copy,
    ):
        ev = there_and_back(there_and_back(evaluator).evaluate(there_and_back(run)))
        assert (ev.values == values).all()
        assert not any(array.flags.writeable for array in (ev.values, ev.low, ev.high))
        assert there_and_back(qrels).to_dict() == qrels.to_dict()
    odd = irb.Run.from_dict({"none": {}, "q": {"\udcff": 1.5, "é": -math.inf}})
    assert pickle.loads(pickle.dumps(odd)).to_dict() == odd.to_dict()


def test_an_evaluator_in_several_processes(values):
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0, "d9": 1}}
    runs = [{"q1": {"d1": 0.7, "d2": 0.7, "d3": 0.4}, "q2": {"d1": 2, "d9": 1}}] * 2
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        for ev in pool.map(irb.Evaluator(qrels, MEASURES).evaluate, runs):
            assert (ev.values == values).all()


def test_subclasses_of_dict():
    qrels = collections.defaultdict(dict, {"q": collections.OrderedDict(a=1)})
    documents = collections.OrderedDict(a=1, b=1)
    documents.move_to_end("a")
    run = collections.OrderedDict(q=documents)
    for source in (run, irb.Run.from_dict(run)):
        assert irb.evaluate(qrels, source, "RR", ties="given")["RR"][0] == 0.5


def test_frames_out(values, write):
    ev = irb.evaluate(write("qrels.txt", QRELS), write("run.txt", RUN), MEASURES, bounds=True)
    for backend, kind in (
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
    ):
        frame = ev.to_frame(backend)
        assert isinstance(frame, kind)
        assert (
            list(frame["AP"]) == pytest.approx(values[:, 0].tolist())
            if backend != "pyarrow"
            else True
        )
        assert "nDCG@2.low" in (frame.column_names if backend == "pyarrow" else frame.columns)
    assert ev.to_dict()["q1"]["AP.high"] >= ev.to_dict()["q1"]["AP"]
    with pytest.raises(irb.InputError, match="`backend` must be one of"):
        ev.to_frame("excel")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["q1", "q2", "long-query-name"]),
            st.lists(
                st.sampled_from(sorted(set(range(256)) - set(b"\0 \t\n\v\f\r"))),
                min_size=1,
                max_size=90,
            ).map(bytes),
            st.floats(allow_nan=False, width=64),
        ),
        max_size=60,
        unique_by=lambda row: row[:2],
    ),
    st.integers(0, 9),
)
def test_any_ids_and_scores_survive(tmp_path, rows, padding):
    lines = [
        b"%s Q0 %s 1 %s t" % (query.encode(), name, repr(score).encode())
        for query, name, score in rows
    ]
    (tmp_path / "run").write_bytes((b"\n" * padding).join(line + b"\n" for line in lines) or b"#\n")
    expected = {}
    for query, name, score in rows:
        expected.setdefault(query, {})[name.decode("utf-8", "surrogateescape")] = score
    if not rows:
        return
    assert irb.Run.from_trec(tmp_path / "run").to_dict() == expected
    relevant = {query: {next(iter(documents)): 1} for query, documents in expected.items()}
    from_file = irb.evaluate(relevant, tmp_path / "run", "AP RR", bounds=True)
    from_dict = irb.evaluate(relevant, expected, "AP RR", bounds=True)
    for a, b in (
        (from_file.values, from_dict.values),
        (from_file.low, from_dict.low),
        (from_file.high, from_dict.high),
    ):
        assert (a == b).all()


def test_a_file_of_many_chunks(write):
    rng = np.random.default_rng(1)
    expected, lines = {}, []
    for query in range(40):
        names = [f"document-{i}-{'x' * int(rng.integers(0, 200))}" for i in range(300)]
        scores = rng.random(300)
        expected[f"q{query}"] = dict(zip(names, scores.tolist(), strict=True))
        lines += [
            f"q{query} Q0 {name} 1 {score!r} t\n" for name, score in expected[f"q{query}"].items()
        ]
    path = write("run", "".join(lines))
    assert irb.Run.from_trec(path).to_dict() == expected
    qrels = {
        query: {name: int(score > 0.9) for name, score in documents.items()}
        for query, documents in expected.items()
    }
    assert irb.evaluate(qrels, path, "AP nDCG").values == pytest.approx(
        irb.evaluate(qrels, expected, "AP nDCG").values
    )


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
        ({"q": {"d": 1}}, "missing/r", "missing/r: No such file or directory"),
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
        ({"q": {"d": 1}}, {"q": [1, 2]}, "query 'q': expected a dict of documents, found list"),
        ({"q": {"d": 1}}, {"q": {"d": 1, b"d": 2}}, "duplicate document 'd' for query 'q'"),
        ({"q": {"d": 1}}, {"q": {1.5: 2}}, "ids must be text, found 1.5"),
        (
            {"q": {"d": 1}},
            {"q": {"\ud800": 2}},
            r"ids must be text that UTF-8 can hold, found '\\ud800'",
        ),
        ({"\ud800": {"d": 1}}, {}, r"qrels: ids must be text that UTF-8 can hold, found '\\ud800'"),
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
        ("P", "P needs a cut-off, as in P@10"),
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
        ("RBP(p=1)", r"p must be a number in \(0, 1\)"),
        ("nDCG(dcg=ln)", "dcg must be log2 or exp-log2"),
        ("AP@@5", "cannot read the measure"),
        ("IPrec@0.1", "no exact expectation .*ties='best', 'worst'"),
        ("Fallout@3", "needs `collection_size`"),
        ("ERR(max_rel=1)", r"grades go up to 2.*write ERR\(max_rel=2\)"),
        ("RBP(p=0.5,max_rel=1,rel=2)", r"above max_rel=1; write RBP\(p=0.5,max_rel=2,rel=2\)$"),
        ("PRR(nd=1e400)", "nd must be a number of documents, 1 or more; found inf"),
        ("EP(nd=1.5)", "nd must be a number"),
        (f"P(rel={10**400})@5", "rel must be a grade, 0 or more; found 1000"),
        ("P(judged_only=yes)@5", "judged_only must be True or False; found 'yes'"),
        ("P(judged_only={})@5", "judged_only must be True or False; found {}"),
        ("nDCG(gains=3)@5", "gains must be a dict of gains, 0 or more, by grade; found 3"),
        (
            "DCG(gains={1:nan})",
            "gains must be a dict of gains, 0 or more, by grade; found '{1:nan}'",
        ),
        ("DCG(gains={[]:1})", "gains must be a dict"),
        ("P(rel=" + "-" * 10**5 + "1)@5", "rel must be a grade"),
        ("P(rel=1,rel=2)@5", "rel is given twice"),
        ("P(rel=1a)@5", "rel must be a grade, 0 or more; found '1a'"),
        ("AP(rel={{}:1})", "rel must be a grade"),
        ("AP(rel={1:{}})", "rel must be a grade"),
        ("P(rel=1_0)@5", "rel must be a grade, 0 or more; found '1_0'"),
        ("F(beta=1e200)@5", "beta must be a number from 1e-100 to 1e100"),
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
        "RBP(p=0.8888888888888888)",
        "RBP(p=0.888888888888889)",
        "RBP(p=0.75)",
        "IPrec@0.1234567",
        "IPrec@0.1",
        "IPrec@1",
        "EP(nr=1e-07)",
        "PRR(recall=0.30000000000000004)",
        "nDCG(gains={1:0.1,2:5})@3",
        "P(rel=2)@5",
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


def test_no_numbers_of_any_kind():
    for kind in ("c16", "S3", "M8[s]", "O", "?"):
        assert irb.rank_measures(np.zeros(0, kind), np.zeros(0, kind), "AP").values.tolist() == [
            [0]
        ]


def test_grades_that_all_differ():
    """Each is a level of its own; 200,000 took minutes once."""
    generator = np.random.default_rng(4)
    scores, gains = generator.random(200_000), generator.random(200_000)
    ranked = gains[np.argsort(-scores)]
    discount = 1 / np.log2(np.arange(2, 12))
    expected = (ranked[:10] @ discount) / (np.sort(gains)[:-11:-1] @ discount)
    assert irb.rank_measures(scores, gains, "nDCG@10").values[0, 0] == pytest.approx(
        expected, rel=1e-12
    )


def test_a_dict_that_changes_while_it_is_read():
    class Odd:
        def __float__(self):
            documents["more"] = 1.0
            return 1.0

    documents = {"d1": Odd(), "d2": 1.0}
    with pytest.raises(irb.InputError, match="the dict was changed while it was read"):
        irb.evaluate({"q": {"d1": 1}}, {"q": documents}, "AP")


def test_gains_are_of_one_measure():
    names = ["ERR", "nDCG(gains={1:5})", "RBP(max_rel=1)", "nDCG(gains={1:2000},dcg=log2)"]
    ev = irb.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, names)
    assert ev.values.tolist() == irb.rank_measures([1], [1], names).values.tolist()
    assert ev.values[0] == pytest.approx([1 / 16, 1, 0.2, 1])


def test_grades_of_which_two_to_the_power_overflows():
    for measure in ("nDCG(dcg=exp-log2)", "DCG(dcg=exp-log2)@3", "ERR(max_rel=3000)"):
        with pytest.raises(irb.InputError, match="grades or gains go up to 2000, above the 1000"):
            irb.evaluate({"q": {"d": 2000}}, {"q": {"d": 1}}, measure)
    assert irb.evaluate({"q": {"d": 2000}}, {"q": {"d": 1}}, "nDCG")["nDCG"][0] == 1
    assert irb.rank_measures([1], [1e305], "AP RBP(max_rel=1e306)").values.tolist() == [
        [1, pytest.approx(0.02)]
    ]


def test_bad_options():
    qrels, run = {"q": {"d": 2, "e": 0}, "r": {"d": 1}}, {"q": {"d": 1.0}, "z": {"d": 1}}
    for options, message in (
        ({"ties": "random"}, "`ties` must be one of 'expected'"),
        ({"missing": "nan"}, "`missing` must be one of"),
        ({"missing": "error"}, "run: it lacks the judged query 'r'"),
        ({"collection_size": 1}, "collection_size 1 is less than the 2"),
        ({"collection_size": 1.5}, "`collection_size` must be a whole number"),
        ({"collection_size": 10**16}, r"`collection_size` must be at most 2\^52"),
    ):
        with pytest.raises(irb.InputError, match=message):
            irb.evaluate(qrels, run, "AP", **options)


def test_tie_rules_promise_no_more_than_is_so():
    rules = {info.name: info.tie_rule for info in irb.measures()}
    assert rules["PRECALL"] == rules["PRR"]
    assert rules["ESL"] == rules["EP"] != rules["AP"]
    assert "defined for random orders" in rules["EP"]


def test_numbers_and_nouns():
    ev = irb.evaluate({"a": {"d": 1}, "b": {"d": 1}}, {"b": {"d": 1}, "z": {"d": 1}}, "AP")
    assert "1 query judged" in repr(ev)
    assert repr(ev).startswith("Evaluation of 2 queries")
    assert repr(irb.Qrels.from_dict({"a": {"d": 1}})) == "Qrels(1 query, 1 document)"


def test_missing_and_unjudged_queries():
    qrels, run = {"a": {"d": 1}, "b": {"d": 1}}, {"z": {"d": 1}, "b": {"d": 1}}
    zero = irb.evaluate(qrels, run, "AP ESL(nr=1)")
    assert zero.mean == {"AP": 0.5, "ESL(nr=1)": math.inf}
    assert (zero.missing_queries, zero.unjudged_queries) == (("a",), ("z",))
    skip = irb.evaluate(qrels, run, "AP", missing="skip")
    assert (skip.query_ids, skip.mean["AP"]) == (("b",), 1)
    assert irb.evaluate(qrels, {}, "AP").mean["AP"] == 0


def test_measures_of_ir_measures():
    names = [
        ir_measures.AP,
        ir_measures.nDCG @ 2,
        ir_measures.P(rel=2) @ 1,
        ir_measures.RR,
        ir_measures.nDCG(dcg="exp-log2") @ 3,
        ir_measures.nDCG(gains={1: 5}) @ 2,
        ir_measures.NumRet(rel=1),
        ir_measures.SetP(relative=True),
        ir_measures.Judged @ 2,
    ]
    ev = irb.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"b": 2.0, "a": 1.0, "c": 0.0}}, names)
    assert ev.measures[:5] == ("AP", "nDCG@2", "P(rel=2)@1", "RR", "nDCG(dcg=exp-log2)@3")
    assert ev[ir_measures.P(rel=2) @ 1][0] == 1
    assert ev["MRR"][0] == ev["recip_rank"][0] == 1
    with pytest.raises(KeyError, match="was not evaluated"):
        ev["R@5"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: irb.rank_measures([1, 2], [1], "AP"), "must have one shape"),
        (
            lambda: irb.rank_measures([1, math.nan, 2], [1, 0, 0], "AP", groups=["a", "b", "a"]),
            r"`scores` must not be nan; found nan at index 1 \(query 'b'\)",
        ),
        (
            lambda: irb.rank_measures([1, 2], [1, math.inf], "AP"),
            "`relevance` must be finite; found inf at index 1",
        ),
        (
            lambda: irb.rank_measures([[1, 2], [3, 4]], [[1, 0], [math.nan, 1]], "AP"),
            r"found nan at index \(1, 0\)$",
        ),
        (
            lambda: irb.rank_measures([[1, 2], [math.nan, 4]], [[1, 0], [0, 1]], "AP"),
            r"at index \(1, 0\) \(query 1\)",
        ),
        (
            lambda: irb.rank_measures(["a"], [1], "AP"),
            "`scores` must be numbers; found 'a' at index 0",
        ),
        (
            lambda: irb.rank_measures([1, None], [1, 0], "AP"),
            "`scores` must be numbers; found None at index 1",
        ),
        (
            lambda: irb.rank_measures([1, "a"], [1, 0], "AP"),
            "`scores` must be numbers; found 'a' at index 1",
        ),
        (
            lambda: irb.rank_measures(np.array(["2020-01-01"], "M8[ns]"), [1], "AP"),
            "`scores` must be numbers",
        ),
        (
            lambda: irb.rank_measures([1, 10**400], [1, 0], "AP"),
            "`scores` must be numbers that 64-bit floats can hold",
        ),
        (
            lambda: irb.rank_measures([[1, 2], [3]], [[1, 2], [3]], "AP"),
            "`scores` must be an array; found rows of several",
        ),
        (
            lambda: irb.rank_measures([1, 2, 3], [1, 0, 1], "AP", groups=[1, math.nan, math.nan]),
            "`groups` must not be nan; found nan at index 1",
        ),
        (
            lambda: irb.rank_measures([1, 2], [1, 0], "AP", groups=[("a", 1), ("a", 1)]),
            "one entry for each row",
        ),
        (
            lambda: irb.rank_measures([1, 2], [1, 0], "AP", groups=[("a", 1), ("a",)]),
            "`groups` must be an array",
        ),
        (
            lambda: irb.rank_measures([1, 2], [1, 0], "AP", ties="doc_id", doc_ids=[1.5, 2]),
            "`doc_ids`: ids must be text, found 1.5",
        ),
        (
            lambda: irb.rank_measures([1], [1], "AP", n_relevant=0),
            "`n_relevant` must be at least the 1 relevant",
        ),
        (lambda: irb.rank_measures([1, 2], [2, 0], "nDCG", n_relevant=2), "give `unretrieved`"),
        (
            lambda: irb.rank_measures([1], [1], "AP", n_relevant=math.inf),
            r"`n_relevant` must be at most 2\^52; found inf",
        ),
        (
            lambda: irb.rank_measures([1], [1], "AP", n_relevant=1e30),
            r"`n_relevant` must be at most 2\^52; found 1e\+30",
        ),
        (
            lambda: irb.rank_measures([1], [1], "AP", n_relevant=[1, [2, 3]]),
            "`n_relevant` must be an array",
        ),
        (
            lambda: irb.rank_measures([1], [1], "AP", n_relevant=math.nan),
            "`n_relevant` must be a whole number",
        ),
        (
            lambda: irb.rank_measures([1], [1], "AP", n_relevant=9, collection_size=8),
            "must be at least the 9 documents",
        ),
        (
            lambda: irb.rank_measures([1, 2], [1, 0], "AP", groups=["a"]),
            "`groups` must have one entry for each row",
        ),
        (lambda: irb.rank_measures([1], [1], "AP", ties="doc_id"), "needs `doc_ids`"),
        (
            lambda: irb.rank_measures([1], [1], "AP", unretrieved=[1], unretrieved_groups=["x"]),
            "must be among the groups",
        ),
        (
            lambda: irb.rank_measures([1], [1], "Fallout@1", collection_size=0),
            "`collection_size` must be a whole number",
        ),
    ],
)
def test_bad_arrays(call, message):
    with pytest.raises(irb.InputError, match=message):
        call()


@pytest.mark.parametrize("n_relevant", [5, 10**9, 10**12])
def test_any_number_of_relevant_documents(n_relevant):
    names = ["AP", "R@5", "Rprec", "SetR", "NumRel", "nDCG@2", "HT@1"]
    values = irb.rank_measures(
        [3, 2, 1], [1, 0, 1], names, n_relevant=n_relevant, collection_size=10**13
    ).values[0]
    n, ideal = n_relevant, 1 + 1 / math.log2(3)
    assert values == pytest.approx(
        [5 / 3 / n, 2 / n, 2 / n, 2 / n, n, 1 / ideal, 1 - n / 10**13], rel=1e-13
    )
    assert irb.rank_measures([1, 1], [1, 1], "nDCG@2", n_relevant=[n_relevant])["nDCG@2"][0] == 1


@pytest.mark.parametrize("kind", ["f8", ">f8", "f4", "f2", "i1", "u2", "O"])
def test_any_kind_of_number(kind):
    scores, relevance = (
        np.array([1, 9, 3, 9, 5, 9, 2, 9]).astype(kind),
        np.array([1, 0, 1, 0], bool),
    )
    even = scores[::2]
    even.flags.writeable = False
    assert irb.rank_measures(even, relevance, "AP").values[0, 0] == pytest.approx(
        (1 / 1 + 2 / 4) / 2
    )


def test_scores_are_compared_as_64_bit_floats():
    ev = irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1 + 1e-12, "b": 1.0}}, "RR", bounds=True)
    assert (ev.values[0, 0], ev.low[0, 0]) == (1, 1)


def test_groups_and_shapes():
    scores, relevance = np.array([3, 1, 2, 2, 1.0]), np.array([0, 1, 1, 0, 1])
    apart = irb.rank_measures(scores, relevance, "AP", groups=["a", "b", "a", "b", "a"])
    together = irb.rank_measures(
        scores[[0, 2, 4, 1, 3]], relevance[[0, 2, 4, 1, 3]], "AP", groups=[7, 7, 7, 3, 3]
    )
    assert (apart.values == together.values).all()
    assert (apart.query_ids, together.query_ids) == (("a", "b"), (7, 3))
    mixed = irb.rank_measures(scores, relevance, "AP", groups=["1", 1, "1", 1, "1"])
    assert (mixed.values == apart.values).all()
    assert mixed.query_ids == ("1", 1)
    rest = irb.rank_measures([1], [1], "SetR", groups=[1], unretrieved=[1], unretrieved_groups=[1])
    assert rest.values.tolist() == [[0.5]]
    grid = irb.rank_measures([[2, 1], [1, 2]], [[1, 0], [1, 0]], "AP", n_relevant=[1, 2])
    assert grid.values.tolist() == [[1], [0.25]]
    assert irb.rank_measures([], [], "AP P@5").values.tolist() == [[0, 0]]
    assert irb.rank_measures([], [], "AP", groups=[]).values.shape == (0, 1)


def test_standard_input(monkeypatch, values, write):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN.encode()))))
    assert (irb.evaluate(write("qrels", QRELS), "-", MEASURES).values == values).all()


UNJUDGED = {
    "good": RUN,
    "double": RUN + "q9 Q0 d1 1 1 t\nq9 Q0 d1 2 1 t\n",
    "nan": RUN + "q9 Q0 d1 1 nan t\n",
}


@pytest.mark.parametrize("case", UNJUDGED)
def test_unjudged_queries_are_not_checked_however_a_run_comes(case, monkeypatch, values, write):
    content = UNJUDGED[case]
    qrels = write("qrels", QRELS)
    for name, text in (
        ("grouped", content),
        ("ungrouped", VARIANTS["ungrouped"] + content[len(RUN) :]),
    ):
        run = write(name, text)
        assert (irb.evaluate(qrels, run, MEASURES).values == values).all()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    assert (irb.evaluate(qrels, "-", MEASURES).values == values).all()


@pytest.mark.parametrize("content", [RUN, VARIANTS["ungrouped"]])
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"collection_size": 2}, "collection_size 2 is less than the 3 documents of query 'q1'"),
        ({"missing": "error"}, r"it lacks the judged query 'q3' \(1 such query\)"),
    ],
)
def test_what_a_run_lacks_names_its_file(content, options, problem, monkeypatch, write):
    qrels, run = write("qrels", QRELS + "q3 0 d 1\n"), write("run", content)
    with pytest.raises(irb.InputError, match=f"run: {problem}$"):
        irb.evaluate(qrels, run, "AP", **options)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    with pytest.raises(irb.InputError, match=f"^standard input: {problem}$"):
        irb.evaluate(qrels, "-", "AP", **options)


def test_ids_that_collided_whatever_the_seed_are_told_apart():
    """Flipping the top bit of eight bytes and one bit of the next eight left the former hash as it
    was: 2^12 ids in one slot."""
    first, second = b"ABCDEFGH", b"IJKLMNOP"
    pairs = (
        first + second,
        (int.from_bytes(first, "little") ^ 1 << 63).to_bytes(8, "little")
        + (int.from_bytes(second, "little") ^ 1 << 34).to_bytes(8, "little"),
    )
    ids = [
        b"".join(pairs[bit] for bit in bits).decode("utf-8", "surrogateescape")
        for bits in itertools.product((0, 1), repeat=12)
    ]
    relevant = dict.fromkeys(ids[::2], 1)
    run = {name: -float(rank) for rank, name in enumerate(ids)}
    found = irb.evaluate({"q": relevant}, {"q": run}, "AP P@2 R@3")
    assert found.mean["P@2"] == 0.5
    assert found.mean["R@3"] == 2 / len(relevant)
    assert found.mean["AP"] == pytest.approx(
        sum((i + 1) / (2 * i + 1) for i in range(len(relevant))) / len(relevant), rel=1e-13
    )
