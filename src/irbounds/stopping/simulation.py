"""A laboratory of stopping rules: how often they stop too early, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_level, check_number, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count, counted, fail
from irbounds.foundation.frames import make_frame
from irbounds.foundation.rounding import rounded_down, rounded_up
from irbounds.foundation.writing import as_table
from irbounds.samples.one_proportion.proportions import binomial_interval
from irbounds.stopping.rules import RULES, Review, Stop
from irbounds.stopping.urns import check_labels, exact_target

if TYPE_CHECKING:
    from irbounds.typing import LabelsLike, RNGLike

MOST_DOCUMENTS = 10**7  # of a simulated collection, which is held whole
TAIL = 0.05  # of the recalls at the stop: one review in twenty has less


@dataclass(frozen=True)
class RuleOutcome:
    """The effects of a rule in simulated reviews; see `simulate_review`.

    Attributes
    ----------
    rule : str
    below : float
        Share of the reviews that stopped below the target.
    below_low, below_high : float
        The interval of that share (Clopper-Pearson, 95 %), as simulated reviews are a sample; nan
        for one's own reviews, which are not.
    effort : float
        Mean share of the collection that was judged; a control sample counts too.
    effort_error : float
        Its standard error; nan likewise.
    recall : float
        Mean recall at the stop.
    recall_tail : float
        The recall that 95 of 100 reviews reached.
    never : float
        Share of the reviews that judged the whole collection.
    """

    rule: str
    below: float
    below_low: float
    below_high: float
    effort: float
    effort_error: float
    recall: float
    recall_tail: float
    never: float


@dataclass(frozen=True)
class ReviewSimulation:
    """Stopping rules side by side on the same simulated reviews; see `simulate_review`.

    Attributes
    ----------
    outcomes : tuple of RuleOutcome
    population, relevant : int
        Sizes of each review; for one's own reviews the mean, rounded.
    order : str
        The order of reading, in words.
    target, confidence_level : float
    every : int
        Documents between two looks.
    reviews : int
    least_effort : float
        Mean share of the collection that has to be read in this order to reach the target.
    """

    outcomes: tuple[RuleOutcome, ...]
    population: int
    relevant: int
    order: str
    target: float
    confidence_level: float
    every: int
    reviews: int
    least_effort: float

    def __getitem__(self, rule: str) -> RuleOutcome:
        """The outcome of one rule."""
        for outcome in self.outcomes:
            if outcome.rule == rule:
                return outcome
        raise KeyError(f"{rule!r} was not simulated; there are {', '.join(self.rules)}")

    @property
    def rules(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(outcome.rule for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """All attributes, a dict for each rule."""
        return asdict(self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row for each rule; `backend` is "pandas", "polars" or "pyarrow"."""
        rows = [asdict(outcome) for outcome in self.outcomes]
        return make_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def to_text(self) -> str:
        """A table for people."""
        header = [
            "rule",
            "below target",
            "its interval",
            "judged",
            "mean recall",
            "95 of 100 reach",
        ]
        rows = [
            [
                one.rule,
                f"{one.below:.3f}",
                _span(one.below_low, one.below_high),
                f"{one.effort:.3f}",
                f"{one.recall:.3f}",
                f"{one.recall_tail:.3f}",
            ]
            for one in self.outcomes
        ]
        looks = "each document" if self.every == 1 else f"every {self.every} documents"
        return as_table(header, rows).rstrip("\n") + "\n".join(
            [
                "",
                f"{counted(self.reviews, 'review', 'reviews')} of {self.population} documents, "
                f"{self.relevant} relevant, {self.order}; a look after {looks}",
                f"target {self.target:g}, confidence {self.confidence_level:g}; with perfect "
                f"knowledge {self.least_effort:.3f} would be read",
                "",
            ]
        )

    def __repr__(self) -> str:
        return self.to_text().strip("\n")


