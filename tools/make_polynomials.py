"""Print the polynomials of csrc/numeric/vector_math.h: Chebyshev fits at 40 digits, lowest power
first, and the error.

    python tools/make_polynomials.py
"""

from mpmath import atan, atanh, chebyfit, expm1, log, log1p, mp, mpf, nstr, sqrt

mp.dps = 40
TINY = mpf(10) ** -12


def arc_tangent(z: mpf) -> mpf:
    """(2 atanh(s)/s - 2)/z at z = s^2."""
    return 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z if z > TINY else mpf(2) / 3 + 2 * z / 5


def angle(z: mpf) -> mpf:
    """(atan(s)/s - 1)/z at z = s^2."""
    return (atan(sqrt(z)) / sqrt(z) - 1) / z if z > TINY else -mpf(1) / 3 + z / 5


def exponential(r: mpf) -> mpf:
    """(exp(r) - 1 - r)/r^2."""
    return (expm1(r) - r) / (r * r) if abs(r) > TINY else mpf(1) / 2 + r / 6


def logarithm(f: mpf) -> mpf:
    """log(1 + f)/f."""
    return log1p(f) / f if f else mpf(1)


# Scaled by a whole power of 2 that is read off the bits, a ratio is within 2^(+-0.5861), so that
# s^2 <= 0.0402. Less 0, pi/4 or pi/2, an angle is at most pi/8, so that s^2 <= tan(pi/8)^2.
for function, ends, terms in (
    (arc_tangent, [0, mpf("0.0402")], 7),
    (angle, [0, (sqrt(mpf(2)) - 1) ** 2], 11),
    (exponential, [-log(2) / 2, log(2) / 2], 10),
    (logarithm, [sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1], 6),
):
    coefficients, error = chebyfit(function, ends, terms, error=True)
    print(
        function.__name__,
        nstr(error, 3),
        *(nstr(c, 18) for c in reversed(coefficients)),
        sep="\n    ",
    )
