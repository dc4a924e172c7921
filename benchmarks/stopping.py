"""Coverage of an interval at which a review stops because it is short enough; processor time of
stopping rules and of bounds that hold at every look, beside buscarpy where it is installed, and
beside cswor, which no registry has: name the folder of its file cswor.py.

python benchmarks/stopping.py       # writes benchmarks/results/stopping.md
python benchmarks/stopping.py --cswor confseq_wor/cswor   # a copy of WannabeSmith/confseq_wor
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from scipy.special import gammaln
from timing import best_seconds, machine, publish, table

import irbounds as irb
from irbounds._core.samples import anytime

REVIEWS = 4000
LOOKS = 20
SIZE, READ = 20_000, 10_000  # documents of the review that is timed; read at its single look
PEER_LOOKS = range(1000, 11_001, 1000)
URN, URN_RELEVANT, URN_LOOKS = 10_000, 200, 300  # bounds after each of the first 300 draws
GOALS = ({"target": 0.70}, {"target": 0.75}, {"width": 0.15}, {"width": 0.10})


def row(review: irb.AssumedReview, goal: dict[str, float]) -> list[str]:
    """Goal, then free and corrected looks."""
    name, value = next(iter(goal.items()))
    cells = [f"lower end >= {value}" if name == "target" else f"width <= {value}"]
    for corrected in (False, True):
        side = "lower" if name == "target" else "two-sided"
        found = irb.planning.simulate_stopping(
            review,
            500,
            3000,
            looks=LOOKS,
            corrected=corrected,
            reviews=REVIEWS,
            side=side,
            rng=1,
            **goal,
        )
        cells += [
            f"{found.coverage:.3f} ± {found.standard_error:.3f}",
            f"{found.fixed_coverage:.3f}",
            f"{found.bias:+.3f}",
            f"{found.mean_sample:.0f}",
        ]
    return cells


def ranked_labels() -> np.ndarray:
    """Labels of a ranked review: some 1 % are relevant, most of them early."""
    chance = 0.08 * np.exp(-8 * np.arange(SIZE) / SIZE)
    return (np.random.default_rng(7).random(SIZE) < chance).astype(int)


def peer_module(name: str, folder: str | None = None) -> ModuleType | None:
    """A module, perhaps from a folder; None where it is not installed."""
    if folder is not None:
        sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def seconds(work: Callable[[], Any]) -> float:
    """The least processor time of four calls or series of calls."""
    return best_seconds(work, repeat=3, clock=time.process_time)


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value * 1e3:.3g} ms"


def buscar_values(labels: np.ndarray, looks: Any = None) -> np.ndarray:
    """Our values of BUSCAR."""
    return irb.stopping_curve(labels, SIZE, method="buscar", looks=looks).values


def buscar_rows(peer: ModuleType | None, labels: np.ndarray) -> list[list[str]]:
    """BUSCAR: our time, buscarpy's, the ratio, the largest relative difference of the values."""
    jobs = (
        (
            f"BUSCAR, one p at {READ:,} read; buscarpy",
            lambda: buscar_values(labels[:READ], [READ]),
            [READ],
            [READ],
        ),
        (
            f"BUSCAR, {SIZE:,} values; buscarpy {len(PEER_LOOKS)}",
            lambda: buscar_values(labels),
            range(1, SIZE + 1),
            PEER_LOOKS,
        ),
    )
    rows = []
    for name, ours, own_looks, looks in jobs:
        own = seconds(ours)
        if peer is None:
            rows.append([name, milliseconds(own), "not installed", "-", "-"])
            continue
        theirs: list[float] = []

        def all_looks(looks: Any = looks, theirs: list[float] = theirs) -> None:
            theirs[:] = [float(peer.calculate_h0(labels[:n], SIZE, 0.95)) for n in looks]

        other = min(seconds(all_looks) for _ in range(3))
        at = np.searchsorted(np.array(own_looks), np.array(looks))
        gap = np.max(np.abs(np.array(theirs) / ours()[at] - 1))
        rows.append(
            [name, milliseconds(own), milliseconds(other), f"{other / own:,.0f}", f"{gap:.0e}"]
        )
    return rows


