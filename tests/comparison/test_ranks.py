"""Ranks that hold together, and ranks in draws: against fractions, other tests, known truths."""

import json
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import irbounds as irb
from irbounds._core.draws import query_draws
from irbounds.comparison import compare_evaluations, compare_scores
from irbounds.comparison.ranks.rank_sets import bootstrap_points, rank_sets
from irbounds.comparison.significance.rank_draws import _draw as draw_weights
from irbounds.comparison.significance.rank_draws import draw_ranks
from irbounds.queries.groups import Groups, Units
from irbounds.warnings import FewUnitsWarning
from tests.reference import query_means as slow

pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")


def units_of(values, groups=None, weights=None):
    values = np.asarray(values, float)
    groups = None if groups is None else Groups(np.asarray(groups))
    count = len(values) if groups is None else len(groups)
    return Units(values, np.full(count, 1 / count) if weights is None else weights, groups)


def evaluations_of(values, measure="AP"):
    """Evaluations with these values, (queries, systems)."""
    queries = tuple(range(len(values)))
    return {
        f"s{j}": irb.Evaluation((measure,), queries, np.ascontiguousarray(column[:, None]))
        for j, column in enumerate(np.asarray(values, float).T)
    }


@pytest.mark.parametrize("systems", [1, 2, 3, 4, 5, 9])
def test_counts_are_those_of_fractions(systems):
    rng = np.random.default_rng(systems)
    weights = rng.integers(0, 5, (40, 6)).astype(float)
    values = rng.integers(-3, 4, (6, systems)).astype(float)  # sums tie
    best, above = np.zeros(systems), np.zeros((systems, systems), np.int32)
    ranks = np.zeros((systems, systems), np.int32)
    query_draws.add_ranks(weights, values, best, above, ranks)
    table = [[Fraction(x) for x in row] for row in (weights @ values).tolist()]
    twin = slow.ranks(table)
    np.testing.assert_array_equal(ranks / 40, np.array(twin, float))
    for i in range(systems):
        shares = [Fraction(row[i] == max(row), sum(x == max(row) for x in row)) for row in table]
        assert best[i] == pytest.approx(float(sum(shares)))
        for j in range(systems):
            assert above[i, j] == sum(row[i] > row[j] for row in table)


def test_bayesian_draws_have_dirichlet_tails():
    values = np.random.default_rng(1).normal(size=(8, 2))
    draws = 40_000
    found = draw_ranks(units_of(values), "bayesian-bootstrap", draws, np.random.default_rng(2))
    apart = [Fraction(x) for x in (values[:, 0] - values[:, 1]).tolist()]
    exact = float(slow.dirichlet_tail(apart, Fraction(0)))
    # five standard errors: one seed in two million would fail
    assert found.beats[0, 1] == pytest.approx(exact, abs=5 * math.sqrt(0.25 / draws))
    assert found.beats[0, 1] + found.beats[1, 0] == 1
    assert found.best[0] == pytest.approx(found.beats[0, 1])


@pytest.mark.parametrize("weights", [np.full(7, 1 / 7), np.array([0.4, 0.3, 0.2, 0.1])])
def test_t_draws_are_students(weights):
    x = np.random.default_rng(3).normal(size=len(weights))
    drawn = draw_weights(weights, "t", 40_000, np.random.default_rng(4)) @ x
    mean, squares = weights @ x, weights @ weights
    variance = (weights**2) @ (x - mean) ** 2 / (1 - squares)
    freedom = 1 / squares - 1
    scaled = (drawn - mean) / math.sqrt(variance)
    if len(set(weights)) == 1:  # the draws' own variance is then that of the mean
        assert stats.kstest(scaled, stats.t(freedom).cdf).pvalue > 1e-4
    assert np.abs(drawn.mean() - mean) < 6 * drawn.std() / 200


def test_rank_sets_are_those_of_compare():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(30, 5)) + np.arange(5) / 2
    for correction in ("bonferroni", "holm", None):
        comparison = compare_evaluations(evaluations_of(values), test="t", correction=correction)
        ranks = comparison.ranks(correction=correction, draws=100)
        for name in ranks.systems:
            claims = [comparison.between(name, other) for other in ranks.systems if other != name]
            significant = [one for one in claims if one.is_significant]
            row = ranks[name]
            assert row["low"] == 1 + sum(one.difference < 0 for one in significant)
            assert row["high"] == 5 - sum(one.difference > 0 for one in significant)
            assert row["low"] <= row["single_low"] <= row["rank"] <= row["single_high"]
            assert row["single_high"] <= row["high"]


