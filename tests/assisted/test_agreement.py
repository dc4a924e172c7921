"""Agreement of a judge with people, from simple and stratified labels."""

from collections import Counter

import numpy as np
import pytest
from reference import agreement as twin

import irbounds as irb
from irbounds.assisted.judge_table import KINDS, JudgeTable

DISTANCES = {
    None: lambda i, j: int(i != j),
    "linear": lambda i, j: abs(i - j),
    "quadratic": lambda i, j: (i - j) ** 2,
}


def labels(grades, kept=None):
    """One query; of all documents, or of those that are kept."""
    rows = enumerate(np.asarray(grades).tolist())
    return {"q": {f"d{i}": grade for i, grade in rows if kept is None or kept[i]}}


@pytest.mark.parametrize("weights", DISTANCES)
@pytest.mark.parametrize("kind", KINDS)
def test_everything_labelled_is_the_definition(kind, weights):
    if weights and kind not in ("kappa", "alpha"):
        pytest.skip("all disagreements count alike")
    rng = np.random.default_rng(3)
    judge = rng.integers(0, 4 if kind in ("kappa", "alpha", "accuracy") else 2, 60)
    human = np.where(rng.random(60) < 0.6, judge, rng.permutation(judge))
    found = irb.assisted.agreement(labels(human), labels(judge), kind, weights=weights, size=60)
    table = Counter(zip(human.tolist(), judge.tolist(), strict=True))
    wanted = twin.measure(kind, table, DISTANCES[weights])
    assert (found.estimate, found.low, found.high) == pytest.approx([float(wanted)] * 3, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "cells", [[(0, 90, 30, 2), (1, 60, 30, 25)], [(0, 70, 20, 8), (1, 70, 20, 11)]]
)
def test_ends_of_the_posterior_by_enumeration(kind, cells):
    """Gamma laws by three moments, and for alpha a linear expectation: the tails beyond ends of
    0.05 are right within 0.01, but for the jump of one count."""
    table = JudgeTable(
        np.array([0.0, 1.0]),
        np.array([judge for judge, *_ in cells]),
        np.array([float(size) for _, size, _, _ in cells]),
        np.array([[n - x, x] for _, _, n, x in cells], float),
    )
    law = twin.posterior(kind, cells)
    sides = np.array([[0.95], [0.05]])
    d, e = table._losses(kind, None)
    ends = table._posterior(d[None], e[None], sides, np.array([-1.0])).ravel()
    for end, sign in zip(ends, (1, -1), strict=True):
        least, most = (
            sum(p for x, p in law if sign * (float(x) - end) < by) for by in (-0.012, 0.012)
        )
        assert least - 0.01 <= 0.05 <= most + 0.01


def test_plain_kappa_of_a_stratified_sample_is_biased():
    """5 % of 4,000 pairs relevant, sensitivity 0.9, specificity 0.97, 100 labels of each grade."""
    rng = np.random.default_rng(8)
    truth = (np.arange(4000) < 200).astype(int)
    judge = np.where(truth, rng.random(4000) < 0.9, rng.random(4000) > 0.97).astype(int)
    wanted = irb.assisted.agreement(labels(truth), labels(judge), size=4000).estimate
    found, plain = [], []
    for _ in range(40):
        kept = np.zeros(4000, bool)
        for grade in (0, 1):
            kept[rng.choice(np.flatnonzero(judge == grade), 100, replace=False)] = True
        sample = labels(truth, kept)
        found.append(irb.assisted.agreement(sample, labels(judge)).estimate)
        plain.append(irb.assisted.agreement(sample, labels(judge, kept), size=4000).estimate)
    assert np.mean(found) == pytest.approx(wanted, abs=0.03)
    assert np.mean(plain) > wanted + 0.1 or np.mean(plain) < wanted - 0.05


def test_assist_shows_agreement_on_what_counts():
    rng = np.random.default_rng(2)
    judge = {f"q{i}": {f"d{j}": int(rng.integers(4)) for j in range(12)} for i in range(10)}
    run = {q: {doc: -int(doc[1:]) for doc in docs} for q, docs in judge.items()}
    plan = irb.allocate_labels(judge, run, "P(rel=2)@10", n=40, rng=1)
    human = {}
    for query, doc in plan.pairs:
        grade = judge[query][doc]
        human.setdefault(query, {})[doc] = max(0, grade - int(rng.random() < 0.3))
    found = irb.assisted_interval(human, judge, run, "P(rel=2)@10")
    assert list(found.agreement) == list(KINDS)
    for kind, ends in found.agreement.items():
        own = irb.assisted.agreement(human, judge, kind, rel=2, runs=run, measure="P(rel=2)@10")
        assert ends == pytest.approx((own.estimate, own.low, own.high))
    assert found.to_dict()["agreement"]["kappa"] == list(found.agreement["kappa"])
    assert irb.assisted_interval(human, [judge, judge], run, "P(rel=2)@10").agreement == {}


