"""Shares of gamma variates by panels that are halved where needed: quicker than mpmath, and as
plain.

F_β has the odds (1 + b²) Q/(1 - Q)/(1 - W + b² W), Q ~ Beta(A, B + C) and W ~ Beta(C, B)
independent. Laws are those of log odds; densities are taken in extended precision, relative to
their greatest, and divided by their integral; distribution functions of Beta laws are SciPy's. Two
Gauss rules must agree within 1e-14 on every panel. SciPy's error remains: 1e-13, some 1e-12
with parameters of 10^9 and some 1e-11 with 10^12.

For superiority a law of F is made of pieces, polynomials that its density has been sampled for, so
that a pair takes some 0.1 s; that the pieces hold 1 in all is a check of the density.
"""

import numpy as np
from mpmath import mp, mpf
from scipy.special import betainc, expit

NODES = [np.polynomial.legendre.leggauss(n) for n in (10, 15)]
AGREE, NARROW, MOST = 1e-14, 1e-13, 400_000
LONG = np.longdouble
DEGREE = 15  # of pieces
TOTAL = 1e-12  # by which the probability that pieces hold may differ from 1
MOST_NODES = 4096  # of W
UNSEEN = 1e-20  # of a density of log odds, to its slope at an end


class NoAnswerError(ArithmeticError):
    """The panels grew too many."""


def integrals(function, panels, n, agree=AGREE):
    """The integrals of function(x, owner), for `owner` from 0 to n - 1, over its panels (owner,
    low, high)."""
    owner, low, high = panels
    total = np.zeros(n)
    for _ in range(60):
        middle, half = (low + high) / 2, (high - low) / 2
        coarse, fine = (
            (function(middle[:, None] + half[:, None] * x, owner[:, None]) * w).sum(axis=1) * half
            for x, w in NODES
        )
        done = (np.abs(coarse - fine) <= agree) | (half <= NARROW * np.abs(middle))
        np.add.at(total, owner[done], fine[done])
        if done.all():
            return total
        owner, low, high, middle = (value[~done] for value in (owner, low, high, middle))
        owner, low, high = (
            np.tile(owner, 2),
            np.concatenate([low, middle]),
            np.concatenate([middle, high]),
        )
        if len(low) > MOST:
            break
    raise NoAnswerError


def integral(function, edges, agree=AGREE):
    """The integral of one function of x, over panels between edges."""
    edges = np.unique(np.asarray(edges, float))
    panels = np.zeros(len(edges) - 1, int), edges[:-1], edges[1:]
    return integrals(lambda x, owner: function(x), panels, 1, agree)[0]


class BetaOdds:
    """Log odds of Beta(a, b), as offsets t from log(a/b)."""

    def __init__(self, a, b, shift=0.0):
        """`shift` is added to log odds: log 2 for F_1, whose odds are twice those of Q."""
        self.a, self.b, self.centre = (
            float(a),
            float(b),
            float(np.log(LONG(a)) - np.log(LONG(b))) + shift,
        )
        self.shift, self.n = shift, self.b
        self.kind = LONG if self.a + self.b > 1e3 else float
        self.std = np.sqrt(1 / max(self.a, 0.5) + 1 / max(self.b, 0.5))
        self.low, self.high = -45 / self.a - 10 * self.std, 45 / self.b + 10 * self.std
        self.marks = [
            self.low,
            self.high,
            *(k * self.std for k in (-40, -10, -5, -2, -1, 0, 1, 2, 5, 10, 40)),
            *(k * min(self.std, 1.0) - (self.centre - shift) for k in (-30, -5, 0, 5, 30)),
        ]
        self.marks = [t for t in self.marks if self.low <= t <= self.high]
        self.total = 1.0
        self.total = integral(self.density, self.marks, 1e-14 * self.std)

    def density(self, t, owner=None):
        """By the smaller parameter, so that little cancels."""
        t = np.asarray(t, self.kind)
        a, b, t = (self.a, self.b, t) if self.a <= self.b else (self.b, self.a, -t)
        share = self.kind(a) / (self.kind(a) + b)
        with np.errstate(over="ignore"):
            rise = np.where(
                t > 30,
                t + np.log(share + (1 - share) * np.exp(-np.abs(t))),
                np.log1p(share * np.expm1(np.minimum(t, 30))),
            )
        return (
            np.exp(np.asarray(a * t - (self.kind(a) + b) * rise, self.kind)).astype(float)
            / self.total
        )

    def below(self, t, owner=None):
        """P(log odds < centre + t); far out it is a power of the odds, which are out of range
        there."""
        u = np.asarray(t) + (self.centre - self.shift)
        near = np.clip(u, -600, 600)
        x, y = expit(near), expit(-near)
        a, b = (np.nextafter(n, np.inf) if n > 1e4 else n for n in (self.a, self.b))
        # of whole numbers SciPy sums powers, and loses digits
        out, is_low = np.empty(near.shape), x < y
        out[is_low] = betainc(a, b, x[is_low]) * np.exp(self.a * np.minimum(u[is_low] + 600, 0))
        high = betainc(b, a, y[~is_low]) * np.exp(-self.b * np.maximum(u[~is_low] - 600, 0))
        out[~is_low] = 1 - high
        return out


