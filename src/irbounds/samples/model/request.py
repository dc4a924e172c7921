"""Methods for intervals from samples: the row of a method in the table of `methods`, the request to
its function, and the ends that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from irbounds.foundation.errors import InputError
from irbounds.foundation.interval import SIDES
from irbounds.samples.model.estimands import SampleMeasure
from irbounds.samples.model.priors import PerStratum, Prior
from irbounds.samples.model.quantiles import ENGINES, PosteriorEnds
from irbounds.samples.model.strata import Segment, Stratum, common_shape

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, PriorLike

EVERY, AVERAGE, BELOW = "every review", "on average", "below its level"
HALF: tuple[float, float] = (0.5, 0.5)


class Ends(NamedTuple):
    """The answer of a method: ends for every question, before they are forced and clipped.

    `errors` are the standard errors of both ends where they are drawn, `raw` the ends of formulas
    as `Interval.raw_low` and `raw_high` report them.
    """

    low: FloatOrArray
    high: FloatOrArray
    errors: FloatOrArray = None
    raw: tuple[Any, Any] = (None, None)


@dataclass(frozen=True)
class Request:
    """The request to a method: a measure, two checked segments, and options.

    A measure of one segment has it as `one`, and an empty segment as `other`.
    """

    method: Method
    measure: SampleMeasure
    one: Segment
    other: Segment
    options: PosteriorEnds
    finite_population: bool = True
    # by how much the log odds of the ends may be too far out; only slow methods read it
    tolerance: float = 0.0
    target: float | None = None  # on whose side the low end must be, if not exact
    # what a method that `takes_prior` was given, or None
    prior: PriorLike | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all questions."""
        return common_shape(self.one, self.other)


@dataclass(frozen=True, kw_only=True)
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
        level": it is less on average in some designs.  This is said of two-sided intervals; only
        methods for "every review" have such one-sided bounds. `benchmarks/studies/recall.py`
        measures it.
    ends : dict
        The function that answers a `Request`, for each measure that the method serves: "recall",
        "precision", "F", "yield", "elusion".
    section : str
        Section of Webber (2013), empty where the method goes beyond the paper.
    row : int
        Row of the paper's table XII, from 1; 0 where the method goes beyond the paper.
    prior : pair, "mcp", PerStratum or None
    prior_words : str
        The prior in words.
    allows_strata : bool
    sides, engines : tuple of str
        Those that it has.  A method with one engine takes no notice of `engine`.
    forces_ends : bool
        Whether a sample without relevant documents makes an end 0 or 1.
    added : float
        Documents that a normal approximation adds to the counts of either kind.
    is_monotone : bool
        Whether the ends of recall rise with every relevant document found among the retrieved, and
        fall with every one among the others.
    is_slow : bool
        Whether ends take so long that plans ask for few of them, and first with a tolerance.
    stratum_law : function, optional
        (method, stratum, size of the larger segment) to the law of the yield of one stratum, so
        that many outcomes of one design share laws; without it each outcome is a request.
    stand_ins : tuple of pairs
        Priors of the posterior that stands for the method while a plan is searched: one, or one for
        the low end, one for the middle and one for the high end.  Without it, the prior, or ½.
    answers_unsplit : bool
        Whether `recall_interval_from_sample` has it for a sample that is not split.
    takes_prior : bool
        Whether `prior` says how its evidence is weighed. Others have their prior, or none.
    holds_at_all_looks : bool
        Whether the intervals at all looks at growing samples hold together.
    """

    name: str
    note: str
    covers: str
    ends: Mapping[str, Callable[[Request], Ends]] = field(repr=False)
    section: str = ""
    row: int = 0
    prior: Prior | None = None
    prior_words: str = ""
    allows_strata: bool = True
    sides: tuple[str, ...] = SIDES
    engines: tuple[str, ...] = ("formula",)
    forces_ends: bool = True
    added: float = 0.0
    is_monotone: bool = False
    is_slow: bool = False
    stratum_law: Callable[[Method, Stratum, float], Any] | None = field(default=None, repr=False)
    stand_ins: tuple[Prior, ...] = ()
    answers_unsplit: bool = False
    takes_prior: bool = False
    holds_at_all_looks: bool = False

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures with an interval by this method."""
        return tuple(self.ends)

    @property
    def in_paper(self) -> bool:
        """Whether Webber (2013) compares it."""
        return bool(self.row)

    @property
    def is_posterior(self) -> bool:
        """Whether the ends are quantiles of a posterior, which can also be drawn."""
        return self.engines == ENGINES

    @property
    def is_for_strata(self) -> bool:
        """Whether it differs from another row for strata only."""
        return isinstance(self.prior, PerStratum)

    @property
    def rough_priors(self) -> tuple[Prior, ...]:
        """Priors of the posterior that stands for the method while a plan is searched."""
        return self.stand_ins or (HALF if self.prior is None else self.prior,)

    def engine_used(self, engine: str) -> str:
        """The engine that was asked for, or the only one there is."""
        return engine if engine in self.engines else self.engines[0]

    def check_segments(self, **segments: Segment) -> None:
        """Refuse segments for which the method has no form."""
        for name, segment in segments.items():
            if len(segment) > 1 and not self.allows_strata:
                raise InputError(
                    f"method {self.name!r} does not support strata; `{name}` has {len(segment)}"
                )
