"""Stopping rules beside buscarpy, and any-time bounds beside a loop over all totals."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import gammaln

import irbounds as irb
from cases import Case, Tools, Work, unchecked

SIZE, READ = 20_000, 10_000  # documents of the review, and read at its single look
LOOKS = range(1000, 11_001, 1000)  # at which buscarpy is called
URN, URN_RELEVANT, URN_LOOKS = 10_000, 200, 300  # bounds after each of the first 300 draws


def ranked_labels(size: int) -> np.ndarray:
    """Labels of a ranked review: some 1 % are relevant, most of them early."""
    chance = 0.08 * np.exp(-8 * np.arange(size) / size)
    return (np.random.default_rng(7).random(size) < chance).astype(int)


def buscar(quick: bool, is_one: bool) -> Tools:
    """The values of BUSCAR, at one look or at all; of these buscarpy has eleven."""
    size = SIZE // 20 if quick else SIZE
    labels, scale = ranked_labels(size), SIZE // size
    looks = [READ // scale] if is_one else [look // scale for look in LOOKS]
    read = labels[: looks[-1]] if is_one else labels

    def ours() -> Work:
        asked = looks if is_one else None

        def work() -> np.ndarray:
            found = irb.stopping_curve(read, size, method="buscar", looks=asked).values
            return found if is_one else found[np.array(looks) - 1]

        return work

    def theirs() -> Work:
        import buscarpy

        return lambda: [float(buscarpy.calculate_h0(labels[:n], size, 0.95)) for n in looks]

    return {"irbounds": ours, "buscarpy": theirs}


def by_all_totals(found: np.ndarray) -> np.ndarray:
    """Bounds as one writes them by hand: after each draw the totals, among all, whose probability
    of the sample is above 0.05 times its mean with a uniform prior."""
    totals, ends = np.arange(URN + 1), []
    fixed = gammaln(totals + 1) + gammaln(URN - totals + 1)
    for n, x in enumerate(found, 1):
        k, others = totals[x : URN - n + x + 1], slice(x, URN - n + x + 1)
        log_chance = fixed[others] - gammaln(k - x + 1) - gammaln(URN - k - n + x + 1)
        log_chance -= gammaln(x + 1) + gammaln(n - x + 1)
        log_chance -= gammaln(URN + 1) - gammaln(n + 1) - gammaln(URN - n + 1)
        left = k[log_chance > np.log(0.05 / (n + 1))]
        ends.append((left[0], left[-1]))
    return np.array(ends).T / URN


def looks(_: bool) -> Tools:
    """Two-sided any-time bounds after each draw."""
    labels = np.random.default_rng(3).permutation((np.arange(URN) < URN_RELEVANT).astype(int))
    found, drawn = np.cumsum(labels[:URN_LOOKS]), np.arange(1, URN_LOOKS + 1)

    def ours() -> np.ndarray:
        ends = irb.binomial_interval(found, drawn, size=URN, method="anytime", prior=1)
        return np.array([ends.low, ends.high])

    return {"irbounds": lambda: ours, "SciPy, all totals": lambda: partial(by_all_totals, found)}


def certified(quick: bool) -> Tools:
    """The certified curve."""
    labels = ranked_labels(SIZE // 20 if quick else SIZE)
    return {"irbounds": lambda: unchecked(irb.stopping_curve, labels, labels.size)}


CASES = (
    Case(f"BUSCAR, one value at {READ:,} read", partial(buscar, is_one=True)),
    Case(
        f"BUSCAR, {SIZE:,} values",
        partial(buscar, is_one=False),
        times={"buscarpy": len(LOOKS) / SIZE},
    ),
    Case(f"any-time bounds at {URN_LOOKS} looks", looks),
    Case(f"certified curve, {SIZE:,} documents", certified),
)
