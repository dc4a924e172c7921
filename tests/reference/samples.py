"""Posteriors of yields, recall and its kin from samples, slowly: Webber 2013 (W), sections 2.4,
2.8, 2.9, 3.5, 3.6.

A stratum is (size, sampled, relevant), a segment a list of strata; segment 1 is retrieved, 0
unretrieved. Laws of whole numbers and of ratios are dicts {value: probability}: Fractions as long
as the prior is rational, 50 digits if it is an mpmath number (quicker when there are thousands of
values). A float means the decimal that it prints as.

Where no document is relevant at all, recall is undefined. Convention here: laws are *given that the
measure is defined*, so undefined pairs are left out and the rest is scaled up. It matters only if
no sampled document is relevant; `undefined=0` or `undefined=1` instead counts such pairs as that
value.
"""

from fractions import Fraction
from itertools import accumulate, product

from mpmath import log, mp, mpf, quad, sqrt, workdps

from .beta_laws import below, density, expit, logit, root
from .sample_intervals import clipped, forced, hypergeometric_pmf, number, recall_estimate, tail
from .weak_orderings import exact

HALF = Fraction(1, 2)


# Yields
# -------------------------------------------------------------------------------------------------


def multichoose(a, m):
    """[a (a+1) ... (a+k-1) / k! for k = 0..m]."""
    return list(accumulate(range(m), lambda c, i: c * (a + i) / (i + 1), initial=a / a))


def betabinomial_pmf(m, a, b):
    """{k: P(k)} of BetaBin(m; a, b) (W eq. 16): binomial(m, k) B(k+a, m-k+b) / B(a, b), Gammas
    written as products."""
    at_a, at_b, total = multichoose(a, m), multichoose(b, m), multichoose(a + b, m)[m]
    return {k: at_a[k] * at_b[m - k] / total for k in range(m + 1)}


def yield_pmf(size, sampled, relevant, prior_a=HALF, prior_b=HALF):
    """{R: P(R | sample)}, R = relevant + BetaBin(size - sampled; a + relevant, b + sampled -
    relevant) (W eq. 17)."""
    a, b = exact(prior_a) + relevant, exact(prior_b) + sampled - relevant
    return {relevant + k: p for k, p in betabinomial_pmf(size - sampled, a, b).items()}


def convolve(pmf, other):
    """Distribution of the sum of two independent numbers."""
    total = {}
    for (x, p), (y, q) in product(pmf.items(), other.items()):
        total[x + y] = total.get(x + y, 0) + p * q
    return dict(sorted(total.items()))


def pooled(strata):
    """Rows (size, sampled, relevant, effective sample, relevant in that, whether it is a pool).

    Samples of 1 to 3 are pooled. The pool's share is that of its unseen documents, its effective
    sample Kish's.
    """

    def is_small(stratum):
        return 1 <= stratum[1] <= 3 and stratum[1] < stratum[0]

    rows = [(*s, *map(exact, s[1:]), False) for s in strata if not is_small(s)]
    pool = list(filter(is_small, strata))
    if pool:
        whole = sum(size - n for size, n, _ in pool)
        mean = sum(Fraction((size - n) * r, whole * n) for size, n, r in pool)
        sample = 1 / sum(Fraction(size - n, whole) ** 2 / n for size, n, r in pool)
        rows.append((*map(sum, zip(*pool, strict=True)), sample, sample * mean, True))
    return rows


def prior_shares(rows):
    """Each row's share of the segment's prior before the samples. Strata that are not read in full
    share it: half equally, half by the documents for which each of n + 1 sampled ones stands. A
    pool has all."""
    stands_for = [
        Fraction(size - n, n + 1) if size > n and not is_pool else None
        for size, n, _, _, _, is_pool in rows
    ]
    known = [weight for weight in stands_for if weight is not None]
    return [
        1 if weight is None else (Fraction(1, len(known)) + weight / sum(known)) / 2
        for weight in stands_for
    ]


def among_no_more(rows, shares, seen):
    """Each row's share of one side of the prior: its part of the shares of those rows that have no
    more documents of that side in their samples."""
    shared = [
        (seen(row), share)
        for row, share in zip(rows, shares, strict=True)
        if row[0] > row[1] and not row[5]
    ]
    return [
        share / sum(other for count, other in shared if count <= seen(row))
        if row[0] > row[1] and not row[5]
        else 1
        for row, share in zip(rows, shares, strict=True)
    ]


def sides_of_prior(rows):
    """Each row's shares of both sides of the prior.  That of which at most half is expected among
    the unseen documents goes to the rows that show no more of it."""
    shares = prior_shares(rows)
    unread = [row for row in rows if row[0] > row[1] and not row[5]]
    unseen = sum(size - n for size, n, *_ in unread)
    expected = sum(Fraction((size - n) * r, n) if n else 0 for size, n, _, _, r, _ in unread)
    return (
        among_no_more(rows, shares, lambda row: row[4]) if 2 * expected >= unseen else shares,
        among_no_more(rows, shares, lambda row: row[3] - row[4])
        if 2 * expected <= unseen
        else shares,
    )


