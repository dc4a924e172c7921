"""Joiner & Werner's competition and Bechhofer's probability, slowly: every outcome of the multinomial, in fractions."""
from fractions import Fraction
from math import factorial


def probability_of_correct_selection(trials, methods, ratio):
    """Sum over all outcomes of the multinomial in which the best method has the most wins, ties in equal parts."""
    ratio = Fraction(ratio)
    share = [ratio / (ratio + methods - 1)] + [1 / (ratio + methods - 1)] * (methods - 1)

    def add(counts, left, probability):
        i = len(counts)
        if i == methods - 1:
            counts = [*counts, left]
            most = max(counts)
            whole = probability * share[i] ** left / factorial(left)
            return whole / counts.count(most) if counts[0] == most else Fraction(0)
        return sum(add([*counts, x], left - x, probability * share[i] ** x / factorial(x)) for x in range(left + 1))

    return add([], trials, Fraction(factorial(trials)))


def shares(rows):
    """Of the trials, how many each method wins; rows are methods, a tied trial counts in equal parts."""
    wins = [Fraction(0)] * len(rows)
    for trial in zip(*rows, strict=True):
        for method, value in enumerate(trial):
            wins[method] += Fraction(value == max(trial), trial.count(max(trial)))
    return [count / len(rows[0]) for count in wins]