def simulate_review(
    population: int | None = None,
    relevant: int | None = None,
    *,
    odds: float = 1.0,
    easy: float = 1.0,
    labels: LabelsLike | None = None,
    rules: str | Sequence[str] | Mapping[str, object] | None = None,
    target: float | Fraction = 0.95,
    confidence_level: float = 0.95,
    every: int = 1,
    reviews: int = 200,
    rng: RNGLike = None,
) -> ReviewSimulation:
    """Simulate reviews and stop them by several rules, to see which stop too early and at what
    cost.

    Parameters
    ----------
    population, relevant : int
        Documents in the collection, and the relevant ones of these.
    odds : float
        How many times as likely a relevant unread document is to be read next as another one. 1 is
        a random order, infinity reads relevant documents first; below 1 the order is worse than
        random, which breaks the assumption of "certified".
    easy : float from 0 to 1
        The share of the relevant documents for which `odds` hold; the others look like irrelevant
        ones. ``easy=0.7, odds=inf`` is a review whose ranking finds 70 % at once and cannot tell
        the rest from irrelevant documents.
    labels : array_like of 0 and 1, or list of such, optional
        In place of all these, one's own collections, whole and in reading order. Then the rules
        "half at random" and "control sample" alone draw anything.
    rules : list of str, or dict of functions by name, optional
        All by default: "certified" and "buscar" of `stopping_curve`; "half at random", the
        certified rule where every second document is drawn at random from the unread ones and only
        these are evidence; "control sample", the least one that certifies the target
        (`control_plan`); "50 in a row", a stop after 50 irrelevant documents in a row. A function
        takes the labels of the whole review and returns how many documents are read at its stop, or
        None. It may use the labels before its stop only. A dict can hold names of these rules as
        well, as ``{"mine": function, "certified": "certified"}``.
    target : float or Fraction
        Recall to be reached, above 0 and at most 1.
    confidence_level : float
    every : int
        The documents between two looks; the last look is after the last document.
    reviews : int
        How many to simulate; of one's own labels, how often each is read.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    ReviewSimulation
        All rules stop the same reviews, and those that draw documents at random draw them in the
        same random order. With the same `rng` the outcome of a rule does not depend on the others.

    Raises
    ------
    InputError
        For impossible counts, labels other than 0 and 1, and unknown rules.

    Notes
    -----
    Each document arrives after an exponential time, whose rate is `odds` for easy relevant
    documents and 1 for others; the order of arrival has the law of Wallenius' urn. A review without
    relevant documents has the recall 1.

    Examples
    --------
    >>> import irbounds as irb
    >>> simulated = irb.stopping.simulate_review(400, 40, target=0.8, reviews=100, rng=2)
    >>> simulated["buscar"].below > 0.05 > simulated["certified"].below
    True
    >>> simulated["buscar"].effort < simulated["certified"].effort
    True
    """
    goal, level = exact_target(target), check_level(confidence_level)
    step, times = check_count("every", every), check_count("reviews", reviews)
    chosen = _check_rules(rules)
    generator = check_rng(rng)
    if labels is None:
        if population is None or relevant is None:
            raise InputError("give `population` and `relevant`, or `labels`")
        orders = _Orders(*_check_design(population, relevant, odds, easy))
    else:
        if population is not None or relevant is not None or odds != 1 or easy != 1:
            raise InputError(
                "`labels` are whole collections: give neither sizes nor odds with them"
            )
        orders = _Orders(own=_check_collections(labels))
    stops: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in chosen}
    least = []
    for _ in range(times):
        for marks in orders.draw(generator):
            review = Review(marks, goal, level, step, generator.permutation(marks.size))
            total = int(marks.sum())
            # In fractions: 0.95 of 20 documents is 19 of them.
            needed = math.ceil(goal * total)
            reached = np.flatnonzero(np.cumsum(marks) >= needed) if needed else np.zeros(1)
            least.append((int(reached[0]) + 1) / marks.size if needed else 0.0)
            for name, rule in chosen.items():
                stop = rule(review)
                recall = stop.found / total if total else 1.0
                stops[name].append((recall, stop.judged / marks.size, stop.found < needed))
    return ReviewSimulation(
        tuple(_outcome(name, rows, orders.own is None) for name, rows in stops.items()),
        *orders.sizes,
        orders.words,
        float(goal),
        level,
        step,
        len(least),
        float(np.mean(least)),
    )


