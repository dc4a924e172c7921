"""Posteriors from confusion counts against mpmath's integrals, the papers' and other tools'
numbers.

The file is longer than 400 lines because `CountsPosterior` has many measures.
"""

import csv
import math
import pickle
import warnings

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import nightly

import irbounds as irb
from irbounds.counts import FScoreDistribution, macro_average, micro_average, paired_comparison
from irbounds.distributions import BetaDistribution, SampledDistribution, random_beta
from tests.data import shared
from tests.reference import counts as reference

COUNTS = st.one_of(st.integers(0, 30), st.integers(0, 10**6))


def test_numbers_of_other_tools():
    low, high = irb.CountsPosterior(80, 26, 20, prior=1).f().interval()
    assert low == pytest.approx(0.7039005937, abs=1e-10)
    # the page of oracles has .8297011246, one digit off
    assert high == pytest.approx(0.8297010246, abs=1e-10)


def test_means_and_modes_of_the_paper():
    post = irb.CountsPosterior(3, 2, 1)
    assert (post.precision.a, post.precision.b, post.recall.a, post.recall.b) == (
        3.5,
        2.5,
        3.5,
        1.5,
    )
    assert irb.CountsPosterior(3, 2, 0).precision.mode == pytest.approx(2.5 / 4)
    assert irb.CountsPosterior(3, 2, 0, prior=1).precision.mode == pytest.approx(3 / 5)
    nothing = irb.CountsPosterior(0, 0, 7)
    assert nothing.precision.mean == 0.5
    assert (
        irb.CountsPosterior(5, 0, 0).precision.mode,
        irb.CountsPosterior(0, 5, 0).precision.mode,
    ) == (1, 0)
    assert math.isnan(nothing.precision.mode)
    assert (
        irb.CountsPosterior(1, 1, 1).f(0).mean,
        irb.CountsPosterior(1, 1, 1).f(math.inf).mean,
    ) == (0.5, 0.5)


# betainc of SciPy 1.16 and its complement miss 1 by up to 3e-11 at counts of 10^6, that of 1.17 by
# 7e-14
COMPLEMENT = 1e-13 if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17) else 3e-11


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize(
    ("tp", "fp", "fn", "beta", "prior"),
    [
        (10, 10, 5, 2, 0.5),
        (0, 7, 0, 10, 1),
        (0, 0, 40, 0.5, 0.1),
        nightly((10**6, 3, 10**6, 0.1, 0.5)),
        nightly((7, 10**6, 10**6, 2, 0.5)),
        nightly((250, 4000, 1, 10, 0.5)),
        (1000, 900, 800, 10, 1),
    ],
)
def test_f_distribution(tp, fp, fn, beta, prior):
    law = irb.CountsPosterior(tp, fp, fn, prior=prior).f(beta)
    for p in (1e-6, 0.025, 0.3, 0.5, 0.975, 0.9999):
        x = law.ppf(p)
        with mpmath.workdps(25):
            exactly = float(reference.f_cdf(x, tp, fp, fn, beta, prior, prior, prior))
        assert law.cdf(x) == pytest.approx(exactly, abs=1e-11)
        assert law.cdf(x) == pytest.approx(p, abs=1e-11)
        assert law.cdf(x) + law.sf(x) == pytest.approx(1, abs=COMPLEMENT)
    x = law.ppf(0.4)
    with mpmath.workdps(25):
        assert law.pdf(x) == pytest.approx(
            float(reference.f_pdf(x, tp, fp, fn, beta, prior, prior, prior)), rel=1e-8
        )


@pytest.mark.long
@pytest.mark.parametrize("beta", [1, nightly(2), nightly(0.5)])
def test_f_moments(beta):
    law = irb.CountsPosterior(10, 3, 5).f(beta)
    with mpmath.workdps(20):
        assert law.mean == pytest.approx(float(reference.f_mean(10, 3, 5, beta)), abs=1e-11)
        assert law.var == pytest.approx(float(reference.f_var(10, 3, 5, beta)), rel=1e-9)


