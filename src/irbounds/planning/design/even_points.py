"""Points of a Sobol sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from irbounds.typing import FloatArray

# For each dimension after the first a primitive polynomial over {0, 1}, its coefficients as bits,
# and the first direction numbers: Joe and Kuo 2008, as SciPy has them.  Its package of statistics
# takes half a second to import, as long as a whole plan.
DIRECTIONS = (
    (3, 1),
    (7, 1, 3),
    (11, 1, 3, 1),
    (13, 1, 1, 1),
    (19, 1, 1, 3, 3),
    (25, 1, 3, 5, 13),
    (37, 1, 1, 5, 5, 17),
    (41, 1, 1, 5, 5, 5),
    (47, 1, 1, 7, 11, 19),
    (55, 1, 1, 5, 1, 1),
    (59, 1, 1, 1, 3, 11),
    (61, 1, 3, 5, 5, 31),
    (67, 1, 3, 3, 9, 7, 49),
    (91, 1, 1, 1, 15, 21, 21),
    (97, 1, 3, 1, 13, 27, 49),
    (103, 1, 1, 1, 15, 7, 5),
    (109, 1, 3, 1, 15, 13, 25),
    (115, 1, 1, 5, 5, 19, 61),
    (131, 1, 3, 7, 11, 23, 15, 103),
    (137, 1, 3, 7, 13, 13, 15, 69),
    (143, 1, 1, 3, 13, 7, 35, 63),
    (145, 1, 3, 5, 9, 1, 25, 53),
    (157, 1, 3, 1, 13, 9, 35, 107),
)


def even_points(dimensions: int, count: int) -> FloatArray:
    """Points of a Sobol sequence, turned by fixed random numbers; `count` is a power of two.

    They are the same for all designs, so that comparing two designs has no noise of its own.
    """
    turned = np.random.default_rng(0).random(dimensions)
    return np.asarray((_sobol(dimensions, count) + turned) % 1)


def _sobol(dimensions: int, count: int) -> FloatArray:
    if dimensions > len(DIRECTIONS) + 1:
        from scipy.stats import qmc

        return np.asarray(qmc.Sobol(dimensions, scramble=False).random(count))
    bits = count.bit_length() - 1
    order = np.arange(count)
    order ^= order >> 1  # the Gray code: the order of the usual algorithm
    points = np.empty((count, dimensions))
    for i in range(dimensions):
        whole = np.zeros(count, np.int64)
        for k, direction in enumerate(_directions(i, bits)):
            whole ^= (order >> k & 1) * (direction << (bits - 1 - k))
        points[:, i] = whole / count
    return points


def _directions(dimension: int, bits: int) -> list[int]:
    """Return the direction numbers by Bratley and Fox's recurrence."""
    if dimension == 0:
        return [1] * bits
    polynomial, *numbers = DIRECTIONS[dimension - 1]
    degree = polynomial.bit_length() - 1
    for k in range(degree, bits):
        number = numbers[k - degree] ^ (numbers[k - degree] << degree)
        for i in range(1, degree):
            if polynomial >> (degree - i) & 1:
                number ^= numbers[k - i] << i
        numbers.append(number)
    return numbers[:bits]
