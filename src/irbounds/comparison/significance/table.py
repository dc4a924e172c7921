"""The paired tests of `compare`: one row each, which everything else reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from irbounds.comparison.significance.grouped import (
    grouped_bootstrap,
    grouped_permutation,
    grouped_randomised,
    grouped_t,
    grouped_two_way,
    on_group_means,
)
from irbounds.comparison.significance.paired_tests import (
    Outcome,
    Plan,
    bootstrap_test,
    permutation_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from irbounds.comparison.significance.tukey import Honest, randomised, two_way
from irbounds.comparison.significance.warnings import FEW
from irbounds.queries.groups import Groups


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """A test of columns of differences; call it as its function.

    Attributes
    ----------
    name : str
    title, full_title : str
        For a line of text, and for the page that compares runs.
    estimand : str
        The quantity that its interval is for: "mean", or, of the differences other than 0, "median"
        or "pseudo-median".
    function : function
        (differences, plan) to an `Outcome`.
    resamples : bool
        Whether it draws, so that it needs a seed.
    is_centred : bool
        Whether its interval is the mean plus and minus a margin, which moves with the mean.
    allows_infinite : bool
        Whether differences may be infinite.
    fewest : int
        Queries below which it is warned about.
    joint : function, optional
        The test of all runs at once that "tukey" and "dunnett" take in its place.
    joint_title : str
    grouped, grouped_joint : function
        The same of queries in groups.
    """

    name: str
    title: str
    full_title: str
    estimand: str
    function: Callable[[np.ndarray, Plan], Outcome] = field(repr=False)
    resamples: bool = False
    is_centred: bool = False
    allows_infinite: bool = False
    fewest: int = 0
    joint: Callable[..., Honest] | None = field(default=None, repr=False)
    joint_title: str = ""
    grouped: Callable[[np.ndarray, Plan, Groups], Outcome] = field(repr=False)
    grouped_joint: Callable[..., Honest] | None = field(default=None, repr=False)

    def __call__(
        self, differences: np.ndarray, plan: Plan, groups: Groups | None = None
    ) -> Outcome:
        """The outcome for every column."""
        if groups is None:
            return self.function(differences, plan)
        return self.grouped(differences, plan, groups)


TESTS = {
    test.name: test
    for test in (
        PairedTest(
            name="permutation",
            title="permutation test",
            full_title="Fisher's paired permutation test",
            estimand="mean",
            function=permutation_test,
            grouped=grouped_permutation,
            resamples=True,
            joint=randomised,
            grouped_joint=grouped_randomised,
            joint_title="randomised",
        ),
        PairedTest(
            name="t",
            title="paired t-test",
            full_title="Student's paired t-test",
            estimand="mean",
            function=t_test,
            grouped=grouped_t,
            is_centred=True,
            joint=two_way,
            grouped_joint=grouped_two_way,
            joint_title="two-way",
        ),
        PairedTest(
            name="wilcoxon",
            title="Wilcoxon's signed-rank test",
            full_title="Wilcoxon's signed-rank test",
            estimand="pseudo-median",
            function=wilcoxon_test,
            grouped=on_group_means(wilcoxon_test),
        ),
        PairedTest(
            name="sign",
            title="sign test",
            full_title="Sign test",
            estimand="median",
            function=sign_test,
            grouped=on_group_means(sign_test),
            allows_infinite=True,
        ),
        PairedTest(
            name="bootstrap",
            title="studentised bootstrap",
            full_title="Paired studentised bootstrap",
            estimand="mean",
            function=bootstrap_test,
            grouped=grouped_bootstrap,
            resamples=True,
            is_centred=True,
            fewest=FEW,
        ),
    )
}
