"""Two systems judged on the same objects: the joint table, by quadrature with 22 digits."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import numpy as np

import irbounds as irb
from exactness.counts import DIFFERENCE, ENDS, MCNEMAR, OVERCLAIMED, QUADRATURE
from exactness.measure import RELATIVE, Family, Row
from tests.reference import counts as slow
from tests.reference import paired_counts as slow_joint

JOINT = 1e-9  # the docstring: at most some 1e-9


def joint(n: int) -> Iterator[Row]:
    """Two systems on the same objects, from the table of truth and both labels."""
    rng = np.random.default_rng(11)
    rows = {
        name: Row(f"PairedCounts.prob_superior, {name}", "quadrature of other integrals", JOINT)
        for name in ("f", "precision", "recall", "accuracy")
    }
    claimed = Row(
        "PairedCounts.prob_superior, F1: error beyond the standard_error it states",
        "quadrature of other integrals",
        OVERCLAIMED,
    )
    margins = Row("PairedCounts.prob_superior, recall, margin 0.05", QUADRATURE, DIFFERENCE)
    for i in range(n):
        table = np.floor(10 ** rng.uniform(0, 1.7 if i % 2 else 1, (2, 2, 2))) - (i % 3 == 0)
        pairs = irb.PairedCounts(table)
        for name, row in rows.items():
            found, exact = (
                pairs.prob_superior(name),
                slow_joint.prob_superior(table, name, step=0.1 if i % 2 else 0.15),
            )
            row.add(found.probability, exact)
            if name == "f":
                claimed.add(max(0.0, abs(found.probability - exact) - found.standard_error), 0)
        with mpmath.workdps(22):
            wins, losses, total = table[1, 1, 0], table[1, 0, 1], table[1].sum()
            half = mpmath.mpf(1) / 2
            margins.add(
                1 - pairs.prob_superior("recall", margin=0.05).probability,
                slow.paired_difference_cdf(
                    0.05, int(wins), int(losses), int(total - wins - losses), half, half, 2 * half
                ),
            )
    yield from (*rows.values(), claimed, margins)


def joint_with_margin(n: int) -> Iterator[Row]:
    """F1 and precision with a margin: quasi-Monte Carlo, whose error is to be within what it
    states."""
    rng = np.random.default_rng(12)
    row = Row(
        "PairedCounts.prob_superior, F1 and precision with a margin near 0: error over what it "
        "states",
        "quadrature without a margin",
        1.0,
    )
    for _ in range(n):
        pairs = irb.PairedCounts(np.floor(10 ** rng.uniform(0, 2, (2, 2, 2))))
        for name in ("f", "precision"):
            found = pairs.prob_superior(name, margin=1e-13)
            row.add(
                abs(found.probability - pairs.prob_superior(name).probability)
                / found.standard_error,
                0,
            )
    yield row


def joint_intervals(n: int) -> Iterator[Row]:
    """Tango's and Newcombe's intervals, and McNemar's mid-p value."""
    rng = np.random.default_rng(13)
    rows = {
        name: Row(f"PairedCounts.difference_interval, {name}", reference, ENDS)
        for name, reference in (
            ("tango", "bisection, 40 digits"),
            ("newcombe", "formula, 40 digits"),
        )
    }
    mid_p = Row("PairedCounts.mcnemar, mid-p", "enumeration, fractions", MCNEMAR, RELATIVE)
    with mpmath.workdps(40):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.95"))
        for _ in range(n):
            both, wins, losses, neither = (int(10 ** rng.uniform(0, 3)) for _ in range(4))
            pairs, size = (
                irb.PairedCounts([[[0, 0], [0, 0]], [[neither, losses], [wins, both]]]),
                (both + wins + losses + neither),
            )
            for name, ends in (
                ("tango", slow_joint.tango(wins, losses, size, z)),
                ("newcombe", slow_joint.newcombe(both, wins, losses, size, z)),
            ):
                found = pairs.difference_interval("recall", method=name)
                rows[name].add([found.low, found.high], list(ends))
            mid_p.add(pairs.mcnemar("recall"), slow_joint.mcnemar(wins, losses, "mid-p"))
    yield from (*rows.values(), mid_p)


FAMILIES = [
    Family(joint, 4, 0, "PairedCounts"),
    Family(joint_with_margin, 12, 1, ""),
    Family(joint_intervals, 40, 2, ""),
]
