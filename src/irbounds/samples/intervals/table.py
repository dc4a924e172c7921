"""The methods for intervals from samples: one row each, which everything else reads.

A new method is one row here and one function of a `Request`, in a module of its own: the recipe is
in CONTRIBUTING.md.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import SIDES
from irbounds.samples.bounds import anytime, guaranteed
from irbounds.samples.intervals.formulas import koopman, naive, normal
from irbounds.samples.model.priors import MOST_CONSERVATIVE, PerStratum, Prior
from irbounds.samples.model.quantiles import ENGINES
from irbounds.samples.model.request import AVERAGE as AVERAGE
from irbounds.samples.model.request import BELOW as BELOW
from irbounds.samples.model.request import EVERY as EVERY
from irbounds.samples.model.request import HALF, Method
from irbounds.samples.posterior.methods import (
    beta_binomial,
    beta_binomial_law,
    beta_jeffreys,
    beta_law,
)

ALL_MEASURES = ("recall", "precision", "F", "yield", "elusion")
BETA_BINOMIAL: dict[str, Any] = {
    "ends": dict.fromkeys(ALL_MEASURES, beta_binomial),
    "engines": ENGINES,
    "is_monotone": True,
    "stratum_law": beta_binomial_law,
}

INTERVAL_METHODS = {
    method.name: method
    for method in (
        Method(
            name="betabinom-half",
            note="beta-binomial posterior with a prior of α = β = ½ in each segment; Webber's "
            "recommendation",
            covers=AVERAGE,
            section="3.6",
            row=9,
            prior=HALF,
            prior_words="a prior of α = β = ½ in each segment",
            **BETA_BINOMIAL,
            answers_unsplit=True,
        ),
        Method(
            name="betabinom-uniform",
            note="the same, with α = β = 1",
            covers=BELOW,
            section="3.6",
            row=7,
            prior=(1.0, 1.0),
            prior_words="a prior of α = β = 1 in each segment",
            **BETA_BINOMIAL,
            answers_unsplit=True,
        ),
        Method(
            name="betabinom-mcp",
            note="the same, with the most conservative prior (eq. 18)",
            covers=AVERAGE,
            section="3.6",
            row=8,
            prior=MOST_CONSERVATIVE,
            prior_words="the most conservative prior of each segment",
            **BETA_BINOMIAL,
        ),
        Method(
            name="beta-jeffreys",
            note="beta posteriors of the unseen documents' shares",
            covers=AVERAGE,
            ends=dict.fromkeys(("recall", "precision", "elusion"), beta_jeffreys),
            section="3.5",
            row=6,
            engines=ENGINES,
            is_monotone=True,
            stratum_law=beta_law,
        ),
        Method(
            name="koopman",
            note="chi-square interval on the ratio of two shares; infinite population",
            covers=AVERAGE,
            ends={"recall": koopman},
            section="3.4",
            row=5,
            allows_strata=False,
        ),
        Method(
            name="normal-mle",
            note="normal approximation by propagation of error; often too narrow",
            covers=BELOW,
            ends={"recall": normal},
            section="3.2",
            row=2,
            forces_ends=False,
        ),
        Method(
            name="normal-laplace",
            note="the same, with 1 added to all counts",
            covers=BELOW,
            ends={"recall": normal},
            section="3.3",
            row=3,
            added=1.0,
        ),
        Method(
            name="normal-agresti-coull",
            note="the same, with 2 added to all counts",
            covers=BELOW,
            ends={"recall": normal},
            section="3.3",
            row=4,
            added=2.0,
        ),
        Method(
            name="naive-binomial",
            note="takes all relevant documents seen for one sample; wrong, shown because it is in "
            "use",
            covers=BELOW,
            ends={"recall": naive},
            section="3.1",
            row=1,
            forces_ends=False,
        ),
        Method(
            name="betabinom-half-per-stratum",
            note="a prior of α = β = ½ in every stratum, as in the paper; wrong for many strata",
            covers=BELOW,
            prior=PerStratum(HALF),
            prior_words="a prior of α = β = ½ in every stratum",
            **BETA_BINOMIAL,
        ),
        Method(
            name="guaranteed",
            note="inverts a test of recall, the worst case over the yields; never covers less than "
            "its level",
            covers=EVERY,
            ends={
                "recall": guaranteed.recall,
                "precision": guaranteed.share,
                "F": guaranteed.f_score,
                "yield": guaranteed.yield_of,
                "elusion": guaranteed.share,
            },
            engines=("exact",),
            forces_ends=False,
            is_monotone=True,
            is_slow=True,
            # Clopper and Pearson's bounds on a share are quantiles of these posteriors.
            stand_ins=((0.0, 1.0), HALF, (1.0, 0.0)),
            answers_unsplit=True,
        ),
        Method(
            name="anytime",
            note="holds at every look at samples that grow, all looks together",
            covers=EVERY,
            ends={
                "recall": anytime.recall,
                "precision": anytime.share,
                "yield": anytime.yield_of,
                "elusion": anytime.share,
            },
            engines=("exact",),
            forces_ends=False,
            is_monotone=True,
            is_slow=True,
            takes_prior=True,
            holds_at_all_looks=True,
        ),
    )
}
METHODS = tuple(INTERVAL_METHODS)
PRIOR_OF: dict[str, Prior] = {
    name: method.prior for name, method in INTERVAL_METHODS.items() if method.prior is not None
}
PAPER_METHODS = tuple(
    method.name
    for method in sorted(INTERVAL_METHODS.values(), key=lambda method: method.row)
    if method.in_paper
)
TWO_SIDED, ONE_SIDED = INTERVAL_METHODS["betabinom-half"], INTERVAL_METHODS["guaranteed"]


def usual_method(side: str, method: str | None = None) -> str:
    """The method that was asked for, or the usual one: the posterior with the half prior for
    two-sided intervals, the guaranteed bound for one-sided claims."""
    check_choice("side", side, SIDES)
    if method is None:
        return (TWO_SIDED if side == "two-sided" else ONE_SIDED).name
    check_choice("method", method, METHODS)
    check_choice("side", side, INTERVAL_METHODS[method].sides)
    return method


@cache
def methods_for(measure: str) -> tuple[str, ...]:
    """Names of the methods that serve a measure."""
    return tuple(name for name, method in INTERVAL_METHODS.items() if measure in method.measures)


def check_method_for(measure: str, method: str) -> None:
    """Refuse a method that does not serve a measure, and name the way out."""
    row = INTERVAL_METHODS.get(method) if isinstance(method, str) else None
    if measure == "F" and row is not None and row.holds_at_all_looks:
        names = ", ".join(map(repr, methods_for(measure)))
        raise InputError(
            f"`method` must be one of {names}; found {method!r}: F rises with precision and falls "
            "with elusion, so at every look it lies between its values at the ends of "
            f"precision_interval and elusion_interval by {method!r}, each with half of the error "
            "probability"
        )
    check_choice("method", method, methods_for(measure))


def method_beside(method: str, measure: str, side: str = "two-sided") -> str:
    """The method itself, or the usual one where it does not serve the measure: for measures that
    are shown beside recall."""
    return method if measure in INTERVAL_METHODS[method].measures else usual_method(side)


def model_of(method: str) -> Method:
    """The method whose prior says how probable a recall is: itself, or the usual two-sided one."""
    chosen = INTERVAL_METHODS[method]
    return TWO_SIDED if chosen.prior is None else chosen


def offered(has_strata: bool) -> tuple[Method, ...]:
    """The methods that are compared for such samples; some of them may refuse strata."""
    return tuple(
        method for method in INTERVAL_METHODS.values() if has_strata or not method.is_for_strata
    )
