"""Shares corrected by a judge's error rates, against published numbers and a slow twin."""

import numpy as np
import pytest
import scipy.stats

import irbounds as irb
from irbounds.samples import prevalence_interval
from tests.reference.audited import lang_reiczigel

# positive, sampled, sensitivity, specificity, ends: Lang and Reiczigel's examples, as their
# program prints them
PRINTED = [
    (4060, 11284, (178, 179), (358, 359), 0.34867355, 0.37208295),
    (51, 2971, (32, 33), (20, 20), 0.0, 0.05334508),
    (0.06 * 11862, 11862, (8, 10), (12, 12), 0.0, 0.14666839),
    (259, 509, (84, 127), (96, 109), 0.58486787, 0.86645821),
    (51, 509, (23, 41), (187, 195), 0.03660981, 0.19469406),
    # Lee et al. 2025
    (400, 1000, (180, 200), (140, 200), 0.056351, 0.262733),
]


@pytest.mark.parametrize(("x", "n", "se", "sp", "low", "high"), PRINTED)
def test_published_intervals(x, n, se, sp, low, high):
    found = prevalence_interval(x, n, se, sp)
    tolerance = 5e-7 if n == 1000 else 1e-8
    assert found.low == pytest.approx(low, abs=tolerance)
    assert found.high == pytest.approx(high, abs=tolerance)


def test_the_estimate_is_rogan_and_gladens_within_0_and_1():
    assert prevalence_interval(400, 1000, (180, 200), (140, 200)).estimate == pytest.approx(
        1 / 6, abs=1e-15
    )
    assert prevalence_interval(1, 1000, (180, 200), (140, 200)).estimate == 0
    assert prevalence_interval(990, 1000, (180, 200), (140, 200)).estimate == 1


def test_ends_equal_the_twin_and_stay_within_0_and_1(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        n = int(np.exp(rng.uniform(0, 15)))
        x = int(rng.integers(0, n + 1))
        se, sp = (
            (int(rng.integers(tested // 2, tested + 1)), tested)
            for tested in (int(np.exp(rng.uniform(1, 8))) for _ in range(2))
        )
        if (se[0] + 1) / (se[1] + 2) + (sp[0] + 1) / (sp[1] + 2) <= 1.01:
            continue
        if se[0] / se[1] + sp[0] / sp[1] <= 1.01:
            continue
        level = float(rng.choice([0.5, 0.9, 0.95, 0.999]))
        found = prevalence_interval(x, n, se, sp, confidence_level=level)
        low, high = map(float, lang_reiczigel(x, n, se, sp, scipy.stats.norm.ppf((1 + level) / 2)))
        assert found.raw_low == pytest.approx(low, abs=1e-11 * max(1, abs(low)))
        assert found.raw_high == pytest.approx(high, abs=1e-11 * max(1, abs(high)))
        assert 0 <= found.low <= found.high <= 1


def test_sides_share_the_formula_at_another_level():
    both = prevalence_interval(259, 509, (84, 127), (96, 109), confidence_level=0.9)
    lower = prevalence_interval(259, 509, (84, 127), (96, 109), side="lower")
    upper = prevalence_interval(259, 509, (84, 127), (96, 109), side="upper")
    assert (lower.low, lower.high) == (pytest.approx(both.low, abs=1e-12), 1)
    assert (upper.low, upper.high) == (0, pytest.approx(both.high, abs=1e-12))


def test_known_rates_and_nothing_sampled():
    perfect = prevalence_interval(30, 100, 1.0, 1.0)
    z = scipy.stats.norm.ppf(0.975)
    p, n = (30 + z**2 / 2) / (100 + z**2), 100 + z**2
    assert perfect.estimate == pytest.approx(0.3, abs=1e-15)
    assert perfect.low == pytest.approx(p - z * np.sqrt(p * (1 - p) / n), abs=1e-12)
    nothing = prevalence_interval(0, 0, (8, 10), (9, 10))
    assert (nothing.low, nothing.high) == (0, 1)
    many = prevalence_interval([0, 50, 100], 100, (8, 10), (9, 10))
    assert many.low.shape == (3,)
    assert many.estimate.tolist() == pytest.approx([0, 4 / 7, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 4, 0.9, 0.9), "`positive` must be at most `sampled`, 4; found 5.0"),
        ((1, 4, 0.5, 0.5), "must add up to more than 1; found 0.5 and 0.5"),
        ((1, 4, (3, 10), (3, 10)), "must add up to more than 1; found 0.3 and 0.3"),
        ((1, 4, (11, 10), 0.9), r"`sensitivity` must be \(right, tested\)"),
        ((1, 4, 0.9, 1.5), "`specificity` must be"),
        ((1, 4, 0.9, (0, 0)), "`specificity` must be"),
        ((-1, 4, 0.9, 0.9), "`positive` must be 0 or more"),
    ],
)
def test_bad_input_is_one_clear_line(arguments, message):
    with pytest.raises(irb.InputError, match=message) as error:
        prevalence_interval(*arguments)
    assert "\n" not in str(error.value)
