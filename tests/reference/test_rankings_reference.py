"""The reference against the papers' numbers, against hand computation, and against itself in closed
form.

The file is longer than 400 lines because of the values computed by hand.
"""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import inf, mp, mpf

from . import rankings as ref
from .tied_rankings import by_formula

pytestmark = pytest.mark.long  # these test the twins, which change rarely

F = Fraction


def agree(a, b):
    """Equal; to 40 digits where a number is not rational."""
    exact = isinstance(a, int | Fraction) and isinstance(b, int | Fraction)
    return a == b if exact or inf in (a, b) else abs(a - b) < mpf(10) ** -40


def ranks_of(text):
    """The papers' notation, "+--|+++", as ranks of grades."""
    return [[int(document == "+") for document in rank] for rank in text.split("|")]


# Worked numbers of RBJ
# ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranking", "precall", "prr", "ep"),
    [
        ("+--|+++-------", F(1, 3), F(1, 2), F(11, 18)),
        ("+++-----|+---", F(3, 8), F(4, 9), F("0.6089286")),
        ("+-|+++++----", F(1, 2), F(2, 3), F(3, 4)),
        ("++++++----", F(3, 5), F(7, 11), F("0.7747619")),
    ],
)
def test_rbj_examples_2_1_to_2_5(ranking, precall, prr, ep):
    ranks = ranks_of(ranking)
    pairs = ref.counts(ranks)
    assert ref.precall(pairs, 1) == precall
    assert ref.prr(pairs, 1) == ref.expected("PRR", ranks, nr=1) == prr
    assert ref.ep(pairs, 1) == ref.expected("EP", ranks, nr=1)
    assert abs(ref.ep(pairs, 1) - ep) <= F("5e-8")


@pytest.mark.parametrize(
    ("name", "cutoff", "value"),
    [
        ("AP", None, ".1381"),
        ("nDCG", 10, ".1000"),
        ("P", 10, ".1000"),
        ("RR", None, ".2592"),
        ("RR", 10, ".2388"),
    ],
)
def test_all_tied_ranking(name, cutoff, value):
    ranks = [[1] * 10 + [0] * 90]
    assert abs(by_formula(name, ranks, cutoff=cutoff) - F(value)) <= F("5e-5")


def test_all_tied_ranking_best_and_worst():
    lucky, unlucky = [1] * 10 + [0] * 90, [0] * 90 + [1] * 10
    assert agree(ref.measure_of_order("nDCG", lucky, cutoff=10), 1)
    assert ref.measure_of_order("AP", lucky) == ref.measure_of_order("RR", lucky) == 1
    assert abs(ref.measure_of_order("AP", unlucky) - F(".0567")) <= F("5e-5")
    assert abs(ref.measure_of_order("RR", unlucky) - F(".0110")) <= F("5e-5")


TABLE_1 = {
    1: ".94000",
    2: ".99668",
    7: ".99490",
    10: ".99868",
    11: ".99988",
    13: ".99968",
    30: ".99997",
}


@pytest.mark.parametrize(("n", "value"), TABLE_1.items())
def test_joiner_werner_table_1(n, value):
    """Printed digits, cut rather than rounded at n = 10 and 13; n = 30 is formulas.md's exact
    value."""
    places = {1, 2, 3, 10, 11, 14, 15, 20, 40, 50, 69, 78}
    order = [int(place in places) for place in range(1, 201)]
    assert abs(ref.measure_of_order("HT", order, collection_size=200, cutoff=n) - F(value)) < F(
        "1e-5"
    )


# Every measure of one linear order, by hand
# -------------------------------------------------------------

LOG2_3, LOG2_5 = mp.log(3, 2), mp.log(5, 2)

