"""Processes that hunt, and the one that watches them: what does not return is killed, and is a finding."""
from __future__ import annotations

import contextlib
import importlib.util
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from hunts import Arguments, Hunt, all_hunts
from hunts._search import GRACE, LATE, Answer, Search, stream, time_limit

TWIN_SECONDS = 60.0     # a slow twin that lasts longer is given up: the case does not count
MEMORY = 8 * 2**30      # bytes of address space of a worker, where the system can limit it
MOST_KILLED = 8         # workers of one part of a hunt; each hang costs its time
KEPT = 3                # findings of one kind, for each hunt
TOLD_EVERY = 0.25       # seconds between two reports of what is no finding


@dataclass(frozen=True)
class Task:
    """A part of a hunt: so many cases, or until a moment of the clock."""

    name: str
    part: tuple[int, ...]
    cases: float = math.inf
    until: float = math.inf


@dataclass
class Record:
    """What is known of a hunt so far."""

    cases: int = 0
    refused: int = 0
    without_twin: int = 0
    seconds: float = 0.0  # of everything: draws, calls, twins
    slowest: float = 0.0
    worst: Answer | None = None
    worst_stated: Answer | None = None
    findings: dict[str, list[Answer]] = field(default_factory=dict)

    def add(self, answer: Answer) -> bool:
        """Count a case; whether the watching process has to see it."""
        self.cases += 1
        self.refused += answer.kind == "refused"
        self.without_twin += answer.kind == "no twin"
        self.slowest = max(self.slowest, answer.seconds)
        return self._keep(answer)

    def _keep(self, answer: Answer) -> bool:
        is_worse = False
        if answer.kind == "answer":
            if self.worst is None or answer.ratio > self.worst.ratio:
                self.worst, is_worse = answer, True
            if answer.stated_ratio > (self.worst_stated.stated_ratio if self.worst_stated else 0):
                self.worst_stated, is_worse = answer, True
        elif answer.faults:
            some = self.findings.setdefault(answer.kind, [])
            is_worse = len(some) < KEPT
            if is_worse:
                some.append(answer)
        return is_worse

    def merge(self, other: Record) -> None:
        """What is not told case by case: answers and their number come on their own."""
        self.refused += other.refused
        self.without_twin += other.without_twin
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)

    @property
    def faults(self) -> list[Answer]:
        """The worst of each kind."""
        worst = [answer for answer in (self.worst, self.worst_stated) if answer is not None and answer.faults]
        if len(worst) == 2 and worst[0] is worst[1]:
            del worst[1]
        return worst + [answer for some in self.findings.values() for answer in some]


