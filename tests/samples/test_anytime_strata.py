"""Bounds of several strata that hold at every look: fractions, all totals, exact errors."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from reference import anytime_strata as slow

from irbounds.samples.bounds import anytime_strata as strata
from irbounds.samples.bounds.betting import EvidenceFromMore, Strata, falling


def log_evidence(samples, totals):
    evidence = EvidenceFromMore(Strata(*np.array(samples, float).T))
    return evidence.at(np.array(totals, float)).value


def drawn(rng, n_strata, largest, least=1):
    samples = []
    for _ in range(n_strata):
        size = int(rng.integers(least, largest + 1))
        n = int(rng.integers(0, size + 1))
        samples.append((size, n, int(rng.integers(0, n + 1))))
    return samples


def test_evidence_against_fractions():
    rng = np.random.default_rng(1)
    for _ in range(20):
        samples = drawn(rng, int(rng.integers(1, 4)), 15)
        totals = [int(rng.integers(x, size - n + x + 1)) for size, n, x in samples]
        exact = slow.evidence_from_more(tuple(samples), tuple(totals))
        assert log_evidence(samples, totals) == pytest.approx(math.log(exact), abs=1e-9)


def test_slopes():
    """The tangent proves the bound, so the slope must be that of the evidence."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        size = 10 ** rng.uniform(1, 9, 3)
        n = np.minimum(size - 1, 10 ** rng.uniform(0, 4, 3))
        samples = Strata(size, n, n * rng.random(3) ** 3)
        evidence = EvidenceFromMore(samples)
        at = evidence.least + (evidence.most - evidence.least) * rng.uniform(0.01, 0.9, 3)
        step = 1e-4 * np.minimum(at - evidence.least, evidence.most - at)
        now = evidence.at(at)
        for h in range(3):
            move = step * (np.arange(3) == h)
            rise = evidence.at(at + move).value - evidence.at(at - move).value
            tolerance = 1e-6 * abs(now.slope[h]) * step[h] + 1e-8
            assert rise / 2 == pytest.approx(now.slope[h] * step[h], abs=tolerance)
        # the logarithm is convex: nowhere below a tangent
        for _ in range(20):
            share = rng.random(3) ** rng.choice([1, 8])
            other = evidence.least + (evidence.most - evidence.least) * share
            assert evidence.at(other).value >= now.value + now.slope @ (other - at) - 1e-7


def test_falling_factorials():
    from mpmath import mp, mpf

    with mp.workdps(40):
        for y, m in ((0, 0), (1, 1), (5, 3), (12.5, 2), (1e6, 1e3), (3e14, 50), (1e9, 1e9)):
            exact = mp.loggamma(mpf(y) + 1) - mp.loggamma(mpf(y) - m + 1)
            slope = mp.digamma(mpf(y) + 1) - mp.digamma(mpf(y) - m + 1)
            value = falling(np.array([float(y)]), np.array([float(m)]))
            assert value[0][0] == pytest.approx(float(exact), rel=1e-13, abs=1e-12)
            assert value[1][0] == pytest.approx(float(slope), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("is_large", [False, True])
def test_recall_against_all_totals(is_large, monkeypatch):
    if is_large:  # with the second proof, which is for strata of millions
        monkeypatch.setattr(strata, "LARGE", 0.0)
    rng = np.random.default_rng(3)
    for shape in ((1, 2), (2, 1), (2, 2)) * 2:
        one, other = (drawn(rng, n, 7, least=2) for n in shape)
        alpha = [Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)][int(rng.integers(3))]
        nothing = [[False] * n for n in shape]
        low = strata.recall_low(one, other, float(alpha), *nothing)
        exact = slow.least_share(one, other, alpha) if any(x for _, _, x in one) else 0
        # totals between whole numbers are allowed as well: a little lower, never higher
        assert exact - Fraction(1, 8) <= low <= exact + 1e-12


@pytest.mark.parametrize("size", [10**7, 10**9, 10**12])
def test_rounding_does_not_lower_the_recall_of_large_strata(size):
    """The same samples of 10^5 documents show 0.7978; larger strata have a little more left."""
    one, sizes = [(size // 10, 300, 210)], (size // 100, size // 25, size // 10, size // 5)
    found = (30, 9, 3, 0, 0)
    other = [(n, 300, x) for n, x in zip((*sizes, size // 2), found, strict=True)]
    low = strata.recall_low(one, other, 0.05, [False], [False] * 5)
    assert low == pytest.approx(0.79895, abs=2e-5)


def test_sums_against_all_totals():
    rng = np.random.default_rng(4)
    for _ in range(5):
        samples = drawn(rng, 2, 9, least=3)
        for alpha in (Fraction(1, 20), Fraction(1, 3)):
            found = strata.least_sum([samples], float(alpha), [[False] * 2])
            assert 0 <= slow.least_sum(samples, alpha) - found <= 1


@pytest.mark.filterwarnings("error")
def test_segment_read_whole_without_relevant_documents():
    """All relevant documents are in the other segment, whatever their number."""
    none, some = [(2, 2, 0)], [(665, 1, 0), (4, 4, 4), (40, 8, 4)]
    known = [True], [False, True, False]
    assert strata.recall_bounds(none, some, 0.25, "two-sided", known) == (0, 0)
    assert strata.recall_bounds(some, none, 0.25, "two-sided", known[::-1]) == (1, 1)


# retrieved, unretrieved strata; alpha; relevant documents, or None for all numbers of them
PLAYS = [
    ((3, 4), (5,), 0.2, None),
    ((4,), (3, 5), 0.05, None),
    ((3, 2), (2, 3), 0.3, None),
    ((), (5, 6), 0.05, None),
    ((), (12, 20), 0.05, [(1, 1), (2, 5), (6, 3)]),
    ((), (3, 6, 12), 0.1, [(1, 1, 1), (0, 2, 3), (1, 0, 6)]),
    ((12,), (6, 12), 0.05, [(9, 1, 1), (6, 0, 2)]),
]


@pytest.mark.parametrize(
    ("one", "other", "alpha", "truths"),
    [pytest.param(*play, marks=[] if i == 0 else pytest.mark.long) for i, play in enumerate(PLAYS)],
)
def test_errors_of_any_play(one, other, alpha, truths):
    """The worst that choosing the stratum of every next document can do, exactly, for each truth:
    the chance that the evidence against it ever reaches 1/alpha."""
    worst = 0
    sizes = (*one, *other)
    if truths is None:
        truths = list(itertools.product(*(range(size + 1) for size in sizes)))
        truths = truths[:: 1 + len(truths) // 60]
    for truth in truths:
        fails = slow.refuses(one, other, truth, alpha)
        worst = max(worst, slow.error_of_any_play(sizes, truth, fails))
    assert 0 < worst <= alpha


def test_errors_of_any_play_of_the_bound():
    """The bound that users get, with the worst choice of the stratum of every next document."""
    one, other, alpha = (3,), (2, 2), 0.4
    known = {}

    def low(state):
        if state not in known:
            samples = [(s, *pair) for s, pair in zip((*one, *other), state, strict=True)]
            nothing = [False], [False, False]
            known[state] = strata.recall_low(samples[:1], samples[1:], alpha, *nothing)
        return known[state]

    worst = 0
    for truth in ((3, 0, 1), (2, 1, 0)):
        recall = truth[0] / sum(truth)
        fails = lambda state, recall=recall: low(state) > recall + 1e-9  # noqa: E731
        worst = max(worst, slow.error_of_any_play((*one, *other), truth, fails))
    assert worst <= alpha