BY_HAND = [
    ("AP", {}, F(1, 2)),  # (1/1 + 2/4 + 3/6) / 4
    ("AP", {"cutoff": 4}, F(3, 8)),
    ("P", {"cutoff": 5}, F(2, 5)),
    ("P", {"cutoff": 10}, F(3, 10)),
    ("R", {"cutoff": 5}, F(1, 2)),
    ("ER", {"cutoff": 5}, F(1, 2)),
    ("F", {"cutoff": 5}, F(4, 9)),
    ("F", {"cutoff": 5, "beta": 2}, F(10, 21)),
    ("RR", {}, F(1)),
    ("RR", {"rel": 3}, F(1, 6)),
    ("RR", {"rel": 3, "cutoff": 5}, F(0)),
    ("Success", {"rel": 3, "cutoff": 5}, F(0)),
    ("Success", {"rel": 3, "cutoff": 6}, F(1)),
    ("Rprec", {}, F(1, 2)),
    ("Rprec", {"rel": 2}, F(1, 2)),
    ("DCG", {"cutoff": 4}, 2 + 1 / LOG2_5),
    ("DCG", {"cutoff": 4, "dcg": "exp-log2"}, 3 + 1 / LOG2_5),
    ("nDCG", {"cutoff": 2}, 2 / (3 + 2 / LOG2_3)),
    ("nDCG", {"cutoff": 3, "dcg": "exp-log2"}, 3 / (7 + 3 / LOG2_3 + F(1, 2))),
    ("RBP", {}, F("0.367936")),  # 0.2 (1 + 0.8^3 + 0.8^5)
    ("RBP", {"p": 0.8, "cutoff": 5}, F("0.3024")),
    ("RBP", {"p": 0.5, "max_rel": 3}, F(71, 192)),  # (2/3 + 1/24 + 1/32) / 2
    ("ERR", {}, F(2095, 8192)),  # 3/16 + 13/16 1/16 /4 + 13/16 15/16 7/16 /6
    ("ERR", {"cutoff": 4}, F(205, 1024)),
    ("Bpref", {}, F(1, 2)),  # (1 + 2/3 + 1/3) / 4: unjudged documents do not count
    ("IPrec", {"recall": 0}, F(1)),
    ("IPrec", {"recall": 0.5}, F(1, 2)),
    ("IPrec", {"recall": 0.75}, F(1, 2)),
    ("IPrec", {"recall": 1}, F(0)),
    ("IPrec11", {}, F(1, 2)),  # (1 + 1 + 1 + 5/2) / 11: 4 relevant documents, the last not found
    ("RelP", {"cutoff": 3}, F(1, 3)),
    ("RelP", {"cutoff": 5}, F(1, 2)),
    ("Rprec", {"mult": 0.2}, F(1)),
    ("Rprec", {"mult": 1.5}, F(1, 2)),
    ("NumNonrelRet", {}, F(2)),
    ("NumQ", {}, F(1)),
    ("Utility", {}, F(0)),
    ("Utility", {"a": 2, "b": -1, "c": -2}, F(1)),
    ("Hole", {"cutoff": 3}, F(1, 3)),
    ("Hole", {"cutoff": 10}, F(1, 10)),
    ("SetP", {}, F(1, 2)),
    ("SetR", {}, F(3, 4)),
    ("SetF", {}, F(3, 5)),
    ("SetF", {"beta": 2}, F(15, 22)),
    ("NumRet", {}, F(6)),
    ("NumRel", {}, F(4)),
    ("NumRelRet", {}, F(3)),
    ("Judged", {}, F(5, 6)),
    ("Judged", {"cutoff": 3}, F(2, 3)),
    ("Judged", {"cutoff": 10}, F(5, 6)),
    ("ESL", {"nr": 1}, F(0)),
    ("ESL", {"nr": 2}, F(2)),
    ("ESL", {"nr": 3}, F(3)),
    ("ESL", {"nr": 4}, inf),
    ("ESL", {"nr": 4, "collection_size": 20}, 3 + F(13, 2)),  # one relevant document among 14
    ("ESL", {"nr": 5, "collection_size": 20}, inf),
    ("EP", {"nr": 2}, F(1, 2)),
    ("EP", {"nr": 4}, F(0)),
    ("EP", {"nr": 4, "collection_size": 20}, sum(F(4, 7 + v) for v in range(14)) / 14),
    ("PRR", {"nr": 3}, F(1, 2)),
    ("PRR", {"nr": 4}, F(0)),
    ("PRR", {"nr": 4, "collection_size": 20}, 4 / (4 + F(19, 2))),
    ("Fallout", {"cutoff": 5, "collection_size": 20}, F(3, 16)),
    ("HT", {"cutoff": 5, "collection_size": 20}, F(comb(16, 5) + 4 * comb(16, 4), comb(20, 5))),
]


@pytest.mark.parametrize(("name", "options", "value"), BY_HAND)
def test_one_order_by_hand(name, options, value):
    found = ref.measure_of_order(name, [2, 0, -1, 1, 0, 3], [1, 0], **options)
    assert agree(found, value)
    assert isinstance(found, Fraction | mpf)


def test_every_measure_is_computed_by_hand():
    own = {name for name, work in ref.MEASURES.items() if work.__module__ == ref.__name__}
    assert {name for name, _, _ in BY_HAND} == own