@pytest.mark.long
def test_true_ranks_lie_within_together():
    # systems 0 to 2 are equal, 3 and 4 are equal, 5 is the best; queries make them alike
    truth = np.array([0.0, 0, 0, 0.4, 0.4, 1.0])
    possible = [(4, 6)] * 3 + [(2, 3)] * 2 + [(1, 1)]
    rng = np.random.default_rng(6)
    held = {"bonferroni": 0, "holm": 0}
    count = 300
    for _ in range(count):
        values = truth + rng.normal(size=(25, 1)) + rng.exponential(size=(25, 6))
        for correction in held:
            sets = rank_sets(units_of(values), correction, 0.05, rng)
            held[correction] += all(
                sets.low[s] <= first and last <= sets.high[s]
                for s, (first, last) in enumerate(possible)
            )
    # 0.95 less three standard errors
    assert min(held.values()) / count >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / count)


def test_equal_systems_are_never_told_apart():
    column = np.random.default_rng(7).random(12)
    values = np.stack([column, column, column], axis=1)
    ranks = compare_scores(
        {f"s{j}": dict(enumerate(values[:, j].tolist())) for j in range(3)}, draws=200
    )
    assert ranks.low.tolist() == [1, 1, 1]
    assert ranks.high.tolist() == [3, 3, 3]
    assert ranks.rank.tolist() == [1, 1, 1]
    np.testing.assert_allclose(ranks.p_best, 1 / 3)
    np.testing.assert_array_equal(ranks.p_beats, np.full((3, 3), 0.5))
    assert ranks.tiers == (("s0", "s1", "s2"),)


def test_one_query_tells_nothing():
    ranks = compare_scores({"a": {"t": 1.0}, "b": {"t": 0.0}}, draws=100)
    assert ranks.low.tolist() == [1, 1]
    assert ranks.high.tolist() == [2, 2]


def test_lower_is_better():
    values = np.random.default_rng(8).random((15, 3)) + np.array([0, 5, 9])
    ranks = compare_evaluations(evaluations_of(values, "ESL(nr=1)"), test="t").ranks(draws=100)
    assert ranks.systems == ("s0", "s1", "s2")
    np.testing.assert_allclose(ranks.mean, values.mean(axis=0))
    scores = {f"s{j}": dict(enumerate(values[:, j].tolist())) for j in range(3)}
    other = compare_scores(scores, lower_is_better=True, draws=100)
    assert other.systems == ranks.systems
    assert compare_scores(scores, draws=100).systems == ranks.systems[::-1]


def test_the_mean_of_zeros_where_lower_is_better_has_no_sign():
    values = np.zeros((8, 2))
    values[0, 1] = 3
    ranks = compare_evaluations(evaluations_of(values, "Hole@1"), test="sign").ranks(draws=100)
    assert not np.signbit(ranks.mean).any()
    assert "-0" not in ranks.to_text().replace("1-2", "")
    assert "-0.0" not in ranks.to_csv()


def test_a_chance_below_one_does_not_read_as_one():
    # the second is best where the last of six weights is above .803: .197^5 = .0003 of the draws
    values = np.column_stack([[1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0.2457]])
    ranks = compare_evaluations(evaluations_of(values), test="t").ranks(draws=20_000)
    assert 0.9995 <= ranks.p_best[0] < 1
    lines = ranks.to_text().splitlines()
    assert [line.split()[-2] for line in lines if line.split()[:1] in (["s0"], ["s1"])] == [
        ">0.999",
        "<0.001",
    ]


def test_two_levels_weigh_tasks_alike():
    rng = np.random.default_rng(9)
    scores = {
        name: {
            (task, query): float(x)
            for task, count in (("t1", 2), ("t2", 30), ("t3", 5))
            for query, x in enumerate(rng.random(count))
        }
        for name in "ab"
    }
    ranks = compare_scores(scores, draws=100)
    means = {
        name: np.mean(
            [np.mean([x for (t, _), x in own.items() if t == task]) for task in ("t1", "t2", "t3")]
        )
        for name, own in scores.items()
    }
    assert dict(zip(ranks.systems, ranks.mean.tolist(), strict=True)) == pytest.approx(means)
    assert (ranks.n_units, ranks.n_groups) == (37, 3)
    weighted = compare_scores(scores, weights={"t1": 1, "t2": 2, "t3": 1}, draws=100)
    expected = {
        name: np.average(
            [np.mean([x for (t, _), x in own.items() if t == task]) for task in ("t1", "t2", "t3")],
            weights=[1, 2, 1],
        )
        for name, own in scores.items()
    }
    assert dict(zip(weighted.systems, weighted.mean.tolist(), strict=True)) == pytest.approx(
        expected
    )


def test_borda_is_the_share_of_others_beaten():
    scores = {
        "a": {"t1": 1.0, "t2": 900.0},
        "b": {"t1": 0.5, "t2": 1000.0},
        "c": {"t1": 0.5, "t2": 10.0},
    }
    ranks = compare_scores(scores, average="borda", draws=100)
    assert dict(zip(ranks.systems, ranks.mean.tolist(), strict=True)) == {
        "a": 0.75,
        "b": 0.625,
        "c": 0.125,
    }


