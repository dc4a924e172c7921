"""Posteriors from counts: Beta laws and F by quadrature with 20 digits and more."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import ABOVE_1, RELATIVE, Family, Row
from tests.reference import comparison as slow_comparison
from tests.reference import counts as slow

# The tests' tolerances, but where a docstring says less.
CDF, MOMENT, VARIANCE, DENSITY = 1e-11, 1e-11, 1e-9, 1e-8
ENDS, SHORTEST = 1e-9, 1e-7  # a shortest interval is flat about its optimum
SUPERIOR, OVERCLAIMED = 1e-12, 1e-12  # the docstring: about 1e-12 at most
PAIRED, DIFFERENCE, EFFECT, MCNEMAR = 1e-11, 1e-10, 1e-12, 1e-12
QUADRATURE = "quadrature, 22 digits"
LEVELS = (0.01, 0.3, 0.5, 0.975)
Counts = tuple[int, int, int]


def random_counts(rng: np.random.Generator, most: float = 4) -> Counts:
    """tp, fp, fn of all sizes, 0 among them."""
    return tuple(int(10 ** rng.uniform(0, most)) - 1 for _ in range(3))  # type: ignore[return-value]


def near(counts: Counts, rng: np.random.Generator) -> Counts:
    """Those of a system that may be better or worse."""
    return tuple(round(count * rng.uniform(0.8, 1.25)) for count in counts)  # type: ignore[return-value]


def beta_laws(n: int) -> Iterator[Row]:
    """Precision and recall."""
    rng = np.random.default_rng(1)
    rows = {
        name: Row(f"CountsPosterior.precision, .recall: {name}", QUADRATURE, promised, kind)
        for name, promised, kind in (
            ("cdf, sf", CDF, ABOVE_1),
            ("ppf", CDF, ABOVE_1),
            ("mean", MOMENT, ABOVE_1),
            ("pdf", DENSITY, RELATIVE),
            ("interval", ENDS, ABOVE_1),
            ("interval, hpd", SHORTEST, ABOVE_1),
        )
    }
    for _ in range(n):
        tp, fp, fn = random_counts(rng)
        post, (a, b, c) = irb.CountsPosterior(tp, fp, fn), slow.shapes(tp, fp, fn)
        with mpmath.workdps(22):
            for law, other in ((post.precision, b), (post.recall, c)):
                x = law.ppf(LEVELS)
                rows["cdf, sf"].add(law.cdf(x), [slow.beta_cdf(value, a, other) for value in x])
                rows["cdf, sf"].add(law.sf(x), [1 - slow.beta_cdf(value, a, other) for value in x])
                exact = [slow.beta_ppf(p, a, other) for p in LEVELS]
                rows["ppf"].add(x, exact)
                rows["mean"].add(law.mean, a / (a + other))
                t = slow.logit(x[1])
                rows["pdf"].add(
                    law.pdf(x[1]), slow.density(t, a, other) / (x[1] * (1 - mpmath.mpf(x[1])))
                )
                ends = (
                    slow.beta_ppf(p, a, other) for p in (mpmath.mpf(1) / 40, mpmath.mpf(39) / 40)
                )
                rows["interval"].add(list(law.interval(0.95)), list(ends))
                rows["interval, hpd"].add(
                    list(law.interval(0.95, "hpd")), list(slow.beta_hpd(a, other, 0.95))
                )
    yield from rows.values()


def large_beta_laws(n: int) -> Iterator[Row]:
    """Precision of counts that no one assesses by hand, far into the tails."""
    rng = np.random.default_rng(10)
    rows = {
        name: Row(
            f"CountsPosterior.precision, counts of 10^4 to 10^8: {name}", QUADRATURE, promised, kind
        )
        for name, promised, kind in (
            ("cdf, sf", CDF, ABOVE_1),
            ("mean", MOMENT, ABOVE_1),
            ("var", MOMENT, RELATIVE),
            ("pdf", DENSITY, RELATIVE),
        )
    }
    for i in range(n):
        tp, fp = (int(10 ** rng.uniform(4, 8)) for _ in range(2))
        tp, prior = tp if i % 3 else i, 1 if i % 2 else 0.5
        law, a, b = irb.CountsPosterior(tp, fp, 7, prior).precision, tp + prior, fp + prior
        x = law.ppf([1e-6, 0.3, 0.975])
        with mpmath.workdps(30):
            exact = [slow.beta_cdf(mpmath.mpf(value), a, b) for value in x.tolist()]
            rows["cdf, sf"].add(law.cdf(x), exact)
            rows["cdf, sf"].add(law.sf(x), [1 - value for value in exact])
            total = mpmath.mpf(a) + b
            rows["mean"].add(law.mean, a / total)
            rows["var"].add(law.var, a * mpmath.mpf(b) / (total**2 * (total + 1)))
            log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(total)
            rows["pdf"].add(
                law.pdf(x),
                [
                    mpmath.exp(
                        (a - 1) * mpmath.log(value)
                        + (b - 1) * mpmath.log1p(-mpmath.mpf(value))
                        - log_beta
                    )
                    for value in x.tolist()
                ],
            )
    yield from rows.values()


def f1_laws(n: int) -> Iterator[Row]:
    """F1, which has closed forms."""
    rng = np.random.default_rng(2)
    below = Row("CountsPosterior.f().cdf", "the beta law in closed form, 22 digits", CDF)
    quantile = Row(
        "CountsPosterior.f().ppf, .interval", "the beta law in closed form, 22 digits", CDF
    )
    held = Row(
        "CountsPosterior.f().interval, hpd: probability held",
        "the beta law in closed form, 22 digits",
        SHORTEST,
    )
    for _ in range(n):
        counts = random_counts(rng)
        law = irb.CountsPosterior(*counts).f()
        with mpmath.workdps(22):
            x = law.ppf(LEVELS)
            below.add(law.cdf(x), [slow.f1_cdf(value, *counts) for value in x])
            quantile.add(x, [slow.f1_ppf(p, *counts) for p in LEVELS])
            quantile.add(
                list(law.interval(0.8)), [slow.f1_ppf(mpmath.mpf(p) / 10, *counts) for p in (1, 9)]
            )
            low, high = law.interval(0.8, "hpd")
            held.add(0.8, slow.f1_cdf(high, *counts) - slow.f1_cdf(low, *counts))
    yield from (below, quantile, held)


def f_laws(n: int) -> Iterator[Row]:
    """F_β of other β: P(F <= x) at the library's own quantiles, and the density there."""
    rng = np.random.default_rng(3)
    for beta in (0.5, 2, 10):
        below = Row(f"CountsPosterior.f({beta:g}).cdf", QUADRATURE, CDF)
        quantile = Row(f"CountsPosterior.f({beta:g}).ppf, probability reached", QUADRATURE, CDF)
        density = Row(f"CountsPosterior.f({beta:g}).pdf", QUADRATURE, DENSITY, RELATIVE)
        for _ in range(n):
            counts = random_counts(rng)
            law = irb.CountsPosterior(*counts).f(beta)
            with mpmath.workdps(22):
                for p in (0.025, 0.6):
                    x = law.ppf(p)
                    exact = slow.f_cdf(x, *counts, beta)
                    below.add(law.cdf(x), exact)
                    quantile.add(p, exact)
                density.add(law.pdf(x), slow.f_pdf(x, *counts, beta))
        yield from (below, quantile, density)


