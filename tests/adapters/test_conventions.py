"""The table of docs/howto/evaluate_recommendations.md: each library's own number is that of the
measure which the table names, for binary and for graded judgments.  Libraries that are not
installed are left out."""

import importlib
import random
from math import log2
from pathlib import Path
from statistics import fmean

import pytest

import irbounds as irb

pytestmark = pytest.mark.long  # as most of them come after the quick suite
K = 5
PAGE = Path(__file__).parents[2] / "docs/howto/evaluate_recommendations.md"


def draw(grades):
    rng = random.Random(47)
    items = [f"i{i:02}" for i in range(30)]
    relevant = {
        f"u{u:02}": {item: rng.choice(grades) for item in rng.sample(items, rng.randint(1, 11))}
        for u in range(30)
    }
    retrieved = {
        user: {item: 1 - place / 16 for place, item in enumerate(rng.sample(items, 12))}
        for user in relevant
    }
    return relevant, retrieved


def lists(relevant, retrieved):
    """Relevant items and the first five retrieved ones, by user."""
    return [(list(relevant[user]), list(retrieved[user])[:K]) for user in relevant]


def candidates(relevant, retrieved):
    """Grades and scores of a user's items; those not retrieved come last."""
    for user in relevant:
        items = list(dict.fromkeys([*retrieved[user], *relevant[user]]))
        grades = [relevant[user].get(item, 0) for item in items]
        yield grades, [retrieved[user].get(item, -1.0 - i) for i, item in enumerate(items)]


def pytrec_eval(relevant, retrieved):
    peer = importlib.import_module("pytrec_eval")
    names = {"map_cut_5": "AP@5", "ndcg_cut_5": "nDCG@5", "success_5": "Success@5"}
    found = peer.RelevanceEvaluator(relevant, set(names)).evaluate(retrieved).values()
    return {ours: fmean(row[name] for row in found) for name, ours in names.items()}


def ranx(relevant, retrieved):
    peer = importlib.import_module("ranx")
    names = {
        "map@5": "AP@5",
        "ndcg@5": "nDCG@5",
        "ndcg_burges@5": "nDCG(dcg=exp-log2)@5",
        "hit_rate@5": "Success@5",
    }
    found = peer.evaluate(peer.Qrels(relevant), peer.Run(retrieved), list(names))
    return {ours: float(found[name]) for name, ours in names.items()}


def scikit_learn(relevant, retrieved):
    peer = importlib.import_module("sklearn.metrics")
    pairs = candidates(relevant, retrieved)
    return {"nDCG@5": fmean(peer.ndcg_score([y], [score], k=K) for y, score in pairs)}


def sentence_transformers(relevant, retrieved):
    peer = importlib.import_module("sentence_transformers.evaluation")
    users = {user: user for user in relevant}
    at = {f"{name}_at_k": [K] for name in ("mrr", "ndcg", "accuracy", "precision_recall", "map")}
    items = {item: item for docs in (*relevant.values(), *retrieved.values()) for item in docs}
    sets = {user: set(docs) for user, docs in relevant.items()}
    evaluator = peer.InformationRetrievalEvaluator(users, items, sets, **at)
    rows = [
        [{"corpus_id": doc, "score": score} for doc, score in retrieved[user].items()]
        for user in evaluator.queries_ids
    ]
    found = evaluator.compute_metrics(rows)
    names = {"map": "APMin@5", "ndcg": "nDCG(rel=1)@5", "accuracy": "Success@5"}
    return {ours: found[f"{name}@k"][K] for name, ours in names.items()}


def haystack(relevant, retrieved):
    peer = importlib.import_module("haystack.components.evaluators")
    document = importlib.import_module("haystack").Document
    truth = [[document(content=item) for item in wanted] for wanted in relevant.values()]
    graded = [
        [document(content=item, score=float(grade)) for item, grade in wanted.items()]
        for wanted in relevant.values()
    ]
    found = [[document(content=i) for i in items] for _, items in lists(relevant, retrieved)]

    def score(evaluator, truth):
        inputs = {"ground_truth_documents": truth, "retrieved_documents": found}
        return evaluator.run(**inputs)["score"]

    return {
        "AP@5": score(peer.DocumentMAPEvaluator(), truth),
        "nDCG": score(peer.DocumentNDCGEvaluator(), graded),
        "nDCG(rel=1)": score(peer.DocumentNDCGEvaluator(), truth),
        "Success@5": score(peer.DocumentRecallEvaluator(mode="single_hit"), truth),
        "R@5": score(peer.DocumentRecallEvaluator(mode="multi_hit"), truth),
    }


def llama_index(relevant, retrieved):
    peer = importlib.import_module("llama_index.core.evaluation.retrieval.metrics")
    measures = {
        "AP@5": peer.AveragePrecision(),
        "nDCG(rel=1)": peer.NDCG(),
        "Success@5": peer.HitRate(),
        "RR@5": peer.MRR(),
    }
    pairs = lists(relevant, retrieved)
    return {
        ours: fmean(m.compute(expected_ids=w, retrieved_ids=f).score for w, f in pairs)
        for ours, m in measures.items()
    }


def torchmetrics(relevant, retrieved):
    peer = importlib.import_module("torchmetrics.functional.retrieval")
    tensor = importlib.import_module("torch").tensor
    pairs = list(candidates(relevant, retrieved))
    binary = [([int(grade > 0) for grade in grades], score) for grades, score in pairs]

    def mean(function, pairs):
        return fmean(float(function(tensor(s), tensor(y), top_k=K)) for y, s in pairs)

    return {
        "APRet@5": mean(peer.retrieval_average_precision, binary),
        "nDCG@5": mean(peer.retrieval_normalized_dcg, pairs),
        "Success@5": mean(peer.retrieval_hit_rate, binary),
    }


