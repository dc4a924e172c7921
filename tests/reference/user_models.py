"""Measures of a user model (C/W/L), of pairs in order and of overlap with the ideal ranking, one
linear order at a time."""

from fractions import Fraction
from functools import cache

from mpmath import mp

from .rankings import exact, measure, over
from .weak_orderings import ZERO

DEPTH = 1000


def shares(q, min_rel, max_rel):
    """Gains of all places to the last."""
    gains = [
        Fraction(exact(min(max(grade, min_rel), max_rel)) - min_rel) / (max_rel - min_rel)
        for grade in q.grades[:DEPTH]
    ]
    return gains + [ZERO] * (DEPTH - len(gains))


def of_user(gains, goes_on):
    """The mean gain under w(i), which is c(1) .. c(i-1) over the sum of all of these."""
    weight, weights, total, sum_of_gains = mp.mpf(1), mp.mpf(0), mp.mpf(0), ZERO
    for i, gain in enumerate(gains, 1):
        sum_of_gains += gain
        weights += weight
        total += weight * gain
        weight *= goes_on(i, mp.mpf(gain.numerator) / gain.denominator, sum_of_gains)
        if weight == 0:
            break
    return total / weights


@cache
def fixed_weights(going_on, parameter):
    """w(i) where gains do not matter."""
    weights = [mp.mpf(1)]
    for i in range(1, DEPTH):
        weights.append(weights[-1] * going_on(i, parameter))
    total = sum(weights)
    return [weight / total for weight in weights]


def under(gains, weights):
    """The mean gain under weights."""
    return sum((w * g for w, g in zip(weights, gains, strict=True) if g), ZERO)


@cache
def log_of(i):
    """With 50 digits."""
    return mp.log(i)


def by_logarithms(i, k):
    """c(i) = log(i+1)/log(i+2) to place k."""
    return log_of(i + 1) / log_of(i + 2) if i < k else mp.mpf(0)


def by_squares(i, target):
    """c(i) = ((i+2T-1)/(i+2T))^2."""
    return (mp.mpf(i + 2 * target - 1) / (i + 2 * target)) ** 2


@measure("SDCG")
def scaled_dcg(q, max_rel, min_rel=0):
    """Logarithmic weights to place k."""
    return under(shares(q, min_rel, max_rel), fixed_weights(by_logarithms, q.k))


@measure("INSQ")
def insq(q, max_rel, min_rel=0, target=1):
    """Weights that fall with the square."""
    return under(shares(q, min_rel, max_rel), fixed_weights(by_squares, target))


@measure("INST")
def inst(q, max_rel, min_rel=0, target=1):
    """The same, where gains are taken off one T."""
    return of_user(
        shares(q, min_rel, max_rel),
        lambda i, g, s: (mp.mpf(i + 2 * target - s - 1) / mp.mpf(i + 2 * target - s)) ** 2,
    )


@measure("BPM")
def bpm(q, max_rel, min_rel=0, target=1):
    """To place k, or where the gains reach T."""
    return of_user(shares(q, min_rel, max_rel), lambda i, g, s: int(s < target and i < q.k))


@measure("NERR8")
def nerr8(q, max_rel, min_rel=0):
    """c(i) = 1 - g(i) to place k."""
    return of_user(shares(q, min_rel, max_rel), lambda i, g, s: 1 - g if i < q.k else 0)


@measure("NERR9")
def nerr9(q, max_rel, min_rel=0):
    """c(i) = i/(i+1) (1 - g(i)) to place k."""
    return of_user(
        shares(q, min_rel, max_rel), lambda i, g, s: Fraction(i, i + 1) * (1 - g) if i < q.k else 0
    )


@measure("NERR10")
def nerr10(q, max_rel, min_rel=0, p=0.9):
    """c(i) = p (1 - g(i))."""
    return of_user(shares(q, min_rel, max_rel), lambda i, g, s: mp.mpf(p) * (1 - g))


@measure("NERR11")
def nerr11(q, max_rel, min_rel=0, target=1):
    """c(i) = ((i+2T-1)/(i+2T))^2 (1 - g(i))."""
    return of_user(
        shares(q, min_rel, max_rel),
        lambda i, g, s: (mp.mpf(i + 2 * target - 1) / (i + 2 * target)) ** 2 * (1 - g),
    )


@measure("Accuracy")
def accuracy(q):
    """Pairs in order of all pairs (relevant, other) of the first k."""
    pairs = [(i, j) for i, a in enumerate(q.hits) for j, b in enumerate(q.hits) if a > b]
    if not pairs:
        return Fraction(any(q.hits))
    return Fraction(sum(i < j for i, j in pairs), len(pairs))


@measure("Compat")
def compatibility(q, p=0.95, normalize=True):
    """Overlap of the first d of both rankings, for every d; the numbers are places of the run."""
    documents = [(place, grade) for place, grade in enumerate(q.grades) if grade > 0]
    missed = list(q.judged)
    for grade in q.grades:
        if grade >= 0:
            missed.remove(grade)
    documents += [(-1 - i, grade) for i, grade in enumerate(missed) if grade > 0]
    ideal = sorted(documents, key=lambda d: (-d[1], d[0] < 0, d[0]))
    ranking, ideal = list(range(len(q.grades))), [place for place, _ in ideal]
    depth = max(len(ranking), len(ideal))

    def overlap(one, other):
        return sum(
            mp.mpf(p) ** (d - 1) * len({*one[:d]} & {*other[:d]}) / d for d in range(1, depth + 1)
        )

    if not ideal:
        return ZERO
    whole = overlap(ideal, ideal) if normalize else sum(mp.mpf(p) ** d for d in range(depth))
    return over(overlap(ranking, ideal), whole)
