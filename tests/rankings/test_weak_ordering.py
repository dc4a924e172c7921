"""WeakOrdering against the slow closed forms of Raghavan, Bollmann & Jung (1989)."""

import copy
import math
import pickle
from fractions import Fraction
from itertools import chain, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import rankings as slow
from reference import weak_orderings as wide
from sizes import long, only

import irbounds as irb
from irbounds.rankings import WeakOrdering, mean_graph, recall_precision_graph

counts = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=5)
DELTA, DELTA_PRIME = (WeakOrdering([1, 3], [2, 7]), WeakOrdering([3, 1], [5, 3]))


def make(ranks, missing=0):
    relevant, nonrelevant = zip(*ranks, strict=True)
    return WeakOrdering(relevant, nonrelevant, n_relevant=sum(relevant) + missing)


def test_worked_examples():
    assert [DELTA.precall(nr=1), DELTA.prr(nr=1), DELTA.ep(nr=1)] == pytest.approx(
        [1 / 3, 1 / 2, 11 / 18]
    )
    assert [DELTA_PRIME.precall(nr=1), DELTA_PRIME.prr(nr=1)] == pytest.approx([3 / 8, 4 / 9])
    assert DELTA_PRIME.ep(recall=0.25) == pytest.approx(0.6089286, abs=5e-8)
    first = WeakOrdering([1], [1])
    assert [first.prr(nr=1), first.ep(nr=1)] == pytest.approx([2 / 3, 3 / 4])
    tied = WeakOrdering([6], [4])
    assert [tied.prr(nr=1), tied.ep(nr=1)] == pytest.approx([7 / 11, 0.7747619], abs=5e-8)


@settings(max_examples=25, deadline=None)
@given(
    counts,
    st.integers(0, 2),
    st.fractions(Fraction(1, 8), 20, max_denominator=8),
    st.integers(1, 40),
)
def test_every_stop_equals_the_reference(ranks, missing, nr, nd):
    w, n = make(ranks, missing), sum(r for r, _ in ranks) + missing
    wanted = slow.esl(ranks, nr)
    assert w.esl(float(nr)) == (
        math.inf if wanted == slow.inf else pytest.approx(float(wanted), rel=1e-13)
    )
    for name in ("prr", "precall", "ep"):
        ours, theirs = getattr(w, name), getattr(slow, name)
        assert ours(nr=float(nr)) == pytest.approx(float(theirs(ranks, nr)), rel=1e-12, abs=1e-15)
        assert ours(nd=nd) == pytest.approx(
            float(slow.precision_at_documents(ranks, nd)), rel=1e-13, abs=1e-15
        )
        for level in (Fraction(0), Fraction(1, 8), Fraction(3, 4), Fraction(1)):
            for how in ("intuitive", "ceiling"):
                expected = slow.at_recall(theirs, ranks, n, level, how) if n else 0
                got = ours(recall=float(level), interpolation=how)
                assert got == pytest.approx(float(expected), rel=1e-12, abs=1e-15), (
                    name,
                    level,
                    how,
                )
    if n:
        assert w.expected_recall(nd) == pytest.approx(
            float(slow.expected_recall(ranks, nd, n)), rel=1e-13, abs=1e-15
        )


def test_fallout_is_no_difference():
    """Nothing but relevant documents is read; the difference of two counts of 10^12 was 1e-4.
    benchmarks/hunt.py."""
    w = WeakOrdering([958_315_996_115, 1], [0, 1], 1_925_324_454_904, 1_925_415_329_844)
    assert w.fallout(661_307_395_228) == 0
    for ranks, nd in (
        ([(10**12, 1)], 7),
        ([(3, 10**12), (10**12, 2)], 10**12 + 10**9),
        ([(2, 3)], 5),
        ([(0, 4), (1, 1)], 3),
    ):
        n, size = sum(r for r, _ in ranks) + 5, sum(map(sum, ranks)) + 1000
        relevant, nonrelevant = zip(*ranks, strict=True)
        exact = wide.fallout(wide.with_unretrieved(ranks, n, size), nd, n, size)
        assert WeakOrdering(relevant, nonrelevant, n, size).fallout(nd) == pytest.approx(
            float(exact), rel=1e-13
        )