@pytest.mark.parametrize(
    ("tp", "fp", "fn", "prior"),
    [
        (0, 0, 5, 0.001),
        (0, 1000, 1000, 1e-4),
        (0, 7, 7, 1e-10),
        (5, 0, 0, 0.001),
        (10**6, 0, 0, 0.01),
        (10**9, 0, 0, 1e-10),
    ],
)
def test_f_moments_with_small_priors(tp, fp, fn, prior):
    """Q ~ Beta(a, b), F1 = 2 Q/(1 + Q), of which the moments are hypergeometric functions."""
    law = irb.CountsPosterior(tp, fp, fn, prior=prior).f()
    with mpmath.workdps(60):
        a, b = tp + mpmath.mpf(prior), fp + fn + 2 * mpmath.mpf(prior)
        mean = 2 * a / (a + b) * mpmath.hyp2f1(1, a + 1, a + b + 1, -1)
        square = 4 * a * (a + 1) / ((a + b) * (a + b + 1)) * mpmath.hyp2f1(2, a + 2, a + b + 2, -1)
        assert law.mean == pytest.approx(float(mean), rel=1e-8)
        assert law.var == pytest.approx(float(square - mean**2), rel=1e-6)
    assert 0 <= law.mean <= 1


def test_moments_of_many_laws():
    tp, fp, fn = np.random.default_rng(2).integers(0, 90, (3, 2, 60))
    post = irb.CountsPosterior(tp, fp, fn)
    for beta in (1, 2):
        assert post.f(beta).mean.shape == (2, 60)
        assert post.f(beta).var[1, 59] == pytest.approx(post[1, 59].f(beta).var, rel=1e-12)


@pytest.mark.filterwarnings("error")
def test_ends_of_the_density_of_f():
    assert irb.CountsPosterior(0, 10**6, 0).f(2).pdf([0, 1]).tolist() == [math.inf, 0]
    # the mean of 8 (3 W + 1)/5
    assert irb.CountsPosterior(0, 3, 3, prior=1).f(2).pdf(0) == pytest.approx(4)
    assert irb.CountsPosterior([0, 3], 3, 3, prior=1).f(2).mode[0] == 0
    assert irb.CountsPosterior(3, 0, 0, prior=0.5).f(2).mode == 1