def test_frames_dicts_and_formats_agree():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    rng = np.random.default_rng(10)
    scores = {name: {f"t{k}": float(x) for k, x in enumerate(rng.random(9))} for name in "abc"}
    rows = [(name, t, x) for name, own in scores.items() for t, x in own.items()]
    frame = pandas.DataFrame(rows, columns=["model", "task", "score"])
    ranks = compare_scores(frame, system="model", draws=300)
    same = compare_scores(scores, draws=300)
    assert ranks.to_dict() == same.to_dict()
    assert json.loads(ranks.to_json())["systems"] == ranks.rows()
    assert ranks.to_frame()["p_best"].tolist() == ranks.p_best.tolist()
    assert ranks.to_csv().count("\n") == 4
    assert "P(best)" in repr(ranks)
    assert sum(ranks.p_best) == pytest.approx(1)
    p_beats = ranks["a"]["p_beats"]
    assert set(p_beats) == {"b", "c"}


@pytest.mark.parametrize(
    ("scores", "options", "text"),
    [
        ({"a": {"t": 1}}, {}, "`systems` must be two or more"),
        ({"a": {"t": 1}, "b": {"u": 1}}, {}, "'b' has no score for 't'"),
        ({"a": {"t": 1}, "b": {"t": math.nan}}, {}, "the score of 'b' is nan for 't'"),
        ({"a": {"t": 1}, "b": {"t": "x"}}, {}, "`scores` must be numbers"),
        ({"a": {"t": 1}, "b": {"t": math.inf}}, {}, "the score of 'b' is inf for 't'"),
        ({}, {}, "`scores` must have a row"),
        ({"a": {"t": 1}, "b": [1]}, {}, "`scores` must be a data frame or"),
        ({"a": {"t": 1}, "b": {"t": 1}}, {"weights": {"x": 1}}, "`weights` must have every unit"),
        (
            {"a": {"u": 1, "t": 1}, "b": {"u": 1, "t": 1}},
            {"weights": {"u": 1, "t": 0}},
            "`weights` must be above 0 and finite (leave other units out); found 0 for unit 't'",
        ),
        ({"a": {"t": 1}, "b": {"t": 1}}, {"draws": 10}, "`draws` must be a whole number, 100"),
        ({"a": {"t": 1}, "b": {"t": 1}}, {"correction": "tukey"}, "`correction` must be one of"),
        ({"a": {("t", 1): 1, "u": 2}, "b": {"u": 1}}, {}, "`scores` must have units of one level"),
        ([1, 2], {}, "expected a data frame"),
    ],
)
def test_bad_input(scores, options, text):
    with pytest.raises(irb.InputError) as caught:
        compare_scores(scores, **options)
    assert str(caught.value).startswith(text)


def test_a_measure_must_be_named_among_several():
    values = np.random.default_rng(11).random((5, 2))
    evaluations = {
        name: irb.Evaluation(("AP", "RR"), tuple(range(5)), values + shift)
        for name, shift in (("a", 0.0), ("b", 0.1))
    }
    comparison = compare_evaluations(evaluations, test="sign")
    with pytest.raises(irb.InputError, match="pass `measure`, one of AP, RR"):
        comparison.ranks()
    assert comparison.ranks("MAP", draws=100).systems == ("b", "a")


def test_largest_t_of_pairs_is_that_of_the_definition():
    rng = np.random.default_rng(21)
    for weights in (np.full(7, 1 / 7), rng.dirichlet(np.ones(7))):
        values = rng.normal(size=(7, 11))
        values[:, 3] = values[:, 2]  # equal systems: 0
        values -= weights @ values
        counts = rng.multinomial(7, np.full(7, 1 / 7), 40)
        counts[0] = [7, 0, 0, 0, 0, 0, 0]  # no variance: infinite
        total = (counts @ weights)[:, None]
        share, squares = counts * weights / total, counts * weights**2 / total**2
        found = query_draws.pair_squares(values, share, squares, 1e-12)
        assert np.isinf(found[0]).all()
        for r in range(1, 40):
            mean = share[r] @ values
            apart = (values - mean)[:, :, None] - (values - mean)[:, None, :]
            variance = np.einsum("q,qij->ij", squares[r], apart**2) / (1 - squares[r].sum())
            gap = mean[:, None] - mean
            is_apart = variance > 1e-24
            t = np.zeros((11, 11))
            t[is_apart] = gap[is_apart] ** 2 / variance[is_apart]
            np.testing.assert_allclose(found[r], t.max(axis=1), rtol=1e-9, atol=1e-20)


