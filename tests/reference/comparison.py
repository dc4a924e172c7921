"""Paired tests, slowly and obviously: every change of sign, every shuffle, in fractions."""
from fractions import Fraction
from itertools import permutations, product

# Darwin's pairs of maize plants, crossed less self-fertilised, in eighths of an inch (Fisher 1935, section 17).
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
    null = [sum(sign * value for sign, value in zip(signs, values, strict=True))
            for signs in product((1, -1), repeat=len(values))]
    return two_sided(null, sum(values))


def sign_p(differences):
    """Wins against losses among all outcomes of as many fair coins."""
    moved = [value for value in differences if value]
    null = [sum(coins) for coins in product((0, 1), repeat=len(moved))]
    wins = sum(value > 0 for value in moved)
    return two_sided(null, wins)


def signed_rank_p(differences):
    """Wilcoxon's sum of positive ranks among all changes of sign; for differences of which no two are of one size."""
    ranked = sorted(differences, key=abs)
    assert 0 not in ranked
    assert len({abs(value) for value in ranked}) == len(ranked)
    null = [sum(rank for rank, sign in enumerate(signs, 1) if sign)
            for signs in product((0, 1), repeat=len(ranked))]
    return two_sided(null, sum(rank for rank, value in enumerate(ranked, 1) if value > 0))


def shuffled_ranges(table):
    """Greatest less least mean of the columns (systems) of a table when each row (query) is shuffled: all of them."""
    rows = [list(permutations(fractions(row))) for row in table]
    ranges = []
    for shuffle in product(*rows):
        means = [sum(column) / len(table) for column in zip(*shuffle, strict=True)]
        ranges.append(max(means) - min(means))
    return ranges


def randomised_tukey_p(table):
    """p-values of all pairs (i < j) of columns."""
    ranges = shuffled_ranges(table)
    means = [sum(fractions(column)) / len(table) for column in zip(*table, strict=True)]
    return {(i, j): Fraction(sum(value >= abs(means[i] - means[j]) for value in ranges), len(ranges))
            for j in range(len(means)) for i in range(j)}


def residual_variance(table):
    """Of the two-way layout without replication: what rows and columns leave, over (rows - 1)(columns - 1)."""
    rows = [fractions(row) for row in table]
    n, k = len(rows), len(rows[0])
    grand = sum(map(sum, rows)) / (n * k)
    row_mean = [sum(row) / k for row in rows]
    column_mean = [sum(column) / n for column in zip(*rows, strict=True)]
    rest = sum((rows[i][j] - row_mean[i] - column_mean[j] + grand) ** 2 for i in range(n) for j in range(k))
    return rest / ((n - 1) * (k - 1))


def holm(p_values):
    """Adjusted p-values: the least level at which the step-down procedure rejects each."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [None] * len(p_values)
    for step, place in enumerate(order):
        adjusted[place] = min(Fraction(1), max(p_values[before] * (len(order) - earlier)
                                               for earlier, before in enumerate(order[:step + 1])))
    return adjusted
