"""The process that watches those that hunt: what does not return, or dies, is a finding."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from multiprocessing.connection import wait
from typing import Any

from hunts._records import Record, Task
from hunts._search import Answer
from hunts._workers import HAS_TIMER, Worker

MOST_KILLED = 8  # workers of one part of a hunt; each hang costs its time


class Parts:
    """Tasks that are known, one after the other."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self.tasks = list(tasks)[::-1]

    def next(self, records: dict[str, Record], busy: set[str]) -> Task | None:
        """The next one, or None."""
        return self.tasks.pop() if self.tasks else None


class Turns:
    """Hunts take turns until a moment of the clock.

    A turn is so many seconds of the processor.  In each round the hunts with few cases come first;
    one with `enough` cases has no more turns.
    """

    def __init__(self, before: dict[str, int], seconds: float, until: float, enough: float) -> None:
        self.before, self.seconds, self.until, self.enough = before, seconds, until, enough
        self.turns = dict.fromkeys(before, 0)

    def next(self, records: dict[str, Record], busy: set[str]) -> Task | None:
        """The turn of the hunt that had the fewest, and of these the one with the fewest cases."""

        def cases(name: str) -> int:
            return self.before[name] + (records[name].compared if name in records else 0)

        open_ones = [name for name in self.before if cases(name) < self.enough]
        if not open_ones or time.time() >= self.until:
            return None
        name = min(open_ones, key=lambda name: (self.turns[name] + (name in busy), cases(name)))
        self.turns[name] += 1
        left = self.enough - cases(name)
        return Task(name, (self.turns[name] - 1,), left, self.seconds, self.until)


class Pool:
    """Workers at their tasks; `found` hears of each finding as it comes, `ended` of each task that
    is done."""

    def __init__(
        self,
        schedule: Parts | Turns,
        jobs: int,
        seed: int,
        extra: str | None,
        found: Callable[[str, Answer], None],
        ended: Callable[[str, Record], None],
    ) -> None:
        self.schedule, self.left = schedule, list[Task]()
        self.jobs, self.seed, self.extra = jobs, seed, extra
        self.found, self.ended = found, ended
        self.records: dict[str, Record] = {}
        self.told: dict[tuple[str, str], float] = {}  # one ten times as bad is told again
        self.workers: list[Worker] = []

    def run(self) -> dict[str, Record]:
        """The records of all tasks."""
        try:
            self.workers = [self._new() for _ in range(self.jobs)]
            while self.workers:
                wait([worker.pipe for worker in self.workers], timeout=0.5)
                for worker in list(self.workers):
                    if not self._look_after(worker):
                        worker.end()
                        self.workers.remove(worker)
                        if self.left:
                            self.workers.append(self._new())
        finally:
            for worker in self.workers:
                worker.end()
        return self.records

    def _new(self) -> Worker:
        return Worker(self.seed, self.extra)

    def _next(self) -> Task | None:
        if self.left:
            return self.left.pop()
        busy = {worker.task.name for worker in self.workers if worker.task is not None}
        return self.schedule.next(self.records, busy)

    def _look_after(self, worker: Worker) -> bool:
        """Hear what it has to say; whether it lives on."""
        while worker.pipe.poll():
            try:
                kind, what = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker)
                return False
            if not self._hear(worker, kind, what):
                return False
        if worker.is_late:
            self._give_up(worker, "the clock on the wall")
            return False
        return True

    def _hear(self, worker: Worker, kind: str, what: Any) -> bool:
        """One message; whether the worker is needed any longer."""
        if kind in ("ready", "done"):
            task, worker.task = worker.task, None
            if task is not None and task.name in self.records:
                self.ended(task.name, self.records[task.name])
            worker.give(self._next())
            return worker.task is not None
        task = worker.task
        record = self.records.setdefault(task.name, Record())
        if kind == "answer":
            self._note(task.name, what, record)
        else:
            record.merge(what)
            new = (what.cases, what.refused, what.without_twin)
            worker.reported = [sum(pair) for pair in zip(worker.reported, new, strict=True)]
        return True

    def _note(self, name: str, answer: Answer, record: Record) -> None:
        if record.keep(answer) and answer.faults:
            height = max(answer.ratio, answer.stated_ratio)
            key = (name, answer.kind)
            if key not in self.told or not height <= 10 * self.told[key]:
                self.told[key] = height
                self.found(name, answer)

    def _bury(self, worker: Worker) -> None:
        """Its question when it died is a finding; without a question, something else broke."""
        worker.process.join()
        status = worker.process.exitcode
        _, _, stage, args = worker.slate.read()
        if worker.task is None or not stage:
            raise RuntimeError(f"a worker died with status {status}")
        if HAS_TIMER and status == -signal.SIGPROF:
            self._give_up(worker, "the processor")
            return
        kind = "the twin died" if stage == "truth" else "died"
        self._replace(worker, Answer(args, kind, note=f"exit status {status}"))

    def _give_up(self, worker: Worker, clock: str) -> None:
        """A hang of the function is a finding, one of the twin is not."""
        _, limit, stage, args = worker.slate.read()
        if stage != "truth":
            answer = Answer(args, "hang", note=f"no answer within {limit:.3g} s of {clock}")
        else:
            answer = Answer(args, "no twin", note="too slow")
        self._replace(worker, answer)

    def _replace(self, worker: Worker, answer: Answer) -> None:
        """Let another worker do the rest of the task, with other random numbers."""
        task: Any = worker.task
        record = self.records.setdefault(task.name, Record())
        counts = worker.slate.read()[0]
        cases, refused, without_twin = (
            now - then for now, then in zip(counts, worker.reported, strict=True)
        )
        record.cases += cases
        record.refused += refused
        record.without_twin += without_twin + (answer.kind == "no twin")
        self._note(task.name, answer, record)
        left = task.cases - counts[0]
        if len(task.part) <= MOST_KILLED and left > 0 and time.time() < task.until:
            part = (*task.part, 1)
            self.left.append(Task(task.name, part, left, task.seconds, task.until))
        else:
            self.ended(task.name, record)


def hunt_all(
    schedule: Parts | Turns,
    jobs: int,
    seed: int,
    extra: str | None = None,
    found: Callable[[str, Answer], None] = lambda name, answer: None,
    ended: Callable[[str, Record], None] = lambda name, record: None,
) -> dict[str, Record]:
    """The records of all tasks, by hunts; processes use one thread each."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    return Pool(schedule, jobs, seed, extra, found, ended).run()