@settings(max_examples=150, deadline=None)
@given(COUNTS, COUNTS, COUNTS, st.sampled_from([0.1, 0.5, 1.0, 2.5]), st.floats(0.001, 0.999))
def test_f1_is_that_of_2y_over_1_plus_y(tp, fp, fn, prior, p):
    law = irb.CountsPosterior(tp, fp, fn, prior=prior).f()
    share = BetaDistribution(tp + prior, fp + fn + 2 * prior)
    y = share.ppf(p)
    if 1e-290 < y < 1:
        x = 2 * y / (1 + y)
        rounding = law.pdf(x) * math.ulp(x)  # what the last digit of x makes, near the pole at 1
        assert law.cdf(x) == pytest.approx(p, abs=1e-9 + rounding)
    assert law.ppf(p) == pytest.approx(2 * y / (1 + y), rel=1e-14)
    # the sum over W, which β = 1 spares
    near = FScoreDistribution(tp + prior, fp + prior, fn + prior, 1 + 1e-9)
    assert near.cdf(law.ppf(0.3)) == pytest.approx(law.cdf(law.ppf(0.3)), abs=1e-6)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(COUNTS, COUNTS, COUNTS, st.floats(0.1, 10), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals(tp, fp, fn, beta, level):
    law = irb.CountsPosterior(tp, fp, fn).f(beta)
    low, high = law.interval(level)
    assert law.cdf(high) - law.cdf(low) == pytest.approx(level, abs=1e-9)
    shortest_low, shortest_high = law.interval(level, kind="hpd")
    assert law.cdf(shortest_high) - law.cdf(shortest_low) == pytest.approx(level, abs=1e-7)
    assert shortest_high - shortest_low <= (high - low) * (1 + 1e-9)
    assert law.lower_bound(level) <= law.upper_bound(level)


@pytest.mark.parametrize(
    ("a", "b"),
    [(3.5, 2.5), (0.5, 2.5), (0.5, 0.5), (0.3, 0.6), (1, 1), (1000.5, 0.5), (2.5, 5000.5)],
)
def test_shortest_interval_of_beta(a, b):
    for level in (0.5, 0.95):
        with mpmath.workdps(20):
            expected = [float(end) for end in reference.beta_hpd(a, b, level)]
        assert BetaDistribution(a, b).interval(level, "hpd") == pytest.approx(expected, abs=1e-7)


def test_draws_follow_the_laws():
    post = irb.CountsPosterior([10, 3], [10, 2], [5, 3], tn=[50, 4])
    for law in (post.precision, post.recall, post.f(), post.f(3), post.accuracy):
        drawn = law.rvs(200_000, rng=4)
        assert drawn.shape == (200_000, 2)
        assert drawn.mean(axis=0) == pytest.approx(law.mean, abs=0.003)
        assert drawn.std(axis=0) == pytest.approx(law.std, rel=0.02)
        assert np.mean(drawn <= law.ppf(0.2), axis=0) == pytest.approx(0.2, abs=0.005)
    assert post.f().rvs(rng=1).shape == (2,)
    assert isinstance(post[0].f().rvs(rng=1), float)


def test_measures_with_true_negatives():
    post = irb.CountsPosterior(10, 4, 5, tn=80)
    expected = reference.rates(10, 4, 5, 80)
    for name, ours in (
        ("precision", "precision"),
        ("recall", "recall"),
        ("specificity", "specificity"),
        ("npv", "negative_predictive_value"),
        ("accuracy", "accuracy"),
        ("prevalence", "prevalence"),
    ):
        law = post.measure(ours)
        assert (law.a, law.b) == tuple(map(float, expected[name]))
    mcc = post.matthews(rng=2)
    assert mcc.mean == pytest.approx((10 * 80 - 4 * 5) / math.sqrt(14 * 15 * 84 * 85), abs=0.03)
    low, high = mcc.interval()
    assert -1 <= low < mcc.mean < high <= 1
    assert np.mean((mcc.values > low) & (mcc.values <= high)) == pytest.approx(0.95, abs=0.001)
    with pytest.raises(irb.InputError, match="specificity needs `tn`"):
        assert irb.CountsPosterior(1, 2, 3).specificity


def test_the_least_prior_is_a_law_of_zeros():
    none = irb.CountsPosterior(0, 0, 1018726, prior=1e-250)
    some = irb.CountsPosterior(1173569, 0, 20919, prior=1e-250)
    for margin in (0.0, 0.5, -0.5):
        above = irb.prob_superior(some, none, "recall", margin=margin)
        assert above.probability == pytest.approx(1, abs=1e-11)
        assert above.standard_error < 1e-10
    assert none.recall.cdf(0.5) == pytest.approx(1, abs=1e-11)
    assert none.f(2.0).cdf(0.5) == pytest.approx(1, abs=1e-11)


def test_priors():
    post = irb.CountsPosterior(3, 2, 1, prior=((1, 2), (1, 4)))
    assert (post.precision.a, post.precision.b, post.recall.a, post.recall.b) == (4, 4, 4, 5)
    assert (post.f().a, post.f().b_fp, post.f().b_fn) == (4, 4, 5)
    assert irb.CountsPosterior(3, 2, 1, prior=(1, 2)).recall.b == 3
    stated = irb.CountsPosterior(3, 2, 1, prior={"precision": (2, 2), "f": (1, 1, 1)})
    assert (stated.precision.a, stated.recall.a, stated.f().a) == (5, 3.5, 4)
    with pytest.raises(irb.InputError, match="pass one for F"):
        irb.CountsPosterior(3, 2, 1, prior={"precision": (2, 2)}).f()


def test_arrays_and_labels():
    tp, fp, fn = np.random.default_rng(1).integers(0, 500, (3, 90))
    post = irb.CountsPosterior(tp, fp, fn)
    low, high = post.f().interval()
    assert low.shape == high.shape == post.f(2).mean.shape == (90,)
    one = irb.CountsPosterior(int(tp[7]), int(fp[7]), int(fn[7])).f()
    assert (low[7], high[7]) == pytest.approx(tuple(one.interval()))
    assert post[7].f(2).ppf(0.5) == pytest.approx(post.f(2).ppf(0.5)[7])
    truth, predicted = ["a", "b", "b", "c"], ["a", "b", "c", "c"]
    by_label = irb.CountsPosterior.from_labels(truth, predicted, labels=["a", "b", "c"])
    assert (by_label.tp.tolist(), by_label.fp.tolist(), by_label.fn.tolist()) == (
        [1, 1, 1],
        [0, 0, 1],
        [0, 1, 0],
    )
    marks = np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]])
    assert irb.CountsPosterior.from_labels(*marks).fp.tolist() == [0, 1]
    weighted = irb.CountsPosterior.from_labels([1, 0, 1], [1, 1, 0], weights=[2, 0.5, 1])
    assert (weighted.tp, weighted.fp, weighted.fn) == (2, 0.5, 1)
    assert pickle.loads(pickle.dumps(post)).f().mean == pytest.approx(post.f().mean)