@pytest.mark.long
def test_expected_precision_of_wide_ranks():
    for relevant, wanted in ((1, 1), (2, 1), (2, 2), (5, 3), (20, 1), (20, 20)):
        for nonrelevant in (20, 40_000, 10**6, 10**9, 10**12, 10**15):
            for before in (0, 1000, 10**9):
                got = WeakOrdering([0, relevant], [before, nonrelevant]).ep(nr=wanted)
                expected = wide.expected_precision_of_wide_rank(
                    relevant, nonrelevant, before, wanted
                )
                assert got == pytest.approx(float(expected), rel=2e-13), (
                    relevant,
                    nonrelevant,
                    before,
                    wanted,
                )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 15), st.integers(0, 10**12), st.floats(1e-3, 1))
def test_expected_precision_of_wide_ranks_follows_its_recurrence(relevant, digits, before, share):
    """Of S = E[1/(c + V)]: c (i + c + b) S(c) = r + (c + 1 - a) (i + c + 1) S(c + 1), a = s, b = r
    - s + 1."""
    i, r = int(10**digits), relevant + 1
    s = Fraction(share * r)

    def mean_of_reciprocal(j):
        return Fraction(WeakOrdering([0, r], [j, i]).ep(nr=float(s))) / s

    c, b = s + before, r - s + 1
    left = c * (i + c + b) * mean_of_reciprocal(before)
    right = r + (c + 1 - s) * (i + c + 1) * mean_of_reciprocal(before + 1)
    assert float(left / right - 1) == pytest.approx(0, abs=1e-12)


def test_the_inverse_of_expected_precision_is_convex_in_a_rank():
    """NR/EP is a convex function of NR: so EP rises, then falls, and its largest value in a rank is
    found without trying every stop (csrc/measures/search_length.c)."""
    for r, i, j in product(range(3, 10), range(7), (0, 1, 2, 8, 100)):
        inverse = [nr / wide.ep([(0, j), (r, i)], nr) for nr in range(1, r + 1)]
        assert all(
            a + c >= 2 * b for a, b, c in zip(inverse, inverse[1:], inverse[2:], strict=False)
        )


@pytest.mark.parametrize("recall", [long(1e-9), 0.37, long(0.999)])
def test_largest_expected_precision_of_large_ranks_is_that_of_some_stop(recall):
    rng = np.random.default_rng(8)
    for _ in range(25):
        ranks = int(rng.integers(1, 4))
        relevant = np.exp(rng.uniform(0, 8, ranks)).astype(int)
        nonrelevant = np.exp(rng.uniform(0, rng.choice([3, 9, 20]), ranks)).astype(int) - 1
        ordering, n = WeakOrdering(relevant, nonrelevant), int(relevant.sum())
        every_stop = ordering.ep(nr=np.arange(1, n + 1))
        wanted = max(1, math.ceil(Fraction(recall) * n))
        found = ordering.ep(recall=recall, interpolation="ceiling")
        assert found == pytest.approx(every_stop[wanted - 1 :].max(), rel=1e-14)