@pytest.mark.parametrize("method", ["bayesian-bootstrap", "t"])
@pytest.mark.parametrize("level", [0.01, 0.9])
def test_many_systems_are_ranked_without_their_pairs(method, level):
    rng = np.random.default_rng(31)
    for units, systems in ((1, 4), (3, 9), (6, 30), (20, 12)):
        values = rng.integers(0, 4, (systems, units)) / 3  # sums tie
        scores = {f"s{i}": dict(enumerate(row)) for i, row in enumerate(values.tolist())}
        options = {"method": method, "confidence_level": level, "draws": 1234}
        pairs = compare_scores(scores, **options)
        own = compare_scores(scores, p_beats=False, **options)
        for name in ("rank", "low", "high", "draws_low", "draws_high", "expected_rank"):
            np.testing.assert_array_equal(getattr(own, name), getattr(pairs, name))
        np.testing.assert_allclose(own.p_best, pairs.p_best, rtol=0, atol=1e-12)
        assert own.p_beats is None
        assert "p_beats" not in own["s0"]
        assert json.loads(own.to_json())["p_beats"] is None


def test_pairs_of_many_systems_are_refused():
    scores = {f"s{i}": {"t": i} for i in range(4001)}
    with pytest.raises(irb.InputError) as caught:
        compare_scores(scores)
    assert str(caught.value) == (
        "`p_beats` of 4001 systems would have 16008001 numbers: pass p_beats=False with more "
        "than 4000"
    )
    assert compare_scores(scores, p_beats=False, draws=100).rank[0] == 1


def test_resamples_of_few_units_are_counted_once():
    rng = np.random.default_rng(32)
    for n in (2, 3, 5, 7):
        units = units_of(rng.normal(size=(n, 6)))
        found = bootstrap_points(units, 0.2, np.random.default_rng(n))
        counts = np.stack(
            [
                np.bincount(row, minlength=n)
                for row in np.random.default_rng(n).integers(0, n, (999, n))
            ]
        )
        values = units.values - units.values.mean(axis=0)
        squares = query_draws.pair_squares(
            np.ascontiguousarray(values), counts / n, counts / n**2, 1e-12
        )
        squares = np.column_stack([squares, squares.max(axis=1)])
        np.testing.assert_allclose(found, np.sqrt(np.sort(squares, axis=0)[-200]), rtol=1e-12)


@pytest.mark.long
def test_ranks_of_opposed_skewed_systems_hold_together_by_default():
    # by Bonferroni's t alone in .85 of the samples
    rng = np.random.default_rng(22)
    way = np.where(np.arange(15) % 2, -1, 1)
    held, count = 0, 100
    for _ in range(count):
        values = (rng.exponential(size=(10, 15)) - 1) * way
        held += (rank_sets(units_of(values), "max-t", 0.05, rng).high == 15).all()
    assert held / count >= 0.95 - 2 * math.sqrt(0.05 * 0.95 / count)


def test_max_t_tells_apart_what_is_apart_and_less_than_bonferroni():
    rng = np.random.default_rng(23)
    values = rng.normal(0, 0.1, (40, 6)) + np.arange(6) / 10
    own = compare_evaluations(evaluations_of(values), test="t").ranks(draws=100)
    other = compare_evaluations(evaluations_of(values), test="t").ranks(
        draws=100, correction="bonferroni"
    )
    assert own.correction == "max-t"
    assert (own.low <= other.low).all()
    assert (own.high >= other.high).all()
    assert (own.low <= own.single_low).all()
    assert own.high[0] == 1
    assert own.low[-1] == 6


@pytest.mark.parametrize("correction", ["max-t", "bonferroni"])
def test_few_units_get_a_warning(correction):
    values = np.random.default_rng(1).random((2, 40))
    scores = {name: dict(enumerate(own)) for name, own in zip("ab", values, strict=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_scores(scores, correction=correction, draws=100)
    for own in scores.values():
        del own[0]
    with pytest.warns(FewUnitsWarning, match="ranks of 39 units, fewer than 40") as caught:
        compare_scores(scores, correction=correction, draws=100)
    evaluations = {
        name: irb.Evaluation(("AP",), tuple(own), np.array([*own.values()])[:, None])
        for name, own in scores.items()
    }
    with pytest.warns(FewUnitsWarning, match="ranks of 39 queries") as also_caught:
        compare_evaluations(evaluations, test="t").ranks(correction=correction, draws=100)
    assert [one.filename for one in [*caught, *also_caught]] == [__file__] * 2


def test_few_groups_get_a_warning():
    scores = {
        name: {(q % 5, q): float(q * k % 7) for q in range(100)} for k, name in enumerate("ab")
    }
    with pytest.warns(FewUnitsWarning, match="ranks of 5 groups"):
        compare_scores(scores, draws=100)
