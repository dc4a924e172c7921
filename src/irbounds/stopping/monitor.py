"""A review that is asked after each batch whether it may stop."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.samples import stopping as kernel
from irbounds.foundation.arguments import check_flag, check_level
from irbounds.foundation.errors import InputError, check_count, fail
from irbounds.stopping.curves import total_bounds
from irbounds.stopping.random_batches import BatchEvidence, batches_of
from irbounds.stopping.urns import as_batches, check_labels, exact_target
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

CONTRADICTION = (
    "every possible total was refused: the order does not keep the assumption, or a rare event "
    "happened; the bound counts all unread documents as relevant"
)


class ReviewMonitor:
    """Bounds of a review while its documents are read, by the rule "certified" of `stopping_curve`.

    Bounds hold at every look together with the confidence level, however often one looks and
    whenever one stops, if no next document is less likely relevant than a random unread one.
    Documents drawn at random from the unread ones need no such assumption: of a batch of them only
    the counts matter, not the order. Once there are any, the bounds rest on these alone; the two
    kinds of bounds are two claims, each with its own confidence level.

    Parameters
    ----------
    population : int
        Documents in the collection.
    target : float or Fraction
        Recall to be reached, above 0 and at most 1.
    confidence_level : float

    Attributes
    ----------
    population, read, found : int
        Documents in the collection, those read so far, and the relevant ones of these.
    drawn_at_random : int
        Documents read so far that were drawn at random from the unread ones.

    Examples
    --------
    >>> import irbounds as irb
    >>> monitor = irb.stopping.ReviewMonitor(200, target=0.5)
    >>> monitor.update([1] * 20 + [0] * 40)
    ReviewMonitor(20 relevant in 60 of 200 documents: at most 86 in all, recall at least 0.232558)
    >>> monitor.update([0] * 60).may_stop
    True
    >>> monitor.update(counts=(40, 0))
    ReviewMonitor(20 relevant in 160 of 200 documents: at most 26 in all, recall at least 0.769231)
    """

    def __init__(
        self, population: int, target: float | Fraction = 0.95, *, confidence_level: float = 0.95
    ) -> None:
        self.population: int = check_count("population", population, 0)
        self._goal = exact_target(target)
        self.target: float = float(self._goal)
        self.confidence_level: float = check_level(confidence_level)
        alpha, most = 1 - self.confidence_level, float(self.population)
        self._state: tuple[int, int, int, Any, BatchEvidence, float] = (
            0,
            0,
            0,
            kernel.Bets(self.population, alpha),
            BatchEvidence.none(self.population, alpha),
            most,
        )

    def __repr__(self) -> str:
        return (
            f"ReviewMonitor({self.found} relevant in {self.read} of {self.population} documents: "
            f"at most {self.total_bound} in all, recall at least {self.recall_low:.6g}"
            + ("; every total was refused)" if self.is_contradicted else ")")
        )

    def update(
        self,
        labels: Any = None,
        at_random: ArrayLike = False,
        *,
        counts: tuple[int, int] | None = None,
    ) -> ReviewMonitor:
        """Add the documents that were read next, in their order.

        Parameters
        ----------
        labels : array_like of 0 and 1, or one of them
        at_random : bool, or array_like of bool or int, one for each label
            Whether they were drawn at random from the unread ones: a batch, whose order does not
            matter. In an array each run of True, or of one number above 0, is a batch.
        counts : (assessed, relevant), optional
            In place of labels: a batch that was drawn at random, by its counts.

        Returns
        -------
        ReviewMonitor
            Itself.

        Raises
        ------
        InputError
            For labels other than 0 and 1, or more documents than are unread; then nothing is
            added.

        Warns
        -----
        SampleWarning
            Once every total is refused (`is_contradicted`).
        """
        read, found, drawn, ordered, random, largest = self._state
        was_contradicted = self.is_contradicted
        if counts is not None:
            labels, at_random = _batch(labels, at_random, counts, self.population - read), True
        if labels is None:
            fail("labels", "must be a list of 0 and 1, or one of them", labels)
        marks = check_labels(labels if np.iterable(labels) else [labels], self.population)
        # A state is replaced as a whole: an update that fails leaves the monitor as it was.
        if marks.size > self.population - read:
            rule = f"must be at most as many as are unread, {self.population - read}"
            fail("labels", rule, marks.size)
        if np.ndim(at_random) == 0:
            mask = np.full(marks.size, float(check_flag("at_random", at_random)))
        else:
            mask = as_batches(at_random)
            if mask.size != marks.size:
                rule = f"must be one flag, or one for each of the {marks.size} labels"
                fail("at_random", rule, mask.size)
        if marks.size == 0:
            return self
        drawn += int(np.count_nonzero(mask))
        if drawn == 0:  # afterwards the order is no evidence
            ordered, bounds = ordered.follow(marks)
            largest = float(bounds[-1])
        random, _ = random.follow(batches_of(marks, mask, self.population, read, found)[0])
        self._state = (
            read + marks.size,
            found + int(marks.sum()),
            drawn,
            ordered,
            random,
            largest,
        )
        if self.is_contradicted and not was_contradicted:
            warnings.warn(CONTRADICTION, SampleWarning, stacklevel=2)
        return self

    @property
    def read(self) -> int:
        """Documents read so far."""
        return self._state[0]

    @property
    def found(self) -> int:
        """Relevant documents among those read so far."""
        return self._state[1]

    @property
    def drawn_at_random(self) -> int:
        """Documents read so far that were drawn at random from the unread ones."""
        return self._state[2]

    @property
    def is_contradicted(self) -> bool:
        """Whether every possible total is refused: a rare event, or an order that does not keep the
        assumption. All unread documents count as relevant then."""
        return self._largest < 0

    @property
    def total_bound(self) -> int:
        """The largest number of relevant documents in the collection that is not refused."""
        return int(total_bounds(np.array(self._largest), self.read, self.found, self.population))

    @property
    def recall_low(self) -> float:
        """The lower bound of recall; 1 where nothing is to be found."""
        return self.found / self.total_bound if self.total_bound else 1.0

    @property
    def may_stop(self) -> bool:
        """Whether the lower bound of recall has reached the target."""
        return self.found >= self._goal * self.total_bound

    @property
    def _largest(self) -> float:
        # Documents drawn at random need no assumption about the order: once there are some, they
        # alone are the evidence.
        read, found, drawn, _, random, largest = self._state
        if drawn:
            largest = min(random.bound, self.population - (read - found))
        return largest if largest >= found else -1.0

    def to_dict(self) -> dict[str, Any]:
        """The state in numbers."""
        names = (
            "population",
            "target",
            "confidence_level",
            "read",
            "found",
            "drawn_at_random",
            "total_bound",
            "recall_low",
            "may_stop",
            "is_contradicted",
        )
        return {name: getattr(self, name) for name in names}


def _batch(labels: Any, at_random: Any, counts: Any, unread: int) -> np.ndarray:
    """The labels of a batch that is given by its counts, in any order."""
    if labels is not None or at_random is not False:
        raise InputError("`counts` takes the place of `labels` and `at_random`: give one of them")
    rule = "must be (assessed, relevant), two whole numbers"
    if np.shape(counts) != (2,):
        fail("counts", rule, counts)
    assessed, relevant = (check_count("counts", one, 0) for one in counts)
    if relevant > assessed:
        fail("counts", f"{rule}, of which the second is at most the first", counts)
    if assessed > unread:
        fail("counts", f"must have at most as many as are unread, {unread}", assessed)
    return np.repeat(np.array([1, 0], np.uint8), [relevant, assessed - relevant])
