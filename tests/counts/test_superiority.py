"""P(A beats B), for systems on different data and on the same, against mpmath, draws and the
paper's tables.

The file is longer than 400 lines because of its tables of cases.
"""

import csv
import json
import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sizes import long

import irbounds as irb
from irbounds.counts import paired_comparison, paired_comparison_from_labels
from tests.commands import assert_refused, run_cli
from tests.reference import counts as reference

A, B = (10, 10, 5), (3, 2, 3)

# Table 2 of the paper: wins and losses, the probability that it estimated and the standard error,
# in percent.
TABLE_2 = [
    (17, 4, 99.77, 0.05),
    (43, 28, 96.41, 0.19),
    (39, 23, 97.90, 0.14),
    (21, 15, 84.32, 0.36),
    (17, 11, 87.32, 0.33),
    (23, 22, 55.75, 0.50),
    (24, 24, 49.73, 0.50),
    (10, 9, 59.56, 0.49),
    (6, 11, 11.38, 0.32),
    (6, 5, 61.45, 0.49),
    (13, 6, 94.62, 0.23),
    (12, 9, 74.31, 0.44),
    (8, 3, 93.43, 0.25),
    (58, 43, 93.76, 0.24),
    (28, 28, 49.19, 0.50),
    (38, 21, 98.61, 0.12),
    (14, 13, 57.87, 0.49),
    (22, 4, 99.97, 0.02),
    (24, 10, 99.23, 0.09),
    (10, 11, 41.22, 0.49),
    (1, 4, 9.76, 0.30),
    (6, 7, 39.68, 0.49),
    (11, 6, 88.70, 0.32),
    (4, 2, 78.66, 0.41),
    (9, 2, 98.48, 0.12),
    (2, 7, 4.36, 0.20),
    (5, 3, 76.29, 0.43),
    (0, 3, 3.39, 0.18),
    (3, 1, 83.71, 0.37),
    (1, 0, 82.31, 0.38),
    (5, 3, 75.81, 0.43),
    (3, 2, 66.66, 0.47),
    (0, 3, 3.49, 0.18),
]


def superior(a, b, measure="f", beta=1, margin=0, **options):
    return irb.prob_superior(
        irb.CountsPosterior(*a), irb.CountsPosterior(*b), measure, beta, margin=margin, **options
    )


def test_numbers_of_the_paper():
    for measure, expected in (
        ("precision", 0.652222372209),
        ("recall", 0.237181563608),
        ("f", 0.426307401693),
    ):
        assert superior(B, A, measure).probability == pytest.approx(expected, abs=1e-12)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("a", "b", "measure", "beta", "margin"),
    [
        (A, B, "precision", 1, 0.1),
        (A, B, "f", 1, -0.2),
        ((0, 0, 0), (5, 0, 0), "precision", 1, 0),
        long(((0, 3, 0), (10**6, 3, 1), "precision", 1, 0)),
        long(((1000, 10, 20), (990, 15, 12), "f", 1, 0)),
        long(((0, 862, 301), (0, 708, 269), "f", 1, 0)),
        long(((50, 0, 0), (40, 0, 0), "precision", 1, 0)),
        long(((0, 10**5, 0), (0, 10**4, 5), "f", 1, 0)),
        ((18868, 1086, 71049), (0, 0, 87), "f", 1, 0.05),
        long(((17199, 0, 10869), (31, 0, 0), "recall", 1, 0.05)),
        ((18102, 0, 66), (1, 1, 14204), "precision", 1, 0),
        long(((10**6, 10**5, 10**5), (10**6 + 300, 10**5, 10**5), "f", 1, 0)),
        long((A, B, "f", 2, 0)),
    ],
)
def test_exact_probabilities(a, b, measure, beta, margin):
    with mpmath.workdps(25):
        expected = float(reference.prob_superior(a, b, measure, beta, mpmath.mpf(margin)))
    result = superior(a, b, measure, beta, margin)
    assert result.probability == pytest.approx(expected, abs=1e-10)
    assert abs(result.probability - expected) <= result.standard_error + 1e-12
    assert result.method == "exact"


