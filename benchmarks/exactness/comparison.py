"""Paired tests: SciPy called directly, and every change of sign or shuffle in fractions."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

import irbounds as irb
from exactness.measure import ABSOLUTE, RELATIVE, Family, Row
from tests.reference import comparison as slow

SAME, ENUMERATED, BOOTSTRAP = 1e-12, 1e-12, 1e-10  # the tests': one formula in two places
RANGE = 1e-9  # the tests', of SciPy's own quadrature
POINT = 1e-12  # means and quotients of some dozen values
SEED = 7
SCIPY, SIGNS = "SciPy, called directly", "all changes of sign, fractions"
RESAMPLED = "t of each resample, one by one"


def seeded() -> dict[str, Any]:
    """The seed, as SciPy is told: by `rng`, before 1.15 by `random_state`."""
    is_new = "rng" in inspect.signature(stats.permutation_test).parameters
    return {"rng" if is_new else "random_state": np.random.default_rng(SEED)}


def compared(values: Any, **options: Any) -> irb.Comparison:
    """A comparison of runs with these values, (runs, queries)."""
    values = np.asarray(values, float)
    queries = tuple(f"q{i}" for i in range(values.shape[1]))
    evaluations = {
        f"run {i}": irb.Evaluation(("AP",), queries, row[:, None].copy())
        for i, row in enumerate(values)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # old SciPy's, of small samples
        return irb.comparison.compare_evaluations(evaluations, **{"rng": SEED, **options})


def scipys(test: str, first: np.ndarray, second: np.ndarray) -> float:
    """The two-sided p-value."""
    if test == "permutation":
        return stats.permutation_test(
            (first, second),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            vectorized=True,
            permutation_type="samples",
            n_resamples=9999,
            batch=1000,
            **seeded(),
        ).pvalue
    if test == "sign":
        wins, losses = int((first > second).sum()), int((first < second).sum())
        return stats.binomtest(wins, wins + losses).pvalue
    return {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[test](first, second).pvalue


def tests_of_scipy(n: int) -> Iterator[Row]:
    """p-values, and the interval of t."""
    for test in ("permutation", "t", "wilcoxon", "sign"):
        rng = np.random.default_rng(1)
        row = Row(f"compare_evaluations, {test}: p", SCIPY, SAME, RELATIVE)
        ends = Row(f"compare_evaluations, {test}: interval", SCIPY, SAME, RELATIVE)
        for _ in range(n):
            first, second = rng.normal([[0], [0.3]], 1, (2, int(rng.integers(20, 60))))
            [one] = compared([first, second], test=test).differences
            row.add(one.p_value, scipys(test, second, first))
            if test == "t":
                ends.add(
                    [one.low, one.high], list(stats.ttest_rel(second, first).confidence_interval())
                )
        yield from (row, ends) if ends.answers else (row,)


def bootstraps(n: int) -> Iterator[Row]:
    """p and ends of the studentised bootstrap, differences that repeat and zeros among them."""
    rng = np.random.default_rng(2)
    p_values = Row("compare_evaluations, bootstrap: p", RESAMPLED, SAME, RELATIVE)
    row = Row("compare_evaluations, bootstrap: interval", RESAMPLED, BOOTSTRAP, RELATIVE)
    for i in range(n):
        values = rng.normal(size=30) if i % 2 else rng.integers(-2, 5, 30) / 10
        [one] = compared([np.zeros(30), values], test="bootstrap", resamples=499).differences
        draws = np.random.default_rng(SEED).integers(0, 30, (499, 30))
        p_value, low, high = slow.bootstrap_t(values.tolist(), draws.tolist(), 0.05)
        p_values.add(one.p_value, p_value)
        row.add([one.low, one.high], [low, high])
    yield from (p_values, row)


def many_to_one(n: int) -> Iterator[Row]:
    """Dunnett's p-values: by the two-way layout, and by every shuffle."""
    rng = np.random.default_rng(6)
    two_way = Row(
        "compare_evaluations, t and dunnett: p",
        "Dunnett's two integrals by QUADPACK, variance in fractions",
        RANGE,
        RELATIVE,
    )
    shuffled = Row(
        "compare_evaluations, permutation and dunnett: p",
        "all shuffles, fractions",
        ENUMERATED,
        RELATIVE,
    )
    for _ in range(n):
        table = rng.integers(0, 10, (5, 3)).tolist()
        values = np.array(table, float).T
        if slow.residual_variance(table):
            error = math.sqrt(2 * slow.residual_variance(table) / len(table))
            for one in compared(values, test="t", correction="dunnett", baseline=0).differences:
                if one.difference:
                    two_way.add(
                        one.p_value, slow.many_to_one_tail(abs(one.difference) / error, 2, 8)
                    )
        exact = slow.randomised_dunnett_p(table, 0)
        found = compared(values, correction="dunnett", baseline=0, resamples=9999).differences
        shuffled.add([one.p_value for one in found], [exact[1], exact[2]])
    yield from (two_way, shuffled)


def sums(n: int) -> Iterator[Row]:
    """Means, in any order and whatever their sizes."""
    rng = np.random.default_rng(7)
    row = Row("Evaluation: mean", "fractions, rounded once", 0.0, ABSOLUTE)
    for _ in range(n):
        values = rng.normal(size=int(rng.integers(1, 200))) * 2.0 ** rng.integers(-40, 40)
        evaluation = irb.Evaluation(("AP",), tuple(range(len(values))), values[:, None])
        row.add(evaluation.mean["AP"], float(sum(map(Fraction, values.tolist())) / len(values)))
    yield row