def test_stops_among_10_to_the_9_unretrieved_relevant_documents_take_no_time():
    """A fuzzer found 10^9 sums of a third of a millisecond."""
    found = irb.rank_measures(
        [0.5],
        [1],
        ["EP(recall=0.3,interpolation=ceiling)", "PRR(recall=0.3,interpolation=ceiling)"],
        collection_size=2**52,
        n_relevant=10**9,
    ).values[0]
    assert found[0] == pytest.approx(found[1], rel=1e-8)  # the stop hardly varies: 1e9/2^52


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 6), st.integers(0, 8), st.fractions(Fraction(1, 10), 6, max_denominator=10))
def test_search_length_distribution(relevant, nonrelevant, wanted):
    if wanted > relevant:
        return
    got = WeakOrdering([relevant], [nonrelevant]).search_length_distribution(float(wanted))
    expected = slow.search_length_distribution([(relevant, nonrelevant)], wanted)
    assert got == pytest.approx(
        [float(expected.get(v, 0)) for v in range(nonrelevant + 1)], rel=1e-12
    )


def test_a_real_number_of_documents_is_the_double():
    """The decimal 0.0008 differs from 12.0008 - 12 by 6e-13 of it: reading the one for the other
    had looked like an error of 1.01 times the promised 1e-12."""
    for nr in (12.0008, 12.000799, 12 + 2.0**-40, 22.999, 22.0 + 1e-9):
        got = WeakOrdering([12, 11], [500, 26]).search_length_distribution(nr)
        expected = slow.search_length_distribution([(12, 500), (11, 26)], Fraction(nr))
        assert got == pytest.approx([float(expected[500 + v]) for v in range(27)], rel=2e-14)


@pytest.mark.parametrize("wanted", only([1, 17.5], [0.3, 1, 17.5, 5e5, 1e6]))
def test_a_rank_of_millions_does_not_underflow(wanted):
    w = WeakOrdering([10**6], [10**6])
    p = w.search_length_distribution(wanted)
    assert math.fsum(p) == pytest.approx(1, rel=1e-12)
    assert math.fsum(p * np.arange(p.size)) == pytest.approx(w.esl(wanted), rel=1e-10)
    assert w.precall(nr=wanted) <= w.prr(nr=wanted) <= w.ep(nr=wanted)


@settings(max_examples=40, deadline=None)
@given(counts)
def test_theorems(ranks):
    w, n = make(ranks), sum(r for r, _ in ranks)
    total = n + sum(i for _, i in ranks)
    for nr in np.arange(0.5, n + 0.1, 0.5):
        assert w.precall(nr=nr) <= w.prr(nr=nr) + 1e-15  # 3.2
    through = np.cumsum([r + i for r, i in ranks])
    for nd in range(1, total + 1):
        rank = int(np.searchsorted(through, nd))
        if n and ranks[rank][0] and w.expected_recall(nd) > 0:  # 3.5
            assert w.precall(recall=w.expected_recall(nd)) == pytest.approx(w.ep(nd=nd), rel=1e-9)
        if 0 < n < total and w.expected_recall(nd) > 0:  # equation 3.5
            assert w.precision_from(w.expected_recall(nd), w.fallout(nd)) == pytest.approx(
                w.prr(nd=nd), rel=1e-12
            )


def test_arrays_scalars_and_graphs():
    assert isinstance(DELTA.prr(nr=1), float)
    assert DELTA.prr(nr=[[1, 2], [3, 4]]).shape == (2, 2)
    assert DELTA.esl([1, 5]).tolist() == [1.0, math.inf]
    graph = DELTA.recall_precision_graph("ep", levels=[0.25, 1])
    assert graph.precision == pytest.approx([DELTA.ep(nr=1), DELTA.ep(nr=4)])
    mean = mean_graph([DELTA, DELTA_PRIME])
    assert len(mean.levels) == 21
    assert mean.n_queries == 2
    assert mean.precision[5] == pytest.approx((1 / 2 + 4 / 9) / 2)


def test_from_scores_and_collections():
    w = WeakOrdering.from_scores([1.0, 3.0, 3.0, -0.0, 0.0], [0, 1, 0, 2, -1], n_relevant=3)
    assert w.relevant.tolist() == [1, 0, 1]
    assert w.nonrelevant.tolist() == [1, 1, 1]
    assert w.esl(3) == math.inf
    known = WeakOrdering([1], [1], n_relevant=2, collection_size=12)
    assert known.esl(2) == pytest.approx(1 + 9 / 2)
    assert known.generality == pytest.approx(1 / 6)
    assert known.fallout(12) == pytest.approx(1)


