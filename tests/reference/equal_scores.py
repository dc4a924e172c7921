"""Which scores of a ranking count as equal, by the definition alone."""

import itertools
import math
import struct


def rounded(score):
    """The nearest 32-bit float."""
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return math.copysign(math.inf, score)


def are_equal(a, b, tolerance):
    """Whether the scores a >= b are, side by side."""
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return a - b <= tolerance * max(abs(a), abs(b))


def tie_groups(scores, precision="float64", tolerance=0.0):
    """The number of each document's tie group, from 0 for the highest scores."""
    if precision == "float32":
        scores = list(map(rounded, scores))
    falling = sorted(set(scores), reverse=True)
    group = {falling[0]: 0} if falling else {}
    for a, b in itertools.pairwise(falling):
        group[b] = group[a] + (not are_equal(a, b, tolerance))
    return [group[score] for score in scores]
