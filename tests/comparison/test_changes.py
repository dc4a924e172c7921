"""Changes over time: which pairs are tested, and which hold."""

import numpy as np
import pytest
from scipy import stats

import irbounds as irb
from irbounds.comparison.runs.changes import changes, marks
from irbounds.comparison.significance.corrections import holm

QUERIES = tuple(f"q{i}" for i in range(30))


def entries(columns, name="RR", hashes=None):
    days = [np.datetime64("2026-01-01") + i for i in range(len(columns))]
    return tuple(
        irb.rankings.HistoryEntry(
            day.astype("M8[s]").item(),
            "a",
            irb.Evaluation((name,), QUERIES, np.asarray(column)[:, None]),
            qrels_sha256=hashes[i] if hashes else None,
        )
        for i, (day, column) in enumerate(zip(days, columns, strict=True))
    )


def noisy(rng, shifts):
    base = rng.uniform(0.2, 0.6, 30)
    return [base + rng.normal(shift, 0.05, 30) for shift in shifts]


def test_p_values_are_scipy_s_and_corrected_over_all_tests(seed):
    columns = noisy(np.random.default_rng(seed), [0, 0, 0.1, 0.1])
    found = changes({"a": entries(columns)}, ("RR",))
    pairs = [(one.entry, one.against, one.kind) for one in found]
    assert pairs == [
        (1, 0, "step"), (2, 1, "step"), (2, 0, "drift"), (3, 2, "step"), (3, 0, "drift")
    ]  # fmt: skip
    raw = [stats.ttest_rel(columns[i], columns[j]).pvalue for i, j, _ in pairs]
    assert [one.adjusted_p_value for one in found] == pytest.approx(holm(np.array(raw)), rel=1e-9)
    single = changes({"a": entries(columns)}, ("RR",), correction=None)
    assert [one.adjusted_p_value for one in single] == pytest.approx(raw, rel=1e-9)
    assert [one.holds for one in single] == [p < 0.05 for p in raw]


def test_a_step_is_marked_once_and_a_slow_drift_too():
    rng = np.random.default_rng(0)  # a second mark by chance is right in 5 % of histories
    found = changes({"a": entries(noisy(rng, [0, 0, 0, 0.2, 0.2, 0.2]))}, ("RR",))
    [step] = marks(found)
    assert (step.kind, step.entry, step.is_better) == ("step", 3, True)
    slow = [np.linspace(0.2, 0.6, 30) + 0.004 * day + rng.normal(0, 0.02, 30) for day in range(12)]
    [drift] = marks(changes({"a": entries(slow)}, ("RR",)))
    assert (drift.kind, drift.against) == ("drift", 0)
    worse = changes({"a": entries(noisy(rng, [0, 0.2]), "ESL(nr=1)")}, ("ESL(nr=1)",))
    assert not worse[0].is_better


def test_other_judgments_and_equal_values_are_not_tested(seed):
    columns = noisy(np.random.default_rng(seed), [0, 0, 0.2, 0.2])
    parts = changes({"a": entries(columns, hashes="xxyy")}, ("RR",))
    assert [(one.entry, one.against) for one in parts] == [(1, 0), (3, 2)]
    same = changes({"a": entries([columns[0]] * 4)}, ("RR",))
    assert same == []
    assert changes({"a": entries([np.full(30, np.inf), columns[0]])}, ("RR",)) == []


def test_entries_that_repeat_the_one_before_are_no_new_tests(seed):
    columns = noisy(np.random.default_rng(seed), [0, 0.03, 0.02, 0.3, 0.3])
    plain = changes({"a": entries(columns)}, ("RR",))
    places = [0, 0, 0, 1, 1, 1, 2, 3, 3, 4, 4]  # of the column of each entry
    again = changes({"a": entries([columns[i] for i in places])}, ("RR",))
    as_before = [(places[one.entry], one.kind, one.adjusted_p_value) for one in again]
    assert as_before == [(one.entry, one.kind, one.adjusted_p_value) for one in plain]
    marked = [places[one.entry] for one in marks(again)]
    assert marked == [one.entry for one in marks(plain)]


def test_a_drift_is_marked_again_after_a_return_to_the_first_values():
    rng = np.random.default_rng(19)
    start = rng.uniform(0.2, 0.6, 30)
    first, second = rng.normal(0.005, 0.02, (2, 30))
    middle, end = start + first, start + first + second
    near = end + 1e-4 * rng.normal(size=30)  # no step, and the drift is the same as before
    columns = [start, middle, end, end, near, middle, start, middle, end]
    found = changes({"a": entries(columns)}, ("RR",), correction=None)
    assert [(one.kind, one.entry) for one in marks(found)] == [("drift", 2), ("drift", 8)]


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_a_change_by_the_same_amount_on_all_queries_is_tested(test):
    [step] = changes({"a": entries([np.full(30, 1.0), np.full(30, 0.2)])}, ("RR",), test=test)
    by = "wilcoxon" if test == "wilcoxon" else "sign"
    assert (step.test, step.holds, step.is_better) == (by, True, False)
    assert step.difference.difference == pytest.approx(-0.8, rel=1e-12)
    if by == "sign":
        assert step.adjusted_p_value == stats.binomtest(0, 30).pvalue
    # five signs cannot reject
    few = [
        irb.rankings.HistoryEntry(
            f"2026-01-0{day}", "a", irb.Evaluation(("RR",), QUERIES[:5], values)
        )
        for day, values in ((1, np.full((5, 1), 1.0)), (2, np.full((5, 1), 0.2)))
    ]
    [step] = changes({"a": tuple(few)}, ("RR",), test=test)
    assert (step.adjusted_p_value, step.holds) == (2 / 2**5, False)


def test_a_measure_that_entries_lack_is_compared_with_the_last_that_has_it(seed):
    columns = noisy(np.random.default_rng(seed), [0, 0, 0.3])
    own = [*entries(columns[:1]), *entries(columns, "AP")[1:2], *entries(columns)[2:]]
    [step] = changes({"a": tuple(own)}, ("AP", "RR"))
    assert (step.entry, step.against, step.kind, step.holds) == (2, 0, "step", True)


def test_measures_that_are_no_means_are_not_tested(seed):
    columns = noisy(np.random.default_rng(seed), [0, 0.3])
    assert changes({"a": entries(columns, "GMAP")}, ("GMAP",)) == []
    assert len(changes({"a": entries(columns, "NumRelRet")}, ("NumRelRet",))) == 1


@pytest.mark.long
def test_histories_without_a_change_are_marked_in_at_most_five_of_a_hundred(seed):
    # of 200 histories 10 are expected at most; more than 20 would be in fewer than 2 of 1,000
    rng = np.random.default_rng(seed)
    n = 0
    for _ in range(200):
        found = changes({"a": entries(noisy(rng, [0] * 8))}, ("RR",))
        n += any(one.holds for one in found)
    assert n <= 20
