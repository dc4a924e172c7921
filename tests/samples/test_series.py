"""Counts of samples in pandas series: rows are joined by index, or refused."""

import pandas as pd
import pytest

import irbounds as irb

ROWS = pd.Series([40, 30])


@pytest.mark.parametrize(
    ("ask", "names"),
    [
        (lambda other: irb.recall_interval(irb.Stratum(500, other, ROWS), (9, 5, 1)), "sampled"),
        (
            lambda other: irb.samples.elusion_interval([(500, other, ROWS), (9, 5, 1)]),
            "unretrieved",
        ),
        (lambda other: irb.recall_interval((500, 50, ROWS), (2000, other, 3)), "unretrieved"),
        (lambda other: irb.f_interval((500, 50, ROWS), (2000, other, 3)), "unretrieved"),
        (
            lambda other: irb.recall_interval_from_sample(None, None, other * 9, ROWS, 1),
            "relevant_retrieved",
        ),
        (lambda other: irb.binomial_interval(ROWS, other), "sampled"),
    ],
)
def test_series_are_not_joined_by_position(ask, names):
    """NumPy would: the second row of one index with the first of the other."""
    other = pd.Series([60, 50], index=[1, 0])
    with pytest.raises(irb.InputError, match=f"{names}.* must have the same index"):
        ask(other)
    ask(other.sort_index())