def by_grid(found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
    low, high = np.array(ends).T
    return low, high


def look_rows(peer: ModuleType | None) -> list[list[str]]:
    """Two-sided any-time bounds after each draw: our time for a look, a peer's, the ratio, the
    share of looks with the same bounds."""
    labels = np.random.default_rng(3).permutation((np.arange(URN) < URN_RELEVANT).astype(int))
    labels = labels[:URN_LOOKS]
    found, drawn = np.cumsum(labels), np.arange(1, URN_LOOKS + 1)

    def ours() -> tuple[np.ndarray, np.ndarray]:
        ends = irb.binomial_interval(found, drawn, size=URN, method="anytime", prior=1)
        return ends.low * URN, ends.high * URN

    own, bounds = seconds(ours), ours()
    jobs: list[tuple[str, Callable[[], Any] | None]] = [
        ("SciPy, all totals", lambda: by_grid(found)),
        ("cswor", None if peer is None else lambda: peer.BBHG_confseq(labels, URN, 1, 1)),
    ]
    rows = []
    for name, job in jobs:
        title = f"any-time bounds, each of {URN_LOOKS} looks at {URN:,} documents; {name}"
        if job is None:
            rows.append([title, milliseconds(own / URN_LOOKS), "not installed", "-", "-"])
            continue
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends = job()
        other = time.process_time() - start
        same = np.isclose(bounds[0], ends[0]) & np.isclose(bounds[1], ends[1])
        rows.append(
            [
                title,
                milliseconds(own / URN_LOOKS),
                milliseconds(other / URN_LOOKS),
                f"{other / own:,.0f}",
                f"{same.sum()} of {URN_LOOKS} the same",
            ]
        )
    return rows


def other_rows(labels: np.ndarray) -> list[list[str]]:
    """The certified curve and the kernels of any-time bounds, which no peer has."""
    jobs: list[tuple[str, Callable[[], Any]]] = [
        (f"certified curve, {SIZE:,} documents", lambda: irb.stopping_curve(labels, SIZE))
    ]
    for exponent in (4, 6, 9, 12):
        size = 10.0**exponent
        sample = (size, 1000.0, 20.0, 0.5, 0.5)
        pair = (size / 10, 500.0, 350.0, 0.5, 0.5), (0.9 * size, *sample[1:])
        jobs += [
            (
                f"any-time bound, 10^{exponent} documents",
                lambda sample=sample: anytime.upper(sample, 20.0),
            ),
            (
                f"any-time recall of two segments, 10^{exponent} documents",
                lambda pair=pair: anytime.least_share(*pair, 0.05),
            ),
        ]
    return [[name, milliseconds(seconds(work)), "-", "-", "-"] for name, work in jobs]


def small_reviews(peer: ModuleType | None) -> str:
    """Where buscarpy has no value, counted in small reviews that are read to their ends."""
    if peer is None:
        return "buscarpy is not installed here: nothing is compared."
    rng, missing, gap, count, looks = np.random.default_rng(1), 0, 0.0, 60, 0
    for _ in range(count):
        size = int(rng.integers(20, 120))
        labels = (rng.random(size) < rng.uniform(0.02, 0.4)).astype(int)
        ours = irb.stopping_curve(labels, size, target=0.8, method="buscar").values
        with np.errstate(all="ignore"):
            theirs = np.array(
                [peer.calculate_h0(labels[:n], size, 0.8) for n in range(1, size + 1)]
            )
        finite = np.isfinite(theirs)
        looks, missing = looks + size, missing + int((~finite).sum())
        gap = max(gap, float(np.max(np.abs(theirs - ours)[finite])))
    return (
        f"In {count} small reviews (20 to 119 documents, read to the end in random order, target "
        f"0.8), buscarpy gives NaN at {missing} of {looks} looks, where few documents are unread; "
        f"at the others its values differ from ours by at most {gap:.0e}."
    )


def main() -> None:
    """All goals, one table; then the times."""
    warnings.simplefilter("ignore", irb.warnings.OptionalStoppingWarning)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cswor", help="the folder of cswor.py")
    folder = parser.parse_args().cswor
    peer, labels = peer_module("buscarpy"), ranked_labels()
    cswor = peer_module("cswor", folder) if folder else None
    review = irb.AssumedReview(100_000, 10_000, recall=0.75, precision=0.5)
    head = [
        "stop when",
        *(
            f"{name}, {kind}"
            for kind in ("free", "planned")
            for name in ("coverage", "without looking", "bias of recall", "assessed")
        ),
    ]
    publish(
        [
            "# Looking at the interval while assessments come in",
            "",
            f"Made by `python benchmarks/stopping.py`: {REVIEWS} simulated reviews of 100,000 "
            "documents, recall 0.75, "
            f"precision 0.5, up to 500 + 3000 assessments in {LOOKS} parts, 95 % intervals (half "
            "prior) after each; "
            "one-sided for a lower end. Stopping as soon as the interval pleases, against the "
            "same reviews assessed to the "
            "end; *planned*: the error divided by the number of looks, as "
            "`SampleMonitor(looks=20)` does.",
            "",
            *table(head, [row(review, goal) for goal in GOALS]),
            "",
            "A narrow interval is a harmless reason to stop; a high lower end is not: reviews "
            "stop where luck was good.",
            "",
            "## Time",
            "",
            machine(["buscarpy", "numpy", "scipy"])
            + f", irbounds {irb.__version__}. Processor time, the least "
            "of several runs; the machine was shared with other work. The review has "
            f"{SIZE:,} documents, {labels.sum()} relevant, target 0.95. The last column is the "
            "largest relative difference between the values of the two.",
            "",
            *table(
                ["computation; peer", "irbounds", "peer", "ratio", "difference"],
                [*buscar_rows(peer, labels), *look_rows(cswor), *other_rows(labels)],
            ),
            "",
            "Bounds at looks are those of `binomial_interval`. cswor (the code of Waudby-Smith and "
            "Ramdas 2020) never computes its last look, and leaves out totals for which "
            "`int(N * (i / N))` is not i: there its bounds differ. The other any-time bounds are "
            "timed in the compiled core, without the checks of the public functions.",
            "",
            small_reviews(peer),
        ],
        "stopping.md",
    )


if __name__ == "__main__":
    main()
