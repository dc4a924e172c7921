"""Samples of both segments."""

from hypothesis import strategies as st

from irbounds.samples.intervals.table import PRIOR_OF

A, B = (500, 50, 40), (2000, 100, 3)
POSTERIOR = [*PRIOR_OF, "beta-jeffreys"]


SMALL = st.tuples(*[st.integers(0, 30)] * 3).map(lambda counts: tuple(sorted(counts, reverse=True)))
