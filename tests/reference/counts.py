"""Posteriors from counts, slowly: Goutte & Gaussier 2005 (GG), and what follows beyond it.

The reading: the probabilities of the four cells are Dirichlet(tp + prior, fp + prior, fn + prior,
tn + prior), that is, proportional to independent Gammas: X (tp), Y (fp), Z (fn), with shapes A, B,
C, and one for tn. Then (GG eq. 8, 10)
    precision = X/(X+Y) ~ Beta(A, B), recall = X/(X+Z) ~ Beta(A, C),
    F = (1+b^2) X / ((1+b^2) X + b^2 Z + Y), b the beta of F.
Laws are those of ln(x/(1-x)), as in `beta_laws`; priors are (relevant, fp, fn), 1/2 each if left
out.
"""

from collections import namedtuple

from mpmath import digamma, exp, log, mp, mpf, polygamma

from .beta_laws import (  # noqa: F401  the Beta laws are part of this module's face
    HALF,
    below,
    beta_cdf,
    beta_hpd,
    beta_ppf,
    density,
    integral,
    logit,
    ordered,
)

Distribution = namedtuple("Distribution", "density below above")  # of ln(x/(1-x)), functions of t


def beta_law(a, b, shift=0):
    """Distribution of ln(x/(1-x)) + shift, x ~ Beta(a, b)."""
    return Distribution(
        lambda t: density(t - shift, a, b),
        lambda t: below(t - shift, a, b),
        lambda t: below(shift - t, b, a),
    )


def shapes(tp, fp, fn, prior_relevant=HALF, prior_fp=HALF, prior_fn=HALF):
    """A, B, C."""
    priors = prior_relevant, prior_fp, prior_fn
    return [
        mp.convert(n) + mp.convert(prior) for n, prior in zip((tp, fp, fn), priors, strict=True)
    ]


# One system
# ---------------------------------------------------------------------------------------------


def f_law(beta, A, B, C):  # noqa: N803
    """ln(F/(1-F)) = ln(S/(1-S)) + ln((1+b^2)/c), c = 1-W + b^2 W; S = X/(X+Y+Z), W = Z/(Y+Z) are
    independent Betas.

    So each of F's functions at t is the mean over w = ln(W/(1-W)) of that of S at t -
    ln((1+b^2)/c).
    """
    b2 = mp.convert(beta) ** 2

    def mean(of_s):
        def at_w(t, w):
            return density(w, C, B) * of_s(t - log((1 + b2) * (1 + exp(w)) / (1 + b2 * exp(w))))

        return lambda t: integral(lambda w: at_w(t, w))

    return Distribution(*map(mean, beta_law(A, B + C)))


def f_cdf(x, tp, fp, fn, beta=1, *priors):
    """P(F <= x)."""
    x = mp.convert(x)
    return f_law(beta, *shapes(tp, fp, fn, *priors)).below(logit(x)) if 0 < x < 1 else mpf(x >= 1)


def f_sf(x, tp, fp, fn, beta=1, *priors):
    """P(F > x), with all its digits where it is small."""
    x = mp.convert(x)
    return f_law(beta, *shapes(tp, fp, fn, *priors)).above(logit(x)) if 0 < x < 1 else mpf(x <= 0)


def f_pdf(x, tp, fp, fn, beta=1, *priors):
    """Density of F at 0 < x < 1: the derivative of f_cdf, taken under the integral."""
    x = mp.convert(x)
    return f_law(beta, *shapes(tp, fp, fn, *priors)).density(logit(x)) / (x * (1 - x))


def from_low(v, low):
    """For x = low + (1-low) e^v/(1+e^v): ln(x/(1-x)) and its derivative by v."""
    return log((exp(v) + low) / (1 - low)), exp(v) / (exp(v) + low)


def f_cdf_by_precision(x, tp, fp, fn, beta=1, *priors):
    """P(F <= x), 0 < x < 1, another way: precision p and q = Z/(X+Y+Z) ~ Beta(C, A+B) are
    independent, too.

    With k = (1+b^2)(1-x), F <= x is q/(1-q) >= (kp - x(1-p)) / (b^2 x): certain up to p0 = x/(k+x);
    beyond it, p = p0 + (1-p0) s, s = e^v/(1+e^v), and the right-hand side is ks / (b^2 x).
    """
    A, B, C = shapes(tp, fp, fn, *priors)
    x, b2 = mp.convert(x), mp.convert(beta) ** 2
    k = (1 + b2) * (1 - x)

    def beyond(v):
        t, slope = from_low(v, x / (k + x))
        return density(t, A, B) * slope * below(log(b2 * x * (1 + exp(-v)) / k), A + B, C)

    return below(log(x / k), A, B) + integral(beyond)


def f_moment(power, tp, fp, fn, beta=1, *priors):
    """Mean of F^power: the double integral over S and W."""
    A, B, C = shapes(tp, fp, fn, *priors)
    b2 = mp.convert(beta) ** 2

    def given(w):
        ratio = (1 + b2 * exp(w)) / (1 + exp(w)) / (1 + b2)
        return integral(lambda s: density(s, A, B + C) / (1 + ratio * exp(-s)) ** power)

    return integral(lambda w: density(w, C, B) * given(w))


def f_mean(tp, fp, fn, beta=1, *priors):
    """Mean of F."""
    return f_moment(1, tp, fp, fn, beta, *priors)


def f_var(tp, fp, fn, beta=1, *priors):
    """Variance of F; as many digits cancel as it has zeros after the point."""
    return f_moment(2, tp, fp, fn, beta, *priors) - f_moment(1, tp, fp, fn, beta, *priors) ** 2


