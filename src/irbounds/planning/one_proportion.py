"""Sample sizes for one proportion: prevalence, richness, elusion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_floats, check_level, check_number, plain
from irbounds.foundation.errors import InputError, check_count, fail

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

MOST = 10**9  # documents of an unlimited population
MOST_ALLOWED = 1000  # relevant documents in an acceptance sample
LONGEST_PERIOD = 400  # sizes that are looked at beyond the first that is enough


def proportion_sample_size(
    margin: float,
    *,
    expected: float = 0.5,
    size: int | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
) -> int:
    """The number of documents for an interval of one proportion of about ± `margin`.

    Parameters
    ----------
    margin : float
        Largest half width of the two-sided interval, between 0 and 1/2.
    expected : float
        The proportion that the sample will show.  1/2 needs the largest sample.
    size : int, optional
        Documents in the population; unlimited by default.
    method, confidence_level
        As for `irbounds.binomial_interval`.

    Returns
    -------
    int
        The least number from which on intervals of samples with this proportion, rounded down and
        up to whole documents, have at most this half width.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.planning.proportion_sample_size(0.02, expected=0.1)
    874
    >>> irb.planning.proportion_sample_size(0.02, expected=0.1, size=5000)
    778
    """
    margin = check_number("margin", margin, "must be between 0 and 0.5", lambda x: 0 < x < 0.5)
    expected = check_number("expected", expected, "must be in [0, 1]", lambda x: 0 <= x <= 1)
    most = MOST if size is None else check_count("size", size)
    options: dict[str, Any] = {"size": size, "method": method, "confidence_level": confidence_level}

    def is_too_wide(n: np.ndarray) -> np.ndarray:
        return np.asarray(_half_width(n, expected, options) > margin)

    low, high = 0, 1
    while is_too_wide(np.asarray([high]))[0]:
        if high == most:
            fail("margin", f"must need at most {most} documents", margin)
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_too_wide(np.asarray([middle]))[0] else (low, middle)
    # Whole documents make widths go up and down as n rises, within about one more document found.
    period = int(min(2 / max(min(expected, 1 - expected), 2 / LONGEST_PERIOD), LONGEST_PERIOD))
    while (wide := np.flatnonzero(is_too_wide(np.arange(high, min(high + period, most))))).size:
        high += int(wide[-1]) + 1
    return high


def _half_width(n: np.ndarray, expected: float, options: dict[str, Any]) -> np.ndarray:
    """Half the width of an interval, the wider with the expected number rounded down or up."""
    from irbounds.samples.one_proportion.proportions import binomial_interval

    ends = [binomial_interval(f(n * expected), n, **options) for f in (np.floor, np.ceil)]
    return np.maximum(*[(np.asarray(each.high) - each.low) / 2 for each in ends])


@dataclass(frozen=True)
class AcceptanceSample:
    """A sample that accepts if it has at most so many relevant documents.

    Attributes
    ----------
    sampled : int
        Documents to draw.
    allowed : int
        Relevant documents with which the bound still holds.
    at_most : float
        The proportion that acceptance excludes with the confidence level.
    confidence_level : float
    power : float
        Probability of acceptance at the expected proportion.
    """

    sampled: int
    allowed: int
    at_most: float
    confidence_level: float
    power: float


def acceptance_samples(
    at_most: float,
    *,
    expected: float = 0.0,
    power: float = 0.8,
    size: int | None = None,
    confidence_level: float = 0.95,
) -> list[AcceptanceSample]:
    """Samples that show that a proportion is at most a limit: with 0, 1, 2, … documents allowed.

    Parameters
    ----------
    at_most : float
        The limit: with more relevant documents than this share, the sample accepts with a
        probability of at most 1 - `confidence_level`.
    expected : float
        The proportion for which the power is computed, below `at_most`.
    power : float
        The list ends with the first sample that accepts with this probability; it must allow at
        most 1,000 relevant documents.
    size : int, optional
        Documents in the population; unlimited by default.
    confidence_level : float

    Returns
    -------
    list of AcceptanceSample
        The smallest sample for each number of documents allowed.

    Notes
    -----
    The test is exact: hypergeometric with `size`, binomial without.  It accepts whenever the upper
    bound of "hypergeometric" or "clopper-pearson" (`irbounds.binomial_interval`) is at most the
    limit.

    Examples
    --------
    >>> import irbounds as irb
    >>> for sample in irb.planning.acceptance_samples(0.01, expected=0.003, power=0.6):
    ...     print(sample.sampled, sample.allowed, round(sample.power, 3))
    299 0 0.407
    473 1 0.585
    628 2 0.708
    """
    at_most = check_number("at_most", at_most, "must be between 0 and 1", lambda x: 0 < x < 1)
    power = check_number("power", power, "must be between 0 and 1", lambda x: 0 < x < 1)
    expected = check_number(
        "expected", expected, f"must be less than at_most, {at_most:g}", lambda x: 0 <= x < at_most
    )
    alpha = 1 - check_level(confidence_level)
    bad, good = at_most, expected
    if size is not None:
        # The least number of relevant documents above the limit, and the expected one.
        size = check_count("size", size)
        # 1e-9: 100 × 0.29 is 28.999999999999996
        bad, good = math.floor(size * at_most + 1e-9) + 1, round(size * expected)
    samples: list[AcceptanceSample] = []
    allowed, least = 0, 1
    while not samples or samples[-1].power < power:
        n = _least(least, allowed, bad, size, alpha) if allowed <= MOST_ALLOWED else None
        if n is None:
            raise InputError(
                f"no sample with at most {MOST_ALLOWED} relevant documents accepts with "
                f"probability {power:g} if the proportion is {expected:g}: give a smaller `power` "
                "or `expected`"
            )
        chance = float(_accepts(allowed, np.asarray(n), good, size))
        samples.append(AcceptanceSample(n, allowed, at_most, confidence_level, chance))
        allowed, least = allowed + 1, n
    return samples


def _accepts(
    allowed: int | np.ndarray, n: np.ndarray, relevant: float, size: int | None
) -> np.ndarray:
    """Probability of at most so many relevant documents in samples of n."""
    if size is None:
        from irbounds.foundation.distributions import BetaDistribution

        if relevant == 0:
            return np.ones(np.broadcast_shapes(np.shape(allowed), n.shape))
        # P(X <= c) is a tail of Beta(c + 1, n - c); with n <= c it is 1.
        tail = BetaDistribution(allowed + 1.0, np.maximum(n - allowed, 1.0)).sf(relevant)
        return np.where(n > allowed, tail, 1.0)
    from irbounds.chance.hypergeometric import hypergeometric_cdf

    return np.asarray(hypergeometric_cdf(allowed, size, int(relevant), n))


def _least(start: int, allowed: int, relevant: float, size: int | None, alpha: float) -> int | None:
    """The smallest sample that rejects this many relevant documents; it is at least `start`."""
    most = MOST if size is None else size
    low, high = start, start
    while _accepts(allowed, np.asarray(high), relevant, size) > alpha:
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        if _accepts(allowed, np.asarray(middle), relevant, size) > alpha:
            low = middle
        else:
            high = middle
    return high


class AcceptanceStages:
    """A rule that accepts a proportion after one or more stages of sampling.

    At each stage more documents are drawn.  The rule accepts if all relevant documents so far are
    at most `accept`, and rejects if they are `reject` or more; otherwise the next stage follows.

    Parameters
    ----------
    stages : sequence of (sampled, accept, reject)
        Documents drawn at this stage, and the two limits.  The last stage has (sampled, accept).
    size : int, optional
        Documents in the population; unlimited by default.

    Raises
    ------
    InputError
        If a stage but the last decides always, or more documents are drawn than there are.

    Notes
    -----
    Probabilities are exact: hypergeometric with `size`, binomial without.  They are those of double
    and multiple sampling plans (ISO 2859-1).

    Examples
    --------
    >>> import irbounds as irb
    >>> rule = irb.planning.AcceptanceStages([(300, 0, 3), (300, 2)])
    >>> rule.accepts([0.003, 0.01]).round(4).tolist()
    [0.7561, 0.0894]
    >>> round(rule.documents(0.003), 1)
    459.4
    >>> round(rule.excluded_share(), 5)
    0.01162
    """

    def __init__(self, stages: Sequence[Sequence[int]], size: int | None = None) -> None:
        self.size = None if size is None else check_count("size", size)
        rows = [tuple(stage) for stage in stages]
        rule = "must be rows of (sampled, accept, reject), the last one of (sampled, accept)"
        if not rows or [len(row) for row in rows] != [3] * (len(rows) - 1) + [2]:
            fail("stages", rule, stages)
        found = [
            (check_count("sampled", row[0]), *(check_count("accept", one, 0) for one in row[1:]))
            for row in rows
        ]
        for _sampled, accept, *reject in found:
            if reject and reject[0] < accept + 2:
                fail(
                    "reject",
                    f"must be {accept + 2} or more: with {accept} the rule accepts, and with "
                    f"{accept + 1} the next stage follows",
                    reject[0],
                )
        if self.size is not None and sum(row[0] for row in found) > self.size:
            fail("stages", f"must draw at most {self.size} documents", stages)
        last = found[-1]
        self.stages = (*found[:-1], (*last, last[1] + 1))

    def accepts(self, share: FloatOrArray) -> FloatOrArray:
        """The probability of acceptance if this is the share of relevant documents.

        Parameters
        ----------
        share : float or array
            In [0, 1]; with `size`, rounded to whole documents.

        Returns
        -------
        float or array
        """
        return self._over(share, 0)

    def documents(self, share: FloatOrArray) -> FloatOrArray:
        """The mean number of documents that are drawn before the rule decides.

        Parameters
        ----------
        share : float or array
            As for `accepts`.

        Returns
        -------
        float or array
        """
        return self._over(share, 1)

    def excluded_share(self, confidence_level: float = 0.95) -> float:
        """The limit that acceptance shows: at shares above it the rule accepts with a probability
        of at most 1 - `confidence_level`.

        Parameters
        ----------
        confidence_level : float

        Returns
        -------
        float
            1 if the rule accepts more often even when all documents are relevant.
        """
        alpha = 1 - check_level(confidence_level)
        # shares are whole documents, or 60 halvings of 1
        low, high = -1, self.size if self.size is not None else 2**60
        whole = float(high)
        if self._of(1.0)[0] > alpha:
            return 1.0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._of(middle / whole)[0] <= alpha else (middle, high)
        return max(low, 0) / whole

    def _over(self, share: FloatOrArray, place: int) -> FloatOrArray:
        rule = "must be in [0, 1]"
        shares = as_floats("share", share, rule)
        if not ((shares >= 0) & (shares <= 1)).all():
            fail("share", rule, share)
        found = [self._of(one)[place] for one in shares.ravel().tolist()]
        return plain(np.array(found).reshape(shares.shape))

    def _of(self, share: float) -> tuple[float, float]:
        """The probability of acceptance and the mean number of documents."""
        relevant = share if self.size is None else round(share * self.size)
        chances = np.array([1.0])  # of so many relevant documents so far, undecided
        accepted, documents, drawn = 0.0, 0.0, 0
        for sampled, accept, reject in self.stages:
            documents += sampled * float(chances.sum())
            after = np.zeros(reject)
            for before, chance in enumerate(chances.tolist()):
                if chance > 0:
                    after[before:] += chance * self._law(relevant, sampled, drawn, before, reject)
            accepted += float(after[: accept + 1].sum())
            after[: accept + 1] = 0.0
            chances, drawn = after, drawn + sampled
        return min(accepted, 1.0), documents

    def _law(
        self, relevant: float, sampled: int, drawn: int, before: int, reject: int
    ) -> np.ndarray:
        """Probabilities of 0, 1, … further relevant documents, so that fewer than `reject` are
        found in all."""
        counts = np.minimum(np.arange(reject - before), sampled)
        if self.size is None:
            tails = _accepts(counts, np.asarray(sampled), relevant, None)
        else:
            tails = _accepts(counts, np.asarray(sampled), relevant - before, self.size - drawn)
        return np.diff(tails, prepend=0.0)