def test_orderings_do_not_change_but_for_the_journey():
    for w in (DELTA, make([(1, 2)], 3), WeakOrdering([1], [1], n_relevant=3, collection_size=12)):
        again = pickle.loads(pickle.dumps(copy.deepcopy(w)))
        for name in ("n_relevant", "n_documents"):
            assert getattr(again, name) == getattr(w, name)
            with pytest.raises(AttributeError, match="cannot assign to field"):
                setattr(again, name, 1)
        assert again.prr(nr=[0.5, 1, 2, 3]).tolist() == w.prr(nr=[0.5, 1, 2, 3]).tolist()
        assert not again.relevant.flags.writeable
        assert not again.nonrelevant.flags.writeable


def test_precision_from_at_nothing():
    nothing = WeakOrdering([0], [5])
    assert isinstance(DELTA.precision_from(0.5, 0.5), float)
    assert (nothing.precision_from(0, 0), nothing.precision_from(0, 0.5)) == (0, 0)
    assert DELTA.precision_from([0, 1], [0, 1]).tolist() == [0, DELTA.generality]


def test_graph_of_one_ordering_and_one_level():
    assert mean_graph(DELTA).precision.tolist() == DELTA.recall_precision_graph().precision.tolist()
    assert mean_graph(DELTA, levels=0.25).to_dict() == {0.25: DELTA.prr(nr=1)}


def strict_orders(ranks):
    """Every order of the tied documents, each document a rank of its own."""
    inside = [set(permutations([(1, 0)] * r + [(0, 1)] * i)) for r, i in ranks]
    return [list(chain.from_iterable(chosen)) for chosen in product(*inside)]


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3),
    st.integers(0, 1),
)
def test_bounds_of_a_graph_are_the_extremes_over_all_orders(ranks, missing):
    n = sum(r for r, _ in ranks) + missing
    levels = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)]
    for name in ("prr", "ep", "precall"):
        for how in ("intuitive", "ceiling"):
            graph = make(ranks, missing).recall_precision_graph(
                name, [float(x) for x in levels], how, bounds=True
            )
            for i, level in enumerate(levels):
                values = [
                    slow.at_recall(getattr(slow, name), order, n, level, how) if n else 0
                    for order in strict_orders(ranks)
                ]
                assert graph.low[i] == pytest.approx(float(min(values)), rel=1e-12, abs=1e-15), (
                    name,
                    how,
                    level,
                )
                assert graph.high[i] == pytest.approx(float(max(values)), rel=1e-12, abs=1e-15), (
                    name,
                    how,
                    level,
                )


def test_graph_as_a_frame():
    for module in ("narwhals", "pandas"):
        pytest.importorskip(module)
    graph = recall_precision_graph({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}})
    assert list(graph.to_frame().columns) == [
        "recall",
        "precision",
        "precision.low",
        "precision.high",
    ]