class FOdds:
    """Log odds of F_β, as offsets from those of the mean of Y + β² Z."""

    def __init__(self, a, b, c, beta):
        b2 = float(beta) ** 2
        self.weights = (1.0, b2) if b2 <= 1 else (1 / b2, 1.0)
        self.gain = 1 + min(b2, 1 / b2)
        self.q, self.w = BetaOdds(a, b + c), BetaOdds(c, b)
        self.a, self.n = float(a), float(b + c)
        self.mean = self.weights[0] * b + self.weights[1] * c
        self.centre = float(np.log(LONG(self.gain)) + np.log(LONG(a)) - np.log(LONG(self.mean)))
        self.std = float(
            np.sqrt(
                1 / max(a, 0.5)
                + min((self.weights[0] ** 2 * b + self.weights[1] ** 2 * c) / self.mean**2, 2)
            )
        )
        # where only one of the weights counts
        self.low = self.q.low - np.log(max(self.weights) * self.n / self.mean)
        self.high = self.q.high - np.log(min(self.weights) * self.n / self.mean)
        ends = [np.log(self.mean / self.n) - np.log(weight) for weight in self.weights]
        self.marks = [
            self.low,
            self.high,
            *(k * self.std for k in (-10, -4, -1, 0, 1, 4, 10)),
            *(end + k * self.q.std for end in ends for k in (-5, -1, 0, 1, 5)),
        ]
        self.marks = [t for t in self.marks if self.low <= t <= self.high]
        self.edges = np.unique(
            [
                *self.w.marks,
                *(-self.w.centre + k for k in (-30, -10, -3, 0, 3, 10, 30)),
                *(-self.w.centre - np.log(b2) + k for k in (-30, -10, -3, 0, 3, 10, 30)),
            ]
        )
        self.edges = self.edges[(self.edges >= self.w.low) & (self.edges <= self.w.high)]

    def _size(self, v):
        """log of (1 - W + β² W) over its mean, less log of Q's scale; v offsets of W's log odds."""
        u = v + self.w.centre
        return np.log(
            (self.weights[0] * expit(-u) + self.weights[1] * expit(u)) * (self.n / self.mean)
        )

    def _given_w(self, of_q, t):
        """The mean over W of a function of Q's offset, for an array t: panels about where Q is in
        its bulk, too."""
        t = np.asarray(t, float)
        flat = t.ravel()
        first, second = self.weights
        panels = []
        for i, value in enumerate(flat):
            # for which Q is at its centre
            size = np.exp(np.clip(-value, -700, 700)) * self.mean / self.n
            more = []
            if min(first, second) < size < max(first, second):
                v = np.log(abs(size - first)) - np.log(abs(second - size)) - self.w.centre
                width = self.q.std * max(
                    1.0, abs(size / (size - first)), abs(size / (second - size))
                )
                more = [v + k * width for k in (-10, -3, -1, 0, 1, 3, 10)]
            edges = np.unique([*self.edges, *(e for e in more if self.w.low < e < self.w.high)])
            panels.append((np.full(len(edges) - 1, i), edges[:-1], edges[1:]))
        panels = tuple(np.concatenate(columns) for columns in zip(*panels, strict=True))
        values = integrals(
            lambda v, owner: self.w.density(v) * of_q(flat[owner] + self._size(v)),
            panels,
            len(flat),
        )
        return values.reshape(t.shape)

    def density(self, t, owner=None):
        return self._given_w(self.q.density, t)

    def quick_density(self, t):
        """By equally spaced nodes over W, twice as many until nothing changes; for narrow laws by
        panels."""
        t = np.asarray(t, float).ravel()
        result, last, todo, n = np.zeros(t.size), np.full(t.size, np.inf), np.arange(t.size), 64
        first, end = (np.arcsinh(v / self.w.std) for v in (self.w.low, self.w.high))
        while todo.size and n <= MOST_NODES:
            u, step = np.linspace(first, end, n, retstep=True)
            v, slope = self.w.std * np.sinh(u), self.w.std * np.cosh(u) * step
            held, size = self.w.density(v) * slope, self._size(v)
            for part in np.array_split(todo, max(1, todo.size * n // 10**6)):
                result[part] = self.q.density(t[part, None] + size) @ held
            settled = (
                np.abs(result - last)[todo].max() * self.std <= 1e-14
                if n < 256
                else np.abs(result - last)[todo] * self.std <= 1e-14
            )
            last, todo, n = result.copy(), todo[~np.broadcast_to(settled, todo.shape)], 2 * n
        if todo.size:
            result[todo] = self.density(t[todo])
        return result

    def below(self, t, owner=None):
        return self._given_w(self.q.below, t)


class Pieces:
    """A law as Legendre series of its density, on panels that are halved until the last
    coefficients are nothing."""

    def __init__(self, law):
        self.centre, self.std, self.a, self.n, self.low, self.high = (
            law.centre,
            law.std,
            law.a,
            law.n,
            law.low,
            law.high,
        )
        x, w = np.polynomial.legendre.leggauss(DEGREE + 1)
        onto = (np.polynomial.legendre.legvander(x, DEGREE) * w[:, None]) * (
            np.arange(DEGREE + 1) + 0.5
        )
        edges = np.unique([law.low, law.high, *law.marks])
        low, high, done = edges[:-1], edges[1:], []
        for _ in range(40):
            middle, half = (low + high) / 2, (high - low) / 2
            series = (
                law.quick_density(middle[:, None] + half[:, None] * x).reshape(-1, DEGREE + 1)
                @ onto
            )
            rough = (np.abs(series[:, -3:]).max(axis=1) * half > 1e-15) & (
                half > NARROW * np.abs(middle)
            )
            done += zip(low[~rough], high[~rough], series[~rough], strict=True)
            if not rough.any():
                break
            low, high = np.r_[low[rough], middle[rough]], np.r_[middle[rough], high[rough]]
        done.sort(key=lambda piece: piece[0])
        self.marks = np.array([piece[0] for piece in done] + [done[-1][1]])
        self.half = np.diff(self.marks) / 2
        self.series = np.array([piece[2] for piece in done])
        self.held = np.r_[0, np.cumsum(2 * self.half * self.series[:, 0])]
        if abs(self.held[-1] - 1) > TOTAL:
            raise NoAnswerError

    def _at(self, t):
        t = np.asarray(t, float)
        i = np.clip(np.searchsorted(self.marks, t, side="right") - 1, 0, len(self.half) - 1)
        x = np.clip((t - self.marks[i]) / self.half[i] - 1, -1, 1)
        powers = np.polynomial.legendre.legvander(x, DEGREE + 1)
        return i, np.moveaxis(powers, -1, 0), np.moveaxis(self.series[i], -1, 0)

    def density(self, t, owner=None):
        _, p, series = self._at(t)
        return np.where((t < self.low) | (t > self.high), 0.0, (p[:-1] * series).sum(axis=0))

    def below(self, t, owner=None):
        i, p, series = self._at(t)
        inside = (p[1] + 1) * series[0] + sum(
            (p[k + 1] - p[k - 1]) * series[k] / (2 * k + 1) for k in range(1, DEGREE + 1)
        )
        return self.held[i] + self.half[i] * inside


def law_of(measure, counts, beta, prior):
    """Of (tp, fp, fn) with one prior."""
    a, b, c = (LONG(n) + LONG(prior) for n in counts)
    if measure == "f":
        return (
            BetaOdds(a, b + c, np.log(2.0))
            if beta == 1
            else FOdds(float(a), float(b), float(c), beta)
        )
    return BetaOdds(a, b if measure == "precision" else c)


# e^-590: the panels of places end at log odds of 600, and a law with a prior of 3e-4 has a fifth of
# its mass beyond these; for -5e-324 the answer was .96, where P(A > B) alone is 1 - 2e-12
LEAST_MARGIN = 5e-257


def superior(first, second, margin=0.0):
    """P(first > second + margin): the mean over the first law of the second one's distribution
    function."""
    first, second = (Pieces(law) if isinstance(law, FOdds) else law for law in (first, second))
    if margin == 0:
        shift = first.centre - second.centre
        edges = [
            t
            for t in [*first.marks, *(t - shift for t in second.marks)]
            if first.low <= t <= first.high
        ]
        return integral(lambda t: first.density(t) * second.below(t + shift), edges)
    if abs(margin) < LEAST_MARGIN:
        raise NoAnswerError("log odds of so small a margin are beyond the panels")
    return _with_margin(first, second, float(margin))


def _with_margin(first, second, margin):
    """Over v = log odds of the place of the first share between the ends of what is possible."""
    past, short, length = max(margin, 0.0), max(-margin, 0.0), 1 - abs(margin)

    def terms(v):
        share, rest = length * expit(v), length * expit(-v)
        x, y, other_x, other_y = past + share, short + rest, short + share, past + rest
        with np.errstate(divide="ignore", invalid="ignore"):
            density = first.density(np.log(x) - np.log(y) - first.centre) * (
                share * rest / length / x / y
            )
            value = density * second.below(np.log(other_x) - np.log(other_y) - second.centre)
        return np.where((x > 0) & (y > 0) & (density > 0), value, 0.0)

    at_margin = np.log(abs(margin))
    least = -60 + (at_margin if past else min(first.centre, 0) - 45 / first.a)
    most = 60 - (at_margin if short else -max(first.centre, 0) - 45 / first.n)
    edges = [least, most, at_margin, -at_margin]
    for law, lower, upper in ((first, past, short), (second, short, past)):
        for t in law.marks:
            x, y = expit(t + law.centre), expit(-t - law.centre)
            if x > lower and y > upper:
                edges.append(np.log(x - lower) - np.log(y - upper))
    # beyond, shares are out of range: the second law stands still there
    edges = [*np.clip(edges, -600, 600)]

    def tail(law, log_odds):
        return float(law.below(np.array([log_odds - law.centre]))[0])

    start, stop = np.log(length) - 600, 600 - np.log(length)
    if margin < 0:
        end = np.log1p(margin) - np.log(-margin)
        certain = 1 - tail(first, end) + tail(first, start) * tail(second, -end)
    else:
        certain = (1 - tail(first, stop)) * tail(second, np.log1p(-margin) - np.log(margin))
    least, most = max(least, -600), min(most, 600)
    return certain + integral(terms, [v for v in edges if least <= v <= most])


def dirichlet_difference_below(x, a, b, c):
    """P(π1 - π2 < x): T = π1 + π2 ~ Beta(a + b, c) and V = π1/T ~ Beta(a, b), T (2 V - 1) < x."""
    if x < 0:
        return 1 - dirichlet_difference_below(-x, b, a, c)
    if x >= 1:
        return 1.0
    share, total = BetaOdds(a, b), BetaOdds(a + b, c)
    # At 10^12 counts the law of T is so narrow that a rounding of T, or of a + b, makes 1e-10.
    start = -np.inf
    if x > 0:
        start = float(mp.log(x) - mp.log1p(-mpf(x)) - mp.log((mpf(a) + b) / c))

    def terms(v):
        t = expit(v + total.centre)
        ratio = np.minimum(x / np.where(t > 0, t, 1), 1.0)
        rise = np.expm1(np.clip(v - start, 0, 40))
        past = x * (1 - x) * rise / (1 + x * rise) if x > 0 else t
        past = np.where(v - start < 40, past, t - x)
        rest = np.where(t > 0, past / np.where(t > 0, t, 1), 0.0)
        with np.errstate(divide="ignore"):
            log_odds = np.log1p(ratio) - np.log(rest)
        density = total.density(v)
        below = np.where(rest > 0, 0.0, 1.0)
        asked = (rest > 0) & (density > UNSEEN * min(1.0, total.a, total.b))
        below[asked] = share.below(log_odds[asked] - share.centre)
        return density * below

    edges = list(total.marks)
    if x > 0:
        edges += [start, *(start + 10.0**k for k in range(-12, 2))]
        for t in share.marks:
            lead = np.tanh((t + share.centre) / 2)  # 2 V - 1
            if lead > x:
                edges.append(np.log(x) - np.log(lead - x) - total.centre)
    return integral(terms, [v for v in edges if total.low <= v <= total.high])
