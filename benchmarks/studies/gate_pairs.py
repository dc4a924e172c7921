"""How often gates err on differences of real runs, and what they find: every pair of runs.

    python benchmarks/studies/gate_pairs.py            # writes the page of results
    python benchmarks/studies/gate_pairs.py --quick    # to see that it runs

The per-query differences of two runs, less their mean, are taken for the law of the queries.
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

import numpy as np
from gate_tests import ALPHA, EQUAL, Sample, decided
from query_intervals import COLLECTIONS, DATA, SYSTEMS

import irbounds as irb

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import is_quick, machine, publish, table

MEASURES, SIZES = ("AP", "RR", "nDCG@10", "P@10"), (14, 20, 25, 30, 50, 100)
SHOWN = ("t", "former", "chosen")
SAMPLES = 2000
COLUMNS = ["n", "tests", "errors: mean", "0.95 of the pairs", "most", "power: mean", "0.05 of them"]


def pairs() -> dict[str, np.ndarray]:
    """Differences of two runs of a collection, with the mean 0 and the deviation 1."""
    laws = {}
    for collection in COLLECTIONS:
        folder = DATA / collection
        evaluator = irb.Evaluator(folder / f"{collection}.qrels", list(MEASURES))
        runs = {x: evaluator.evaluate(folder / f"{collection}.{x}.run.xz").values for x in SYSTEMS}
        for new, old in itertools.permutations(SYSTEMS, 2):
            for j, measure in enumerate(MEASURES):
                apart = runs[new][:, j] - runs[old][:, j]
                if apart.std() > EQUAL:
                    name = f"{collection} {measure}, {new} less {old}"
                    laws[name] = (apart - apart.mean()) / apart.std()
    return laws


def rows_of(laws: dict[str, np.ndarray], count: int) -> list[list[str]]:
    """A row for each number of queries and tests."""
    rows = []
    for n in SIZES:
        gain = irb.queries.detectable_difference(n, 1.0, alpha=ALPHA, side="one-sided")
        rng, found = np.random.default_rng(n), []
        for law in laws.values():
            values = rng.choice(law, (count, n))
            each = [decided(Sample(moved)) for moved in (values, values + gain)]
            found.append([[one[name].mean() for name in SHOWN] for one in each])
        erred, power = np.array(found).transpose(1, 0, 2)
        for j, name in enumerate(SHOWN):
            numbers = [erred[:, j].mean(), np.quantile(erred[:, j], 0.95), erred[:, j].max()]
            numbers += [power[:, j].mean(), np.quantile(power[:, j], 0.05)]
            worst = list(laws)[int(erred[:, j].argmax())]
            rows.append([f"{n}", name, *(f"{number:.3f}" for number in numbers), worst])
            print(*rows[-1], flush=True)
    return rows


def main() -> None:
    """Simulate and write the page."""
    quick = is_quick(__doc__)
    if not DATA.is_dir():
        sys.exit(f"needs the research data: {DATA}")
    start = time.perf_counter()
    count = 20 if quick else SAMPLES
    laws = pairs()
    rows = rows_of(laws, count)
    lines = [
        "# Errors of gates on pairs of real runs",
        "",
        f"Made by `python benchmarks/studies/gate_pairs.py`: {len(laws)} laws, which are each of "
        f"six runs less each other, of three collections, by {', '.join(MEASURES)}; {count:,} "
        f"samples of each, standard error {(0.05 * 0.95 / count) ** 0.5:.3f} of 0.05. Errors: the "
        "share of samples for which the tests say that the mean is above 0, though it is 0. Power: "
        "the same where it is above 0 by the difference that Student's t finds with 0.8 if "
        "differences are normal. [gate_tests.md](gate_tests.md) says which tests those are; "
        "*chosen* are those of the gate. The pairs that err most differ on one or two queries by "
        "far more than on the others: those make the mean, and a sample may lack them.",
        "",
        machine(["numpy", "scipy"]),
        "",
        *table([*COLUMNS, "the pair that errs most"], rows),
    ]
    print(f"{time.perf_counter() - start:.0f} s")
    publish(lines, "gate_pairs.md", write=not quick)


if __name__ == "__main__":
    main()
