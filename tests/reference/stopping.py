"""When to stop screening, slowly: every urn in fractions, every total with a wealth of its own.

`population` documents are read in some order; `labels` says which of the read ones are relevant.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb, floor, log2

from mpmath import mp, mpf


def least_missing_total(found, target):
    """The least total with which so many found are less than the target."""
    return floor(found / target) + 1


def hypergeometric_below(most, population, relevant, drawn):
    """P(X <= most) of a draw without replacement."""
    ways = sum(
        comb(relevant, x) * comb(population - relevant, drawn - x)
        for x in range(min(most, drawn) + 1)
    )
    return Fraction(ways, comb(population, drawn))


def biased_below(most, population, relevant, drawn, odds):
    """P(X <= most) where a relevant document is `odds` times as likely as another one to be next:
    document by document (Wallenius)."""
    chances = {0: Fraction(1)}
    for n in range(drawn):
        then = {}
        for x, chance in chances.items():
            left, others = relevant - x, population - relevant - (n - x)
            next_relevant = Fraction(odds) * left / (Fraction(odds) * left + others)
            then[x] = then.get(x, 0) + chance * (1 - next_relevant)
            if x < most:
                then[x + 1] = then.get(x + 1, 0) + chance * next_relevant
        chances = then
    return sum(chances.values(), Fraction(0))


def buscar(labels, population, target, odds=1):
    """The least probability over all urns of the documents read last, and where it begins."""
    read, found = len(labels), sum(labels)
    total = least_missing_total(found, target)
    if total - found > population - read:
        return Fraction(0), 0  # so many cannot be left
    least = Fraction(1), read
    for start in range(read - 1, -1, -1):
        before = sum(labels[:start])
        urn = (found - before, population - start, total - before, read - start)
        chance = hypergeometric_below(*urn) if odds == 1 else biased_below(*urn, odds)
        least = min(least, (chance, start))
    return least


HALF_LIVES = 50, 500
DIGITS = 40


def wealth_factor(label, chance, forecast):
    """The factor by which a bet on the next document changes a wealth; `chance` is that of a random
    unread one, at least the forecast."""
    if label:
        return forecast / chance if chance else mpf(1)
    return (1 - forecast) / (1 - chance) if chance < 1 else mp.inf


def certified(labels, population, alpha, totals=None):
    """After each document the largest total that was not refused, and -1 where every possible one
    was: for each total two bettors against "the next document is at least as likely relevant as a
    random unread one". Of `totals` alone, if they are given."""
    with mp.workdps(DIGITS):
        wealth = {total: [mpf(1), mpf(1)] for total in totals or range(population + 1)}
        decays = [mpf(2) ** (-mpf(1) / life) for life in HALF_LIVES]
        seen, relevant = [mpf(0), mpf(0)], [mpf(0), mpf(0)]
        found, bounds = 0, []
        for n, label in enumerate(labels):
            forecasts = [(s + mpf(1) / 2) / (t + 1) for s, t in zip(relevant, seen, strict=True)]
            for total in list(wealth):
                chance = mpf(total - found) / (population - n)
                if not 0 <= chance <= 1:
                    continue
                for i in range(2):
                    forecast = min(chance, forecasts[i])
                    wealth[total][i] *= wealth_factor(label, chance, forecast)
                if sum(wealth[total]) / 2 >= 1 / mpf(alpha):
                    del wealth[total]
            relevant = [d * s + label for d, s in zip(decays, relevant, strict=True)]
            seen = [d * t + 1 for d, t in zip(decays, seen, strict=True)]
            found += label
            possible = range(found, population - (n + 1 - found) + 1)
            bounds.append(max((total for total in wealth if total in possible), default=-1))
        return bounds


def chance_of_batch(total, unread, found, drawn, relevant):
    """P(so many of the drawn documents are relevant); totals beyond what is possible count as the
    nearest one."""
    left = min(max(total - found, 0), unread)
    ways = comb(left, relevant) * comb(unread - left, drawn - relevant)
    return Fraction(ways, comb(unread, drawn))


def certified_by_batches(batches, population, alpha):
    """After each batch (unread and found before it, drawn, relevant) the largest total that was
    never refused: with fewer than 128 documents, all of which have a cell of their own."""
    unread, before, drawn, _ = batches[0]
    totals = range(before, before + unread + 1)
    weights = {}
    for total in totals[1:]:
        chance = (total - before) / unread
        variance = max(1 - chance, 0.5) * (1 - drawn / unread) / (drawn * chance)
        place = min(max(-log2(max(variance, 1e-12)) / 2 - log2(1.5), 0), 7)
        near = {2**i: 0.75 * max(0, 1 - abs(place - i)) for i in range(8)}
        near[1] += 0.25
        t = total - before
        weights[total] = {
            k: sum(v * ((k + 1 - before) ** q - (k - before) ** q) / t**q for q, v in near.items())
            for k in range(before, total)
        }
    likelihood, refused, bounds = dict.fromkeys(totals, Fraction(1)), set(), []
    for batch in batches:
        for total in totals:
            likelihood[total] *= chance_of_batch(total, *batch)
        for total, weight in weights.items():
            evidence = sum(Fraction(w) * likelihood[k] for k, w in weight.items())
            # evidence that equals the bar but for rounding does not refuse
            if evidence * Fraction(alpha) > likelihood[total] * (1 + Fraction(1, 10**8)):
                refused.add(total)
        unread, before, drawn, relevant = batch
        most = before + relevant + unread - drawn
        left = [total for total in totals if total <= most and total not in refused]
        bounds.append(max(left))
    return bounds


def chance_of_refusing(population, relevant, alpha, worst=False):
    """The exact probability that the true total is ever refused: documents in random order, or each
    time relevant with the chance, at least that of a random one, that makes it largest."""
    decays = [2 ** (-1 / life) for life in HALF_LIVES]

    @lru_cache(None)
    def chance_from(n, found, wealth, counts):
        if sum(wealth) / 2 >= 1 / alpha:
            return 1.0
        if n == population:
            return 0.0
        chance = (relevant - found) / (population - n)
        after = []
        for label in (0, 1):
            if (label and chance == 0) or (not label and chance == 1):
                after.append(0.0)
                continue
            then = []
            for w, (s, t) in zip(wealth, counts, strict=True):
                forecast = min(chance, (s + 0.5) / (t + 1))
                ratio = forecast / chance if label else (1 - forecast) / (1 - chance)
                then.append(w * ratio)
            counted = tuple(
                (d * s + label, d * t + 1) for d, (s, t) in zip(decays, counts, strict=True)
            )
            after.append(chance_from(n + 1, found + label, tuple(then), counted))
        fair = chance * after[1] + (1 - chance) * after[0]
        return max(fair, after[1]) if worst and chance else fair

    return chance_from(0, 0, (1.0, 1.0), ((0.0, 0.0), (0.0, 0.0)))


def chance_of_band(low, relevant):
    """P(recall is at least low[j] whenever the j-th control document is reached, for all j), where
    a random len(low) of `relevant` documents are control documents. Recall is n/relevant after n
    relevant documents; the counts of control documents among these go from n to n + 1."""
    controls, alive = len(low), {0: Fraction(1)}
    for n in range(1, relevant + 1):
        then = {}
        for count, weight in alive.items():
            is_control = Fraction(controls - count, relevant - n + 1)
            then[count] = then.get(count, 0) + weight * (1 - is_control)
            if is_control and low[count] <= Fraction(n, relevant):
                then[count + 1] = then.get(count + 1, 0) + weight * is_control
        alive = {count: weight for count, weight in then.items() if weight}
    return alive.get(controls, Fraction(0))
