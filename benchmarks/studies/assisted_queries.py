"""Coverage of intervals whose units are whole queries, by resampling the queries that people judge.

    python benchmarks/studies/assisted_queries.py    # writes results/assisted_queries.md, 3 minutes

Systems, truth and peers are those of `assisted_coverage.py`: 25 queries, of which people judge n.
All methods see the same samples.  Intervals of `assisted_interval` are clipped to the values that a
measure may have; those of the peers are not.
"""

from __future__ import annotations

import warnings
from collections import defaultdict

import numpy as np
from assisted_coverage import ALPHA, RESULTS, Grades, cochran, first_system, ppi, read, system

import irbounds as irb
from irbounds.assisted.whole_queries import regression

DRAWS, SAMPLES = 400, (5, 8, 15, 20)
MEASURES = ("nDCG@10", "AP(rel=2)", "R(rel=2)@50", "RR(rel=2)")
METHODS = ("default", "people alone", "regression, Cochran", "PPI++")


def values(
    grades: Grades, runs: tuple[dict[str, dict[str, int]], ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The measures of the first system, a row for each query, and differences from the second."""
    nested: dict[str, dict[str, int]] = defaultdict(dict)
    for (query, doc), grade in grades.items():
        nested[query][doc] = grade
    one, two = (irb.evaluate(dict(nested), run, list(MEASURES)).values for run in runs)
    return one, one - two


def question(y: np.ndarray, x: np.ndarray, n: int) -> np.ndarray:
    """Coverage and mean width of all methods for one judge."""
    rng, size, truth = np.random.default_rng(n), y.size, float(y.mean())
    least = -1.0 if y.min() < 0 else 0.0
    total = np.zeros((len(METHODS), 2))
    for _ in range(DRAWS):
        sampled = np.zeros(size, bool)
        sampled[rng.permutation(size)[:n]] = True
        found = [
            np.clip(regression(y, x, sampled, ALPHA, 1.0)[1:], least, 1.0),
            np.clip(regression(y, np.zeros(size), sampled, ALPHA, 1.0)[1:], least, 1.0),
            cochran(y, x, sampled),
            ppi(y[sampled], x[sampled], x[~sampled])[1:],
        ]
        for row, (low, high) in zip(total, found, strict=True):
            row += (low <= truth + 1e-12 and high >= truth - 1e-12, high - low)
    return total / DRAWS


def main() -> None:
    """Measure all judges, and write the page."""
    warnings.simplefilter("ignore", irb.warnings.SampleWarning)
    truth, judges = read()
    runs = tuple(
        {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in ranking.items()}
        for ranking in (first_system(judges), system(judges, ("TREMA-",)))
    )
    of_people, of_judges = values(truth, runs), [values(each, runs) for each in judges.values()]
    lines = [
        "# Coverage with whole queries as units",
        "",
        f"{len(judges)} judges, {DRAWS} samples of n of 25 queries each (standard error of one "
        "judge 0.011); nominal coverage 0.95. The default is regression on the judge's values, "
        "with the error of its slope and with HC3; *Cochran* is without these. Coverage is the "
        "mean over judges (least to greatest), width the median. Made by "
        "`python benchmarks/studies/assisted_queries.py`.",
        "",
        "| measure | n | method | coverage | width |",
        "|---|---|---|---|---|",
    ]
    for is_difference in (0, 1):
        for column, measure in enumerate(MEASURES):
            what = f"{measure}, difference" if is_difference else measure
            y = of_people[is_difference][:, column]
            for n in SAMPLES:
                found = np.array(
                    [question(y, each[is_difference][:, column], n) for each in of_judges]
                )
                for method, (coverage, width) in zip(
                    METHODS, found.transpose(1, 2, 0), strict=True
                ):
                    lines.append(
                        f"| {what} | {n} | {method} | {coverage.mean():.3f} "
                        f"({coverage.min():.3f} to {coverage.max():.3f}) "
                        f"| {np.median(width):.3f} |"
                    )
                print(lines[-len(METHODS)], flush=True)
    (RESULTS / "assisted_queries.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
