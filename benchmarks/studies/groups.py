"""Queries in groups: coverage of intervals of a mean, and errors of tests and gates.

    python benchmarks/studies/groups.py            # some minutes
    python benchmarks/studies/groups.py --quick    # few designs, to see that it runs

Random designs have groups of 2 to 40 queries: uniform, geometric, lognormal, Pareto, or 2 and 40.
Scores are zeros and ones or beta, with an intra-class correlation of 0 to 0.5; they do not depend
on the size, go with it, or are apart: groups of 20 and more score otherwise than small ones.  The
truth is E Σx / E m.  Errors: two systems that do not differ on average; all queries are alike, or
groups differ, or four in five queries have no difference at all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from study import (
    ALPHA,
    Row,
    about,
    coverage_row,
    error_row,
    holds,
    parser_of,
    publish,
    store,
    table,
)

import irbounds as irb
from irbounds.comparison.gates.checks import Question, judge
from irbounds.comparison.significance.paired_tests import Plan
from irbounds.comparison.significance.table import TESTS
from irbounds.queries.groups import Groups

ASK, ERRS = "mean over queries in groups", "whether runs differ, queries in groups"
NUMBERS, COLUMNS = (8, 14, 30, 60), 8
TESTED = (10, 14, 30)  # numbers of groups
LIMITS = {"within limits": (0.0, 1.0), "without limits": None}
Rng = np.random.Generator
SIZES: dict[str, Callable[[Rng, int], np.ndarray]] = {
    "uniform": lambda rng, n: rng.integers(2, 41, n),
    "geometric": lambda rng, n: 1 + rng.geometric(1 / 7, n),
    "lognormal": lambda rng, n: np.exp(rng.normal(1.8, 0.9, n)).round(),
    "Pareto": lambda rng, n: 2 * (1 - rng.random(n)) ** (-1 / 1.1),
    "2 and 40": lambda rng, n: np.where(rng.random(n) < 0.5, 2, 40),
}
KINDS = ("does not depend on the size", "goes with the size", "large groups are apart")


class Design:
    """Sizes and scores of groups; `rng` chooses what is not given."""

    def __init__(self, rng: Rng, kind: int) -> None:
        self.kind, self.sizes_of = kind, SIZES[str(rng.choice([*SIZES]))]
        self.base, self.slope = rng.uniform(0.15, 0.9), rng.uniform(0.3, 0.6)
        self.correlation, self.is_binary = rng.choice([0.0, 0.1, 0.3, 0.5]), rng.random() < 0.6
        sizes = self.sizes(np.random.default_rng(1), 10**6)
        self.truth = float((sizes * self.chance(sizes)).sum() / sizes.sum())

    def sizes(self, rng: Rng, n: int) -> np.ndarray:
        """Sizes of groups, 2 to 40."""
        return self.sizes_of(rng, n).clip(2, 40).astype(int)

    def chance(self, sizes: np.ndarray) -> np.ndarray:
        """The mean score of groups of these sizes."""
        share = np.log(sizes / 2) / np.log(20)
        if self.kind == 2:
            return (
                np.where(sizes >= 20, 0.15, 0.85) if self.base < 0.6 else 0.97 - 0.5 * (sizes >= 20)
            )
        low = self.base * (1 - self.slope * share * self.kind)
        return np.clip(low if self.base > 0.5 else 1 - low, 0.02, 0.98)

    def draw(self, rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Values of samples with the same sizes, and the groups of their queries."""
        sizes = self.sizes(rng, n)
        codes, mean = np.repeat(np.arange(n), sizes), self.chance(sizes)[:, None]
        mean = np.repeat(mean, COLUMNS, axis=1)
        if self.correlation:
            scale = 1 / self.correlation - 1
            mean = rng.beta(mean * scale, (1 - mean) * scale).clip(1e-6, 1 - 1e-6)
        each = mean[codes]
        values = (
            rng.random(each.shape) < each if self.is_binary else rng.beta(4 * each, 4 - 4 * each)
        )
        return values.astype(float), codes


