"""Coverage of an interval at which a review stops because it pleases.

    python benchmarks/studies/stopping.py [--quick]

Simulated reviews of 100,000 documents, recall 0.75, precision 0.5, up to 500 + 3,000 assessments in
20 parts, an interval (half prior) after each; one-sided for a lower end.  Reviews stop as soon as
the interval is as wanted.  *Planned*: the error divided by the number of looks, as
`SampleMonitor(looks=20)` does.
"""

from __future__ import annotations

from study import about, coverage_row, parser_of, publish, store, table

import irbounds as irb

ASK = "recall where a look may stop the review"
LOOKS, SAMPLES = 20, (500, 3000)
GOALS = ({"target": 0.70}, {"target": 0.75}, {"width": 0.15}, {"width": 0.10})


def main() -> None:
    """Simulate, and write the page."""
    given = parser_of(__doc__).parse_args()
    review = irb.AssumedReview(100_000, 10_000, recall=0.75, precision=0.5)
    found: dict[bool, list[irb.planning.StoppingReport]] = {False: [], True: []}
    for goal in GOALS:
        side = "lower" if "target" in goal else "two-sided"
        for corrected, reports in found.items():
            options = {"looks": LOOKS, "corrected": corrected, "side": side, "rng": 1, **goal}
            reviews = 20 if given.quick else 4000
            report = irb.planning.simulate_stopping(review, *SAMPLES, reviews=reviews, **options)
            reports.append(report)
    free, planned = ([each.coverage for each in reports] for reports in found.values())
    goals = f"{len(GOALS)} goals, {LOOKS}"
    rows = [
        coverage_row(ASK, "SampleMonitor", f"{goals} planned looks", planned),
        coverage_row(f"{ASK}, uncorrected", "betabinom-half", f"{goals} looks", free),
    ]
    shown = []
    for i, goal in enumerate(GOALS):
        (name, value), cells = *goal.items(), []
        for reports in found.values():
            one = reports[i]
            cells += [f"{one.coverage:.3f}", f"{one.bias:+.3f}", f"{one.mean_sample:.0f}"]
        shown.append([f"{'lower end ≥' if name == 'target' else 'width ≤'} {value}", *cells])
    names = ("coverage", "bias of recall", "assessed")
    columns = [f"{name}, {kind}" for kind in ("free", "planned") for name in names]
    lines = [
        *about(__doc__),
        "",
        *store("stopping", rows, given),
        *table(["stop when", *columns], shown),
        "A narrow interval is a harmless reason to stop; a high lower end is not: reviews stop",
        "where luck was good.",
    ]
    publish("Looking at the interval while assessments come in", lines, "stopping.md", given)


if __name__ == "__main__":
    main()
