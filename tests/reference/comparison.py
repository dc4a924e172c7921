"""Paired tests, slowly and obviously: every change of sign, every shuffle, in fractions."""

import math
from fractions import Fraction
from itertools import pairwise, permutations, product

# Darwin's pairs of maize plants, crossed less self-fertilised, in eighths of an inch (Fisher 1935,
# section 17).
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def fractions(values):
    return [Fraction(value) for value in values]


def two_sided(null, observed):
    """Twice the share of the smaller tail, as SciPy has it."""
    tails = [sum(value <= observed for value in null), sum(value >= observed for value in null)]
    return min(Fraction(2 * min(tails), len(null)), Fraction(1))


def randomisation_p(differences):
    """Fisher's: the sum of the differences among the sums of all changes of sign."""
    values = fractions(differences)
    null = [
        sum(sign * value for sign, value in zip(signs, values, strict=True))
        for signs in product((1, -1), repeat=len(values))
    ]
    return two_sided(null, sum(values))


def sign_p(differences):
    """Wins against losses among all outcomes of as many fair coins."""
    moved = [value for value in differences if value]
    null = [sum(coins) for coins in product((0, 1), repeat=len(moved))]
    wins = sum(value > 0 for value in moved)
    return two_sided(null, wins)


def signed_rank_p(differences):
    """Wilcoxon's sum of positive ranks among all changes of sign; for differences of which no two
    are of one size."""
    ranked = sorted(differences, key=abs)
    assert 0 not in ranked
    assert len({abs(value) for value in ranked}) == len(ranked)
    null = [
        sum(rank for rank, sign in enumerate(signs, 1) if sign)
        for signs in product((0, 1), repeat=len(ranked))
    ]
    return two_sided(null, sum(rank for rank, value in enumerate(ranked, 1) if value > 0))


def midranks(values):
    """Ranks by size, from 1; ties share the mean of theirs."""
    sizes = sorted(abs(value) for value in values)
    return [
        Fraction(2 * sizes.index(abs(value)) + sizes.count(abs(value)) + 1, 2) for value in values
    ]


def tied_signed_rank_p(differences):
    """Wilcoxon's, ties and zeros allowed: zeros are left out, ties have the mean of their ranks."""
    moved = [value for value in differences if value]
    ranks = midranks(moved)
    null = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(moved))
    ]
    return two_sided(null, sum(rank for rank, value in zip(ranks, moved, strict=True) if value > 0))


def student(values, centre):
    """t of the mean about a centre; infinite without a variance, 0 where the mean is the centre."""
    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    if variance <= 1e-24 * max(map(abs, values)) ** 2:
        return 0.0 if abs(mean - centre) <= 1e-12 * max(map(abs, values)) else math.inf
    return (mean - centre) / math.sqrt(variance / n)


def bootstrap_t(differences, draws, alpha):
    """p-value and ends of the symmetric studentised bootstrap, from resamples given by their
    places."""
    n = len(differences)
    mean = math.fsum(differences) / n
    sizes = sorted(
        (abs(student([differences[place] for place in row], mean)) for row in draws), reverse=True
    )
    own = student(differences, 0.0)
    more = sum(size >= abs(own) * (1 - 1e-9) for size in sizes)
    moved = sum(value != 0 for value in differences)
    p_value = max((more + 1) / (len(draws) + 1), min(1.0, 2.0 ** (1 - moved)))
    place = math.ceil(alpha * (len(draws) + 1) - 1 - 1e-9)
    margin = (
        sizes[place - 1] * abs(mean / own) if place > 0 and 2.0 ** (1 - n) < alpha else math.inf
    )
    return p_value, mean - margin, mean + margin


