"""The laboratory of stopping rules: against enumeration of all orders, and against exact laws."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import irbounds as irb
from irbounds.stopping import simulate_review
from irbounds.warnings import OptionalStoppingWarning

INF = math.inf


def all_orders(population, relevant):
    for places in itertools.combinations(range(population), relevant):
        labels = [0] * population
        for place in places:
            labels[place] = 1
        yield labels


def enumerated(method, population, relevant, target, level, every):
    """Share of all orders that stop below the target, mean documents read, mean recall."""
    below, read, recall = Fraction(0), Fraction(0), Fraction(0)
    orders = list(all_orders(population, relevant))
    looks = sorted({*range(every, population + 1, every), population})
    for labels in orders:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptionalStoppingWarning)
            curve = irb.stopping_curve(
                labels, population, target, method, confidence_level=level, looks=looks
            )
        stop = curve.first_stop or population
        found = Fraction(sum(labels[:stop]), relevant)
        below += found < target
        read += Fraction(stop, population)
        recall += found
    return [float(x / len(orders)) for x in (below, read, recall)]


@pytest.mark.parametrize(
    ("population", "relevant", "target", "level", "every"),
    [(9, 3, Fraction(4, 5), 0.5, 1), (9, 4, Fraction(1, 2), 0.8, 2), (8, 8, Fraction(1), 0.9, 3)],
)
def test_all_orders_of_small_collections(population, relevant, target, level, every):
    simulated = simulate_review(
        labels=list(all_orders(population, relevant)), target=target, confidence_level=level,
        every=every, reviews=1, rules=["certified", "buscar"],
    )  # fmt: skip
    for method in ("certified", "buscar"):
        one = simulated[method]
        expected = enumerated(method, population, relevant, target, level, every)
        assert [one.below, one.effort, one.recall] == pytest.approx(expected, rel=1e-12)
    assert simulated.reviews == math.comb(population, relevant)


def orders_drawn(n, rng, **design):
    """Labels of simulated reviews, as a rule of one's own sees them."""
    seen = []
    rules = {"see": lambda labels: seen.append(labels)}
    simulate_review(rules=rules, reviews=n, rng=rng, **design)
    return np.array(seen)


def test_the_order_has_the_odds_of_its_urn(seed):
    # exact chances, step by step; 2,000 reviews have a standard error of at most 0.011
    seen = orders_drawn(2000, seed, population=4, relevant=2, odds=3)
    first = 6 / 8
    assert seen[:, 0].mean() == pytest.approx(first, abs=0.05)
    second = first * 3 / 5 + (1 - first) * 6 / 7
    assert seen[:, 1].mean() == pytest.approx(second, abs=0.05)
    half = orders_drawn(2000, seed, population=4, relevant=2, odds=3, easy=0.5)
    assert half[:, 0].mean() == pytest.approx(4 / 6, abs=0.05)
    easy = orders_drawn(50, seed, population=20, relevant=10, odds=INF, easy=0.7)
    assert (easy[:, :7] == 1).all()
    assert (easy.sum(axis=1) == 10).all()
    assert not (easy[:, 7:10] == 1).all()
    last = orders_drawn(5, seed, population=20, relevant=10, odds=1e-320)
    assert (last[:, 10:] == 1).all()


def test_a_control_sample_misses_its_target_as_often_as_its_law_says(seed):
    relevant, target = 40, 0.8
    simulated = simulate_review(
        100, relevant, odds=INF, target=target, rules="control sample", reviews=1500, rng=seed
    )
    # the 14th of 14 control documents among 40: below 32 found if all lie in the first 31
    exact = stats.hypergeom(relevant, 31, 14).sf(13)
    assert exact < 0.05
    # a standard error of 0.005
    assert simulated["control sample"].below == pytest.approx(exact, abs=0.022)
    assert simulated.least_effort == pytest.approx(0.32)


def test_rules_of_one_s_own_stop_at_looks():
    labels = [1, 0, 0, 1, 0, 0, 0]
    rules = {"first": lambda _: 1, "never": lambda _: None, "at once": lambda _: 0,
             "ours": "certified"}  # fmt: skip
    simulated = simulate_review(labels=labels, rules=rules, every=2, reviews=2, target=0.9)
    assert simulated.rules == ("first", "never", "at once", "ours")
    first, never, once, _ = simulated.outcomes
    assert (first.effort, first.recall, first.below) == (pytest.approx(2 / 7), 0.5, 1)
    assert (never.effort, never.recall, never.never) == (1, 1, 1)
    assert (once.effort, once.recall) == (0, 0)
    assert simulated.least_effort == pytest.approx(4 / 7)
    assert (simulated.population, simulated.relevant, simulated.reviews) == (7, 2, 2)
    with pytest.raises(KeyError, match="was not simulated; there are first, never"):
        simulated["buscar"]


