"""A row of the table of measures, and the parameters, tie rules and forms of rows that the tables
share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

LEAST_GRADE = 5e-324  # the smallest double above 0
MOST_LEVELS = 15  # MEASURE_ARGUMENTS of measures.h but one


class FromLevel(dict[float, float]):
    """Gains 1 for grades from a level on, and 0 for those below; `fit` lists them for kernels."""

    def __init__(self, level: float) -> None:
        super().__init__()
        self.level = level

    def __bool__(self) -> bool:
        return True

    def get(self, grade: float, otherwise: object = None) -> float:
        """The gain of a grade."""
        return float(grade >= self.level)

    def fit(self, grades: Iterable[float]) -> None:
        """List the gains of these grades."""
        self.update((grade, float(grade >= self.level)) for grade in grades if grade >= 0)


class Parameter(NamedTuple):
    """A parameter of a measure: `read` converts what was written, or fails; `rule` says what is
    allowed."""

    rule: str
    read: Callable[[Any], Any]
    default: Any = None
    required: bool = False


def number(allowed: Callable[[float], bool]) -> Callable[[OneMeasure], float]:
    """A finite number that is allowed."""

    def read(value: Any) -> float:
        if isinstance(value, bool | str) or not math.isfinite(value) or not allowed(value):
            raise ValueError
        # no -0, whose name would be another
        return value if isinstance(value, int) else float(value) + 0.0

    return read


def whole(value: Any) -> int:
    """A whole number, 1 or more."""
    return int(number(lambda x: x >= 1 and x == int(x))(value))


def word(*words: Any) -> Callable[[Any], Any]:
    """One of these words."""

    def read(value: Any) -> Any:
        if value not in words or isinstance(value, bool) != isinstance(words[0], bool):
            raise ValueError
        return value

    return read


def truth(value: object) -> bool:
    """True or False, as text too."""
    return {True: True, False: False, "true": True, "false": False}[
        value if isinstance(value, bool) else str(value)
    ]


def read_gains(value: Any) -> dict[float, float]:
    """Gains by grade."""
    gain = number(lambda x: x >= 0)
    return {gain(key): gain(item) for key, item in sorted(value.items())}


def read_levels(value: Any) -> tuple[float, ...]:
    """Recall levels, rising."""
    level = number(lambda x: 0 <= x <= 1)
    levels = sorted(float(level(item)) for item in value)
    if isinstance(value, str) or not 0 < len(levels) <= MOST_LEVELS:
        raise ValueError
    return tuple(levels)


REL = Parameter("a grade, 0 or more", number(lambda x: x >= 0), 1)
JUDGED_ONLY = Parameter("True or False", truth, False)
BINARY = {"rel": REL, "judged_only": JUDGED_ONLY}
EXACT = "exact mean over all orders of tied documents."


class MeasureFunction(Protocol):
    """A measure of one's own: of the grades in the order of the ranking, and the number of relevant
    documents."""

    def __call__(self, grades: np.ndarray, n_relevant: int, /) -> float:
        """The value for one query."""
        ...


class OneMeasure(Protocol):
    """A `Measure`, as rows of the table see it."""

    cutoff: Any
    parameters: Mapping[str, Any]
    spec: MeasureSpec

    def get(self, key: str) -> Any:
        """A parameter's value, or its default; None where the measure has no such parameter."""
        ...


def usual_marks(measure: OneMeasure) -> float:
    """All grades above 0 count for graded measures; others see documents as relevant or not, and
    tell grades from rel= up from the rest."""
    if measure.spec.is_graded:
        return LEAST_GRADE
    rel = measure.get("rel")
    return math.inf if rel is None else float(rel)


def judged_marks(measure: OneMeasure) -> float:
    """Judged documents count, relevant or not."""
    return 0.0


def given(*keys: str) -> Callable[[OneMeasure], tuple[float, ...]]:
    """The kernel's arguments are these parameters; 0 stands for one that is not given."""

    def arguments(measure: OneMeasure) -> tuple[float, ...]:
        return tuple(float(measure.get(key) or 0) for key in keys)

    return arguments