@pytest.mark.parametrize(
    ("a", "b", "prior"), [long(((5, 0, 0), (0, 5, 0), 0.001)), ((0, 0, 0), (2, 2, 0), 1e-6)]
)
def test_small_priors(a, b, prior):
    with mpmath.workdps(20):
        expected = float(
            reference.prob_superior(a, b, "precision", priors=(mpmath.mpf(prior),) * 3)
        )
    pair = (irb.CountsPosterior(*counts, prior=prior) for counts in (a, b))
    assert irb.prob_superior(*pair, "precision").probability == pytest.approx(expected, abs=1e-12)


def test_f_under_tiny_priors_is_refused():
    a, b = (irb.CountsPosterior(5, n, 0, prior=9e-5) for n in (0, 3))
    with pytest.raises(irb.InputError, match=r"prior must be 0.0001 or more for F with beta"):
        irb.prob_superior(a, b, beta=2)
    assert irb.prob_superior(a, b).probability > 0.9
    drawn = irb.prob_superior(a, b, beta=2, method="monte-carlo", draws=1000, rng=1)
    assert drawn.probability > 0.9


@pytest.mark.parametrize("margin", [1e-9, 1e-11, 0.0])
def test_tiny_margins_between_laws_far_apart(margin):
    """The quadrature for margins did not end here: one law is a thousand times as narrow."""
    a, b = (irb.CountsPosterior(*counts, prior=1e-4) for counts in ((9, 189, 0), (99_449, 0, 1)))
    assert irb.prob_superior(a, b, beta=0.05, margin=margin).probability == 0
    assert irb.prob_superior(b, a, beta=0.05, margin=-margin).probability == 1


def test_the_stated_error_holds_rounding():
    """Two methods agreed to 2e-14, and both were off by 3.4e-13; the truth is the twin's to 30
    digits."""
    a, b = (
        irb.CountsPosterior(*counts, prior=1.0440726430263425)
        for counts in ((498, 1, 3), (681, 0, 1193))
    )
    result = irb.prob_superior(a, b, beta=0.0856924557395737)
    assert abs(result.probability - 0.99148971815157842828) <= result.standard_error < 2e-11


@pytest.mark.parametrize(
    ("counts", "prior", "margin", "truth"),
    [  # integrals with mpmath, 30 digits, over the logarithms of both ends
        (((2, 0, 1), (0, 1, 1)), 0.002390729758088832, 0.002560358940850111, 0.99999029310391079),
        (((1, 0, 1), (1, 0, 0)), 0.0021454878529635567, 0.0032586234491607364, 0.0121215774156318),
    ],
)
def test_sums_that_agree_with_loose_panels_by_chance(counts, prior, margin, truth):
    """The error was 1.2e-11 where 8.4e-13 was stated."""
    a, b = (irb.CountsPosterior(*some, prior=prior) for some in counts)
    result = irb.prob_superior(a, b, "precision", margin=margin)
    assert abs(result.probability - truth) < min(1e-12, result.standard_error)


def test_margins_between_laws_far_apart():
    """F of about 1e-10 and .99999 with a margin."""
    a = irb.CountsPosterior(532259, 5, 0)
    b = irb.CountsPosterior(4, 533224959587, 61)
    for one, other, margin, expected in ((a, b, 0.02, 1), (b, a, -0.02, 0), (a, b, 0.99, 1)):
        result = irb.prob_superior(one, other, beta=0.16, margin=margin)
        assert result.probability == expected
        assert result.standard_error < 2e-11


@pytest.mark.long
@pytest.mark.quick_examples(40)
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.integers(0, 40), st.integers(0, 10**5)), min_size=6, max_size=6),
    st.sampled_from([0.1, 0.5, 1, 2, 10]),
    st.sampled_from(["precision", "recall", "f"]),
    st.floats(-0.3, 0.3),
)
def test_exact_and_monte_carlo_agree(counts, beta, measure, margin):
    a, b = counts[:3], counts[3:]
    exact = superior(a, b, measure, beta, margin).probability
    drawn = superior(a, b, measure, beta, margin, method="monte-carlo", draws=20_000, rng=1)
    assert (
        abs(exact - drawn.probability)
        <= 5 * np.sqrt(max(exact * (1 - exact), 1e-9) / 20_000) + 1e-9
    )
    assert drawn.posterior.mean == pytest.approx(drawn.probability, abs=1e-4)
    assert exact + superior(b, a, measure, beta, -margin).probability == pytest.approx(1, abs=1e-8)


