"""Extrapolated precision: the kernel against 50 digits, points and curves."""

import math
import pickle
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import irbounds as irb
from irbounds._core.distributions import precision_curve as kernel
from irbounds.extrapolation import (
    PrecisionCurve,
    cost,
    documents_to_review,
    extrapolate_precision,
    f_score,
)
from irbounds.warnings import ExtrapolationWarning
from tests.reference import extrapolation as reference

RECALLS = [
    *(1e-9, 1e-6, 1e-3, 0.05, 0.1999999, 0.2, 0.3, 0.5, 0.75, 0.9, 0.99),
    1 - 1e-6,
    1 - 1e-12,
    1.0,
]
BETAS = [
    *(10.0**k for k in range(-8, 13)),
    *(1.9e-4, 2.1e-4, 0.3, 0.999, 1.001, 3.3, 33.3, 0.0),
    -0.3,
    -0.9999,
    -1.0,
]
PREVALENCES = [1e-9, 1e-4, 0.03, 0.5, 0.99]


def relative(found, expected):
    return float(abs(mpmath.mpf(float(found)) / expected - 1))


def random_points(n, seed):
    """Recall near 0, near 1 and between; prevalence of all sizes; precision above it, near it, and
    near 1."""
    rng = np.random.default_rng(seed)
    u, kind = rng.random((4, n)), rng.integers(0, 3, (3, n))
    recall = np.choose(kind[0], [u[0], 10 ** (-9 * u[0]), 1 - 10 ** (-9 * u[0])])
    prevalence = np.choose(kind[1] % 2, [u[1], 10 ** (-9 * u[1])])
    above = np.choose(kind[2], [u[2], 10 ** (-6 * u[2]), 1 - 10 ** (-6 * u[2])])
    points = recall, prevalence + (1 - prevalence) * above, prevalence
    valid = (points[1] > prevalence) & (points[1] < 1) & (recall > 0) & (recall < 1)
    return tuple(column[valid] for column in points)


# The kernel
# ----------------------------------------------------------------------------------------------


def test_checks_of_the_paper():
    assert PrecisionCurve(0.03, [2.44, 833]).precision(0.75).round(5) == pytest.approx(
        [0.05056, 0.94902], abs=1e-12
    )
    beta = PrecisionCurve.through(0.75, [0.1, 0.5, 0.9], 0.03).beta
    assert beta == pytest.approx([6.367153, 48.978859, 406.202213], abs=6e-7)


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_curves_to_50_digits(prevalence):
    curve = PrecisionCurve(prevalence, np.array(BETAS)[:, None])
    X, x = curve.precision(RECALLS), curve.relevance_probability(RECALLS)
    for i, beta in list(enumerate(BETAS)):
        for j, recall in enumerate(RECALLS):
            expected = reference.precision(recall, prevalence, beta)
            assert relative(X[i, j], expected) < 1e-14, (recall, beta)
            expected = reference.relevance(recall, prevalence, beta)
            assert relative(x[i, j], expected) < 1e-14, (recall, beta)


@pytest.mark.long
def test_extrapolation_to_50_digits():
    R, P, rho = random_points(120, seed=5)
    target = np.random.default_rng(6).random(R.size)
    beta = PrecisionCurve.through(R, P, rho).beta
    X = PrecisionCurve(rho, beta).precision(target)
    for i in range(R.size):
        expected = reference.beta_through(R[i], P[i], rho[i])
        assert relative(X[i], reference.precision(target[i], rho[i], expected)) < 2e-14, i
        if abs(expected) > 1e-3:  # nearer to 0, precision hardly depends on it
            assert relative(beta[i], expected) < 1e-10, i


def test_a_million_points_come_back():
    R, p, rho = random_points(10**6, seed=2)
    curve = PrecisionCurve.through(R, p, rho)
    assert np.abs(curve.precision(R) / p - 1).max() < 1e-13
    assert (curve.beta < 0).any()
    assert (curve.beta > 1e3).any()


def test_precision_at_the_same_recall_is_itself():
    R, P, rho = random_points(10_000, seed=3)
    np.testing.assert_array_equal(extrapolate_precision(R, P, rho, R), P)


