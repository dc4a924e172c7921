"""The drop-in for pytrec_eval: its values, measure by measure, on runs with ties."""

import math
import pickle
import random
from collections import OrderedDict, defaultdict
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import numpy as np
import pytest
import pytrec_eval as peer

import irbounds as irb
from irbounds.adapters import pytrec_eval as ours

SHARED = sorted(ours.supported_measures)


def random_data(seed, n_queries=60):
    """Judgments with unjudged documents and queries without relevant ones; scores that tie, some of
    them as 32-bit floats only."""
    rng = random.Random(seed)
    documents = [f"d{i}" for i in range(40)]
    qrels, run = {}, {}
    for query in map(str, range(n_queries)):
        judged = rng.sample(documents, rng.randint(1, 30))
        grades = rng.choice([[0], [0, 1], [0, 0, 1, 2, 3], [-1, 0, 1, 2]])
        qrels[query] = {name: rng.choice(grades) for name in judged}
        retrieved = rng.sample(documents, rng.randint(1, 40))
        run[query] = {
            name: rng.randint(0, 5) + rng.choice([0, 0, 1e-9]) * rng.random() for name in retrieved
        }
    return qrels, run


def check(found, wanted):
    assert set(found) == set(wanted)
    for query, values in wanted.items():
        assert set(found[query]) == set(values)
        for name, value in values.items():
            if math.isnan(value):  # 0/0 in pytrec_eval
                assert values["num_ret"] == found[query][name] == 0
                continue
            assert found[query][name] == pytest.approx(value, abs=1e-12), (query, name)


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_every_measure_on_random_runs(seed, level, judged_only):
    qrels, run = random_data(seed)
    arguments = SHARED, level, judged_only
    check(
        ours.RelevanceEvaluator(qrels, *arguments).evaluate(run),
        peer.RelevanceEvaluator(qrels, *arguments).evaluate(run),
    )


@pytest.mark.parametrize(
    "measures",
    [
        {"map"},
        ["ndcg_cut_10", "ndcg_cut.5,7"],
        {"P", "success_2", "recall.3"},
        {"iprec_at_recall_0.25", "iprec_at_recall.1", "Rprec_mult.0.35,1.5"},
        {"set"},
        {"official", "ndcg"},
    ],
)
def test_names_and_nicknames(measures):
    qrels, run = random_data(9)
    found = ours.RelevanceEvaluator(qrels, measures).evaluate(run)
    wanted = peer.RelevanceEvaluator(qrels, measures).evaluate(run)
    check(found, wanted)
    for name in next(iter(wanted.values())):
        values = [row[name] for row in wanted.values()]
        assert ours.compute_aggregated_measure(name, values) == pytest.approx(
            peer.compute_aggregated_measure(name, values), abs=1e-12
        )


def test_queries_are_those_that_both_have():
    qrels = {"a": {"d": 1}, "b": {"d": 1}, "c": {}}
    run = {"x": {"d": 1.0}, "c": {"d": 1.0}, "a": {"d": 1.0}}
    evaluator = ours.RelevanceEvaluator(qrels, {"map"})
    assert evaluator.evaluate(run) == {"a": {"map": 1.0}}
    assert evaluator.evaluate({}) == evaluator.evaluate({"x": {"d": 1.0}}) == {}
    assert ours.RelevanceEvaluator({"c": {}}, {"map"}).evaluate(run) == {}


def test_nothing_retrieved_is_0_not_nan():
    found = ours.RelevanceEvaluator({"a": {"d": 1}}, ["all_trec"]).evaluate({"a": {}})["a"]
    assert found["iprec_at_recall_0.00"] == found["11pt_avg"] == found["map"] == 0
    assert found["gm_map"] == math.log(1e-5)


