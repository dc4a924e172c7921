"""Classes of calls that an end of an interval takes as empty.

Each class of calls has a prior of half a relevant document in its audit.  If the audit finds none,
the prior stands for T/(2 (m + 1)) of the T documents of the class, of which m were audited.  Where
few documents are relevant that may be more than was found in the other class, and where the other
class is known well it may be more than the doubt about that one.  The low end is then too high:
intervals of 95 % covered 71 and 86 % of reviews (`benchmarks/studies/coded.py`).  So the
low end takes such a class as empty, and so does the high end with documents that are not relevant.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from irbounds.foundation.interval import LOW
from irbounds.samples.model.strata import AuditedCounts

Pair = tuple[float, float]
Parameters = tuple[float, ...]  # of both classes, as in `classes_of`

# An end takes a class as empty if its prior adds more than this part of the other class's yield,
# than so many standard deviations of it, or than its low end.  With the first rule alone, designs
# in which all that was audited of one class is relevant were covered in .86 to .91, and those with
# 3 to 5 relevant documents beside many false alarms in .83 to .87; with all three in .94 or more.
# Over 181 designs intervals were .65 % wider on average and 7 % at most.  Without any limit they
# are 1.3 % and 12 % wider.
PART, DEVIATIONS = 0.2, 0.5
NORMAL = 1.959963984540054  # of the low bound, at 97.5 %


class _Class(NamedTuple):
    """The beta posterior of a class, what its audit found, and the documents not audited: how many
    on average, and the variance of that number."""

    a: float
    b: float
    found: float
    left: float
    variance: float

    @property
    def added(self) -> float:
        """Documents for which the posterior stands."""
        return self.left * self.a / (self.a + self.b)

    @property
    def mean(self) -> float:
        """Mean of the yield."""
        return self.found + self.added

    @property
    def deviation(self) -> float:
        """Standard deviation of the yield: a beta-binomial of a number of documents that varies."""
        total, share = self.a + self.b, self.a / (self.a + self.b)
        within = self.left * (total + self.left) + self.variance
        return math.sqrt(share * (1 - share) * within / (total + 1) + share**2 * self.variance)

    @property
    def low(self) -> float:
        """About the low end of the yield: a gamma's of the same mean and deviation, by Wilson and
        Hilferty's (1931) cube."""
        shape = (self.added / self.deviation) ** 2 if self.deviation else math.inf
        root = 1 - 1 / (9 * shape) - NORMAL / (3 * math.sqrt(shape))
        return self.found + self.added * max(0.0, root) ** 3


def end_parameters(
    audit: AuditedCounts, of_calls: Pair, parameters: Parameters, end: str | None
) -> Parameters:
    """The parameters of both classes' beta posteriors for an end of an interval of the yield: a = 0
    if the low end takes the class as empty, b = 0 if the high end takes all of it as relevant."""
    if end is None:
        return parameters
    a1, b1, a0, b0 = parameters
    n, total, share = audit.size - audit.judged, sum(of_calls), of_calls[0] / sum(of_calls)
    variance = n * share * (1 - share) * (total + n) / (total + 1)
    one = audit.called - audit.m1 + n * share, variance
    other = audit.size - audit.called - audit.m0 - n * share, variance
    if end == LOW:
        a1, a0 = _kept(_Class(a1, b1, audit.x1, *one), _Class(a0, b0, audit.x0, *other))
    else:
        b1, b0 = _kept(
            _Class(b1, a1, audit.m1 - audit.x1, *one),
            _Class(b0, a0, audit.m0 - audit.x0, *other),
        )
    return a1, b1, a0, b0


def _kept(one: _Class, other: _Class) -> Pair:
    """The first parameter of each class, or 0."""
    return _kept_beside(one, other), _kept_beside(other, one)


def _kept_beside(one: _Class, other: _Class) -> float:
    # If neither audit found any, nothing is known but by the prior.
    if one.found or not other.found:
        return one.a
    limit = min(PART * other.mean, DEVIATIONS * other.deviation, other.low)
    return 0.0 if one.added > limit else one.a
