"""Measures of document reviews: enumeration of all orders of a small collection, and worked
examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings.test_ties_expected import close, flat
from reference import rankings as slow
from reference import reviews

import irbounds as irb
from irbounds.rankings.evaluating.rank_counts import Tallies, TallyEvaluator

FORMS = {
    "WSS@0.95": lambda o, n: reviews.wss(o, 0.95),
    "WSS(rel=2)@0.5": lambda o, n: reviews.wss(o, 0.5, rel=2),
    "WSS(penalty=reached)@0.6": lambda o, n: reviews.wss(o, 0.6, penalty="reached"),
    "WSS(wanted=down)@0.6": lambda o, n: reviews.wss(o, 0.6, wanted="down"),
    "wss_95": lambda o, n: reviews.wss(o, 0.95, wanted="nearest-even", retrieved=n),
    "TNR@0.8": lambda o, n: reviews.tnr(o, 0.8),
    "Depth@0.5": lambda o, n: reviews.depth(o, 0.5)[0],
    "LastRel": lambda o, n: reviews.depth(o, 1)[0],
    "ATD": lambda o, n: reviews.mean_place(o),
    "NormArea": lambda o, n: reviews.area(o),
    "NormLoss": lambda o, n: reviews.loss(o),
    "LossR": lambda o, n: reviews.losses(o, n)[0],
    "LossR@2": lambda o, n: reviews.losses(o, min(2, n))[0],
    "LossE@3": lambda o, n: reviews.losses(o, min(3, n))[1],
    "LossER@2": lambda o, n: sum(reviews.losses(o, min(2, n))),
    "R@40%": lambda o, n: reviews.recall_at_share(o, 40),
    "NCG(rel=2)@70": lambda o, n: reviews.recall_at_share(o, 70, rel=2),
}
LOWER_IS_BETTER = ("Depth", "LastRel", "ATD", "NormLoss", "LossR", "LossE", "LossER")
grades = st.sampled_from([-1, 0, 1, 1, 2])
rankings = st.lists(st.lists(grades, min_size=1, max_size=3), max_size=3)


@settings(max_examples=12, deadline=None)
@given(rankings, st.lists(st.integers(0, 2), max_size=2), st.integers(0, 2), st.booleans())
def test_all_orders_of_a_collection(ranks, unretrieved, more, knows_size):
    more = more if knows_size else 0
    retrieved = sum(map(len, ranks))
    size = retrieved + len(unretrieved) + more
    if size == 0:
        return
    rest = [*unretrieved, *[-1] * more]
    scores, relevance = flat(ranks)
    options = {"unretrieved": unretrieved, "collection_size": size if knows_size else None}
    found = irb.rank_measures(scores, relevance, list(FORMS), bounds=True, **options)
    heads = [order for order, _ in slow.orders(ranks)]
    tails = [order for order, _ in slow.orders([rest])]
    for i, (text, measure) in enumerate(FORMS.items()):
        every = [sum(measure(h + t, retrieved) for t in tails) / len(tails) for h in heads]
        assert close(found.values[0, i], sum(every) / len(every)), text
        assert close(found.low[0, i], min(every)), text
        assert close(found.high[0, i], max(every)), text


def test_worked_example():
    """20 documents, and the numbers of four tools' definitions."""
    relevance = np.zeros(20)
    relevance[np.array([1, 2, 4, 7, 8, 11, 15]) - 1] = 1
    names = {
        "WSS@0.95": 0.2,
        "WSS(penalty=reached)@0.95": 0.25,
        "WSS(wanted=down)@0.95": 0.4,
        "WSS(wanted=down,penalty=reached)@0.95": 0.4 - 0.95 + 6 / 7,
        "TNR@0.95": 1 - 8 / 13,
        "ATD": 48 / 7,
        "NormArea": (7 * 20.5 - 48) / (140 - 24.5),
        "NormLoss": 20 / 91,
    }
    found = irb.rank_measures(-np.arange(20), relevance, list(names)).values[0]
    assert found == pytest.approx(list(names.values()), abs=1e-14)
    tied = irb.rank_measures(np.zeros(20), relevance, "Depth@0.95 WSS@0.95").values[0]
    assert tied == pytest.approx([18.375, 0.03125], abs=1e-14)


def test_levels_are_decimal():
    """0.95 of 20 is 19 and not 20, whatever doubles make of it."""
    for n, level, number in [(20, 0.95, 19), (300, 0.07, 21), (1000, 0.001, 1), (3, 0.34, 2)]:
        found = irb.rank_measures(-np.arange(n), np.ones(n), f"Depth@{level}").values[0, 0]
        assert found == number


def test_a_billion_documents():
    found = irb.rank_measures([1, 1], [1, 0], "Depth@1 TNR@1 ATD", collection_size=10**9)
    assert found.values[0] == pytest.approx([1.5, 1 - 0.5 / (10**9 - 1), 1.5], rel=1e-15)
    found = irb.rank_measures([1], [1], "Depth@1", n_relevant=2, collection_size=10**9)
    assert found.values[0, 0] == 1 + 10**9 / 2


@pytest.mark.parametrize("text", ["NCG@0", "NCG@101", "R@x%", "WSS@1.5", "WSS", "WSS(wanted=x)@1"])
def test_what_is_refused(text):
    with pytest.raises(irb.InputError):
        irb.rank_measures([1], [1], text)


def test_best_is_the_lowest_where_lower_is_better():
    for name in LOWER_IS_BETTER:
        assert irb.Measure.parse(f"{name}@0.5" if name == "Depth" else name).spec.lower_is_better


def test_a_negative_grade_is_no_judgment_of_the_collection():
    """A retrieved document of negative grade counts once, and one that was not retrieved not at
    all; the collection is then the same whether its size is given or not."""
    run = {"q": {"a": 2.0, "b": 1.0}}
    for more in ({"b": -1}, {"x": -2}, {"b": -1, "x": -2, "y": -1}):
        qrels = {"q": {"a": 1, "u": 0, "v": 1, **more}}
        plain = irb.evaluate({"q": {"a": 1, "u": 0, "v": 1}}, run, "WSS@0.95 ATD").values
        size = 4  # a, b, u, v
        for options in ({}, {"collection_size": size}):
            assert (irb.evaluate(qrels, run, "WSS@0.95 ATD", **options).values == plain).all()
        with pytest.raises(irb.InputError, match="3 is less than the 4 documents of query 'q'"):
            irb.evaluate(qrels, run, "P@1", collection_size=3)
        hidden = {"unjudged": "bounds", "unjudged_hidden": "collection"}
        found = irb.evaluate(qrels, run, "R@2", **hidden, collection_size=6)
        expected = irb.evaluate(
            qrels, run, "R@2", unjudged="bounds", unjudged_hidden=2, collection_size=6
        )
        assert found.unjudged_low.tolist() == expected.unjudged_low.tolist() == [[1 / 4]]
        tallied = TallyEvaluator("WSS@0.95 ATD", collection_size=size)
        grades = np.array(list(qrels["q"].values()), float)
        ranked = Tallies(np.array([0, 2]), np.array([1.0, -1]), np.array([1, 1]))
        judged = Tallies(np.array([0, len(grades)]), grades, np.ones(len(grades), int))
        assert (tallied.evaluate(["q"], np.array([2.0, 1]), ranked, judged)[0] == plain).all()