def test_ties_can_be_exact():
    qrels, run = {"a": {"d": 1}}, {"a": {"d": 0.5, "e": 0.5}}
    values = {
        ties: ours.RelevanceEvaluator(qrels, ["recip_rank"], ties=ties).evaluate(run)["a"]
        for ties in ("doc_id", "expected", "best", "worst")
    }
    assert [value["recip_rank"] for value in values.values()] == [0.5, 0.75, 1, 0.5]


def test_parsers():
    run = ["q Q0 d 1 2.5 tag", "q Q0 e 2 1 tag\n"]
    qrel = ["q 0 d 1", "r 0 e -1\n"]
    assert ours.parse_run(run) == peer.parse_run(run)
    assert ours.parse_qrel(qrel) == peer.parse_qrel(qrel)
    for parse, lines in ((ours.parse_run, run), (ours.parse_qrel, qrel)):
        with pytest.raises(irb.InputError, match="line 3: query 'q' has 'd' twice"):
            parse([*lines, lines[0]])
        with pytest.raises(irb.InputError, match=r"line 1: expected \d columns, found 2"):
            parse(["q d"])
    with pytest.raises(irb.InputError, match="line 1: expected a number, found 'x'"):
        ours.parse_qrel(["q 0 d x"])


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(
    "name", ["set_F.0", "set_F.0.5", "set_F_4", "11pt_avg.0.1,0.25,0.5", "P.005"]
)
def test_parameters_of_measures(name, level):
    qrels, run = random_data(5)
    wanted = peer.RelevanceEvaluator(qrels, {name, "num_ret"}, level).evaluate(run)
    check(ours.RelevanceEvaluator(qrels, {name, "num_ret"}, level).evaluate(run), wanted)


def test_worths_keep_their_order():
    """pytrec_eval sorts them: two found, two others retrieved, one missed."""
    qrels, run = {"q": dict.fromkeys("abm", 1)}, {"q": dict.fromkeys("abxy", 1)}
    found = ours.RelevanceEvaluator(qrels, {"utility.5,-1,-3,0"}).evaluate(run)
    assert found == {"q": {"utility": 5 * 2 - 2 - 3}}
    for name in ("utility.1,-1", "set_F.1,2", "set_F.1.2.3"):
        with pytest.raises(irb.InputError, match="unsupported parameters of"):
            ours.RelevanceEvaluator(qrels, {name})


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("ndcg@10", "ndcg_cut_10"),
        ("nDCG", "ndcg"),
        ("mrr", "recip_rank"),
        ("P@5", "P_5"),
        ("MAP", "map"),
        ("AP@100", "map_cut_100"),
        ("R@20", "recall_20"),
        ("Success@1", "success_1"),
        ("reciprocal_rank", "recip_rank"),
    ],
)
def test_names_of_other_tools_are_answered_with_those_of_trec_eval(name, there):
    with pytest.raises(
        irb.InputError, match=f"unsupported measure '{name}', did you mean '{there}'"
    ):
        ours.RelevanceEvaluator({"a": {"d": 1}}, [name])
    ours.RelevanceEvaluator({"a": {"d": 1}}, [there])


@pytest.mark.parametrize("measures", [None, 5])
def test_measures_are_names(measures):
    with pytest.raises(
        irb.InputError, match="`measures` must be a set of names of trec_eval; found"
    ):
        ours.RelevanceEvaluator({"a": {"d": 1}}, measures)


@pytest.mark.parametrize("name", ["mapp", "map_3_x", "ndcg_cut_", "map_5"])
def test_unknown_names_are_refused(name):
    with pytest.raises(irb.InputError, match="unsupported measure"):
        ours.RelevanceEvaluator({"a": {"d": 1}}, [name])


# Dicts as they come
# ------------------------------------------------------------------------------


