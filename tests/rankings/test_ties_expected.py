"""Every measure against brute-force enumeration of all orders of tied documents.

The file is longer than 400 lines because of the table of measures.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_texts import twins_of
from mpmath import mp
from reference import long_rankings as long
from reference import rankings as slow
from reference.tied_rankings import by_formula

import irbounds as irb

grades = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
rankings = st.lists(st.lists(grades, min_size=1, max_size=4), max_size=3)
unretrieved_grades = st.lists(st.integers(0, 3), max_size=3)

# Each measure as it is written here, and the reference's name and parameters.
MEASURES = twins_of(
    """
    AP AP@3 AP(rel=2) P@1 P@4 R@3 F@3 F(beta=2)@5 RR RR@2 RR(rel=3) Success@1 Success Success@4
    Rprec Rprec(mult=0.4) Rprec(mult=1.8) RelP@2 R_cap@4 NumNonrelRet NumNonrelRet(rel=2) NumQ
    Utility Utility(a=2,b=-0.5,c=-3) Hole@3 GMAP GMBpref DCG DCG@2 nDCG nDCG@3
    nDCG(dcg=exp-log2)@4 RBP RBP(p=0.5)@3 RBP(max_rel=3) ERR ERR@3 ERR(max_rel=3)@5 Bpref
    Bpref(rel=2) SetP SetR(rel=2) SetF SetF(beta=0.5) NumRet NumRel NumRelRet Judged Judged@2
    ESL(nr=1) ESL(nr=2) PRR(nr=2) EP(nr=1) EP(nr=2) ER@3 IPrec@0 IPrec@0.5
    IPrec(rounding=nearest)@0.3 IPrec(rel=2)@1 IPrec11 IPrec11(rounding=nearest)
    """
)


def flat(ranks, direction=-1):
    """Scores and grades of a ranking, rank by rank."""
    scores = [direction * float(i) for i, rank in enumerate(ranks) for _ in rank]
    return np.array(scores), np.array([grade for rank in ranks for grade in rank], dtype=float)


def measured(ranks, unretrieved, measures, shuffle=None, **options):
    scores, relevance = flat(ranks)
    order = (
        np.arange(len(scores))
        if shuffle is None
        else np.random.default_rng(shuffle).permutation(len(scores))
    )
    return irb.rank_measures(
        scores[order],
        relevance[order],
        measures,
        unretrieved=np.array(unretrieved, float),
        **options,
    )


def close(value, reference):
    reference = float(reference)
    return (
        value == reference
        if math.isinf(reference)
        else math.isclose(value, reference, rel_tol=1e-12, abs_tol=1e-13)
    )


@settings(max_examples=30, deadline=None)
@given(
    rankings,
    unretrieved_grades,
    st.integers(0, 99),
    st.lists(st.sampled_from(list(MEASURES)), min_size=1, max_size=3, unique=True),
)
def test_expectation_and_bounds_equal_enumeration(ranks, unretrieved, shuffle, names):
    result = measured(ranks, unretrieved, names, shuffle, bounds=True)
    in_order = measured(ranks, unretrieved, names)
    best = measured(ranks, unretrieved, names, shuffle, ties="best")
    worst = measured(ranks, unretrieved, names, shuffle, ties="worst")
    for i, text in enumerate(names):
        name, options = MEASURES[text]
        wanted = slow.expected(name, ranks, unretrieved, **options)
        every = [
            slow.measure_of_order(name, order, unretrieved, **options)
            for order, _ in slow.orders(ranks)
        ]
        lowest, highest = min(every), max(every)
        luckiest, unluckiest = (
            (lowest, highest) if name in slow.LOWER_IS_BETTER else (highest, lowest)
        )
        assert close(result.values[0, i], wanted), text
        assert close(in_order.values[0, i], wanted), text
        assert close(best.values[0, i], luckiest), text
        assert close(worst.values[0, i], unluckiest), text
        assert close(result.low[0, i], lowest), text
        assert close(result.high[0, i], highest), text


@pytest.mark.quick_examples(20)
@settings(max_examples=50, deadline=None)
@given(rankings, unretrieved_grades, st.integers(0, 5))
def test_a_known_collection_forms_a_last_rank(ranks, unretrieved, more):
    size = sum(map(len, ranks)) + len(unretrieved) + more
    if size == 0:
        return
    cutoff = min(3, size)
    names = {
        "ESL(nr=1)": ("ESL", {"nr": 1}),
        "ESL(nr=3)": ("ESL", {"nr": 3}),
        "PRR(nr=2)": ("PRR", {"nr": 2}),
        "EP(nr=2)": ("EP", {"nr": 2}),
        f"HT@{cutoff}": ("HT", {"cutoff": cutoff}),
        f"HT(rel=2)@{size}": ("HT", {"cutoff": size, "rel": 2}),
    }
    result = measured(ranks, unretrieved, list(names), collection_size=size, bounds=True)
    for i, (text, (name, options)) in enumerate(names.items()):
        assert close(
            result.values[0, i], slow.expected(name, ranks, unretrieved, size, **options)
        ), text
        assert result.low[0, i] <= result.values[0, i] <= result.high[0, i], text


@settings(max_examples=50, deadline=None)
@given(rankings, unretrieved_grades, st.integers(0, 5), st.integers(1, 12))
def test_stops_at_documents_go_on_in_the_last_rank(ranks, unretrieved, more, documents):
    size = sum(map(len, ranks)) + len(unretrieved) + more
    if size == 0:
        return
    counts = slow.counts(ranks, 1)
    n = sum(r for r, _ in counts) + sum(grade >= 1 for grade in unretrieved)
    collection = slow.with_unretrieved(counts, n, size)
    wanted = {
        f"{name}(nd={documents})": slow.precision_at_documents(collection, documents)
        for name in ("PRR", "EP", "PRECALL")
    }
    wanted[f"ER@{documents}"] = slow.expected_recall(collection, documents, n)
    wanted[f"Fallout@{documents}"] = slow.fallout(collection, documents, n, size)
    result = measured(ranks, unretrieved, list(wanted), collection_size=size, bounds=True)
    ordering = (
        irb.rankings.WeakOrdering(*zip(*counts, strict=True), n, size)
        if counts
        else irb.rankings.WeakOrdering([], [], n, size)
    )
    same = [
        ordering.prr(nd=documents),
        ordering.ep(nd=documents),
        ordering.precall(nd=documents),
        ordering.expected_recall(documents),
        ordering.fallout(documents),
    ]
    for i, (text, value) in enumerate(wanted.items()):
        assert close(result.values[0, i], value), text
        assert close(same[i], value), text
        assert result.low[0, i] <= result.values[0, i] <= result.high[0, i], text


@settings(max_examples=50, deadline=None)
@given(rankings, unretrieved_grades, st.floats(0, 1), st.integers(1, 12))
def test_stops_of_raghavan_bollmann_and_jung(ranks, unretrieved, level, documents):
    names = [
        f"{measure}({stop})"
        for measure in ("PRR", "PRECALL", "EP")
        for stop in (
            f"recall={level!r}",
            f"recall={level!r},interpolation=ceiling",
            f"nd={documents}",
        )
    ]
    result = measured(ranks, unretrieved, names)
    counts = slow.counts(ranks, 1)
    n = sum(r for r, _ in counts) + sum(grade >= 1 for grade in unretrieved)
    x = Fraction(level)
    near = round(x * n)
    if abs(x * n - near) < Fraction(1, 10**12):  # the library takes such a stop for the integer
        x = Fraction(near, n) if n else x
    for i, measure in enumerate((slow.prr, slow.precall, slow.ep)):
        for j, how in enumerate(("intuitive", "ceiling")):
            wanted = slow.at_recall(measure, counts, n, x, how) if n else 0
            assert close(result.values[0, 3 * i + j], wanted), (measure, how)
        assert close(result.values[0, 3 * i + 2], slow.precision_at_documents(counts, documents)), (
            measure
        )


@settings(max_examples=50, deadline=None)
@given(
    rankings,
    unretrieved_grades,
    st.sampled_from(["given", "doc_id"]),
    st.sampled_from([0, 0.1, 0.25, 0.5, 1]),
    st.integers(0, 99),
)
def test_orders_by_row_and_by_name(ranks, unretrieved, ties, level, shuffle):
    scores, relevance = flat(ranks)
    rng = np.random.default_rng(shuffle)
    order = rng.permutation(len(scores))
    names = np.array([f"d{i}" for i in rng.permutation(len(scores))], dtype=object)
    rows = sorted(order, key=lambda row: -scores[row])  # stable: the given order
    if ties == "doc_id":
        rows = sorted(
            sorted(order, key=lambda row: names[row], reverse=True), key=lambda row: -scores[row]
        )
    measures = ["AP", "RR", "nDCG@3", "Bpref", f"IPrec@{level}", "ERR@4"]
    measures += [f"IPrec(rounding=nearest)@{level}", "IPrec11", "IPrec11(rounding=nearest)"]
    result = irb.rank_measures(
        scores[order],
        relevance[order],
        measures,
        ties=ties,
        doc_ids=names[order],
        unretrieved=np.array(unretrieved, float),
    )
    linear = [int(relevance[row]) for row in rows]
    options = [
        ("AP", {}),
        ("RR", {}),
        ("nDCG", {"cutoff": 3}),
        ("Bpref", {}),
        ("IPrec", {"recall": Fraction(level)}),
        ("ERR", {"cutoff": 4}),
        ("IPrec", {"recall": Fraction(level), "rounding": "nearest"}),
        ("IPrec11", {}),
        ("IPrec11", {"rounding": "nearest"}),
    ]
    for i, (name, parameters) in enumerate(options):
        assert close(
            result.values[0, i], slow.measure_of_order(name, linear, unretrieved, **parameters)
        ), name


@settings(max_examples=10, deadline=None)
@given(rankings, unretrieved_grades)
def test_views_of_the_relevances(ranks, unretrieved):
    judged = [[grade for grade in rank if grade >= 0] for rank in ranks]
    gains = {1: 3, 2: 9, 3: 4.5}
    swapped = [[gains.get(grade, grade) for grade in rank] for rank in ranks]
    result = measured(
        ranks,
        unretrieved,
        ["AP", "AP(judged_only=True)", "nDCG(gains={1:3,2:9,3:4.5})@3"],
        bounds=True,
    )
    every = measured(ranks, unretrieved, "AP nDCG@3", judged_only=True)
    options = {"cutoff": 3}
    taken = [Fraction(gains.get(grade, grade)) for grade in unretrieved]
    swapped = [list(map(Fraction, rank)) for rank in swapped]
    assert close(result.values[0, 0], slow.expected("AP", ranks, unretrieved))
    assert close(result.values[0, 1], slow.expected("AP", judged, unretrieved))
    assert close(result.values[0, 2], slow.expected("nDCG", swapped, taken, **options))
    assert close(result.low[0, 2], slow.worst("nDCG", swapped, taken, **options))
    assert close(result.high[0, 2], slow.best("nDCG", swapped, taken, **options))
    assert close(every.values[0, 1], slow.expected("nDCG", judged, unretrieved, **options))


@pytest.mark.parametrize(
    ("measure", "expected", "worst"),
    [
        ("AP", 0.1381, 0.0567),
        ("nDCG@10", 0.1, 0),
        ("P@10", 0.1, 0),
        ("RR", 0.2592, 0.0110),
        ("RR@10", 0.2388, 0),
    ],
)
def test_all_tied_ranking(measure, expected, worst):
    relevance = np.repeat([1, 0], [10, 90])
    ev = irb.rank_measures(np.full(100, 2.5), relevance, measure, bounds=True)
    assert ev[measure][0] == pytest.approx(expected, abs=5e-5)
    assert ev.low[0, 0] == pytest.approx(worst, abs=5e-5)
    assert ev.high[0, 0] == pytest.approx(1)


LONG = twins_of(
    """
    AP AP@700 RR RR@300 P@700 Success@3 nDCG Bpref ERR@40 RBP(p=0.99) ESL(nr=40) EP(nr=40)
    Judged@700
    """
)


@pytest.mark.nightly
@pytest.mark.long
def test_long_ranks_keep_their_digits():
    ranks = [
        [-1] * 500,
        [2] * 3 + [1] * 20 + [0] * 200 + [-1] * 400,
        [0],
        [1],
        [1] * 50 + [0] * 300,
    ]
    result = measured(ranks, [1, 2, 0], list(LONG), 1)
    for i, (text, (name, options)) in enumerate(LONG.items()):
        assert result.values[0, i] == pytest.approx(
            float(by_formula(name, ranks, [1, 2, 0], **options)), rel=1e-12
        ), text


@pytest.mark.parametrize("size", [2**14 - 1, 2**14, 2**14 + 1, 20_000])
def test_ties_around_the_switch_to_sums_of_smooth_terms(size):
    """Up to 2^14 documents of a tie are summed one by one."""
    for r in (1, 2, 100, size // 2, size - 1):
        relevance = np.repeat([1, 0], [r, size - r])
        found = irb.rank_measures(np.zeros(size), relevance, "AP RR").values[0]
        wanted = [f([(r, size - r)], r) for f in (long.average_precision, long.reciprocal_rank)]
        assert found == pytest.approx(list(map(float, wanted)), rel=1e-13), r


@pytest.mark.parametrize(
    ("ranked", "relevant", "n_relevant", "collection_size", "cutoff"),
    [(4000, 400, 10000, 20000, 2000), (500, 400, 9000, 10000, 490)],
)
def test_ht_of_ties_where_chance_would_do_far_better(
    ranked, relevant, n_relevant, collection_size, cutoff
):
    ev = irb.rank_measures(
        np.zeros(ranked),
        np.arange(ranked) < relevant,
        f"HT@{cutoff}",
        n_relevant=n_relevant,
        collection_size=collection_size,
    )
    ways = [
        math.comb(relevant, x) * math.comb(ranked - relevant, cutoff - x)
        for x in range(relevant + 1)
    ]
    below, sums = 0, 0
    for x, way in enumerate(ways):
        sums += way * below
        below += math.comb(n_relevant, x) * math.comb(collection_size - n_relevant, cutoff - x)
    expected = Fraction(sums, math.comb(ranked, cutoff) * math.comb(collection_size, cutoff))
    assert ev.values[0, 0] == pytest.approx(float(expected), rel=1e-12, abs=0)


@pytest.mark.parametrize("n", [1025, 20_000, 10**6, 10**9, 2**52])
def test_ideal_rankings_of_any_length(n):
    """nDCG of one relevant document found of n, at place 2."""
    with mp.workdps(40):
        expected = mp.log(2) / mp.log(3) / slow.binary_ideal_dcg(n)
    ndcg = irb.rank_measures([2, 1], [0, 1], "nDCG", n_relevant=n).values[0, 0]
    assert ndcg == pytest.approx(float(expected), rel=2e-15)


def test_a_million_tied_documents():
    relevance = np.zeros(10**6)
    relevance[::1000] = 1
    ev = irb.rank_measures(
        np.zeros(10**6), relevance, "AP P@10 Success@10 EP(recall=0.5) ESL(nr=500)"
    )
    r, g = 1000, 10**6
    harmonic = math.fsum(1 / k for k in range(1, g + 1))
    other = (r - 1) / (g - 1)
    assert ev["AP"][0] == pytest.approx(1 / g * ((1 - other) * harmonic + other * g), rel=1e-12)
    assert ev["P@10"][0] == pytest.approx(0.001, rel=1e-14)
    miss = math.prod((g - r - k) / (g - k) for k in range(10))
    assert ev["Success@10"][0] == pytest.approx(1 - miss, rel=1e-12)
    assert ev["ESL(nr=500)"][0] == pytest.approx((g - r) * 500 / (r + 1), rel=1e-14)
    assert 0.001 < ev["EP(recall=0.5)"][0] < 0.00101


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "function", "ranks"),
    [
        # 2.7e-12 off; benchmarks/hunt.py found it
        ("AP", long.average_precision, [(224_890, 1), (3, 41), (0, 3892)]),
        ("AP", long.average_precision, [(1, 0)] * 3000 + [(0, 3)] * 50 + [(1, 1)] * 3000),
        ("RR", long.reciprocal_rank, [(0, 150_000), (2, 150_000)]),
        ("DCG", long.dcg, [(5, 0), (299_990, 5)]),
        ("nDCG", long.ndcg, [(150_000, 1), (1, 150_000)]),
        ("Rprec", long.r_precision, [(0, 7), (200_000, 90_000)]),
    ],
)
def test_sums_of_many_equal_terms_do_not_drift(name, function, ranks):
    sizes = np.array(ranks)
    scores = np.repeat(-np.arange(len(ranks), dtype=float), sizes.sum(axis=1))
    relevance = np.repeat(np.tile([1.0, 0.0], len(ranks)), sizes.ravel())
    n = int(sizes[:, 0].sum()) + 1315
    got = irb.rank_measures(scores, relevance, name, n_relevant=n).values[0, 0]
    assert got == pytest.approx(float(function(ranks, n)), rel=2e-14)


def test_utility_rounds_once_where_its_worths_cancel():
    """A hunt found an error of 1.8e-15 here."""
    worths = {"a": 21.308668589535326, "b": -3.5514447413922534, "c": 1.0}
    text = "Utility(rel=3,{})".format(",".join(f"{key}={value}" for key, value in worths.items()))
    relevance = [2, -3.0, 3, -1, -2, 1, 2]
    found = irb.rank_measures([5, 4, 3, 3, 3, 2, 1], relevance, [text], unretrieved=np.array([2.0]))
    a, b = Fraction(worths["a"]), Fraction(worths["b"])
    assert found.values[0, 0] == float(a + 6 * b)