def test_another_judge_on_labels_drawn_by_the_first():
    rng = np.random.default_rng(4)
    truth = (rng.random(2000) < 0.1).astype(int)
    first, second = (np.where(rng.random(2000) < 0.9, truth, 1 - truth) for _ in range(2))
    kept = np.zeros(2000, bool)
    for grade in (0, 1):
        kept[rng.choice(np.flatnonzero(first == grade), 100, replace=False)] = True
    wanted = irb.assisted.agreement(labels(truth), labels(second), size=2000).estimate
    found = irb.assisted.agreement(labels(truth, kept), labels(second), drawn_by=labels(first))
    assert found.low <= wanted <= found.high


def test_scores_of_a_judge_and_the_grades_from_which_pairs_are_relevant():
    rng = np.random.default_rng(5)
    score = rng.random(400)
    truth = (score + 0.2 * rng.standard_normal(400) > 0.8).astype(int)
    kept = np.arange(400) % 4 == 0
    with pytest.raises(irb.InputError, match="`judge` has scores, and no grade"):
        irb.assisted.agreement(labels(truth, kept), labels(score))
    found = irb.assisted.agreement(labels(truth, kept), labels(score), judge_rel=0.8)
    wanted = irb.assisted.agreement(labels(truth), labels((score >= 0.8) * 1), size=400)
    assert found.low <= wanted.estimate <= found.high


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"kind": "tau"}, "kind"),
        ({"weights": "cubic"}, "weights"),
        ({"kind": "accuracy", "weights": "linear"}, "`weights` is for kind 'kappa' and 'alpha'"),
        ({"judge": [labels([0, 1, 1]), labels([1, 1, 0])]}, "`judge` must be one judge; found 2"),
        ({"human": labels([1])}, "at least 2 labels"),
        ({"size": 9}, "`size` is for labels of all pairs of the judge"),
        ({"human": labels([0, 1, 1]), "size": 2}, "`size` must be a whole number, 3 or more"),
        ({"judge": None}, "`human` must be a square table of counts"),
        ({"human": [[1, 2, 3], [4, 5, 6]], "judge": None}, "must be a square table"),
        ({"human": [[1, 0.5], [4, 5]], "judge": None}, "must be a square table"),
        ({"human": [[1, -1], [4, 5]], "judge": None}, "must be a square table"),
        ({"human": np.eye(3), "judge": None, "kind": "sensitivity"}, "requires two classes"),
        ({"human": np.eye(2), "judge": None, "rel": 1}, "`rel` requires `judge`"),
        ({"human": {"q": {"e": 1}}}, "pairs that the judge graded"),
        ({"drawn_by": labels([0, 1])}, "`drawn_by` must grade all pairs"),
    ],
)
def test_what_is_refused(more, said):
    arguments = {"human": labels([0, 1]), "judge": labels([0, 1, 1])} | more
    with pytest.raises(irb.InputError, match=said):
        irb.assisted.agreement(**arguments)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["kappa", "alpha", "sensitivity"])
def test_coverage_with_unequal_rates(kind):
    """1,500 pairs, 8 % relevant, 80 labels, half of each of the judge's classes."""
    rng = np.random.default_rng(7)
    truth = (np.arange(1500) < 120).astype(int)
    judge = np.where(truth, rng.random(1500) < 0.75, rng.random(1500) > 0.96).astype(int)
    wanted = irb.assisted.agreement(labels(truth), labels(judge), kind, rel=1, size=1500).estimate
    hits = 0
    for _ in range(400):
        kept = np.zeros(1500, bool)
        for grade in (0, 1):
            kept[rng.choice(np.flatnonzero(judge == grade), 40, replace=False)] = True
        low, high = irb.assisted.agreement(labels(truth, kept), labels(judge), kind, rel=1)
        hits += low <= wanted <= high
    assert hits / 400 > 0.92  # the level 0.95, less 2.8 errors


