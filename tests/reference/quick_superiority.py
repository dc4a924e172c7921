"""P(one system is better than another), quickly: both densities of log odds, on the same panels.

The laws are those of `float_shares`, but nothing of its code is used, and no distribution function:
P(A > B + m) is the integral over v of the density of A times the integral of that of B up to v,
where A = m + (1 - m) s and B = (1 - m) s, s = e^v/(1 + e^v), so that A - m and B have the same
place. Densities are polynomials on panels that are halved until their last Legendre coefficients
are below 1e-15; a second set of panels, with other nodes, takes the integral the other way round
(the density of B times what A has above), and both must agree within 2e-13. A law of F is a sum
over W, the share of FN in FN + FP, at points equally spaced in asinh of its log odds: a trapezoidal
sum of a function with doubly exponential ends, of which every second point must do as well.

Where the answers differ, panels grow too many, or W needs too many points, NoAnswerError says so.
"""

import functools

import numpy as np

LONG = np.longdouble
FLAT, AGREE, MASS = 1e-15, 2e-13, 3e-13
NODES = 16, 21
MOST_PANELS, ROUNDS = 600, 12
POINTS = 769, 3073, 12289  # of W
PLAIN = 300.0  # below, a sum of terms as large as the square root has 14 digits
FAR = 100.0  # e^-100 of a density, which is at most 10^12
SPOTS = np.array([-8, -5, -3.3, -2.1, -1.3, -0.6, 0, 0.4, 1.1, 1.9, 2.7, 4, 6.5])


class NoAnswerError(ArithmeticError):
    """Not sure."""


def log_mean_series(p, most, degree=26):
    """Coefficients of t^2, t^3, ... in log(1 + p (e^t - 1)) - p t, for |t| <= most < 1, p <= 1/2.

    They are cumulants of an indicator over factorials, and fall as pi^-k; with e^t in place of t,
    differences of large terms would be left.
    """
    # of (1 + p (e^t - 1)) f' = p e^t, f = the logarithm
    powers = np.cumprod(np.concatenate([[LONG(1)], 1 / np.arange(1, degree, dtype=LONG)]))
    slope = [p]
    for k in range(1, degree - 1):
        slope.append(p * powers[k] - p * sum(powers[j] * slope[k - j] for j in range(1, k + 1)))
    series = np.array([slope[k] / (k + 1) for k in range(1, degree - 1)])
    sizes = np.abs(series) * LONG(most) ** np.arange(series.size) / series[0]
    return series[: 1 + np.flatnonzero(sizes > 1e-17).max()].astype(float)


class Beta:
    """Log odds of Beta(a, b), plus `shift`, as offsets from the peak."""

    def __init__(self, a, b, shift=0.0):
        a, b = LONG(a), LONG(b)
        self.centre = np.log(a) - np.log(b) + LONG(shift)
        self.a, self.b = float(a), float(b)
        self.p, self.rest = float(a / (a + b)), float(b / (a + b))
        self.std = np.sqrt(1 / max(self.a, 0.5) + 1 / max(self.b, 0.5))
        self.low, self.high = -45 / self.a - 10 * self.std, 45 / self.b + 10 * self.std
        self.edge_scale = min(self.std, 1.0)
        self.edges = spread(self.edge_scale, self.low, self.high)
        self.series = None
        if min(self.a, self.b) > PLAIN:
            self.series = log_mean_series(min(a, b) / (a + b), max(-self.low, self.high))
            if a > b:  # of 1 - p at -t, as p - p^2 would lose digits
                self.series[1::2] *= -1
        first, last = np.arcsinh(self.low / self.std), np.arcsinh(self.high / self.std)
        u, step = np.linspace(first, last, 801, retstep=True)
        terms = self._relative(self.std * np.sinh(u)) * self.std * np.cosh(u) * step
        self.total = terms.sum()
        if abs(2 * terms[::2].sum() / self.total - 1) > 1e-14:
            raise NoAnswerError("the density of a Beta law")

    def _relative(self, t):
        t = np.clip(t, self.low, self.high)  # beyond, it is below e^-45 of the greatest
        if self.series is not None:
            out = np.full(t.shape, self.series[-1])
            for coefficient in self.series[-2::-1]:
                out *= t
                out += coefficient
            out *= t
            out *= t
            out *= -(self.a + self.b)
            return np.exp(out, out=out)
        # by the smaller parameter, whose two terms are small
        a, p, t = (self.a, self.p, t) if self.a <= self.b else (self.b, self.rest, -t)
        if t.max(initial=0) < 600:
            return np.exp(a * t - (self.a + self.b) * np.log1p(p * np.expm1(t)))
        log = np.maximum(t, 0) + np.log1p(np.where(t > 0, 1 - p, p) * np.expm1(-np.abs(t)))
        return np.exp(a * t - (self.a + self.b) * log)

    def density(self, t):
        """At offsets."""
        return self._relative(t) / self.total


def more_share(law, t):
    """How much larger the share is than at the peak, less 1."""
    change = np.expm1(-np.abs(t))
    size = np.where(t > 0, law.rest, law.p) * change + 1  # 1 + p (e^t - 1), over e^t if t > 0
    return law.rest * np.where(t > 0, -change, change) / size


