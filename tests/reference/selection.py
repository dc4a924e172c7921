"""Joiner & Werner's competition and Bechhofer's probability, slowly: every outcome of the
multinomial, in fractions."""

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, log10

from mpmath import mpf, workdps


def probability_of_correct_selection(trials, methods, ratio):
    """Sum over all outcomes of the multinomial in which the best method has the most wins, ties in
    equal parts; in whole numbers until the last step."""
    best, each = Fraction(ratio).as_integer_ratio()
    chances = sum(
        ways * best**x * each ** (trials - x) for x, ways in selections(trials, methods).items()
    )
    return Fraction(chances) / (best + each * (methods - 1)) ** trials


@lru_cache(maxsize=100)
def selections(trials, methods):
    """By the number of wins of the best method: how many sequences of winners select it, those
    with a tie in part."""
    found = {}

    def add(counts, left, ways):
        if len(counts) == methods - 1:
            counts = [*counts, left]
            most = max(counts)
            if counts[0] == most:
                found[most] = found.get(most, Fraction(0)) + Fraction(ways, counts.count(most))
            return
        for x in range(left + 1):
            add([*counts, x], left - x, ways * comb(left, x))

    add([], trials, 1)
    return found


def shares(rows):
    """The share of trials that each method wins; rows are methods, a tied trial counts in equal
    parts."""
    wins = [Fraction(0)] * len(rows)
    for trial in zip(*rows, strict=True):
        for method, value in enumerate(trial):
            wins[method] += Fraction(value == max(trial), trial.count(max(trial)))
    return [count / len(rows[0]) for count in wins]


def by_series(trials, methods, ratio):
    """The same for many methods, to 40 digits: counts of a multinomial are Poisson counts, given
    their sum.

    The best method has x wins, each other one j < x, or x as well; of t + 1 with x wins one is
    chosen. The mean of C(m-1, t)/(t+1) (z^x/x!)^t B^(m-1-t) over t, B the sum of z^j/j! for j < x,
    is ((B+h)^m - B^m)/(m h), h = z^x/x!.

    The powers are as large as m^trials/trials!, their difference as small as m/trials!.
    """
    with workdps(60 + int(trials * log10(methods + 1))):
        total = mpf(0)
        for x in range(1, trials + 1):
            below = [1 / mpf(factorial(j)) if j < x else mpf(0) for j in range(trials + 1)]
            upto = [*below[:x], 1 / mpf(factorial(x)), *below[x + 1 :]]
            # h cancels
            ways = (power(upto, methods)[trials] - power(below, methods)[trials]) / methods
            total += mpf(ratio) ** x * ways
        return total * factorial(trials) / mpf(ratio + methods - 1) ** trials


def power(series, exponent):
    """A power series that begins with 1, to a power: Miller's recurrence."""
    result = [mpf(1)]
    for k in range(1, len(series)):
        result.append(
            sum((exponent * i - k + i) * series[i] * result[k - i] for i in range(1, k + 1)) / k
        )
    return result
