"""Measures whose ties are searched: the highest precision, lattices of grades, ends of a cut."""

import numpy as np
import pytest
from rankings.test_ties_expected import flat
from reference import trec_measures, user_models  # noqa: F401  enter their measures
from reference.highest_precision import expected_highest_precision
from reference.orders_of_kinds import (
    cost_discounted_gain,
    end_of_cut,
    inferred_precision,
    over_paths,
    player,
)
from sizes import nightly

import irbounds as irb
from irbounds.adapters.pytrec_eval import RelevanceEvaluator
from irbounds.rankings.evaluating.rank_counts import Tallies, TallyEvaluator


def tied(ranks):
    """Scores and grades of ranks (documents, relevant ones)."""
    scores = np.repeat(-np.arange(len(ranks), dtype=float), [size for size, _ in ranks])
    grades = np.concatenate([np.arange(size) < relevant for size, relevant in ranks])
    return scores, grades.astype(float)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("ranks", "n_relevant"),
    [
        ([(30, 4)], 4),
        ([(40, 3), (25, 8)], 15),
        ([(3, 0), (70, 2), (2, 1), (2, 1)], 5),
        pytest.param([(120, 12)], 12, marks=pytest.mark.long),
        nightly(([(80, 30)], 31)),
    ],
)
def test_interpolated_precision_counts_lattice_paths(ranks, n_relevant):
    levels = [0, 0.1, 0.3, 0.5, 0.8, 1]
    scores, grades = tied(ranks)
    names = [f"IPrec@{level}" for level in levels] + ["IPrec11(levels=[0,0.1,0.3,0.5,0.8,1])"]
    found = irb.rank_measures(scores, grades, names, n_relevant=n_relevant).values[0]
    wanted = [
        float(expected_highest_precision(ranks, int(level * n_relevant + 0.9))) for level in levels
    ]
    assert found[:-1] == pytest.approx(wanted, rel=1e-13)
    assert found[-1] == pytest.approx(np.mean(wanted), rel=1e-13)


def test_interpolated_precision_of_many_ties():
    """20,000 ties of two: the search ends where some tie surely exceeds what is left."""
    ranks = [(2, 1)] * 20_000
    scores, grades = tied(ranks)
    found = irb.rank_measures(scores, grades, "IPrec@0 IPrec@0.9").values[0]
    assert found[0] == pytest.approx(float(expected_highest_precision(ranks[:40], 0)), abs=1e-12)
    assert 0.5 < found[1] < 0.5 + 1 / 36_000


@pytest.mark.long
def test_ties_with_too_many_orders_are_refused():
    scores, grades = tied([(10**6, 1000)])
    message = (
        r"^IPrec@0\.5: the ties are too large for the exact expectation: choose ties='best', "
        r"'worst', 'doc_id' or 'given' \(query 0\)$"
    )
    with pytest.raises(irb.InputError, match=message):
        irb.rank_measures(scores, grades, "IPrec@0.5")


RANKED = [[1, 0, -1], [2] * 3 + [1] * 4 + [0] * 3 + [-0.5] * 2 + [-1] * 19, [3, 2, 0, -1, -1]]
UNRETRIEVED = [3, 1, 0]


def check_ends(name, ranks, reward, unretrieved=UNRETRIEVED):
    """The mean and both ends, against paths through counts of grades."""
    scores, grades = flat(ranks)
    found = irb.rank_measures(scores, grades, name, unretrieved=unretrieved, bounds=True)
    for value, pick in ((found.values, None), (found.low, min), (found.high, max)):
        wanted = float(over_paths(ranks, reward, pick))
        assert value[0, 0] == pytest.approx(wanted, rel=1e-13), pick


@pytest.mark.parametrize("name", ["G", pytest.param("infAP", marks=pytest.mark.long)])
def test_large_ties_of_kinds_of_documents(name):
    judged = [grade for rank in [*RANKED, UNRETRIEVED] for grade in rank if grade >= 0]
    rewards = {"G": cost_discounted_gain, "infAP": inferred_precision}
    check_ends(name, RANKED, rewards[name](judged))


