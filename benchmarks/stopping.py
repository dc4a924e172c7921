"""Coverage of an interval at which a review stops because it is short enough.

python benchmarks/stopping.py       # writes benchmarks/results/stopping.md
"""

from __future__ import annotations

from timing import publish, table

import irbounds as irb

REVIEWS = 4000
LOOKS = 20
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


def main() -> None:
    """All goals, one table."""
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
        ],
        "stopping.md",
    )


if __name__ == "__main__":
    main()