def frames(relevant, retrieved, user, item, grade, score):
    """The data frames that recommender libraries take."""
    frame = importlib.import_module("pandas").DataFrame
    return [
        frame([(u, i, x) for u, docs in data.items() for i, x in docs.items()]).set_axis(
            [user, item, value], axis=1
        )
        for data, value in ((relevant, grade), (retrieved, score))
    ]


def recommenders(relevant, retrieved):
    peer = importlib.import_module("recommenders.evaluation.python_evaluation")
    truth, found = frames(relevant, retrieved, "userID", "itemID", "rating", "prediction")
    return {
        "AP@5": peer.map(truth, found, k=K),
        "APMin@5": peer.map_at_k(truth, found, k=K),
        "nDCG(rel=1)@5": peer.ndcg_at_k(truth, found, k=K),
        "nDCG@5": peer.ndcg_at_k(truth, found, k=K, score_type="raw"),
        "nDCG(dcg=exp-log2)@5": peer.ndcg_at_k(truth, found, k=K, score_type="exp"),
    }


def rectools(relevant, retrieved):
    peer = importlib.import_module("rectools.metrics")
    truth, found = frames(relevant, retrieved, "user_id", "item_id", "weight", "score")
    found["rank"] = found.groupby("user_id").cumcount() + 1
    ideal = sum(1 / log2(place + 1) for place in range(1, K + 1))
    return {
        "AP@5": peer.MAP(k=K).calc(found, truth),
        "DCG(rel=1)@5": peer.NDCG(k=K).calc(found, truth) * ideal,
        "nDCG(rel=1)@5": peer.NDCG(k=K, divide_by_achievable=True).calc(found, truth),
        "Success@5": peer.HitRate(k=K).calc(found, truth),
        "RelP@5": peer.Precision(k=K, r_precision=True).calc(found, truth),
    }


def replay(relevant, retrieved):
    peer = importlib.import_module("replay.metrics")
    truth, found = frames(relevant, retrieved, "query_id", "item_id", "rating", "rating")
    names = {peer.MAP: "APMin@5", peer.NDCG: "nDCG(rel=1)@5", peer.HitRate: "Success@5"}
    return {ours: next(iter(kind(K)(found, truth).values())) for kind, ours in names.items()}


def lenskit(relevant, retrieved):
    peer = importlib.import_module("lenskit.metrics.ranking")
    items = importlib.import_module("lenskit.data").ItemList
    measures = {
        "APMin@5": peer.AveragePrecision(K),
        "RelP@5": peer.Recall(K),
        "Success@5": peer.Hit(K),
    }
    pairs = [
        (items(item_ids=list(retrieved[user]), ordered=True), items(item_ids=list(relevant[user])))
        for user in relevant
    ]
    return {name: fmean(m.measure_list(*pair) for pair in pairs) for name, m in measures.items()}


def xgboost(relevant, retrieved):
    peer = importlib.import_module("xgboost")
    import numpy as np

    pairs = list(candidates(relevant, retrieved))
    labels = [grade for grades, _ in pairs for grade in grades]
    data = peer.DMatrix(np.zeros((len(labels), 1)), label=labels)
    data.set_group([len(grades) for grades, _ in pairs])
    data.set_base_margin([score for _, scores in pairs for score in scores])
    found = {}
    for name, is_exponential in (("nDCG(dcg=exp-log2)@5", True), ("nDCG@5", False)):
        chosen = {"objective": "rank:ndcg", "ndcg_exp_gain": is_exponential}
        booster = peer.train({**chosen, "eval_metric": "ndcg@5"}, data, num_boost_round=0)
        found[name] = float(booster.eval(data).rpartition(":")[2])
    return found


LIBRARIES = [
    *(pytrec_eval, ranx, scikit_learn, sentence_transformers, haystack, llama_index),
    *(torchmetrics, recommenders, rectools, replay, lenskit, xgboost),
]


@pytest.mark.filterwarnings("ignore")  # of the libraries
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)
@pytest.mark.parametrize("grades", [[1], [1, 2, 3, 4]], ids=["binary", "graded"])
def test_a_librarys_own_number(library, grades):
    relevant, retrieved = draw(grades)
    try:
        theirs = library(relevant, retrieved)
    except ImportError as error:
        pytest.skip(str(error))
    cut = {user: dict(list(docs.items())[:K]) for user, docs in retrieved.items()}
    for name, value in theirs.items():
        (ours,) = irb.evaluate(relevant, retrieved if "@" in name else cut, name).mean.values()
        assert ours == pytest.approx(float(value), rel=3e-6), name  # some have 32-bit floats
        assert f"`{name}`" in PAGE.read_text(), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", [recommenders, rectools], ids=lambda library: library.__name__)
def test_users_that_count(library):
    """v has no recommendation, w no item of grade 3 or more, x no judgment."""
    relevant = {"u": {"a": 4, "b": 3}, "v": {"a": 5}, "w": {"c": 1}, "y": {"b": 3}}
    retrieved = {
        "u": {"c": 0.9, "a": 0.5},
        "w": {"c": 0.8, "d": 0.7},
        "x": {"a": 0.9, "b": 0.1},
        "y": {"b": 0.6, "c": 0.1},
    }
    kept = {u: {i: g for i, g in docs.items() if g >= 3} for u, docs in relevant.items()}
    try:
        theirs = library({u: docs for u, docs in kept.items() if docs}, retrieved)["AP@5"]
    except ImportError as error:
        pytest.skip(str(error))
    missing = "skip" if library is recommenders else "zero"
    found = irb.evaluate(relevant, retrieved, "AP(rel=3)@5", missing=missing, no_relevant="skip")
    assert list(found.mean.values()) == [pytest.approx(theirs)]
