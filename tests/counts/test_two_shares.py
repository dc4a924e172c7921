"""Number needed to read, likelihood ratios and balanced accuracy, against exact fractions, draws
and coverage by enumeration."""

import csv
import io
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import irbounds as irb
from tests.commands import assert_refused, run_cli
from tests.reference import two_shares as reference

NAMES = (
    "number_needed_to_read",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "balanced_accuracy",
)
TABLES = [(9, 1, 3, 40), (0, 3, 2, 7), (5, 0, 0, 9), (1, 2, 3, 4), (20, 8, 0, 3)]


@pytest.mark.parametrize("cells", TABLES)
@pytest.mark.parametrize("t", ["1/50", "1/3", "1", "7/4", "30"])
def test_ratios_are_exact(cells, t):
    tp, fp, fn, tn = (cell + 1 for cell in cells)
    post = irb.CountsPosterior(*cells, prior=1)
    for law, shapes in (
        (post.positive_likelihood_ratio, (tp, fn, fp, tn)),
        (post.negative_likelihood_ratio, (fn, tp, tn, fp)),
    ):
        exact = reference.ratio_below(*shapes, Fraction(t))
        assert law.cdf(float(Fraction(t))) == pytest.approx(float(exact), rel=1e-10, abs=1e-15)
        assert law.sf(float(Fraction(t))) == pytest.approx(float(1 - exact), rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("cells", TABLES)
@pytest.mark.parametrize("x", ["1/9", "2/5", "1/2", "4/5", "99/100"])
def test_balanced_accuracy_is_exact(cells, x):
    tp, fp, fn, tn = (cell + 1 for cell in cells)
    law = irb.CountsPosterior(*cells, prior=1).balanced_accuracy
    exact = reference.sum_below(tp, fn, tn, fp, 2 * Fraction(x))
    assert law.cdf(float(Fraction(x))) == pytest.approx(float(exact), abs=1e-11)
    assert law.sf(float(Fraction(x))) == pytest.approx(float(1 - exact), abs=1e-11)


def test_number_needed_to_read_is_one_over_precision():
    post = irb.CountsPosterior([90, 0, 3], [10, 4, 0], 5)
    law, precision = post.number_needed_to_read, post.precision
    low, high = law.interval()
    assert low == pytest.approx(1 / precision.upper_bound(0.975), rel=1e-13)
    assert high == pytest.approx(1 / precision.lower_bound(0.975), rel=1e-13)
    assert law.cdf(0.5).tolist() == [0, 0, 0]
    assert law.sf([2, 2, 2]) == pytest.approx(precision.cdf(0.5), rel=1e-13)
    assert law.mean[1] == math.inf  # of Beta(1/2, 9/2)
    assert law.var[1] == math.inf


@pytest.mark.parametrize("name", NAMES)
def test_draws_have_the_moments_and_the_quantiles(name, seed):
    law = irb.CountsPosterior(60, 20, 15, 200).measure(name)
    draws = law.rvs(40_000, seed)
    # beyond 5 standard errors for one seed of a million
    assert abs(draws.mean() - law.mean) < 5 * law.std / 200
    assert draws.std() == pytest.approx(law.std, rel=0.1)
    assert (draws < law.ppf(0.3)).mean() == pytest.approx(0.3, abs=0.0115)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "cells", [(0, 0, 0, 0), (0, 5, 0, 0), (10, 0, 0, 20), (10**9, 3, 0, 10**9), (7, 10**9, 0, 1)]
)
def test_quantiles_at_the_edges(name, cells):
    law = irb.CountsPosterior(*cells).measure(name)
    low, high = law.interval()
    assert law.support[0] <= low < high
    # a double near 1 is 1e-16 wide, which is 1e-7 of a law that is 1e-9 wide
    error = 1e-6 if min(cells[0], cells[3]) == 10**9 else 1e-8
    assert law.cdf(low) == pytest.approx(0.025, rel=error)
    assert law.sf(high) == pytest.approx(0.025, rel=error)
    assert (law.ppf(0.0), law.ppf(1.0)) == law.support


def test_arrays_are_one_posterior_each():
    cells = np.random.default_rng(2).integers(0, 40, (4, 3, 4))
    whole = irb.CountsPosterior(*cells)
    for name in NAMES:
        law = whole.measure(name)
        one = whole[1, 2].measure(name)
        assert law.ppf(0.9).shape == (3, 4) == np.shape(law.mean)
        assert law.ppf(0.9)[1, 2] == pytest.approx(one.ppf(0.9), rel=1e-9)
        assert law.mean[1, 2] == one.mean


