"""Segments divided into strata: their description in a scenario, and the strata of its reviews."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irbounds.chance.sampling_chances import draw_counts
from irbounds.foundation.errors import InputError, check_count, fail

RULE = (
    "must be a whole number of equal strata, or a list of (share of the documents, share of the "
    "relevant ones) or of "
    "(documents, relevant ones, sample); shares of each kind must add up to 1"
)


def check_strata(name: str, value: object) -> int | np.ndarray:
    """A number of equal strata, or shares, strata × 3: of documents, of relevant ones and of the
    sample."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return check_count(name, value, 1)
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str) or len(value) == 0:
        fail(name, RULE, value)
    try:
        shares = np.array([tuple(map(float, row)) for row in value])
    except (TypeError, ValueError):
        fail(name, RULE, value)
    if (
        shares.ndim != 2
        or shares.shape[1] not in (2, 3)
        or not (shares >= 0).all()
        or not np.isfinite(shares).all()
    ):
        fail(name, RULE, value)
    if shares.shape[1] == 2:
        shares = np.column_stack([shares, shares[:, 0]])
    if np.abs(shares.sum(axis=0) - 1).max() > 1e-6:
        raise InputError(
            f"`{name}`: shares of each kind must add up to 1; found sums "
            + ", ".join(f"{total:g}" for total in shares.sum(axis=0))
        )
    return shares


def divide(
    strata: int | np.ndarray, size: float, relevant: float, sampled: float, rng: np.random.Generator
) -> np.ndarray | None:
    """Size, relevant documents and sample of every stratum; None if they are impossible.

    Equal strata have relevant documents at random.  The sample is divided in proportion to the
    sizes, or by its shares, with at least one document in each stratum.
    """
    n = strata if isinstance(strata, int) else len(strata)
    shares = np.full((n, 3), 1 / n) if isinstance(strata, int) else strata
    sizes = _parts(size, shares[:, 0])
    counts = (
        _at_random(sizes, relevant, rng)
        if isinstance(strata, int)
        else _parts(relevant, shares[:, 1])
    )
    if sizes.min() < 1 or sampled < n or (counts > sizes).any():
        return None
    weights = sizes if isinstance(strata, int) else shares[:, 2]
    # One document for each stratum first, and the rest in proportion.
    taken = 1 + _parts(sampled - n, weights / weights.sum())
    # Documents that a stratum does not have are taken from the others.
    while (taken > sizes).any():
        over, unfilled = np.maximum(taken - sizes, 0).sum(), sizes > taken
        taken = np.minimum(taken, sizes)
        taken[unfilled] += _parts(
            over,
            weights[unfilled] / weights[unfilled].sum()
            if weights[unfilled].sum()
            else np.full(unfilled.sum(), 1 / unfilled.sum()),
        )
    return np.column_stack([sizes, counts, taken])


def _parts(total: float, shares: np.ndarray) -> np.ndarray:
    """Whole numbers in proportion to shares; the largest remainders are rounded up."""
    exact = total * shares
    # A product that should be whole may be a rounding below it.
    whole = np.floor(exact + 1e-9)
    missing = round(total - whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return np.asarray(whole)


def _at_random(sizes: np.ndarray, relevant: float, rng: np.random.Generator) -> np.ndarray:
    """Relevant documents of each stratum, divided at random."""
    counts, left = np.zeros(len(sizes)), float(sizes.sum())
    for i, size in enumerate(sizes.tolist()):
        # The number of a stratum is hypergeometric, given what those before it took.
        counts[i] = (
            float(draw_counts(left, relevant, size, 1, rng)[0])
            if relevant and size < left
            else min(relevant, size)
        )
        relevant, left = relevant - counts[i], left - size
    return counts
