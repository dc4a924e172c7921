"""Intervals from judges and audits: the strata of 4,423 pairs, and `Audited` segments beside their
posterior by 40,000 draws in NumPy, in some designs and in a grid of them.

    python benchmarks/assisted.py            # writes benchmarks/results/assisted.md
    python benchmarks/assisted.py --quick    # to see that it runs
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from functools import partial
from itertools import product

import numpy as np
from timing import best_seconds, is_quick, machine, publish, table

import irbounds as irb
from irbounds.assisted.estimators import Cells, count_ends

DRAWS = 40_000
# size, sampled and relevant pairs of each of a judge's grades
STRATA = (
    ((2300, 12, 1), (900, 8, 2), (700, 6, 3), (523, 4, 3)),
    ((2300, 100, 8), (900, 80, 21), (700, 60, 30), (523, 60, 49)),
    ((3800, 20, 0), (400, 10, 3), (200, 6, 4), (23, 4, 4)),
)
# retrieved: size, coded, called, audits; unretrieved: a stratum or the same
AUDITS = (
    ((10_000, 1000, 300, (60, 51), (120, 4)), (90_000, 1000, 3)),
    ((20_000, 20_000, 600, (250, 60), (250, 2)), (80_000, 1000, 1)),
    ((500, 200, 80, (30, 25), (30, 4)), (4500, 500, 100, (60, 30), (100, 2))),
    ((100_000, 5000, 1200, (200, 170), (300, 9)), (900_000, 10_000, 300, (100, 30), (600, 2))),
    # tiny audits, the hardest ones
    ((20_000, 10, 3, (2, 1), (3, 0)), (100_000, 1000, 3)),
    ((100_000, 10, 3, (2, 1), (3, 0)), (100_000, 1000, 3)),
    ((100_000, 1000, 300, (5, 4), (5, 0)), (100_000, 1000, 3)),
)
# The grid: sizes, coded documents (0: all), audited ones, and rates of relevant documents among the
# audited ones of both classes.  A tenth or a half of the coded documents is called relevant.
SIZES = 500, 2000, 5000, 20_000, 100_000, 1_000_000
CODED = 4, 20, 100, 1000, 10_000, 0
AUDITED = 4, 10, 30, 100, 300, 1000
RATES = (0.8, 0.02), (1.0, 0.0), (0.5, 0.2)
# Processor time, which other work on the machine changes least.
seconds = partial(best_seconds, clock=time.process_time)
CLASSES = (("4 or 10", 10), ("30", 30), ("100 to 1,000", 1000))


def draw_yield(rng: np.random.Generator, part: tuple) -> np.ndarray:
    """Betas, then binomials: of calls, and of relevant documents of both classes."""
    if len(part) == 3:
        size, sampled, relevant = part
        share = rng.beta(0.5 + relevant, 0.5 + sampled - relevant, DRAWS)
        return relevant + rng.binomial(size - sampled, share)
    size, coded, called, (m1, x1), (m0, x0) = part
    share = rng.beta(0.5 + called, 0.5 + coded - called, DRAWS)
    calls = called + rng.binomial(size - coded, share)
    of_called = rng.binomial(calls - m1, rng.beta(0.5 + x1, 0.5 + m1 - x1, DRAWS))
    of_others = rng.binomial(size - calls - m0, rng.beta(0.5 + x0, 0.5 + m0 - x0, DRAWS))
    return x1 + x0 + of_called + of_others


def draw_recall(rng: np.random.Generator, parts: tuple) -> np.ndarray:
    """Both quantiles."""
    one, other = (draw_yield(rng, part) for part in parts)
    return np.quantile(one / np.maximum(one + other, 1), [0.025, 0.975])


def strata_row(strata: tuple) -> list[str]:
    """Times of the interval from counts, and of the function that takes strata."""
    size, sampled, relevant = np.array(strata, float).T
    cells = Cells(np.ones(size.size), size, sampled, relevant)
    alone = seconds(lambda: count_ends(cells, 0.025))
    method = "betabinom-half-per-stratum"
    public = seconds(lambda: irb.precision_interval(list(strata), method=method))
    return [
        ", ".join("/".join(f"{count:,}" for count in stratum) for stratum in strata),
        f"{alone * 1e3:.2f} ms",
        f"{public * 1e3:.2f} ms",
    ]


def audited_row(parts: tuple) -> list[str]:
    """Times of the interval and of NumPy's quantiles, after a look at the exact ones: the low end
    of tiny audits is that of another law (`samples/posterior/coded.py`)."""
    segments = [irb.Audited(*part) if len(part) > 3 else irb.Stratum(*part) for part in parts]
    rng = np.random.default_rng(1)
    posterior, drawn = irb.recall_posterior(*segments), draw_recall(rng, parts)
    exact = [posterior.quantile(p) for p in (0.025, 0.975)]
    if not np.allclose(exact, drawn, atol=0.015):
        sys.exit(f"{parts}: {exact} and {drawn} differ: no comparison")
    ours = seconds(lambda: irb.recall_interval(*segments))
    numpy = seconds(lambda: draw_recall(rng, parts), repeat=5)
    return [
        " and ".join(
            "/".join("-".join(map(str, x)) if isinstance(x, tuple) else f"{x:,}" for x in part)
            for part in parts
        ),
        f"{ours * 1e3:.2f} ms",
        f"{numpy * 1e3:.1f} ms",
        f"{numpy / ours:.2g}×",
    ]


def grid() -> dict[tuple, tuple[int, str, bool]]:
    """Designs that are possible: segments, and their group."""
    found = {}
    for size, coded, share, audited, rates in product(SIZES, CODED, (0.1, 0.5), AUDITED, RATES):
        judged = coded or size
        called = max(1, int(judged * share))
        m1 = min(called, audited // 2)
        m0 = min(judged - called, audited - m1)
        if judged > size or (m1 + m0 < 0.7 * audited and audited > 4):
            continue
        audits = ((m, round(m * rate)) for m, rate in zip((m1, m0), rates, strict=True))
        other = (size, max(50, size // 50) if size < 100_000 else 1000, 3)
        kind = next(name for name, most in CLASSES if audited <= most)
        found[(size, judged, called, *audits), other] = (coded, kind, size > 20_000)
    return found


def grid_rows(step: int) -> list[list[str]]:
    """The median ratio of each group of designs, the least one, and the slowest interval."""
    groups: dict[tuple[int, str, bool], list[tuple[float, float]]] = defaultdict(list)
    rng = np.random.default_rng(1)
    for parts, group in [*grid().items()][::step]:
        segments = irb.Audited(*parts[0]), irb.Stratum(*parts[1])

        def exact(segments: tuple = segments) -> object:
            return irb.recall_interval(*segments)

        def drawn(parts: tuple = parts) -> object:
            return draw_recall(rng, parts)

        ours, numpy = (seconds(work, repeat=5) for work in (exact, drawn))
        groups[group].append((ours, numpy / ours))
    rows = []
    for coded, kind, is_large in sorted(
        groups, key=lambda g: (g[2], g[0] or 10**9, int(g[1].split()[0]))
    ):
        ours, ratio = np.array(groups[coded, kind, is_large]).T
        rows.append(
            [
                "100,000 or 1,000,000" if is_large else "500 to 20,000",
                f"{coded:,}" if coded else "all",
                kind,
                f"{ratio.size}",
                f"{np.median(ratio):.2g}× ({ratio.min():.2g}×)",
                f"{(ratio >= 10).mean():.0%}",
                f"{ours.max() * 1e3:.3g} ms",
            ]
        )
    return rows


def main() -> None:
    """Measure and write the tables."""
    quick = is_quick(__doc__)
    strata, audits = (STRATA[:1], AUDITS[:1]) if quick else (STRATA, AUDITS)
    publish(
        [
            "# Judges and audits",
            "",
            "95 % intervals. Processor time, the shortest of several runs. Made by `python "
            "benchmarks/assisted.py`.",
            "",
            machine(["numpy", "scipy"]),
            "",
            "The share of relevant pairs among 4,423, by strata of a judge's four grades as "
            "size/labelled/relevant: both ends of the default of `assisted_interval` from these "
            "counts, and `precision_interval` of the same strata:",
            "",
            *table(["strata", "default", "precision_interval"], [*map(strata_row, strata)]),
            "",
            "Recall of coded and audited segments, as size/coded/called/audit of the "
            f"called/audit of the others, beside the same posterior by {DRAWS:,} draws in NumPy:",
            "",
            *table(["segments", "exact", "NumPy", "ratio"], [*map(audited_row, audits)]),
            "",
            "The same for a grid of designs with a stratum beside the `Audited` segment, of which "
            "a tenth or a half was called relevant and 80 %, all or half of the audited called "
            "ones are relevant. The median ratio (the least one), the designs with a ratio of 10 "
            "or more, and the slowest interval:",
            "",
            *table(
                ["documents", "coded", "audited", "designs", "ratio", "10 or more", "slowest"],
                grid_rows(100 if quick else 1),
            ),
        ],
        "assisted.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