class _Orders:
    """Collections in reading order, drawn or one's own."""

    def __init__(
        self,
        population: int = 0,
        relevant: int = 0,
        odds: float = 1.0,
        easy: int = 0,
        own: list[np.ndarray] | None = None,
    ) -> None:
        self.own = own
        self.design = population, relevant, odds, easy

    @property
    def sizes(self) -> tuple[int, int]:
        """Documents and relevant ones."""
        if self.own is None:
            return self.design[:2]
        sizes = [(marks.size, int(marks.sum())) for marks in self.own]
        population, relevant = np.rint(np.mean(sizes, axis=0)).astype(int).tolist()
        return population, relevant

    @property
    def words(self) -> str:
        """The order, for people."""
        if self.own is not None:
            return f"the order of {counted(len(self.own), 'given review', 'given reviews')}"
        _, relevant, odds, easy = self.design
        if odds == 1 or easy == 0:
            return "in random order"
        first = "read first" if math.isinf(odds) else f"read with odds {odds:g}"
        return f"{'all' if easy == relevant else easy} of them {first}"

    def draw(self, rng: np.random.Generator) -> list[np.ndarray]:
        """The next review, or all of one's own."""
        if self.own is not None:
            return self.own
        population, relevant, odds, easy = self.design
        # A race of exponential times: among documents that are left, one with odds w is w times as
        # likely to be the next (Wallenius' draws). The relevant documents come first in `arrival`.
        arrival = rng.standard_exponential(population)
        with np.errstate(over="ignore"):  # by tiny odds, to times after all others
            arrival[:easy] /= odds
        labels = np.zeros(population, np.uint8)
        labels[np.argsort(arrival, kind="stable") < relevant] = 1
        return [labels]


def _span(low: float, high: float) -> str:
    return "—" if math.isnan(low) else f"[{rounded_down(low, 3):.3f}, {rounded_up(high, 3):.3f}]"


def _outcome(rule: str, rows: list[tuple[float, float, bool]], is_drawn: bool) -> RuleOutcome:
    recall, effort, below = (np.array(column) for column in zip(*rows, strict=True))
    n, missed = recall.size, int(below.sum())
    low = high = error = math.nan
    if is_drawn:
        ends = binomial_interval(missed, n, method="clopper-pearson")
        low, high = float(ends.low), float(ends.high)
        error = float(effort.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
    return RuleOutcome(
        rule,
        missed / n,
        low,
        high,
        float(effort.mean()),
        error,
        float(recall.mean()),
        float(np.sort(recall)[int(TAIL * n)]),
        float((effort >= 1).mean()),
    )


def _check_design(
    population: int, relevant: int, odds: float, easy: float
) -> tuple[int, int, float, int]:
    size, total = check_count("population", population), check_count("relevant", relevant, 0)
    if size > MOST_DOCUMENTS:
        fail("population", f"must be at most {MOST_DOCUMENTS:,} documents", size)
    if total > size:
        fail("relevant", f"must be at most `population`, {size}", total)
    factor = check_number("odds", odds, "must be above 0", lambda x: x > 0)
    share = check_number("easy", easy, "must be from 0 to 1", lambda x: 0 <= x <= 1)
    return size, total, factor, math.floor(share * total + 0.5)


def _check_collections(labels: Any) -> list[np.ndarray]:
    """One review, or several."""
    first = labels[0] if isinstance(labels, list | tuple) and len(labels) else labels
    several = np.ndim(first) == 1 if first is not labels else np.ndim(labels) == 2
    reviews = list(labels) if several else [labels]
    checked = [check_labels(review, MOST_DOCUMENTS) for review in reviews]
    if not all(review.size for review in checked):
        fail("labels", "must hold a document", 0)
    return checked


def _check_rules(rules: object) -> dict[str, Callable[[Review], Stop]]:
    """Rules by name."""
    if rules is None:
        return dict(RULES)
    named: Mapping[Any, Any]
    if isinstance(rules, Mapping):
        named = rules
    else:
        if not isinstance(rules, str | list | tuple):
            fail("rules", "must be a list of names, or a dict of rules by name", rules)
        listed = [rules] if isinstance(rules, str) else rules
        named = {check_choice("rules", name, RULES): name for name in listed}
    found = {}
    for name, rule in named.items():
        if callable(rule):
            found[str(name)] = _own_rule(str(name), rule)
        else:
            found[str(name)] = RULES[check_choice("rules", rule, RULES)]
    if not found:
        fail("rules", "must hold a rule", rules)
    return found


def _own_rule(name: str, function: Callable[[np.ndarray], Any]) -> Callable[[Review], Stop]:
    """A function of one's own, which stops at the first look from its answer on."""

    def rule(review: Review) -> Stop:
        size = review.labels.size
        answer = function(review.labels.copy())
        asked = size if answer is None else check_count(f"rules[{name!r}]", answer, 0)
        if asked > size:
            fail(f"rules[{name!r}]", f"must return at most the {size} documents", asked)
        read = int(review.looks[np.searchsorted(review.looks, asked)]) if asked else 0
        return Stop(int(review.labels[:read].sum()), read)

    return rule
