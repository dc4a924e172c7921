"""Laws that hold across modules, whatever the input."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_texts import twins_of

import irbounds as irb
from irbounds.chance import hypergeometric_curve, hypergeometric_tail
from irbounds.counts import paired_comparison
from irbounds.rankings import WeakOrdering
from irbounds.samples import elusion_interval

few = settings(max_examples=25, deadline=None)
many = settings(max_examples=80, deadline=None)

MEASURES = list(
    twins_of(
        """
        AP AP@3 nDCG nDCG@4 P@3 R@4 RR Success@2 Rprec RBP(p=0.75) ERR(max_rel=3) SetF Bpref
        ESL(nr=1) PRR(recall=0.5) EP(nr=1) PRECALL(recall=0.5,interpolation=ceiling) ER@3
        NumRelRet
        """
    )
)
BETTER_WHEN_LOWER = [name.startswith("ESL") for name in MEASURES]
rankings = st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 3)), min_size=1, max_size=14)
segments = st.tuples(st.integers(1, 3000), st.floats(0.01, 1), st.floats(0, 1)).map(
    lambda s: (s[0], max(1, int(s[0] * s[1])), int(max(1, int(s[0] * s[1])) * s[2]))
)
some = segments.map(lambda s: (s[0], s[1], max(1, s[2])))  # relevant documents in the sample
not_all = segments.map(lambda s: (s[0], s[1], min(s[2], s[1] - 1)))
counts = st.tuples(*[st.integers(0, 400)] * 3)


def columns(rows):
    scores, grades = zip(*rows, strict=True)
    return np.array(scores, float), np.array(grades, float)


def values(scores, grades, **options):
    return irb.rank_measures(scores, grades, MEASURES, **options)


# Rankings


@pytest.mark.quick_examples(25)
@many
@given(rankings, st.randoms(use_true_random=False))
def test_the_order_of_input_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    for ties in ("expected", "best", "worst"):
        assert values(*columns(shuffled), ties=ties).values == pytest.approx(
            values(*columns(rows), ties=ties).values, rel=1e-13, abs=1e-15
        )


@many
@given(
    rankings,
    st.sampled_from(
        [
            lambda x: 1e300 * x,
            lambda x: 5e-324 * x,
            lambda x: x**3 - 7,
            np.exp,
            lambda x: -1 / (x + 1),
        ]
    ),
)
def test_only_the_order_of_scores_matters(rows, change):
    scores, grades = columns(rows)
    with np.errstate(under="ignore"):
        changed = change(scores)
    before, after = values(scores, grades, bounds=True), values(changed, grades, bounds=True)
    for one, other in (
        (before.values, after.values),
        (before.low, after.low),
        (before.high, after.high),
    ):
        assert one.tobytes() == other.tobytes()


@many
@given(rankings, st.integers(0, 5))
def test_merging_two_ranks_lies_between_their_orders(rows, score):
    """Documents of one score, then those of the next: merged, the expectation is no better than the
    better order and no worse than the worse one at most, so bounds only widen."""
    scores, grades = columns(rows)
    merged = np.where(scores == score, score + 1.0, scores)
    apart, together = values(scores, grades, bounds=True), values(merged, grades, bounds=True)
    assert (together.low <= apart.low * (1 + 1e-12) + 1e-15).all()
    assert (apart.high <= together.high * (1 + 1e-12) + 1e-15).all()


@pytest.mark.quick_examples(40)
@many
@given(rankings, st.integers(0, 13))
def test_a_relevant_document_that_rises_does_no_harm(rows, place):
    scores, grades = columns(rows)
    place %= len(rows)
    binary = (grades > 0).astype(float)
    binary[place] = 1
    higher = scores.copy()
    higher[place] += 1
    # the expectation of the documents that it now ties with or passes cannot gain more than it does
    for ties in ("best", "worst", "expected"):
        before, after = (
            values(scores, binary, ties=ties).values[0],
            values(higher, binary, ties=ties).values[0],
        )
        for name, lower, old, new in zip(MEASURES, BETTER_WHEN_LOWER, before, after, strict=True):
            worse = new - old if lower else old - new
            assert not worse > 1e-12 * max(1, abs(old)), (name, ties, old, new)


@many
@given(rankings, st.integers(0, 3), st.booleans())
def test_a_weak_ordering_agrees_with_evaluation(rows, missing, is_known):
    scores, grades = columns(rows)
    grades = np.maximum(grades, 0)
    if not grades.any():
        missing += 1
    n = int((grades > 0).sum()) + missing
    size = len(rows) + missing + 20 if is_known else None
    w = WeakOrdering.from_scores(scores, grades, n_relevant=n, collection_size=size)
    names = [
        *("ESL(nr=1)", "ESL(nr=2)", "PRR(nr=1)", "PRR(recall=0.5)"),
        *("EP(recall=0.5,interpolation=ceiling)", "EP(nr=2)", "PRECALL(nr=1)", "ER@3", "P@3"),
    ]
    got = irb.rank_measures(
        scores, (grades > 0).astype(float), names, n_relevant=n, collection_size=size
    ).values[0]
    expected = [
        w.esl(1),
        w.esl(2),
        w.prr(nr=1),
        w.prr(recall=0.5),
        w.ep(recall=0.5, interpolation="ceiling"),
        w.ep(nr=2),
        w.precall(nr=1),
        w.expected_recall(3),
    ]
    assert got[:8] == pytest.approx(expected, rel=1e-13)
    if len(rows) >= 3:
        assert got[8] == pytest.approx(w.prr(nd=3), rel=1e-13)
    graph = w.recall_precision_graph("prr", levels=[0.25, 0.5, 1])
    assert graph.precision == pytest.approx(w.prr(recall=[0.25, 0.5, 1]))


@few
@given(st.lists(rankings, min_size=1, max_size=4))
def test_queries_do_not_touch_each_other(queries):
    together = values(
        *columns([row for rows in queries for row in rows]),
        groups=[q for q, rows in enumerate(queries) for _ in rows],
    )
    for row, rows in zip(together.values, queries, strict=True):
        assert row.tobytes() == values(*columns(rows)).values.tobytes()


# Chance


@many
@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 200), st.integers(0, 200))
def test_a_curve_is_its_tails_and_ht(marks, more_relevant, more_others):
    relevant = sum(marks) + more_relevant
    population = relevant + len(marks) - sum(marks) + more_others
    curve = hypergeometric_curve(marks, population, relevant)
    cuts = np.arange(1, len(marks) + 1)
    assert curve == pytest.approx(
        hypergeometric_tail(np.cumsum(marks), population, relevant, cuts), rel=1e-12, abs=1e-300
    )
    if relevant:
        ht = irb.rank_measures(
            -cuts, marks, f"HT@{len(marks)}", n_relevant=relevant, collection_size=population
        )
        assert ht.values[0, 0] == pytest.approx(curve[-1], rel=1e-12, abs=1e-300)


# Counts


@many
@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_a_paired_comparison_turns_around(wins, losses, same):
    forth, back = (paired_comparison(wins, losses, same), paired_comparison(losses, wins, same))
    assert forth.probability + back.probability == pytest.approx(1, abs=1e-12)
    assert forth.difference == pytest.approx(-back.difference, abs=1e-15)
    assert paired_comparison(wins + 1, losses, same).probability >= forth.probability
    assert forth.difference_cdf(0) == pytest.approx(back.probability, abs=1e-9)


# Samples


@pytest.mark.quick_examples(12)
@few
@given(segments, segments)
def test_higher_confidence_holds_lower(retrieved, unretrieved):
    for method in ("betabinom-half", "beta-jeffreys", "koopman", "normal-mle", "guaranteed"):
        ends = [
            irb.recall_interval(retrieved, unretrieved, confidence_level=level, method=method)
            for level in (0.5, 0.9, 0.99)
        ]
        for narrow, wide in pairwise(ends):
            assert wide.low <= narrow.low + 1e-8, method
            assert narrow.high <= wide.high + 1e-8, method


@few
@given(segments)
def test_shares_of_one_segment(segment):
    """Precision of a retrieved segment is elusion of the same one unretrieved; its yield, times its
    size."""
    precision, elusion = irb.precision_interval(segment), elusion_interval(segment)
    assert (precision.low, precision.high, precision.estimate) == (
        elusion.low,
        elusion.high,
        elusion.estimate,
    )
    size, sampled, relevant = segment
    others = irb.precision_interval((size, sampled, sampled - relevant))
    step = 1 / size  # quantiles of counts: least values, from either side
    assert precision.low + others.high == pytest.approx(1, abs=step + 1e-9)


@few
@given(segments, segments)
def test_two_strata_of_one_kind_are_ordered_either_way(retrieved, unretrieved):
    there, back = (
        irb.recall_interval(order, unretrieved)
        for order in ([retrieved, (50, 10, 5)], [(50, 10, 5), retrieved])
    )
    assert [there.low, there.high] == pytest.approx([back.low, back.high], abs=1e-8)
