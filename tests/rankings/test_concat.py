"""Evaluations of parts of the queries, joined."""

import itertools
import random

import numpy as np
import pytest

import irbounds as irb
from irbounds.rankings import concat


def test_parts_are_the_whole_to_the_last_bit():
    draw = random.Random(1)
    qrels = {f"q{i}": {f"d{j}": draw.randrange(3) for j in range(9)} for i in range(40)}
    run = {query: {f"d{j}": draw.randrange(4) for j in range(12)} for query in [*qrels, "unjudged"]}
    del run["q7"], run["q33"]
    options = {"measures": "AP nDCG@5 P@3", "bounds": True, "unjudged": "bounds"}
    whole = irb.evaluate(qrels, run, **options)
    names = list(qrels)
    for cuts in ((5,), (1, 17, 39), (20, 20)):
        ends = [0, *cuts, len(names)]
        parts = [
            irb.evaluate({query: qrels[query] for query in names[i:j]}, run, **options)
            for i, j in itertools.pairwise(ends)
            if i < j
        ]
        found = concat(parts)
        for what in ("query_ids", "missing_queries", "unjudged_queries", "measures", "mean"):
            assert getattr(found, what) == getattr(whole, what), what
        assert found.mean_bounds == whole.mean_bounds
        assert found.mean_unjudged_bounds == whole.mean_unjudged_bounds
        assert found.summary == whole.summary
        assert np.array_equal(found.values, whole.values)
        assert concat(parts[::-1]).mean == whole.mean


def test_parts_that_are_refused():
    one = irb.evaluate({"q1": {"d": 1}}, {"q1": {"d": 1}}, "AP")
    other = irb.evaluate({"q2": {"d": 1}}, {"q2": {"d": 1}}, "AP", bounds=True)
    third = irb.evaluate({"q2": {"d": 1}}, {"q2": {"d": 1}}, "RR")
    for parts, message in (
        ([one, one], "each query once; 'q1' is judged at index 0 and at index 1"),
        ([one, other], "must all have 'low' or none"),
        ([one, third], "must be of the same measures"),
        ([], "must have an evaluation"),
        ([one, 3], "must be a list of Evaluation; found 'int' at 1"),
    ):
        with pytest.raises(irb.InputError, match=message):
            concat(parts)
