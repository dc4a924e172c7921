"""Warnings about labels that are no random sample, and what must not be warned about."""

import warnings

import numpy as np
import pytest

import irbounds as irb
from irbounds.warnings import AssistedWarning

RNG = np.random.default_rng(8)
QUERIES = [f"q{i}" for i in range(25)]
JUDGE = {q: {f"d{i}": int(RNG.integers(0, 4)) for i in range(10)} for q in QUERIES}
TRUTH = {q: {d: int(RNG.random() < (g + 1) / 5) for d, g in JUDGE[q].items()} for q in QUERIES}
RUN = {q: {d: -int(d[1:]) for d in JUDGE[q]} for q in QUERIES}
OTHER = {q: {f"e{i}": -i for i in range(10)} for q in QUERIES}


def labelled(pairs, truth=TRUTH):
    human = {}
    for query, doc in pairs:
        human.setdefault(query, {})[doc] = truth[query][doc]
    return human


@pytest.mark.parametrize("n_whole", [2, 3, 6, 12, 20])
def test_whole_queries_are_no_sample_of_pairs(n_whole):
    human = {query: TRUTH[query] for query in QUERIES[:n_whole]}
    with pytest.warns(AssistedWarning, match="use unit='query'"):
        irb.assisted_interval(human, JUDGE, RUN)


@pytest.mark.parametrize("n", [8, 60, 240])
def test_random_samples_are_not_warned_about(n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(10):
            human = labelled(irb.allocate_labels(JUDGE, RUN, n=n, rng=seed).pairs)
            irb.assisted_interval(human, JUDGE, RUN)


def test_labels_below_0_are_pairs_that_people_skipped():
    human = labelled(irb.allocate_labels(JUDGE, RUN, n=40, rng=1).pairs)
    query, docs = next(iter(human.items()))
    human[query] = dict.fromkeys(docs, -1)
    with pytest.warns(AssistedWarning, match="below 0, for not judged"):
        found = irb.assisted_interval(human, JUDGE, RUN)
    assert found.sampled == 40 - len(docs)


BOTH = {q: {**JUDGE[q], **{f"e{i}": int(RNG.integers(0, 4)) for i in range(10)}} for q in QUERIES}
GOOD = {q: {d: int(d < "e" or i % 3 == 0) for i, d in enumerate(BOTH[q])} for q in QUERIES}


def shares(human):
    """The shares of pairs with a label, of the run and of the other one, by grade."""
    return [
        [
            np.mean([d in human.get(q, {}) for q in QUERIES for d in docs if BOTH[q][d] == grade])
            for grade in range(4)
        ]
        for docs in (JUDGE["q0"], OTHER["q0"])
    ]


def test_a_second_batch_for_one_more_run_evens_labels_out():
    first = labelled(irb.allocate_labels(BOTH, RUN, n=60, rng=1).pairs, GOOD)
    plan = irb.allocate_labels(BOTH, [RUN, OTHER], n=80, rng=2, labelled=first)
    human = labelled([*plan.pairs, *((q, d) for q in first for d in first[q])], GOOD)
    ours, others = shares(human)
    assert ours == pytest.approx(others, abs=0.03)
    # the labels of the grade say of both runs alike, and so of the run that came later
    truth = np.mean([GOOD[q][d] for q in QUERIES for d in OTHER[q]])
    found = irb.assisted_interval(human, BOTH, OTHER)
    assert found.low <= truth <= found.high


def test_a_second_batch_that_is_too_small_is_warned_about():
    first = labelled(irb.allocate_labels(BOTH, RUN, n=60, rng=1).pairs, GOOD)
    with pytest.warns(AssistedWarning, match=r"denser in 250 of the 500 pairs: it takes \d+ new"):
        irb.allocate_labels(BOTH, [RUN, OTHER], n=20, rng=2, labelled=first)
    deeper = {q: {f"d{i}": -i for i in range(10)} for q in QUERIES}
    few = labelled(irb.allocate_labels(JUDGE, deeper, "P@3", n=40, rng=1).pairs)
    with pytest.warns(AssistedWarning, match="denser in 75 of the 250 pairs"):
        irb.allocate_labels(JUDGE, deeper, "P@10", n=20, rng=2, labelled=few)


def test_a_second_batch_of_the_same_question_is_drawn_as_before():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(20):
            first = labelled(irb.allocate_labels(BOTH, [RUN, OTHER], n=40, rng=seed).pairs, GOOD)
            irb.allocate_labels(BOTH, [RUN, OTHER], n=10, rng=seed, labelled=first)
