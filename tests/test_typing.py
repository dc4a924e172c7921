"""The types that annotations name agree with the tables that the code reads."""

from typing import get_args

import pytest

from irbounds import typing as types
from irbounds.comparison.significance.corrections import CORRECTIONS
from irbounds.comparison.significance.table import TESTS
from irbounds.foundation.frames import BACKENDS
from irbounds.queries.ends import MEAN_METHODS
from irbounds.queries.means import FORMER_NAMES
from irbounds.rankings.measure_table.measure import TIE_RULES
from irbounds.samples.intervals.table import INTERVAL_METHODS
from irbounds.samples.one_proportion.table import PROPORTION_METHODS


@pytest.mark.parametrize(
    ("choice", "table"),
    [
        (types.TieRule, TIE_RULES),
        (types.TestName, TESTS),
        (types.Correction, CORRECTIONS),
        (types.MeanMethod, [*MEAN_METHODS, *FORMER_NAMES]),
        (types.IntervalMethod, INTERVAL_METHODS),
        (types.ProportionMethod, PROPORTION_METHODS),
        (types.Backend, BACKENDS),
    ],
)
def test_choices_are_those_of_the_table(choice, table):
    assert set(get_args(choice)) == set(table)