def test_averages():
    together = [irb.CountsPosterior(10, 10, 5), irb.CountsPosterior(3, 2, 3)]
    micro = micro_average(together)
    assert (micro.tp, micro.fp, micro.fn) == (13, 12, 8)
    assert repr(micro_average(irb.CountsPosterior([10, 3], [10, 2], [5, 3]))) == repr(micro)
    moments = macro_average(together, weights=[1, 3])
    drawn = macro_average(together, weights=[1, 3], method="draws", rng=1, draws=400_000)
    assert moments.mean == pytest.approx(drawn.mean, abs=5 * drawn.standard_error)
    assert moments.interval() == pytest.approx(tuple(drawn.interval()), abs=0.02)


def test_macro_averages_by_moments_say_that_they_approximate():
    """B8: four categories, whose ends are wrong by 0.02, came as a plain Beta law."""
    posts = irb.CountsPosterior([10, 3], [10, 2], [5, 3])
    law = macro_average(posts)
    assert isinstance(law, BetaDistribution)
    assert law.is_approximate
    assert repr(law).startswith("BetaDistribution(a=")
    assert repr(law).endswith("an approximation with the exact mean and variance")
    assert pickle.loads(pickle.dumps(law)).is_approximate
    for other in (
        macro_average(posts, method="draws", draws=50, rng=1),
        posts.f(),
        posts.precision,
    ):
        assert not other.is_approximate


def test_posteriors_do_not_change():
    prior, counts = [1, 2], np.array([3.0, 4.0])
    post = irb.CountsPosterior(counts, counts, 1, prior=prior)
    prior[0], counts[0] = 50, 50
    assert (post.prior, post.tp.tolist()) == ((1, 2), [3, 4])
    assert post[0].precision.a == micro_average([post, post])[0].precision.a - 3 == 4
    with pytest.raises(ValueError, match="read-only"):
        post.tp[0] = 9
    with pytest.raises(AttributeError):
        post.prior = 9
    with pytest.raises(AttributeError):
        post.tp = 9


def test_extreme_weights_of_f():
    post = irb.CountsPosterior(3, 2, 1)
    assert post.f(1e200).mean == pytest.approx(post.recall.mean)
    assert post.f(1e-200).mean == pytest.approx(post.precision.mean)


