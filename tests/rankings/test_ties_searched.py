"""Measures whose ties are searched: the highest precision, lattices of grades, ends of a cut."""

import numpy as np
import pytest
from reference.highest_precision import expected_highest_precision

import irbounds as irb


def tied(ranks):
    """Scores and grades of ranks (documents, relevant ones)."""
    scores = np.repeat(-np.arange(len(ranks), dtype=float), [size for size, _ in ranks])
    grades = np.concatenate([np.arange(size) < relevant for size, relevant in ranks])
    return scores, grades.astype(float)


@pytest.mark.parametrize(
    ("ranks", "n_relevant"),
    [
        ([(30, 4)], 4),
        ([(40, 3), (25, 8)], 15),
        ([(1, 1), (12, 3), (20, 18), (30, 5)], 30),
        ([(3, 0), (70, 2), (2, 1), (2, 1)], 5),
        pytest.param([(120, 12)], 12, marks=pytest.mark.long),
        pytest.param([(80, 30)], 31, marks=pytest.mark.long),
    ],
)
def test_interpolated_precision_counts_lattice_paths(ranks, n_relevant):
    levels = [0, 0.1, 0.3, 0.5, 0.8, 1]
    scores, grades = tied(ranks)
    names = [f"IPrec@{level}" for level in levels] + ["IPrec11(levels=[0,0.1,0.3,0.5,0.8,1])"]
    found = irb.rank_measures(scores, grades, names, n_relevant=n_relevant).values[0]
    wanted = [
        float(expected_highest_precision(ranks, int(level * n_relevant + 0.9))) for level in levels
    ]
    assert found[:-1] == pytest.approx(wanted, rel=1e-13)
    assert found[-1] == pytest.approx(np.mean(wanted), rel=1e-13)


def test_interpolated_precision_of_many_ties():
    """20,000 ties of two: the search ends where some tie surely exceeds what is left."""
    ranks = [(2, 1)] * 20_000
    scores, grades = tied(ranks)
    found = irb.rank_measures(scores, grades, "IPrec@0 IPrec@0.9").values[0]
    assert found[0] == pytest.approx(float(expected_highest_precision(ranks[:40], 0)), abs=1e-12)
    assert 0.5 < found[1] < 0.5 + 1 / 36_000


def test_ties_with_too_many_orders_are_refused():
    scores, grades = tied([(10**6, 1000)])
    message = (
        r"^IPrec@0\.5: the ties are too large for the exact expectation: choose ties='doc_id' or "
        r"'given' \(query 0\)$"
    )
    with pytest.raises(irb.InputError, match=message):
        irb.rank_measures(scores, grades, "IPrec@0.5")