def many_to_one_tail(t, others, freedom):
    """P(max |T_i| > t) of Dunnett's law, over error s and the baseline's deviation z, by QUADPACK
    piece by piece."""
    from scipy.integrate import quad
    from scipy.special import erfc, gammaln

    def tail(x):
        return erfc(x / math.sqrt(2)) / 2

    def pieces(function, *places):
        return sum(
            quad(function, low, high, epsabs=0, epsrel=1e-12, limit=200)[0]
            for low, high in pairwise(places)
        )

    def missed(reach):
        def at(z):
            inside = tail(reach - z) + tail(reach + z)
            outside = -math.expm1(others * math.log1p(-inside)) if inside < 1 else 1
            return math.exp(-z * z / 2) * outside

        return 2 * pieces(at, 0, reach / 2, reach / 2 + 3, reach / 2 + 10) / math.sqrt(2 * math.pi)

    def at(s):
        log_density = (
            freedom / 2 * math.log(freedom / 2)
            - gammaln(freedom / 2)
            + (freedom - 1) * math.log(s)
            - (freedom * s * s / 2)
        )
        return 2 * math.exp(log_density) * missed(math.sqrt(2) * t * s)

    peak = math.sqrt(freedom / (freedom + t * t))
    width = 1 / math.sqrt(2 * freedom)
    ends = sorted(
        {
            1e-300,
            1e-4,
            max(peak - 8 * width, 1e-3),
            max(peak - 2 * width, 1e-2),
            peak,
            1.0,
            1 + 3 * width,
            1 + 9 * width,
        }
    )
    return pieces(at, *ends)


def shuffled_ranges(table):
    """Greatest less least mean of the columns (systems) of a table when each row (query) is
    shuffled: all of them."""
    rows = [list(permutations(fractions(row))) for row in table]
    ranges = []
    for shuffle in product(*rows):
        means = [sum(column) / len(table) for column in zip(*shuffle, strict=True)]
        ranges.append(max(means) - min(means))
    return ranges


def shuffled_distances(table, baseline):
    """Greatest distance of a column's mean from the baseline's when each row is shuffled: all of
    them."""
    rows = [list(permutations(fractions(row))) for row in table]
    distances = []
    for shuffle in product(*rows):
        means = [sum(column) / len(table) for column in zip(*shuffle, strict=True)]
        distances.append(max(abs(mean - means[baseline]) for mean in means))
    return distances


def randomised_dunnett_p(table, baseline):
    """p-values of all columns against the baseline."""
    distances = shuffled_distances(table, baseline)
    means = [sum(fractions(column)) / len(table) for column in zip(*table, strict=True)]
    return {
        i: Fraction(
            sum(value >= abs(mean - means[baseline]) for value in distances), len(distances)
        )
        for i, mean in enumerate(means)
        if i != baseline
    }


def randomised_tukey_p(table):
    """p-values of all pairs (i < j) of columns."""
    ranges = shuffled_ranges(table)
    means = [sum(fractions(column)) / len(table) for column in zip(*table, strict=True)]
    return {
        (i, j): Fraction(sum(value >= abs(means[i] - means[j]) for value in ranges), len(ranges))
        for j in range(len(means))
        for i in range(j)
    }


def residual_variance(table):
    """The residual variance of the two-way layout without replication: the squares that rows and
    columns leave, over (rows - 1)(columns - 1)."""
    rows = [fractions(row) for row in table]
    n, k = len(rows), len(rows[0])
    grand = sum(map(sum, rows)) / (n * k)
    row_mean = [sum(row) / k for row in rows]
    column_mean = [sum(column) / n for column in zip(*rows, strict=True)]
    rest = sum(
        (rows[i][j] - row_mean[i] - column_mean[j] + grand) ** 2 for i in range(n) for j in range(k)
    )
    return rest / ((n - 1) * (k - 1))


def holm(p_values):
    """Adjusted p-values: the least level at which the step-down procedure rejects each."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [None] * len(p_values)
    for step, place in enumerate(order):
        adjusted[place] = min(
            Fraction(1),
            max(
                p_values[before] * (len(order) - earlier)
                for earlier, before in enumerate(order[: step + 1])
            ),
        )
    return adjusted
