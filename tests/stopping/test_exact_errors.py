"""Errors over all looks, exactly: by enumeration of all orders, and by dynamic programming."""

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import irbounds as irb
from irbounds.samples.bounds import anytime
from tests.reference import anytime as slow_looks
from tests.reference import stopping as slow

ALPHAS = (0.01, 0.05, 0.1, 0.2)
HALF, UNIFORM = anytime.AnytimePrior(0.5, 0.5), anytime.AnytimePrior(1.0, 1.0)
ROUNDING = 1e-12
TARGETS = [Fraction(x) for x in ("1/10", "1/2", "0.8", "0.95", "1")]


def up_to(most, more):
    """Populations of the quick suite, and of the long one."""
    return [most, pytest.param(more, marks=pytest.mark.long)]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("most", up_to(7, 12))
def test_the_truth_is_refused_seldom_enough(alpha, most):
    """In random order, and in the worst one that the assumption admits."""
    largest = 0.0
    for population in range(1, most + 1):
        for relevant in range(population + 1):
            chance = slow.chance_of_refusing(population, relevant, alpha)
            worst = slow.chance_of_refusing(population, relevant, alpha, worst=True)
            assert chance <= worst * (1 + ROUNDING)
            assert worst <= alpha * (1 + ROUNDING)
            largest = max(largest, worst)
    assert largest > 0 or alpha < 1 / most


@pytest.mark.parametrize(
    ("case", "chance", "worst"),
    [
        ((11, 5, 0.2), 0.058442, 0.058983),
        pytest.param((12, 5, 0.5), 0.224747, 0.225589, marks=pytest.mark.long),
        pytest.param((13, 6, 0.5), 0.174825, 0.175748, marks=pytest.mark.long),
    ],
)
def test_the_worst_order_may_be_worse_than_a_random_one(case, chance, worst):
    """In most cases they are equal; in few a relevant document that is certain to come next helps
    to refuse the truth. It stays below alpha, which is all that is claimed."""
    assert slow.chance_of_refusing(*case) == pytest.approx(chance, abs=5e-7)
    assert slow.chance_of_refusing(*case, worst=True) == pytest.approx(worst, abs=5e-7)
    assert worst < case[2]


def of_all_orders(population, alpha):
    """For each total: in which share of its orders the library ever refuses it, and for each target
    in which share it stops below."""
    refused, below, orders = defaultdict(int), defaultdict(int), defaultdict(int)
    for labels in itertools.product((0, 1), repeat=population):
        relevant = sum(labels)
        curve = irb.stopping_curve(labels, population, 1.0, confidence_level=1 - alpha)
        orders[relevant] += 1
        refused[relevant] += bool((curve.total_bound < relevant).any())
        found = np.cumsum(labels)
        for target in TARGETS:
            stops = [
                n
                for n, bound in enumerate(curve.total_bound.tolist())
                if found[n] >= target * bound
            ]
            is_below = bool(stops) and found[stops[0]] < target * relevant
            below[relevant, target] += is_below
    return refused, below, orders


@pytest.mark.parametrize("population", [1, 2, 3, 6, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
def test_all_orders_of_small_collections(population, alpha):
    """The rule as users get it, in every order of all totals, at several targets."""
    refused, below, orders = of_all_orders(population, alpha)
    for relevant, n in orders.items():
        share = refused[relevant] / n
        # the rule claims nothing any more where it refused everything
        assert share <= slow.chance_of_refusing(population, relevant, alpha) + ROUNDING
        assert share <= alpha
        for target in TARGETS:
            assert below[relevant, target] <= refused[relevant]


def test_stops_are_those_of_the_bound():
    labels = [1] * 6 + [0] * 14
    bound = irb.stopping_curve(labels, 30, confidence_level=0.5).total_bound
    found = np.cumsum(labels)
    for target in (*TARGETS[:-1], Fraction(999, 1000)):
        stops = np.flatnonzero(
            [f >= target * b for f, b in zip(found.tolist(), bound.tolist(), strict=True)]
        )
        first = irb.stopping_curve(labels, 30, target, confidence_level=0.5).first_stop
        assert first == (int(stops[0]) + 1 if stops.size else None)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("alpha", "side", "prior"),
    [
        *itertools.product([0.05], ["upper", "lower", "two-sided"], [HALF, UNIFORM]),
        (0.01, "lower", HALF),
        (0.2, "upper", UNIFORM),
    ],
)
@pytest.mark.parametrize("most", up_to(8, 60))
def test_looks_at_all_populations(alpha, side, prior, most):
    """Every yield of every population."""
    worst = 0
    for size in range(1, most + 1):
        low, high = np.zeros((2, size + 1, size + 1))
        for n in range(size + 1):
            x = np.arange(n + 1)
            low[n, : n + 1], high[n, : n + 1] = anytime.count_ends(
                x, n, size, 1 - alpha, side, prior
            )
        for total in range(size + 1):
            error = slow_looks.error_of_all_looks(size, total, low, high)
            assert error <= alpha * (1 + ROUNDING), (size, total)
            worst = max(worst, error)
    assert worst > alpha / 5 or most < 60


def bound_of(sizes, alpha, prior):
    """The lower bound of recall, for all orders of reading."""
    known = {}

    def low(one, other):
        if (one, other) not in known:
            samples = (sizes[0], *one), (sizes[1], *other)
            known[one, other] = anytime.recall_low(*samples, alpha, prior, split=True)
        return known[one, other]

    return low


SMALL_PAIRS = [(1, 1), (1, 2), (2, 1), (2, 3), (3, 2)]
LARGE_PAIRS = [pytest.param(pair, marks=pytest.mark.long) for pair in [(5, 5), (2, 12), (10, 4)]]


@pytest.mark.parametrize("sizes", SMALL_PAIRS + LARGE_PAIRS)
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.2, 0.5])
def test_any_play_with_two_segments(sizes, alpha):
    """The worst choice of the segment of every next document, for all pairs of totals."""
    for prior in (HALF, UNIFORM):
        low = bound_of(sizes, alpha, prior)
        for found in range(1, sizes[0] + 1):
            for missed in range(sizes[1] + 1):
                recall = found / (found + missed) + ROUNDING
                worst = slow_looks.error_of_any_play(
                    sizes, (found, missed), lambda a, b, r=recall, low=low: low(a, b) > r
                )
                assert worst <= Fraction(repr(alpha))
