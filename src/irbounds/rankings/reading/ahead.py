"""Decoding beside evaluating."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

DEPTH = 3  # parts that wait: memory for a few batches of 65,536 rows


def ahead(parts: Iterator[Any]) -> Iterator[Any]:
    """The same parts, none of them None; a thread makes the next ones while one is evaluated."""
    from concurrent.futures import ThreadPoolExecutor

    pool, making = ThreadPoolExecutor(1), _Making(parts)
    try:
        pool.submit(making.run)
        while (part := making.take(lambda: pool.submit(making.run))) is not None:
            yield part
    finally:
        # An error leaves this generator to the garbage collector, which may close it in a thread
        # that is just being started: to wait for another thread there is a deadlock.
        making.is_over = True
        pool.shutdown(wait=False)


class _Making:
    """Parts that are made one after the other.

    The thread goes from one part to the next by itself: to be sent the next one it would need the
    interpreter's lock, which the evaluation holds.  It never waits, or else an interpreter that
    ends would wait for it: with enough parts made it ends, and is started again.
    """

    def __init__(self, parts: Iterator[Any]) -> None:
        self.parts = parts
        self.made: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self.lock = threading.Lock()
        self.is_over = self.is_resting = False

    def run(self) -> None:
        """Make parts until there are enough of them."""
        while not self.is_over:
            part, error = None, None
            try:
                part = next(self.parts, None)
            except BaseException as caught:
                error = caught
            self.is_over = self.is_over or part is None
            self.made.put((part, error))
            with self.lock:
                self.is_resting = self.made.qsize() >= DEPTH
                if self.is_resting:
                    return

    def take(self, start: Callable[[], object]) -> Any:
        """Return the next part, or None after the last one."""
        part, error = self.made.get()
        with self.lock:
            if self.is_resting and not self.is_over:
                self.is_resting = False
                start()
        if error is not None:
            raise error
        return part
