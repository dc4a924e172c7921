"""The transform of the yield of an audited segment between frequencies at which it is computed.

With tiny audits it falls like a power of the frequency, and all frequencies up to π matter.  There
it is P(t) + exp(i U t) Q(t), U documents not audited: the parts of both ends of the law, at which
it is singular.  P and Q are analytic but at t = 0 (Abramowitz & Stegun 15.3.6).  On [b, 3b/2] with
x = -1 to 1, t = 0 lies at -5: polynomials of Chebyshev of degree d have an error of the order of
(5 + √24)^-d, 1e-14 of the transform's size for d = 14.

Least squares find both polynomials from more frequencies than coefficients, and the residuals
show whether it has this form.  The error between the frequencies was up to 7 times the largest
residual (some 100 windows of 6 designs to 20,000 documents).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebvander

DEGREE, SAMPLES = 14, 48
RANK = 1e-13  # relative: directions that the samples do not tell


def window(
    transform: Callable[[np.ndarray], np.ndarray],
    documents: float,
    ring: int,
    begin: int,
    end: int,
    most_residual: float,
) -> np.ndarray | None:
    """E exp(i t Y) at t = 2 π k/ring, begin <= k < end, from its values at some of them; None if
    these do not have the form.  `transform` takes an array of t."""
    middle, half = (begin + end - 1) / 2, (end - 1 - begin) / 2
    nodes = np.cos((np.arange(SAMPLES) + 0.5) * (math.pi / SAMPLES))
    some = np.unique(np.rint(middle + half * nodes))
    values = transform(some * (2 * math.pi / ring))
    powers = chebvander((some - middle) / half, DEGREE)
    basis = np.hstack([powers, _turned(some, documents, ring)[:, None] * powers])
    found = np.linalg.lstsq(basis, values, rcond=RANK)[0]
    if not abs(basis @ found - values).max() <= most_residual:
        return None
    every = np.arange(begin, end, dtype=float)
    x = (every - middle) / half
    low, high = chebval(x, np.column_stack(np.split(found, 2)))
    return np.asarray(low + _turned(every, documents, ring) * high)


def _turned(k: np.ndarray, documents: float, ring: int) -> np.ndarray:
    """exp(i U t), whose angle keeps its digits."""
    return np.exp(2j * math.pi / ring * np.fmod(k * documents, ring))
