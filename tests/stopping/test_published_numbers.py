"""Numbers of the derivations of certificates and of bounds at every look, each computed anew."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy.stats import hypergeom

import irbounds as irb
from irbounds.samples.bounds import anytime
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
    low = control_curve(range(1, 31)).recall_low.tolist()
    exact = float(slow.chance_of_band(low, relevant))
    assert exact == pytest.approx(chance, abs=5e-7)
    assert exact > 0.95


def test_the_band_of_two_control_documents_by_hand():
    """Two of 4 relevant documents are control documents: the first has rank 1, 2, 3 in 3, 2, 1 of
    6 cases, and the bounds ask for rank 2 and 3."""
    ranks = [(i, j) for i in range(1, 5) for j in range(i + 1, 5)]
    held = sum(i >= 2 and j >= 3 for i, j in ranks)
    assert slow.chance_of_band([0.3, 0.75], 4) == Fraction(held, len(ranks))


def test_what_other_bounds_show_when_all_thirty_are_read():
    """At one depth chosen before (0.904966), at all depths (0.833255), and at all depths by the
    inequality of Dvoretzky, Kiefer and Wolfowitz, whose bounds are those of an equal distance."""
    alone = control_curve(range(1, 31), simultaneous=False).recall_low[-1]
    assert alone == pytest.approx(0.904966, abs=5e-7)
    assert alone**30 == pytest.approx(0.05)
    distance = 1 - math.sqrt(math.log(1 / 0.05) / (2 * 30))
    assert distance == pytest.approx(0.776552, abs=5e-7)
    assert distance < control_curve(range(1, 31)).recall_low[-1] < alone


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


# size, sampled, found; one look: both ends, the upper bound; 20 and 100 planned looks, if published
ONE_LOOK = [
    ((100, 10, 3), (8, 63), 59, ()),
    ((200, 20, 5), (19, 95), 89, ()),
    ((1000, 200, 10), (27, 85), 79, ()),
    ((2000, 122, 0), (0, 57), 47, ()),
    ((1000, 100, 0), (0, 34), 28, ()),
    ((100_000, 1000, 20), (1230, 3066), 2888, (3578, 3893)),
    ((100_000, 1000, 0), (0, 366), 297, (594, 753)),
]


@pytest.mark.parametrize(("sample", "ends", "upper", "planned"), ONE_LOOK)
def test_one_look_and_planned_looks(sample, ends, upper, planned):
    """Beside them stand the any-time bounds: never below one look, and from some number of looks on
    below those planned for so many."""
    size, n, x = sample

    def bound(side, alpha=0.05):
        found = irb.binomial_interval(x, n, size=size, side=side, confidence_level=1 - alpha)
        return round(found.low * size), round(found.high * size)

    assert bound("two-sided") == ends
    assert bound("upper")[1] == upper
    for looks, published in zip((20, 100), planned, strict=False):
        bonferroni = bound("upper", 0.05 / looks)[1]
        assert bonferroni == published
        # the largest total with which so few are found with more than alpha/looks
        law = hypergeom(size, bonferroni + 1, n)
        assert law.cdf(x) <= 0.05 / looks < hypergeom(size, bonferroni, n).cdf(x)
    every = irb.binomial_interval(x, n, size=size, side="upper", method="anytime")
    assert round(every.high * size) > upper


def test_sizes_that_show_few_missed_in_one_look():
    """The least samples that show at most 333 missed of 50,000."""
    for found, n in ((0, 445), (1, 705), (2, 935), (4, 1358)):
        for sampled, most in ((n, True), (n - 1, False)):
            high = irb.binomial_interval(found, sampled, size=50_000, side="upper").high
            assert (round(high * 50_000) <= 333) == most


@pytest.mark.parametrize(
    ("one", "other", "published", "guaranteed"),
    [
        ((500, 50, 40), (2000, 100, 3), 0.556797, 0.638570),
        ((10_000, 500, 350), (90_000, 1000, 12), 0.728480, 0.758353),
    ],
)
def test_bounds_of_recall_for_twenty_planned_looks(one, other, published, guaranteed):
    """The published bound has 1/40 of alpha for each segment. A test of recall itself with 1/20 of
    alpha is narrower: at twenty looks it is narrower than the any-time bound."""

    def count(sample, side):
        size, n, x = sample
        level = 1 - 0.05 / 40
        found = irb.binomial_interval(x, n, size=size, side=side, confidence_level=level)
        return round((found.low if side == "lower" else found.high) * size)

    found, missed = count(one, "lower"), count(other, "upper")
    assert found / (found + missed) == pytest.approx(published, abs=5e-7)
    planned = irb.recall_interval(
        one, other, method="guaranteed", side="lower", confidence_level=1 - 0.05 / 20
    ).low
    assert planned == pytest.approx(guaranteed, abs=1e-6)
    half = anytime.AnytimePrior(0.5, 0.5)
    every = anytime.recall_low(tuple(map(float, one)), tuple(map(float, other)), 0.05, half)
    assert published < every < planned


def test_targets_that_doubles_get_wrong():
    """floor(r/t) + 1 in doubles, up to 5,000 found: wrong for 0.55 alone of fourteen targets."""
    targets = ["0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95"]
    targets += ["0.97", "0.98", "0.99", "1"]
    wrong = {
        text: sum(
            math.floor(r / float(text)) + 1 != slow.least_missing_total(r, Fraction(text))
            for r in range(1, 5001)
        )
        for text in targets
    }
    assert {text: n for text, n in wrong.items() if n} == {"0.55": 255}


def test_the_bands_of_more_control_documents_show_more():
    known = {14: 0.00642387, 30: 0.00420088, 50: 0.00328740, 100: 0.00246093}
    shown = [control_curve(range(1, total + 1)) for total in known]
    for curve, level in zip(shown, known.values(), strict=True):
        assert curve.local_level == pytest.approx(level, abs=5e-9)
        # the last bound is the level's quantile of the largest of all
        assert curve.recall_low[-1] ** curve.found_total == pytest.approx(level, abs=5e-9)
    assert all(a.recall_low[-1] < b.recall_low[-1] for a, b in pairwise(shown))
