"""The density of F_β for tiny shapes, by mpmath."""

from mpmath import beta as beta_function
from mpmath import exp, log, log1p, mpf, quad, workdps


def f_density(shapes, beta, x):
    """The density at x of F = (1 + β²) X/((1 + β²) X + β² Z + Y), X, Y, Z gamma variates with these
    shapes, by 30 digits.

    W, the share of Y in Y + Z, is a beta variate independent of the odds of X to Y + Z.  The
    integral is over the log odds of W, whose density falls like exp(-shape |v|).
    """
    with workdps(30):
        a, b_fp, b_fn = map(mpf, shapes)
        square, x = mpf(beta) ** 2, mpf(x)
        b, place = b_fp + b_fn, log(x) - log1p(-x) - log1p(square)
        scale = beta_function(a, b) * beta_function(b_fp, b_fn)

        def density_of_odds(u):
            """The density of the logarithm of X/(Y + Z), but for its constant."""
            return (
                exp(a * u - (a + b) * log1p(exp(u)))
                if u < 0
                else exp(-b * u - (a + b) * log1p(exp(-u)))
            )

        def integrand(v):
            log_share, log_rest = -log1p(exp(-v)), -log1p(exp(v))
            weight = exp(log_share) + square * exp(log_rest)
            return exp(b_fp * log_share + b_fn * log_rest) * density_of_odds(place + log(weight))

        # v to -inf is Y to 0, whose shape is b_fp
        ends = [*(-v for v in reversed(panels(80 / b_fp))), 0, *panels(80 / b_fn)]
        return float(quad(integrand, ends) / scale / x / (1 - x))


def panels(last):
    """Ends of panels of a length of 1/4 near 0, and growing like a power beyond."""
    found, end = [], 0.25
    while end < last:
        found.append(end)
        end = end + 0.25 if end < 40 else end * 1.5
    return [*found, last]
