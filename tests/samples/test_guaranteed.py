"""The guaranteed bounds cover in every review: exhaustively, one and several strata (issue 15)."""

from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from sizes import every

import irbounds as irb

HALF = {"method": "betabinom-half"}


def outcomes(strata):
    """All samples, as one array of relevant counts for each stratum."""
    grids = np.meshgrid(*(np.arange(sampled + 1) for _, sampled in strata), indexing="ij")
    return [grid.ravel() for grid in grids]


def chances(strata, found, relevant):
    """The probability of each sample, given how many documents of each stratum are relevant."""
    joint = np.ones(found[0].size)
    for (size, sampled), counts, big in zip(strata, found, relevant, strict=True):
        joint = joint * pmf(size, sampled, big)[counts]
    return joint


@cache
def pmf(size, sampled, big):
    ways = [comb(big, k) * comb(size - big, sampled - k) for k in range(sampled + 1)]
    return np.array(ways) / comb(size, sampled)


def least_coverage(retrieved, unretrieved, side, level):
    strata, n1 = [*retrieved, *unretrieved], len(retrieved)
    found = outcomes(strata)
    filled = [
        irb.Stratum(size, sampled, counts)
        for (size, sampled), counts in zip(strata, found, strict=True)
    ]
    ends = irb.recall_interval(
        filled[:n1], filled[n1:], method="guaranteed", side=side, confidence_level=level
    )
    least = 1.0
    for relevant in product(*(range(size + 1) for size, _ in strata)):
        if any(relevant):
            recall = sum(relevant[:n1]) / sum(relevant)
            held = (ends.low <= recall + 1e-12) & (ends.high >= recall - 1e-12)
            least = min(least, chances(strata, found, relevant)[held].sum())
    return least


ONE = [
    ([(12, 5)], [(25, 8)]),
    ([(7, 7)], [(20, 6)]),
    ([(30, 3)], [(9, 4)]),
    ([(10, 1)], [(14, 2)]),
    ([(16, 9)], [(10, 10)]),
    ([(22, 11)], [(22, 11)]),
]
SEVERAL = [
    ([(6, 3)], [(8, 4), (6, 3)]),
    ([(5, 2), (4, 2)], [(8, 3)]),
    ([(4, 2), (4, 2)], [(5, 2), (5, 3)]),
    ([(6, 5)], [(9, 1), (5, 4)]),
    ([(5, 2)], [(6, 2), (4, 4), (3, 1)]),
    ([(3, 1), (3, 3), (4, 2)], [(6, 3)]),
    ([(5, 3)], [(6, 0), (6, 3)]),
]


# each design has 6 cases: such steps meet all designs, and all pairs of side and level
PAIRS = list(product([0.5, 0.95], ["lower", "upper", "two-sided"]))
CASES = every(5, product(ONE, PAIRS)) + every(11, product(SEVERAL, PAIRS))


@pytest.mark.parametrize(("design", "pair"), CASES)
def test_coverage_is_never_below_the_level(design, pair):
    level, side = pair
    assert least_coverage(*design, side, level) >= level - 1e-9


def test_bounds_are_narrow_enough_to_be_used():
    readme = irb.recall_interval((500, 50, 40), (2000, 100, 3), side="lower")
    assert readme.method == "guaranteed"
    assert readme.low >= 0.73
    for design in [
        ((12_000, 150, 108), (88_000, 1300, 20)),
        ((50_000, 192, 115), (950_000, 2187, 12)),
    ]:
        half = irb.recall_interval(*design, side="lower", **HALF).low
        assert half - 0.03 <= irb.recall_interval(*design, side="lower").low <= half + 0.01
    many = irb.recall_interval(
        (12_000, 150, 108), [(2200, 32, i % 2) for i in range(40)], side="lower"
    ).low
    assert many > 0.75


@pytest.mark.parametrize(
    "interval_of",
    [irb.precision_interval, irb.samples.elusion_interval, irb.f_interval, irb.yield_interval],
)
def test_other_measures_have_guaranteed_bounds(interval_of):
    lower = interval_of((500, 50, 40), (2000, 100, 3), side="lower")
    assert lower.method == "guaranteed"
    assert 0 < lower.low < lower.estimate


def test_finding_more_retrieved_documents_never_lowers_the_bound():
    found = np.arange(51)
    low = irb.recall_interval((500, 50, found), (2000, 100, 3), side="lower").low
    assert (np.diff(low) >= -1e-12).all()
    low = irb.recall_interval((500, 50, 40), (2000, 100, np.arange(101)), side="lower").low
    assert (np.diff(low) <= 1e-12).all()


LEVELS = (0.001, 0.1, 0.5, 0.8, 0.9, 0.93, 0.94, 0.95, 0.96, 0.98, 0.99, 0.999)


def least_step_outwards(interval_of, levels, side, **options):
    """By how much both ends move outwards at least from one level to the next."""
    ends = [
        interval_of(method="guaranteed", side=side, confidence_level=level, **options)
        for level in levels
    ]
    low, high = (np.array([getattr(end, name) for end in ends], float) for name in ("low", "high"))
    return min(-np.diff(low, axis=0).max(), np.diff(high, axis=0).min())


@pytest.mark.parametrize("side", ["lower", "upper", "two-sided"])
@pytest.mark.parametrize("name", ["recall", "f", "yield", "precision", "elusion"])
def test_a_higher_level_never_has_a_narrower_bound(side, name):
    interval_of = getattr(irb, f"{name}_interval", irb.samples.elusion_interval)
    for design in (ONE[0], ONE[3], ([(3069, 15)], [(286, 8)]), *SEVERAL[::4]):
        found = outcomes([*design[0], *design[1]])
        filled = [
            irb.Stratum(size, sampled, counts)
            for (size, sampled), counts in zip([*design[0], *design[1]], found, strict=True)
        ]
        n1 = len(design[0])

        def ends(filled=filled, n1=n1, **options):
            return interval_of(filled[:n1], filled[n1:], **options)

        assert least_step_outwards(ends, LEVELS, side) >= 0


def test_the_bound_at_94_percent_that_was_below_that_at_95():
    low = [
        irb.recall_interval((3069, 15, 2), (286, 8, 5), side="lower", confidence_level=level).low
        for level in (0.94, 0.95)
    ]
    assert low[0] >= low[1] > 0.29


@pytest.mark.long
def test_levels_are_nested_in_ten_thousand_random_reviews(seed):
    rng = np.random.default_rng(seed)
    for i in range(10_000):
        size = (10 ** rng.uniform([1, 1], [5, 6])).astype(int)
        sampled = np.minimum(size, 10 ** rng.uniform(0, 3.3, 2)).astype(int)
        found = rng.binomial(sampled, rng.beta([2, 0.3], [1, 6]))
        pair = [tuple(map(int, x)) for x in zip(size, sampled, found, strict=True)]
        levels = np.sort(rng.choice([rng.uniform(0, 1), *LEVELS, 0.951], 2, replace=False))
        side = ("lower", "upper", "two-sided")[i % 3]

        def ends(pair=pair, **options):
            return irb.recall_interval(*pair, **options)

        assert least_step_outwards(ends, levels, side) >= 0, (pair, levels, side)


def test_a_yield_that_may_be_0_has_no_sign():
    for side in ("lower", "two-sided"):
        low = irb.yield_interval((500, 50, 0), (2000, 100, 0), method="guaranteed", side=side).low
        assert str(float(low)) == "0.0"
