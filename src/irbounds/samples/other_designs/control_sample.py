"""Recall from one random sample of the whole collection (a control set), which the classifier
divides afterwards."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.chance.hypergeometric import hypergeometric_sf
from irbounds.foundation.arguments import broadcast, check_numbers, check_same_index, plain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import Interval, one_sided, tail_probability
from irbounds.samples.intervals.intervals import recall_interval
from irbounds.samples.intervals.table import INTERVAL_METHODS, usual_method
from irbounds.samples.model.exact_limits import population_bounds
from irbounds.samples.model.strata import LARGEST, Stratum
from irbounds.samples.model.warnings import warn_of_few
from irbounds.samples.other_designs.control_posterior import Sample
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

METHODS = tuple(name for name, method in INTERVAL_METHODS.items() if method.answers_unsplit)
# numbers of relevant documents over which a guaranteed bound is searched one by one
EVERY_TOTAL = 20_000
CONTRADICTION = 1e-4  # probability of a sample below which its sizes are doubted


@dataclass(frozen=True)
class ControlSample:
    """A simple random sample of the whole collection, divided into retrieved and unretrieved
    documents.

    Parameters
    ----------
    retrieved_size, unretrieved_size : int
        Documents that the classifier retrieved and did not.
    sampled : int
        Documents in the sample.
    relevant_retrieved, relevant_unretrieved : int
        Relevant documents of the sample, retrieved and not.
    sampled_retrieved : int
        Retrieved documents in the sample, relevant or not.
    elusion_sampled, elusion_relevant : int
        Documents of a random sample of the unretrieved documents (of the null set) besides, and the
        relevant ones among them; none by default.  Leave out documents that are in both samples.

    Notes
    -----
    Given the sizes and `sampled_retrieved`, the sample consists of two independent simple random
    samples, one of each segment.  So what is documented on the coverage of two samples holds for
    this one, and every function that takes two segments takes `segments`.

    The documents of an elusion sample count as further documents of the second of these samples.
    This is exact if it was drawn from the unretrieved documents outside the control sample, and
    also if it was drawn from all of them without regard to it, as long as a document in both counts
    once.

    Examples
    --------
    >>> import irbounds as irb
    >>> sample = irb.samples.ControlSample(12_000, 88_000, 1500, 131, 20, sampled_retrieved=180)
    >>> sample.segments[1]
    Stratum(size=88000, sampled=1320, relevant=20)
    >>> irb.f_interval(*sample.segments)
    Interval(0.791541 in [0.739834, 0.834139], 0.95 two-sided, betabinom-half)
    >>> both = irb.samples.ControlSample(12_000, 88_000, 1500, 131, 20, 180, 1000, 12)
    >>> irb.recall_interval(*both.segments, side="lower")
    Interval(0.877976 in [0.84278, 1], 0.95 lower, guaranteed)
    """

    # Why `segments` are simple random samples.  U: the unretrieved documents.  A: the control
    # sample, n documents.  All sets of n documents are equally likely to be A; so given the number
    # k in U, all sets of k documents of U are equally likely, whatever A has of the retrieved ones.
    # B: the elusion sample.  If it is drawn from U without A, a set of k + m documents of U is the
    # union of both in C(k + m, k) ways, all equally likely.  If it is drawn from all of U, the law
    # of both samples does not change when the documents of U change places; so given the number of
    # documents in the union, all sets of so many are equally likely.  A bound that holds given
    # these numbers, which no label changes, holds.
    retrieved_size: FloatOrArray
    unretrieved_size: FloatOrArray
    sampled: FloatOrArray
    relevant_retrieved: FloatOrArray
    relevant_unretrieved: FloatOrArray
    sampled_retrieved: FloatOrArray
    elusion_sampled: FloatOrArray = 0
    elusion_relevant: FloatOrArray = 0

    @property
    def segments(self) -> tuple[Stratum, Stratum]:
        """The retrieved and the unretrieved segment, each with its part of the sample."""
        other = np.add(np.subtract(self.sampled, self.sampled_retrieved), self.elusion_sampled)
        relevant = np.add(self.relevant_unretrieved, self.elusion_relevant)
        return (
            Stratum(self.retrieved_size, self.sampled_retrieved, self.relevant_retrieved),
            Stratum(
                self.unretrieved_size,
                *(x.item() if isinstance(x, np.generic) else x for x in (other, relevant)),
            ),
        )


def recall_interval_from_sample(
    retrieved_size: FloatOrArray,
    unretrieved_size: FloatOrArray,
    sampled: FloatOrArray,
    relevant_retrieved: FloatOrArray,
    relevant_unretrieved: FloatOrArray,
    *,
    sampled_retrieved: FloatOrArray = None,
    confidence_level: float = 0.95,
    method: str | None = None,
    side: str = "two-sided",
) -> Interval:
    """An interval for recall from one simple random sample of the whole collection, as for control
    sets.

    Parameters
    ----------
    retrieved_size, unretrieved_size : int or array_like of int, or None
        Documents that the classifier retrieved and did not.  None, for both, takes the collection
        for infinite.
    sampled : int or array_like of int
        Documents in the sample.
    relevant_retrieved, relevant_unretrieved : int or array_like of int
        Relevant documents in the sample that the classifier retrieved, and that it did not.
    sampled_retrieved : int or array_like of int, optional
        Retrieved documents in the sample.  With it and the sizes, the sample is one of each
        segment, and the interval that of `recall_interval`: it uses what is known, and is the
        narrower one.
    confidence_level : float
    method : str, optional
        Default: "betabinom-half" for two-sided intervals, "guaranteed" for one-sided ones.  Without
        `sampled_retrieved`: "betabinom-half", "betabinom-uniform" or "guaranteed".
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    Interval
        The estimate without `sampled_retrieved` is the retrieved share of the relevant documents in
        the sample, nan where there is none; the interval is then [0, 1].

    Raises
    ------
    InputError
        For impossible counts.

    Warns
    -----
    SampleWarning
        Where the prior weighs more than a quarter of the relevant documents in the sample, and
        where the sample contradicts the sizes: a random one would have so many retrieved documents,
        or unretrieved ones, with a probability below 1e-4.

    Notes
    -----
    Without `sampled_retrieved` the inference is conditional on the number of relevant documents in
    the sample, of which the number of retrieved ones is hypergeometric.  "guaranteed" covers at
    least with the confidence level in every collection, "betabinom-half" with about the level on
    average over collections.  Ends are within 1e-9 of full enumeration where at most 1,048,576
    numbers of unseen relevant documents are likely and the sample does not contradict the sizes,
    within 1.4e-5 in larger collections, which take up to some two seconds.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.recall_interval_from_sample(12_000, 88_000, 1500, 131, 20)
    Interval(0.86755 in [0.807155, 0.914163], 0.95 two-sided, betabinom-half)
    >>> irb.recall_interval_from_sample(None, None, 1500, 131, 20, side="lower")
    Interval(0.86755 in [0.81338, 1], 0.95 lower, guaranteed)
    """
    method = method or usual_method(side)
    sizes = (retrieved_size, unretrieved_size)
    if (retrieved_size is None) != (unretrieved_size is None):
        raise InputError("give both `retrieved_size` and `unretrieved_size`, or None for both")
    if retrieved_size is not None and sampled_retrieved is not None:
        control = ControlSample(
            *sizes, sampled, relevant_retrieved, relevant_unretrieved, sampled_retrieved
        )
        return recall_interval(
            *checked_segments(control), confidence_level=confidence_level, method=method, side=side
        )
    check_choice("method", method, METHODS)
    alpha = tail_probability(confidence_level, side)
    n, r1, r0, n1_all, n0_all = _checked(
        sampled, relevant_retrieved, relevant_unretrieved, *sizes, sampled_retrieved
    )
    if retrieved_size is not None:
        _warn_of_contradiction(n, r1, r0, n1_all, n0_all)
    low, high = np.zeros(n.shape), np.ones(n.shape)
    for i in np.ndindex(n.shape):
        question = _Question(*(float(field[i]) for field in (n, r1, r0, n1_all, n0_all)))
        low[i], high[i] = question.ends(INTERVAL_METHODS[method].prior, alpha, side)
    low, high = one_sided(low, high, side)
    prior = INTERVAL_METHODS[method].prior
    if isinstance(prior, tuple):
        is_open = (n < n1_all + n0_all) & (n1_all > 0) & (n0_all > 0)
        warn_of_few(prior, np.where(is_open, r1 + r0, 0), 2)
    with np.errstate(invalid="ignore"):
        estimate = r1 / (r1 + r0)
    return Interval(
        plain(estimate), plain(low), plain(high), confidence_level, side, method, "exact"
    )


def _whole(name: str, value: Any) -> np.ndarray:
    return check_numbers(
        name,
        value,
        "must be a whole number, 0 or more, and at most 2^49",
        lambda x: (x >= 0) & (x <= LARGEST) & (x == np.floor(x)),
    )


COUNTS = (
    *("sampled", "relevant_retrieved", "relevant_unretrieved"),
    *("retrieved_size", "unretrieved_size", "sampled_retrieved"),
)


def _checked(*counts: FloatOrArray) -> tuple[np.ndarray, ...]:
    """The counts of these names in one shape, but for the last; unknown sizes are infinite."""
    given = dict(zip(COUNTS, counts, strict=True))
    check_same_index(**given)
    split = given["sampled_retrieved"]
    if split is None:
        del given["sampled_retrieved"]
    fields = {
        name: np.array(np.inf) if value is None and name.endswith("_size") else _whole(name, value)
        for name, value in given.items()
    }
    fields = dict(zip(fields, broadcast(**fields), strict=True))
    n, first, second, all1, all0 = list(fields.values())[:5]
    _at_most("relevant documents of the sample", first + second, "`sampled`", n)
    _at_most("`sampled`", n, "the documents of both segments", all1 + all0)
    _at_most("`relevant_retrieved`", first, "`retrieved_size`", all1)
    _at_most("`relevant_unretrieved`", second, "`unretrieved_size`", all0)
    if split is not None:
        _at_most("`sampled_retrieved`", fields["sampled_retrieved"], "`sampled`", n)
    return n, first, second, all1, all0


def _at_most(name: str, small: np.ndarray, most: str, large: np.ndarray) -> None:
    wrong = small > large
    if wrong.any():
        i = tuple(map(int, np.argwhere(wrong)[0]))
        raise InputError(
            f"{name} must be at most {most}, {large[i]:.0f}; found {small[i]:.0f}"
            + (f" at index {', '.join(map(str, i))}" if i else "")
        )


def _warn_of_contradiction(
    n: np.ndarray,
    r1: np.ndarray,
    r0: np.ndarray,
    size1: np.ndarray,
    size0: np.ndarray,
    stacklevel: int = 3,
) -> None:
    """Warn if a random sample would hardly have so many documents of a segment: sizes or counts may
    have been exchanged."""
    for name, found, size in (("retrieved", r1, size1), ("unretrieved", r0, size0)):
        more_than = np.maximum(found - 1, 0)
        chance = np.asarray(hypergeometric_sf(more_than, size1 + size0, size, n))
        doubted = np.argwhere((found > 0) & (chance < CONTRADICTION))
        if len(doubted):
            i = tuple(doubted[0])
            where = f" in {len(doubted)} of {n.size} questions" if n.ndim else ""
            warnings.warn(
                f"the sample contradicts the sizes{where}: a random sample of {n[i]:.0f} documents "
                f"would have {found[i]:.0f} or more of the {size[i]:.0f} {name} ones with "
                f"probability {chance[i]:.1g}",
                SampleWarning,
                stacklevel=stacklevel,
            )


def checked_segments(control: ControlSample) -> tuple[Stratum, Stratum]:
    """The segments of a divided sample, whose counts are checked under the caller's names; the
    functions of samples check the segments."""
    *_, size1, size0 = _checked(*(getattr(control, name) for name in COUNTS))
    names = ["sampled", "sampled_retrieved", "relevant_retrieved", "relevant_unretrieved"]
    names += ["elusion_sampled", "elusion_relevant"]
    n, n1, r1, r0, more, found = broadcast(
        **{name: _whole(name, getattr(control, name)) for name in names}
    )
    _at_most("`relevant_retrieved`", r1, "`sampled_retrieved`", n1)
    _at_most("`relevant_unretrieved`", r0, "the unretrieved documents of the sample", n - n1)
    _at_most("`elusion_relevant`", found, "`elusion_sampled`", more)
    left = np.maximum(size0 - (n - n1), 0)
    _at_most(
        "`elusion_sampled`", more, "the unretrieved documents outside the control sample", left
    )
    _warn_of_contradiction(n, n1, n - n1, size1, size0, 4)  # of the caller's caller
    return control.segments


class _Question(Sample):
    """One sample whose division is unknown or has no effect; sizes may be infinite."""

    def ends(self, prior: Any, alpha: float, side: str) -> tuple[float, float]:
        """Both ends: quantiles under a prior (α, α), without one the guaranteed ones.  An end that
        is not asked for, or that is forced, is 0 or 1: to search it may take a second."""
        found = self.r1 + self.r0
        if not found:
            return 0.0, 1.0
        if not self.unseen or not (self.size1 and self.size0):
            return self.r1 / found, self.r1 / found
        if prior is None:
            turned = _Question(self.sampled, self.r0, self.r1, self.size0, self.size1)
            return (
                self._least(alpha) if side != "upper" else 0.0,
                1 - turned._least(alpha) if side != "lower" else 1.0,
            )
        # An end that the sample forces is not searched.
        has_low, has_high = side != "upper" and self.r1 > 0, side != "lower" and self.r0 > 0
        if not np.isfinite(self.unseen):  # 1 - alpha would lose the digits of a small alpha
            from scipy.special import betainccinv, betaincinv

            a, b = prior[0] + self.r1, prior[0] + self.r0
            low, high = float(betaincinv(a, b, alpha)), float(betainccinv(a, b, alpha))
        else:
            found_ends = self.quantiles(prior[0], (alpha,) * has_low + (1 - alpha,) * has_high)
            low, high = [*found_ends, 1.0][0], [0.0, *found_ends][-1]
        return (low if has_low else 0.0), (high if has_high else 1.0)

    def _least(self, alpha: float) -> float:
        """The guaranteed lower bound: the smallest share R1/R that no hypergeometric test
        rejects for any R."""
        from scipy.special import betaincinv

        found = self.r1 + self.r0
        if not self.r1:
            return 0.0
        if self.unseen <= EVERY_TOTAL:
            totals = found + np.arange(self.unseen + 1)
            least, _ = population_bounds(
                np.full(totals.shape, self.r1), np.full(totals.shape, found), totals, alpha
            )
            least = np.maximum(least, totals - (self.size0))
            return float((least / totals)[least <= self.size1].min())
        # A hypergeometric count is a sum of independent indicators.  Its upper tail from r1 on is
        # at most the binomial's for shares up to (r1 - 1)/found (Hoeffding 1956), and at most found
        # * share / r1 for all (Markov).
        binomial = float(betaincinv(self.r1, self.r0 + 1, alpha))
        return min(binomial, max(self.r1 - 1, alpha * self.r1) / found)
