"""Counts of relevant documents in a sample of a known segment."""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds._core.distributions import hypergeometric as kernel

LEFT_OUT = 1e-10  # probability of the counts in each tail of each sample that are left out


def draw_counts(
    size: float, relevant: float, sampled: float, samples: int, rng: np.random.Generator
) -> Any:
    """NumPy draws from fewer than 10^9 documents only."""
    if size < 10**9:
        return rng.hypergeometric(int(relevant), int(size - relevant), int(sampled), samples)
    counts, chances = likely_counts(size, relevant, sampled)
    return rng.choice(counts, samples, p=chances)


def likely_counts(
    size: float, relevant: float, sampled: float, left_out: float = LEFT_OUT
) -> tuple[np.ndarray, np.ndarray]:
    """Possible counts of relevant documents in a sample, without tails of less probability than
    that, and their probabilities."""
    least, most = max(0.0, sampled - (size - relevant)), min(sampled, relevant)
    if least == most:
        return np.array([float(least)]), np.ones(1)
    mean = sampled * relevant / size
    spread = np.sqrt(mean * (1 - relevant / size) * max(0.0, size - sampled) / max(1.0, size - 1))
    # Eight standard deviations leave out 1e-15 of a normal law; 30 counts more do so for small
    # means, where the law is nearly Poisson's.
    first = max(least, np.floor(mean - 8 * spread - 30))
    last = min(most, np.ceil(mean + 8 * spread + 30))
    counts = np.arange(first, last + 1, dtype=float)
    alike = (np.full(len(counts), float(each)) for each in (size, relevant, sampled))
    chances = kernel.values("pmf", False, counts, *alike)  # without checks: plans ask thousands
    below, above = np.cumsum(chances), np.cumsum(chances[::-1])[::-1]
    kept = (below > left_out) & (above > left_out)
    return counts[kept], chances[kept] / chances[kept].sum()


def nodes_of(
    counts: np.ndarray, chances: np.ndarray, sampled: float, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Places of few counts, with weights that integrate smooth functions over all of them: each
    count's chance is shared between the four nodes about it, as the cubic through these asks.

    Nodes are evenly spaced in arcsin sqrt(r/n), in which counts have one variance; so they are
    dense where there are few relevant documents, or nearly all are.  The count 0 keeps its own
    node: there ends of intervals are forced.
    """
    if len(counts) <= most:
        return np.arange(len(counts)), chances
    zero = int(counts[0] == 0)
    rest, shares = counts[zero:], chances[zero:]
    first, last = np.arcsin(np.sqrt(rest[[0, -1]] / sampled))
    nodes = np.unique(np.rint(sampled * np.sin(np.linspace(first, last, most)) ** 2))
    nodes = np.unique(np.concatenate([rest[[0, -1]], nodes]).clip(rest[0], rest[-1]))
    if len(nodes) < 4:
        return np.arange(len(counts)), chances
    # The first of the four nodes about each count.
    begin = np.clip(np.searchsorted(nodes, rest, side="right") - 2, 0, len(nodes) - 4)
    weights = np.zeros(len(nodes))
    for i in range(4):
        basis = np.ones(len(rest))
        for j in range(4):
            if j != i:
                basis *= (rest - nodes[begin + j]) / (nodes[begin + i] - nodes[begin + j])
        np.add.at(weights, begin + i, shares * basis)
    places = (nodes - counts[0]).astype(np.int64)
    return (np.concatenate([np.arange(zero), places]), np.concatenate([chances[:zero], weights]))