def posterior_parts(strata, prior_a=HALF, prior_b=HALF, is_shared=True):
    """Rows (relevant seen, unseen, a, b) of a segment, the unseen relevant ones being
    BetaBin(unseen; a, b): strata share one prior, or each has the whole one (W 3.6).

    A shared posterior weighs two documents less, but for its share of them, and at least a quarter.
    """
    prior_a, prior_b = exact(prior_a), exact(prior_b)
    if not is_shared or len(strata) == 1:
        return [(r, size - n, prior_a + r, prior_b + n - r) for size, n, r in strata]
    rows = pooled(strata)
    parts, sides = [], zip(prior_shares(rows), *sides_of_prior(rows), strict=True)
    for (size, n, seen, sample, r, _), (share, of_a, of_b) in zip(rows, sides, strict=True):
        a, b = prior_a * of_a + r, prior_b * of_b + (sample - r)
        kept = max(1 - 2 * (1 - share) / (a + b), Fraction(1, 4))
        parts.append((seen, size - n, a * kept, b * kept))
    return parts


def segment_pmf(strata, prior_a=HALF, prior_b=HALF, is_shared=True):
    """Distribution of a segment's yield: the sum of its parts."""
    total = {0: 1}
    for seen, unseen, a, b in posterior_parts(strata, prior_a, prior_b, is_shared):
        part = {seen + k: p for k, p in betabinomial_pmf(unseen, a, b).items()}
        total = convolve(total, part)
    return total


# Laws of two yields (tp = R1, fn = R0), by full enumeration
# ---------------------------------------------


def law(measure, pmf1, pmf0, undefined=None):
    """{value: probability} of measure(R1, R0), values rising; None is an undefined value (see
    above)."""
    total = {}
    for (R1, p), (R0, q) in product(pmf1.items(), pmf0.items()):
        value = measure(R1, R0)
        total[value] = total.get(value, 0) + p * q
    lost = total.pop(None, 0)
    if undefined is not None:
        total[exact(undefined)] = total.get(exact(undefined), 0) + lost
        lost = 0
    return {value: total[value] / (1 - lost) for value in sorted(total)}


def recall(tp, fn):
    """R1/(R1+R0) (W eq. 1)."""
    return Fraction(tp, tp + fn) if tp + fn else None


def precision(retrieved):
    """R1/N1."""
    return lambda tp, _: Fraction(tp, retrieved) if retrieved else None


def elusion(unretrieved):
    """R0/N0."""
    return lambda _, fn: Fraction(fn, unretrieved) if unretrieved else None


def total_yield(tp, fn):
    """R1 + R0."""
    return Fraction(tp + fn)


def f_measure(beta, retrieved):
    """(1+b^2) tp / ((1+b^2) tp + b^2 fn + fp), fp = N1 - tp.

    That is 0, not undefined, where something is retrieved and nothing relevant.
    """
    b2 = exact(beta) ** 2

    def f(tp, fn):
        whole = b2 * (tp + fn) + retrieved
        return (1 + b2) * tp / whole if whole else None

    return f


def cdf(law_of_measure, q):
    """P(measure <= q)."""
    q = exact(q)
    return sum(p for value, p in law_of_measure.items() if value <= q)


def sf(law_of_measure, q):
    """P(measure >= q): the value q itself counts here, too."""
    q = exact(q)
    return sum(p for value, p in law_of_measure.items() if value >= q)


def quantile(law_of_measure, p):
    """The smallest value q with P(measure <= q) >= p."""
    p = exact(p)
    reached = zip(law_of_measure, accumulate(law_of_measure.values()), strict=True)
    return next((value for value, probability in reached if probability >= p), max(law_of_measure))


def mean(law_of_measure):
    """Mean of the measure."""
    return sum(value * p for value, p in law_of_measure.items())


def interval(quantile_of, level=0.95, side="two-sided", counts=(None, None)):
    """Equal tails: quantiles of alpha/2 and 1 - alpha/2, or of alpha or 1 - alpha alone.

    `counts` are the sampled relevant documents (r1, r0): for recall, no relevant one forces an end
    (W 3.6).
    """
    p = tail(level, side)
    return clipped(*forced(*(mp.convert(quantile_of(x)) for x in (p, 1 - p)), *counts), side)


# Recall again, for segments of many documents
# -----------------------------------------------------------


def recall_cdf(q, pmf1, pmf0):
    """P(R1/(R1+R0) <= q given R1+R0 > 0), 0 <= q <= 1: at each R1 = k the tail R0 >= k (1-q)/q."""
    return recall_by_tails(pmf1, pmf0)[0](exact(q))