@pytest.mark.parametrize("grades", [[], [0, -1, 0]])
def test_nothing_relevant(grades):
    at_2, first = {"cutoff": 2}, {"nr": 1}
    options = {"P": at_2, "F": at_2, "HT": at_2, "IPrec": {"recall": 0}, "EP": first, "PRR": first}
    options["RelP"] = at_2
    others = {"NumRet", "Judged", "Fallout", "ESL", "NumQ", "Hole", "Utility", "NumNonrelRet"}
    own = {name for name, work in ref.MEASURES.items() if work.__module__ == ref.__name__}
    for name in own - others:
        assert ref.measure_of_order(name, grades, [0], 10, **options.get(name, {})) == 0
    assert ref.measure_of_order("ESL", grades, [0], 10, nr=1) == inf
    assert ref.measure_of_order("NumRet", grades) == len(grades)
    assert ref.measure_of_order("Fallout", grades, collection_size=10, cutoff=2) == F(
        len(grades[:2]), 10
    )


def test_iprec_rounds_as_either_trec_eval():
    order = [1, 0, 1, 0, 0, 1, 0, 0, 0, 1]  # precision 1, 2/3, 1/2, 2/5 at the relevant documents
    levels = [0, F(1, 8), F(3, 8), F(5, 8), F(7, 8), 1]
    values = [ref.measure_of_order("IPrec", order, recall=x, rounding="nearest") for x in levels]
    assert values == [1, 1, F(2, 3), F(1, 2), F(2, 5), F(2, 5)]
    upward = [ref.measure_of_order("IPrec", order, recall=x) for x in [0.02, 0.03, 0.5, 0.55]]
    assert upward == [1, 1, F(2, 3), F(1, 2)]


# Tie orders
# ---------------------------------------------------------------------------------------------

grades = st.sampled_from([-1, 0, 0, 0, 1, 1, F(3, 2), 2, 4])
weak_rankings = st.lists(st.lists(grades, min_size=1, max_size=5), max_size=4).filter(
    lambda ranks: sum(map(len, ranks)) <= 7
)
judged_only = st.lists(st.sampled_from([0, 1, 2]), max_size=3)
several = settings(max_examples=40, deadline=None, database=None)


@several
@given(weak_rankings)
def test_orders_are_the_permutations_of_the_documents(ranks):
    """Each document on its own: all g! orders of each rank, counted by the grades they show."""
    shown = Counter(
        tuple(grade for rank in choice for grade in rank)
        for choice in product(*(list(permutations(rank)) for rank in ranks))
    )
    found = [(tuple(order), probability) for order, probability in ref.orders(ranks)]
    assert dict(found) == {order: F(times, shown.total()) for order, times in shown.items()}
    assert len(found) == len(shown)


CASES = [
    *[
        (name, {})
        for name in (
            "AP",
            "P",
            "R",
            "ER",
            "RR",
            "Success",
            "Rprec",
            "Bpref",
            "Judged",
            "Fallout",
            "HT",
        )
    ],
    *[
        ("F", {}),
        ("F", {"beta": 2}),
        ("RBP", {}),
        ("RBP", {"p": F(1, 3), "max_rel": 4}),
        ("ERR", {}),
    ],
    *[(name, {"dcg": gain}) for name in ("DCG", "nDCG") for gain in ("log2", "exp-log2")],
    *[(name, {"nr": nr}) for name in ("ESL", "EP", "PRR") for nr in (1, 2, 3)],
]
WITHOUT_CUTOFF = {"Rprec", "Bpref", "ESL", "EP", "PRR"}
NEEDS_CUTOFF = {"P", "F", "HT"}


@pytest.mark.parametrize(("name", "params"), CASES)
@several
@given(weak_rankings, judged_only, st.integers(0, 4), st.integers(0, 9), st.integers(1, 2))
def test_enumeration_agrees_with_closed_forms(name, params, ranks, unretrieved, others, k, rel):
    size = sum(map(len, ranks)) + len(unretrieved) + others
    options = {
        "cutoff": None if k == 0 and name not in NEEDS_CUTOFF else min(max(k, 1), size),
        "rel": rel,
        **params,
    }
    if name in WITHOUT_CUTOFF:
        del options["cutoff"]
    if size == 0:
        return
    mean = ref.expected(name, ranks, unretrieved, size, **options)
    assert agree(mean, by_formula(name, ranks, unretrieved, size, **options))
    low, high = (of(name, ranks, unretrieved, size, **options) for of in (ref.worst, ref.best))
    if name in ref.LOWER_IS_BETTER:
        low, high = high, low
    tiny = mpf(10) ** -40
    assert (agree(low, high) and agree(low, mean)) or low - tiny <= mean <= high + tiny
    if name in {"ESL", "EP", "PRR"}:  # without the collection, too
        assert ref.expected(name, ranks, unretrieved, **options) == by_formula(
            name, ranks, unretrieved, **options
        )


