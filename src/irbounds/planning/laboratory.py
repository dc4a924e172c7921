"""The coverage of recall intervals, measured on scenarios (Webber 2013, section 4)."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_level, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.planning.chances import draw_counts, likely_counts
from irbounds.planning.report import CoverageReport
from irbounds.planning.scenarios import SCENARIOS, Realisations, Scenario
from irbounds.samples.intervals import METHODS
from irbounds.samples.outcomes import Outcomes, tolerance_of
from irbounds.samples.proportions import SIDES
from irbounds.samples.strata import Stratum

PAPER_METHODS = ("naive-binomial", "normal-mle", "normal-laplace", "normal-agresti-coull", "koopman", "beta-jeffreys",
                 "betabinom-uniform", "betabinom-mcp", "betabinom-half")
OWN_SEEDS = 2**63 - 1

Method = str | Callable[[Stratum, Stratum, float], tuple[Any, Any]]


def coverage(scenario: Scenario | str, methods: Any = PAPER_METHODS, *, realisations: int = 1000, samples: int = 1000,
             confidence_level: float = 0.95, side: str = "two-sided", exact: bool = False, rng: Any = None,
             progress: Any = True, workers: int | None = None) -> CoverageReport:
    """How often intervals hold the true recall, over the reviews of a scenario.

    Parameters
    ----------
    scenario : Scenario or {"neutral", "legal", "small"}
    methods : str, sequence of str or dict
        Names of `recall_interval`'s methods; without them the nine of the paper.  A dict maps names to methods, or to
        functions ``f(retrieved, unretrieved, confidence_level) -> (low, high)`` of two strata whose ``relevant`` is an
        array of outcomes.  Functions in a sequence go by their own names.
    realisations : int
        Reviews drawn from the scenario.
    samples : int
        Pairs of samples drawn from each review; all methods see the same.
    confidence_level, side
        As in `recall_interval`.
    exact : bool
        Sum over all outcomes by their probabilities, instead of drawing samples; what is left out has a probability
        below 1e-9.
    rng : None, int or numpy.random.Generator
    progress : bool or function
        Show progress on standard error where that is a terminal; or call ``progress(done, realisations)``.
    workers : int, optional
        Threads, as many as there are cores without it.  The report does not depend on their number.

    Returns
    -------
    CoverageReport
        After an interrupt (Ctrl-C): of the realisations done so far, and `interrupted` is True.

    Raises
    ------
    InputError
        For a scenario that cannot be, for unknown methods, and for functions whose ends are no intervals.

    Notes
    -----
    True recall at an end of an interval is inside.  Ends are within 1e-7 of `recall_interval`'s.

    Examples
    --------
    >>> import irbounds as irb
    >>> report = irb.coverage("small", ["normal-mle", "betabinom-half"], realisations=20, samples=100, rng=1)
    >>> {name: round(mean, 2) for name, mean in report.mean_coverage.items()}
    {'normal-mle': 0.87, 'betabinom-half': 0.95}
    """
    if isinstance(scenario, str):
        scenario = SCENARIOS[check_choice("scenario", scenario, tuple(SCENARIOS))]
    if not isinstance(scenario, Scenario):
        fail("scenario", f"must be a Scenario, or one of {', '.join(SCENARIOS)}", scenario)
    chosen = _check_methods(methods)
    level = check_level(confidence_level)
    check_choice("side", side, SIDES)
    count = check_count("realisations", realisations, 1)
    n_samples = None if check_flag("exact", exact) else check_count("samples", samples, 1)
    generator = check_rng(rng)
    drawn = scenario.draw(count, generator)
    seed = int(generator.integers(OWN_SEEDS))

    def measure(i: int) -> np.ndarray:
        """4 × methods: coverage, width, and how often the interval lies above and below recall."""
        review = _Review(drawn, i)
        own = np.random.default_rng([seed, i])
        outcomes, weights = review.all_outcomes() if n_samples is None else review.draw_outcomes(n_samples, own)
        return np.array([review.measure(name, method, outcomes, weights, level, side)
                         for name, method in chosen.items()]).T

    measured = np.full((count, 4, len(chosen)), np.nan)
    interrupted = False
    with _shown(progress, count, scenario.name) as show:
        try:
            for done, (i, result) in enumerate(_in_parallel(measure, count, workers), 1):
                measured[i] = result
                show(done)
        except KeyboardInterrupt:
            interrupted = True
    finished = ~np.isnan(measured[:, 0, 0])
    if interrupted and not finished.any():
        raise KeyboardInterrupt
    covered, width, too_high, too_low = np.moveaxis(measured[finished], 1, 0)
    return CoverageReport(scenario.name, tuple(chosen), level, side, n_samples, drawn[finished], covered, width,
                          too_high, too_low, interrupted)


def _check_methods(methods: Any) -> dict[str, Method]:
    if isinstance(methods, str) or callable(methods):
        methods = [methods]
    if not isinstance(methods, Sequence | Mapping) or not methods:
        fail("methods", "must be names of methods, or a dict of names and methods", methods)
    named = methods.items() if isinstance(methods, Mapping) else ((None, method) for method in methods)
    chosen: dict[str, Method] = {}
    for name, method in named:
        if not callable(method):
            check_choice("methods", method, METHODS)
        own = str(getattr(method, "__name__", method) if name is None else name)
        while chosen.get(own, method) != method:
            own += "'"  # two functions of one name
        chosen[own] = method
    return chosen


def _own_ends(name: str, ends: Any, shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """What the user's function gave, if that is an interval for every outcome."""
    try:
        low, high = (np.broadcast_to(np.asarray(end, float), shape) for end in ends)
    except (TypeError, ValueError):
        raise InputError(f"method {name!r} must return (low, high), numbers or arrays with one for each of {shape[0]} "
                         "outcomes") from None
    wrong = ~(low <= high)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"method {name!r} must return low <= high; found {low[i]:g} and {high[i]:g}")
    yield from (low, high)