def coverage(design: Design, n: int, samples: int) -> list[float]:
    """The shares of intervals of n groups that hold the truth, within limits and without."""
    rng, held = np.random.default_rng(n), np.zeros(len(LIMITS))
    for _ in range(samples):
        values, codes = design.draw(rng, n)
        for place, limits in enumerate(LIMITS.values()):
            found = irb.mean_interval(values, groups=codes, limits=limits)
            is_known = ~np.isnan(np.asarray(found.low))
            inside = holds(np.asarray(found.low), np.asarray(found.high), design.truth)
            held[place] += np.mean(inside | ~is_known)
    return [*(held / samples)]


def differences(rng: Rng, law: str, codes: np.ndarray, count: int) -> np.ndarray:
    """Differences of two equal systems; columns are samples."""
    shape, groups = (len(codes), count), codes.max() + 1
    apart = rng.normal(size=(groups, count))[codes] * {"alike": 0.0}.get(law, 1.0)
    apart += rng.normal(size=shape)
    return apart * (rng.random(shape) < 0.2) if law == "80 % zeros" else apart


def errors(n: int, samples: int) -> tuple[float, float]:
    """The largest share of rejections of equal systems, of a test and of a strict gate."""
    rng, most = np.random.default_rng(n), [0.0, 0.0]
    for of_sizes in SIZES.values():
        for law in ("alike", "unlike", "80 % zeros"):
            codes = np.repeat(np.arange(n), of_sizes(rng, n).clip(2, 40).astype(int))
            values = differences(rng, law, codes, samples)
            groups = Groups(codes)
            for test in TESTS.values():
                p_value = test(values, Plan(ALPHA, 999, 1), groups).p_value
                most[0] = max(most[0], float((p_value < ALPHA).mean()))
            asked = Question(0.01, ALPHA, True)
            columns = np.ascontiguousarray(values.T)
            failed = [judge(column, asked, groups).deciding_p < ALPHA for column in columns]
            most[1] = max(most[1], float(np.mean(failed)))
    return most[0], most[1]


def main() -> None:
    """All designs, one page."""
    given = parser_of(__doc__).parse_args()
    warnings.simplefilter("ignore", irb.warnings.FewQueriesWarning)
    warnings.simplefilter("ignore", irb.warnings.NoVarianceWarning)
    n_designs, samples, count = (2, 4, 40) if given.quick else (16, 50, 400)
    rng, rows, shown = np.random.default_rng(2), [], []
    for kind, name in enumerate(KINDS):
        designs = [Design(rng, kind) for _ in range(n_designs)]
        found = np.array([[coverage(one, n, samples) for n in NUMBERS] for one in designs])
        for place, of in enumerate(LIMITS):
            each = found[:, :, place]
            ask = ASK + ("" if of == "within limits" else f", {of}") + ", apart" * (kind == 2)
            text = f"{n_designs} random designs, the score {name}, 8 to 60 groups"
            text = text.replace("the score large", "large")
            rows.append(coverage_row(ask, "default", text, each.ravel(), each.mean(axis=0)))
            cells = [f"{of_n.mean():.3f} ({of_n.min():.3f})" for of_n in each.T]
            shown.append([f"{name}, {of}", *cells])
            print(*shown[-1], flush=True)
    erred = np.array([errors(n, count) for n in TESTED])
    laws = f"{3 * len(SIZES)} designs of equal systems, 10 to 30 groups"
    errs: list[Row] = [
        error_row(ERRS, "all tests of two systems", laws, erred[:, 0]),
        error_row(ERRS, "strict gate", laws, erred[:, 1]),
    ]
    lines = [
        *about(__doc__),
        "",
        *store("groups", [*rows, *errs], given),
        "Coverage by number of groups: the mean over designs, and the least:",
        "",
        *table(["the score", *map(str, NUMBERS)], shown),
        "Errors by number of groups: the largest share of a design.",
        "",
        *table(
            ["groups", "a test", "strict gate"],
            [[str(n), *(f"{x:.3f}" for x in each)] for n, each in zip(TESTED, erred, strict=True)],
        ),
    ]
    publish("Queries in groups", lines, "groups.md", given)


if __name__ == "__main__":
    main()