@pytest.mark.long
def test_arrays_of_pairs():
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 60, (3, 40)), rng.integers(0, 2000, (3, 40))
    first[:, :5] = second[:, :5]
    for beta, margin in ((1, 0), (2, 0), (1, 0.05)):
        pair = irb.CountsPosterior(*first), irb.CountsPosterior(*second)
        together = irb.prob_superior(*pair, beta=beta, margin=margin)
        single = [
            superior(first[:, i], second[:, i], "f", beta, margin).probability for i in range(40)
        ]
        assert together.probability == pytest.approx(single, abs=1e-10)
    against_one = irb.prob_superior(
        irb.CountsPosterior(*first), irb.CountsPosterior(*B), method="monte-carlo", rng=1
    )
    exact = irb.prob_superior(irb.CountsPosterior(*first), irb.CountsPosterior(*B))
    assert (
        np.abs(against_one.probability - exact.probability) <= 5 * against_one.standard_error + 1e-4
    ).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "f2"}, "`measure` must be one of 'f', 'precision'"),
        ({"margin": 2}, "`margin` must be from -1 to 1; found 2"),
        ({"method": "monte-carlo", "draws": 0}, "`draws` must be a whole number, 1 or more"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(irb.InputError, match=message):
        superior(A, B, **options)


def test_posteriors_are_meant():
    with pytest.raises(irb.InputError, match="`a` must be a CountsPosterior"):
        irb.prob_superior(A, irb.CountsPosterior(*B))
    with pytest.raises(irb.InputError, match="shapes must broadcast"):
        irb.prob_superior(irb.CountsPosterior([1, 2], 1, 1), irb.CountsPosterior([1, 2, 3], 1, 1))


def test_paired_table_of_the_paper():
    wins, losses, percent, error = np.array(TABLE_2).T
    ours = paired_comparison(wins, losses).probability * 100
    assert (np.abs(ours - percent) <= 4 * error).all()


def test_paired_numbers():
    assert paired_comparison(8, 5, 37).probability == pytest.approx(0.79667937088556, abs=1e-13)
    for counts, expected in (
        ((17, 4), 0.99828),
        ((43, 28), 0.96280),
        ((8, 3), 0.93600),
        ((2, 7), 0.0450),
        ((1, 0), 0.8183),
        ((23, 22), 0.5591),
    ):
        assert paired_comparison(*counts).probability == pytest.approx(expected, abs=6e-5)


@pytest.mark.quick_examples(15)
@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 3000),
    st.integers(0, 3000),
    st.integers(0, 10**6),
    st.sampled_from([(0.5, 0.5, 0.5), (1, 1, 1), (0.1, 2, 30)]),
)
def test_paired_effects(wins, losses, same, prior):
    ours = paired_comparison(wins, losses, same, prior=prior)
    with mpmath.workdps(25):
        exact = reference.paired(wins, losses, same, *map(mpmath.mpf, prior))
        assert ours.probability == pytest.approx(float(exact.probability), rel=1e-11, abs=1e-13)
        assert ours.difference == pytest.approx(float(exact.difference), abs=1e-14)
        assert ours.difference_variance == pytest.approx(float(exact.difference_var), rel=1e-12)
        assert ours.log_odds == pytest.approx(float(exact.log_odds), abs=1e-12)
        assert ours.log_odds_variance == pytest.approx(float(exact.log_odds_var), rel=1e-12)
    low, high = ours.difference_interval(0.9)
    assert ours.difference_cdf([low, high]) == pytest.approx([0.05, 0.95], abs=1e-9)
    assert ours.difference_cdf(0) == pytest.approx(1 - ours.probability, abs=1e-11)
    assert ours.difference_cdf([-1, 1]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("wins", "losses", "same", "x"),
    [
        (17, 4, 30, 0.1),
        (17, 4, 0, 0.6),
        (0, 0, 0, 0.3),
        (2, 7, 100, -0.02),
        long((300, 250, 10**5, 1e-4)),
    ],
)
def test_paired_difference_distribution(wins, losses, same, x):
    with mpmath.workdps(20):
        expected = float(reference.paired_difference_cdf(x, wins, losses, same))
    assert paired_comparison(wins, losses, same).difference_cdf(x) == pytest.approx(
        expected, abs=1e-10
    )


