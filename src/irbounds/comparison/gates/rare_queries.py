"""Whether the queries of a gate are too few to show those that decide: a check beside its tests."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

# A sample of few queries may lack those that make the mean.  If one query in five is unlike the
# others, 14 queries have one with 0.95, and 30 have three.  Three or more are left to the tests of
# their values.  Without this, real differences of RR erred in .09 of 8 queries at .05, and those of
# which four in five are 0 in .24 of 8 and .12 of 14 (benchmarks/results/gates.md).
# With groups these are the sample, and more of them differ than of queries: with 0.26, of which 10
# groups have one with 0.95, gates erred in up to .064 of 10 groups at .05, in 57 of 58 designs with
# long tails of losses, and in .104 where one query in ten loses ten times as much.  A fifth stands
# where one or two groups differ from the rest.
UNLIKE, FEW_UNLIKE, UNLIKE_GROUPS = 1 / 5, 2, 0.26
# Where all queries agree, their values do not show how large losses are.  If one query in ten is
# against them, 29 queries have one with 0.95.  Without this, losses of the margin, of which one
# query in ten has ten times as much as the others, passed in .23 of 14 queries and .12 of 20 at
# .05, and with it in .005.  A share of 1/20 would ask for 59 queries, and still let .19 of 30 pass,
# in place of .22, where one query in 20 loses so (benchmarks/results/gates.md; 6,000 samples).
AGAINST = 1 / 10
EQUAL = 1e-12  # relative to the largest: differences that are equal but for rounding


class Few(NamedTuple):
    """Queries whose difference is not the commonest one, and how few they may be by chance.

    Attributes
    ----------
    unlike : int
        How many there are; 0 if they are more than FEW_UNLIKE.
    share : float
        The share of all queries that is assumed to be unlike.
    chance : float
        The probability of so few in a sample of this size.
    agree : bool
        The same of queries that are against the claim, of which there is none.
    """

    unlike: int
    share: float
    chance: float
    agree: bool = False

    def enough(self, alpha: float) -> int:
        """The least size of a sample that has more of them with a probability of 1 - alpha."""
        n = self.unlike + 1
        while _chance_of_so_few(n, self.unlike, self.share) >= alpha:
            n += 1
        return n


def few_unlike(
    n: int, unlike: int, mean: float, room: float, agree: bool = False, usual: float = UNLIKE
) -> Few:
    """Whether n queries may lack those that would turn the claim that the mean is above 0; `agree`
    if none of them is below 0.

    The share is that of queries which, each at the limit `room` below 0, would make a mean of 0 of
    the sample's; where differences have no limit, or it is far, `usual` or one in ten.
    """
    needed = 1.0 if room <= 0 else mean / (mean + room) if mean > 0 else 0.0
    share = max(usual if unlike > FEW_UNLIKE else UNLIKE, needed)
    unlike = unlike if unlike <= FEW_UNLIKE else 0
    few = Few(unlike, share, _chance_of_so_few(n, unlike, share))
    if not agree:
        return few
    share = max(AGAINST, needed)
    return max(few, Few(0, share, (1 - share) ** n, True), key=lambda each: each.chance)


def _chance_of_so_few(n: int, unlike: int, share: float) -> float:
    ways = (math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(unlike + 1))
    return math.fsum(ways)


def all_agree(values: np.ndarray) -> bool:
    """Whether none is below 0, but for rounding."""
    return bool(values.min() >= -EQUAL * np.abs(values).max())


def count_unlike(differences: np.ndarray) -> int:
    """How many differ from the commonest difference, but for rounding."""
    in_order = np.sort(differences)
    room = EQUAL * float(np.abs(differences).max())
    beyond = np.searchsorted(in_order, in_order + room, side="right")
    return int(len(differences) - (beyond - np.arange(len(differences))).max())
