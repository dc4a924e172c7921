"""The twins for long rankings, against those that go place by place."""

import random
from fractions import Fraction

import pytest
from mpmath import mpf, workdps

from reference import long_rankings as long
from reference import weak_orderings
from reference.tied_rankings import by_formula

pytestmark = pytest.mark.long  # these test the twins, which change rarely

FORMS = [
    ("AP", long.average_precision, True),
    ("RR", long.reciprocal_rank, True),
    ("DCG", long.dcg, True),
    ("nDCG", long.ndcg, True),
    ("P", long.precision, True),
    ("R", long.recall, True),
    ("Success", long.success, True),
    ("Rprec", long.r_precision, False),
]


def rankings(n):
    draw = random.Random(1)
    for _ in range(n):
        ranks = [(draw.randint(0, 3), draw.randint(0, 4)) for _ in range(draw.randint(1, 4))]
        yield (
            [rank for rank in ranks if sum(rank)] or [(1, 1)],
            draw.randint(0, 3),
            draw.randint(1, 9),
        )


@pytest.mark.parametrize(("name", "function", "has_cutoff"), FORMS)
def test_measures(name, function, has_cutoff):
    for ranks, missing, cutoff in rankings(60):
        grades, n = [[1] * r + [0] * i for r, i in ranks], sum(r for r, _ in ranks) + missing
        options = {"cutoff": cutoff} if has_cutoff else {}
        exact = by_formula(name, grades, [1] * missing, **options)
        assert abs(function(ranks, n, **options) - mpf(1) * exact) < (
            1e-15 if "DCG" in name else 1e-40
        )


def test_rbp_and_bpref():
    for ranks, missing, cutoff in rankings(60):
        grades, n = [[1] * r + [0] * i for r, i in ranks], sum(r for r, _ in ranks) + missing
        more = cutoff % 3
        exact = by_formula("RBP", grades, [1] * missing, cutoff=cutoff, p=Fraction(3, 4))
        assert abs(long.rank_biased_precision(ranks, n, 0.75, cutoff) - mpf(1) * exact) < 1e-40
        exact = by_formula("Bpref", grades, [1] * missing + [0] * more)
        assert abs(long.bpref(ranks, n, sum(i for _, i in ranks) + more) - mpf(1) * exact) < 1e-40


def test_expected_precision():
    for ranks, missing, eighths in rankings(100):
        nr = Fraction(eighths, 8) * (1 + missing)
        exact = weak_orderings.ep(ranks, float(nr))
        assert abs(long.expected_precision(ranks, nr) - mpf(1) * exact) < 1e-40


@pytest.mark.parametrize(
    ("relevant", "nonrelevant", "before", "wanted"),
    [(1000, 200_000, 0, 500), (1500, 150_000, 10, 777), (3000, 300_000, 10**6, 2500)],
)
def test_both_ways_to_sum(relevant, nonrelevant, before, wanted, monkeypatch):
    ranks = [(0, before), (relevant, nonrelevant)]
    with workdps(50):
        integral = long.expected_precision(ranks, Fraction(wanted) + Fraction(1, 3))
        monkeypatch.setattr(long, "LONGEST", 10**7)
        assert (
            abs(long.expected_precision(ranks, Fraction(wanted) + Fraction(1, 3)) / integral - 1)
            < 1e-22
        )


@pytest.mark.parametrize(("relevant", "wanted"), [(3, 2), (12, 5), (12, 12)])
def test_few_relevant_documents(relevant, wanted, monkeypatch):
    ranks = [(2, 5), (relevant, 70_000)]
    closed = long.expected_precision(ranks, Fraction(wanted + 2))
    monkeypatch.setattr(long, "LONGEST", 10**7)
    assert abs(long.expected_precision(ranks, Fraction(wanted + 2)) / closed - 1) < 1e-25
