"""The posterior of weighted sums with more different weights, or gains, than it draws apart."""

from dataclasses import replace

import numpy as np
import pytest

import irbounds as irb
from irbounds.assisted.population import Population
from irbounds.assisted.weighted_sums import (
    MANY_LEVELS,
    MOST_WEIGHTS,
    by_draws,
    gain_levels,
    joined_weights,
)


def population(weight, grade, judged, label):
    """Pairs of one query."""
    pairs = [("q", f"d{i}") for i in range(len(weight))]
    return Population(pairs, weight, grade, judged, label, 1, 0, 1.0)


WEIGHTS = {
    "dcg": 1 / np.log2(np.arange(2, 1002)),
    "rbp": 0.05 * 0.95 ** np.arange(500),
    "skewed": np.exp(-20 * np.random.default_rng(1).random(5000)),
    "below 0": -np.random.default_rng(2).random(5000),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_joined_weights_keep_counts_sums_and_nearly_squares(name):
    weights = WEIGHTS[name]
    joined, counts = joined_weights(weights)
    assert joined.size <= MOST_WEIGHTS
    assert counts.sum() == weights.size
    assert joined @ counts == pytest.approx(weights.sum(), rel=1e-9)
    assert joined**2 @ counts == pytest.approx(float(weights @ weights), rel=2e-3)


def test_few_weights_stay_apart():
    weights = np.repeat(np.arange(1, MOST_WEIGHTS + 1) / 100, 3)
    joined, counts = joined_weights(weights)
    assert joined == pytest.approx(np.arange(1, MOST_WEIGHTS + 1) / 100)
    assert (counts == 3).all()


@pytest.mark.long
def test_moments_of_draws_with_1000_weights():
    rng = np.random.default_rng(5)
    weight = WEIGHTS["dcg"]
    grade = rng.integers(0, 2, weight.size).astype(float)
    label = np.full(weight.size, np.nan)
    for i in rng.choice(weight.size, 60, replace=False):
        label[i] = float(rng.random() < 0.2 + 0.5 * grade[i])
    ends, drawn = by_draws(population(weight, grade, grade, label), 0.025, 40_000, rng)
    mean = variance = 0.0
    for each in (0.0, 1.0):
        here, seen = weight[(grade == each) & np.isnan(label)], label[grade == each]
        a = 0.5 + np.nansum(seen)
        n = 1 + np.count_nonzero(~np.isnan(seen))
        share = a / n
        spread = share * (1 - share) / (n + 1)  # of the share
        mean += here.sum() * share
        variance += here.sum() ** 2 * spread + here @ here * (share * (1 - share) - spread)
    known = np.nansum(weight * label)
    assert ends.estimate == pytest.approx(known + mean, rel=1e-9)
    assert abs(drawn.mean() - known - mean) < 5 * (variance / 40_000) ** 0.5
    assert drawn.var() == pytest.approx(variance, rel=0.05)


def test_a_judge_of_scores_adds_no_gains():
    rng = np.random.default_rng(3)
    judged = rng.random(400)
    label = np.full(400, np.nan)
    label[:6] = [0, 1, 2, 2, 3, 0]
    weight = np.full(400, 1 / 400)
    assert gain_levels(population(weight, judged, judged, label)).tolist() == [0, 1, 2, 3]
    few = np.repeat(np.arange(MANY_LEVELS), 20)[:400].astype(float)
    on_scale = replace(population(weight, few, few, label), most_gain=few.max())
    assert set(gain_levels(on_scale)) == set(few) | {0, 1, 2, 3}
    # beyond people's scale, and means of judges
    of_people = replace(on_scale, judged=few / 3, most_gain=5.0)
    assert gain_levels(of_people).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.long
def test_a_judge_of_scores_takes_little_memory():
    n = 20_000
    rng = np.random.default_rng(4)
    judge = {"q": {f"d{i}": 3 * float(x) for i, x in enumerate(rng.random(n))}}
    human = {"q": {f"d{i}": int(rng.integers(0, 4)) for i in range(0, n, 400)}}
    run = {"q": {f"d{i}": float(-i) for i in range(n)}}
    found = irb.assisted_interval(
        human, judge, run, f"DCG@{n}", method="posterior", draws=2000, rng=1
    )
    assert 0 < found.low < found.estimate < found.high
