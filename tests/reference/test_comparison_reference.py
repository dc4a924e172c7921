"""The reference of paired tests against published numbers."""

from fractions import Fraction

import pytest

from . import comparison as ref

pytestmark = pytest.mark.long  # these test the twins, which change rarely


def test_fisher_counts_863_of_32768():
    """Fisher 1935, section 21: 863 of 32,768 sums are as great as Darwin's 314."""
    assert sum(ref.DARWIN) == 314
    assert ref.randomisation_p(ref.DARWIN) == Fraction(2 * 863, 32768)


def test_two_systems_are_one_pair():
    """With two columns the shuffled range is the randomisation test of the differences."""
    table = [(5, 3), (1, 4), (8, 2), (6, 5), (9, 7)]
    assert ref.randomised_tukey_p(table) == {(0, 1): ref.randomisation_p([a - b for a, b in table])}


def test_residual_of_two_systems_is_half_the_variance_of_differences():
    table = [(5, 3), (1, 4), (8, 2), (6, 5), (9, 7)]
    differences = [a - b for a, b in table]
    mean = Fraction(sum(differences), len(differences))
    assert (
        ref.residual_variance(table)
        == sum((d - mean) ** 2 for d in differences) / (len(differences) - 1) / 2
    )


def test_holm_by_hand():
    assert ref.holm([Fraction(1, 100), Fraction(4, 100), Fraction(3, 100), Fraction(5, 1000)]) == [
        Fraction(3, 100),
        Fraction(6, 100),
        Fraction(6, 100),
        Fraction(2, 100),
    ]
