"""The 18 runs of three collections: how far ties move the measures, as measured with other
tools."""

import csv

import pytest
from data import SHARED, shared

import irbounds as irb

RUNS = [
    (collection, weighting)
    for collection in ("adi", "cisi", "med")
    for weighting in ("clm", "clmw", "btf", "tfidf", "prob", "bti")
]
MEASURES = """
AP AP@10 nDCG nDCG@10 DCG@20 P@10 R@20 F@10 RR RR@5 Success@1 Rprec RBP ERR@20 Bpref
PRR(recall=0.5) EP(recall=0.5) PRECALL(recall=0.5) ER@20 PRR(recall=0.3,interpolation=ceiling)
Judged@10
"""


def published(collection, weighting):
    with shared("eval.tsv").open() as file:
        rows = {row["run"]: row for row in csv.DictReader(file, delimiter="\t")}
    return rows[f"{collection}.{weighting}"]


@pytest.mark.skipif(not SHARED.exists(), reason="needs the research data beside the repository")
@pytest.mark.parametrize(("collection", "weighting"), RUNS)
def test_real_run(collection, weighting):
    row = published(collection, weighting)
    files = (
        shared(collection, f"{collection}.qrels"),
        shared(collection, f"{collection}.{weighting}.run.xz"),
    )
    expected = irb.evaluate(*files, MEASURES, bounds=True)
    assert (expected.low <= expected.values).all()
    assert (expected.values <= expected.high).all()
    low, high = expected.mean_bounds["AP"]
    assert low == pytest.approx(float(row["map_worst_ties"]), abs=5.001e-5)
    assert high == pytest.approx(float(row["map_best_ties"]), abs=5.001e-5)
    by_name = irb.evaluate(*files, "AP P@10 Rprec nDCG", ties="doc_id")
    for name, column in (("AP", "map"), ("P@10", "P10"), ("Rprec", "Rprec"), ("nDCG", "ndcg")):
        assert by_name.mean[name] == pytest.approx(
            float(row[f"{column}_trec_eval"]), abs=5.001e-5
        ), name
