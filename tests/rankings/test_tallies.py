"""Tallied rankings give what the documents one by one give; and the records of queries survive any
cut into batches."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_texts import twins_of
from reference import rankings as slow

import irbounds as irb
from irbounds.rankings.evaluating.rank_counts import Tallies, TallyEvaluator
from irbounds.spark.records import RECORD
from irbounds.spark.worker import whole_queries

MEASURES = twins_of(
    """
    AP AP@3 P@4 RR Success@2 nDCG@3 nDCG AP(rel=2) ERR ERR(max_rel=3)@5 RBP Bpref Judged SetF
    NumRet Rprec ESL(nr=1)
    """
)
rankings = st.lists(
    st.lists(st.sampled_from([-1, 0, 0, 1, 1, 2, 3]), min_size=1, max_size=4), max_size=3
)


def tally(ranks, mark_level):
    """A row for each class of grades of each rank: marks by their grade, other judged ones,
    unjudged ones."""
    rows = {}
    for place, rank in enumerate(ranks):
        for grade in rank:
            rows.setdefault(
                (-place, grade if grade >= mark_level else 0 if grade >= 0 else -1), []
            ).append(grade)
    score, grade = (np.array([key[i] for key in rows], float) for i in (0, 1))
    return score, Tallies(
        np.array([0, len(rows)]), grade, np.array([len(row) for row in rows.values()], np.int64)
    )


def judged(grades):
    kinds, times = np.unique(np.array(grades, float), return_counts=True)
    return Tallies(np.array([0, len(kinds)]), kinds, times)


@settings(max_examples=12, deadline=None)
@given(
    rankings,
    st.lists(st.integers(0, 3), max_size=3),
    st.lists(st.sampled_from(list(MEASURES)), min_size=1, max_size=3, unique=True),
)
def test_tallies_equal_enumeration(ranks, unretrieved, names):
    evaluator = TallyEvaluator(names, bounds=True)
    score, ranked = tally(ranks, evaluator.mark_level)
    grades = [grade for rank in ranks for grade in rank if grade >= 0] + unretrieved
    value, low, high = evaluator.evaluate(["q"], score, ranked, judged(grades))
    for i, text in enumerate(names):
        name, options = MEASURES[text]
        every = [
            slow.measure_of_order(name, order, unretrieved, **options)
            for order, _ in slow.orders(ranks)
        ]
        for found, wanted in (
            (value, slow.expected(name, ranks, unretrieved, **options)),
            (low, min(every)),
            (high, max(every)),
        ):
            assert found[0, i] == pytest.approx(float(wanted), rel=1e-12, abs=1e-13), text


@pytest.mark.parametrize("ties", ["expected", "best", "worst", "given"])
def test_long_rankings_equal_their_documents(ties):
    """Many documents a row, so that a rank holds more than there are rows, as ERR must have room
    for."""
    rng = np.random.default_rng(5)
    names = [
        *("AP", "nDCG", "ERR", "ERR@50", "RR", "Bpref", "NumRet", "AP(judged_only=True)"),
        "nDCG(gains={0:1})",
    ]
    evaluator = TallyEvaluator(names, ties=ties, bounds=True)
    score, grade, times = [], [], []
    for place in range(30):
        for g in (2.0, 1.0, 0.0, -1.0):
            if rng.random() < 0.5:
                score.append(float(-(place // 2)))
                grade.append(g)
                times.append(int(rng.integers(1, 2000 if g < 0 else 4)))
    score, grade, times = np.array(score), np.array(grade), np.array(times)
    ranked = Tallies(np.array([0, len(score)]), grade, times)
    value, low, high = evaluator.evaluate(["q"], score, ranked, judged(np.repeat(grade, times)))
    wanted = irb.rank_measures(
        np.repeat(score, times), np.repeat(grade, times), names, ties=ties, bounds=True
    )
    for ours, theirs in ((value, wanted.values), (low, wanted.low), (high, wanted.high)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_compat_of_long_ties_is_bounded_or_refused():
    """It asked for memory for as many places as p makes count: 10^11 at p = 1 - 1e-8."""
    ranked = Tallies(np.array([0, 2]), np.array([1.0, -1.0]), np.array([1, 10**12 - 1]))
    relevant = Tallies(np.array([0, 1]), np.array([1.0]), np.array([1]))
    score = np.zeros(2)
    # the mean over places k of sum over d >= k of p^(d-1)/d is 1/((1-p) 10^12); the ideal is
    # sum over d of p^(d-1)/d = -log(1-p)/p
    value, _, _ = TallyEvaluator("Compat(p=0.999)").evaluate(["q"], score, ranked, relevant)
    wanted = 1e-12 / (1 - 0.999) / (-math.log(1 - 0.999) / 0.999)
    assert value[0, 0] == pytest.approx(wanted, rel=1e-12)
    evaluator = TallyEvaluator("Compat(p=0.99999999)")
    with pytest.raises(irb.InputError, match=r"need p at most 0\.99996; query 'q' has 10{12}$"):
        evaluator.evaluate(["q"], score, ranked, relevant)


def test_many_queries_at_once():
    """Rows, grades and gains of queries do not run into each other, nor into those without rows."""
    rng = np.random.default_rng(6)
    evaluator = TallyEvaluator("AP nDCG nDCG(gains={1:0,0:2}) Judged@5")
    sizes = [0, 3, 0, 0, 7, 1, 0]
    grades = [rng.integers(-1, 4, size).astype(float) for size in sizes]
    start = np.append(0, np.cumsum(sizes))
    score = np.concatenate([np.arange(size, 0, -1.0) for size in sizes])
    everything = Tallies(start, np.concatenate(grades), np.ones(start[-1], np.int64))
    values = evaluator.evaluate([str(i) for i in range(7)], score, everything, everything)[0]
    for i, grade in enumerate(grades):
        alone = irb.rank_measures(np.arange(len(grade), 0, -1.0), grade, evaluator.measures)
        np.testing.assert_allclose(values[i], alone.values[0], rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.data())
def test_queries_survive_any_cut_into_batches(sizes, data):
    names = [f"q{i}" for i, size in enumerate(sizes) for _ in range(size)]
    n = len(names)
    number = np.arange(n)
    columns = [
        pa.array(names),
        *[pa.array(number.astype(kind)) for kind in (np.int32, int, int, float, int)],
        pa.array([str(i) if i % 4 == 0 else None for i in range(n)]),
    ]
    whole = pa.RecordBatch.from_arrays(columns, names=list(RECORD))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=6)))
    batches = [whole.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, n], strict=True)]
    found, row = [], 0
    for queries in whole_queries(iter(batches)):
        found += queries.names
        assert queries.start[0] == 0
        assert (
            np.diff(queries.start).tolist() == sizes[len(found) - len(queries.names) : len(found)]
        )
        rows = slice(row, row := row + int(queries.start[-1]))
        for name in RECORD[1:6]:
            assert (getattr(queries, name) == number[rows]).all()
        assert queries.doc_id == {
            i - rows.start: str(i) for i in range(*rows.indices(n)) if i % 4 == 0
        }
    assert found == [f"q{i}" for i in range(len(sizes))]


def test_a_collection_too_small():
    evaluator = TallyEvaluator("Fallout@1", collection_size=10)
    ranked = Tallies(np.array([0, 1, 3]), np.array([-1.0, 1, -1]), np.array([3, 1, 9]))
    known = Tallies(np.array([0, 1, 2]), np.array([1.0, 1]), np.array([7, 2]))
    with pytest.raises(
        irb.InputError, match="run: `collection_size` 10 is less than the 11 documents of query 'b'"
    ):
        evaluator.evaluate(["a", "b"], np.array([1.0, 2, 1]), ranked, known)