def test_what_they_have_not():
    post = irb.CountsPosterior(60, 20, 15, 200)
    for name in NAMES:
        law = post.measure(name)
        for call in (lambda law=law: law.pdf(0.5), lambda law=law: law.interval(0.9, "hpd")):
            with pytest.raises(irb.InputError, match="equal-tailed"):
                call()
        with pytest.raises(irb.InputError, match="measure"):
            irb.prob_superior(post, post, name)
        with pytest.raises(irb.InputError, match="measure"):
            irb.counts.macro_average([post, post], name)
    with pytest.raises(irb.InputError, match="tn"):
        _ = irb.CountsPosterior(60, 20, 15).balanced_accuracy


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(("m", "k"), [(10, 10), (10, 50), (30, 30)])
def test_coverage_is_what_the_page_says(m, k):
    """95 % intervals of all samples of m relevant and k other objects, 400 pairs of recall and
    fall-out: 94.5 to 95.1 % on average, 87 % at the worst pair."""
    x, y = (grid.ravel() for grid in np.mgrid[: m + 1, : k + 1])
    post = irb.CountsPosterior(x, y, m - x, k - y)
    pairs = np.random.default_rng(7).random((400, 2))
    weights = [binom.pmf(x, m, p) * binom.pmf(y, k, q) for p, q in pairs]
    truths = (lambda p, q: p / q, lambda p, q: (1 - p) / (1 - q), lambda p, q: (p + 1 - q) / 2)
    for name, truth in zip(NAMES[1:], truths, strict=True):
        low, high = post.measure(name).interval()
        covered = [
            weight[(low <= truth(p, q)) & (truth(p, q) <= high)].sum()
            for weight, (p, q) in zip(weights, pairs, strict=True)
        ]
        assert 0.945 < np.mean(covered) < 0.9515
        assert min(covered) > 0.87


def test_the_command_has_a_row_for_each_measure():
    cells = ("--tp", 90, "--fp", 10, "--fn", 30, "--tn", 400)
    found = json.loads(run_cli("counts", *cells, "--all-measures", "-f", "json").stdout)
    assert (found["prior"], found["estimate"]) == (0.5, "posterior mean")
    rows = {row["measure"]: row for row in found["rows"]}
    post = irb.CountsPosterior(90, 10, 30, 400)
    for name in NAMES:
        assert (rows[name]["low"], rows[name]["high"]) == post.measure(name).interval()
        assert rows[name]["mean"] == post.measure(name).mean
    observed = {name: row["observed"] for name, row in rows.items()}
    expected = {
        "precision": 0.9,
        "recall": 0.75,
        "F1": 180 / 220,
        "number_needed_to_read": 100 / 90,
        "specificity": 400 / 410,
        "negative_predictive_value": 400 / 430,
        "accuracy": 490 / 530,
        "balanced_accuracy": (0.75 + 400 / 410) / 2,
        "prevalence": 120 / 530,
        "positive_likelihood_ratio": 0.75 / (10 / 410),
        "negative_likelihood_ratio": 0.25 / (400 / 410),
    }
    assert observed == pytest.approx(expected, rel=1e-14)
    assert list(observed) == list(expected)


def test_the_command_at_the_edges():
    def rows_of(*cells):
        names = ("--tp", "--fp", "--fn", "--tn")
        given = [text for pair in zip(names, cells, strict=False) for text in pair]
        done = run_cli("counts", *given, "--all-measures", "-f", "csv")
        assert done.returncode == 0
        rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
        return {name: row["observed"] for name, row in rows.items()}, done.stderr

    found, said = rows_of(0, 0, 0, 0)
    assert set(found.values()) == {""}
    assert "the prior alone" in said
    assert rows_of(0, 5, 2)[0]["number_needed_to_read"] == "inf"
    assert list(rows_of(0, 5, 2)[0]) == ["precision", "recall", "F1", "number_needed_to_read"]
    found, _ = rows_of(5, 0, 0, 7)
    assert found["positive_likelihood_ratio"] == "inf"
    assert float(found["negative_likelihood_ratio"]) == 0
    shown = run_cli("counts", "--tp", 0, "--fp", 5, "--fn", 2, "--all-measures").stdout
    assert re.search("number needed to read +∞ +∞ ", shown)
    for unused in (("--measure", "recall"), ("--kind", "hpd"), ("--margin", "0.1")):
        cells = ("--tp", 3, "--fp", 5, "--fn", 2)
        assert_refused(run_cli("counts", *cells, "--all-measures", *unused), unused[0])


def test_classes_name_their_prior(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x,a,b,c\na,5,1,0\nb,0,4,1\nc,1,1,7\n")
    found = json.loads(run_cli("counts", "--confusion", table, "-f", "json").stdout)
    assert (found["prior"], found["estimate"]) == (0.5, "posterior mean")
    assert {row["prior"] for row in found["rows"]} == {0.5}
    assert "prior λ = 0.5" in run_cli("counts", "--confusion", table).stdout
    assert_refused(run_cli("counts", "--confusion", table, "--all-measures"), "--all-measures")