@pytest.mark.parametrize(("cutoff", "target"), [(2, 1), (9, 3), (34, 30), (60, 30), (5, 0.25)])
def test_large_ties_where_a_player_stops(cutoff, target):
    ranks = [[max(0, grade) for grade in rank] for rank in RANKED]
    ranks.append([0] * 30)  # behind the last gain
    name = f"BPM(T={float(target)},max_rel=3)@{cutoff}"
    check_ends(name, ranks, player(cutoff, target, 3))


@pytest.mark.parametrize("cutoff", [1, 3, 4, 10, 20, 34, 39, 60])
@pytest.mark.parametrize("name", ["APRet", "Accuracy"])
def test_ends_of_large_ties_at_a_cut(name, cutoff):
    scores, grades = flat(RANKED)
    found = irb.rank_measures(scores, grades, f"{name}@{cutoff}", bounds=True)
    for value, pick in ((found.low, min), (found.high, max)):
        wanted = float(end_of_cut(name, RANKED, cutoff, pick))
        assert value[0, 0] == pytest.approx(wanted, rel=1e-13)


def test_sums_near_the_target_stop_a_player_once():
    """Ten gains of 0.1 are 1 or a digit less, by the order in which they are added."""
    grades = [0.1] * 7 + [0.2] * 3 + [0.3] * 2
    found = irb.rank_measures(np.zeros(12), grades, "BPM(max_rel=1)@12", bounds=True)
    assert found.low[0, 0] <= found.values[0, 0] <= found.high[0, 0]
    assert found.values[0, 0] == pytest.approx(0.157, abs=0.01)


@pytest.mark.parametrize("name", ["G", "infAP", "BPM(T=100,max_rel=30)@900"])
def test_too_many_kinds_or_documents_are_refused(name):
    grades = np.tile([-1, -0.5, 0, *range(1, 31)], 30)
    scores = np.zeros(len(grades))
    for ties, what in (("expected", "exact expectation"), ("best", "best and worst order")):
        if (name, ties) == ("infAP", "expected"):
            continue
        with pytest.raises(irb.InputError, match=f"the ties are too large for the {what}"):
            irb.rank_measures(scores, grades, name, ties=ties)
    message = "best and worst order: choose ties='doc_id' or 'given', without bounds"
    with pytest.raises(irb.InputError, match=message):
        irb.rank_measures(scores, grades, name, bounds=True)


def test_every_way_to_evaluate_refuses_too_large_ties_in_one_line():
    qrels = {"q": {f"d{i}": i % 25 for i in range(1500)}}
    run = {"q": dict.fromkeys(qrels["q"], 1.0)}
    message = "run: G: the ties are too large for the exact expectation: choose ties='doc_id' or "
    message += "'given' (query 'q')"
    ranked = Tallies(np.array([0, 25]), np.arange(25.0), np.full(25, 60))
    for evaluate in (
        lambda: irb.evaluate(qrels, run, "G"),
        lambda: RelevanceEvaluator(qrels, {"G"}, ties="expected").evaluate(run),
        lambda: TallyEvaluator("G").evaluate(["q"], np.zeros(25), ranked, ranked),
    ):
        with pytest.raises(irb.InputError) as caught:
            evaluate()
        assert str(caught.value) == message
    assert 0 < irb.evaluate(qrels, run, "G", ties="given").values[0, 0] < 1


def test_sets_of_trec_eval_have_an_exact_mean():
    qrels = {"q": {"a": 1, "b": 0, "c": 2}}
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}}
    found = irb.evaluate(qrels, run, "official all_trec")
    assert np.isfinite(found.values).all()
    evaluator = RelevanceEvaluator(qrels, {"official", "all_trec"}, ties="expected")
    assert evaluator.evaluate(run)["q"]["iprec_at_recall_0.00"] == 19 / 24
