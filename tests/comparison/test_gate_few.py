"""Gates of few queries, which may lack those that decide."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom
from sizes import long

import irbounds as irb
from irbounds.comparison.gates.checks import Question, judge
from irbounds.comparison.gates.rare_queries import all_agree, count_unlike, few_unlike


def gate_of(apart, measure="AP", **options):
    zeros = np.zeros((len(apart), 1))
    values = 0.5 + zeros, 0.5 + np.asarray(apart, float)[:, None]
    runs = [irb.Evaluation((measure,), tuple(range(len(apart))), each) for each in values]
    return irb.comparison.gate_evaluations(*runs, **options)


def test_chances_are_binomial():
    for n, unlike in itertools.product((1, 2, 5, 14, 30, 400), range(5)):
        few = few_unlike(n, min(unlike, n), 0.1, math.inf)
        expected = binom.cdf(unlike if unlike <= 2 else 0, n, 0.2) if unlike <= n else None
        if expected is not None:
            assert few.share == 0.2
            assert few.chance == pytest.approx(expected, rel=1e-12)


def test_the_share_is_what_turns_the_mean():
    # three queries in seven at -0.4 make a mean of 0 of 0.3
    few = few_unlike(10, 0, 0.3, 0.4)
    assert few.share == pytest.approx(3 / 7)
    assert few.chance == pytest.approx((4 / 7) ** 10)
    assert few_unlike(10, 0, 0.3, 0.0).chance == 0  # no value can turn it
    assert few_unlike(10, 0, -0.3, 0.4).share == 0.2
    assert few_unlike(10, 0, 0.01, 1.0).share == 0.2


def test_queries_that_differ_are_counted_but_for_rounding():
    assert count_unlike(np.array([0.3, 0.1 + 0.2, 0.5, -0.2])) == 2
    assert count_unlike(np.zeros(5)) == 0
    assert count_unlike(np.array([0.0, 1e-9, 2e-9])) == 2


def test_where_all_agree_the_share_against_them_is_a_tenth():
    # P(none of n) of 1/10, or of one or two of n that are unlike the rest, if one in five is
    for n, unlike in itertools.product((1, 5, 14, 22, 28, 29, 400), range(5)):
        few = few_unlike(n, min(unlike, n), 0.01, math.inf, agree=True)
        one_in_five = binom.cdf(unlike if unlike <= 2 else 0, n, 0.2) if unlike <= n else 0
        if unlike <= n:
            assert few.chance == pytest.approx(max(one_in_five, 0.9**n), rel=1e-12)
            assert few.agree == (0.9**n >= one_in_five)
    # a share of 1/6 at the limit -0.5 turns a mean of 0.1
    few = few_unlike(30, 5, 0.1, 0.5, agree=True)
    assert few.share == pytest.approx(1 / 6)
    assert few.chance == pytest.approx((5 / 6) ** 30)


def test_values_agree_but_for_rounding():
    assert all_agree(np.array([0.1, 0.0, 0.3, -1e-14]))
    assert all_agree(np.zeros(3))
    assert not all_agree(np.array([0.1, -1e-9]))


def test_what_is_said_of_few_queries():
    for apart, expected in (
        (np.resize([0.12, 0.13, 0.15, 0.14], 20), "all agree"),
        ([-0.011, *[0.0] * 12], "a kind that makes up 20 % of all queries"),
    ):
        (check,) = gate_of(apart, margin=0.01).checks
        assert check.verdict == "unclear"
        assert expected in check.reason


def test_a_gate_says_how_many_queries_or_groups_it_takes():
    for alpha, unlike, agree in itertools.product((0.2, 0.05, 1e-3), (0, 1, 2), (False, True)):
        few = few_unlike(7, unlike, 0.1, math.inf, agree)
        needed = few.enough(alpha)
        assert binom.cdf(few.unlike, needed, few.share) < alpha
        assert binom.cdf(few.unlike, needed - 1, few.share) >= alpha
    for n_groups, verdict in ((9, "unclear"), (10, "pass"), (14, "pass")):
        apart = np.linspace(-0.04, 0.27, 3 * n_groups)
        (check,) = gate_of(apart, groups=[f"g{i // 3}" for i in range(3 * n_groups)]).checks
        assert check.verdict == verdict
        if verdict == "unclear":
            assert check.reason.endswith("; 10 groups or more are needed")
            assert "queries" not in check.reason


def test_words_of_gates():
    # a strict gate fails significant losses alone
    mixed = gate_of(np.resize([0.02, -0.03, 0.01, -0.01], 40), margin=0.05, strict=True)
    assert mixed.verdict == "pass"
    assert mixed.checks[0].difference < 0
    assert "fails at any significant loss, margin 0.05" in mixed.to_text()
    [check] = gate_of([-0.2] * 60).checks
    assert check.reason == "all queries changed by the same amount: there is no variance"
    # what rounds to 0 has no minus
    small = np.resize([1e-6, -1.1e-6, 1e-7, -1e-7], 40)
    shown = gate_of(small).to_text() + gate_of(small).to_markdown() + str(gate_of(small).checks[0])
    assert "-0.0000" not in shown


@pytest.mark.parametrize("sign", [-1, 1])
def test_fewer_than_twenty_nine_queries_that_agree_are_too_few(sign):
    apart = sign * np.resize([0.02, 0.03, 0.05, 0.04], 29)
    decided = "pass" if sign > 0 else "fail"
    for n, verdict in ((4, "unclear"), (28, "unclear"), (29, decided)):
        found = gate_of(apart[:n])
        (check,) = found.checks
        assert found.verdict == check.verdict == verdict
        if verdict == "unclear":
            share, chance = (0.2, 0.8**n) if 0.8**n > 0.9**n else (0.1, 0.9**n)
            assert check.reason.startswith(
                f"too few queries to say: all agree, but with a chance of {100 * chance:.2g} %, "
                f"{n} queries include none of a kind that makes up {100 * share:.2g} % of all "
                f"queries and disagrees; {14 if share == 0.2 else 29} queries or more are needed"
            )
            assert check.low > 0 or check.high < -0.01
        else:
            assert check.reason is None
            assert "Student" not in found.to_text()  # all tests agree: nothing to explain
        assert check.deciding_p == (1.0 if sign > 0 else pytest.approx(0.9**n))
    # with a greater alpha fewer do: 0.9^16 is below 0.2
    assert gate_of(apart[:16], alpha=0.2).verdict == decided
    assert gate_of(apart[:15], alpha=0.2).verdict == "unclear"


@pytest.mark.parametrize("sign", [-1, 1])
def test_fewer_than_fourteen_queries_are_too_few_also_where_one_is_against(sign):
    apart = sign * np.resize([-0.011, 0.12, 0.13, 0.15, 0.14, 0.16, 0.17], 14)
    decided = "pass" if sign > 0 else "fail"
    for n, verdict in ((13, "unclear"), (14, decided)):
        (check,) = gate_of(apart[:n], strict=True).checks
        assert check.verdict == verdict
        assert (check.reason is None) == (n == 14)


@pytest.mark.parametrize(("unlike", "least"), [(1, 22), (2, 30)])
def test_one_or_two_queries_that_differ_are_few_among_thirty(unlike, least):
    # all gain more than the margin but one or two, which lose less beyond it
    for n in (least - 1, least):
        check = gate_of([-0.0101] * unlike + [0.01] * (n - unlike)).checks[0]
        assert check.verdict == ("unclear" if n < least else "pass")
    check = gate_of([-0.0101] * unlike + [0.01] * (least - 1 - unlike)).checks[0]
    said = f"{least - 1} queries include at most {unlike} of a kind that makes up 20 % of all"
    assert said in check.reason


def test_a_loss_that_the_others_cannot_make_up_fails_with_few_queries():
    # a measure of at most 1: (1/1.44)^9 is below 0.05, (1/1.44)^8 is not
    apart = -np.resize([0.42, 0.43, 0.46, 0.45], 10)
    assert gate_of(apart[:8]).verdict == "unclear"
    assert gate_of(apart[:9]).verdict == "fail"
    assert gate_of(apart[:9], "DCG").verdict == "unclear"  # which has no limit
    assert gate_of(np.full(5, -0.9)).verdict == "fail"


@pytest.mark.long
@pytest.mark.parametrize("n", [14, long(25)])
def test_losses_of_few_queries_pass_in_at_most_alpha_but_where_none_is_seen(n):
    # four in five do not change; by Student's t alone .28, .24 and .20 pass
    rng = np.random.default_rng(22)
    asked = Question(0.02, 0.05, False)
    count = 1500
    apart = -rng.exponential(0.1, (count, n)) * (rng.random((count, n)) < 0.2)
    passed = sum(judge(each, asked).passes for each in apart)
    # .8^n have no loss at all; two standard errors, and few others
    assert passed / count <= 0.05 + 3 * (0.05 * 0.95 / count) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("n", [14, long(20), long(25)])
def test_losses_of_one_query_in_ten_pass_in_at_most_alpha(n):
    # it loses ten times as much as the others, and 23, 12 and 7 % of the samples lack it
    rng = np.random.default_rng(23)
    asked = Question(0.19, 0.05, False)  # just the mean loss
    count = 1500
    size = np.where(rng.random((count, n)) < 0.1, 1.0, 0.1)
    apart = -size * (1 + 0.3 * rng.normal(0, 1, (count, n)))
    passed = sum(judge(each, asked).passes for each in apart)
    # .004 of 100,000 pass
    assert passed / count <= 0.05
