"""Qrels and runs as mappings, and on their way out."""

import copy
import pickle
import random
import tempfile

import ir_measures
import pytest

import irbounds as irb
from irbounds.rankings import pool

RUN = {"q1": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.25}, "q2": {"x": -1e-300, "y": 1 / 3}}
QRELS = {"q1": {"a": 1.0, "b": 0.0, "z": -1.0}, "q2": {"y": 3.0}}


def test_collections_are_mappings():
    run = irb.Run.from_dict(RUN)
    assert dict(run) == RUN == run
    assert run["q2"] == RUN["q2"]
    assert "q1" in run
    assert "q3" not in run
    assert run.get("q3") is None
    with pytest.raises(KeyError):
        run["q3"]
    assert list(run) == run.query_ids == ["q1", "q2"]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2"])
def test_what_is_written_is_read_again(suffix, tmp_path):
    draw = random.Random(5)
    rows = {f"q{i}": {f"d{j}": draw.gauss(0, 1e9) for j in range(30)} for i in range(9)}
    run, qrels = irb.Run.from_dict(rows), irb.Qrels.from_dict(QRELS)
    run.to_trec(tmp_path / f"run{suffix}", tag="mine")
    qrels.to_trec(tmp_path / f"qrels{suffix}")
    assert irb.Run.from_trec(tmp_path / f"run{suffix}").to_dict() == rows
    assert irb.Qrels.from_trec(tmp_path / f"qrels{suffix}").to_dict() == QRELS


def test_a_trec_run_is_ranked_as_trec_eval_ranks(tmp_path):
    irb.Run.from_dict(RUN).to_trec(tmp_path / "run")
    assert (tmp_path / "run").read_text().splitlines()[:3] == [
        "q1 Q0 a 1 2.0 irbounds",
        "q1 Q0 c 2 1.0 irbounds",
        "q1 Q0 b 3 1.0 irbounds",
    ]


def test_a_collection_is_made_of_any_input(tmp_path):
    documents = {"q": {"a": 2.0, "b": 1.0}}
    (tmp_path / "run").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    rows = {"q": ["q", "q"], "d": ["a", "b"], "s": [2.0, 1.0]}
    frame = pytest.importorskip("polars").DataFrame(rows)
    columns = {"query_id": "q", "doc_id": "d", "score": "s"}
    for run in (irb.Run(documents), irb.Run(tmp_path / "run"), irb.Run(frame, columns)):
        assert run.to_dict() == documents
        assert irb.Run(run) == run
    assert irb.evaluate(irb.Qrels({"q": {"b": 1}}), documents, "RR").values.tolist() == [[0.5]]
    with pytest.raises(irb.InputError, match=r"`qrels` must be a Qrels, a path, .*; found int"):
        irb.Qrels(3)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_are_read_again(backend):
    assert irb.Run.of(irb.Run.from_dict(RUN).to_frame(backend)) == RUN
    assert irb.Qrels.of(irb.Qrels.from_dict(QRELS).to_frame(backend)) == QRELS
    assert irb.Run.of(irb.Run.from_dict(RUN).to_arrow()) == RUN


def test_what_is_no_list_or_path(tmp_path):
    with pytest.raises(irb.InputError, match="`query_ids` must be a sequence; found 'q1'"):
        irb.Run.from_arrays("q1", ["a", "b"], [1.0, 2.0])
    (tmp_path / "run").write_text("q Q0 a 1 2 x\n")
    with (tmp_path / "run").open() as file, pytest.raises(irb.InputError, match="not an open one"):
        irb.evaluate({"q": {"a": 1}}, file, "AP")
    with tempfile.NamedTemporaryFile() as file, pytest.raises(irb.InputError, match="not an open"):
        irb.Run(file)


def test_a_subclass_is_made_of_its_base():
    class Mine(irb.Run):
        pass

    run = irb.Run(RUN)
    assert type(Mine(run)) is Mine
    assert Mine(run) == irb.Run(Mine(run)) == run


