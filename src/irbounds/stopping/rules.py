"""Stopping rules as functions of a whole simulated review, each of which looks at the past only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from irbounds._core.samples import stopping as kernel
from irbounds.stopping.control_plans import control_plan
from irbounds.stopping.curves import (
    largest_totals,
    least_probabilities,
    recall_bounds,
    total_bounds,
)
from irbounds.stopping.urns import missing_totals

# Looks after each draw stop sooner by 1 % of the collection, and take three times as long.
DRAWS_OF_A_LOOK = 10
IN_A_ROW = 50  # irrelevant documents, after which many reviews stop


@dataclass(frozen=True)
class Review:
    """A collection in the order in which a review reads it, and what is asked of a rule.

    `by_chance` is a random order of its places, for rules that draw documents at random. All of
    them share it, so that the draws of one rule do not depend on which others there are.
    """

    labels: np.ndarray
    target: Fraction
    confidence_level: float
    every: int
    by_chance: np.ndarray

    @property
    def looks(self) -> np.ndarray:
        """Documents read at each look; the last one is the whole collection."""
        looks = np.arange(self.every, self.labels.size + 1, self.every)
        is_whole = self.labels.size % self.every == 0
        return looks if is_whole else np.append(looks, self.labels.size)


class Stop(NamedTuple):
    """The outcome of a review: relevant documents found, and documents judged in all."""

    found: int
    judged: int


def _at_first(review: Review, labels: np.ndarray, stops: np.ndarray) -> Stop:
    """At the first look that allows it, or after all documents."""
    at = np.flatnonzero(stops)
    read = int(review.looks[at[0]]) if at.size else labels.size
    return Stop(int(labels[:read].sum()), read)


def _bounded(review: Review, labels: np.ndarray, largest: np.ndarray) -> Stop:
    size, at = labels.size, review.looks
    found = np.cumsum(labels, dtype=np.int64)[at - 1]
    bound = total_bounds(largest[at - 1], at, found, size)
    is_near = np.abs(recall_bounds(found, bound) - float(review.target)) < 1e-12
    stops = recall_bounds(found, bound) >= float(review.target)
    for i in np.flatnonzero(is_near):  # where doubles cannot decide
        stops[i] = int(found[i]) >= review.target * int(bound[i])
    return _at_first(review, labels, stops)


def certified(review: Review) -> Stop:
    """`stopping_curve`'s rule."""
    bets = kernel.Bets(review.labels.size, 1 - review.confidence_level)
    return _bounded(review, review.labels, bets.follow(review.labels)[1])


def half_at_random(review: Review) -> Stop:
    """The same without its assumption: every second document is drawn at random from the unread
    ones, and only these count as evidence, which is weighed after every ten of them."""
    size = review.labels.size
    by_chance = review.by_chance.tolist()
    is_read = [False] * size
    ranked, drawn = 0, 0
    order = []
    for turn in range(size):
        # Odd turns take the next document of the random order, even turns the next of the ranking;
        # both pass over what was read.
        if turn % 2:
            while is_read[by_chance[drawn]]:
                drawn += 1
            place = by_chance[drawn]
        else:
            while is_read[ranked]:
                ranked += 1
            place = ranked
        is_read[place] = True
        order.append(place)
    labels = review.labels[order]
    numbers, alpha = np.arange(size) % 2, 1 - review.confidence_level
    largest = largest_totals(labels, numbers, size, alpha, DRAWS_OF_A_LOOK)
    return _bounded(review, labels, largest)


def control_sample(review: Review) -> Stop:
    """`certifying_rank`: random documents are judged before, until enough of them are relevant."""
    target, level = review.target, review.confidence_level
    order = review.by_chance
    relevant = np.flatnonzero(review.labels[order])
    # r relevant documents certify a target t if t^r is at most 1 - level. Where the collection has
    # too few, the sample is the whole of it: so it is for any target near 1.
    log_missed = relevant.size * math.log(target) if relevant.size else 0.0
    if log_missed > math.log(1 - level) + 1e-9:
        return Stop(int(review.labels.sum()), review.labels.size)
    plan = control_plan(target, 1, confidence_level=level)
    if relevant.size < plan.found:
        return Stop(int(review.labels.sum()), review.labels.size)
    sample = order[: relevant[plan.found - 1] + 1]
    reached = np.sort(sample[review.labels[sample] == 1])[plan.rank - 1] + 1
    read = int(review.looks[np.searchsorted(review.looks, reached)])
    # Control documents that the review has not reached were judged, too.
    judged = read + int((sample >= read).sum())
    return Stop(int(review.labels[:read].sum()), judged)


def buscar(review: Review) -> Stop:
    """BUSCAR's least probability over urns, below 1 - confidence_level."""
    labels, at = review.labels, review.looks
    found = np.cumsum(labels, dtype=np.int64)
    totals = missing_totals(review.target, int(found[-1]), labels.size)
    values, _ = least_probabilities(labels, found, at, totals, labels.size, 1.0)
    return _at_first(review, labels, values < 1 - review.confidence_level)


def in_a_row(review: Review) -> Stop:
    """Stop after 50 irrelevant documents in a row."""
    labels, at = review.labels, review.looks
    places = np.arange(1, labels.size + 1)
    last = np.maximum.accumulate(np.where(labels == 1, places, 0))
    return _at_first(review, labels, (places - last)[at - 1] >= IN_A_ROW)


RULES: dict[str, Callable[[Review], Stop]] = {
    "certified": certified,
    "half at random": half_at_random,
    "control sample": control_sample,
    "buscar": buscar,
    "50 in a row": in_a_row,
}
