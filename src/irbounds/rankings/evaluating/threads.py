"""Evaluation of many runs in threads."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError, check_count
from irbounds.rankings.data.run_source import RunSource

if TYPE_CHECKING:
    from concurrent.futures import Future

    from irbounds.rankings.data.evaluation import Evaluation


THREAD_NAME = "irbounds"  # the beginning of the names of these threads
CONNECTED = ("duckdb", "_duckdb", "ibis")  # packages whose tables are read through a connection


def has_connection(source: object) -> bool:
    """Whether the rows come from a database connection, which several runs may share."""
    source = source.given if isinstance(source, RunSource) else source
    return type(source).__module__.partition(".")[0] in CONNECTED


def are_running() -> bool:
    """Whether threads of `in_threads` are there."""
    threads = sys.modules.get("threading")
    return threads is not None and any(
        thread.name.startswith(THREAD_NAME) for thread in threads.enumerate()
    )


def in_threads(
    work: Callable[[Any], Evaluation], named: Iterable[tuple[str, Any]], jobs: int | None = None
) -> Iterator[tuple[str, Evaluation | InputError]]:
    """(name, outcome) of each run in order, as soon as it and those before it are done.

    At most twice `jobs` runs are started ahead of the consumer.  Tables behind a database
    connection are read in the caller's thread: one connection serves one reader at a time.
    """
    jobs = (os.cpu_count() or 1) if jobs is None else check_count("jobs", jobs, least=1)

    def outcome(source: object) -> Evaluation | InputError:
        try:
            return work(source)
        except InputError as error:
            return error

    if jobs == 1:
        yield from ((name, outcome(source)) for name, source in named)
        return
    from concurrent.futures import Future, ThreadPoolExecutor  # here: one run needs no threads

    waiting: deque[tuple[str, Future[Evaluation | InputError]]] = deque()
    pool = ThreadPoolExecutor(jobs, THREAD_NAME)

    def begin(source: object) -> Future[Evaluation | InputError]:
        if not has_connection(source):
            return pool.submit(outcome, source)
        done: Future[Evaluation | InputError] = Future()
        done.set_result(outcome(source))
        return done

    try:
        for name, source in named:
            waiting.append((name, begin(source)))
            if len(waiting) == 2 * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:  # also where the caller stops early, in whatever thread collects this generator then
        pool.shutdown(wait=False, cancel_futures=True)
