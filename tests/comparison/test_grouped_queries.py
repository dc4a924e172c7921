"""Comparisons, ranks and gates where queries come in groups."""

import itertools
import math

import numpy as np
import pytest

import irbounds as irb
from irbounds.comparison import compare_evaluations, gate_evaluations
from irbounds.comparison.gates.checks import Question, judge
from irbounds.comparison.significance.paired_tests import Plan
from irbounds.comparison.significance.table import TESTS
from irbounds.queries.groups import Groups
from irbounds.rankings.reading.groups import group_labels, read_groups

pytestmark = pytest.mark.filterwarnings(
    "ignore::irbounds.warnings.FewQueriesWarning", "ignore::irbounds.warnings.FewUnitsWarning"
)
EQUAL, UNEQUAL = np.full(10, 6), np.array([2, 9, 5, 1, 12, 3, 3, 20, 7, 2])


def evaluations(rng, sizes, systems=2, gain=0.0):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    base = rng.beta(2, 2, len(sizes))[codes]
    named = {}
    for name in "abcd"[:systems]:
        own = 0.2 * rng.normal(size=len(sizes))[codes] + rng.normal(0, 0.1, len(codes))
        values = np.clip(base + own + gain * (name == "b"), 0, 1)
        named[name] = irb.Evaluation(("AP",), tuple(range(len(codes))), values[:, None])
    return codes, named


def p_of_flips(sums):
    """By enumeration, as the lesser tail doubled."""
    signs = np.array(list(itertools.product((1, -1), repeat=len(sums))))
    found = signs @ sums
    room = 1e-12 * np.abs(sums).sum()
    above, below = (found >= sums.sum() - room).mean(), (found <= sums.sum() + room).mean()
    return min(1.0, 2 * min(above, below))


@pytest.mark.parametrize("sizes", [EQUAL, UNEQUAL])
def test_whole_groups_change_sign(sizes):
    codes, named = evaluations(np.random.default_rng(1), sizes, gain=0.1)
    found = compare_evaluations(named, groups=codes).between("b", "a")
    differences = (named["b"].values - named["a"].values)[:, 0]
    sums = np.bincount(codes, differences)
    assert found.p_value == pytest.approx(p_of_flips(sums), rel=1e-12)
    # A shift that the test would not reject is within the interval, others are not.
    for end, inward in ((found.low, 1e-6), (found.high, -1e-6)):
        inside, outside = (p_of_flips(sums - (end + step) * sizes) for step in (inward, -inward))
        assert outside < 0.05 <= inside


@pytest.mark.parametrize("test", TESTS)
def test_groups_of_one_size_have_the_tests_of_their_means(test):
    codes, named = evaluations(np.random.default_rng(2), EQUAL, gain=0.1)
    means = {
        name: irb.Evaluation(("AP",), tuple(range(10)), own.values.reshape(10, 6, 1).mean(axis=1))
        for name, own in named.items()
    }
    found = compare_evaluations(named, test=test, groups=codes).between("b", "a")
    expected = compare_evaluations(means, test=test).between("b", "a")
    for name in ("p_value", "estimate", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9), name


@pytest.mark.long
@pytest.mark.parametrize("correction", [None, "tukey", "dunnett"])
@pytest.mark.parametrize("test", TESTS)
def test_intervals_leave_0_out_where_the_test_rejects(test, correction):
    if correction and TESTS[test].joint is None:
        pytest.skip("a test of pairs alone")
    rng = np.random.default_rng(3)
    seen = set()
    for gain in (0.0, 0.05, 0.15, 0.3):
        codes, named = evaluations(rng, UNEQUAL, 3, gain)
        options = {"correction": correction, "baseline": "a" if correction == "dunnett" else None}
        compared = compare_evaluations(named, test=test, groups=codes, resamples=499, **options)
        assert compared.n_groups == 10
        for one in compared.differences:
            rejects = one.is_significant if correction else one.p_value < 0.05
            assert (one.low > 0 or one.high < 0) == rejects
            seen.add(rejects)
    assert False in seen


@pytest.mark.parametrize(
    "sizes",
    [
        EQUAL,
        *(pytest.param(x, marks=pytest.mark.long) for x in (UNEQUAL, np.array([40, *[2] * 9]))),
    ],
)
@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_are_told_apart_in_at_most_alpha(test, sizes):
    # Without groups .2 and more of these are rejected.
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(10), sizes)
    common = rng.normal(size=(10, 1500))[codes]
    differences = common + rng.normal(size=common.shape)
    found = TESTS[test](differences, Plan(0.05, 199, 1), Groups(codes))
    error = math.sqrt(0.05 * 0.95 / 1500)
    assert (found.p_value < 0.05).mean() <= 0.055 + 2.5 * error


@pytest.mark.parametrize(
    "sizes",
    [
        EQUAL,
        UNEQUAL,
        *(pytest.param(x, marks=pytest.mark.long) for x in (np.full(30, 6), np.tile(UNEQUAL, 3))),
    ],
)
def test_gates_of_equal_systems_err_in_at_most_alpha(sizes):
    rng, n = np.random.default_rng(6), len(sizes)
    codes, asked, count = np.repeat(np.arange(n), sizes), Question(0.0, 0.05, True), 400
    errors = np.zeros(2)
    for _ in range(count):
        differences = rng.normal(size=n)[codes] + rng.normal(size=len(codes))
        found = judge(differences, asked, Groups(codes))
        errors += found.passes, found.deciding_p < 0.05
    assert (errors / count <= 0.055 + 2.5 * math.sqrt(0.05 * 0.95 / count)).all()
    assert errors.min() > 0  # ten groups are enough for a verdict


