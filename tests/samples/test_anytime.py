"""Bounds that hold at every look: fractions, exact errors over all looks, published values."""

import math
from fractions import Fraction

import numpy as np
import pytest

import irbounds as irb
from irbounds._core.samples import anytime as kernel
from irbounds.samples.bounds import anytime
from irbounds.samples.model.strata import Stratum
from tests.reference import anytime as slow

HALF, UNIFORM = anytime.AnytimePrior(0.5, 0.5), anytime.AnytimePrior(1.0, 1.0)

# size, sampled, found; two-sided and upper 0.95 with the uniform prior, upper with (1/2, 1/2)
KNOWN = [
    ((100, 10, 3), (5, 71), 69, 71),
    ((200, 20, 5), (12, 112), 108, 110),
    ((1000, 200, 10), (17, 116), 99, 102),
    ((2000, 122, 0), (0, 120), 69, 58),
    ((1000, 100, 0), (0, 69), 41, 34),
    ((100_000, 1000, 20), (739, 4204), 3544, 3635),
    ((100_000, 1000, 0), (0, 980), 447, 375),
]
EVIDENCES = {
    (20, 12, 5, 1): 209 / 40,
    (10, 4, 3, 0): 59 / 16,
    (100, 70, 10, 3): 20.312897053457398,
    (200, 108, 20, 5): 19.513647256010515,
    (1000, 99, 200, 10): 17.803836319866186,
    (1000, 41, 100, 0): 19.72631822982699,
    (2000, 69, 122, 0): 19.381667258357197,
}


@pytest.mark.parametrize(("sample", "two_sided", "uniform", "half"), KNOWN)
def test_published_bounds(sample, two_sided, uniform, half):
    size, n, x = sample
    low, high = anytime.count_ends(x, n, size, 0.95, "two-sided", UNIFORM)
    assert (low, high) == two_sided
    assert anytime.count_ends(x, n, size, 0.95, "upper", UNIFORM)[1] == uniform
    assert anytime.count_ends(x, n, size, 0.95, "upper", HALF)[1] == half
    exchanged = anytime.count_ends(n - x, n, size, 0.95, "lower", HALF)
    assert exchanged[0] == size - half


def test_published_evidence():
    for (size, total, n, x), value in EVIDENCES.items():
        e = math.exp(kernel.log_evidence((size, n, x, 1, 1), total))
        assert e == pytest.approx(value, rel=1e-14)
        # the general sums, with a prior next to the uniform one
        e = math.exp(kernel.log_evidence((size, n, x, 1 + 1e-14, 1), total))
        assert e == pytest.approx(value, rel=1e-9)


def test_bounds_against_fractions():
    rng = np.random.default_rng(1)
    for _ in range(150):
        size = int(rng.integers(1, 40))
        n = int(rng.integers(0, size + 1))
        x = int(rng.integers(0, n + 1))
        prior = [Fraction(1, 2), Fraction(1), Fraction(2, 3)][int(rng.integers(3))]
        alpha = [Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)][int(rng.integers(3))]
        both, level = anytime.AnytimePrior(float(prior), float(prior)), float(1 - alpha)
        upper = anytime.count_ends(x, n, size, level, "upper", both)[1]
        assert upper == slow.upper(size, n, x, alpha, prior, prior)
        ends = anytime.count_ends(x, n, size, level, "two-sided", both)
        assert ends == slow.two_sided(size, n, x, alpha, prior, prior)


@pytest.mark.long
def test_sums_of_many_counts():
    """Beta-binomial tails of a million documents, by which evidence is summed, in long doubles."""

    def shares(n, a, b, x):
        y = np.arange(n, dtype=np.longdouble)
        logs = np.cumsum(np.log((n - y) * (y + a) / ((y + 1) * (n - y - 1 + b))))
        terms = np.exp(np.concatenate([[0], logs]) - logs.max())
        return float(terms[:x].sum() / terms.sum())

    size = 10**6
    for n, x, total, a, b in ((2000, 40, 31_340, 0.5, 0.5), (100, 0, 37_000, 0.5, 0.7)):
        below = shares(size - n, a + x, b + n - x, total - x), shares(size, a, b, total)
        mean = math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(n - x + 1)
        mean += math.lgamma(x + a) + math.lgamma(n - x + b) - math.lgamma(n + a + b)
        mean -= math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        from irbounds.chance import hypergeometric_logpmf

        chance = hypergeometric_logpmf(x, size, total, n)
        exact = math.log(below[0] / below[1]) + mean - chance
        assert kernel.log_evidence((size, n, x, a, b), total) == pytest.approx(exact, abs=2e-8)