def test_scores_of_a_judge_need_a_bar():
    """Scores and grades share no value: the nominal κ would be 0 in silence."""
    human = {"q": {"a": 1, "b": 0, "c": 2}}
    judge = {"q": {"a": 0.9, "b": 0.2, "c": 0.7}}
    with pytest.raises(irb.InputError, match=r"`judge` has scores, .* rel= and judge_rel="):
        irb.assisted.agreement(human, judge)
    assert irb.assisted.agreement(human, judge, rel=1, judge_rel=0.5, size=3).estimate == 1


# Two reviewers of the same sample
# ----------------------------------------------------------------------------------------

CODED = [[390, 10], [12, 88]]


def test_two_reviewers_of_a_sample_are_not_taken_as_everything():
    people = np.repeat([0, 0, 1, 1], [390, 10, 12, 88])
    other = np.repeat([0, 1, 0, 1], [390, 10, 12, 88])
    with pytest.warns(irb.warnings.AssistedWarning, match="people labelled all 500 pairs"):
        found = irb.assisted.agreement(labels(people), labels(other))
    assert found.method == "sample"
    assert repr(found) == repr(irb.assisted.agreement(CODED))
    some = irb.assisted.agreement(labels(people), labels(other), size=1000)
    assert found.low < some.low < some.estimate < some.high < found.high
    whole = irb.assisted.agreement(labels(people), labels(other), size=500)
    assert whole.low == pytest.approx(whole.high)


@pytest.mark.parametrize("weights", DISTANCES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_estimate_from_counts_is_the_definition(kind, weights):
    table = CODED if kind in KINDS[3:] else [[50, 6, 1], [4, 30, 5], [0, 3, 20]]
    if weights and kind not in ("kappa", "alpha"):
        pytest.skip("all disagreements count alike")
    found = irb.assisted.agreement(table, kind=kind, weights=weights)
    cells = {(i, j): n for i, row in enumerate(table) for j, n in enumerate(row)}
    assert found.estimate == pytest.approx(float(twin.measure(kind, cells, DISTANCES[weights])))
    assert found.low < found.estimate < found.high


def test_ends_of_kappa_are_about_those_of_its_standard_error():
    """Fleiss, Cohen & Everitt (1969): the variance of kappa in large samples."""
    p = np.array(CODED) / 500
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    by_chance = rows @ columns
    kappa = (np.trace(p) - by_chance) / (1 - by_chance)
    agreed = sum(p[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in (0, 1))
    other = sum(p[i, 1 - i] * (columns[i] + rows[1 - i]) ** 2 for i in (0, 1)) * (1 - kappa) ** 2
    variance = agreed + other - (kappa - by_chance * (1 - kappa)) ** 2
    half = 1.96 * (variance / 500) ** 0.5 / (1 - by_chance)
    found = irb.assisted.agreement(CODED)
    assert kappa == pytest.approx(found.estimate)
    assert found.low <= kappa - half
    assert found.high >= kappa + half
    assert found.high - found.low == pytest.approx(2 * half, rel=0.1)


@pytest.mark.parametrize("table", [[[30, 0], [0, 10]], [[30, 0], [0, 0]], [[0, 3], [2, 0]]])
def test_counts_on_an_edge_have_an_interval(table):
    found = irb.assisted.agreement(table)
    assert -1 <= found.low < found.high <= 1
    assert (found.high == 1) == (table[0][1] == 0)
    assert np.isnan(found.estimate) == (sum(map(bool, np.ravel(table))) == 1)
    assert np.isnan(irb.assisted.agreement([[30, 0], [0, 0]], size=30).estimate)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "cells"), [(100, (0.78, 0.02, 0.03, 0.17)), (500, (0.93, 0.01, 0.02, 0.04))]
)
def test_coverage_of_two_reviewers(kind, n, cells, seed):
    """Another seed fails about once in 1,000: 3 standard errors below 93.5 %."""
    places = ((0, 0), (0, 1), (1, 0), (1, 1))
    whole = {place: round(1e9 * share) for place, share in zip(places, cells, strict=True)}
    truth = float(twin.measure(kind, whole))
    rng = np.random.default_rng(seed)
    samples = rng.multinomial(n, cells, 1000).reshape(-1, 2, 2)
    found = [irb.assisted.agreement(sample, kind=kind) for sample in samples]
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert covered >= 0.935 - 3 * 0.0078
