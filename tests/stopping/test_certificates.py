"""Certificates of one-phase reviews against fractions, the published table and simulation."""

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from mpmath import mp, mpf

import irbounds as irb
from irbounds.stopping import ReviewMonitor, certifying_rank, control_curve, control_plan
from irbounds.stopping.certificates import above_all, limits, local_level

# Lewis, Yang & Frieder 2021, table 1: goal 0.8, confidence 0.95
TABLE_1 = (
    "14:14 21:21 22:21 29:28 30:28 31:29 37:34 44:40 50:45 63:56 76:67 88:77 106:92 129:111 "
    "158:135 198:168 255:215 332:278 457:380"
)
MEANS = "4:4 14:12 30:25 50:41 100:81 457:367"


def pairs(text):
    return [tuple(map(int, pair.split(":"))) for pair in text.split()]


def failing(found, rank, target):
    """P(X >= rank), X binomial, exactly."""
    return sum(
        math.comb(found, x) * target**x * (1 - target) ** (found - x)
        for x in range(rank, found + 1)
    )


def test_table_1_of_the_paper():
    for found, rank in pairs(TABLE_1):
        assert certifying_rank(found, target=0.8) == rank
    assert certifying_rank(13, target=0.8) is None
    for found, rank in pairs(MEANS):
        assert certifying_rank(found, 0.8, guarantee="mean") == rank
    assert certifying_rank(3, 0.8, guarantee="mean") is None


def test_published_chances():
    """That recall reaches 0.8 at the rank, in a large collection, and by the rank ceil(0.8 r)."""
    target = Fraction(4, 5)
    known = {14: 0.9560195349, 30: 0.9558210148, 106: 0.9531194551, 457: 0.9501825457}
    for found, chance in known.items():
        rank = certifying_rank(found, 0.8)
        assert 1 - float(failing(found, rank, target)) == pytest.approx(chance, abs=5e-11)
    for found, chance in {10: 0.3222, 30: 0.3930, 100: 0.4405}.items():
        naive = 1 - failing(found, math.ceil(target * found), target)
        assert float(naive) == pytest.approx(chance, abs=5e-5)


def test_ranks_are_the_least_in_fractions():
    for target, alpha in itertools.product(
        map(Fraction, ("1/2", "0.75", "0.8", "0.95", "0.05")), map(Fraction, ("0.05", "1/4", "0.5"))
    ):
        for found in range(1, 24):
            ranks = [j for j in range(1, found + 1) if failing(found, j, target) <= alpha]
            level = float(1 - alpha)
            rank = certifying_rank(found, target, confidence_level=level)
            assert rank == (ranks[0] if ranks else None), (found, target, alpha)


def test_ranks_at_the_edges():
    assert certifying_rank(0) is None
    assert certifying_rank(50, 1.0) is None
    assert certifying_rank(2, 0.5, confidence_level=0.75) == 2  # P(X < 2) is 3/4
    assert certifying_rank(1, 0.05) == 1  # P(X < 1) is 0.95
    rank = certifying_rank(10**9, 0.8)
    assert rank == pytest.approx(8e8 + 1.6449 * math.sqrt(1.6e8), abs=20)


def test_certified_reviews_of_finite_collections_reach_their_target():
    """The chance of failing, exactly: fewer than target * R read when the rank is reached."""
    found, target = 30, Fraction(4, 5)
    rank = certifying_rank(found, target)
    for relevant in (30, 31, 40, 100, 1000):
        few = math.ceil(target * relevant) - 1  # of the first so many, rank or more in the sample
        ways = sum(
            math.comb(few, x) * math.comb(relevant - few, found - x)
            for x in range(rank, min(few, found) + 1)
        )
        assert Fraction(ways, math.comb(relevant, found)) <= Fraction(1, 20)


def bolshev(low):
    """P(U_(j) >= low_j for all j) by Bolshev's recursion, with 60 digits."""
    with mp.workdps(60):
        low = [mpf(float(x)) for x in low]
        n, chances = len(low), [mpf(1)]
        for k in range(1, n + 1):
            chances.append(
                1
                - sum(
                    math.comb(k, m) * low[n - k + m - 1] ** m * chances[k - m]
                    for m in range(1, k + 1)
                )
            )
        return float(chances[n])


def test_the_chance_of_the_band():
    known = {14: 0.00642387, 30: 0.00420088, 50: 0.00328740, 100: 0.00246093}
    for total, local in known.items():
        assert local_level(total, 0.95) == pytest.approx(local, abs=5e-9)
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 10, 40):
        for _ in range(5):
            low = np.sort(rng.random(n)) * rng.random()
            direct = float(rng.random())
            low = limits(n, direct, n) if direct < 0.3 else low
            # Bolshev's order statistics: low[j] for the j-th least one
            assert above_all(low) == pytest.approx(bolshev(low), rel=1e-9, abs=1e-12)