def recall_quantile(p, pmf1, pmf0):
    """The smallest attainable q with P(R1/(R1+R0) <= q given R1+R0 > 0) >= p.

    Bisection to less than the ratios' distances, mostly; from there, one attainable ratio after the
    other.
    """
    at, following = recall_by_tails(pmf1, pmf0)
    p, low, high = exact(p), Fraction(0), Fraction(1)
    if at(low) >= p:
        return low
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle) >= p else (middle, high)
    while at(low) < p:
        low = following(low)
    return low


def recall_by_tails(pmf1, pmf0):
    """Recall's distribution function, and the function from q < 1 to the smallest attainable recall
    above it.

    R0's values must be consecutive, as they are for yields.
    """
    first, last = min(pmf0), max(pmf0)
    at_least = list(accumulate((pmf0[j] for j in range(last, first - 1, -1)), initial=0))[::-1]
    nothing = pmf1.get(0, 0) * pmf0.get(0, 0)

    def bound(k, q):
        """The smallest j with k/(k+j) <= q, k > 0, 0 < q < 1."""
        return -(-k * (q.denominator - q.numerator) // q.numerator)

    def tail_of_r0(j):
        return at_least[min(max(j, first), last + 1) - first]

    def at(q):
        if q >= 1:
            return 1
        none_retrieved = pmf1.get(0, 0) * tail_of_r0(1)
        some = sum(p * tail_of_r0(bound(k, q)) for k, p in pmf1.items() if k > 0) if q > 0 else 0
        return (none_retrieved + some) / (1 - nothing)

    def following(q):
        most = ((k, min(last, bound(k, q) - 1) if q > 0 else last) for k in pmf1 if k > 0)
        return min(Fraction(k, k + j) for k, j in most if j >= first)

    return at, following


# Betas instead of beta-binomials (W 3.5)
# ----------------------------------------------------------------


def bulk(a, b):
    """Points below, in and above nearly all of a Beta's ln(x/(1-x))."""
    return [log(a / b) + k * sqrt(1 / a + 1 / b) for k in (-9, 0, 9)]


def beta_jeffreys_cdf(q, retrieved, unretrieved, *, finite=True):
    """P(recall <= q), 0 < q < 1, for R = r + pi (N - n), pi ~ Beta(r + 1/2, n - r + 1/2); one
    stratum each.

    `finite=False` leaves the sample out of account: R = pi N, the ratio of two Betas.

    Recall <= q where R0 >= R1 (1-q)/q, that is pi0 >= y, which rises with pi1: certain up to y = 0,
    impossible from y = 1 on, and in between an integral over t = ln(pi1/(1-pi1)), cut into pieces
    where either Beta has its bulk.
    """
    (N1, n1, r1), (N0, n0, r0) = retrieved, unretrieved
    a1, b1, a0, b0 = (mpf(k) + mpf(1) / 2 for k in (r1, n1 - r1, r0, n0 - r0))
    (seen1, rest1), (seen0, rest0) = (
        ((r1, N1 - n1), (r0, N0 - n0)) if finite else ((0, N1), (0, N0))
    )
    odds = (1 - number(q)) / number(q)

    def tail_of_r0(limit):
        return below(-logit((limit - seen0) / rest0), b0, a0) if rest0 else mpf(seen0 >= limit)

    def integrand(t):
        return density(t, a1, b1) * tail_of_r0(odds * (seen1 + expit(t) * rest1))

    if rest1 == 0:
        return tail_of_r0(odds * seen1)

    def against(pi0):
        """The t at which y is pi0."""
        return logit(((seen0 + pi0 * rest0) / odds - seen1) / rest1)

    start, end = against(mpf(0)), against(mpf(1))
    cuts = [*bulk(a1, b1), *(against(expit(t)) for t in bulk(a0, b0))]
    cuts = sorted({t for t in cuts if start < t < end})
    return below(start, a1, b1) + (quad(integrand, [start, *cuts, end]) if start < end else 0)


def beta_jeffreys_quantile(p, retrieved, unretrieved, *, finite=True, digits=12):
    """Where that distribution function is p: halving at first, then by chords."""

    def excess(q):
        return beta_jeffreys_cdf(q, retrieved, unretrieved, finite=finite) - number(p)

    with workdps(digits + 3):
        low, high = mpf(0), mpf(1)
        while high - low > mpf(1) / 20:
            middle = (low + high) / 2
            low, high = (low, middle) if excess(middle) >= 0 else (middle, high)
        return root(excess, max(low, mp.eps), min(high, 1 - mp.eps))


# The estimator of recall (W 2.4)
# ------------------------------------------------------------------------


def estimator_law(retrieved, unretrieved, undefined=None):
    """{estimate: probability} of W eq. 2 over both hypergeometric samples; segments as (size, its
    yield, sampled).

    Its mean less the true recall is the bias.
    """
    (N1, _, n1), (N0, _, n0) = retrieved, unretrieved
    pmfs = (hypergeometric_pmf(*segment) for segment in (retrieved, unretrieved))
    return law(lambda r1, r0: recall_estimate((N1, n1, r1), (N0, n0, r0)), *pmfs, undefined)
