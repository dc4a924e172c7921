"""Intervals on sums of documents with unequal weights."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sizes import long

import irbounds as irb
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import by_draws, by_moments, sum_moments


def moments_by_urn(weights, levels, alphas):
    """Mean, variance and third central moment over all gains, each drawn by Pólya's urn."""
    law = []
    for gains in itertools.product(range(len(levels)), repeat=len(weights)):
        chance, urn = Fraction(1), list(alphas)
        for gain in gains:
            chance *= urn[gain] / sum(urn)
            urn[gain] += 1
        law.append((chance, sum(w * levels[g] for w, g in zip(weights, gains, strict=True))))
    mean = sum(p * x for p, x in law)
    return mean, *(sum(p * (x - mean) ** k for p, x in law) for k in (2, 3))


@pytest.mark.parametrize(
    ("weights", "levels", "alphas"),
    [
        ([1, 1, 1], [0, 1], ["1/2", "1/2"]),
        ([8, 4, 2, 1], [0, 1], ["13/2", "1/2"]),
        ([-5, -3, -1], [0, 1, 3], ["1/3", "4/3", "7/3"]),
        ([3, 2], [0, 1, 2, 7], ["1/4", "5/4", "1/4", "9/4"]),
    ],
)
def test_moments_by_enumeration(weights, levels, alphas):
    wanted = moments_by_urn(weights, levels, list(map(Fraction, alphas)))
    found = sum_moments(
        tuple(np.array([sum(w**k for w in weights)], float) for k in (1, 2, 3)),
        np.array(levels, float),
        np.array([[float(Fraction(each)) for each in alphas]]),
    )
    assert tuple(map(float, found)) == pytest.approx([float(each) for each in wanted], rel=1e-12)


def population(weight, grade, label):
    pairs = [("q", f"d{i}") for i in range(len(weight))]
    return Population(pairs, weight, grade, (grade > 0) * 1.0, label, 1, 0, 1.0)


@pytest.mark.parametrize("share", [0.8, long(0.95)])
def test_ends_by_moments_are_those_of_draws(share):
    rng = np.random.default_rng(5)
    weight = np.tile(0.5 ** np.arange(1, 11), 25) / 25
    label = (rng.random(250) < share) * 1.0
    label[rng.permutation(250)[40:]] = np.nan
    p = population(weight, rng.integers(0, 4, 250) * 1.0, label)
    for alpha in (0.025, 0.1):
        found, (wanted, drawn) = by_moments(p, alpha), by_draws(p, alpha, 40_000, rng)
        assert found[1:] == pytest.approx(wanted[1:], abs=0.06 * drawn.std())


def test_ends_by_moments_where_nothing_is_open():
    weight = np.array([0.5, 0.25])
    assert by_moments(population(weight, np.zeros(2), np.ones(2)), 0.025) == (0.75, 0.75, 0.75)
    low, mean, high = sorted(
        by_moments(population(weight, np.zeros(2), np.array([1, np.nan])), 0.4)
    )
    assert 0.5 <= low <= mean <= high <= 0.75


@pytest.mark.nightly
@pytest.mark.long
def test_coverage_where_few_documents_have_most_of_the_weight():
    """RBP(p=0.5)@10 of 25 queries, 40 labels: a sample without the few heavy documents that are
    not relevant has a high estimate and a small variance."""
    rng, hits = np.random.default_rng(11), dict.fromkeys(("model-assisted", None), 0)
    truth = {f"q{i}": {f"d{j}": int(rng.random() < 0.88) for j in range(10)} for i in range(25)}
    run = {query: {doc: -int(doc[1:]) for doc in docs} for query, docs in truth.items()}
    judge = {
        query: {doc: int(rng.integers(0, 2 + label)) for doc, label in docs.items()}
        for query, docs in truth.items()
    }
    measure, samples = "RBP(p=0.5)@10", 150
    value = float(irb.evaluate(truth, run, measure).values.mean())
    for seed in range(samples):
        plan = irb.allocate_labels(judge, run, measure, n=40, rng=seed)
        human = {}
        for query, doc in plan.pairs:
            human.setdefault(query, {})[doc] = truth[query][doc]
        for method in hits:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", irb.warnings.AssistedWarning)
                found = irb.assisted_interval(human, judge, run, measure, method=method)
            hits[method] += found.low <= value <= found.high
            assert found.method.startswith("model-assisted")
    assert hits["model-assisted"] < 0.92 * samples
    assert hits[None] >= 0.94 * samples