def test_nothing_everything_and_one_document():
    for population, relevant in ((1, 0), (1, 1), (30, 0), (30, 30)):
        simulated = simulate_review(population, relevant, reviews=5, rng=1)
        for one in simulated.outcomes:
            assert one.below == 0 or one.rule == "50 in a row"
            assert 0 <= one.effort <= 1
            assert one.recall >= 0.95
    whole = simulate_review(30, 10, target=1, reviews=3, rng=1)
    assert whole["control sample"].effort == 1
    assert all(one.below == 0 for one in whole.outcomes[:3])


def test_numbers_are_shown_with_their_intervals():
    simulated = simulate_review(200, 20, reviews=40, rng=3, rules=["buscar", "certified"])
    buscar = simulated["buscar"]
    interval = irb.binomial_interval(round(buscar.below * 40), 40, method="clopper-pearson")
    assert (buscar.below_low, buscar.below_high) == (interval.low, interval.high)
    assert f"{buscar.effort:.3f}" in repr(simulated)
    assert simulated.to_dict()["outcomes"][0]["rule"] == "buscar"
    assert simulated.to_frame()["rule"].tolist() == ["buscar", "certified"]
    again = simulate_review(200, 20, reviews=40, rng=3, rules=["buscar", "certified"])
    assert again == simulated


def test_the_outcome_of_a_rule_does_not_depend_on_the_other_rules():
    together = simulate_review(60, 20, target=0.8, reviews=10, rng=4)
    for rule in reversed(together.rules):
        alone = simulate_review(60, 20, target=0.8, reviews=10, rng=4, rules=rule)
        assert alone[rule] == together[rule]
        assert alone.least_effort == together.least_effort


@pytest.mark.nightly
@pytest.mark.long
def test_the_certified_rule_keeps_its_level_wherever_its_assumption_holds(seed):
    # more than 0.08 of 400 would be seen in fewer than 1 of 200 runs at a true share of 0.05
    for design in ({}, {"odds": 5}, {"odds": INF, "easy": 0.7}, {"odds": 3, "easy": 0.5}):
        simulated = simulate_review(500, 50, target=0.8, reviews=400, rng=seed, **design)
        assert simulated["certified"].below <= 0.08
        assert simulated["half at random"].below <= 0.08
    # an order that puts relevant documents last: only random draws are safe
    worst = simulate_review(500, 50, target=0.8, odds=0.02, reviews=400, rng=seed)
    assert worst["half at random"].below <= 0.08
    assert worst["certified"].below > 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give `population` and `relevant`, or `labels`"),
        ({"population": 5, "relevant": 6}, "`relevant` must be at most `population`, 5"),
        ({"population": 0, "relevant": 0}, "`population` must be a whole number, 1 or more"),
        ({"population": 10**9, "relevant": 1}, "`population` must be at most 10,000,000"),
        ({"population": 5, "relevant": 2, "odds": 0}, "`odds` must be above 0"),
        ({"labels": [1, 0], "odds": 2}, "give neither sizes nor odds"),
        ({"labels": [1, 2]}, "`labels` must be 0 or 1; found 2 at index 1"),
        ({"labels": []}, "`labels` must hold a document"),
        ({"population": 5, "relevant": 2, "rules": ["x"]}, "`rules` must be one of"),
        ({"population": 5, "relevant": 2, "rules": []}, "`rules` must hold a rule"),
        ({"population": 5, "relevant": 2, "rules": 5}, "`rules` must be a list of names"),
        ({"labels": [1], "rules": {"a": lambda _: 2}}, "must return at most the 1 documents"),
    ],
)
def test_hostile_input_is_one_line(options, message):
    with pytest.raises(irb.InputError) as raised:
        simulate_review(**options)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_control_sample_is_enough_for_a_target_near_one():
    """Such a rule reads all; it does not end the simulation."""
    rules = ["control sample", "certified"]
    simulated = simulate_review(100, 20, target=1 - 1e-9, reviews=3, rules=rules, rng=1)
    assert simulated["control sample"].effort == simulated["control sample"].recall == 1