def test_differences_of_lopsided_counts():
    """The distribution function fell (issue 16); the value at 0.4999 is mpmath's."""
    found = paired_comparison(5_000_000, 100)
    places = [0.0, 0.999, 0.99995, 0.99996, 0.99997, 1.0]
    reached = found.difference_cdf(places)
    assert (np.diff(reached) >= 0).all()
    assert reached[[0, 1, 5]].tolist() == pytest.approx([0, 0, 1], abs=1e-12)
    interval = found.difference_interval()
    assert found.difference_cdf(list(interval)) == pytest.approx([0.025, 0.975], abs=1e-8)
    assert abs(sum(interval) / 2 - found.difference) < 1e-6
    other = paired_comparison(1e6, 10, 1e6)
    assert other.difference_cdf(0.4999) == pytest.approx(0.397214283, abs=1e-9)


def test_updating_equals_pooling():
    in_turn = paired_comparison(3, 1, 10).update(5, 0, 2).update([1, 2], 4)
    assert in_turn.probability == pytest.approx(paired_comparison([9, 10], 5, 12).probability)
    with pytest.raises(AttributeError, match="cannot assign to field 'wins'"):
        in_turn.wins = 3
    assert pickle.loads(pickle.dumps(in_turn)).alpha[1] == pytest.approx(5.5)


def test_paired_labels():
    truth, first, second = [1, 1, 0, 0, 2], [1, 1, 0, 1, 2], [1, 0, 1, 1, 2]
    result = paired_comparison_from_labels(truth, first, second)
    assert (result.wins, result.losses, result.same) == (2, 0, 3)
    by_label = paired_comparison_from_labels(truth, first, second, labels=[0, 1, 2])
    assert (by_label.wins.tolist(), by_label.losses.tolist()) == ([2, 2, 0], [0, 0, 0])
    marks = np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1]]), np.array([[0, 0], [0, 1]])
    assert paired_comparison_from_labels(*marks).losses.tolist() == [0, 1]
    assert result.mcnemar() == stats.binomtest(2, 2).pvalue
    assert paired_comparison([5, 0], [1, 0]).mcnemar().tolist() == [stats.binomtest(5, 6).pvalue, 1]
    wins, losses = np.meshgrid([0, 1, 2, 7, 100, 1000], [0, 1, 3, 7, 90, 1100])
    expected = [
        stats.binomtest(int(n1), int(n1 + n2)).pvalue if n1 + n2 else 1
        for n1, n2 in zip(wins.flat, losses.flat, strict=True)
    ]
    assert paired_comparison(wins, losses).mcnemar().ravel() == pytest.approx(
        expected, rel=1e-10, abs=0
    )
    assert paired_comparison(5, 1).to_dict()["wins"] == 5


