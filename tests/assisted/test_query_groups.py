"""Whole groups of queries that people judged."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.assisted.whole_queries import QueryUnits, regression, without_judge
from irbounds.queries.groups import Groups


def data(n_groups=12, size=3, drawn=5):
    """Judge, run, people's labels and groups: labels of some whole groups."""
    rng = np.random.default_rng(6)
    queries = [f"q{i}" for i in range(n_groups * size)]
    groups = {query: f"g{i // size}" for i, query in enumerate(queries)}
    judge = {q: {f"d{j}": int(rng.integers(2)) for j in range(8)} for q in queries}
    run = {q: {doc: -int(doc[1:]) for doc in docs} for q, docs in judge.items()}
    human = {
        q: {doc: int(grade and rng.random() < 0.8) for doc, grade in judge[q].items()}
        for q in queries[: drawn * size]
    }
    return human, judge, run, groups


@pytest.mark.filterwarnings("ignore")
def test_without_a_judge_it_is_the_interval_of_a_mean_in_groups():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    y = rng.random(codes.size)
    y[codes > 9] = np.nan
    found = without_judge(QueryUnits(y, np.zeros(y.size), codes), 0.025, 0.0)
    seen = ~np.isnan(y)
    low, high = irb.mean_interval(y[seen], groups=codes[seen].tolist(), method="t")
    shrunk = np.sqrt(1 - seen.sum() / y.size)
    mean = y[seen].mean()
    assert found == pytest.approx(
        (mean, mean - (mean - low) * shrunk, mean + (high - mean) * shrunk)
    )


def test_copies_of_a_query_tell_no_more_than_one():
    rng = np.random.default_rng(2)
    x = rng.random(200)
    y = x + 0.3 * rng.standard_normal(200)
    is_seen = np.arange(200) < 12
    alone = regression(y, x, is_seen, 0.025)
    copied = (np.repeat(each, 4) for each in (y, x, is_seen))
    found = regression(*copied, 0.025, groups=Groups(np.repeat(np.arange(12), 4)))
    assert found.estimate == pytest.approx(alone.estimate)
    assert 0.8 < (found.high - found.low) / (alone.high - alone.low) < 1.3


@pytest.mark.filterwarnings("ignore")
def test_groups_of_queries_widen_and_are_whole(tmp_path):
    human, judge, run, groups = data()
    found = irb.assisted_interval(human, judge, run, "P@5", unit="query", groups=groups)
    path = tmp_path / "groups.csv"
    path.write_text("query,group\n" + "".join(f"{q},{g}\n" for q, g in groups.items()))
    assert found == irb.assisted_interval(human, judge, run, "P@5", unit="query", groups=path)
    assert found.sampled == 15
    del human["q1"]
    with pytest.raises(irb.InputError, match="whole groups; found no labels for query 'q1'"):
        irb.assisted_interval(human, judge, run, "P@5", unit="query", groups=groups)
    for more in ({"unit": "document"}, {"unit": "query", "method": "cochran"}):
        with pytest.raises(irb.InputError, match="`groups` is for unit='query'"):
            irb.assisted_interval(human, judge, run, "P@5", groups=groups, **more)


def test_few_groups_are_refused_or_said():
    human, judge, run, groups = data(drawn=2)
    with pytest.raises(irb.InputError, match="at least 3 groups of queries; found 2"):
        irb.assisted_interval(human, judge, run, "P@5", unit="query", groups=groups)
    human, judge, run, groups = data(drawn=4)
    with pytest.warns(irb.warnings.FewQueriesWarning, match="4 groups, fewer than 8"):
        irb.assisted_interval(human, judge, run, "P@5", unit="query", groups=groups)


@pytest.mark.long
def test_coverage_of_groups():
    """20 of 150 groups of 1 to 11 queries, correlation 0.4 within them and 0.5 with the judge."""
    rng, hits = np.random.default_rng(3), 0
    for _ in range(400):
        codes = np.repeat(np.arange(150), rng.integers(1, 12, 150))
        own, of_group = (
            rng.standard_normal((2, codes.size)),
            rng.standard_normal((2, 150))[:, codes],
        )
        y, other = 0.6**0.5 * own + 0.4**0.5 * of_group
        x = 0.5 * y + 0.75**0.5 * other
        is_seen = codes < 20
        found = regression(y, x, is_seen, 0.025, groups=Groups(codes[is_seen]))
        hits += found.low <= y.mean() <= found.high
    assert hits / 400 > 0.92  # the level 0.95, less 2.8 errors