@pytest.mark.parametrize("n_docs", [1, 40, 1025, 3000, 20_000])
@pytest.mark.parametrize("n_levels", [3, 10**9])
def test_long_and_short_queries_in_turn(n_docs, n_levels):
    """Queries read in batches, in pieces, and with the lock released; many ties or none."""
    rng = random.Random(n_docs)
    names = [f"d{i}" for i in range(n_docs)]
    qrels, run = {}, {}
    for query in "abcde":
        some = names if query == "c" else names[:7]
        least = -1 if n_docs > 1 else 0  # pytrec_eval crashes if a query has grades below 0 only
        judged = rng.sample(some, len(some) // 2 + 1)
        qrels[query] = {name: rng.randint(least, 2) for name in judged}
        run[query] = {name: rng.randrange(n_levels) / 7 for name in rng.sample(some, len(some))}
    measures = {"map", "ndcg", "P_5", "bpref", "recip_rank", "Rprec", "num_ret"}
    check(
        ours.RelevanceEvaluator(qrels, measures).evaluate(run),
        peer.RelevanceEvaluator(qrels, measures).evaluate(run),
    )


def test_output_is_in_the_order_of_the_run():
    qrels = {query: {"d": 1} for query in "abc"}
    run = {query: {"d": 1.0} for query in "cxba"}
    for module in (ours, peer):
        found = module.RelevanceEvaluator(qrels, {"P", "map", "recip_rank"}).evaluate(run)
        assert list(found) == ["c", "b", "a"]
        assert list(found["a"])[:2] == ["map", "recip_rank"]


def test_no_measures_no_values():
    for module in (ours, peer):
        assert module.RelevanceEvaluator({"a": {"d": 1}}, set()).evaluate({"a": {}}) == {"a": {}}


def test_numbers_and_ids_of_other_types():
    """pytrec_eval refuses these: ids that are no text, scores of NumPy."""
    qrels = {"a": {"7": 1, b"8": 2}, 3: {"é": 1}}
    plain = {"a": {"7": 0.5, "8": 0.25, "x": 1.0}, "3": {"é": 2.0}}
    evaluator = ours.RelevanceEvaluator(qrels, ["map", "ndcg"])
    wanted = evaluator.evaluate(plain)
    assert wanted["3"] == {"map": 1.0, "ndcg": 1.0}
    strange = {"a": {7: np.float32(0.5), b"8": np.float64(0.25), "x": True}, 3: {"é": 2}}
    assert list(evaluator.evaluate(strange).values()) == list(wanted.values())
    runs = defaultdict(dict, {"a": OrderedDict(plain["a"]), "3": plain["3"]})
    assert evaluator.evaluate(MappingProxyType(runs)) == wanted


@pytest.mark.parametrize(("n_docs", "ties"), [(1000, "doc_id"), (1000, "expected"), (1024, "best")])
def test_a_dict_that_grows_while_the_run_is_read(n_docs, ties):
    """One query's dict is chosen to be read; then the next one's adds documents to it."""
    qrels = {"a": {f"d{i}": i % 2 for i in range(n_docs)}, "b": {"d": 1}}
    evaluator = ours.RelevanceEvaluator(qrels, ["map", "ndcg"], ties=ties)
    grown = {f"d{i}": float(i % 7) for i in range(n_docs)}
    growing = {"d0": 0.0}

    class Meddling(dict):
        def __iter__(self):
            return super().__iter__()

        def keys(self):
            growing.update(grown)
            return super().keys()

    run = {"a": growing, "b": Meddling(d=1.0)}
    if n_docs == 1024:  # with that of the other query more than are read at once
        with pytest.raises(irb.InputError, match="the dict was changed while it was read"):
            evaluator.evaluate(run)
    else:
        assert evaluator.evaluate(run)["a"] == evaluator.evaluate({"a": grown})["a"]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ({"d": math.nan, "e": 1.0}, "run: the score of document 'd' is nan (query 'a')"),
        ({"7": 1.0, 7: 2.0}, "run: duplicate document '7' for query 'a'"),
        ({"d": "high"}, "run: query 'a': expected a number for document 'd', found 'high'"),
        ({"d": 10**400}, "run: query 'a': expected a number for document 'd', found 1000"),
        ({None: 1.0}, "run: query 'a': ids must be text or whole numbers, found None"),
        ([("d", 1.0)], "run: query 'a': expected a dict of documents, found list"),
        ("d", "run: query 'a': expected a dict of documents, found str"),
    ],
)
def test_what_cannot_be_read_is_one_line(documents, message):
    evaluator = ours.RelevanceEvaluator({"a": {"d": 1}, "b": {"d": 1}}, ["map"])
    with pytest.raises(irb.InputError) as error:
        evaluator.evaluate({"b": {"d": 1.0}, "a": documents})
    assert str(error.value).startswith(message)
    assert evaluator.evaluate({"a": {"d": 1}}) == {"a": {"map": 1.0}}


