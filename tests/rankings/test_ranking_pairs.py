"""Two weak orderings: all measures as enumeration, SciPy and others have them."""

import itertools

import numpy as np
import pytest
from reference import two_rankings as twin

import irbounds as irb

compare_rankings = irb.rankings.compare_rankings

P = 0.9
STRICT = {
    "Overlap@1": lambda a, b: twin.overlap(a, b, 1),
    "Overlap@3": lambda a, b: twin.overlap(a, b, 3),
    "Overlap@9": lambda a, b: twin.overlap(a, b, 9),
    f"RBO(p={P})": lambda a, b: twin.rbo(a, b, P),
    "RBO(p=0.35)": lambda a, b: twin.rbo(a, b, 0.35),
    f"RBO(p={P})@4": lambda a, b: twin.rbo_sum(a, b, P, 4),
    f"RBO(p={P})@12": lambda a, b: twin.rbo_sum(a, b, P, 12),
}
CORRELATIONS = {"Tau": twin.tau, "TauAP": twin.tau_ap, "Spearman": twin.spearman}
BY_RULE = {
    f"RBO(p={P},ties={ties}){at}": (ties, k)
    for ties, (at, k) in itertools.product("wab", [("", None), ("@3", 3), ("@9", 9)])
}


def groups_of(scores):
    return [[d for d in scores if scores[d] == s] for s in sorted(set(scores.values()))[::-1]]


def random_run(rng, most, universe):
    docs = rng.permutation(universe)[: rng.integers(1, most + 1)]
    levels = rng.integers(1, len(docs) + 1)
    return {f"d{doc}": float(rng.integers(levels)) for doc in docs}


def check_against_enumeration(rng, n, most, universe, most_orders):
    a, b = {}, {}
    while len(a) < n:
        one, other = random_run(rng, most, universe), random_run(rng, most, universe)
        x, y = groups_of(one), groups_of(other)
        size = twin.n_orders(twin.completed(x, y)) * twin.n_orders(twin.completed(y, x))
        if size <= most_orders:
            a[f"q{len(a)}"], b[f"q{len(b)}"] = one, other
    names = [*STRICT, *CORRELATIONS]
    found = compare_rankings(a, b, [*names, *BY_RULE], bounds=True)
    for row, query in enumerate(found.query_ids):
        x, y = groups_of(a[query]), groups_of(b[query])
        own = [twin.over_orders(function, x, y) for function in STRICT.values()]
        x_all, y_all = twin.completed(x, y), twin.completed(y, x)
        own += [twin.over_orders(function, x_all, y_all) for function in CORRELATIONS.values()]
        for column, wanted in enumerate(own):
            got = [part[row, column] for part in (found.values, found.low, found.high)]
            np.testing.assert_allclose(
                got, np.array(wanted, float), rtol=0, atol=1e-12, err_msg=names[column]
            )
        for name, (ties, k) in BY_RULE.items():
            wanted = twin.corsi_urbano(x, y, P, ties, k)
            assert abs(found[name][row] - wanted) <= 1e-12, name


def test_equal_to_enumeration():
    check_against_enumeration(np.random.default_rng(1), 60, 5, 6, 300)


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(("n", "most_orders"), [(9000, 100), (1000, 2000)])
def test_many_equal_to_enumeration(n, most_orders, seed):
    check_against_enumeration(np.random.default_rng(seed), n, 7, 8, most_orders)


def test_the_example_of_the_design():
    """Means of overlaps 1/3, 8/9, 5/3, 5/2, 7/2; RBO by enumeration with another program."""
    a = {"a": 3, "b": 2, "c": 2, "d": 2, "e": 1, "f": 1}
    b = {"a": 2, "c": 2, "g": 2, "b": 1, "e": 1, "d": 0}
    names = [*(f"Overlap@{k}" for k in range(1, 6)), "RBO(p=0.9)@6"]
    found = compare_rankings({"q": a}, {"q": b}, names, bounds=True)
    depths = np.arange(1, 6)
    np.testing.assert_allclose(found.values[0, :5] * depths, [1 / 3, 8 / 9, 5 / 3, 5 / 2, 7 / 2])
    np.testing.assert_allclose(found.low[0, :5] * depths, [0, 0, 1, 2, 3])
    np.testing.assert_allclose(found.high[0, :5] * depths, [1, 2, 2, 3, 4])
    got = found.values[0, 5], found.low[0, 5], found.high[0, 5]
    np.testing.assert_allclose(got, [0.2590303333, 0.1520235, 0.4003705], atol=1e-10)


def test_scipy(seed):
    from scipy.stats import kendalltau, spearmanr

    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 30, (2, 200))
    runs = ({"q": {str(i): float(v) for i, v in enumerate(each)}} for each in (x, y))
    found = compare_rankings(*runs, "Tau(ties=b) Spearman(ties=b)")
    wanted = kendalltau(x, y).statistic, spearmanr(x, y).statistic
    np.testing.assert_allclose(found.values[0], wanted, atol=1e-12)


def test_rbo_package(seed):
    rbo = pytest.importorskip("rbo")
    rng = np.random.default_rng(seed)
    for n_a, n_b in [(5, 5), (30, 12), (7, 40)]:
        a, b = rng.permutation(50)[:n_a].tolist(), rng.permutation(50)[:n_b].tolist()
        own = rbo.RankingSimilarity(a, b)
        found = compare_rankings({"q": a}, {"q": b}, f"RBO(p=0.9) RBO(p=0.9)@{min(n_a, n_b)}")
        wanted = own.rbo_ext(p=0.9), own.rbo(p=0.9)
        np.testing.assert_allclose(found.values[0], wanted, atol=1e-12)


