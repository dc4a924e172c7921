"""The methods for intervals on recall: one row each, which everything else reads."""

from __future__ import annotations

from dataclasses import dataclass

from irbounds.foundation.errors import check_choice
from irbounds.foundation.interval import SIDES
from irbounds.samples.priors import MOST_CONSERVATIVE, PerStratum, Prior

RECALL = ("recall",)
ALL_MEASURES = ("recall", "precision", "F", "yield", "elusion")
EVERY, AVERAGE, BELOW = "every review", "on average", "below its level"


@dataclass(frozen=True)
class Method:
    """A method for intervals from samples.

    Attributes
    ----------
    name : str
    note : str
        One line for tables.
    covers : str
        "every review": the coverage is at least the confidence level in every review.  "on
        average": it is about the level on average over reviews, in some reviews less.  "below its
        level": it is less on average. `benchmarks/studies/coverage.py` measures it.
    section : str
        Section of Webber (2013), empty where the method goes beyond the paper.
    prior : pair, "mcp", PerStratum or None
    prior_words : str
        The prior in words.
    allows_strata : bool
    measures : tuple of str
        Measures with an interval by this method.
    added : float or None
        Documents that a normal approximation adds to the counts of either kind.
    """

    name: str
    note: str
    covers: str
    section: str = ""
    prior: Prior | None = None
    prior_words: str = ""
    allows_strata: bool = True
    measures: tuple[str, ...] = RECALL
    added: float | None = None

    @property
    def in_paper(self) -> bool:
        """Whether Webber (2013) compares it."""
        return bool(self.section)


INTERVAL_METHODS = {
    method.name: method
    for method in (
        Method(
            "betabinom-half",
            "beta-binomial posterior with a prior of α = β = ½ in each segment; Webber's "
            "recommendation",
            AVERAGE,
            "3.6",
            (0.5, 0.5),
            "a prior of α = β = ½ in each segment",
            measures=ALL_MEASURES,
        ),
        Method(
            "betabinom-uniform",
            "the same, with α = β = 1",
            BELOW,
            "3.6",
            (1.0, 1.0),
            "a prior of α = β = 1 in each segment",
            measures=ALL_MEASURES,
        ),
        Method(
            "betabinom-mcp",
            "the same, with the most conservative prior (eq. 18)",
            AVERAGE,
            "3.6",
            MOST_CONSERVATIVE,
            "the most conservative prior of each segment",
            measures=ALL_MEASURES,
        ),
        Method("beta-jeffreys", "beta posteriors of the unseen documents' shares", AVERAGE, "3.5"),
        Method(
            "koopman",
            "chi-square interval on the ratio of two shares; infinite population",
            AVERAGE,
            "3.4",
            allows_strata=False,
        ),
        Method(
            "normal-mle",
            "normal approximation by propagation of error; often too narrow",
            BELOW,
            "3.2",
            added=0.0,
        ),
        Method("normal-laplace", "the same, with 1 added to all counts", BELOW, "3.3", added=1.0),
        Method(
            "normal-agresti-coull", "the same, with 2 added to all counts", BELOW, "3.3", added=2.0
        ),
        Method(
            "naive-binomial",
            "takes all relevant documents seen for one sample; wrong, shown because it is in use",
            BELOW,
            "3.1",
        ),
        Method(
            "betabinom-half-per-stratum",
            "a prior of α = β = ½ in every stratum, as in the paper; wrong for many strata",
            BELOW,
            prior=PerStratum((0.5, 0.5)),
            prior_words="a prior of α = β = ½ in every stratum",
            measures=ALL_MEASURES,
        ),
        Method(
            "guaranteed",
            "inverts a test of recall, the worst case over the yields; never covers less than its "
            "level",
            EVERY,
            measures=ALL_MEASURES,
        ),
    )
}
METHODS = tuple(INTERVAL_METHODS)
PRIOR_OF: dict[str, Prior] = {
    name: method.prior for name, method in INTERVAL_METHODS.items() if method.prior is not None
}
PAPER_METHODS = tuple(name for name, method in INTERVAL_METHODS.items() if method.in_paper)


def usual_method(side: str, method: str | None = None) -> str:
    """The method that was asked for, or the usual one: the posterior with the half prior for
    two-sided intervals, the guaranteed bound for one-sided claims."""
    check_choice("side", side, SIDES)
    if method is not None:
        return check_choice("method", method, METHODS)
    return "betabinom-half" if side == "two-sided" else "guaranteed"
