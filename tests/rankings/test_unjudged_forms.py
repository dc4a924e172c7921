"""All forms of `unjudged=`, by all ways to evaluate: the same numbers, to the last bit."""

import gzip
import json
import random

import numpy as np
import pandas as pd
import pytest

import irbounds as irb

MEASURES = "AP nDCG@10 P@10 RR RBP ERR R@5 F@5 Success@3"


def make_case():
    random_ = random.Random(21)
    queries = [f"q{number}" for number in range(5)]
    docs = [f"d{number}" for number in range(20)]
    qrels = {query: {doc: random_.choice([0, 1, 1]) for doc in docs[::3]} for query in queries}
    runs = {
        name: {query: {doc: float(random_.randrange(8)) for doc in docs} for query in queries}
        for name in ("one", "other")
    }
    table = {
        query: {doc: random_.randrange(1, 99) / 100 for doc in docs if doc not in qrels[query]}
        for query in queries
    }
    return qrels, runs, table


QRELS, RUNS, TABLE = make_case()
ROWS = [(query, doc, p) for query, docs in TABLE.items() for doc, p in docs.items()]


def frame_of(name):
    return pd.DataFrame(ROWS, columns=["query_id", "doc_id", name])


def write_files(folder):
    """The table of probabilities in all formats; returns the paths."""
    run = "".join(f"{query} Q0 {doc} 1 {p!r} tag\n" for query, doc, p in ROWS)
    qrels = "".join(f"{query}\t0\t{doc}\t{p!r}\n" for query, doc, p in ROWS)
    lines = "".join(json.dumps({"query_id": q, "doc_id": d, "p": p}) + "\n" for q, d, p in ROWS)
    texts = {"p.run": run, "p.qrels": qrels, "p.jsonl": lines, "p.json": json.dumps(TABLE)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "p.run.gz").write_bytes(gzip.compress(run.encode()))
    (folder / "p.qrels.gz").write_bytes(gzip.compress(qrels.encode()))
    frame_of("probability").to_csv(folder / "p.csv", index=False)
    frame_of("score").to_csv(folder / "p.tsv", index=False, sep="\t")
    frame_of("p").to_csv(folder / "p.csv.gz", index=False)
    frame_of("probability").to_parquet(folder / "p.parquet")
    return sorted(folder.iterdir())


def test_all_tables_of_probabilities_give_the_same(tmp_path):
    wanted = irb.evaluate(QRELS, RUNS["one"], MEASURES, unjudged=TABLE).values
    frames = [frame_of(name) for name in ("score", "probability", "p", "relevance")]
    paths = write_files(tmp_path)
    assert len(paths) == 10
    for source in (irb.Run.from_dict(TABLE), *frames, *paths, *map(str, paths)):
        found = irb.evaluate(QRELS, RUNS["one"], MEASURES, unjudged=source).values
        assert (found == wanted).all(), source


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed", "bounds", 0.3, TABLE])
def test_all_ways_to_evaluate_give_the_same(unjudged):
    evaluator = irb.Evaluator(QRELS, MEASURES, unjudged=unjudged)
    compared = irb.compare(QRELS, RUNS, MEASURES, unjudged=unjudged)
    many = evaluator.evaluate_many(RUNS)
    for name, run in RUNS.items():
        wanted = evaluator.evaluate(run)
        ids = [list(docs) for docs in run.values()]
        scores = [list(docs.values()) for docs in run.values()]
        for found in (many[name], evaluator.evaluate_topk(list(run), ids, scores)):
            assert (found.values == wanted.values).all()
            if unjudged == "bounds":
                assert (found.unjudged_low == wanted.unjudged_low).all()
                assert (found.unjudged_high == wanted.unjudged_high).all()
        assert compared.means[name] == wanted.mean


def test_a_comparison_by_probabilities_has_no_bounds_over_ties():
    compared = irb.compare(QRELS, RUNS, "AP", unjudged=0.3)
    assert compared.low is None
    assert compared.mean_bounds is None