def f1_cdf(x, tp, fp, fn, *priors):
    """P(F_1 <= x) in closed form: F_1 = 2S/(1+S), S ~ Beta(A, B+C) (GG eq. 11)."""
    A, B, C = shapes(tp, fp, fn, *priors)
    x = mp.convert(x)
    return beta_cdf(x / (2 - x), A, B + C)


def f1_ppf(p, tp, fp, fn, *priors):
    """The p-quantile of F_1."""
    A, B, C = shapes(tp, fp, fn, *priors)
    s = beta_ppf(p, A, B + C)
    return 2 * s / (1 + s)


def rates(tp, fp, fn, tn, prior=HALF):
    """The (a, b) of every rate that is a Beta when the four cells are Dirichlet with one prior for
    each.

    A rate of pooled cells gets their pooled priors: accuracy is Beta(2 prior, 2 prior) before any
    data. Matthews' correlation, informedness and the like are no Betas, and are left out.
    """
    tp, fp, fn, tn = (mp.convert(n) + mp.convert(prior) for n in (tp, fp, fn, tn))
    return {
        "precision": (tp, fp),
        "recall": (tp, fn),
        "specificity": (tn, fp),
        "npv": (tn, fn),
        "accuracy": (tp + tn, fp + fn),
        "prevalence": (tp + fn, fp + tn),
        "jaccard": (tp, fp + fn),
    }


# Two systems on different data
# --------------------------------------------------------------------------


def law_of(measure, system, beta, priors):
    """Distribution of "precision", "recall" or "f" of a system (tp, fp, fn); F_1 as 2S/(1+S): twice
    the odds of S."""
    A, B, C = shapes(*system, *priors)
    if measure == "f":
        return beta_law(A, B + C, log(2)) if beta == 1 else f_law(beta, A, B, C)
    return beta_law(A, {"precision": B, "recall": C}[measure])


def prob_superior(a, b, measure="f", beta=1, delta=0, priors=(HALF,) * 3, *, by_densities=None):
    """P(M_a - M_b > delta), -1 < delta < 1, for independent systems (tp, fp, fn).

    For delta >= 0, M_a is delta + (1-delta) s, and M_b must be below (1-delta) s, s = e^v/(1+e^v).
    The chance of that is M_b's law; where that is an integral itself (F, beta not 1), `ordered`
    makes it from M_b's density.
    """
    delta = mp.convert(delta)
    if delta < 0:
        return 1 - prob_superior(b, a, measure, beta, -delta, priors, by_densities=by_densities)
    law_a, law_b = law_of(measure, a, beta, priors), law_of(measure, b, beta, priors)

    def density_a(v):
        t, slope = from_low(v, delta)
        return law_a.density(t) * slope

    def density_b(v):
        t, slope = from_low(-v, delta)
        return law_b.density(-t) * slope

    if by_densities or (by_densities is None and measure == "f" and beta != 1):
        return ordered(density_a, density_b)
    return integral(lambda v: density_a(v) * law_b.below(-from_low(-v, delta)[0]))


# Two systems on the same objects
# ------------------------------------------------------------------------

Paired = namedtuple("Paired", "probability difference difference_var log_odds log_odds_var")


def pair(wins, losses, same, priors):
    """The Dirichlet's parameters (GG eq. 16)."""
    return [
        mp.convert(n) + mp.convert(prior)
        for n, prior in zip((wins, losses, same), priors, strict=True)
    ]


def paired(wins, losses, same=0, a1=HALF, a2=HALF, a3=HALF):
    """P(pi1 > pi2), mean and variance of pi1 - pi2 and of ln(pi1/pi2), a ratio of Gammas (GG eq.
    17, 20, 21)."""
    a1, a2, a3 = pair(wins, losses, same, (a1, a2, a3))
    total = a1 + a2 + a3
    mean = (a1 - a2) / total
    variance = ((a1 + a2) / total - mean**2) / (total + 1)
    return Paired(
        below(mpf(0), a2, a1),
        mean,
        variance,
        digamma(a1) - digamma(a2),
        polygamma(1, a1) + polygamma(1, a2),
    )


def difference_sf(d, a1, a2, a3):
    """P(pi1 - pi2 > d), 0 <= d < 1: pi1 - pi2 = D (2T-1), D = pi1 + pi2 and T = pi1/D independent
    Betas."""

    def integrand(v):
        t, slope = from_low(v, d)
        return (
            density(t, a1 + a2, a3)
            * slope
            * below(-log(1 + 2 * d * (1 + exp(-v)) / (1 - d)), a2, a1)
        )

    return integral(integrand)


def difference_sf_by_pi1(d, a1, a2, a3):
    """The same as GG's eq. 18 has it: over pi1 ~ Beta(a1, a2+a3); pi2/(1-pi1) ~ Beta(a2, a3) is to
    be below

    y = (pi1-d) / (1-pi1), which is certain beyond pi1 = (1+d)/2. Before it, y = e^v/(1+e^v).
    """

    def integrand(v):
        y = 1 / (1 + exp(-v))
        return (
            density(log((y + d) / (1 - d)), a1, a2 + a3) * y * (1 - y) / (y + d) * below(v, a2, a3)
        )

    return below(log((1 - d) / (1 + d)), a2 + a3, a1) + integral(integrand)


def paired_difference_cdf(d, wins, losses, same=0, a1=HALF, a2=HALF, a3=HALF, sf=difference_sf):
    """P(pi1 - pi2 <= d), -1 < d < 1; both systems change places for d < 0."""
    d = mp.convert(d)
    a1, a2, a3 = pair(wins, losses, same, (a1, a2, a3))
    return sf(-d, a2, a1, a3) if d < 0 else 1 - sf(d, a1, a2, a3)