def test_a_long_query_as_numbers_of_a_sort():
    """All tied in one run, none in the other: the sums have closed forms."""
    n = 3000
    a, b = {str(i): -i for i in range(n)}, {str(i): 0 for i in range(n)}
    found = compare_rankings({"q": a}, {"q": b}, "Tau TauAP Spearman Overlap@600", bounds=True)
    np.testing.assert_allclose(found.values[0], [0, 0, 0, 0.2], atol=1e-12)
    np.testing.assert_allclose(found.low[0], [-1, -1, -1, 0], atol=1e-12)
    np.testing.assert_allclose(found.high[0], [1, 1, 1, 1], atol=1e-12)


def test_matrices_of_an_index():
    ids, distances = np.array([[3, 7, -1], [2, 9, 4]]), np.array([[0.1, 0.4, 9], [0, 1, 1]])
    exact = irb.Run.from_topk(ids, distances, ascending=True)
    assert exact.to_dict() == {"0": {"3": -0.1, "7": -0.4}, "1": {"2": 0, "9": -1, "4": -1}}
    found = compare_rankings(exact, irb.Run.from_topk([[3, 1], [2, 4]]), "Overlap@2", bounds=True)
    assert found.to_dict() == {
        "0": {"Overlap@2": 0.5, "Overlap@2.low": 0.5, "Overlap@2.high": 0.5},
        "1": {"Overlap@2": 0.75, "Overlap@2.low": 0.5, "Overlap@2.high": 1.0},
    }


def tied_vectors(seed):
    """Points of a grid, many at one distance, and queries."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (500, 4)).astype("f4"), rng.integers(0, 3, (20, 4)).astype("f4")


def check_index(points, queries, ids, distances):
    """An index that misses nothing has some order of the ties that is exact."""
    squared = ((queries[:, None] - points) ** 2).sum(axis=2)
    order = np.argsort(squared, axis=1, kind="stable")
    # all neighbours, so that the ties which the depth cuts are known as a whole
    exact = irb.Run.from_topk(order, np.take_along_axis(squared, order, 1), ascending=True)
    found = irb.Run.from_topk(ids, distances, ascending=True)
    overlap = compare_rankings(exact, found, "Overlap@10", bounds=True)
    assert np.all(overlap.high == 1)
    assert np.any(overlap.values < 1)


def test_faiss(seed):
    faiss = pytest.importorskip("faiss")
    points, queries = tied_vectors(seed)
    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    distances, ids = index.search(queries, 10)
    check_index(points, queries, ids, distances)


def test_hnswlib(seed):
    hnswlib = pytest.importorskip("hnswlib")
    points, queries = tied_vectors(seed)
    index = hnswlib.BFIndex("l2", points.shape[1])
    index.init_index(len(points))
    index.add_items(points)
    ids, distances = index.knn_query(queries, 10)
    check_index(points, queries, ids.astype("i8"), distances)


def test_queries_that_one_run_lacks():
    a, b = {"1": ["x"], "2": ["y", "z"]}, {"2": ["y"], "3": ["x"]}
    found = compare_rankings(a, b, "Overlap@1 RBO(p=0.5) Tau")
    assert found.missing_queries == ("1",)
    assert found.unjudged_queries == ("3",)
    assert found.values[0].tolist() == [0, 0, 1]
    assert compare_rankings(a, b, "Overlap@1", missing="skip").query_ids == ("2",)
    with pytest.raises(irb.InputError, match="`run_b` lacks 1 queries of `run_a`, first '1'"):
        compare_rankings(a, b, "Overlap@1", missing="error")


def test_rules_and_scores():
    a, b = {"q": {"x": 1.0, "y": 1.0}}, {"q": {"y": 1.0, "x": 1.0 - 1e-12}}
    assert compare_rankings(a, b, "Overlap@1", ties="best")["Overlap@1"][0] == 1
    assert compare_rankings(a, b, "Overlap@1", ties="worst")["Overlap@1"][0] == 0
    assert compare_rankings(b, b, "Tau").mean == {"Tau": 1}
    assert compare_rankings(b, b, "Tau", score_precision="float32").mean == {"Tau": 0}


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("Overlap", "'Overlap': give the depth, as in Overlap@10"),
        ("RBO", r"'RBO': give p, as in RBO\(p=0.9\)"),
        ("RBO(p=1)", "p must be above 0 and below 1; found 1"),
        ("RBO(0.9)", r"parameters are written as in RBO\(p=0.9,ties=w\)"),
        ("Tau@3", "Tau takes no depth"),
        ("Tau(ties=w)", "Tau takes ties=b; without it, the mean over orders"),
        ("Overlp@3", "no measure of two rankings is called Overlp.*did you mean 'Overlap'"),
        ("", "`measures` names none"),
        (3, "`measures` must be some of Overlap@k"),
        ("Tau(ties=b)", r"Tau\(ties=b\) is not defined for query 'q'"),
    ],
)
def test_refused(measures, message):
    run = {"q": {"x": 1, "y": 1}}
    with pytest.raises(irb.InputError, match=message):
        compare_rankings(run, run, [measures] if isinstance(measures, int) else measures)


def test_runs_that_share_nothing():
    with pytest.warns(irb.warnings.RunWarning, match="run_b: shares no document with run_a"):
        compare_rankings({"q": ["x"]}, {"q": ["y"]}, "Overlap@1")
    with pytest.raises(irb.InputError, match="`run_b` has none of the queries of `run_a`"):
        compare_rankings({"q": ["x"]}, {"r": ["y"]}, "Overlap@1")