def no_arguments(measure: OneMeasure) -> tuple[float, ...]:
    """The kernel needs rel= and the cut-off alone."""
    return ()


def no_limit(measure: OneMeasure) -> float:
    """Sums are finite whatever the gains."""
    return math.inf


def always(measure: OneMeasure) -> bool:
    """For all measures of the row."""
    return True


def never(measure: OneMeasure) -> bool:
    """For none."""
    return False


class MeasureSpec(NamedTuple):
    """A row of the table of measures.

    Attributes
    ----------
    name, definition, source, tie_rule : str
    parameters : dict of Parameter
        In the order in which they are written.
    takes_cutoff, needs_cutoff : bool
    at : {"cutoff", "recall", "percentage"}
        The number after @.
    aggregate : {"mean", "sum", "geometric mean", "median"}
        How values of queries become one number.
    is_graded, lower_is_better, needs_collection_size : bool
    cutoff_in_collection : bool
        The cut-off must not be above the size of the collection.
    size_for : str
        A parameter that needs the size of the collection where it is not 0.
    has_expectation : bool
        Whether the mean over all orders of tied documents is known.
    has_extremes : callable
        Whether the best and the worst order of a measure are known.
    clips_grades : bool
        Grades above max_rel count for it.
    mark_level : callable
        The lowest grade that a measure of this row tells from the others.
    largest_gain : callable
        The highest grade, or gain in its place, of which its sums are finite.
    kernel : str
        The kernel in csrc; the name unless it is another.
    arguments : callable
        Arguments of the kernel, beside rel= and the cut-off.
    scale : {"", "mean", "most", "ideal"}
        The divisor of the sum over subtopics; empty for measures without subtopics.
    function : callable, optional
        A measure of one's own has this instead of a kernel; `rel` is its lowest relevant grade.
    limits : pair of float, optional
        The least and the greatest value of scores that were computed elsewhere.
    """

    name: str
    definition: str
    source: str
    parameters: dict[str, Parameter] = BINARY
    takes_cutoff: bool = False
    needs_cutoff: bool = False
    at: str = "cutoff"
    tie_rule: str = EXACT
    aggregate: str = "mean"
    is_graded: bool = False
    lower_is_better: bool = False
    needs_collection_size: bool = False
    cutoff_in_collection: bool = False
    size_for: str = ""
    has_expectation: bool = True
    has_extremes: Callable[[OneMeasure], bool] = always
    clips_grades: bool = False
    mark_level: Callable[[OneMeasure], float] = usual_marks
    largest_gain: Callable[[OneMeasure], float] = no_limit
    kernel: str = ""
    arguments: Callable[[OneMeasure], Sequence[float]] = no_arguments
    scale: str = ""
    function: MeasureFunction | None = None
    rel: float = 1.0
    limits: tuple[float, float] | None = None

    @property
    def form(self) -> str:
        """How it is written: AP[@k], P@k, IPrec@r."""
        letter = "r" if self.at == "recall" else "k"
        required = [key for key, parameter in self.parameters.items() if parameter.required]
        required += ["nr"] * ("nr" in self.parameters)
        stop = f"({','.join(f'{key}=…' for key in required)})" if required else ""
        at = f"@{letter}" if self.needs_cutoff else f"[@{letter}]" if self.takes_cutoff else ""
        return self.name + stop + at

    @property
    def example_cutoff(self) -> str:
        """A cut-off to show in messages."""
        return "0.5" if self.at == "recall" else "10"

    @property
    def is_sum(self) -> bool:
        """Whether one number over queries is their total, a count."""
        return self.aggregate == "sum"