def test_graph_of_a_run_is_the_mean_over_its_orderings():
    rng = np.random.default_rng(3)
    scores, grades = rng.integers(0, 5, (20, 30)).astype(float), rng.random((20, 30)) < 0.3
    qrels = {
        str(q): dict(zip("abcdefghijklmnopqrstuvwxyzABCD", row.tolist(), strict=True))
        for q, row in enumerate(grades.astype(int))
    }
    run = {
        q: dict(zip(documents, row.tolist(), strict=True))
        for (q, documents), row in zip(qrels.items(), scores, strict=True)
    }
    orderings = [WeakOrdering.from_scores(*pair) for pair in zip(scores, grades, strict=True)]
    for measure in ("prr", "ep", "precall"):
        for how in ("intuitive", "ceiling"):
            whole = recall_precision_graph(qrels, run, measure, interpolation=how)
            mean = mean_graph(orderings, measure, interpolation=how, bounds=True)
            for field in ("levels", "precision", "low", "high"):
                assert getattr(whole, field) == pytest.approx(getattr(mean, field), rel=1e-12)
            assert (whole.measure, whole.interpolation, whole.n_queries) == (measure, how, 20)
    plain = recall_precision_graph(qrels, run, levels=[1, 1 / 3, 1 / 3], bounds=False)
    assert (plain.low, plain.high) == (None, None)
    assert (
        plain.precision.tolist()
        == mean_graph(orderings, levels=[1, 1 / 3, 1 / 3]).precision.tolist()
    )
    for arguments, message in (
        (("map",), "`measure` must be one of"),
        (("prr", [2]), "`levels` must be in"),
        (("prr", []), "`levels` must have at least one recall level"),
        (("prr", None, "x"), "`interpolation` must be one"),
    ):
        with pytest.raises(irb.InputError, match=message):
            recall_precision_graph(qrels, run, *arguments)


@pytest.mark.parametrize("size", [0, 1, 10**9])
def test_sizes_at_the_ends(size):
    w = WeakOrdering([size], [10**9])
    assert w.esl(1) == (pytest.approx(10**9 / (size + 1)) if size else math.inf)
    assert w.prr(recall=1) == (
        pytest.approx(size / (size + 1e9 * size / (size + 1))) if size else 0
    )
    assert w.expected_recall(10**9) == (pytest.approx(10**9 / (size + 10**9)) if size else 0)
    assert WeakOrdering([], []).prr(nr=1) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DELTA.esl(0), "`nr` must be above 0"),
        (lambda: DELTA.prr(recall=1.5), r"`recall` must be in \[0, 1\]; found 1.5"),
        (lambda: DELTA.prr(nr=1, nd=2), "give one of nr=, recall=, nd="),
        (lambda: DELTA.prr(nr=1, interpolation="ceiling"), "interpolation requires recall="),
        (lambda: DELTA.ep(recall=1, interpolation="linear"), "`interpolation` must be one of"),
        (lambda: DELTA.search_length_distribution(9), "at most the 4 relevant documents"),
        (lambda: WeakOrdering([1, 2], [1]), "one entry for each rank"),
        (lambda: WeakOrdering([-1], [1]), "`relevant` must be whole numbers"),
        (lambda: WeakOrdering([2**53] * 2000, [1] * 2000), r"at most 2\^52 documents"),
        (lambda: WeakOrdering([3], [1], n_relevant=2), "`n_relevant` must be at least the 3"),
        (lambda: WeakOrdering([3], [1], collection_size=2), "`collection_size` must be at least"),
        (lambda: WeakOrdering([1], [1], 5, 10**30), r"`collection_size` must be at most 2\^52"),
        (lambda: WeakOrdering.from_scores([1, math.nan], [1, 0]), "found nan at index 1"),
        (lambda: mean_graph([]), "`orderings` is empty"),
        (lambda: WeakOrdering.from_scores(["a"], [1]), "`scores` must be numbers, not nan"),
        (lambda: mean_graph(DELTA, levels=["x"]), r"`levels` must be in \[0, 1\]"),
        (lambda: mean_graph(5), "`orderings` must hold WeakOrderings; found 5"),
        (
            lambda: WeakOrdering.from_scores([2.0], [1], n_relevant=3).fallout(10),
            "`collection_size` is needed: the ranks hold 1 of 3 relevant documents",
        ),
        (lambda: WeakOrdering([1], [1], n_relevant=5).generality, "`collection_size` is needed"),
        (
            lambda: WeakOrdering([1], [1], n_relevant=5).precision_from(1, 1),
            "`collection_size` is needed",
        ),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(irb.InputError, match=message):
        call()