def test_draws_broadcast():
    one, more = (irb.CountsPosterior(tp, 1, 1, tn=1).matthews(1000, rng=1) for tp in (2, [1, 2, 4]))
    assert one.cdf([0.1, 0.2]).tolist() == [np.mean(one.values <= 0.1), np.mean(one.values <= 0.2)]
    assert one.ppf([0.1, 0.2]).tolist() == [
        np.quantile(one.values, 0.1),
        np.quantile(one.values, 0.2),
    ]
    assert more.sf([[0.1], [0.2]])[1, 2] == np.mean(more.values[:, 2] > 0.2)
    assert more.ppf([0.1, 0.2, 0.3])[2] == np.quantile(more.values[:, 2], 0.3)
    assert more.ppf(0.5).shape == more.cdf(0.5).shape == (3,)
    with pytest.raises(irb.InputError, match="draws has no `pdf`"):
        one.pdf(0.1)
    assert np.isfinite(
        irb.CountsPosterior(0, 0, 0, 0, prior=0.001).matthews(2000, rng=1).values
    ).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: irb.CountsPosterior([[1], [1, 2]], 2, 3), "`tp` must be 0 or more and finite"),
        (
            lambda: irb.CountsPosterior(np.ma.array([1, 2], mask=[0, 1]), 2, 3),
            "`tp` .* with masked elements",
        ),
        (
            lambda: irb.CountsPosterior.from_labels(["1", "0"], [1, 0]),
            "all strings or all numbers; found `truth` strings, `prediction` numbers",
        ),
        (
            lambda: irb.CountsPosterior.from_labels(
                np.array(["a", math.nan], object), ["a", "b"], positive="a"
            ),
            "`truth` must have a label for every object; found nan at index 1",
        ),
        (lambda: irb.CountsPosterior.from_labels([[1], [1, 0]], [[1], [1]]), "rows of one length"),
        (
            lambda: irb.CountsPosterior(1, 1, 1, tn=1).matthews(0),
            "`draws` must be a whole number, 2 or more",
        ),
        (lambda: micro_average(5), "`posteriors` must be CountsPosterior objects"),
        (lambda: random_beta(1, 1, 2.5), "`size` must be a whole number"),
        (
            lambda: irb.CountsPosterior([1, 2], [1, 2, 3], 1),
            r"shapes must broadcast; found `tp` \(2,\), `fp` \(3,\)",
        ),
        (  # the hunter's: P(A > B) of these shapes was 0 in place of 1
            lambda: irb.CountsPosterior(0, 0, 1018726, prior=5e-324),
            "`prior` must be 1e-250 or more; found 5e-324",
        ),
        (lambda: irb.CountsPosterior(1, 2, 3, prior={"f1": 1}), "`prior` has pairs for precision"),
        (lambda: irb.CountsPosterior(1, 2, 3).f(-1), "`beta` must be 0 or more; found -1"),
        (lambda: irb.CountsPosterior(1, 2, 3).f().interval(1.5), "`level` must be between 0 and 1"),
        (lambda: irb.CountsPosterior(1, 2, 3).f().ppf(2), "`p` must be from 0 to 1; found 2"),
        (
            lambda: irb.CountsPosterior([1, 2], 2, 3).precision.cdf([0.1, 0.2, 0.3]),
            r"shapes must broadcast; found `x` \(3,\), `distributions` \(2,\)",
        ),
        (
            lambda: (
                irb.CountsPosterior([1, 2], 2, 3, tn=4).matthews(100, rng=1).sf([0.1, 0.2, 0.3])
            ),
            "must broadcast",
        ),
        (lambda: paired_comparison([1, 2], 3).difference_cdf([0.1, 0.2, 0.3]), "must broadcast"),
        (lambda: irb.CountsPosterior(1, 2, 3).f().rvs(2, "x"), "`rng` must be None, .*; found 'x'"),
        (
            lambda: irb.CountsPosterior.from_labels([1, 0], [1]),
            "labels must be of the same objects",
        ),
        (
            lambda: irb.CountsPosterior.from_labels(["a"], ["b"]),
            "pass `positive`, for example positive='a'",
        ),
        (
            lambda: macro_average([irb.CountsPosterior(1, 1, 1)], weights=[1, 2]),
            "`weights` must have one number",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(irb.InputError, match=message):
        make()


def test_a_table_of_real_categories():
    with (shared("reuters21578") / "counts.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["classifier"] == "svm"]
    cells = {name: [int(row[name]) for row in rows] for name in ("tp", "fp", "fn", "tn")}
    post = irb.CountsPosterior(**cells)
    low, high = post.f().interval()
    f1 = (
        2
        * np.array(cells["tp"])
        / np.maximum(1, 2 * np.array(cells["tp"]) + cells["fp"] + cells["fn"])
    )
    assert len(rows) > 10
    some = (f1 > 0) & (f1 < 1)
    assert ((low < f1) & (f1 < high))[some].all()
    micro = micro_average(post)
    assert micro.tp == sum(cells["tp"])


def test_arguments_of_draws_broadcast():
    law = SampledDistribution(np.array([[0.1, 0.5], [0.2, 0.6], [0.3, 0.7], [0.4, 0.8]]))
    x = np.array([[0.25], [0.65], [2]])
    assert law.cdf(x).tolist() == [[0.5, 0], [1, 0.5], [1, 1]]
    assert law.sf(x).tolist() == [[0.5, 1], [0, 0.5], [0, 0]]
    assert law.ppf(np.array([[0.0], [0.5], [1.0]])) == pytest.approx(
        np.array([[0.1, 0.5], [0.25, 0.65], [0.4, 0.8]])
    )
    single = SampledDistribution(law.values[:, 0])
    assert (single.cdf(0.25), single.ppf(0.5)) == (0.5, 0.25)
    assert single.cdf(x).shape == (3, 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [(32.0, 56175565.0), (14.0, 16846570.0), (2e7, 6e7), (1919.0, 76834641.0), (3e8, 3e8)],
)
def test_large_whole_parameters_keep_their_digits(a, b):
    """With a uniform prior parameters are whole; errors of 1e-10 of probabilities and 4e-7 of
    densities were met."""
    law = BetaDistribution(a, b)
    for x in law.ppf([1e-6, 0.2, 0.9]).tolist():
        with mpmath.workdps(30):
            below = reference.beta_cdf(mpmath.mpf(x), a, b)
            log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(mpmath.mpf(a) + b)
            density = mpmath.exp(
                (a - 1) * mpmath.log(x) + (b - 1) * mpmath.log1p(-mpmath.mpf(x)) - log_beta
            )
        assert law.cdf(x) == pytest.approx(float(below), abs=5e-12)
        assert law.sf(x) == pytest.approx(float(1 - below), abs=5e-12)
        assert law.pdf(x) == pytest.approx(float(density), rel=1e-10)


@pytest.mark.parametrize(("a", "b"), [(1e-305, 1e6), (1e-305, 1e7), (1e-200, 1e12), (5e-324, 1e9)])
def test_beta_distributions_of_tiny_means(a, b):
    """P(X > x) = a times the integral of (1 - t)^(b - 1)/t from x on, below e^(-b x)/x."""
    law, other = BetaDistribution(a, b), BetaDistribution(b, a)
    assert law.cdf([1e-3, 0.5]).tolist() == [1, 1]
    assert other.sf([0.5, 0.999]).tolist() == [1, 1]
    for value in (*law.sf([1e-3, 0.5]), *other.cdf([0.5, 0.999])):
        assert 0 <= value <= 1000 * a


# A table of counts in the order of the command line
# ----------------------------------------------------------------------------------------


def test_the_fourth_count_is_true_negatives():
    """It was the prior, in silence: precision in [.499, .545] for [.830, .947]."""
    four = irb.CountsPosterior(90, 10, 30, 870)
    assert repr(four) == repr(irb.CountsPosterior(90, 10, 30, tn=870))
    assert four.precision.interval() == irb.CountsPosterior(90, 10, 30).precision.interval()
    with pytest.raises(TypeError):
        irb.CountsPosterior(90, 10, 30, 870, 0.5)


def test_a_prior_that_outweighs_the_counts_is_said():
    message = "the prior of precision weighs 1740 objects, the counts 100: the posterior is mostly"
    with pytest.warns(irb.warnings.SampleWarning, match=message):
        irb.CountsPosterior(90, 10, 30, prior=870)
    with pytest.warns(irb.warnings.SampleWarning, match="the prior of recall weighs 8 objects"):
        irb.CountsPosterior([90, 5], 10, [30, 1], prior={"recall": (4, 4)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for prior in (0.5, 1, 1.0, (1, 1), (20, 5), {"f": (1, 1, 1)}):
            irb.CountsPosterior(90, 10, 30, prior=prior)
        irb.CountsPosterior(0, 0, 0, prior=1)


def test_true_and_false_are_no_counts():
    for make in (
        lambda: irb.CountsPosterior(5, 3, True),
        lambda: irb.CountsPosterior([5, 3], np.array([True, False]), 1),
        lambda: irb.CountsPosterior([5, True], 3, 1),
        lambda: irb.recall_interval((12000, 150, True), (88000, 1300, 20)),
        lambda: irb.recall_interval([(12000, 150, np.True_)], (88000, 1300, 20)),
    ):
        with pytest.raises(irb.InputError, match="must be a number, not True or False; found"):
            make()


def test_matthews_by_name():
    post = irb.CountsPosterior(90, 10, 30, 870)
    assert post.measure("matthews").mean == pytest.approx(post.matthews(rng=1).mean, abs=0.002)
    with pytest.raises(irb.InputError, match="`method` must be 'monte-carlo' for the measure 'mat"):
        irb.prob_superior(post, post, "matthews")
    better = irb.prob_superior(post, post, "matthews", method="monte-carlo", rng=1)
    assert better.probability == pytest.approx(0.5, abs=0.01)