def test_the_bound_is_where_evidence_reaches_the_bar():
    rng = np.random.default_rng(4)
    for _ in range(60):
        size = int(10 ** rng.uniform(1, 11))
        n = int(min(size, 10 ** rng.uniform(0, 4)))
        x = int(rng.binomial(n, rng.random() ** 3))
        prior = [HALF, UNIFORM, anytime.AnytimePrior(0.1, 3.0)][int(rng.integers(3))]
        alpha = 10 ** rng.uniform(-6, -0.1)
        sample = (size, n, x, *prior)
        upper = kernel.upper(sample, 1 / alpha)
        assert kernel.log_evidence(sample, upper) < -math.log(alpha) + 1e-7
        if upper < size - n + x:
            assert kernel.log_evidence(sample, upper + 1) > -math.log(alpha) - 1e-7


def test_published_recall():
    one, other = (500, 50, 40), (2000, 100, 3)
    assert anytime.recall_low(one, other, 0.05, HALF) == pytest.approx(0.623711, abs=5e-7)
    assert anytime.recall_low(one, other, 0.05, UNIFORM) == pytest.approx(0.633277, abs=5e-7)
    assert anytime.recall_low(one, other, 0.025, HALF) == pytest.approx(0.605705, abs=5e-7)
    high = 1 - anytime.recall_low(other, one, 0.025, HALF)
    assert high == pytest.approx(0.991170, abs=5e-7)
    one, other = (10_000, 500, 350), (90_000, 1000, 12)
    assert anytime.recall_low(one, other, 0.05, HALF) == pytest.approx(0.734076, abs=5e-7)
    assert anytime.recall_low(one, other, 0.05, UNIFORM) == pytest.approx(0.740328, abs=5e-7)


def test_recall_against_fractions():
    rng = np.random.default_rng(3)
    for _ in range(25):
        segments = []
        for _ in range(2):
            size = int(rng.integers(1, 20))
            n = int(rng.integers(0, size + 1))
            segments.append((size, n, int(rng.integers(0, n + 1))))
        alpha = [Fraction(1, 20), Fraction(1, 5), Fraction(1, 2)][int(rng.integers(3))]
        prior = [Fraction(1, 2), Fraction(1)][int(rng.integers(2))]
        both = anytime.AnytimePrior(float(prior), float(prior))
        low = anytime.recall_low(*segments, 1 - float(1 - alpha), both, split=True)
        assert low == pytest.approx(float(slow.least_share(*segments, alpha, prior, prior)))


def test_recall_beyond_the_tables():
    """Segments a hundred times as large have nearly the same bound."""
    tables = anytime.recall_low((10**5, 500, 350), (9 * 10**5, 1000, 12), 0.05, HALF)
    section = anytime.recall_low((10**7, 500, 350), (9 * 10**7, 1000, 12), 0.05, HALF)
    assert section == pytest.approx(tables, abs=3e-3)
    assert section < tables  # a larger part was sampled


def test_published_errors():
    # One relevant document: none in 190 of 200 is evidence of exactly 20, which refuses; the page
    # that the other values are from has 0.045, one draw later.
    errors = {1: 0.05, 2: 0.043467, 5: 0.043261, 10: 0.044952, 20: 0.043395}
    errors |= {50: 0.042041, 100: 0.035661}
    known = {}

    def fails(n, x, total):
        if (n, x) not in known:
            known[n, x] = kernel.upper((200, n, x, 0.5, 0.5), 20 * (1 - 1e-12))
        return known[n, x] < total

    for total, error in errors.items():
        alive, lost = {0: 1.0}, 0.0  # as in the twin, in doubles
        for n in range(201):
            for x in [x for x in alive if fails(n, x, total)]:
                lost += alive.pop(x)
            then = {}
            for x, weight in alive.items():
                p = (total - x) / (200 - n) if n < 200 else 0.0
                for y, share in ((x, 1 - p), (x + 1, p)):
                    if share > 0:
                        then[y] = then.get(y, 0.0) + weight * share
            alive = then
        assert lost == pytest.approx(error, abs=1e-6)


def test_published_error_of_any_play():
    """Six and ten documents: the chance that the evidence against the truth ever reaches 20."""

    def fails(one, other):
        e1 = slow.evidence(6, one[0], one[0] - one[1], 1)
        e0 = slow.evidence(10, *other, 2)
        return (e1 + e0) / 4 + e1 * e0 / 2 >= 20

    assert float(slow.error_of_any_play((6, 10), (5, 2), fails)) == pytest.approx(
        0.022222, abs=5e-7
    )


@pytest.mark.parametrize(
    ("prior", "samples"), [(HALF, (562, 985, 1310, 1867)), (UNIFORM, (668, 1013, 1307, 1831))]
)
def test_sizes_that_show_few_missed(prior, samples):
    """The least sample that shows at most 333 missed of 50,000, by what was found in it."""
    for found, n in zip((0.0, 1.0, 2.0, 4.0), samples, strict=True):
        assert anytime.upper_count(50_000.0, float(n), found, 0.05, prior) == 333
        assert anytime.upper_count(50_000.0, n - 1.0, found, 0.05, prior) > 333


