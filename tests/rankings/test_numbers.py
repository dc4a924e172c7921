"""Scores, grades and gains of any kind, size and shape."""

import math

import numpy as np
import pytest

import irbounds as irb


def test_no_numbers_of_any_kind():
    for kind in ("c16", "S3", "M8[s]", "O", "?"):
        assert irb.rank_measures(np.zeros(0, kind), np.zeros(0, kind), "AP").values.tolist() == [
            [0]
        ]


def test_grades_that_all_differ():
    """Each is a level of its own; 200,000 took minutes once."""
    generator = np.random.default_rng(4)
    scores, gains = generator.random(200_000), generator.random(200_000)
    ranked = gains[np.argsort(-scores)]
    discount = 1 / np.log2(np.arange(2, 12))
    expected = (ranked[:10] @ discount) / (np.sort(gains)[:-11:-1] @ discount)
    assert irb.rank_measures(scores, gains, "nDCG@10").values[0, 0] == pytest.approx(
        expected, rel=1e-12
    )


def test_gains_are_of_one_measure():
    names = ["ERR", "nDCG(gains={1:5})", "RBP(max_rel=1)", "nDCG(gains={1:2000},dcg=log2)"]
    ev = irb.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, names)
    assert ev.values.tolist() == irb.rank_measures([1], [1], names).values.tolist()
    assert ev.values[0] == pytest.approx([1 / 16, 1, 0.2, 1])


def test_grades_of_which_two_to_the_power_overflows():
    for measure in ("nDCG(dcg=exp-log2)", "DCG(dcg=exp-log2)@3", "ERR(max_rel=3000)"):
        with pytest.raises(irb.InputError, match="grades or gains go up to 2000, above the 1000"):
            irb.evaluate({"q": {"d": 2000}}, {"q": {"d": 1}}, measure)
    assert irb.evaluate({"q": {"d": 2000}}, {"q": {"d": 1}}, "nDCG")["nDCG"][0] == 1
    assert irb.rank_measures([1], [1e305], "AP RBP(max_rel=1e306)").values.tolist() == [
        [1, pytest.approx(0.02)]
    ]


@pytest.mark.parametrize("n_relevant", [5, 10**9, 10**12])
def test_any_number_of_relevant_documents(n_relevant):
    names = ["AP", "R@5", "Rprec", "SetR", "NumRel", "nDCG@2", "HT@1"]
    values = irb.rank_measures(
        [3, 2, 1], [1, 0, 1], names, n_relevant=n_relevant, collection_size=10**13
    ).values[0]
    n, ideal = n_relevant, 1 + 1 / math.log2(3)
    assert values == pytest.approx(
        [5 / 3 / n, 2 / n, 2 / n, 2 / n, n, 1 / ideal, 1 - n / 10**13], rel=1e-13
    )
    assert irb.rank_measures([1, 1], [1, 1], "nDCG@2", n_relevant=[n_relevant])["nDCG@2"][0] == 1


@pytest.mark.parametrize("kind", ["f8", ">f8", "f4", "f2", "i1", "u2", "O"])
def test_any_kind_of_number(kind):
    scores, relevance = (
        np.array([1, 9, 3, 9, 5, 9, 2, 9]).astype(kind),
        np.array([1, 0, 1, 0], bool),
    )
    even = scores[::2]
    even.flags.writeable = False
    assert irb.rank_measures(even, relevance, "AP").values[0, 0] == pytest.approx(
        (1 / 1 + 2 / 4) / 2
    )


def test_scores_are_compared_as_64_bit_floats():
    ev = irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1 + 1e-12, "b": 1.0}}, "RR", bounds=True)
    assert (ev.values[0, 0], ev.low[0, 0]) == (1, 1)


def test_groups_and_shapes():
    scores, relevance = np.array([3, 1, 2, 2, 1.0]), np.array([0, 1, 1, 0, 1])
    apart = irb.rank_measures(scores, relevance, "AP", groups=["a", "b", "a", "b", "a"])
    together = irb.rank_measures(
        scores[[0, 2, 4, 1, 3]], relevance[[0, 2, 4, 1, 3]], "AP", groups=[7, 7, 7, 3, 3]
    )
    assert (apart.values == together.values).all()
    assert (apart.query_ids, together.query_ids) == (("a", "b"), (7, 3))
    mixed = irb.rank_measures(scores, relevance, "AP", groups=["1", 1, "1", 1, "1"])
    assert (mixed.values == apart.values).all()
    assert mixed.query_ids == ("1", 1)
    rest = irb.rank_measures([1], [1], "SetR", groups=[1], unretrieved=[1], unretrieved_groups=[1])
    assert rest.values.tolist() == [[0.5]]
    grid = irb.rank_measures([[2, 1], [1, 2]], [[1, 0], [1, 0]], "AP", n_relevant=[1, 2])
    assert grid.values.tolist() == [[1], [0.25]]
    assert irb.rank_measures([], [], "AP P@5").values.tolist() == [[0, 0]]
    assert irb.rank_measures([], [], "AP", groups=[]).values.shape == (0, 1)
