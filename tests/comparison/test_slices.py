"""Differences within slices of the queries, and whether they differ."""

import itertools

import numpy as np
import pytest

import irbounds as irb
from irbounds.comparison import compare_evaluations
from irbounds.comparison.runs.slices import interaction_p_values

N = 60


@pytest.fixture
def evaluations():
    rng = np.random.default_rng(3)
    old = rng.random(N)
    kind = np.arange(N) % 3
    new = old + rng.normal(0.1 * (kind == 2), 0.05)
    third = old + rng.normal(0, 0.05, N)
    names = tuple(range(N))
    return {
        name: irb.Evaluation(("x",), names, values[:, None])
        for name, values in (("old", old), ("new", new), ("third", third))
    }, dict(zip(names, map("abc".__getitem__, kind), strict=True))


def test_each_slice_is_the_comparison_of_its_queries(evaluations):
    runs, by = evaluations
    found = compare_evaluations(runs, by=by, baseline="old", test="t").slices
    assert found.sizes == {"a": 20, "b": 20, "c": 20}
    p_values = []
    for label in "abc":
        rows = [query for query in range(N) if by[query] == label]
        part = {
            name: irb.Evaluation(("x",), tuple(rows), run.values[rows])
            for name, run in runs.items()
        }
        alone = compare_evaluations(part, baseline="old", test="t", correction=None)
        for one, other in zip(found.differences[label], alone.differences, strict=True):
            for what in ("run", "difference", "low", "high", "p_value", "mean", "wins"):
                assert getattr(one, what) == getattr(other, what)
            p_values.append(one.p_value)
    # Holm over slices and pairs, by hand
    ordered, least, adjusted = sorted(p_values), 0.0, {}
    for place, p_value in enumerate(ordered):
        least = adjusted[p_value] = max(least, min(1.0, p_value * (len(ordered) - place)))
    for own in found.differences.values():
        for one in own:
            assert one.adjusted_p_value == adjusted[one.p_value]
            assert one.is_significant == (adjusted[one.p_value] < 0.05)
    new, third = found.interactions
    assert (new.run, new.p_value <= 0.001, new.adjusted_p_value <= 0.002) == ("new", True, True)
    assert third.p_value > 0.01


def test_the_rest_of_the_comparison_is_as_without_slices(evaluations):
    runs, by = evaluations
    assert compare_evaluations(runs, by=by).differences == compare_evaluations(runs).differences


def test_the_interaction_is_a_permutation_test():
    """Against all arrangements of the labels."""
    values = np.array([[0.3, -0.1, 0.2, 0.9, 0.4, 0.1, 1.2, 0.8, 0.7, 1.1]])
    place = np.repeat([0, 1], 5)

    def statistic(first):
        variance = values.var()
        parts = [values[0, list(first)], np.delete(values[0], list(first))]
        weights = [len(part) / (part.var() + variance / len(part)) for part in parts]
        means = [part.mean() for part in parts]
        middle = np.dot(weights, means) / sum(weights)
        return sum(w * (mean - middle) ** 2 for w, mean in zip(weights, means, strict=True))

    own = statistic(range(5))
    every = [statistic(first) for first in itertools.combinations(range(10), 5)]
    exact = np.mean(np.array(every) >= own * (1 - 1e-9))
    found = float(interaction_p_values(values, place, 0)[0])
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9999))


def test_small_slices_take_no_part_in_the_interaction():
    columns = np.array([[0.0, 1, 0, 1, 0, 1, 9, 9]])
    assert np.isnan(interaction_p_values(columns, np.array([0] * 6 + [1] * 2), 0)[0])
    equal = np.zeros((1, 12))
    assert interaction_p_values(equal, np.repeat([0, 1], 6), 0)[0] == 1


def test_what_is_written(evaluations):
    runs, by = evaluations
    comparison = compare_evaluations(runs, by=by, baseline="old")
    assert "x, new − old, by slice" in comparison.to_text()
    rows = list(comparison.slices.rows())
    assert len(rows) == 6
    assert rows[0]["slice"] == "a"
    assert comparison.to_dict()["slices"]["differences"] == rows
    pytest.importorskip("pandas")
    assert len(comparison.slices.to_frame()) == 6


def test_compare_takes_labels_of_queries():
    qrels = {f"q{i}": {"d1": 1} for i in range(20)}
    good = {query: {"d1": 2.0, "d2": 1.0} for query in qrels}
    bad = {query: {"d1": 1.0, "d2": 2.0 if query > "q4" else 0.5} for query in qrels}
    by = {query: "late" if query > "q4" else "early" for query in qrels}
    found = irb.compare(qrels, {"good": good, "bad": bad}, "RR", by=by).slices
    assert [own[0].difference for own in found.differences.values()] == [0.0, -0.5]


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ({0: "a"}, "`by` must have a label for each query; 59 queries have none, 1 first"),
        (dict.fromkeys(range(N), "a"), "`by` must have two slices or more"),
        ("kind", "`by` must be one of the columns that were read"),
        (3, "`by` must be a dict of labels by query"),
    ],
)
def test_slices_that_are_refused(evaluations, by, message):
    with pytest.raises(irb.InputError, match=message):
        compare_evaluations(evaluations[0], by=by)


def test_a_column_of_the_table_of_scores():
    rows = [{"unit": i, "A": i % 4, "B": i % 5, "lang": "de" if i % 2 else "en"} for i in range(40)]
    scores = irb.rankings.read_scores(rows, by="lang")
    assert compare_evaluations(scores, by="lang").slices.sizes == {"de": 20, "en": 20}


def test_slices_of_queries_in_groups(evaluations):
    runs, _ = evaluations
    groups = {query: query // 3 for query in range(N)}
    by = {query: "ab"[query // 3 % 2] for query in range(N)}
    found = compare_evaluations(runs, by=by, groups=groups, baseline="old", test="t").slices
    rows = [query for query in range(N) if by[query] == "a"]
    part = {
        name: irb.Evaluation(("x",), tuple(rows), run.values[rows]) for name, run in runs.items()
    }
    alone = compare_evaluations(
        part, groups=groups, baseline="old", test="t", correction=None
    ).differences
    assert [one.p_value for one in found.differences["a"]] == [one.p_value for one in alone]
    assert all(0 < one.p_value <= 1 for one in found.interactions)
    across = {query: "ab"[query % 2] for query in range(N)}
    found = compare_evaluations(runs, by=across, groups=groups, test="t").slices
    assert all(np.isnan(one.p_value) for one in found.interactions)
    assert "none, as groups of queries are in several slices" in found.to_text()
    assert found.n_groups == {"a": N // 3, "b": N // 3}
    row = next(found.rows())
    assert list(row)[4:6] == ["n_queries", "n_groups"]
    assert row["n_groups"] == N // 3
    few = {query: "ab"[query < 12] for query in range(N)}
    found = compare_evaluations(runs, by=few, groups=groups, test="t").slices
    assert "none, as fewer than two slices have 5 groups" in found.to_text()
