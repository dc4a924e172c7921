"""Coverage of an interval at which a review stops because it is short enough; processor time of
stopping rules, beside buscarpy where it is installed.

python benchmarks/stopping.py       # writes benchmarks/results/stopping.md
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from timing import best_seconds, machine, publish, table

import irbounds as irb
from irbounds._core import anytime

REVIEWS = 4000
LOOKS = 20
SIZE, READ = 20_000, 10_000  # documents of the review that is timed; read at its single look
PEER_LOOKS = range(1000, 11_001, 1000)
GOALS = ({"target": 0.70}, {"target": 0.75}, {"width": 0.15}, {"width": 0.10})


def row(review: irb.AssumedReview, goal: dict[str, float]) -> list[str]:
    """Goal, then free and corrected looks."""
    name, value = next(iter(goal.items()))
    cells = [f"lower end >= {value}" if name == "target" else f"width <= {value}"]
    for corrected in (False, True):
        side = "lower" if name == "target" else "two-sided"
        found = irb.simulate_stopping(
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


def peer_module() -> ModuleType | None:
    """The module buscarpy, None where it is not installed."""
    try:
        return importlib.import_module("buscarpy")
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
            f"BUSCAR, one p at {READ:,} read",
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


def other_rows(labels: np.ndarray) -> list[list[str]]:
    """The certified curve and the kernels of any-time bounds, which have no peer here."""
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
    warnings.simplefilter("ignore", irb.OptionalStoppingWarning)
    peer, labels = peer_module(), ranked_labels()
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
                ["computation", "irbounds", "buscarpy", "ratio", "difference"],
                [*buscar_rows(peer, labels), *other_rows(labels)],
            ),
            "",
            "Any-time bounds are timed in the compiled core, without the checks of the public "
            "functions.",
            "",
            small_reviews(peer),
        ],
        "stopping.md",
    )


if __name__ == "__main__":
    main()
