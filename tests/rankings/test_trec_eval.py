"""Without ties, and with ties="doc_id", common measures equal trec_eval's."""

import random
import re

import pytest
import pytrec_eval
from data import shared

import irbounds as irb

# Names of trec_eval that mean what ours mean; set_F has its default parameter 1.
SAME = re.compile(
    r"map|map_cut_\d+|P_\d+|recall_\d+|recip_rank|success_\d+|bpref|ndcg|ndcg_cut_\d+|Rprec|set_P|"
    r"set_recall|set_F|set_map|num_ret|num_rel|num_rel_ret|iprec_at_recall_[\d.]+|11pt_avg|unj_\d+|"
    r"Rprec_mult_[\d.]+|relative_P_\d+|set_relative_P|utility|num_nonrel_judged_ret|num_q|gm_map|"
    r"gm_bpref"
)
COUNTS = {"num_ret", "num_rel", "num_rel_ret"}


def name_here(name):
    """The name here of a measure of trec_eval 10, which rounds at recall levels to the nearest."""
    if name == "11pt_avg":
        return "IPrec11(rounding=nearest)"
    return re.sub(r"iprec_at_recall_([\d.]+)", r"IPrec(rounding=nearest)@\1", name)


def read_expected(path):
    """{(query, measure): value} of trec_eval's output."""
    rows = [line.split() for line in path.read_text().splitlines()]
    return {(query, name): float(value) for name, query, value in rows if SAME.fullmatch(name)}


def check(evaluation, expected):
    measures = {name for _, name in expected}
    assert measures
    for (query, name), value in expected.items():
        here = irb.Measure.parse(name_here(name))
        if query == "all":
            got = evaluation.summary[here]
        else:
            got = evaluation[here][evaluation.query_ids.index(query)]
        assert got == pytest.approx(value, abs=5.001e-5), (query, name)


@pytest.mark.parametrize(
    ("qrels", "run", "output", "options"),
    [
        ("qrels.test", "results.test", "out.test", {}),
        ("qrels.test.with-comments", "results.test", "out.test", {}),
        ("qrels.comment.test.gz", "results.comment.test.gz", "out.comment.test", {}),
        ("qrels.test", "results.test", "out.test.a", {}),
        ("qrels.test", "results.test", "out.test.aq", {}),
        ("qrels.test", "results.trunc", "out.test.aqc", {}),
        ("qrels.test", "results.test", "out.test.meas_params", {}),
    ],
)
def test_its_own_test_directory(qrels, run, output, options):
    expected = read_expected(shared("trec_eval_test", output))
    measures = sorted({name_here(name) for _, name in expected})
    evaluation = irb.evaluate(
        shared("trec_eval_test", qrels),
        shared("trec_eval_test", run),
        measures,
        ties="doc_id",
        **options,
    )
    assert len(measures) >= 8
    check(evaluation, expected)


def test_its_gains():
    lines = shared("trec_eval_test", "out.test.meas_params").read_text().splitlines()
    expected = {
        line.split()[1]: float(line.split()[2]) for line in lines if line.startswith("ndcg_1=3")
    }
    evaluation = irb.evaluate(
        shared("trec_eval_test", "qrels.test"),
        shared("trec_eval_test", "results.test"),
        "nDCG(gains={1:3,2:9,4:4.5})",
        ties="doc_id",
    )
    assert dict(zip(evaluation.query_ids, evaluation.values[:, 0], strict=True)) == pytest.approx(
        {query: value for query, value in expected.items() if query != "all"}, abs=5.001e-5
    )


def test_its_higher_relevance_level():
    graded = read_expected(shared("trec_eval_test", "out.test.aql"))
    names = {
        "map": "AP(rel=2)",
        "P_10": "P(rel=2)@10",
        "recall_100": "R(rel=2)@100",
        "recip_rank": "RR(rel=2)",
        "bpref": "Bpref(rel=2)",
        "Rprec": "Rprec(rel=2)",
        "success_5": "Success(rel=2)@5",
        "set_F": "SetF(rel=2)",
        "map_cut_100": "AP(rel=2)@100",
        "iprec_at_recall_0.10": "IPrec(rounding=nearest,rel=2)@0.1",
    }
    evaluation = irb.evaluate(
        shared("trec_eval_test", "qrels.rel_level"),
        shared("trec_eval_test", "results.test"),
        list(names.values()),
        ties="doc_id",
    )
    for (query, name), value in graded.items():
        if name in names:
            got = (
                evaluation.mean[names[name]]
                if query == "all"
                else evaluation[names[name]][evaluation.query_ids.index(query)]
            )
            assert got == pytest.approx(value, abs=5.001e-5), (query, name)


PEER = {
    "map": "AP{}",
    "map_cut_5": "AP{}@5",
    "P_5": "P{}@5",
    "recall_5": "R{}@5",
    "recip_rank": "RR{}",
    "success_5": "Success{}@5",
    "Rprec": "Rprec{}",
    "bpref": "Bpref{}",
    "ndcg": "nDCG",
    "ndcg_cut_5": "nDCG@5",
    "set_P": "SetP{}",
    "set_recall": "SetR{}",
    "set_F": "SetF{}",
    "set_map": "SetAP{}",
    "num_ret": "NumRet",
    "num_rel_ret": "NumRelRet{}",
}


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("tied", [False, True])
def test_pytrec_eval_on_random_runs(rel, tied):
    rng = random.Random(20 * rel + tied)
    documents = [f"d{i}" for i in range(30)]
    qrels, run = {}, {}
    for query in map(str, range(200)):
        judged = rng.sample(documents, 15)
        qrels[query] = {name: rng.choice([0, 0, 1, 2, 3]) for name in judged}
        retrieved = rng.sample(documents, rng.randint(1, 25))
        run[query] = {
            name: float(rng.randint(0, 6)) if tied else rng.randrange(10**6) / 8
            for name in retrieved
        }
    peer = pytrec_eval.RelevanceEvaluator(
        qrels, {re.sub(r"_(\d+)$", r".\1", name) for name in PEER}, relevance_level=rel
    ).evaluate(run)
    names = {name: form.format("" if rel == 1 else f"(rel={rel})") for name, form in PEER.items()}
    evaluation = irb.evaluate(qrels, run, list(names.values()), ties="doc_id")
    for i, query in enumerate(evaluation.query_ids):
        for name, ours in names.items():
            assert evaluation[ours][i] == pytest.approx(peer[query][name], abs=1e-9), (query, name)


def test_judged_documents_only():
    rng = random.Random(5)
    qrels = {"q": {f"d{i}": rng.choice([0, 1, 2]) for i in range(0, 40, 2)}}
    run = {"q": {f"d{i}": rng.randrange(10**6) / 8 for i in range(40)}}
    peer = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "ndcg_cut.5", "P.5"}, judged_docs_only_flag=True
    )
    expected = peer.evaluate(run)["q"]
    ours = irb.evaluate(qrels, run, "AP nDCG@5 P@5", judged_only=True)
    assert ours.values[0] == pytest.approx(
        [expected["map"], expected["ndcg_cut_5"], expected["P_5"]], abs=1e-9
    )
