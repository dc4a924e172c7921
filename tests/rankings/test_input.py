"""Files, dicts, frames and arrays: every way in gives the same numbers."""

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
from runs_on_disk import QRELS, RUN

import irbounds as irb

MEASURES = "AP nDCG@2 RR P@1 Bpref"


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


def test_a_dict_that_changes_while_it_is_read():
    class Odd:
        def __float__(self):
            documents["more"] = 1.0
            return 1.0

    documents = {"d1": Odd(), "d2": 1.0}
    with pytest.raises(irb.InputError, match="the dict was changed while it was read"):
        irb.evaluate({"q": {"d1": 1}}, {"q": documents}, "AP")


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
    assert irb.evaluate(qrels, {"a": {}, "b": {"d": 1}}, "AP").mean["AP"] == 0.5


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
        ({"collection_size": 2}, "`collection_size` 2 is less than the 3 documents of query 'q1'"),
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


def test_an_evaluation_has_its_own_arrays():
    own = np.array([[0.5], [0.7]])
    evaluation = irb.Evaluation(("AP",), ("a", "b"), own)
    own[:] = 0  # still writable
    assert evaluation.values.tolist() == [[0.5], [0.7]]
    assert evaluation.mean == {"AP": 0.6}
    with pytest.raises(ValueError, match="read-only"):
        evaluation.values[0, 0] = 1