def test_going_to_and_fro_needs_the_split_bound():
    """Where one segment happens to be read whole, all of alpha on the other one is too much: the
    worst error for 5 of 6 and 1 of 10 relevant documents is 1/3 at 0.2."""

    def fails(one, other, split):
        low = anytime.recall_low((6, *one), (10, *other), 0.2, HALF, split=split)
        return low > 5 / 6 + 1e-12

    errors = [
        slow.error_of_any_play((6, 10), (5, 1), lambda a, b, s=split: fails(a, b, s))
        for split in (False, True)
    ]
    assert float(errors[0]) == pytest.approx(1 / 3)
    assert errors[1] <= Fraction(1, 5)


def test_yields_against_all_pairs():
    rng = np.random.default_rng(8)
    for _ in range(15):
        pair = []
        for _ in range(2):
            size = int(rng.integers(2, 16))
            n = int(rng.integers(0, size))
            pair.append((size, n, int(rng.integers(0, n + 1))))
        half = Fraction(1, 2)
        most = max(
            k1 + k0
            for k1 in slow.possible(*pair[0])
            for k0 in slow.possible(*pair[1])
            for e1, e0 in [
                (slow.evidence(*pair[0], k1, half, half), slow.evidence(*pair[1], k0, half, half))
            ]
            if (e1 + e0) / 4 + e1 * e0 / 2 < 20
        )
        one, other = ([Stratum(*sample)] for sample in pair)
        low, high = anytime.yield_ends(one, other, 0.95, "upper", HALF)
        assert (low, high) == (0, most)
        exchanged = [[Stratum(s, n, n - x)] for s, n, x in pair]
        low, high = anytime.yield_ends(*exchanged, 0.95, "lower", HALF)
        assert low == pair[0][0] + pair[1][0] - most


def test_intervals_of_the_public_functions():
    one, other = (500, 50, 40), (2000, 100, 3)
    low = irb.recall_interval(one, other, method="anytime", side="lower")
    assert (low.low, low.high) == (pytest.approx(0.623711, abs=5e-7), 1)
    assert (low.method, low.engine) == ("anytime", "exact")
    uniform = irb.recall_interval(one, other, method="anytime", side="lower", prior=1)
    assert uniform.low == pytest.approx(0.633277, abs=5e-7)
    both = irb.recall_interval(one, other, method="anytime")
    assert [both.low, both.high] == pytest.approx([0.605705, 0.991170], abs=5e-7)
    whole = irb.recall_interval((500, 500, 400), other, method="anytime", side="lower")
    most = anytime.upper_count(2000.0, 100.0, 3.0, 0.05, HALF)
    assert whole.low == pytest.approx(400 / (400 + most))
    share = irb.binomial_interval(3, 10, size=100, method="anytime", prior=1.0)
    assert (share.low, share.high) == (0.05, 0.71)
    upper = irb.samples.elusion_interval((2000, 122, 0), method="anytime", side="upper")
    assert upper.high == 58 / 2000
    assert irb.precision_interval((2000, 122, 0), method="anytime", side="upper").high == 58 / 2000
    sum_of = irb.yield_interval(one, other, method="anytime")
    assert sum_of.low < sum_of.estimate < sum_of.high
    many = irb.recall_interval((500, 50, [35, 40]), other, method="anytime", side="lower")
    assert many.low[1] == low.low > many.low[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: irb.recall_interval((9, 5, 4), (9, 5, 1), prior=1),
            "method 'betabinom-half' takes no `prior`; found 1",
        ),
        (
            lambda: irb.binomial_interval(1, 5, size=9, prior=1),
            "method 'hypergeometric' takes no `prior`; found 1",
        ),
        (lambda: irb.binomial_interval(1, 5, method="anytime"), "method 'anytime' is for a finite"),
        (
            lambda: irb.recall_interval((9, 5, 4), (9, 5, 1), method="anytime", prior=0),
            "`prior` must be a number from 0.001 to 10",
        ),
        (
            lambda: irb.recall_interval([(9, 5, 4)] * 2, (9, 5, 1), method="anytime", prior=1),
            "method 'anytime' takes no `prior` for segments of several strata",
        ),
        (
            lambda: irb.yield_interval([(9, 5, 4)] * 199, [(9, 5, 1)] * 2, method="anytime"),
            "method 'anytime' takes at most 200 strata in both segments; found 201",
        ),
    ],
)
def test_hostile_input_is_one_line(call, message):
    with pytest.raises(irb.InputError) as error:
        call()
    assert str(error.value).startswith(message)