def test_a_gate_counts_groups():
    codes, named = evaluations(np.random.default_rng(7), UNEQUAL[:9], gain=0.3)
    found = gate_evaluations(named["a"], named["b"], groups=codes)
    assert found.checks[0].n_groups == 9
    assert found.to_dict()["checks"][0]["n_groups"] == 9
    assert "9 groups" in found.to_text()
    assert found.verdict == "unclear"  # 9 groups may lack a quarter of all, 42 queries would not
    assert gate_evaluations(named["a"], named["b"]).verdict == "pass"


def test_the_text_says_of_what_the_effect_is():
    rng = np.random.default_rng(6)
    groups, runs = evaluations(rng, [3] * 10, systems=3)
    for correction, of in (
        ("holm", "standard deviation of the differences of queries, not of groups"),
        ("tukey", "residual standard deviation of all runs of groups"),
    ):
        found = compare_evaluations(runs, groups=groups, correction=correction)
        assert f"effect: mean difference divided by the {of}" in found.to_text()
    text = compare_evaluations(runs).to_text()
    assert "by the standard deviation of the differences\n" in text


def test_ranks_draw_groups():
    rng = np.random.default_rng(8)
    codes, named = evaluations(rng, np.tile(UNEQUAL, 4), 3)
    ranks = compare_evaluations(named, groups=codes).ranks(draws=1000)
    assert ranks.n_groups == 40
    means = {name: float(own.values.mean()) for name, own in named.items()}
    assert {name: ranks[name]["mean"] for name in named} == pytest.approx(means)
    alone = compare_evaluations(named).ranks(draws=1000)
    assert ranks.p_best.max() < alone.p_best.max()


FILES = {
    "query_id,group\nq1,a\nq2,a\nq3,b\n": [0, 0, 1],
    "group,x,query\na,1,q1\nb,1,q2\nb,2,q3\n": [0, 1, 1],
    "q1\ta b\nq2\ta b\n": [0, 0, 1],
    "# made by hand\nq1 a\n\nq3 a\n": [0, 1, 0],
    '"q1","a, b"\n"q2","a, b"\n': [0, 0, 1],
}


@pytest.mark.parametrize("text", FILES)
def test_files_of_groups(text, tmp_path):
    path = tmp_path / "groups"
    path.write_text(text)
    assert group_labels(path, ("q1", "q2", "q3")).tolist() == FILES[text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1\nq2\n", ":1: expected two columns, query and group; found 1"),
        ("q1 a\nq1 b\n", "query 'q1' is in two groups, 'a' and 'b'"),
        ("", "the file is empty|the file has no rows"),
        ("query,group\nq1,a,b\n", ":2: expected two columns"),
    ],
)
def test_files_that_are_none_are_refused(text, said, tmp_path):
    path = tmp_path / "groups"
    path.write_text(text)
    with pytest.raises(irb.InputError, match=said):
        read_groups(path)


def test_forms_of_groups():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    queries = ("q1", "q2", "q3")
    frame = pandas.DataFrame({"query_id": queries, "group": ["a", "b", "a"]})
    for groups in (
        {"q1": "a", "q3": "a"},
        frame,
        frame["group"],
        frame.set_index("query_id")["group"],
        ["a", None, "a"],
        np.array([7, 8, 7]),
    ):
        assert group_labels(groups, queries).tolist() == [0, 1, 0]
    assert group_labels("group", queries, frame).tolist() == [0, 1, 0]
    assert group_labels({"q1": "a"}, queries) is None
    with pytest.raises(irb.InputError, match="none of the queries, such as 'q1'"):
        group_labels({"z": 1}, queries)


def test_shared_documents_show_groups_that_nobody_named():
    qrels = {f"q{i}": {f"d{i // 3}": 1, "other": 0} for i in range(30)}
    run = {query: {"d1": 1.0, "d2": 0.5} for query in qrels}
    with pytest.warns(irb.warnings.RunWarning, match="30 queries share .*10 documents"):
        irb.compare(qrels, [run, run], "RR")
    groups = {query: next(iter(found)) for query, found in qrels.items()}
    compared = irb.compare(qrels, [run, run], "RR", groups=groups)
    assert compared.n_groups == 10


def test_changes_over_time_are_of_groups():
    from irbounds.comparison.runs.changes import changes

    codes, named = evaluations(np.random.default_rng(9), UNEQUAL, gain=0.1)
    days = [np.datetime64(day, "s").item() for day in ("2026-01-30", "2026-01-31")]
    entries = tuple(
        irb.rankings.HistoryEntry(day, "run", own)
        for day, own in zip(days, named.values(), strict=True)
    )
    [found] = changes({"run": entries}, ("AP",), groups=codes)
    expected = compare_evaluations(named, test="t", groups=codes).between("b", "a")
    assert found.difference.p_value == pytest.approx(expected.p_value)
