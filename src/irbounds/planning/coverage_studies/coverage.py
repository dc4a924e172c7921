"""The coverage of recall intervals, measured on scenarios (Webber 2013, section 4)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_level, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.foundation.interval import SIDES
from irbounds.planning.assumptions.known_review import Method, SampledReview
from irbounds.planning.assumptions.review import AssumedReview
from irbounds.planning.coverage_studies.report import CoverageReport
from irbounds.planning.coverage_studies.scenarios import SCENARIOS, Realisations, Scenario
from irbounds.planning.design.expected_width import check_design
from irbounds.samples.intervals.table import INTERVAL_METHODS, METHODS
from irbounds.samples.intervals.table import PAPER_METHODS as PAPER_METHODS

if TYPE_CHECKING:
    from irbounds.typing import RNGLike

OWN_SEEDS = 2**63 - 1


def coverage(
    scenario: Scenario | AssumedReview | str,
    methods: str | Sequence[Method] | Mapping[str, Method] = PAPER_METHODS,
    *,
    realisations: int = 1000,
    samples: int = 1000,
    retrieved_sample: int | Sequence[int] | None = None,
    unretrieved_sample: int | Sequence[int] | None = None,
    sample: int | None = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    exact: bool = False,
    rng: RNGLike = None,
    progress: bool | Callable[[int, int], None] = True,
    workers: int | None = None,
) -> CoverageReport:
    """The coverage of recall intervals over the reviews of a scenario or of an assumed review.

    Parameters
    ----------
    scenario : Scenario, {"neutral", "legal", "small"} or AssumedReview
    methods : str, sequence of str or dict
        Names of `recall_interval`'s methods.  Default: the nine of the paper; for strata those of
        them that take strata.  A dict maps names to methods, or to functions
        ``f(retrieved, unretrieved, confidence_level) -> (low, high)``.  Both segments are strata
        whose ``relevant`` is an array of outcomes, or lists of such where there are several; with
        one sample of the whole collection ``sampled`` is an array too.  Functions in a sequence go
        by their own names.
    realisations : int
        Reviews drawn from the scenario, or from the ranges of the assumptions; without ranges there
        is one only.
    samples : int
        Pairs of samples drawn from each review; all methods see the same.
    retrieved_sample, unretrieved_sample : int, or sequence of int over strata
        For an AssumedReview: documents to assess.  A scenario says that itself.
    sample : int, optional
        Instead: one sample of the whole collection, split afterwards by what was retrieved.
    confidence_level, side
        As in `recall_interval`.
    exact : bool
        Sum over all outcomes by their probabilities, instead of drawing samples; what is left out
        has a probability below 1e-9.  For up to a million outcomes.
    rng : None, int or numpy.random.Generator
    progress : bool or function
        Show progress on standard error where that is a terminal; or call ``progress(done,
        realisations)``.
    workers : int, optional
        Threads, as many as there are cores without it.  The report does not depend on their number.

    Returns
    -------
    CoverageReport
        After an interrupt (Ctrl-C): of the realisations done so far, and `interrupted` is True.

    Raises
    ------
    InputError
        For a scenario that cannot be, for unknown methods, and for functions whose ends are no
        intervals.

    Notes
    -----
    True recall at an end of an interval is inside.  Ends are within 1e-7 of `recall_interval`'s.
    An interval of several strata takes milliseconds to hundredths of a second, one of "anytime"
    about a tenth: with the default `realisations` and `samples`, "anytime" took two minutes for
    several strata. Choose fewer samples.

    Examples
    --------
    >>> import irbounds as irb
    >>> report = irb.coverage("small", ["normal-mle", "betabinom-half"], realisations=20,
    ...                       samples=100, rng=1)
    >>> {name: round(mean, 2) for name, mean in report.mean_coverage.items()}
    {'normal-mle': 0.87, 'betabinom-half': 0.95}
    >>> review = irb.AssumedReview.from_strata((2000, 0.7), [(4000, 0.02), (9000, 0.001)])
    >>> report = irb.coverage(review, "normal-mle", retrieved_sample=100,
    ...                       unretrieved_sample=[200, 200], samples=500, rng=1)
    >>> round(report.mean_coverage["normal-mle"], 2)
    0.91
    """
    level = check_level(confidence_level)
    check_choice("side", side, SIDES)
    count = check_count("realisations", realisations, 1)
    n_samples = None if check_flag("exact", exact) else check_count("samples", samples, 1)
    design = (retrieved_sample, unretrieved_sample, sample)
    chosen = _check_methods(methods)
    scenario, generator = _check_scenario(scenario, design), check_rng(rng)
    if isinstance(scenario, Scenario):
        name, drawn = scenario.name, scenario.draw(count, generator)
    else:
        name, drawn = repr(scenario)[14:-1], realised(scenario, *design, count, generator)
    count = len(drawn)
    if methods is PAPER_METHODS and drawn.retrieved_strata is not None:
        for row in INTERVAL_METHODS.values():
            if not row.allows_strata:
                chosen.pop(row.name, None)
    seed = int(generator.integers(OWN_SEEDS))

    def measure(i: int) -> np.ndarray:
        """4 × methods: coverage, width, and the probabilities that the interval lies above and
        below recall."""
        review = _review(drawn, i)
        # Each review has numbers of its own, whichever thread takes it.
        own = np.random.default_rng([seed, i])
        outcomes, weights = (
            review.all_outcomes() if n_samples is None else review.draw_outcomes(n_samples, own)
        )
        return np.array(
            [
                _measured(review, name, method, outcomes, weights, level, side)
                for name, method in chosen.items()
            ]
        ).T

    measured = np.full((count, 4, len(chosen)), np.nan)
    interrupted = False
    with _shown(progress, count, name) as show:
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
    return CoverageReport(
        name,
        tuple(chosen),
        level,
        side,
        n_samples,
        drawn[finished],
        covered,
        width,
        too_high,
        too_low,
        interrupted,
    )


def _check_scenario(scenario: object, design: tuple[Any, Any, Any]) -> Scenario | AssumedReview:
    if isinstance(scenario, AssumedReview):
        return scenario
    if isinstance(scenario, str):
        scenario = SCENARIOS[check_choice("scenario", scenario, tuple(SCENARIOS))]
    if not isinstance(scenario, Scenario):
        fail(
            "scenario",
            f"must be a Scenario, an AssumedReview, or one of {', '.join(SCENARIOS)}",
            scenario,
        )
    for argument, value in zip(
        ("retrieved_sample", "unretrieved_sample", "sample"), design, strict=True
    ):
        if value is not None:
            raise InputError(
                f"`{argument}` requires an AssumedReview; a scenario has its own samples"
            )
    return scenario


def realised(
    review: AssumedReview,
    retrieved_sample: int | Sequence[int] | None,
    unretrieved_sample: int | Sequence[int] | None,
    sample: int | None,
    count: int,
    rng: np.random.Generator,
) -> Realisations:
    """The realisations of an assumed review or a scenario, with the samples of a design."""
    first, second, single = check_design(review, retrieved_sample, unretrieved_sample, sample)
    cases = review.draw(count, rng) if len(review.cases) > 1 else list(review.cases)
    retrieved, unretrieved = (
        np.array(
            [
                [[*stratum, n] for stratum, n in zip(segment, taken, strict=True)]
                for segment in segments
            ]
        )
        for segments, taken in (
            ([case.retrieved for case in cases], first),
            ([case.unretrieved for case in cases], second),
        )
    )
    (size1, found, sample1), (size0, missed, sample0) = (
        segment.sum(axis=1).T for segment in (retrieved, unretrieved)
    )
    is_divided = retrieved.shape[1] + unretrieved.shape[1] > 2
    return Realisations(
        size1 + size0,
        found + missed,
        size1,
        found,
        sample1,
        sample0,
        retrieved if is_divided else None,
        unretrieved if is_divided else None,
        None if single is None else np.full(len(cases), float(single)),
    )


def _review(drawn: Realisations, i: int) -> SampledReview:
    if drawn.retrieved_strata is not None and drawn.unretrieved_strata is not None:
        return SampledReview(drawn.retrieved_strata[i], drawn.unretrieved_strata[i])
    retrieved, unretrieved = (
        np.array([[size[i], relevant[i], sampled[i]]])
        for size, relevant, sampled in (
            (drawn.retrieved, drawn.retrieved_relevant, drawn.retrieved_sample),
            (drawn.unretrieved, drawn.unretrieved_relevant, drawn.unretrieved_sample),
        )
    )
    return SampledReview(
        retrieved, unretrieved, None if drawn.sample is None else int(drawn.sample[i])
    )


def _measured(
    review: SampledReview,
    name: str,
    method: Method,
    outcomes: np.ndarray,
    weights: np.ndarray,
    level: float,
    side: str,
) -> tuple[float, ...]:
    low, high = review.ends(name, method, outcomes, level, side)
    above, below = review.covers(low, high)
    return tuple(float(weights @ what) for what in (~above & ~below, high - low, above, below))


def _check_methods(methods: object) -> dict[str, Method]:
    if isinstance(methods, str) or callable(methods):
        methods = [methods]
    if not isinstance(methods, Sequence | Mapping) or not methods:
        fail("methods", "must be names of methods, or a dict of names and methods", methods)
    named = (
        methods.items() if isinstance(methods, Mapping) else ((None, method) for method in methods)
    )
    chosen: dict[str, Method] = {}
    for name, method in named:
        if not callable(method):
            check_choice("methods", method, METHODS)
        own = str(getattr(method, "__name__", method) if name is None else name)
        while chosen.get(own, method) != method:
            own += "'"  # two functions of one name
        chosen[own] = method
    return chosen


def _in_parallel(
    measure: Callable[[int], np.ndarray], count: int, workers: int | None
) -> Iterator[tuple[int, np.ndarray]]:
    """Results as they are ready; after an interrupt or an error running tasks finish and the
    others are dropped."""
    n_workers = check_count("workers", workers, 1) if workers is not None else os.cpu_count() or 1
    stop = Event()

    def work(i: int) -> np.ndarray | None:
        return None if stop.is_set() else measure(i)

    pool = ThreadPoolExecutor(n_workers)
    running = {pool.submit(work, i): i for i in range(count)}
    try:
        while running:
            done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=running.__getitem__):
                i, result = running.pop(future), future.result()
                if result is not None:
                    yield i, result
    finally:  # in whatever thread collects this generator: it must not wait for another
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _shown(
    progress: bool | Callable[[int, int], None], count: int, name: str
) -> Iterator[Callable[[int], None]]:
    if callable(progress):
        yield lambda done: progress(done, count)
        return
    if not progress or not sys.stderr.isatty() or find_spec("click") is None:
        yield lambda done: None
        return
    import click

    with click.progressbar(length=count, label=f"coverage, {name}", file=sys.stderr) as bar:
        yield lambda done: bar.update(done - bar.pos)
