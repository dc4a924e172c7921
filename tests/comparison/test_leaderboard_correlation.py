"""The correlation of two leaderboards: its bounds against all orders, its level by known truths."""

import itertools

import numpy as np
import pytest
from reference import two_rankings as twin
from scipy import stats
from sizes import nightly

import irbounds as irb
from irbounds.comparison import leaderboard_correlation
from irbounds.comparison.ranks.correlation import BOUNDS
from irbounds.warnings import FewUnitsWarning

pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")

STRICT = {"Tau": twin.tau, "TauAP": twin.tau_ap, "Spearman": twin.spearman}


def board_of(values, measure="AP", queries=None, names=None):
    """Evaluations with these values, (queries, systems)."""
    queries = tuple(range(len(values)) if queries is None else queries)
    names = [f"s{j}" for j in range(values.shape[1])] if names is None else names
    return {
        name: irb.Evaluation((measure,), queries, np.ascontiguousarray(column[:, None]))
        for name, column in zip(names, values.T, strict=True)
    }


def orders_of(better):
    """All orders, best first, in which a system comes before those that it is better than."""
    place = np.empty(len(better), int)
    for order in itertools.permutations(range(len(better))):
        place[list(order)] = range(len(better))
        if not (better & (place[:, None] > place)).any():
            yield order


def partial_order(rng, n, room):
    """Systems apart by more than `room`: what is known so is transitive."""
    scores = rng.random(n)
    return scores[:, None] > scores + room


@pytest.mark.parametrize("name", STRICT)
def test_bounds_hold_in_all_orders(name):
    rng = np.random.default_rng(1)
    reached = 0
    for _ in range(60):
        n = rng.integers(2, 6)
        a, b = (partial_order(rng, n, rng.choice([0, 0.2, 0.4, 1])) for _ in range(2))
        values = [
            float(STRICT[name](x, y)) for x, y in itertools.product(orders_of(a), orders_of(b))
        ]
        low, high = BOUNDS[name](a, b)
        assert max(low, -1) <= min(values) + 1e-12
        assert min(high, 1) >= max(values) - 1e-12
        reached += abs(low - min(values)) < 1e-12 and abs(high - max(values)) < 1e-12
        if name == "Tau" and a.sum() == b.sum() == n * (n - 1) / 2:
            assert low == pytest.approx(high)
    assert reached >= 15  # not too wide: a fourth of these are exact


@pytest.mark.parametrize(
    ("name", "other"), [("Tau", stats.kendalltau), ("Spearman", stats.spearmanr)]
)
def test_the_estimate_is_that_of_the_means(name, other):
    rng = np.random.default_rng(2)
    x, y = rng.random((2, 50, 9))
    found = leaderboard_correlation(board_of(x), board_of(y), name)
    assert found.estimate == pytest.approx(other(x.mean(0), y.mean(0)).statistic, abs=1e-12)
    assert -1 <= found.low <= found.estimate <= found.high <= 1


def test_pairs_that_both_tell_apart_are_known():
    """Five systems far apart, the last two of which change places: 9 of 10 pairs are concordant."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 0.1, (60, 5))
    a = np.arange(5)[::-1] + noise
    b = np.array([4, 3, 2, 0, 1]) + rng.permuted(noise, axis=0)
    found = leaderboard_correlation(board_of(a), board_of(b))
    assert (found.low, found.estimate, found.high) == pytest.approx((0.8, 0.8, 0.8))
    # people have no opinion of the last two
    a[:, 4] = a[:, 3] + rng.normal(0, 0.1, 60)
    found = leaderboard_correlation(board_of(a), board_of(b))
    assert tuple(found) == pytest.approx((0.8, 1))


def test_order_measures_and_queries_may_differ():
    rng = np.random.default_rng(4)
    a, b = np.arange(4) / 3 + rng.normal(0, 1, (2, 60, 4))
    expected = tuple(leaderboard_correlation(board_of(a), board_of(b)))
    turned = board_of(b[:, ::-1], names=["s3", "s2", "s1", "s0"])
    assert tuple(leaderboard_correlation(board_of(a), turned)) == expected
    other = board_of(b, "P@5", [f"other {i}" for i in range(60)])
    assert tuple(leaderboard_correlation(board_of(a), other)) == expected
    costs = board_of(-b, irb.rankings.Measure.elsewhere("cost", lower_is_better=True))
    assert tuple(leaderboard_correlation(board_of(a), costs)) == expected


def test_groups_of_copies_are_as_one_query_each():
    rng = np.random.default_rng(5)
    a, b = np.arange(4) * 0.4 + rng.normal(0, 1, (2, 50, 4))
    groups = dict(enumerate(np.repeat(np.arange(50), 3).tolist()))
    copies = board_of(np.repeat(a, 3, axis=0)), board_of(np.repeat(b, 3, axis=0))
    found = leaderboard_correlation(*copies, groups=groups)
    assert tuple(found) == tuple(leaderboard_correlation(board_of(a), board_of(b)))
    assert found.n_groups == 50


def truths_and_boards(rng, n, spread, apart):
    """Eight systems, values of a model that are correlated with those of people."""
    people = rng.normal(0, spread, 8)
    model = people + rng.normal(0, apart, 8)
    hard, noise, own = rng.normal(0, 1, (n, 1)), *rng.normal(0, 1, (2, n, 8))
    yield from (people, model)
    yield from (people + hard + noise, model + hard + 0.6 * noise + 0.8 * own)


@pytest.mark.long
@pytest.mark.parametrize("name", ["Tau", nightly("TauAP"), nightly("Spearman")])
@pytest.mark.parametrize("correction", ["max-t", "bonferroni"])
def test_the_level_is_kept(name, correction, seed):
    """All of 300 samples of each kind held; if 0.99 do, fewer than 95 of 100 have 1 chance in
    2,000."""
    rng = np.random.default_rng(seed)
    held = 0
    for trial in range(100):
        case = (60, 0.5, 0.0), (60, 0.1, 0.05), (200, 0.5, 0.3), (40, 0.0, 0.0)
        people, model, x, y = truths_and_boards(rng, *case[trial % 4])
        orders = (np.argsort(-each, kind="stable").tolist() for each in (people, model))
        true = float(STRICT[name](*orders))
        low, high = leaderboard_correlation(
            board_of(x), board_of(y), name, correction=correction, rng=rng
        )
        held += low - 1e-12 <= true <= high + 1e-12
    assert held >= 95


def test_few_queries():
    rng = np.random.default_rng(6)
    one = board_of(rng.random((1, 3)))
    with pytest.warns(FewUnitsWarning, match="ranks of 1 query"):
        found = leaderboard_correlation(one, one)
    assert (found.estimate, found.low, found.high) == (1, -1, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": board_of(np.ones((3, 2)))}, "the same systems; `b` lacks 's2' of `a`"),
        ({"b": board_of(np.ones((3, 4)))}, "the same systems; `a` lacks 's3' of `b`"),
        ({"a": board_of(np.ones((3, 1)))}, "`a` must be two or more"),
        ({"correlation": "tau"}, "`correlation` must be one of"),
        ({"correction": "tukey"}, "`correction` must be one of"),
        ({"measure": "AP@5"}, "`a`: AP@5 was not evaluated; there are AP"),
        ({"groups": {"x": 1}}, "`groups` has none of the queries"),
        ({"a": board_of(np.full((3, 3), np.inf))}, "has no mean to rank by"),
    ],
)
def test_refused(change, message):
    board = board_of(np.arange(9.0).reshape(3, 3))
    with pytest.raises(irb.InputError, match=message):
        leaderboard_correlation(**{"a": board, "b": board, **change})
