"""How far every public number is from a slow and exact twin, beside what is promised of it.

    python benchmarks/accuracy.py            # writes benchmarks/results/accuracy.md, some minutes
    python benchmarks/accuracy.py --quick    # fewer questions; writes nothing

Either exits with status 1, and names the rows, where an error is larger than its promise, and where
a public name has no row. The promises are beside the rows, in benchmarks/exactness: powers of ten
that docstrings and tests state. A promise is never raised to let an error pass.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import irbounds as irb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the twins are
from exactness import (
    assisted,
    chance,
    comparison,
    counts,
    extrapolation,
    orderings,
    paired_counts,
    planning,
    proportions,
    queries,
    ranking_measures,
    rankings,
    sample_measures,
    samples,
    stopping,
    unjudged,
)
from exactness.measure import Family, Row
from timing import is_quick, publish, table

SUBJECTS = {
    "Rankings": rankings,
    "Measures of few tools": ranking_measures,
    "Unjudged documents": unjudged,
    "Weak orderings": orderings,
    "Chance": chance,
    "Counts": counts,
    "Two systems on the same objects": paired_counts,
    "Proportions": proportions,
    "Recall from samples": samples,
    "Other measures from samples": sample_measures,
    "Planning": planning,
    "Stopping": stopping,
    "Extrapolation": extrapolation,
    "Comparison": comparison,
    "Queries": queries,
    "Judged by others": assisted,
}
HEADER = [
    "what",
    "held against",
    "answers",
    "promised",
    "largest error",
    "kind",
    "a peer's largest",
]
NO_NUMBERS = {
    "what takes and holds numbers": "AssumedReview BetaDistribution Bounds SampledDistribution "
    "EvaluatedRuns FScoreDistribution "
    "Interval Distribution Measure Qrels "
    "Realisations Run Scenario Stratum LEGAL NEUTRAL SMALL measures pool History HistoryEntry "
    "ReviewLabels read_labels",
    "functions of one's own, whose orders the tests enumerate": "define_measure",
    "errors and warnings": "AssistedWarning ExtrapolationWarning FewQueriesWarning FewUnitsWarning "
    "InputError InputFileError "
    "NoVarianceWarning RunWarning "
    "OptionalStoppingWarning SampleWarning",
    "drawings and pages of numbers that have rows": "plot report_recall report_runs "
    "report_history report_review report_assist",
    "draws, whose law the tests check": "allocate_labels LabelPlan LabelStratum "
    "random_beta simulate_stopping StoppingReport simulate_review ReviewSimulation RuleOutcome "
    "Ranks compare_scores",
    "verdicts, whose error rates the tests check": "Gate GateCheck gate gate_evaluations testing",
    "searches, whose answers the tests check by trying the others": "Allocation SampleSize "
    "ControlPlan control_plan "
    "allocate least_sample "
    "queries_needed sample_size",
}


def families() -> list[Family]:
    """All, in the order of the page."""
    return [family for subject in SUBJECTS.values() for family in subject.FAMILIES]


def names_without_row() -> set[str]:
    """Public names that no family claims, and that are not listed as holding no numbers of their
    own."""
    known = " ".join(
        [*(family.names for family in families()), *NO_NUMBERS.values(), "__version__"]
    )
    return set(irb.__all__) - set(known.split())


def complaints(rows: Sequence[Row]) -> list[str]:
    """A line for each promise that is not kept."""
    broken = [
        f"{row.what}: {row.largest:.1e}, promised {row.promised:.0e}"
        if row.answers
        else f"{row.what}: no answer"
        for row in rows
        if not row.is_kept
    ]
    return broken + [f"{name}: a public name without a row" for name in sorted(names_without_row())]


def page(rows: dict[str, list[Row]]) -> list[str]:
    """The tables, a section for each subject."""
    lines = [
        "# Accuracy",
        "",
        "The largest error found over random questions, and what is promised. The twins share no "
        "code with "
        "irbounds: they enumerate, or compute with fractions or many digits. *Relative above 1* "
        "means relative "
        "where the exact value is above 1, absolute elsewhere. Made by `python "
        "benchmarks/accuracy.py`, which "
        "fails where a promise is broken.",
        "",
    ]
    for subject, some in rows.items():
        lines += [f"## {subject}", "", *table(HEADER, [row.cells() for row in some]), ""]
    lines += [
        "## Not in the tables",
        "",
        *(
            f"- {reason}: {', '.join(f'`{name}`' for name in names.split())}"
            for reason, names in NO_NUMBERS.items()
        ),
    ]
    return lines


def main() -> int:
    """Measure, write the page, and say what is not kept."""
    quick = is_quick(__doc__)
    warnings.simplefilter("ignore", irb.warnings.ExtrapolationWarning)
    warnings.simplefilter("ignore", irb.warnings.RunWarning)
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    rows = {
        name: [row for family in subject.FAMILIES for row in family.asked(quick)]
        for name, subject in SUBJECTS.items()
    }
    publish(page(rows), "accuracy.md", write=not quick)
    broken = complaints([row for some in rows.values() for row in some])
    print(*broken, sep="\n", file=sys.stderr, end="\n" if broken else "")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
