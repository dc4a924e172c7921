"""Measures that trec_eval alone has: enumeration of all orders of ties, and pytrec_eval."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measure_texts import twins_of
from rankings.test_ties_expected import close, flat, unretrieved_grades
from reference import rankings as slow
from reference import trec_measures  # noqa: F401  enters its measures

import irbounds as irb

EXPECTED = twins_of(
    """
    IDCG IDCG@2 binG binG(rel=2) nDCGrel RnDCG RBPGraded RBPGraded(p=0.5)@3 RBPResid APRet SetAP
    SetAP(rel=2) APMin@3 Success RBPResid(p=0.5) APRet@2 APRet(rel=2)@4 APRet@9 infAP infAP(rel=2)
    G
    """
)
WITHOUT_EXPECTATION = twins_of("YAAP YAAP(rel=2)")
LOWER_IS_BETTER = {"RBPResid"}

grades = st.sampled_from([-1, -1, -0.5, 0, 0, 1, 1, 2, 3])
rankings = st.lists(st.lists(grades, min_size=1, max_size=4), max_size=2)


@settings(max_examples=15, deadline=None)
@given(rankings, unretrieved_grades)
def test_expectation_and_extremes_equal_enumeration(ranks, unretrieved):
    scores, relevance = flat(ranks)
    options = {"unretrieved": unretrieved}
    whole = irb.rank_measures(scores, relevance, list(EXPECTED), bounds=True, **options)
    orders = [order for order, _ in slow.orders(ranks)]

    def every(name, parameters):
        return [slow.measure_of_order(name, o, unretrieved, **parameters) for o in orders]

    for i, (text, twin) in enumerate(EXPECTED.items()):
        values = every(*twin)
        assert close(whole.values[0, i], sum(values) / len(values)), text
        assert close(whole.low[0, i], min(values)), text
        assert close(whole.high[0, i], max(values)), text
    for ties in ("best", "worst", "given"):
        found = irb.rank_measures(
            scores, relevance, list(WITHOUT_EXPECTATION), ties=ties, **options
        )
        for i, (text, (name, parameters)) in enumerate(WITHOUT_EXPECTATION.items()):
            values = every(name, parameters)
            given_order = slow.measure_of_order(name, relevance.tolist(), unretrieved, **parameters)
            wanted = {"best": max(values), "worst": min(values), "given": given_order}[ties]
            assert close(found.values[0, i], wanted), (text, ties)


def test_documents_of_the_pool_that_nobody_judged():
    """Six retrieved documents of the pool, two of them judged below 0; one is outside it.  The
    number is trec_eval's."""
    run = {"q": {f"d{i}": -i for i in range(7)}}
    qrels = {"q": {"d0": -1, "d1": 1, "d3": 0, "d4": -1, "d5": 1, "d6": 1}}
    value = irb.evaluate(qrels, run, "infAP")["infAP"][0]
    grades = [-0.5, 1, -1, 0, -0.5, 1, 1]
    assert close(value, slow.measure_of_order("infAP", grades))
    assert value == pytest.approx(0.6230156084673721, abs=1e-15)