@several
@given(weak_rankings, judged_only)
def test_set_measures_do_not_see_order(ranks, unretrieved):
    for name in ("SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "Judged"):
        assert ref.best(name, ranks, unretrieved) == ref.worst(name, ranks, unretrieved)


@several
@given(weak_rankings, judged_only)
def test_ap_as_harmonic_numbers(ranks, unretrieved):
    """A rank adds (r / (g n)) [(t_r + 1 - a (t+1)) (H_(t+g) - H_t) + a g], a = (r-1)/(g-1)."""
    n = sum(grade >= 1 for rank in [*ranks, unretrieved] for grade in rank)
    total, t, t_r = F(0), 0, 0
    for rank in ranks:
        g, r = len(rank), sum(grade >= 1 for grade in rank)
        a = F(r - 1, g - 1) if g > 1 else 0
        harmonic = sum(F(1, m) for m in range(t + 1, t + g + 1))
        total += F(r, g) * ((t_r + 1 - a * (t + 1)) * harmonic + a * g)
        t, t_r = t + g, t_r + r
    assert ref.expected("AP", ranks, unretrieved) == (total / n if n else 0)


# RBJ: stopping at NR relevant documents
# -----------------------------------------------------------------

pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), min_size=1, max_size=4
)
levels = st.fractions(0, 1, max_denominator=30)


def relevant_in(ranks_counts):
    return sum(r for r, _ in ranks_counts)


@pytest.mark.parametrize("s", [F(1), F(3), F(1, 3), F(5, 2), mp.sqrt(2), 4 - mp.sqrt(2), 0.1])
@pytest.mark.parametrize(("r", "i"), [(4, 0), (4, 1), (4, 6), (7, 3)])
def test_p_v_is_lemma_3_1(r, i, s):
    """The Γ formula as printed, for real s: it sums to 1 and its mean is Cooper's i s / (r + 1)."""
    found = ref.search_length_distribution([(0, 2), (1, 1), (r, i)], 1 + ref.exact(s))
    s = mpf(ref.exact(s))
    for v in range(i + 1):
        above = mp.gamma(s + v) * mp.gamma(r - s + i - v + 1)
        below = mp.gamma(s) * mp.factorial(v) * mp.gamma(r - s + 1) * mp.factorial(i - v)
        assert agree(above / below / comb(r + i, i), mpf(found[3 + v]))
    assert agree(sum(found.values()), 1)
    assert agree(mpf(sum(length * p for length, p in found.items())), 3 + i * s / (r + 1))


@several
@given(pairs)
def test_p_v_is_the_share_of_orders(ranks_counts):
    ranks = [[1] * r + [0] * i for r, i in ranks_counts]
    for nr in range(1, relevant_in(ranks_counts) + 1) if sum(map(len, ranks)) <= 9 else ():
        shares = Counter()
        for order, probability in ref.orders(ranks):
            shares[ref.measure_of_order("ESL", order, nr=nr)] += probability
        assert shares == ref.search_length_distribution(ranks_counts, nr)


@several
@given(pairs, levels)
def test_precall_prr_ep_at_any_recall(ranks_counts, x):
    """PRECALL <= PRR (theorem 3.2) <= EP (Jensen); eq. 3.5 gives the first two from recall and
    fallout."""
    n = relevant_in(ranks_counts)
    nr = x * n
    precall, prr, ep = (of(ranks_counts, nr) for of in (ref.precall, ref.prr, ref.ep))
    assert 0 <= precall <= prr <= ep <= 1
    if nr == 0:
        return
    size = n + sum(i for _, i in ranks_counts) + 5
    at_g = ref.generality(n, size), x
    assert prr == ref.precision_from(*at_g, ref.esl(ranks_counts, nr) / (size - n))
    stop = ref.final_rank(ranks_counts, nr)
    assert precall == ref.precision_from(*at_g, (stop.j + stop.i * stop.s / stop.r) / (size - n))


@several
@given(pairs)
def test_recall_zero_is_the_limit(ranks_counts):
    for measure in (ref.precall, ref.prr, ref.ep, ref.esl):
        if relevant_in(ranks_counts):
            assert abs(measure(ranks_counts, 0) - measure(ranks_counts, F(1, 10**30))) < F(
                1, 10**27
            )


