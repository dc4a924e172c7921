"""Integrals over the line and Beta laws, slowly, to about 40 good digits whatever the parameters a,
b > 0.

Every law on (0, 1) is handled as that of t = ln(x/(1-x)): there the density of a Beta is e^(at) /
(1+e^t)^(a+b) / B(a, b), one peak and no singular ends, and x as near to 0 or 1 as may be stays
exact. Integrals are trapezoidal sums, refined until they stand still, and right relative to the
value. A float means the binary number that it is; a string the decimal.
"""

from functools import cache

from mpmath import cosh, exp, fdot, inf, log, loggamma, mp, mpf, pi, si, sinh, sqrt, workdps

mp.dps = max(mp.dps, 50)

HALF = mpf(1) / 2


# Quadrature
# ---------------------------------------------------------------------------------------------


def locate(g):
    """The peak of a positive, one-peaked g on the line, and about how far from it g falls to e^-1/2
    of it."""
    with workdps(15):
        t, step, here = mpf(0), mpf(1), log(g(mpf(0)))
        while True:
            left, right = log(g(t - step)), log(g(t + step))
            if max(left, right) > here:
                t, here = (t + step, right) if right > left else (t - step, left)
                step *= 2
            elif here - min(left, right) > 1:
                step /= 2
            else:
                return t, step


def reach(g, h):
    """How many steps of h from 0, down and up, until a one-peaked g no longer matters; and the sum
    of g till there."""
    at_0, counts = g(mpf(0)), []
    total = at_0
    for sign in (-1, 1):
        k, before, term = 0, mpf(0), at_0
        while term > mp.eps * total or term > before:
            k, before, term = k + 1, term, g(sign * (k + 1) * h)
            total += term
        counts.append(k)
    return *counts, total


def trapezoid(g):
    """Integral over the line of an analytic g with one peak and ends that fall like exp(-exp |u|).

    Halving the step squares the error or better (Takahasi & Mori 1974): two sums that agree to half
    the digits leave the second one right to nearly all of them.
    """
    h, old = HALF, mpf(-1)
    down, up, total = reach(g, h)
    total *= h
    while abs(total - old) > sqrt(mp.eps) * total:
        old, total = total, (total + h * sum(g((k + HALF) * h) for k in range(-down, up))) / 2
        h, down, up = h / 2, 2 * down, 2 * up
    return total


def stretched(g, centre, scale):
    """g(t) dt as a function of u, t = centre + scale sinh u: exponential ends become doubly so."""
    return lambda u: g(centre + scale * sinh(u)) * scale * cosh(u)


def integral(g):
    """Integral over the line of a one-peaked g with exponential ends: peak and width are looked for
    first."""
    return trapezoid(stretched(g, *locate(g)))


def ordered(f, g):
    """Integral of f(v) g(w) over w < v.

    On points u_j at distance h, g's integral up to u_k is h sum_j g(u_j) (1/2 + Si(pi (k-j))/pi):
    its sinc series integrated term by term. The error falls with h much as the trapezoidal rule's
    does (Stenger 1993, section 3.6).
    """
    (t1, scale1), (t2, scale2) = locate(f), locate(g)
    f, g = (cache(stretched(function, (t1 + t2) / 2, max(scale1, scale2))) for function in (f, g))
    h, old, total = HALF, mpf(-1), mpf(0)
    down, up = map(max, zip(reach(f, h)[:2], reach(g, h)[:2], strict=True))
    while abs(total - old) > sqrt(mp.eps) * total:
        h, down, up = h / 2, 2 * down, 2 * up
        ks = range(-down, up + 1)
        up_to = {j: HALF + si(pi * j) / pi for j in range(-down - up, down + up + 1)}
        at_g = [g(k * h) for k in ks]
        old, total = (
            total,
            h**2 * sum(f(k * h) * fdot(at_g, [up_to[k - j] for j in ks]) for k in ks),
        )
    return total


# Beta laws
# ----------------------------------------------------------------------------------------------


def logit(x):
    """ln(x/(1-x)); ends included."""
    x = mp.convert(x)
    return -inf if x <= 0 else inf if x >= 1 else log(x / (1 - x))


def expit(t):
    """e^t/(1+e^t), the way back."""
    return 1 / (1 + exp(-t))


@cache
def log_beta(a, b, _precision):
    """ln B(a, b); the precision only keys the cache."""
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def density(t, a, b):
    """Density at t of ln(x/(1-x)), x ~ Beta(a, b)."""
    return exp(a * t - (a + b) * log(1 + exp(t)) - log_beta(a, b, mp.prec))


@cache
def half_line(u, _precision):
    """s = e^(u - e^-u) > 0 and ds/du."""
    s = exp(u - exp(-u))
    return s, s * (1 + exp(-u))