class Mixed:
    """Log odds of F of another weight: those of TP among all, less the log of a mean weight."""

    def __init__(self, a, b, c, beta):
        weight = LONG(beta) ** 2
        first, second = (LONG(1), weight) if weight <= 1 else (1 / weight, LONG(1))
        mean = first * b + second * c
        self.q, w = Beta(a, b + c), Beta(c, b)
        self.centre = np.log1p(min(weight, 1 / weight)) + np.log(LONG(a)) - np.log(mean)
        ratio = float((second - first) / mean * c), float((LONG(b) + c) / mean)
        weights = float(first), float(second)
        for n in POINTS:
            size, held = self._points(w, ratio, weights, n)
            self.std = np.hypot(self.q.std, np.sqrt(held @ (size - held @ size) ** 2))
            if self._choose(size, held):
                break
        else:
            raise NoAnswerError("too many points of W")
        size = self.size
        self.low, self.high = self.q.low - size.max(), self.q.high - size.min()
        self.edge_scale = scale = min(self.q.std, 1.0)
        self.edges = np.concatenate(
            [spread(min(self.std, 1.0), self.low, self.high)]
            + [
                -end + scale * np.array([-6, -3, -1.5, 0, 1.5, 3, 6])
                for end in (size.min(), size.max())
            ]
        )
        self.edges = self.edges[(self.edges >= self.low) & (self.edges <= self.high)]

    @staticmethod
    def _points(w, ratio, weights, n):
        """Offsets of the log of the mean weight, and what each holds."""
        u, step = np.linspace(
            np.arcsinh(w.low / w.std), np.arcsinh(w.high / w.std), n, retstep=True
        )
        v = w.std * np.sinh(u)
        held = w.density(v) * w.std * np.cosh(u) * step
        more = ratio[0] * more_share(w, v)
        place = np.clip(v + float(w.centre), -700, 700)
        direct = ratio[1] * (weights[0] / (1 + np.exp(place)) + weights[1] / (1 + np.exp(-place)))
        return np.where(more > -0.5, np.log1p(np.maximum(more, -0.5)), np.log(direct)), held

    def _choose(self, size, held):
        """The fewest points that do, at some places, and half of which do almost."""
        t = np.concatenate([SPOTS * self.std, SPOTS[::3] * self.q.std, SPOTS[::3]])
        terms = self.q.density(t[:, None] + size)
        sums = {k: terms[:, ::k] @ held[::k] * k for k in (1, 2, 4, 8, 16, 32)}
        scale = 1 / max(sums[1].max(), 1e-300)
        apart = {k: np.abs(sums[k] - sums[1]).max() * scale for k in sums}
        if apart[2] > 1e-14:
            return False
        stride = max(k for k in sums if max(apart[j] for j in sums if j <= k) < 1e-14)
        size, held = size[::stride], held[::stride] * stride
        self.size, self.held = size[held > 1e-19], held[held > 1e-19]
        return True

    def density(self, t):
        """At offsets."""
        flat, out = t.ravel(), np.empty(t.size)
        for part in np.array_split(np.arange(t.size), t.size * self.size.size // 50_000 + 1):
            out[part] = self.q.density(flat[part, None] + self.size) @ self.held
        return out.reshape(t.shape)


def spread(scale, low, high):
    """Edges at growing distances from 0, both ends among them."""
    steps = [0.0, 1.3, 2.6, 4.0, 6.0, 9.0]
    while steps[-1] * scale < max(-low, high):
        steps.append(steps[-1] * 1.6)
    steps = scale * np.array(steps)
    edges = np.concatenate([-steps[:0:-1], steps])
    return np.concatenate([[low], edges[(edges > low) & (edges < high)], [high]])


@functools.cache
def rules(n):
    """Nodes, weights, the matrix of integrals from -1 to each node, and that of the last three
    coefficients."""
    x, w = np.polynomial.legendre.leggauss(n)
    p = np.polynomial.legendre.legvander(x, n)
    onto = (p[:, :n] * w[:, None] * (np.arange(n) + 0.5)).T  # values to coefficients
    up = np.empty((n, n))
    up[:, 0] = x + 1
    for k in range(1, n):
        up[:, k] = (p[:, k + 1] - p[:, k - 1]) / (2 * k + 1)
    return x, w, up @ onto, onto[-3:]


class Places:
    """The offsets of both laws at v, and their derivatives."""

    def __init__(self, first, second, margin):
        self.laws = first, second
        self.margin = LONG(margin)
        if margin:
            self.log = np.log(self.margin), np.log1p(-self.margin)
            log = float(self.log[0])
            wide = np.array([-64, -32, -16, -8, -4, -2, 0, 2, 4, 8, 16, 32, 64.0])
            self.more = [wide, wide + log, wide - log, np.arange(-60, 61, 3.0)]
        else:
            self.shift, self.more = first.centre - second.centre, []

    def at(self, which, v):
        """Offsets and derivatives."""
        if not self.margin:
            return (v if which == 0 else v + self.shift), np.ones(v.shape)
        log, rest = self.log
        centre = self.laws[which].centre
        if which == 0:
            whole = np.logaddexp(log, v)
            return whole - rest - centre, np.exp(v - whole).astype(float)
        whole = np.logaddexp(LONG(0), v + log)
        return v + rest - whole - centre, np.exp(-whole).astype(float)

    def edges(self, which):
        """The law's own, and the first and last v where it matters."""
        law = self.laws[which]
        t = law.edges.astype(LONG)
        if not self.margin:
            v = t if which == 0 else t - self.shift
            return v, v.min(), v.max()
        t, (log, rest) = t + law.centre, self.log
        if which == 0:
            v = t + rest + np.log1p(-np.exp(np.minimum(log - rest - t, 0)))
        else:
            v = t - rest - np.log1p(-np.exp(np.minimum(log - rest + t, 0)))
        v = v[np.isfinite(v)]
        far = FAR - log  # past the margin, where laws of log odds stop to change
        if which == 0:
            return v, -far, LONG(v.max(initial=-far))
        return v, LONG(v.min(initial=far)), far


def panels_of(places, n, is_second):
    """Low ends, halves, and both densities at the nodes of panels on which they are polynomials."""
    (first, *range_0), (second, *range_1) = places.edges(0), places.edges(1)
    edges = np.concatenate([first, second, range_0, range_1, *places.more])
    low, high = min(range_0[0], range_1[0]), max(range_0[1], range_1[1])
    edges = np.unique(edges[(edges >= low) & (edges <= high)])
    # laws alike have edges side by side
    scales = [law.edge_scale / places.at(k, edges)[1] for k, law in enumerate(places.laws)]
    least = 0.5 * np.minimum(np.minimum(*scales), 1)
    edges = edges[np.concatenate([[True], np.diff(edges) > least[1:]])]
    if is_second:
        edges = np.concatenate([edges[:1], edges[:-1] + LONG(0.42) * np.diff(edges), edges[-1:]])
    low, high = edges[:-1], edges[1:]
    x, _, _, last = rules(n)
    done = []
    for _ in range(ROUNDS):
        middle, half = (low + high) / 2, ((high - low) / 2).astype(float)
        v = middle[:, None] + half[:, None] * x
        values = np.zeros((2, *v.shape))
        for which, (start, end) in enumerate((range_0, range_1)):
            there = (high > start) & (low < end)
            t, slope = places.at(which, v[there])
            values[which, there] = places.laws[which].density(t.astype(float)) * slope
        tails = np.abs(values @ last.T).sum(axis=(0, 2)) * half
        rough = tails > FLAT * 20
        done.append((low[~rough], half[~rough], values[:, ~rough], tails[~rough]))
        if not rough.any():
            break
        low, high = (
            np.concatenate([low[rough], middle[rough]]),
            np.concatenate([middle[rough], high[rough]]),
        )
        if low.size > MOST_PANELS:
            raise NoAnswerError("too many panels")
    else:
        raise NoAnswerError("too rough")
    low, half, tails = (np.concatenate([part[k] for part in done]) for k in (0, 1, 3))
    values = np.concatenate([part[2] for part in done], axis=1)
    order = np.argsort(low)
    return half[order], values[:, order], tails.sum()


def above(places, n, is_second):
    """P(A is above B): by B's law up to A, or by A's law above B."""
    half, (first, second), error = panels_of(places, n, is_second)
    _, w, up, _ = rules(n)
    masses = [(values @ w) * half for values in (first, second)]
    if not places.margin and max(abs(1 - mass.sum()) for mass in masses) > MASS:
        raise NoAnswerError("a law that does not hold 1")
    of, inner, mass = (second, first, masses[0]) if is_second else (first, second, masses[1])
    held = np.concatenate([[0.0], np.cumsum(mass)])
    below = held[:-1, None] + half[:, None] * (inner @ up.T)
    if is_second:
        below = held[-1] - below
    return float(((of * below) @ w) @ half), error


def superior(first, second, margin=0.0):
    """P(first > second + margin) for laws of this module, -1 < margin < 1."""
    if margin < 0:
        return 1 - superior(second, first, -margin)
    places = Places(first, second, margin)
    with np.errstate(all="ignore"):
        (one, error), (other, _) = above(places, NODES[0], False), above(places, NODES[1], True)
    if not (abs(one - other) <= AGREE and error <= AGREE):
        raise NoAnswerError(f"{one} and {other}, {error}")
    return min(max(one, 0.0), 1.0)  # a sum of masses may be below 0 by as much as AGREE


def law_of(measure, counts, beta, prior):
    """Of (tp, fp, fn) with one prior, or of (successes, failures) of a share."""
    shapes = [float(LONG(n) + LONG(prior)) for n in counts]
    if measure != "f":
        return Beta(shapes[0], shapes[1 if measure != "recall" else 2])
    a, b, c = shapes
    return Beta(a, LONG(b) + c, np.log(LONG(2))) if beta == 1 else Mixed(a, b, c, beta)