def test_recall_zero():
    assert ref.prr([(2, 3), (1, 0)], 0) == F(3, 6)
    assert ref.prr([(0, 3), (1, 0)], 0) == 0


def test_levels_by_hand():
    ranks_counts, n = [(1, 1), (0, 2), (3, 0)], 5  # PRR 2/3, 2/5, 1/2, 4/7, never
    prr = [ref.prr(ranks_counts, nr) for nr in range(1, 6)]
    assert prr == [F(2, 3), F(2, 5), F(1, 2), F(4, 7), 0]
    ceiling = [ref.at_recall(ref.prr, ranks_counts, n, F(x, 10), "ceiling") for x in range(11)]
    assert ceiling == [F(2, 3)] * 3 + [F(4, 7)] * 6 + [0] * 2
    intuitive = [ref.at_recall(ref.prr, ranks_counts, n, F(x, 10)) for x in range(11)]
    whole = [F(2, 3), F(2, 3), F(2, 5), F(1, 2), F(4, 7), 0]
    assert intuitive[::2] == whole
    assert intuitive[1::2] == [F(2, 3), F(1, 3), F(5, 11), F(7, 13), 0]


@several
@given(pairs, st.integers(0, 2), levels)
def test_ceiling_is_rbj_s_scan(ranks_counts, unretrieved, x):
    """Section 2.2: wherever the value at h exceeds that at h - 1, it replaces it, all the way
    down."""
    n = relevant_in(ranks_counts) + unretrieved
    for measure in (ref.precall, ref.prr, ref.ep):
        values = [measure(ranks_counts, nr) for nr in range(1, n + 1)]
        for h in range(n - 1, 0, -1):
            if values[h] > values[h - 1]:
                values[h - 1] = values[h]
        simple = next((h for h in range(1, n + 1) if x <= F(h, n)), 0)
        expected = values[simple - 1] if n else 0
        assert ref.at_recall(measure, ranks_counts, n, x, "ceiling") == expected


@several
@given(weak_rankings, judged_only, st.integers(0, 3), st.integers(1, 4))
def test_unretrieved_documents_are_one_last_rank(ranks, unretrieved, others, nr):
    whole = [*ranks, [*unretrieved, *[-1] * others]]
    size = sum(map(len, whole))
    for name in ("ESL", "EP", "PRR"):
        partial = ref.expected(name, ranks, unretrieved, size, nr=nr)
        assert partial == ref.expected(name, whole, nr=nr)


def test_never_reached():
    assert ref.esl([(1, 2)], 2) == inf
    assert ref.prr([(1, 2)], 2) == ref.precall([(1, 2)], 2) == ref.ep([(1, 2)], 2) == 0
    assert ref.esl(ref.with_unretrieved([(1, 2)], 3, 10), 2) == 2 + F(5, 3)


# RBJ: stopping at ND documents
# --------------------------------------------------------------------------


def final_rank_at(ranks_counts, nd):
    """The rank in which the nd-th document stands."""
    return [rank for rank in ranks_counts for _ in range(sum(rank))][nd - 1]


@several
@given(pairs)
def test_stopping_at_nd_documents(ranks_counts):
    n, size = relevant_in(ranks_counts), sum(map(sum, ranks_counts))
    ranks = [[1] * r + [0] * i for r, i in ranks_counts]
    for nd in range(1, size + 1):
        ep, er = (
            ref.precision_at_documents(ranks_counts, nd),
            ref.expected_recall(ranks_counts, nd, n),
        )
        out = ref.fallout(ranks_counts, nd, n, size + 5)
        if size <= 9:  # theorems 3.3 and 3.4
            assert ep == ref.expected("P", ranks, cutoff=nd)
            assert er == ref.expected("ER", ranks, cutoff=nd)
            assert out == ref.expected("Fallout", ranks, collection_size=size + 5, cutoff=nd)
        assert ep == ref.precision_from(ref.generality(n, size + 5), er, out)  # eq. 3.5
        if final_rank_at(ranks_counts, nd)[0] >= 1:  # theorem 3.5
            assert ep == ref.precall(ranks_counts, er * n)


def test_theorem_3_5_needs_a_relevant_document_in_the_final_rank():
    """Inside a rank without one, EP falls at constant ER: those points are not on the PRECALL
    graph."""
    ranks_counts = [(1, 0), (0, 2)]
    assert ref.expected_recall(ranks_counts, 2, 1) == 1
    assert ref.precision_at_documents(ranks_counts, 2) == F(1, 2) != ref.precall(ranks_counts, 1)