def test_every_instruction_set_has_the_same_bits():
    R, P, rho = random_points(20_000, seed=4)
    betas = [kernel.through(R, P, rho, most) for most in (0, 1, 2)]
    assert (betas[0] == betas[1]).all()
    assert (betas[0] == betas[2]).all()
    for value in ("precision", "relevance", "slope"):
        found = [kernel.values(value, R, rho, betas[0], most) for most in (0, 1, 2)]
        assert (found[0] == found[1]).all()
        assert (found[0] == found[2]).all()


@pytest.mark.parametrize(
    ("recall", "prevalence"), [(0.75, 0.03), (0.5, 0.4), (0.1, 1e-6), (0.99, 0.1), (1e-6, 0.2)]
)
def test_order_of_points_is_kept(recall, prevalence):
    """Strictly, also where curves of the paper end and lines to random order begin, and one double
    from it."""
    limit = 1 / (1 + (1 - prevalence) / prevalence * (1 + recall) / 2)
    p = np.concatenate(
        [np.linspace(prevalence, 1, 4003)[1:-1], limit * (1 + np.linspace(-1e-6, 1e-6, 201))]
    )
    p = np.unique(p[(p > prevalence) & (p < 1)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        for target in (0.02, 0.6, 0.95):
            assert (np.diff(extrapolate_precision(recall, p, prevalence, target)) > 0).all()
    assert (np.diff(PrecisionCurve.through(recall, p, prevalence).beta) > 0).all()
    edge = np.array(
        [math.nextafter(prevalence, 1), limit, math.nextafter(limit, 0), math.nextafter(limit, 1)]
    )
    assert PrecisionCurve.through(recall, edge, prevalence).precision(recall) == pytest.approx(
        edge, rel=1e-14
    )


def test_near_random_order_every_curve_is_near_random():
    curve = PrecisionCurve.through(0.75, 0.1 * (1 + 1e-9), 0.1)
    assert curve.precision(np.linspace(0, 1, 11)) == pytest.approx(0.1, rel=1e-8)


@pytest.mark.parametrize("beta", [-0.7, 0, 1e-5, 0.3, 5, 120, 1e4])
def test_equations_3_and_5(beta):
    curve = PrecisionCurve(0.03, beta)
    R = np.concatenate([np.linspace(0.02, 0.98, 49), [0.1999, 0.2001]])
    step = 3e-5
    before2, before, after, after2 = curve.precision(R + step * np.array([[-2], [-1], [1], [2]]))
    slope = (8 * (after - before) - (after2 - before2)) / (12 * step)
    X, x = curve.precision(R), curve.relevance_probability(R)
    assert slope == pytest.approx(X / R * (1 - X / x), abs=2e-9)
    # eq. 5 over u with 1 - r = sinh(u)/b, where the integrand is smooth
    scale = max(beta, 1.0)
    end = math.asinh(scale)
    node, weight = np.polynomial.legendre.leggauss(200)
    u = end * (node + 1) / 2
    whole = (
        end
        / 2
        * weight
        @ (np.cosh(u) / scale / curve.relevance_probability(1 - np.sinh(u) / scale))
    )
    assert whole == pytest.approx(1 / 0.03, rel=1e-9)
    assert curve.precision(1) == pytest.approx(0.03, rel=1e-14)
    assert curve.precision(0) == pytest.approx(curve.relevance_probability(0), rel=1e-14)


# Points and curves
# ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"precision": 0.02},
            "`precision` must be above prevalence, 0.03 (no better than random order); found 0.02",
        ),
        ({"precision": 0.03}, "`precision` must be above prevalence, 0.03"),
        ({"precision": [0.5, 0.01]}, "found 0.01 at index 1"),
        ({"precision": 1}, "`precision` must be between 0 and 1; found 1"),
        ({"prevalence": 1e-200}, "1e-100 or more"),
        (
            {"recall": [0.5, 0.6], "precision": [0.3, 0.4, 0.5]},
            "shapes must broadcast; found `recall` (2,)",
        ),
        ({"on_invalid": "skip"}, "`on_invalid` must be one of"),
    ],
)
def test_refused_points(changed, message):
    arguments = {
        "recall": 0.75,
        "precision": 0.5,
        "prevalence": 0.03,
        "target_recall": 0.7,
        **changed,
    }
    with pytest.raises(irb.InputError) as error:
        extrapolate_precision(**arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_nan_on_request():
    recall = [0.7, 0.7, 0, 1, math.nan, 0.7, 0.7, 0.7]
    precision = [0.5, 0.02, 0.5, 0.5, 0.5, 1, 0.5, 0.5]
    prevalence = [0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0, math.inf]
    found = extrapolate_precision(recall, precision, prevalence, 0.75, on_invalid="nan")
    assert not math.isnan(found[0])
    assert np.isnan(found[1:]).all()
    assert found[0] == extrapolate_precision(0.7, 0.5, 0.03, 0.75)
    curve = PrecisionCurve.through(recall, precision, prevalence, on_invalid="nan")
    assert np.isnan(curve.precision(0.5)).tolist() == [False] + [True] * 7
    assert math.isnan(extrapolate_precision(0.7, 0.5, 0.03, 1.5, on_invalid="nan"))


def test_broadcasting_and_ends():
    found = extrapolate_precision([[0.7], [0.8]], [0.5, 0.4, 0.3], 0.03, 0.75)
    assert found.shape == (2, 3)
    assert found[1, 2] == extrapolate_precision(0.8, 0.3, 0.03, 0.75)
    assert isinstance(extrapolate_precision(0.7, 0.5, 0.03, 0.75), float)
    assert extrapolate_precision(np.empty(0), 0.5, 0.03, 0.75).shape == (0,)
    curve = PrecisionCurve(0.03, np.inf)
    assert curve.precision([0, 0.5, 1]) == pytest.approx([1, 1, 0.03])
    assert PrecisionCurve(0.03, -1).precision([0, 0.5, 1]) == pytest.approx([0.03] * 3, rel=1e-15)
    assert pickle.loads(pickle.dumps(curve)).beta == np.inf
    with pytest.raises(irb.InputError, match="`beta` must be -1 or more; found -2"):
        PrecisionCurve(0.03, -2)
    with pytest.raises(irb.InputError, match=r"`beta` must be -1 or more; found nan"):
        PrecisionCurve(0.03, math.nan)


@pytest.mark.parametrize(
    ("recall", "precision", "prevalence"),
    [
        (0.6, 0.9, 0.03),
        (0.95, 0.3, 0.2),
        (0.1, 0.5, 0.001),
        (0.75, 0.3, 0.25),
        (0.5, 0.101, 0.1),
        (0.3, 0.155, 0.1),
    ],
)
def test_sensitivity_is_the_derivative(recall, precision, prevalence):
    target, point = 0.7, np.array([precision, recall, prevalence])
    by = PrecisionCurve.through(recall, precision, prevalence).sensitivity(recall, target)
    for i, derivative in enumerate(by):
        step = 1e-6 * point[i] * (np.arange(3) == i)
        ends = [
            PrecisionCurve.through(p[1], p[0], p[2]).precision(target)
            for p in (point - step, point + step)
        ]
        assert derivative == pytest.approx((ends[1] - ends[0]) / (2 * step[i]), rel=1e-5, abs=1e-7)
    at_home = PrecisionCurve.through(recall, precision, prevalence).sensitivity(recall, recall)
    assert (at_home.precision, at_home.prevalence) == (1, 0)


@pytest.mark.parametrize(
    ("point", "target", "reasons"),
    [
        ((0.995, 0.4, 0.03), 0.9, ["recall 0.995 is very near 1"]),
        ((0.7, 0.995, 0.03), 0.75, ["precision 0.995 is very near 1"]),
        (
            (0.2, 0.5, 0.03),
            0.75,
            ["recall 0.2 is far from the target 0.75", "a change of precision by 0.01"],
        ),
        ((0.7, 0.5, 0.03), 0.75, []),
        ((0.995, 0.4, 0.03), 0.995, []),
        ((0.5, 0.5, 0.03), 0.8, []),
    ],
)
def test_warnings(point, target, reasons):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        extrapolate_precision(*point, target)
    assert len(caught) == bool(reasons)
    for reason in reasons:
        assert caught[0].category is ExtrapolationWarning
        assert reason in str(caught[0].message)
        assert caught[0].filename == __file__


def test_one_warning_for_an_array():
    with pytest.warns(
        ExtrapolationWarning, match=r"at index 2 \(2 such elements\): recall 0.999 is"
    ) as caught:
        extrapolate_precision([0.7, 0.3, 0.999, 0.4], 0.5, 0.03, 0.65)
    assert len(caught) == 1
    with pytest.warns(ExtrapolationWarning, match="by 0.042"):
        extrapolate_precision(0.6, 0.95, 0.03, 0.9 + 1e-7)


def test_review_figures():
    assert documents_to_review(1000, 0.1, 0.75, [0.5, 0.25]).tolist() == [150, 300]
    assert (
        cost(1000, 0.1, 0.75, 0.5, per_document=2, per_relevant=10, fixed=7)
        == 2 * 150 + 10 * 75 + 7
    )
    assert cost(1000, 0.1, 0.75, 0.5) == 150
    assert f_score(0.5, 0.25, beta=2) == pytest.approx(5 * 0.125 / (4 * 0.25 + 0.5))
    assert f_score(0, 0) == 0
    assert f_score([0.5, 0], 0.25, beta=0).tolist() == [0.25, 0.25]
    assert f_score([0.5, 0], 0.25, beta=math.inf).tolist() == [0.5, 0]
    assert f_score(0.5, 0.25, beta=1e300) == pytest.approx(0.5)
    for call, message in [
        (lambda: documents_to_review(1000, 0.1, 0.75, 0), "`precision` must be above 0"),
        (lambda: cost(1000, 0.1, 0.75, 0.5, fixed=-1), "`fixed` must be 0 or more"),
        (lambda: documents_to_review(-1, 0.1, 0.75, 0.5), "`population` must be 0 or more"),
        (lambda: f_score(1.2, 0.5), "`recall` must be from 0 to 1"),
    ]:
        with pytest.raises(irb.InputError, match=message):
            call()


@pytest.mark.parametrize(
    ("recall", "precision", "beta"),
    [
        (1e-272, 1e-221, 1.0),
        (2.7e-294, 7.4e-273, 2.7e102),
        (2e-227, 3.8e-263, 1.0),
        (0.05, 2.7e-202, 2.5e108),
        (1.0, 8e-281, 2.9e117),
        (3e-294, 0.05, 6.6e-114),
        (1e-300, 1e-300, 1e-170),
        (0.3, 1e-290, 1e140),
    ],
)
def test_f_of_tiny_shares_loses_no_digits(recall, precision, beta):
    """Products of two such shares are below the least double; benchmarks/hunt.py found the first
    five."""
    R, P, square = Fraction(recall), Fraction(precision), Fraction(beta) ** 2
    exact = float((square + 1) * R * P / (square * P + R))
    assert f_score(recall, precision, beta) == pytest.approx(exact, rel=1e-14)
    assert f_score([0.5, recall, 0], [0.25, precision, precision], beta)[1] == pytest.approx(
        exact, rel=1e-14
    )


def test_documents_of_tiny_shares_lose_no_digits():
    values = 440565058.0, 5.5e-204, 8.2e-134, 4.8e-159
    N, rho, R, P = map(Fraction, values)
    assert documents_to_review(*values) == pytest.approx(float(rho * N * R / P), rel=1e-14)


@pytest.mark.parametrize(
    "values",
    [
        (5e-324, 0.9999938782211744, 0.9999999739563293, 2.960476551465267e-195),
        (5e-324, 2.3567711630771593e-06, 1.0, 5e-324),
        (1e300, 1.0, 1.0, 1e-5),
        (1e300, 1e-200, 0.5, 1e-150),
    ],
)
def test_documents_do_not_underflow_on_the_way(values):
    N, rho, R, P = map(Fraction, values)
    exact = float(rho * N * R / P)
    assert documents_to_review(*values) == pytest.approx(exact, rel=1e-14)
    assert cost(*values) == pytest.approx(exact, rel=1e-14)