def load(extra: str | None) -> dict[str, Hunt]:
    """The hunts of the rooms, or those of one file."""
    if extra is None:
        return all_hunts()
    spec = importlib.util.spec_from_file_location("extra_hunts", Path(extra).resolve())
    if spec is None or spec.loader is None:
        raise ValueError(f"cannot read {extra}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {hunt.name: hunt for hunt in module.HUNTS}


def work(pipe: Connection, paths: list[str], seed: int, extra: str | None) -> None:
    """A worker: takes tasks, says before each call what it asks, and reports."""
    sys.path[:0] = [path for path in paths if path not in sys.path]
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    hunts = load(extra)
    pipe.send(("ready", None, None))
    while (task := pipe.recv()) is not None:
        hunt = hunts[task.name]

        def said(args: Arguments, stage: str, hunt: Hunt = hunt) -> None:
            pipe.send((stage, args, time_limit(hunt, args) if stage == "value" else None))

        told, last, done = Record(), Record(), 0
        report_at, started = time.monotonic() + TOLD_EVERY, time.process_time()
        if time.time() < task.until:
            for answer in Search(hunt, stream(seed, task.name, *task.part)).cases(said):
                last.add(answer)
                if told.add(answer):
                    pipe.send(("answer", answer, None))
                done += 1
                is_over = done >= task.cases or time.time() >= task.until
                if is_over or time.monotonic() > report_at:
                    last.seconds = time.process_time() - started
                    pipe.send(("cases", last, None))
                    last, report_at, started = Record(), time.monotonic() + TOLD_EVERY, time.process_time()
                if is_over:
                    break
        pipe.send(("done", None, None))


class Worker:
    """One process, its pipe, its task, and since when it is silent."""

    def __init__(self, seed: int, extra: str | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=work, args=(end, list(sys.path), seed, extra), daemon=True)
        self.process.start()
        end.close()
        self.task: Task | None = None
        self.done = 0          # cases of the task that were reported
        self.asked: tuple[str, Arguments, float] | None = None  # what it is at, and how long that may last
        self.since = time.monotonic()

    def give(self, task: Task | None) -> None:
        """A task, or None: go home."""
        self.task, self.done, self.asked, self.since = task, 0, None, time.monotonic()
        with contextlib.suppress(OSError):
            self.pipe.send(task)

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.pipe.close()

    @property
    def is_late(self) -> bool:
        """Whether the call it is at lasts too long."""
        return self.asked is not None and time.monotonic() - self.since > self.asked[2]


def hunt_all(tasks: Iterator[Task], jobs: int, seed: int, extra: str | None = None,
             told: Callable[[str, Answer], None] = lambda name, answer: None) -> dict[str, Record]:
    """The records of all tasks; `told` hears of each finding as it comes."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    queue, records = list(tasks), {}
    queue.reverse()
    workers = [Worker(seed, extra) for _ in range(min(jobs, len(queue)))]
    try:
        while workers:
            ready = wait([worker.pipe for worker in workers], timeout=0.2)
            for worker in list(workers):
                alive = True
                while alive and (worker.pipe in ready or worker.asked) and _readable(worker):
                    alive = _hear(worker, queue, records, told)
                if alive and worker.is_late:
                    _give_up(worker, queue, records, told)
                    alive = False
                if not alive:
                    worker.end()
                    workers.remove(worker)
                    if queue:
                        workers.append(Worker(seed, extra))
    finally:
        for worker in workers:
            worker.end()
    return records


def _readable(worker: Worker) -> bool:
    try:
        return worker.pipe.poll()
    except OSError:
        return True


def _hear(worker: Worker, queue: list[Task], records: dict[str, Record],
          told: Callable[[str, Answer], None]) -> bool:
    """One message; whether the worker lives on."""
    try:
        kind, what, limit = worker.pipe.recv()
    except (EOFError, OSError):  # it died
        _bury(worker, queue, records, told)
        return False
    worker.since = time.monotonic()
    if kind in ("ready", "done"):
        worker.give(queue.pop() if queue else None)
        return worker.task is not None
    task = worker.task
    if task is None:
        return True
    record = records.setdefault(task.name, Record())
    if kind == "value":  # counted here, as a worker that dies cannot report
        worker.done += 1
        record.cases += 1
    if kind in ("value", "truth"):
        worker.asked = (kind, what, LATE * limit + GRACE if kind == "value" else TWIN_SECONDS)
    elif kind == "answer":
        worker.asked = None
        _note(task.name, what, record, told)
    elif kind == "cases":
        worker.asked = None
        record.merge(what)
    return True


def _note(name: str, answer: Answer, record: Record, told: Callable[[str, Answer], None]) -> None:
    if record._keep(answer) and answer.faults:
        told(name, answer)


def _bury(worker: Worker, queue: list[Task], records: dict[str, Record], told: Callable[[str, Answer], None]) -> None:
    """What it was asked when it died is a finding; without a question, the machinery is broken."""
    worker.process.join()
    if worker.task is None or worker.asked is None:
        raise RuntimeError(f"a worker died with status {worker.process.exitcode}")
    kind = "died" if worker.asked[0] == "value" else "the twin died"
    _replace(worker, Answer(worker.asked[1], kind, note=f"exit status {worker.process.exitcode}"), queue, records, told)


def _give_up(worker: Worker, queue: list[Task], records: dict[str, Record], told: Callable[[str, Answer], None]) -> None:
    """A hang of the function is a finding, one of the twin is not."""
    stage, args, limit = worker.asked  # type: ignore[misc]
    answer = (Answer(args, "hang", note=f"did not return within {limit:.3g} s") if stage == "value"
              else Answer(args, "no twin", note="too slow"))
    _replace(worker, answer, queue, records, told)


def _replace(worker: Worker, answer: Answer, queue: list[Task], records: dict[str, Record],
             told: Callable[[str, Answer], None]) -> None:
    """Count the case, and let another worker do the rest of the task, with other random numbers."""
    task: Any = worker.task
    record = records.setdefault(task.name, Record())
    record.without_twin += answer.kind == "no twin"
    _note(task.name, answer, record, told)
    left = task.cases - worker.done
    if len(task.part) > MOST_KILLED:
        return
    if left > 0 and time.time() < task.until:
        queue.append(Task(task.name, (*task.part, 1), left, task.until))