def moments(n: int) -> Iterator[Row]:
    """Mean and variance of F, and those of means over categories."""
    rng = np.random.default_rng(4)
    mean = Row("CountsPosterior.f(…).mean", "double quadrature, 20 digits", MOMENT)
    variance = Row("CountsPosterior.f(…).var", "double quadrature, 20 digits", VARIANCE, RELATIVE)
    macro = Row("macro_average, mean", "double quadrature, 20 digits", MOMENT)
    spread = Row("macro_average, variance", "double quadrature, 20 digits", VARIANCE, RELATIVE)
    micro = Row("micro_average, quantiles of F1", "the beta law in closed form, 22 digits", CDF)
    for i in range(n):
        beta, pair = (1, 2, 0.5)[i % 3], [random_counts(rng, 2), random_counts(rng, 2)]
        posteriors = [irb.CountsPosterior(*counts) for counts in pair]
        with mpmath.workdps(20):
            exact = [slow.f_mean(*counts, beta) for counts in pair]
            exact_var = [
                slow.f_moment(2, *counts, beta) - m**2
                for counts, m in zip(pair, exact, strict=True)
            ]
        mean.add([post.f(beta).mean for post in posteriors], exact)
        variance.add([post.f(beta).var for post in posteriors], exact_var)
        law = irb.counts.macro_average(posteriors, beta=beta, weights=[1, 3])
        macro.add(law.mean, (exact[0] + 3 * exact[1]) / 4)
        spread.add(law.var, (exact_var[0] + 9 * exact_var[1]) / 16)
        with mpmath.workdps(22):
            total = [sum(column) for column in zip(*pair, strict=True)]
            micro.add(
                irb.counts.micro_average(posteriors).f().ppf(LEVELS),
                [slow.f1_ppf(p, *total) for p in LEVELS],
            )
    yield from (mean, variance, macro, spread, micro)


def rates(n: int) -> Iterator[Row]:
    """Means of every rate of the four cells."""
    rng = np.random.default_rng(5)
    row = Row("CountsPosterior: means of all rates of four cells", "formula, 50 digits", MOMENT)
    for _ in range(n):
        tp, fp, fn = random_counts(rng)
        tn = random_counts(rng)[0]
        exact, post = slow.rates(tp, fp, fn, tn), irb.CountsPosterior(tp, fp, fn, tn=tn)
        for ours, theirs in (
            ("precision", "precision"),
            ("recall", "recall"),
            ("specificity", "specificity"),
            ("negative_predictive_value", "npv"),
            ("accuracy", "accuracy"),
            ("prevalence", "prevalence"),
        ):
            a, b = exact[theirs]
            row.add(post.measure(ours).mean, a / (a + b))
    yield row


