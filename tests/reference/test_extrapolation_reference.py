"""The printed formulas against one another, and against the numbers that the paper prints."""

import pytest
from mpmath import diff, mpf, quad, workdps

from . import extrapolation as ref

pytestmark = pytest.mark.long  # these test the twins, which change rarely

CURVES = [
    ("0.03", "2.44"),
    ("0.03", 833),
    ("1e-6", 50),
    ("0.4", "0.01"),
    ("0.9", 7),
    ("0.2", "-0.3"),
    ("0.2", -1),
]


@pytest.fixture(autouse=True)
def fewer_digits():
    """To be quick."""
    with workdps(25):
        yield


@pytest.mark.parametrize(("rho", "beta"), CURVES)
def test_precision_is_recall_over_the_integral(rho, beta):
    for recall in ("1e-6", "0.2", "0.75", "1"):
        by_integral = ref.precision_by_integral(recall, rho, beta)
        assert abs(ref.precision(recall, rho, beta) / by_integral - 1) < mpf("1e-15")


@pytest.mark.parametrize(("rho", "beta"), CURVES)
def test_normalisation(rho, beta):
    """Eq. 5, with P(1) = rho."""
    whole = quad(
        lambda r: 1 / ref.relevance(r, rho, beta), [0, mpf("0.9"), mpf("0.99"), mpf("0.999"), 1]
    )
    assert abs(whole * mpf(rho) - 1) < mpf("1e-12")
    assert abs(ref.precision(1, rho, beta) / mpf(rho) - 1) < mpf("1e-20")


@pytest.mark.parametrize(("rho", "beta"), CURVES)
def test_differential_equation(rho, beta):
    """Eq. 3."""
    for recall in map(mpf, ("0.1", "0.5", "0.95")):
        X, x = ref.precision(recall, rho, beta), ref.relevance(recall, rho, beta)
        slope = diff(lambda r: ref.precision(r, rho, beta), recall)
        assert abs(slope - X / recall * (1 - X / x)) < mpf("1e-8")


def test_printed_numbers():
    """Figure 5: evenly spaced precision at recall 0.75."""
    for P, beta in (("0.1", "6.367153"), ("0.5", "48.978859"), ("0.9", "406.202213")):
        assert abs(ref.beta_through("0.75", P, "0.03") - mpf(beta)) < mpf("6e-7")
    for beta, P in (("2.44", "0.05056"), (833, "0.94902")):
        assert abs(ref.precision("0.75", "0.03", beta) - mpf(P)) < mpf("5e-6")


@pytest.mark.parametrize("recall", ["1e-6", "0.3", "0.75", "0.999"])
def test_curves_fill_all_precisions_above_prevalence(recall):
    """beta -> 0 from both sides gives one limit, and beta rises with precision."""
    limit = ref.precision(recall, "0.1", 0)
    assert abs(ref.precision(recall, "0.1", "1e-15") - limit) < mpf("1e-25")
    assert limit > mpf("0.1")
    betas = [
        ref.beta_through(recall, P, "0.1")
        for P in (
            mpf("0.1") + mpf("1e-12"),
            (limit + mpf("0.1")) / 2,
            limit,
            mpf("0.2"),
            mpf("0.9"),
            1 - mpf("1e-9"),
        )
    ]
    assert betas == sorted(betas)
    assert -1 < betas[0] < betas[1] < -mpf("0.3")
    assert abs(betas[2]) < mpf("1e-20") < betas[3]


def test_points_come_back():
    for recall, P, rho in (
        ("1e-9", "0.4", "1e-9"),
        ("0.999999", "0.2", "0.1"),
        ("0.5", "0.100001", "0.1"),
    ):
        assert abs(ref.extrapolated(recall, P, rho, recall) / mpf(P) - 1) < mpf("1e-24")