BETA = Parameter("a number from 1e-100 to 1e100", number(lambda x: 1e-100 <= x <= 1e100), 1.0)
NR = Parameter("a number of relevant documents above 0", number(lambda x: x > 0))
RECALL = Parameter("a recall level in [0, 1]", number(lambda x: 0 <= x <= 1))
ND = Parameter("a number of documents, 1 or more", whole)
INTERPOLATION = Parameter("intuitive or ceiling", word("intuitive", "ceiling"), "intuitive")
ROUNDING = Parameter("up or nearest", word("up", "nearest"), "up")
LEVELS = Parameter("up to 15 recall levels in [0, 1], as in [0.2,0.5]", read_levels)
WORTH = "a number from -1e100 to 1e100"
INTERPOLATED = {"rounding": ROUNDING, **BINARY}
STOPPING = {"nr": NR, "recall": RECALL, "nd": ND, "interpolation": INTERPOLATION, **BINARY}
GRADED = {
    "dcg": Parameter("log2 or exp-log2", word("log2", "exp-log2"), "log2"),
    "gains": Parameter("a dict of gains, 0 or more, by grade", read_gains),
    "judged_only": JUDGED_ONLY,
}
MAX_REL = Parameter("the highest grade, above 0", number(lambda x: x > 0))
EXACT_AT_DOCUMENTS = (
    "exact mean over all orders of tied documents where the stop is a whole number of documents; "
    "between two, defined for random orders."
)
DEFINED = "defined for random orders inside ties; bounded by the best and the worst order."
ORDERS_ONLY = "no exact expectation: best, worst, doc_id or given."
SEARCHED = "exact mean over all orders of tied documents, unless a tie has too many."
SEARCHED_ENDS = (
    "exact mean over all orders of tied documents; best and worst, unless a tie has too many."
)
GEOMETRIC = (
    "exact mean for each query; the geometric mean is of these means, and its bounds are exact."
)
NO_TIES = "the order does not matter."
RBJ = "Raghavan, Bollmann & Jung 1989"
STOPS = ("nr", "recall", "nd")


def stop_arguments(measure: OneMeasure) -> tuple[float, float]:
    """Where a search stops (0 relevant documents, 1 recall, 2 recall by ceiling, 3 documents), and
    at how many."""
    stop = next(stop for stop in STOPS if stop in measure.parameters)
    kind = {"nr": 0.0, "recall": 1.0, "nd": 3.0}[stop]
    is_ceiling = measure.parameters.get("interpolation") == "ceiling"
    return 2.0 if is_ceiling else kind, float(measure.parameters[stop])


def worth(default: float) -> Parameter:
    """The worth of one document."""
    return Parameter(WORTH, number(lambda x: abs(x) <= 1e100), default)


def is_nearest(measure: OneMeasure) -> float:
    """1 where recall levels are rounded to the nearest number."""
    return float(measure.get("rounding") == "nearest")


def exponential(measure: OneMeasure) -> tuple[float]:
    """1 for gains 2^grade - 1."""
    return (float(measure.get("dcg") == "exp-log2"),)


def largest_gain(measure: OneMeasure) -> float:
    """So that sums of gains are finite."""
    return 1000.0 if measure.get("dcg") == "exp-log2" else 1e300


def rbp_marks(measure: OneMeasure) -> float:
    """Graded with max_rel=, else relevant or not."""
    return LEAST_GRADE if measure.get("max_rel") else usual_marks(measure)


def at_cutoff(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    """A row that needs a cut-off."""
    return MeasureSpec(name, definition, source, takes_cutoff=True, needs_cutoff=True, **more)


def squared_beta(measure: OneMeasure) -> tuple[float]:
    """The square of beta, to 15 digits: who writes trec_eval's parameter as a root gets it back, as
    sqrt(2) squared is 2.0000000000000004 in doubles."""
    return (float(f"{measure.get('beta') ** 2:.15g}"),)


def up_to_cutoff(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    """A row that may have a cut-off."""
    return MeasureSpec(name, definition, source, takes_cutoff=True, **more)


# The gain is 1 from this grade on and 0 below: binary nDCG.
GAIN_REL = Parameter("a grade, 0 or more, from which on the gain is 1 (0 below)", REL.read)
GAINS: dict[str, Any] = {
    "parameters": GRADED,
    "is_graded": True,
    "arguments": exponential,
    "largest_gain": largest_gain,
}