def below(t, a, b):
    """P(ln(x/(1-x)) <= t), from the tail on t's side of the mean: by its series if that is short,
    or by quadrature."""
    if mp.isinf(t):
        return mpf(t > 0)
    if t > log(a / b):
        return 1 - below(-t, b, a)
    ratio = expit(t) * max(1, (a + b + 200) / (a + 201))
    return (tail_by_series if ratio**400 < mp.eps else tail_by_quadrature)(t, a, b)


def tail_by_series(t, a, b):
    """x^a (1-x)^b / (a B(a, b)) (1 + x (a+b)/(a+1) + x^2 (a+b)(a+b+1)/((a+1)(a+2)) + ...) (DLMF
    8.17.8).

    All terms are positive, and their ratio goes monotonely to x: the larger of x and the first
    ratio bounds the rest.
    """
    x, total, term, top, bottom = expit(t), mpf(1), mpf(1), a + b, a + 1
    enough = mp.eps * (1 - max(x, x * top / bottom))
    while term > enough:
        term *= x * top / bottom
        total += term
        top, bottom = top + 1, bottom + 1
    return density(t, a, b) / a * total


def tail_by_quadrature(t, a, b):
    """Integral of the density from -infinity to t."""
    scale = 1 / (abs(a - (a + b) * expit(t)) + sqrt(a * b / (a + b)))  # about the tail's length
    norm = log_beta(a, b, mp.prec)

    def along_the_tail(u):
        """The density at t - s, s = scale e^(u - e^-u), times ds/du."""
        s, ds = half_line(u, mp.prec)
        y = t - scale * s
        return exp(a * y - (a + b) * log(1 + exp(y)) - norm) * ds

    return scale * trapezoid(along_the_tail)


def beta_cdf(x, a, b):
    """P(Beta(a, b) <= x), the regularised incomplete Beta function I_x(a, b)."""
    return below(logit(x), mp.convert(a), mp.convert(b))


def logit_quantile(p, a, b):
    """The t with P(ln(x/(1-x)) <= t) = p: Newton's method on ln p, which is concave in t, so it
    cannot go astray."""
    if p > HALF:
        return -logit_quantile(1 - p, b, a)
    t, step = log(a / b), inf
    while abs(step) > mp.eps**0.6:
        reached = below(t, a, b)
        step = log(p / reached) * reached / density(t, a, b)
        t += step
    return t


def beta_ppf(p, a, b):
    """The p-quantile of Beta(a, b), 0 < p < 1."""
    return expit(logit_quantile(mp.convert(p), mp.convert(a), mp.convert(b)))


def root(g, x, y):
    """Where g is 0 between x and y: regula falsi, the end that stays halved (the Illinois rule)."""
    at_x, at_y, at_z = g(x), g(y), inf
    while abs(at_z) > mp.eps**0.7:
        z = y - at_y * (y - x) / (at_y - at_x)
        at_z = g(z)
        x, at_x = (y, at_y) if at_y * at_z < 0 else (x, at_x / 2)
        y, at_y = z, at_z
    return y


def beta_hpd(a, b, level):
    """The shortest interval that holds `level` of Beta(a, b), as (low, high).

    Both > 1: equal densities at both ends. One <= 1 <= the other: the density is monotone, the
    interval begins at 0 or at 1. Both 1: every interval of that length is as short, and the middle
    one is meant. Both < 1: the density has the shape of a U; two ends of equal density then are the
    *longest* interval, so the shortest begins at 0 or at 1 (0 if both are as short; the highest
    density region would be two pieces).
    """
    a, b, level = mp.convert(a), mp.convert(b), mp.convert(level)
    if a == b == 1:
        return (1 - level) / 2, (1 + level) / 2
    if a <= 1 or b <= 1:
        from_0, from_1 = beta_ppf(level, a, b), beta_ppf(1 - level, a, b)
        at_0 = a == b or from_0 < 1 - from_1 if a < 1 and b < 1 else a <= 1 <= b
        return (mpf(0), from_0) if at_0 else (from_1, mpf(1))
    mode = log((a - 1) / (b - 1))

    def height(t):
        """ln of the density in x, up to a constant: concave in t."""
        return (a - 1) * t - (a + b - 2) * log(1 + exp(t))

    def partner(low):
        """The point above the mode that is as high as `low`: Newton's method from above it."""
        t, step = 2 * mode - low, mode - low
        while height(t) > height(low):
            t, step = t + step, 2 * step
        while abs(step) > mp.eps**0.6 * (1 + abs(t)):
            step = (height(low) - height(t)) / (a - 1 - (a + b - 2) * expit(t))
            t += step
        return t

    def excess(low):
        return below(partner(low), a, b) - below(low, a, b) - level

    width = sqrt(1 / a + 1 / b)
    while excess(mode - width) < 0:
        width *= 2
    low = root(excess, mode - width, mode - mp.eps**0.2 * width)
    return expit(low), expit(partner(low))
