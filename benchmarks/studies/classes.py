"""Averages over the classes of one labelling: how often intervals hold the truth.

    python benchmarks/studies/classes.py            # some minutes
    python benchmarks/studies/classes.py --quick    # few designs, to see that it runs

Random designs have 2 to 20 classes and 60 to 2,000 objects. Shares of classes are equal to very
unequal, each class has its own share of right labels, and errors are spread, in pairs, or in one
class. Beside `ConfusionPosterior` stands a Dirichlet posterior with 1/2 in each cell of the table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binom
from study import Row, about, coverage_row, holds, parser_of, publish, store, table

import irbounds as irb

ASK = "an average over the classes of one labelling"
MEASURES = (("f", "macro"), ("f", "weighted"), ("recall", "macro"), ("precision", "macro"))
FEW = 5  # objects of a class
DRAWS = 400


class Design(NamedTuple):
    """Probabilities of the cells, and the number of objects."""

    cells: np.ndarray
    n: int

    @property
    def is_rare(self) -> bool:
        """Whether some class has few objects."""
        return bool(self.n * self.cells.sum(axis=1).min() < FEW)


def random_design(rng: np.random.Generator) -> Design:
    """One of many classes, errors and sizes."""
    k, n = int(rng.choice([2, 3, 4, 6, 10, 20])), int(rng.choice([60, 100, 200, 500, 2000]))
    shares = np.maximum(rng.dirichlet(np.full(k, rng.choice([0.5, 2, 50]))), 0.002)
    right = rng.choice([0.5, 0.7, 0.9, 0.97]) + rng.normal(0, rng.choice([0, 0.1]), k)
    right = np.clip(right, 0.05, 0.99)
    wrong, place = np.full((k, k), 0.05 / k), np.arange(k)
    kind = rng.integers(3)
    wrong[place, {0: place, 1: (place + 1) % k, 2: np.zeros(k, int)}[int(kind)]] += 1
    wrong += kind == 0
    np.fill_diagonal(wrong, 0)
    wrong *= ((1 - right) / wrong.sum(axis=1))[:, None]
    return Design(shares[:, None] / shares.sum() * (wrong + np.diag(right)), n)


def value(cells: np.ndarray, measure: str, average: str) -> np.ndarray:
    """The measure of tables, the last two axes of which are truth and prediction."""
    right, rows, columns = np.einsum("...ii->...i", cells), cells.sum(axis=-1), cells.sum(axis=-2)
    whole = {"f": (rows + columns) / 2, "recall": rows, "precision": columns}[measure]
    each = right / whole
    weights = rows / rows.sum(axis=-1, keepdims=True) if average == "weighted" else 1 / len(rows.T)
    return np.asarray((each * weights).sum(axis=-1))


def coverage(design: Design, measure: str, average: str, samples: int, seed: int) -> list[float]:
    """The shares of samples whose intervals hold the truth: ours, and that of 1/2 in each cell."""
    rng, size = np.random.default_rng(seed), len(design.cells)
    tables = rng.multinomial(design.n, design.cells.ravel(), samples).reshape(-1, size, size)
    ours, drawn = [], []
    for counts in tables:
        law = getattr(irb.counts.ConfusionPosterior(counts), measure)(average)
        ours.append(law.interval(0.95))
        draws = value(rng.standard_gamma(counts + 0.5, (DRAWS, size, size)), measure, average)
        drawn.append(np.quantile(draws, [0.025, 0.975]))
    truth = value(design.cells, measure, average)
    return [float(holds(*np.array(ends).T, truth).mean()) for ends in (ours, drawn)]


def accuracy_row() -> Row:
    """The exact coverage of the accuracy, which is micro-averaged F, by enumeration."""
    shares, found = np.linspace(0.5, 0.95, 901), []
    for n in (60, 200, 2000):
        right = np.arange(n + 1)
        tables = [[[x, n - x], [0, 0]] for x in right.tolist()]
        ends = [irb.counts.ConfusionPosterior(one).accuracy().interval(0.95) for one in tables]
        is_held = holds(*np.array(ends).T, shares[:, None])
        found.append((binom.pmf(right, n, shares[:, None]) * is_held).sum(axis=1))
    text = "f micro: shares of right labels from 0.5 to 0.95, 60 to 2,000 objects"
    return coverage_row(f"{ASK}, micro", "beta", text, map(min, found), map(np.mean, found))


def main() -> None:
    """All designs, one page."""
    given = parser_of(__doc__).parse_args()
    n_designs, samples = (4, 20) if given.quick else (100, 400)
    rng = np.random.default_rng(1)
    rows, shown = [accuracy_row()], []
    for measure, average in MEASURES:
        designs = [random_design(rng) for _ in range(n_designs)]
        found = np.array(
            [coverage(one, measure, average, samples, seed) for seed, one in enumerate(designs)]
        )
        is_rare = np.array([design.is_rare for design in designs])
        for of, chosen in ((f"{FEW} or more", ~is_rare), (f"fewer than {FEW}", is_rare)):
            ours, halves = found[chosen].T
            if not len(ours):
                continue
            text = f"{chosen.sum()} random designs, {of} objects in the smallest class"
            rows.append(coverage_row(ASK, f"mover: {measure} {average}", text, ours))
            cells = (
                f"{x:.3f} ({each.min():.3f})" for each in (ours, halves) for x in (each.mean(),)
            )
            shown.append([f"{measure}, {average}", of, str(chosen.sum()), *cells])
    columns = ["average", "smallest class", "designs", "mean (least)", "1/2 in each cell"]
    lines = [*about(__doc__), "", *store("classes", rows, given), *table(columns, shown)]
    publish("Averages over classes", lines, "classes.md", given)


if __name__ == "__main__":
    main()
