"""Numbers of the derivations of certificates and of bounds at every look, each computed anew."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy.stats import hypergeom

from irbounds.stopping import certifying_rank, control_curve, control_plan
from tests.reference import stopping as slow

TARGET = Fraction(4, 5)


def failing(relevant, found, rank, target):
    """P(recall is below the target when the rank is reached), in fractions."""
    few = math.ceil(target * relevant) - 1
    ways = sum(
        math.comb(few, x) * math.comb(relevant - few, found - x)
        for x in range(rank, min(few, found) + 1)
    )
    return Fraction(ways, math.comb(relevant, found))


def test_the_least_chance_of_a_certificate_in_finite_collections():
    """30 control documents of 30 to 2,999 relevant ones: least next to the limit, 0.955821."""
    rank = certifying_rank(30, 0.8)
    missed = [
        hypergeom.sf(rank - 1, relevant, math.ceil(TARGET * relevant) - 1, 30)
        for relevant in range(30, 3000)
    ]
    least = 30 + missed.index(max(missed))
    assert least == 2999
    assert float(1 - failing(least, 30, rank, TARGET)) == pytest.approx(0.956645, abs=5e-7)
    limit = sum(math.comb(30, x) * TARGET**x * (1 - TARGET) ** (30 - x) for x in range(rank, 31))
    assert float(1 - limit) == pytest.approx(0.9558210148, abs=5e-11)
    assert max(missed) < limit


@pytest.mark.parametrize(
    ("relevant", "chance"),
    [
        (40, 0.999993),
        (100, 0.993408),
        pytest.param(500, 0.967379, marks=pytest.mark.long),
        pytest.param(2000, 0.957243, marks=pytest.mark.long),
    ],
)
def test_the_band_in_finite_collections(relevant, chance):
    low = control_curve(range(1, 31), 30).recall_low.tolist()
    exact = float(slow.chance_of_band(low, relevant))
    assert exact == pytest.approx(chance, abs=5e-7)
    assert exact > 0.95


def test_the_band_of_two_control_documents_by_hand():
    """Two of 4 relevant documents are control documents: the first has rank 1, 2, 3 in 3, 2, 1 of
    6 cases, and the bounds ask for rank 2 and 3."""
    ranks = [(i, j) for i in range(1, 5) for j in range(i + 1, 5)]
    held = sum(i >= 2 and j >= 3 for i, j in ranks)
    assert slow.chance_of_band([0.3, 0.75], 4) == Fraction(held, len(ranks))


def test_mean_recall_at_the_stop():
    """The rank J of r among R: the mean of the J-th order statistic is J (R + 1)/(r + 1)."""
    for found, mean in ((14, 0.933), (457, 0.830)):
        plan = control_plan(0.8, 0.01, found=found)
        assert plan.mean_recall == pytest.approx(mean, abs=5e-4)
    relevant, found = 9, 4
    for rank in range(1, found + 1):
        ways = [
            math.comb(n - 1, rank - 1) * math.comb(relevant - n, found - rank)
            for n in range(1, relevant + 1)
        ]
        mean = Fraction(sum(n * w for n, w in enumerate(ways, 1)), sum(ways))
        assert mean == Fraction(rank * (relevant + 1), found + 1)


def test_the_bands_of_more_control_documents_show_more():
    known = {14: 0.00642387, 30: 0.00420088, 50: 0.00328740, 100: 0.00246093}
    shown = [control_curve(range(1, total + 1), total) for total in known]
    for curve, level in zip(shown, known.values(), strict=True):
        assert curve.local_level == pytest.approx(level, abs=5e-9)
        # the last bound is the level's quantile of the largest of all
        assert curve.recall_low[-1] ** curve.found_total == pytest.approx(level, abs=5e-9)
    assert all(a.recall_low[-1] < b.recall_low[-1] for a, b in pairwise(shown))