def test_what_the_last_control_document_shows():
    last = control_curve(range(1, 31), 30).recall_low[-1]
    assert last == pytest.approx(0.833255, abs=5e-7)
    last = control_curve(range(1, 101), 100).recall_low[-1]
    assert last == pytest.approx(0.941697, abs=5e-7)
    single = control_curve(range(1, 31), 30, simultaneous=False)
    assert single.recall_low[-1] == pytest.approx(0.05 ** (1 / 30))
    assert single.local_level == pytest.approx(0.05)


def test_coverage_of_the_band(seed):
    """All bounds hold in 95 % of reviews or more; another seed fails less than once in 10^5."""
    rng, reviews = np.random.default_rng(seed), 4000
    for relevant, found in ((40, 14), (300, 14), (2000, 30)):
        bound = control_curve(range(1, found + 1), found).recall_low
        ranks = np.sort(rng.random((reviews, relevant)).argsort(axis=1)[:, :found] + 1, axis=1)
        holds = (ranks / relevant >= bound).all(axis=1)  # recall when the j-th is reached
        assert holds.mean() > 0.95 - 4.3 * math.sqrt(0.95 * 0.05 / reviews)


def test_curves_by_depth():
    curve = control_curve([200, 12, 30, 31, 90], found_total=14)
    assert curve.positions.tolist() == [12, 30, 31, 90, 200]
    assert (np.diff(curve.recall_low) > 0).all()
    assert curve.low_at(11) == 0
    assert curve.low_at([12, 29, 30]).tolist() == curve.recall_low[[0, 0, 1]].tolist()
    assert curve.first_reaching(0.05) == 90
    assert curve.first_reaching(0.9) is None
    assert curve.to_dict()["found_total"] == 14
    assert len(control_curve([], 0).recall_low) == 0


def test_plans():
    plan = control_plan(target=0.8, prevalence=0.01)
    assert (plan.found, plan.rank, plan.documents) == (14, 14, 1400)
    assert plan.mean_recall == pytest.approx(14 / 15)
    assert control_plan(0.8, 0.01, found=457).mean_recall == pytest.approx(380 / 458)
    assert control_plan(0.8, 0.01, guarantee="mean").found == 4
    aimed = control_plan(0.8, 0.01, mean_recall=0.85)
    assert aimed.mean_recall <= 0.85
    least = next(
        r for r in range(14, 1000) if (certifying_rank(r, 0.8) or math.inf) / (r + 1) <= 0.85
    )
    assert aimed.found == least
    assert plan.to_dict()["guarantee"] == "probability"


@pytest.mark.parametrize("level", [0.3, 0.95])
@pytest.mark.parametrize("found", [10**9, 10**12])
def test_ranks_of_very_many_control_documents(found, level):
    """Beside the normal quantile, whose skewness term is below 0.2 and whose step is a document."""
    quantile = 0.8 * found + NormalDist().inv_cdf(level) * math.sqrt(0.16 * found)
    assert abs(certifying_rank(found, 0.8, confidence_level=level) - quantile - 0.7) < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: certifying_rank(-1), "`found` must be a whole number, 0 or more; found -1"),
        (lambda: certifying_rank(5, 0), "`target` must be above 0 and at most 1"),
        (lambda: certifying_rank(5, guarantee="x"), "`guarantee` must be one of"),
        (lambda: control_curve([0]), "`positions` must be a list of whole numbers from 1 on"),
        (lambda: control_curve([True]), "`positions` must be counts of documents, not True"),
        (lambda: control_curve([1, None]), "`positions` must be a list of whole"),
        (lambda: ReviewMonitor(5).update(None), "`labels` must be a list of 0 and 1, or"),
        (lambda: control_curve([1, 1]), "`positions` must not have a position twice; found 1"),
        (
            lambda: control_curve([40 * i for i in range(1, 15)]),
            "`found_total` is needed: the number",
        ),
        (lambda: control_curve([1, 2], 1), "`positions` must be at most `found_total`, 1"),
        (lambda: control_curve([1], 10**9), "`found_total` must be at most 20,000"),
        (lambda: control_curve([1], 1, simultaneous="x"), "`simultaneous` must be True or False"),
        (lambda: control_plan(1.0), "`target` must be below 1"),
        (lambda: control_plan(0.8, 1e-300), "`prevalence` must be at least 14/2^52, for a sam"),
        (lambda: control_plan(0.8, found=13), "`found` must be at least 14 for this target"),
        (lambda: control_plan(0.8, mean_recall=0.8), "`mean_recall` must be above `target`"),
        (lambda: control_plan(0.8, found=20, mean_recall=0.9), "`found` and `mean_recall`"),
        (lambda: control_plan(0.9999999), "no control sample of up to 10,000,000"),
    ],
)
def test_hostile_input_is_one_line(call, message):
    with pytest.raises(irb.InputError) as error:
        call()
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
