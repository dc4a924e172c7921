"""Joiner & Werner's competition, and Bechhofer's probability against enumeration of the
multinomial."""

import math

import mpmath
import numpy as np
import pandas as pd
import pytest
from reference import selection as reference

import irbounds as irb
from irbounds.chance import competition, probability_of_correct_selection


@pytest.mark.parametrize(
    ("trials", "methods", "ratio"),
    [
        (1, 2, 1.5),
        (5, 3, 2),
        (12, 3, 1.25),
        (9, 4, 1),
        (7, 5, 3),
        (40, 2, 1.1),
        (20, 3, 1.5),
        (3, 6, 2),
        (4, 2, 100),
    ],
)
def test_correct_selection_equals_enumeration(trials, methods, ratio):
    assert probability_of_correct_selection(trials, methods, ratio) == pytest.approx(
        float(reference.probability_of_correct_selection(trials, methods, ratio)), rel=1e-12
    )


def test_correct_selection_of_two_is_a_binomial_tail():
    trials, ratio = 99_999, 1.01  # odd: no ties
    p = ratio / (ratio + 1)
    log_p, log_q = math.log(p), math.log1p(-p)
    terms = [
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(x + 1)
            - math.lgamma(trials - x + 1)
            + x * log_p
            + (trials - x) * log_q
        )
        for x in range(trials // 2 + 1, trials + 1)
    ]
    assert probability_of_correct_selection(trials, 2, ratio) == pytest.approx(
        math.fsum(terms), rel=1e-9
    )


@pytest.mark.long
def test_the_papers_example():
    assert probability_of_correct_selection(1000, 3, 1.5) > 0.98
    assert probability_of_correct_selection(0, 4, 2) == 0.25
    assert probability_of_correct_selection(50, 1, 2) == 1
    assert probability_of_correct_selection(10**5, 50, 1) == pytest.approx(1 / 50, rel=1e-9)


@pytest.mark.parametrize(
    ("trials", "methods", "ratio"),
    [
        (3, 5, 2.0),
        (6, 4, 1.25),
        (12, 10**6, 3.0),
        (12, 10**6, 1e6),
        (9, 10**12, 1e13),
        (20, 7, 1.0),
        (15, 3000, 1e3),
    ],
)
def test_correct_selection_equals_power_series(trials, methods, ratio):
    exact = float(reference.by_series(trials, methods, ratio))
    if methods < 6:
        assert exact == pytest.approx(
            float(reference.probability_of_correct_selection(trials, methods, ratio))
        )
    assert probability_of_correct_selection(trials, methods, ratio) == pytest.approx(
        exact, rel=1e-9
    )


def test_many_methods_against_simulation():
    rng = np.random.default_rng(5)
    trials, methods, ratio, draws = 300, 200, 4.0, 20_000
    share = np.full(methods, 1 / (ratio + methods - 1))
    share[0] *= ratio
    wins = rng.multinomial(trials, share, draws)
    most = wins.max(axis=1)
    estimate = np.mean((wins[:, 0] == most) / (wins == most[:, None]).sum(axis=1))
    expected = probability_of_correct_selection(trials, methods, ratio)
    assert estimate == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / draws))


def test_competition():
    first, second, third = [[3, 1], [0, 5]], [[2, 1], [1, 4]], [[1, 1], [0, 2]]
    shared = competition({"a": first, "b": second, "c": third}, ties="shared")
    assert shared.wins == pytest.approx([1 + 1 / 3 + 1, 1 / 3 + 1, 1 / 3])
    assert (shared.trials, shared.tied, shared.best) == (4, 1, "a")
    assert shared.shares.sum() == pytest.approx(1)
    assert shared.probability_of_correct_selection(2) == probability_of_correct_selection(4, 3, 2)
    by_lot = competition(np.ones((4, 20_000)), rng=1)
    assert by_lot.wins.sum() == 20_000
    assert by_lot.wins == pytest.approx([5000] * 4, abs=5 * math.sqrt(20_000 * 3 / 16))
    assert (by_lot.wins == competition(np.ones((4, 20_000)), rng=1).wins).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: competition([]), "no method"),
        (lambda: competition({"a": [1], "b": [1, 2]}), "one shape"),
        (lambda: competition({"a": [1, math.nan], "b": [1, 2]}), "found nan for method a, trial 1"),
        (
            lambda: competition(5),
            "`values` must be a dict of arrays or an array with a row for each method; found 5",
        ),
        (
            lambda: competition(pd.DataFrame({"a": [1, 2]})),
            "`values` must be a dict of arrays .*found    a 0  1 1  2$",
        ),
        (
            lambda: competition({"a": ["x"]}),
            r"`values` must be numbers; found \['x'\] for method a",
        ),
        (lambda: competition([[1]], ties="lot"), "`ties` must be one of 'chance', 'shared'"),
        (
            lambda: probability_of_correct_selection(5, 0, 2),
            "`methods` must be a whole number, 1 or more",
        ),
        (
            lambda: probability_of_correct_selection(-1, 2, 2),
            "`trials` must be a whole number, 0 or more",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(irb.InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("trials", "ratio"),
    [
        (3676081112128665, 1.0000000332992884),
        (527353785887057, 1.0000000464350471),
        (10**15 + 1, 1.00000001),
        (10**12 + 1, 1.000002),
    ],
)
def test_nearly_equal_chances_of_two_methods(trials, ratio):
    """With a chance near 1/2 the binomial law differs from the normal one by about 1/trials."""
    z = mpmath.sqrt(trials) * (mpmath.mpf(ratio) - 1) / (mpmath.mpf(ratio) + 1)
    expected = float(mpmath.ncdf(z))
    found = probability_of_correct_selection(trials, 2, ratio)
    assert found == pytest.approx(expected, abs=1e-11)