def test_an_evaluator_is_shared_and_pickled():
    qrels, run = random_data(3)
    evaluator = ours.RelevanceEvaluator(qrels, ["all_trec"])
    wanted = evaluator.evaluate(run)
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(run) == wanted
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(evaluator.evaluate, [run] * 20):
            assert found == wanted


def test_judgments_are_copied():
    qrels = {"a": {"d": 1}}
    evaluator = ours.RelevanceEvaluator(qrels, ["map"])
    qrels["a"].clear()
    assert evaluator.evaluate({"a": {"d": 1.0}}) == {"a": {"map": 1.0}}


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("n_ties", [2, 300, 2000])
def test_ties_of_some_documents_are_by_the_bytes_of_their_ids(n_ties, judged_only):
    """Only ids of ties are read: of ASCII, of two to four bytes, and of bytes that are no text,
    whose order is not that of Python's text."""
    rng = random.Random(n_ties)
    starts = "a", "é", "\uffee", "\U00010000", "\udcff"
    names = [rng.choice(starts) + str(i) for i in range(1500)]
    as_bytes = {name: name.encode("utf-8", "surrogateescape") for name in names}
    scores = {name: rng.randrange(1500**2 // n_ties) / 8 for name in names}
    qrels = {"q": {name: rng.choice([0, 1, 2]) for name in rng.sample(names, 700)}}
    in_order = sorted(sorted(names, key=as_bytes.get, reverse=True), key=scores.get, reverse=True)
    ranked = {"q": {name: float(-place) for place, name in enumerate(in_order)}}
    evaluator = ours.RelevanceEvaluator(
        qrels, {"map", "ndcg", "bpref", "P"}, judged_docs_only_flag=judged_only
    )
    found, wanted = evaluator.evaluate({"q": scores}), evaluator.evaluate(ranked)
    assert found["q"] == pytest.approx(wanted["q"], abs=1e-14)


@pytest.mark.parametrize("ties", ["doc_id", "given"])
@pytest.mark.parametrize("judged_only", [False, True])
def test_few_documents_are_ranked_as_many(ties, judged_only):
    """Up to 128 documents are ordered by comparison of all; the rules are those of sorting.  The
    wanted values are those of the same documents with scores that do not tie."""
    rng = random.Random(5)
    starts = "a", "é", "\uffee", "\U00010000", "\udcff"
    measures = {"map", "ndcg", "bpref", "P", "infAP"}
    qrels, run, ranked = {}, {}, {}
    for n_docs in [0, 1, 2, 3, 7, 8, 9, 40, 127, 128, 129] * 4:
        query = f"q{len(run)}"
        names = [rng.choice(starts[: rng.choice([1, 4, 5])]) + str(i) for i in range(n_docs + 5)]
        rng.shuffle(names)
        n_judged = rng.choice([1, n_docs + 5])
        qrels[query] = {name: rng.choice([-1, 0, 1, 2]) for name in names[-n_judged:]}
        scores = {name: rng.randrange(rng.choice([1, 2, 9, 10**9])) for name in names[:n_docs]}
        in_order = list(scores)
        if ties == "doc_id":
            in_order.sort(key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
        in_order.sort(key=lambda name, of=scores: np.float32(of[name]), reverse=True)
        run[query] = scores
        ranked[query] = {name: -place for place, name in enumerate(in_order)}
    evaluator = ours.RelevanceEvaluator(
        qrels, measures, judged_docs_only_flag=judged_only, ties=ties
    )
    assert evaluator.evaluate(run) == evaluator.evaluate(ranked)


def test_values_that_come_again_are_dicts_of_their_own():
    """Dicts are copies of those kept: 5,000 queries with few values, each after others."""
    rng = random.Random(6)
    qrels, run, places = {}, {}, {}
    for query in map(str, range(5000)):
        places[query] = rng.randint(1, 30)
        qrels[query] = {"d": 1}
        run[query] = {("d" if i == places[query] else f"x{i}"): -i for i in range(1, 31)}
    found = ours.RelevanceEvaluator(qrels, ["recip_rank", "P_5", "gm_map"]).evaluate(run)
    for query, place in places.items():
        assert found[query] == {
            "recip_rank": 1 / place,
            "P_5": 0.2 if place <= 5 else 0.0,
            "gm_map": pytest.approx(-math.log(place), abs=1e-15),
        }
    found["0"]["recip_rank"] = 9
    assert sum(values["recip_rank"] == 9 for values in found.values()) == 1


@pytest.mark.parametrize("n_docs", [1, 6, 7, 12, 200])
@pytest.mark.parametrize("ending", ["", "x" * 9, "é" * 3, "x" * 46, "x" * 60, "雪", "\udc80"])
def test_ids_of_any_length_and_alphabet(ending, n_docs):
    """Equal text in objects of their own; names of queries likewise; half of them end otherwise."""
    rng = random.Random(5)
    ids = [f"{name}{ending if name % 2 else ''}" for name in range(2 * n_docs)]
    qrels, run, plain_qrels, plain_run = {}, {}, {}, {}
    for query in range(3):
        name = f"q{query}{ending}"
        judged, retrieved = rng.sample(ids, n_docs), rng.sample(ids, n_docs)
        grades = {doc: rng.randrange(3) for doc in judged}
        scores = {doc: float(rng.randrange(5)) for doc in retrieved}
        qrels["".join(list(name))] = {"".join(list(doc)): grade for doc, grade in grades.items()}
        run[name] = scores
        # ids that fall as the bytes of the others do, for a peer that knows no such bytes
        order = sorted(ids, key=lambda doc: doc.encode("utf-8", "surrogateescape"))
        number = {doc: f"{place:05}" for place, doc in enumerate(order)}
        plain_qrels[name] = {number[doc]: grade for doc, grade in grades.items()}
        plain_run[name] = {number[doc]: score for doc, score in scores.items()}
    measures = ["map", "ndcg", "P_5", "recip_rank"]
    found = ours.RelevanceEvaluator(qrels, measures)
    wanted = ours.RelevanceEvaluator(plain_qrels, measures).evaluate(plain_run)
    assert found.evaluate(run) == pickle.loads(pickle.dumps(found)).evaluate(run) == wanted
    theirs = {"q": next(iter(plain_qrels.values()))}, {"q": next(iter(plain_run.values()))}
    check(
        {"q": found.evaluate(run)[f"q0{ending}"]},
        peer.RelevanceEvaluator(theirs[0], measures).evaluate(theirs[1]),
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("prefs_simp", "unsupported measure 'prefs_simp': judgments of preference are not read"),
        ("P_0", "unsupported measure 'P_0': the cut-off must be a whole number, 1 or more"),
        ("iprec_at_recall_2", "unsupported measure 'iprec_at_recall_2.00': the recall level must"),
    ],
)
def test_messages_have_the_names_of_trec_eval(name, message):
    with pytest.raises(irb.InputError) as error:
        ours.RelevanceEvaluator({"q": {"a": 1}}, {name})
    assert str(error.value).startswith(message)
    with pytest.raises(irb.InputError, match="`relevance_level` must be 0 or more; found -1"):
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}, relevance_level=-1)