def test_head_keeps_or_cuts_ties():
    run = irb.Run.from_dict(RUN)
    assert run.head(2)["q1"] == {"a": 2.0, "b": 1.0, "c": 1.0}
    assert run.head(2, ties="doc_id")["q1"] == {"a": 2.0, "c": 1.0}
    assert run.head(9) == RUN


def test_pools():
    other = {"q3": {"k": 1.0}, "q1": {"d": 5.0, "c": 1.0}}
    assert pool({"a": RUN, "b": other}, 2) == {
        "q1": ["a", "b", "c", "d"],
        "q2": ["x", "y"],
        "q3": ["k"],
    }
    assert pool([irb.Run.from_dict(RUN)], 1) == {"q1": ["a"], "q2": ["y"]}


@pytest.mark.parametrize(
    ("work", "problem"),
    [
        (lambda path: irb.Run.from_dict({"q 1": {"d": 1}}).to_trec(path), "found 'q 1'"),
        (
            lambda path: irb.Run.from_dict({"#1": {"d": 1}}).to_trec(path),
            "takes lines that begin with # as comments",
        ),
        (lambda path: irb.Run.from_dict({"q": {"": 1}}).to_trec(path), "doc_id without white"),
        (lambda path: irb.Run.from_dict(RUN).to_trec(path, tag=""), "needs a tag without"),
        (lambda path: irb.Qrels.from_dict({"q": {"d": 0.5}}).to_trec(path), "found 0.5 (query 'q'"),
        (lambda path: pool([], 1), "`runs` must be one or more runs"),
        (lambda path: pool(path, 1), "`runs` must be one or more runs"),
        (lambda path: pool([RUN], 0), "`depth`"),
        (lambda path: irb.Run.from_dict(RUN).head(1, ties="best"), "`ties`"),
    ],
)
def test_refusals(work, problem, tmp_path):
    with pytest.raises(irb.InputError) as caught:
        work(tmp_path / "out")
    assert problem in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_zstd_is_not_written(tmp_path):
    """It wrote plain text under that name."""
    with pytest.raises(irb.InputError, match="zstd is read, not written"):
        irb.Run.from_dict(RUN).to_trec(tmp_path / "run.zst")
    assert not list(tmp_path.iterdir())


def test_protocols_of_python():
    data = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 2.0, "d2": 1.0}}
    ev = irb.evaluate(*data, "AP RR ESL(nr=1)", bounds=True)
    assert "AP" in ev
    assert "map" in ev
    assert ir_measures.RR in ev
    assert "P@5" not in ev
    assert "nonsense" not in ev
    assert 5 not in ev
    assert list(ev) == ["AP", "RR", "ESL(nr=1)"]
    assert {name: values.tolist() for name, values in dict(ev).items()} == {
        name: ev[name].tolist() for name in ev.measures
    }
    for again in (copy.deepcopy(ev), pickle.loads(pickle.dumps(ev)), copy.copy(ev)):
        assert again == ev
        assert hash(again) == hash(ev)
    assert ev != irb.evaluate(*data, "AP RR")
    assert ev != irb.evaluate(
        data[0], {"q1": {"d1": 2.0, "d2": 2.0}}, "AP RR ESL(nr=1)", bounds=True
    )
    assert ev != 3
    for make in (
        lambda tp: irb.CountsPosterior(tp=tp, fp=2, fn=3),
        lambda tp: irb.CountsPosterior(tp=[tp, 5], fp=2, fn=3, tn=[1, 2], prior=1),
        lambda tp: irb.recall_interval((500, 50, 40), (2000, 100, tp)),
        lambda tp: irb.mean_interval([0.1 * tp, 0.2, 0.4], method="t"),
        lambda tp: irb.recall_interval((500, 50, 40), (2000, 100, [tp, 2])),
    ):
        one, other = make(3), make(4)
        assert one == make(3) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
        assert hash(one) == hash(make(3))
        assert one != other