def test_prior_of_any_number_type():
    assert (
        paired_comparison(1, 2, prior=np.int64(1)).alpha == paired_comparison(1, 2, prior=1).alpha
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: paired_comparison(10**400, 2), "`wins` must be 0 or more and finite"),
        (lambda: paired_comparison([1, 2], 2).update([1, 2, 3], 0), "shapes must broadcast"),
        (
            lambda: paired_comparison_from_labels(["1", "0"], [1, 0], [1, 1]),
            "labels must be all strings or all numbers",
        ),
        (
            lambda: paired_comparison_from_labels([1, float("nan")], [1, 1], [1, 0]),
            "`truth` must have a label",
        ),
        (lambda: paired_comparison([1, 2], [1, 2, 3]), "shapes must broadcast"),
        (
            lambda: paired_comparison(1.5, 2).mcnemar(),
            "`wins` must be whole for McNemar's test; found 1.5",
        ),
        (
            lambda: paired_comparison_from_labels([1, 0], [1, 1], [1, 0], weights=[1]),
            "`weights` must have one number",
        ),
    ],
)
def test_bad_paired_input(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()


def test_counts_on_the_command_line():
    done = run_cli(
        *("counts", "--tp", 10, "--fp", 10, "--fn", 5, "--tp", 3, "--fp", 2, "--fn", 3),
        *("--format", "json"),
    )
    rows = json.loads(done.stdout)["rows"]
    assert rows[1]["P(first better if tested on different data)"] == pytest.approx(
        1 - 0.426307401693
    )
    assert rows[0]["F1.low"] == pytest.approx(irb.CountsPosterior(*A).f().interval().low)
    table = "system,category,tp,fp,fn\na,x,10,10,5\na,y,3,2,3\nb,x,4,4,4\nb,y,1,2,3\n"
    rows = list(csv.DictReader(run_cli("counts", "-", "-f", "csv", text=table).stdout.splitlines()))
    assert [(row["system"], row["category"]) for row in rows] == [
        ("a", "x"),
        ("a", "y"),
        ("a", "(micro-average)"),
        ("b", "x"),
        ("b", "y"),
        ("b", "(micro-average)"),
    ]
    assert float(rows[2]["precision"]) == pytest.approx(13.5 / 26)
    assert float(rows[3]["P(first better if tested on different data)"]) == pytest.approx(
        superior(A, (4, 4, 4)).probability
    )


@pytest.mark.long
def test_label_files_on_the_command_line(tmp_path):
    for name, labels in (("truth", "1 1 0 0"), ("a", "1 1 0 1"), ("b", "1 0 1 1")):
        (tmp_path / name).write_text("\n".join(labels.split()))
    done = run_cli(
        "counts",
        "--truth",
        tmp_path / "truth",
        "--prediction",
        tmp_path / "a",
        "--prediction",
        tmp_path / "b",
    )
    pairs = irb.PairedCounts.from_labels([1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 1, 1])
    assert f"{pairs.prob_superior().probability:.4f}" in done.stdout
    done = run_cli(
        "counts",
        "--truth",
        tmp_path / "truth",
        "--prediction",
        tmp_path / "a",
        "--prediction",
        tmp_path / "a",
        "-f",
        "json",
    )
    assert [row["system"] for row in json.loads(done.stdout)["rows"]] == [
        str(tmp_path / "a"),
        str(tmp_path / "a") + " (2)",
    ]
    assert run_cli("counts", "--tp", 1, "--fp", 2, "--fn", 3, "-f", "latex").stdout.startswith(
        r"\begin{tabular}"
    )
    done = run_cli("counts", "--tp", 1, "--fp", 2, "--fn", 3, "--margin", 0.1)
    assert (done.returncode, "there is one system only" in done.stderr) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ("counts", None, "give --tp, --fp and --fn, or a table"),
        ("counts --tp 1 --fp 2 --fn 3 --fn 4", None, "every system needs all of its counts"),
        ("counts --tp -1 --fp 2 --fn 3", None, "--tp must be 0 or more and finite; found -1"),
        ("counts -", "tp,fp\n1,2\n", "standard input:1: expected a column 'fn'"),
        ("counts -", "tp,fp,fn\n1,2\n", "standard input:2: expected 3 columns, found 2"),
        ("counts -", "tp;fp;fn\n1;2;x\n", "standard input:2: expected a number as fn, found 'x'"),
        ("counts -", "tp,fp,fn,TP\n1,2,3,9\n", "standard input:1: duplicate column 'tp'"),
        ("counts -", "\n", "standard input: the file has no rows"),
        (
            "counts -",
            "system,category,tp,fp,fn\na,x,1,2,3\nb,x,1,2,3\na,x,5,2,3\n",
            "standard input:4: expected one row for system 'a' category 'x'; there is one already "
            "at standard input:2",
        ),
        ("counts absent.csv", None, "absent.csv: No such file"),
        ("counts --truth x", None, "--truth and at least one --prediction"),
        ("counts --tp 1 --fp 2 --fn 3 --measure g", None, "--measure must be one of"),
        ("counts --tp 1 --fp 2 --fn 3 --confidence-level 95", None, "between 0 and 1"),
    ],
)
def test_bad_command_lines(arguments, text, message):
    assert_refused(run_cli(*arguments.split(), text=text), message)