SUPERIORITIES = (
    ("precision", 1, 0),
    ("recall", 1, 0),
    ("f", 1, 0),
    ("precision", 1, 0.05),
    ("recall", 1, -0.1),
    ("f", 1, 0.05),
    ("f", 1, -0.2),
)


def superiority(n: int) -> Iterator[Row]:
    """P(A better than B), and whether its error is within what the result says that it may be."""
    rng = np.random.default_rng(6)
    claimed = Row(
        "prob_superior: error beyond the standard_error it states", QUADRATURE, OVERCLAIMED
    )
    for measure, beta, margin in SUPERIORITIES:
        yield superior(rng, n, measure, beta, margin, claimed)
    yield claimed


def superiority_by_f2(n: int) -> Iterator[Row]:
    """Where both laws are integrals themselves."""
    claimed = Row(
        "prob_superior, F2: error beyond the standard_error it states", QUADRATURE, OVERCLAIMED
    )
    for margin in (0, 0.05):
        yield superior(np.random.default_rng(9), n, "f", 2, margin, claimed)
    yield claimed


def superior(
    rng: np.random.Generator, n: int, measure: str, beta: float, margin: float, claimed: Row
) -> Row:
    """Systems of one size, near each other."""
    name = f"F{beta:g}" if measure == "f" else measure
    row = Row(f"prob_superior, {name}" + f", margin {margin}" * (margin != 0), QUADRATURE, SUPERIOR)
    for _ in range(n):
        a = random_counts(rng, 3)
        b = near(a, rng)
        found = irb.prob_superior(
            irb.CountsPosterior(*a), irb.CountsPosterior(*b), measure, beta, margin=margin
        )
        with mpmath.workdps(22):
            exact = slow.prob_superior(a, b, measure, beta, mpmath.mpf(margin))
            row.add(found.probability, exact)
            claimed.add(max(0.0, float(abs(found.probability - exact)) - found.standard_error), 0)
    return row


def paired(n: int) -> Iterator[Row]:
    """Systems on the same objects."""
    rng = np.random.default_rng(7)
    rows = {
        name: Row(f"paired_comparison: {name}", "quadrature, 22 digits", promised, kind)
        for name, promised, kind in (
            ("probability", PAIRED, ABOVE_1),
            ("difference", EFFECT, ABOVE_1),
            ("difference_variance", EFFECT, RELATIVE),
            ("log_odds", EFFECT, ABOVE_1),
            ("log_odds_variance", EFFECT, RELATIVE),
            ("difference_cdf", DIFFERENCE, ABOVE_1),
            ("difference_interval, probability reached", ENDS, ABOVE_1),
        )
    }
    for _ in range(n):
        counts = random_counts(rng, 3)
        ours = irb.counts.paired_comparison(*counts)
        with mpmath.workdps(22):
            exact = slow.paired(*counts)
            for name in ("probability", "difference", "log_odds"):
                rows[name].add(getattr(ours, name), getattr(exact, name))
            for name in ("difference", "log_odds"):
                rows[f"{name}_variance"].add(
                    getattr(ours, f"{name}_variance"), getattr(exact, f"{name}_var")
                )
            low, high = ours.difference_interval(0.9)
            reached = [slow.paired_difference_cdf(end, *counts) for end in (low, high)]
            rows["difference_cdf"].add(ours.difference_cdf([low, high]), reached)
            rows["difference_interval, probability reached"].add([0.05, 0.95], reached)
    yield from rows.values()


def labels(n: int) -> Iterator[Row]:
    """Counts from labels, and McNemar's test by all outcomes of as many coins."""
    rng = np.random.default_rng(8)
    by_labels = Row("paired_comparison_from_labels: probability", "quadrature, 22 digits", PAIRED)
    mcnemar = Row("PairedComparison.mcnemar", "enumeration, fractions", MCNEMAR, RELATIVE)
    for _ in range(n):
        truth, first, second = rng.integers(0, 2, (3, 20))
        ours = irb.counts.paired_comparison_from_labels(truth, first, second)
        outcomes = [int(a == t) - int(b == t) for t, a, b in zip(truth, first, second, strict=True)]
        with mpmath.workdps(22):
            by_labels.add(
                ours.probability, slow.paired(*map(outcomes.count, (1, -1, 0))).probability
            )
        mcnemar.add(ours.mcnemar(), slow_comparison.sign_p(outcomes) if any(outcomes) else 1)
    yield from (by_labels, mcnemar)


FAMILIES = [
    Family(beta_laws, 30, 2, "CountsPosterior"),
    Family(large_beta_laws, 60, 4, ""),
    Family(f1_laws, 60, 4, "FScoreDistribution"),
    Family(f_laws, 8, 1, ""),
    Family(moments, 4, 0, "macro_average micro_average"),
    Family(rates, 60, 4, ""),
    Family(superiority, 12, 1, "prob_superior Superiority"),
    Family(superiority_by_f2, 2, 0, ""),
    Family(paired, 40, 1, "paired_comparison PairedComparison"),
    Family(labels, 20, 1, "paired_comparison_from_labels"),
]
