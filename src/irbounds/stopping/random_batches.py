"""Evidence from batches of documents that were drawn at random from the unread ones: only the
counts of a batch matter. `docs/stopping_rules.md` proves the bound.

A batch of m documents, k of them relevant, was drawn from u unread ones. If the collection has t
relevant documents and f were found before, its chance is hypergeometric; L(t) is the product over
all batches. The evidence against t is the mean of L(K)/L(t) over K < t with weights that are fixed
before the first batch.

Totals are in cells of 1/FINE of those that were unrefused at first; a cell's totals have the
alternatives of its first one. log L is concave, so that two chords of it bound it inside a cell
from above."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irbounds.samples.bounds.betting import falling

Array = np.ndarray[Any, np.dtype[np.float64]]

FINE = 64
# Weights of K below t are those of (K/t)^q - (K'/t)^q. q = 1 has all of K about alike, a large q
# those near t, which are best where many relevant documents are expected. With the relative
# deviation d of the count of the first batch under t a q of 1/(1.5 d) has most of the weight.
# Among 7 choices this one had the narrowest bounds in 12 designs, from 0.3 to 1,000 relevant
# documents expected.
POWERS = 2.0 ** np.arange(8)
NEARNESS, EVEN_WEIGHT = 1.5, 0.25
CHUNK = 2**17  # values of log L that are held at once: 1 MB; 2^15 takes a third longer
SMALLEST = 1e-290
SLACK = 1e-9  # of log evidence, beside its rounding
ROUNDING = 2.0**-48  # of m log u, for each batch


@dataclass(frozen=True, eq=False)
class Batches:
    """Batches in the order in which they were drawn: documents unread before each and relevant ones
    found, documents drawn and relevant ones of these."""

    unread: Array
    found: Array
    drawn: Array
    relevant: Array

    def __len__(self) -> int:
        return len(self.drawn)

    def __getitem__(self, rows: slice) -> Batches:
        return Batches(self.unread[rows], self.found[rows], self.drawn[rows], self.relevant[rows])


def batches_of(
    marks: np.ndarray, numbers: np.ndarray, population: int, read: int = 0, found: int = 0
) -> tuple[Batches, np.ndarray]:
    """The batches of a row of labels, and where each ends: runs of one number, of which 0 stands
    for documents that were not drawn at random."""
    edges = np.flatnonzero(np.diff(numbers)) + 1
    first, end = np.r_[0, edges], np.r_[edges, numbers.size]
    is_drawn = numbers[first] != 0 if numbers.size else np.zeros(1, bool)
    first, end = first[is_drawn], end[is_drawn]
    before = np.r_[0, np.cumsum(marks, dtype=np.int64)]
    counts = (population - read - first, found + before[first], end - first)
    fields = [np.asarray(field, float) for field in (*counts, before[end] - before[first])]
    return Batches(*fields), end


@dataclass(frozen=True, eq=False)
class BatchEvidence:
    """The evidence against all totals after some batches. It never changes: `follow` returns what
    comes next.

    `start` are the first totals of the cells, `log_likelihood` is log L there, `share` the part of
    the totals below, and `weights` has a row for each of `POWERS`."""

    population: int
    log_bar: float
    start: Array | None = None
    share: Array | None = None
    weights: Array | None = None
    log_likelihood: Array | None = None
    bound: float = np.inf

    @classmethod
    def none(cls, population: int, alpha: float) -> BatchEvidence:
        """Before the first batch."""
        return cls(population, float(np.log(1 / alpha)) + SLACK)

    def follow(self, batches: Batches, step: int = 1) -> tuple[BatchEvidence, Array]:
        """The next state, and the largest total that is not refused after each batch; with a step
        totals are refused after each so many batches only, which saves time."""
        if not len(batches):
            return self, np.zeros(0)
        now = self if self.start is not None else self._with_cells(batches)
        assert now.start is not None
        # whole steps, so that the chunks do not decide after which batches totals are refused
        rows, bounds = max(1, CHUNK // now.start.size // step) * step, []
        for i in range(0, len(batches), rows):
            now, bound = now._after(batches[i : i + rows], step)
            bounds.append(bound)
        return now, np.concatenate(bounds)

    def _with_cells(self, batches: Batches) -> BatchEvidence:
        """Cells of the totals that are possible before the first batch, and their weights."""
        unread, found, drawn = batches.unread[0], batches.found[0], batches.drawn[0]
        left = [0.0]
        while left[-1] < unread:
            left.append(left[-1] + max(1.0, left[-1] // FINE))
        start = np.array(left if left[-1] == unread else left[:-1])
        chance = np.maximum(start, 0.5) / unread
        # the relative variance of a hypergeometric count, but for chances near 1
        variance = np.maximum(1 - chance, 0.5) * (1 - drawn / unread) / (drawn * chance)
        log_power = -0.5 * np.log2(np.maximum(variance, 1e-12)) - np.log2(NEARNESS)
        place = np.clip(log_power, 0, POWERS.size - 1)
        near = np.maximum(0, 1 - np.abs(place - np.arange(POWERS.size)[:, None]))
        weights = (1 - EVEN_WEIGHT) * near
        weights[0] += EVEN_WEIGHT
        zeros = np.zeros(start.size)
        return replace(
            self,
            start=start + found,
            share=start / (unread + 1),
            weights=weights,
            log_likelihood=zeros,
        )

    def _after(self, batches: Batches, step: int) -> tuple[BatchEvidence, Array]:
        start, log = self.start, self.log_likelihood
        assert start is not None
        assert log is not None
        assert self.share is not None
        assert self.weights is not None
        ends = np.arange((len(batches) - 1) % step, len(batches), step)
        chances = _log_chances(start, batches, np.r_[0, ends[:-1] + 1])
        logs = log + np.cumsum(chances, axis=0)
        log_bar = self.log_bar + np.cumsum(ROUNDING * batches.drawn * np.log1p(batches.unread))
        most = batches.found + batches.unread - (batches.drawn - batches.relevant)
        largest = most
        largest[ends] = np.minimum(self._largest(logs, log_bar[ends]), most[ends])
        bound = np.minimum.accumulate(np.minimum(largest, self.bound))
        # Cells above the bound are of no use any more, but for one chord.
        n = int(np.searchsorted(start, bound[-1], side="right")) + 2
        after = replace(
            self,
            start=start[:n],
            share=self.share[:n],
            weights=self.weights[:, :n],
            log_likelihood=logs[-1, :n],
            log_bar=float(log_bar[-1]),
            bound=float(bound[-1]),
        )
        return after, bound

    def _largest(self, logs: Array, log_bar: Array) -> Array:
        """The largest totals whose evidence is below the bar, for rows of log L."""
        start, share, weights = self.start, self.share, self.weights
        assert start is not None
        assert share is not None
        assert weights is not None
        # the last cell's own weight is below no other cell
        end = np.r_[share[1:], 1.0]
        top = np.maximum(logs.max(axis=1, keepdims=True), -1e300)  # -inf where none is possible
        likelihood, mean = np.exp(logs - top), np.zeros(logs.shape)
        for power, weight in zip(POWERS, weights, strict=True):
            if not weight.any():
                continue
            below = share**power
            sums = np.cumsum((end**power - below) * likelihood, axis=1)
            part = np.divide(weight, below, out=np.zeros(below.size), where=below > SMALLEST)
            mean[:, 1:] += part[1:] * sums[:, :-1]
        # where the mean may have lost digits below the range of doubles, nothing is refused
        is_left = (likelihood * np.exp(log_bar)[:, None] > mean) | (mean < SMALLEST)
        cell = start.size - 1 - np.argmax(is_left[:, ::-1], axis=1)
        rows = np.arange(cell.size)
        # log L of the totals that are not refused is above this
        needed = np.log(np.maximum(mean[rows, cell], SMALLEST)) + top[:, 0] - log_bar
        needed[mean[rows, cell] < SMALLEST] = -np.inf
        return self._within(cell, logs, needed)

    def _within(self, cell: np.ndarray, logs: Array, needed: Array) -> Array:
        """The largest total of a cell of each row where log L may be above what is needed: a
        concave function is below its chords, drawn on beyond their ends."""
        assert self.start is not None
        n, rows = self.start.size, np.arange(cell.size)
        last = np.r_[self.start[1:] - 1, np.inf]  # of the last cell whatever is possible
        largest = last[cell]
        for one, other in ((cell - 1, cell), (cell + 1, cell + 2)):
            is_inside = (one >= 0) & (other < n)
            i, j = np.where(is_inside, one, 0), np.where(is_inside, other, min(1, n - 1))
            with np.errstate(invalid="ignore", divide="ignore"):
                slope = (logs[rows, j] - logs[rows, i]) / (self.start[j] - self.start[i])
                reach = self.start[j] + (needed - logs[rows, j]) / slope
            is_falling = is_inside & (slope < 0) & np.isfinite(reach)
            # a part 1e-12 is more than the rounding of the crossing takes
            crossing = np.ceil(np.where(is_falling, reach, 0) * (1 + 1e-12)) - 1
            largest = np.where(is_falling, np.minimum(largest, crossing), largest)
        return np.maximum(largest, self.start[cell])


def _log_chances(start: Array, batches: Batches, first: np.ndarray) -> Array:
    """The logarithm of the chance of each group of batches under each total; `first` has the first
    batch of each group."""
    unread, found, drawn, relevant = (
        field[:, None] for field in (batches.unread, batches.found, batches.drawn, batches.relevant)
    )
    if (drawn == 1).all():
        # relevant ones that are left, or others; their quotients by `unread` are in the factor
        is_one = relevant == 1
        chance = np.where(is_one, 1.0, -1.0) * start
        chance += np.where(is_one, -found, found + unread)
        np.maximum(chance, 0, out=chance)
        np.minimum(chance, unread, out=chance)
        with np.errstate(divide="ignore"):
            return np.log(np.multiply.reduceat(chance, first, axis=0))
    left = np.clip(start - found, 0, unread)
    log = _log_falling(left, relevant) + _log_falling(unread - left, drawn - relevant)
    return np.add.reduceat(log - _log_falling(unread, drawn), first, axis=0)


def _log_falling(y: Array, m: Array) -> Array:
    """log of y (y - 1) ... (y - m + 1), where that is 0 as well."""
    m = np.broadcast_to(m, y.shape)
    value, is_above = np.full(y.shape, -np.inf), y >= m
    value[is_above] = falling(y[is_above], m[is_above])[0]
    return value