def enumerated(n: int) -> Iterator[Row]:
    """Few queries, so that all outcomes can be counted; differences that repeat, too."""
    rng = np.random.default_rng(3)
    rows = {
        test: Row(f"compare_evaluations, {test}: p, up to 10 queries", SIGNS, ENUMERATED, RELATIVE)
        for test in ("permutation", "sign", "wilcoxon")
    }
    for _ in range(n):
        tenths = rng.integers(-4, 6, int(rng.integers(1, 11))).tolist()
        for test, differences, twin in (
            ("permutation", tenths, slow.randomisation_p),
            ("sign", tenths, slow.sign_p),
            ("wilcoxon", tenths, slow.tied_signed_rank_p),
        ):
            if any(differences):  # which are eighths, that subtract without rounding
                [one] = compared(
                    [np.zeros(len(tenths)), np.array(differences) / 8], test=test
                ).differences
                rows[test].add(one.p_value, twin(differences))
    yield from rows.values()


def several_runs(n: int) -> Iterator[Row]:
    """Holm's and Tukey's corrections; differences and effect sizes."""
    rng = np.random.default_rng(4)
    holm, two_way, shuffled = (
        Row(
            "compare_evaluations, correction holm", "step-down procedure, fractions", SAME, RELATIVE
        ),
        Row(
            "compare_evaluations, t and tukey: p",
            "SciPy's studentized range, variance in fractions",
            RANGE,
            RELATIVE,
        ),
        Row(
            "compare_evaluations, permutation and tukey: p",
            "all shuffles, fractions",
            ENUMERATED,
            RELATIVE,
        ),
    )
    difference, effect = (
        Row(f"compare_evaluations: {name}", "definition, fractions", POINT, ABSOLUTE)
        for name in ("difference", "effect_size")
    )
    for _ in range(n):
        table = rng.integers(0, 10, (5, 3)).tolist()
        values = np.array(table, float).T
        corrected = compared(values, test="permutation", correction="holm").differences
        holm.add(
            [one.adjusted_p_value for one in corrected],
            slow.holm([Fraction(one.p_value) for one in corrected]),
        )
        for one, (i, j) in zip(corrected, pairs(corrected), strict=True):
            own = [Fraction(row[i] - row[j]) for row in table]
            mean = sum(own) / len(own)
            variance = sum((x - mean) ** 2 for x in own) / (len(own) - 1)
            difference.add(one.difference, mean)
            if variance:
                effect.add(one.effect_size, float(mean) / math.sqrt(variance))
        if slow.residual_variance(table):
            blocks = compared(values, test="t", correction="tukey").differences
            error = math.sqrt(slow.residual_variance(table) / len(table))
            gaps = [
                abs(Fraction(sum(row[i] - row[j] for row in table), len(table)))
                for i, j in pairs(blocks)
            ]
            two_way.add(
                [one.p_value for one in blocks],
                [float(stats.studentized_range.sf(gap / error, 3, 8)) for gap in gaps],
            )
        exact = slow.randomised_tukey_p(table)
        honest = compared(
            values, test="permutation", correction="tukey", resamples=9999
        ).differences
        shuffled.add(
            [one.p_value for one in honest], [exact[min(pair), max(pair)] for pair in pairs(honest)]
        )
    yield from (holm, two_way, shuffled, difference, effect)


def pairs(differences: Any) -> list[tuple[int, int]]:
    """Places of the runs and of those they are taken against."""
    return [(int(one.run.split()[1]), int(one.against.split()[1])) for one in differences]


def whole(n: int) -> Iterator[Row]:
    """`compare` from judgments and runs: reciprocal ranks of one relevant document, so that values
    are known."""
    rng = np.random.default_rng(5)
    p_values, ranges = (
        Row("compare: p of RR", SIGNS, ENUMERATED, RELATIVE),
        Row("compare: tie_bounds of RR", "definition, fractions", POINT),
    )
    for _ in range(n):
        qrels = {f"q{i}": {"d0": 1} for i in range(8)}
        scores = rng.integers(0, 4, (2, 8, 5))
        runs = {
            name: {
                f"q{i}": {f"d{d}": int(score) for d, score in enumerate(row)}
                for i, row in enumerate(own)
            }
            for name, own in zip("ab", scores, strict=True)
        }
        one = irb.compare(qrels, runs, "RR", rng=SEED).between("b", "a")
        values = [[expected_places(row.tolist()) for row in own] for own in scores]
        own = [b[0] - a[0] for a, b in zip(*values, strict=True)]
        if any(own):
            p_values.add(one.p_value, slow.randomisation_p(own))
        least, most = ([sum(v[k] for v in run) / 8 for run in values] for k in (1, 2))
        ranges.add(
            [one.tie_bounds.low, one.tie_bounds.high], [least[1] - most[0], most[1] - least[0]]
        )
    yield from (p_values, ranges)


def expected_places(scores: list[int]) -> tuple[Fraction, Fraction, Fraction]:
    """Mean, least and greatest reciprocal rank of the first document."""
    above, tied = sum(s > scores[0] for s in scores), scores.count(scores[0])
    places = [Fraction(1, above + k) for k in range(1, tied + 1)]
    return sum(places, Fraction(0)) / tied, min(places), max(places)


FAMILIES = [
    Family(tests_of_scipy, 15, 2, "compare_evaluations Comparison Difference"),
    Family(bootstraps, 5, 1, ""),
    Family(many_to_one, 8, 1, ""),
    Family(sums, 60, 5, ""),
    Family(enumerated, 40, 3, ""),
    Family(several_runs, 8, 1, ""),
    Family(whole, 30, 3, "compare Evaluation"),
]
