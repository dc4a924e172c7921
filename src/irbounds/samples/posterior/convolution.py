"""Distributions of sums of strata, by Fourier transforms on lattices (csrc/yields/yield_sum.h)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from irbounds._core.samples.yield_posterior import CentredLaws, YieldLaw, law_of_lattices

Part = tuple[float, float, float, float]  # seen, unseen, a, b
Lattice = tuple[float, float, np.ndarray]  # first, step, masses
Kind = tuple[float, float, float]  # unseen, a, b: strata that differ in no more are one kind

# Documents in both segments, to which every one of them counts by itself: lattices are off by up
# to 2e-10, where 1e-11 is promised.
EXACT_TO = 20_000
DEPTH = 36.0  # of the tails that are left out: exp(-36), 2e-16
POINTS, FINE_POINTS = 4096, 2**14  # of a lattice, where the sum needs no more, and where it does
# counts of all kinds together, to which a hard sum has a point for every one: a second
MOST_COUNTS = 2**24
SINGLE = 10_000  # likely counts of a sum, to which its lattice is one of single documents
ROUNDING = 1e-16  # of a transform, at least: masses below it are left out
MARGIN = 16  # points beyond what is likely, for the polynomials between points
FINER = 4  # times as fine is the next lattice,
# cut so many steps of the one before from the centre: an edge of ±7 deviations of 10 steps
EDGE = 140
SMOOTH = 1e-10  # waves shorter than 9 steps, as parts of all: less of them is not seen
UNRESOLVED = 3e-9  # and more of them in what a finer lattice left out asks for another centre
# a law with a smaller parameter may be singular at an end, which then is its centre
SINGULAR = 12.0
MOST_HALVES = 3  # laws that are taken as the sum of a low and a high part
KERNEL_WIDTH, KERNEL_SHAPE = 12, 10.5 * math.pi  # of Kaiser and Bessel's kernel,
KERNEL_PEAK = 14769428303371.854  # I0 of its shape
BLURRED = 1e-6  # of the probability, beyond the ends of a law of which short waves are left out
LOST = 1e-8  # of the probability: more shows that lattices do not suffice
CELLS, MOST_CELLS = 2**16, 2**20  # of a law


def law_of_transform(
    values: np.ndarray, ring: int, least: float, most: float, seen: float
) -> YieldLaw | None:
    """The distribution of seen + Y from E exp(i t Y) at the frequencies t = 2 π k/ring, all others
    of which are negligible; Y lies between `least` and `most`, less than `ring` apart.  None if
    too much of it lies beyond its ends, which shows that other frequencies matter."""
    # Frequencies beyond the last value are negligible, so that a lattice of n = 9 points for each
    # of them has waves of at least 9 steps.
    n = min(ring, 1 << math.ceil(math.log2(max(64, 9 * values.size))))  # waves of 9 steps, see EDGE
    step = ring / n
    # Shifts `least` to the first point. The product is taken modulo the ring first, as the sine of
    # a large angle has lost the digits of its remainder.
    spectrum = np.zeros(n // 2 + 1, complex)
    spectrum[: values.size] = np.conj(values)
    if least:
        angle = 2 * np.pi * np.fmod(np.arange(values.size) * least, ring) / ring
        spectrum[: values.size] *= np.exp(1j * angle)
    around = np.fft.irfft(spectrum, n)
    last = math.ceil((most - least) / step) + MARGIN
    masses = around[np.arange(-MARGIN, last + 1) % n]
    if step == 1:
        masses[:MARGIN] = masses[-MARGIN:] = 0  # beyond the ends: rounding
    law = _law_of([(least - MARGIN * step, step, masses)], seen, seen + most, BLURRED)
    if law is None and step == 1:
        return _law_of_counts(seen, (least - MARGIN, step, masses))
    return law


def open_parts(parts: Sequence[Part]) -> list[Part]:
    """The same sum with its constants merged into the first of the others: parts that were seen
    completely, or whose share is 0 (a = 0) or 1 (b = 0)."""
    varying = [part for part in parts if min(part[1:]) > 0] or [(0.0, 0.0, 0.5, 0.5)]
    certain = sum(seen + (n if b == 0 else 0.0) for seen, n, a, b in parts if min(n, a, b) == 0)
    return [(varying[0][0] + certain, *varying[0][1:]), *varying[1:]]


def parts_law(parts: Sequence[Part], single: bool = False) -> YieldLaw:
    """The law of a sum of parts, none of which but the first is a constant."""
    return YieldLaw.beta_binomial(*parts[0], single) if len(parts) == 1 else sum_law(parts)


def sum_law(parts: Sequence[Part], known: Sequence[YieldLaw] = ()) -> YieldLaw:
    """The law of a sum of parts with unseen documents, and of laws that are known: two or more in
    all.

    If the densities of large strata are singular at both ends, as those of strata with almost no
    sample, the lattices may not resolve the region near the sums of these ends.  Then every
    document of the sum gets its own point, or, if these are too many, such distributions are
    halved.
    """
    kinds = Counter((unseen, a, b) for _, unseen, a, b in parts)
    seen = sum(part[0] for part in parts)
    most = seen + sum(part[1] for part in parts) + sum(law.ends[1] for law in known)
    is_small = most - seen <= EXACT_TO
    laws = {kind: YieldLaw.beta_binomial(0.0, *kind, is_small) for kind in kinds}
    # Laws that are known have no parameters: infinity and a count make each a kind that no other
    # equals and that is not singular.
    for i, law_known in enumerate(known):
        kind = (law_known.ends[1] - law_known.ends[0], math.inf, SINGULAR + i)
        is_exact = law_known.is_single or not is_small
        kinds[kind], laws[kind] = 1, law_known if is_exact else law_known.singled()
    if is_small:
        return _small_law(kinds, laws, seen)
    lattices, unresolved = _lattices(kinds, laws, [])
    law = _law_of(lattices, seen, most) if unresolved <= UNRESOLVED else None
    if law is not None:
        return law
    if (most - seen) * len(kinds) <= MOST_COUNTS:
        every = _every_count(kinds, laws)
    else:  # few of many counts may be likely
        every, _ = _lattices(kinds, laws, [], single=MOST_COUNTS // len(kinds))
    if every[0][1] == 1:
        return _law_of(every, seen, most) or _law_of_counts(seen, every[0])
    law = _law_of(_halved(kinds, laws, lattices, unresolved), seen, most, 1.0, MOST_CELLS)
    if law is None:
        raise AssertionError(f"the sum of {dict(kinds)} has too many cells")
    return law


def _law_of(
    lattices: list[Lattice], seen: float, most: float, lost: float = LOST, cells: int = CELLS
) -> YieldLaw | None:
    """The distribution of `seen` and the lattices of the unseen part; None if the lattices lost
    more than allowed, or if it has too many cells."""
    _, step, masses = lattices[0]
    # Masses of single documents are the law itself: no interpolation between points is needed.
    if len(lattices) == 1 and step == 1 and masses.size <= SINGLE + 2 * MARGIN:
        return _law_of_counts(seen, lattices[0])
    least = seen + max(0, min(math.floor(first) for first, _, _ in lattices))
    law, total = law_of_lattices(
        [(seen + first, step, masses) for first, step, masses in lattices],
        least,
        most,
        cells,
        cells // 4,
    )
    return law if abs(total - 1) <= lost else None


def _law_of_counts(seen: float, lattice: Lattice) -> YieldLaw:
    """The distribution of `seen` and a lattice of single documents."""
    first, _, masses = lattice
    return YieldLaw.of_counts(seen + first + MARGIN, np.maximum(masses[MARGIN:-MARGIN], 0))


def _small_law(kinds: Counter[Kind], laws: dict[Kind, YieldLaw], seen: float) -> YieldLaw:
    """The law of few documents, without lattices: their ends and cells take longer than the sum."""
    ((first, _, masses),) = _every_count(kinds, laws)
    masses = masses[MARGIN:-MARGIN]
    # Negative masses show the rounding.  Its positive half, of thousands of equal strata, made
    # probabilities wrong by 4e-12.
    masses[masses < max(ROUNDING, -2 * float(masses.min()))] = 0
    likely = np.flatnonzero(masses)
    begin, end = int(likely[0]), int(likely[-1]) + 1
    return YieldLaw.of_counts(seen + first + MARGIN + begin, masses[begin:end])


def _ring(least: int) -> int:
    """A length of fast transforms: the first of 2^k, 5/8 of it or 3/4 of it that suffices."""
    full = 1 << math.ceil(math.log2(max(least, 8)))
    return next(n for n in (5 * full // 8, 3 * full // 4, full) if n >= least)


def _every_count(kinds: Counter[Kind], laws: dict[Kind, YieldLaw]) -> list[Lattice]:
    """One lattice with a point for every count."""
    ends = [sum(count * laws[kind].ends[i] for kind, count in kinds.items()) for i in (0, 1)]
    n = int(ends[1] - ends[0]) + 1
    ring = _ring(n)
    # The product of transforms is the transform of the sum. The ring holds the whole sum, so that
    # nothing wraps around.
    spectrum = np.ones(ring // 2 + 1, complex)
    for kind, count in kinds.items():
        # All laws of one kind are powers of one transform: the cost does not grow with the number
        # of equal strata.
        one = np.fft.rfft(laws[kind].masses, ring)
        spectrum *= one if count == 1 else one**count
    masses = np.zeros(n + 2 * MARGIN)
    masses[MARGIN:-MARGIN] = np.fft.irfft(spectrum, ring)[:n]
    return [(ends[0] - MARGIN, 1.0, masses)]


def _halved(
    kinds: Counter[Kind], laws: dict[Kind, YieldLaw], lattices: list[Lattice], unresolved: float
) -> list[Lattice]:
    """Lattices for each choice of the low or the high part of the distributions that are the
    most singular at both ends, if that is better than the lattices found before."""
    singular = sorted(
        (kind for kind in kinds if max(kind[1:]) < SINGULAR and kind[0] > EDGE),
        key=lambda kind: (max(kind[1:]), -kind[0]),
    )
    split = [kind for kind in singular for _ in range(kinds[kind])][:MOST_HALVES]
    found: list[Lattice] = []
    worst = 0.0
    for sides in product((1, 2), repeat=len(split)):
        some, left = _lattices(kinds, laws, list(zip(split, sides, strict=True)), FINE_POINTS)
        found, worst = found + some, max(worst, left)
    return found if worst < unresolved else lattices


def _kernel(frequency: np.ndarray) -> np.ndarray:
    """The Fourier transform of the kernel by which points go to a lattice."""
    root = np.sqrt(KERNEL_SHAPE**2 - (KERNEL_WIDTH / 2 * frequency) ** 2)
    return KERNEL_WIDTH / KERNEL_PEAK * np.sinh(root) / root


def _centre(kind: Kind, law: YieldLaw) -> float:
    unseen, a, b = kind
    if min(a, b) < SINGULAR:
        return 0.0 if a <= b else unseen
    return float(round(law.mean))


def _log_end(kinds: Counter[Kind], laws: dict[Kind, YieldLaw], end: int) -> float:
    """The logarithm of the probability that all laws are at their end, 0 the lower and 1 the upper;
    -inf if one of them is below 1e-10, where rounding of 1 - P(more) shows."""
    total = 0.0
    # P(all at their end) is the product over independent strata.
    for kind, count in kinds.items():
        law = laws[kind]
        low, high = law.ends
        p = 1 - law.above_at(low + 1) if end == 0 else law.above_at(high)
        if p < 1e-10:
            return -math.inf
        total += count * math.log(p)
    return total


def _product(
    lattices: np.ndarray, counts: np.ndarray, kept: int, kernel: np.ndarray | None
) -> np.ndarray:
    """The product of the first waves of all lattices, each as often as its count says and times the
    kernel's reciprocal."""
    waves = np.fft.rfft(lattices, axis=1)[:, :kept]
    if kernel is not None:
        waves = waves * kernel
    product = np.ones(kept, complex)
    for one, count in zip(waves, counts.tolist(), strict=True):
        product *= one if count == 1 else one**count  # a power takes as long as its transform
    return product


