"""Collections, assumptions and plans that are refused."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.planning import allocate, expected_width, least_sample, simulate_stopping

REVIEW = irb.AssumedReview(5_000_000, 500_000, recall=0.5, precision=0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((100, 100), "`retrieved` must be below the population, 100"),
        ((100, 0), "`retrieved` must be a whole number, 1 or more"),
        ((100.5, 10), "`population` must be a whole number"),
    ],
)
def test_impossible_collections(arguments, message):
    with pytest.raises(ValueError, match=message):
        irb.AssumedReview(*arguments, recall=0.5, precision=0.5)


@pytest.mark.parametrize(
    ("assumed", "message"),
    [
        ({"recall": 0.5}, "give one of `precision` and `prevalence`"),
        ({"recall": 0.5, "precision": 0.5, "prevalence": 0.1}, "give one of"),
        ({"recall": 1.5, "precision": 0.5}, "`recall` must be between 0 and 1"),
        ({"recall": (0.9, 0.5), "precision": 0.5}, "a pair in rising order"),
        (
            {"recall": 0.05, "precision": 0.9},
            "recall 0.05 and precision 0.9 require 1710 relevant documents among 900",
        ),
        ({"recall": 0.9, "prevalence": 0.5}, "450 relevant documents among 100 retrieved"),
        ({"recall": 0.5, "precision": 0}, "no document is relevant"),
        ({"recall": "high", "precision": 0.5}, "`recall` must be a number between 0 and 1"),
    ],
)
def test_impossible_assumptions(assumed, message):
    with pytest.raises(ValueError, match=message):
        irb.AssumedReview(1000, 100, **assumed)


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        (([], (10, 0.1)), "`retrieved` has no strata"),
        (((10, 0.1, 3), (10, 0.1)), r"`retrieved` must be \(size, prevalence\)"),
        (
            ((10, 0.1), [(10, 0.1), (5, 2)]),
            r"`unretrieved\[1\].prevalence` must be between 0 and 1",
        ),
    ],
)
def test_impossible_strata(strata, message):
    with pytest.raises(ValueError, match=message):
        irb.AssumedReview.from_strata(*strata)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: expected_width(REVIEW, 600_000, 10),
            "`retrieved_sample` must be at most the segment, 500000",
        ),
        (
            lambda: expected_width(REVIEW, (5, 5), 10),
            "`retrieved_sample` needs one number for each of 1 strata",
        ),
        (lambda: expected_width(REVIEW, 5, 10, method="half"), "`method` must be one of"),
        (lambda: allocate(REVIEW, 6_000_000), "`sample` must be at most the collection"),
        (lambda: allocate(REVIEW, 1), "`sample` must be at least 2"),
        (lambda: irb.sample_size(REVIEW), "give one of `width` and `target`"),
        (lambda: irb.sample_size(REVIEW, target=1.1), "`target` must be above 0 and at most 1"),
        (
            lambda: irb.sample_size(REVIEW, target=0.4, side="upper"),
            "`side` must be 'lower' or 'two-sided'",
        ),
        (
            lambda: irb.sample_size(REVIEW, width=0.1, at_most=1),
            "`at_most` must be a whole number, 2 or more",
        ),
        (lambda: least_sample(100, 100, 0.5), "`retrieved` must be below the population"),
        (lambda: least_sample(100, 20, 0.5, side="upper"), "`side` must be 'lower' or 'two-sided'"),
        (lambda: expected_width("x", 5, 10), "`review` must be an AssumedReview; found 'x'"),
        (lambda: allocate(None, 5), "`review` must be an AssumedReview"),
        (lambda: simulate_stopping("x", 5, 10, width=0.3), "`review` must be an AssumedReview"),
    ],
)
def test_impossible_plans(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_ranges_may_be_arrays():
    assert repr(irb.AssumedReview(100, 10, recall=np.array([0.5, 0.9]), precision=0.5)) == repr(
        irb.AssumedReview(100, 10, recall=(0.5, 0.9), precision=0.5)
    )
