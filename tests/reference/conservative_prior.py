"""Dyer & Pierce's most conservative prior, slowly: Webber 2013 (W), section 2.8."""

from mpmath import gamma, log, mp, mpf, sqrt, workdps

from .samples import betabinomial_pmf


def information_gain(size, sampled, a):
    """W eq. 18 with alpha = beta = a, as it stands."""
    N, n, a = size, sampled, mp.convert(a)
    total = mpf(0)
    for x in range(n + 1):
        for r in range(x, N - n + x + 1):
            weight = mp.binomial(n, x) * mp.binomial(N - n, r - x) * gamma(a + r) * gamma(a + N - r)
            above_the_line = mp.binomial(N - n, r - x) * gamma(a) ** 2 * gamma(2 * a + n)
            below_the_line = mp.binomial(N, r) * gamma(a + x) * gamma(a + n - x) * gamma(2 * a)
            total += weight * log(above_the_line / below_the_line)
    return gamma(2 * a) / (gamma(a) ** 2 * gamma(2 * a + N)) * total


def information_gain_by_margins(size, sampled, a):
    """The same as a sum of expectations, for large sizes.

    With s = r - x: eq. 18 is the mean of ln C(N-n, s) - ln C(N, r) + ln(B(a, a) / B(a+x, a+n-x)),
    and s, r, x alone are BetaBin(N-n; a, a), BetaBin(N; a, a), BetaBin(n; a, a); the last term is
    ln(C(n, x) / P(x)).
    """
    a = mp.convert(a)

    def expected(m, function):
        return sum(p * function(k, p) for k, p in betabinomial_pmf(m, a, a).items())

    def choices(m):
        return expected(m, lambda k, _: log(mp.binomial(m, k)))

    return (
        choices(size - sampled)
        - choices(size)
        + choices(sampled)
        - expected(sampled, lambda _, p: log(p))
    )


def limits(size, sampled):
    """W 2.8's largest N and n, both as caps: they change nothing up to N = 1000."""
    return min(size, 1000), min(sampled, 1000 - min(size - sampled, 200))


def most_conservative_prior(size, sampled, gain=information_gain, digits=10):
    """The a = b that maximises eq. 18, by golden sections of [0, 1] (the gain is concave in a).

    One sampled document of several: the gain falls with a, and 0 is the limit (W 2.8). None
    sampled, or one of one: the gain does not depend on a, and there is no answer. All sampled: 1.
    """
    N, n = limits(size, sampled)
    if n == 0 or N == 1:
        raise ValueError(f"every prior gains as much from {sampled} of {size} documents")
    if n == 1:
        return mpf(0)
    golden = (sqrt(mpf(5)) - 1) / 2
    with workdps(2 * digits + 5):
        low, high = mpf(0), mpf(1)
        x, y = 1 - golden, golden
        at_x, at_y = gain(N, n, x), gain(N, n, y)
        while high - low > mpf(10) ** -digits:
            if at_x > at_y:
                high, y, at_y = y, x, at_x
                x = high - golden * (high - low)
                at_x = gain(N, n, x)
            else:
                low, x, at_x = x, y, at_y
                y = low + golden * (high - low)
                at_y = gain(N, n, y)
        return (low + high) / 2