def test_probabilities_of_ranked_ids_without_scores():
    evaluator = irb.Evaluator({"q": {"a": 1, "b": 0}}, "RR P@2", unjudged={"q": {"c": 0.25}})
    found = evaluator.evaluate_topk(["q"], [["b", "c", "a"]])
    assert found.mean == pytest.approx({"RR": 0.25 / 2 + 0.75 / 3, "P@2": 0.125})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q0 0 d1 1.5\n", "probabilities must be in"),
        ("q0 0 d0 0.5\n", "is judged"),
        ("zz 0 d1 0.5\n", "is not in the qrels"),
        ("q0 0 d1 high\n", r"p.qrels:1: probabilities must .*'high' \(document 'd1', query 'q0'\)"),
        ("q0 0 d1 nan\n", r"p.qrels:1: probabilities must .*'nan' \(document 'd1', query 'q0'\)"),
        ("q0 0 d1 .5\nq0 0 d1 .6\n", "p.qrels:2: duplicate document 'd1' for query 'q0'"),
        ("q0 0 d1 .5\nq0 d1 .6\n", "p.qrels:2: expected 4 columns"),
        # ranks of a run are no probabilities, whatever its scores are
        ("q0 Q0 d1 1 nan s\n", r"p.qrels:1: .*found nan \(document 'd1', query 'q0'\)"),
        ("q0 Q0 d1 1 high s\n", "p.qrels:1: expected a number as probability, found 'high'"),
        ("query_id,doc_id,chance\nq0,d1,.5\n", "needs a column of probabilities, 'score', 'prob"),
        ("query_id,doc_id,p\nq0,d1,nan\n", r"p.qrels:2: .*found nan \(document 'd1', query 'q0'\)"),
        ('{"q0": {"d1": "high"}}', "of document 'd1' \\(query 'q0'\\), found 'high'"),
        ("", "empty"),
    ],
)
def test_bad_files_of_probabilities(text, message, tmp_path):
    path = tmp_path / "p.qrels"
    if text.startswith("{"):
        path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(irb.InputError, match=message) as caught:
        irb.evaluate(QRELS, RUNS["one"], "AP", unjudged=path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("table", [{}, frame_of("score")[:0]])
def test_an_empty_table_is_refused(table):
    with pytest.raises(irb.InputError, match="unjudged: the table of probabilities is empty"):
        irb.evaluate(QRELS, RUNS["one"], "AP", unjudged=table)


@pytest.mark.parametrize("n_scores", [1, 3, 40, 400])
@pytest.mark.parametrize("n_grades", [2, 4, 30])
@pytest.mark.parametrize("ties", ["expected", "best", "worst", "doc_id"])
def test_rows_in_any_order(n_scores, n_grades, ties):
    """Rows by falling score are listed as they come, others are sorted first."""
    rng = np.random.default_rng(n_scores + n_grades)
    scores = np.sort(rng.integers(0, n_scores, 200))[::-1]
    falling = {f"d{i}": float(score) for i, score in enumerate(scores)}
    judged = rng.choice(200, 120, replace=False)
    qrels = {"q": {f"d{i}": int(rng.integers(0, n_grades)) for i in judged}}
    mixed = {doc: falling[doc] for doc in rng.permutation(list(falling)).tolist()}
    found = [
        irb.evaluate(
            qrels,
            {"q": run},
            "AP nDCG nDCG@7 P@5 RBP DCG Bpref Rprec R@20",
            ties=ties,
            bounds=ties == "best",
            unjudged="bounds",
            unjudged_hidden=3,
        )
        for run in (falling, mixed)
    ]
    assert np.array_equal(found[0].unjudged_low, found[1].unjudged_low)
    assert np.array_equal(found[0].unjudged_high, found[1].unjudged_high)


def test_given_order_is_that_of_the_same_ranking_without_ties():
    rng = np.random.default_rng(8)
    tied = {f"d{i}": -float(i // 9) for i in range(100)}
    untied = {f"d{i}": -float(i) for i in range(100)}
    qrels = {"q": {f"d{i}": int(rng.integers(0, 3)) for i in rng.choice(100, 30, replace=False)}}
    found = [
        irb.evaluate(qrels, {"q": run}, "AP nDCG Bpref Rprec", ties="given", unjudged="bounds")
        for run in (tied, untied)
    ]
    assert np.array_equal(found[0].unjudged_low, found[1].unjudged_low)
    assert np.array_equal(found[0].unjudged_high, found[1].unjudged_high)