@dataclass(frozen=True)
class _Review:
    """One realisation."""

    realisations: Realisations
    index: int

    def _pairs(self) -> list[tuple[float, float, float]]:
        """Size, relevant documents and sample of the retrieved and of the unretrieved segment."""
        drawn = self.realisations
        return [(float(size[self.index]), float(relevant[self.index]), float(sampled[self.index]))
                for size, relevant, sampled in (
                    (drawn.retrieved, drawn.retrieved_relevant, drawn.retrieved_sample),
                    (drawn.unretrieved, drawn.unretrieved_relevant, drawn.unretrieved_sample))]

    def draw_outcomes(self, samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Distinct outcomes, 2 × n, and their shares of the samples."""
        found = [draw_counts(*pair, samples, rng) for pair in self._pairs()]
        outcomes, counts = np.unique(np.array(found), axis=1, return_counts=True)
        return outcomes, counts / samples

    def all_outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        """Likely outcomes and their probabilities."""
        counts, chances = zip(*(likely_counts(*pair) for pair in self._pairs()), strict=True)
        grid = np.meshgrid(*counts, indexing="ij")
        return np.array([axis.ravel() for axis in grid]), np.outer(*chances).ravel()

    def measure(self, name: str, method: Method, outcomes: np.ndarray, weights: np.ndarray, level: float,
                side: str) -> tuple[float, ...]:
        (size1, _, sample1), (size0, _, sample0) = self._pairs()
        if callable(method):
            ends = method(Stratum(size1, sample1, outcomes[0]), Stratum(size0, sample0, outcomes[1]), level)
            low, high = _own_ends(name, ends, weights.shape)
        else:
            low, high = Outcomes((size1, size0), (sample1, sample0), method).ends(outcomes, level, side)
        recall = self.realisations.recall[self.index]
        room = 2 * tolerance_of(size1 + size0)
        above, below = low > recall + room, high < recall - room
        return tuple(float(weights @ what) for what in (~above & ~below, high - low, above, below))


def _in_parallel(measure: Callable[[int], np.ndarray], count: int,
                 workers: int | None) -> Iterator[tuple[int, np.ndarray]]:
    """Results as they come; an interrupt or a fault lets the running ones end and drops the others."""
    n_workers = check_count("workers", workers, 1) if workers is not None else os.cpu_count() or 1
    stop = Event()

    def work(i: int) -> np.ndarray | None:
        return None if stop.is_set() else measure(i)

    with ThreadPoolExecutor(n_workers) as pool:
        running = {pool.submit(work, i): i for i in range(count)}
        try:
            while running:
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=running.__getitem__):
                    i, result = running.pop(future), future.result()
                    if result is not None:
                        yield i, result
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def _shown(progress: Any, count: int, name: str) -> Iterator[Callable[[int], None]]:
    if callable(progress):
        yield lambda done: progress(done, count)
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        progress = False
    if not progress or not sys.stderr.isatty():
        yield lambda done: None
        return
    columns = (TextColumn("coverage, {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=count)
        yield lambda done: bar.update(task, completed=done)