def _lattices(
    kinds: Counter[Kind],
    laws: dict[Kind, YieldLaw],
    halves: list[tuple[Kind, int]],
    points: int = POINTS,
    single: int = SINGLE,
) -> tuple[list[Lattice], float]:
    """Lattices (first, step, masses) whose sum is the distribution of the sum, and the part of
    short waves that they leave out.  With fewer likely counts than `single` there is one lattice,
    of single documents."""
    rows = [
        (kind, count - sum(half == kind for half, _ in halves), 0) for kind, count in kinds.items()
    ]
    rows = [row for row in rows if row[1]] + [(kind, 1, side) for kind, side in halves]
    centres = np.array(
        [_centre(kind, laws[kind]) if not side else (side - 1) * kind[0] for kind, _, side in rows]
    )
    counts = np.array([float(count) for _, count, _ in rows])
    group_laws = [laws[kind] for kind, _, _ in rows]
    group = CentredLaws(
        group_laws, centres, np.array([side for _, _, side in rows], np.int32), counts
    )
    spread = math.sqrt(sum(count * laws[kind].std ** 2 for kind, count, _ in rows))
    origin, cut, step, unresolved = float(centres @ counts), math.inf, 0.0, 0.0
    ends = [(float(counts @ [law.ends[i] for law in group_laws]) - origin) for i in (0, 1)]
    # An end whose own probability is above that of the tails that are left out is the reach.
    likely = [not halves and _log_end(kinds, laws, i) > -DEPTH for i in (0, 1)]
    near = [
        max(abs(laws[kind].ends[i] - c) for c, (kind, *_) in zip(centres, rows, strict=True))
        for i in (0, 1)
    ]
    lattices: list[Lattice] = []
    while True:
        # Chernoff's bound of tails takes a tilt; seven deviations out, the tilt of a normal law is
        # 7/spread.
        tilt = 7 / max(spread, 1.0)
        low = ends[0] if likely[0] and near[0] <= cut else group.reach(cut, -tilt, DEPTH)
        high = ends[1] if likely[1] and near[1] <= cut else group.reach(cut, tilt, DEPTH)
        low, high = math.floor(max(ends[0], low)), math.ceil(min(ends[1], high))
        if step == 0:
            step = 1.0 if high - low < single else (high - low) / (points - 64)
        n = 1 << math.ceil(math.log2((high - low) / step + 64))
        # Waves of a lattice alias: frequency 1 - f is seen at f. The kernel's transform at 17/20 is
        # 8e-11 of that at 3/20; at 4/5 it is 2e-8 of that at 1/5.
        kept = n // 2 + 1 if step == 1 else 3 * n // 20 + 1
        kernel = 1 / _kernel(2 * np.pi / n * np.arange(kept)) if step > 1 else None
        spectrum = _product(group.spread(step, cut, n), counts, kept, kernel)
        short = slice(n // 9, kept)
        is_finest = step == 1 or abs(spectrum[short]).max() < SMOOTH
        if not is_finest:
            inner = EDGE * step
            inside = _product(group.spread(step, inner, n), counts, kept, kernel)
            is_finest = abs(inside[0]) < 1e-12
            if not is_finest:
                # The difference is what the coarse lattice adds beyond the inner region, which the
                # next, finer lattice sums again.
                spectrum = spectrum - inside
        if step > 1:
            unresolved = max(unresolved, float(abs(spectrum[short]).max()))
        ring = np.fft.irfft(spectrum, n)
        first = math.floor(low / step) - MARGIN
        last = math.ceil(high / step) + MARGIN
        lattices.append((origin + first * step, step, ring[np.arange(first, last + 1) % n]))
        if is_finest:
            return lattices, unresolved
        cut, step = inner, step / FINER if step / FINER > 2.5 else 1.0
