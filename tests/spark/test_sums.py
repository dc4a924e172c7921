"""Sums of a cluster's partitions are exact, however the values are divided among them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")

from irbounds.spark.sums import KINDS, Total, exact_parts, mean_of, partial_sums  # noqa: E402

numbers = st.floats(-1e300, 1e300) | st.sampled_from([0.1, 1e-320, 1.0, -1.0, 2.0**53, 1e16])


@settings(max_examples=50, deadline=None)
@given(st.lists(numbers, max_size=20))
def test_parts_have_the_exact_sum(values):
    parts = exact_parts(values)
    assert sum(map(Fraction, parts)) == sum(map(Fraction, values))
    assert len(parts) < 45  # each has 53 bits of the 2,100 that a double's exponent spans


@settings(max_examples=20, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=20), st.integers(1, 7))
def test_means_of_partitions(values, size):
    totals = {}
    for start in range(0, len(values), size):
        part = values[start : start + size]
        columns = {
            "query_id": [f"q{start + i}" for i in range(len(part))],
            "state": pa.array([0] * len(part), pa.int32()),
            "measure": ["AP"] * len(part),
            **dict.fromkeys(KINDS, part),
            "problem": pa.nulls(len(part), pa.string()),
        }
        for batch in partial_sums(iter([pa.RecordBatch.from_pydict(columns)])):
            for row in batch.to_pylist():
                totals.setdefault((row["state"], row["measure"]), Total()).add(row)
    (total,) = totals.values()
    assert (total.n, total.first, total.problem) == (len(values), "q0", None)
    exact = sum(map(Fraction, values)) / len(values)
    assert all(mean_of([total], kind) == float(exact) for kind in KINDS)


def test_means_of_nothing_and_of_infinity():
    assert math.isnan(mean_of([], "value"))
    row = {"n": 2, "first": "q", "problem": None, "value": [np.inf, 1.0], "low": None, "high": []}
    total = Total()
    total.add(row)
    assert mean_of([total], "value") == math.inf
    assert mean_of([total], "low") == 0
