"""Processes that hunt, and one that watches: what does not return is killed, and a finding."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from hunts import Arguments, Hunt, all_hunts
from hunts._search import GRACE, LATE, Answer, Search, stream, time_limit

FIRST_SECONDS = 120.0  # the first call may import libraries
TWIN_SECONDS = 60.0  # a slow twin that lasts longer is given up: the case does not count
MEMORY = 8 * 2**30  # bytes of address space of a worker, where the system can limit it
MOST_KILLED = 8  # workers of one part of a hunt; each hang costs its time
KEPT = 3  # findings of one kind, for each hunt
TOLD_EVERY = 0.25  # seconds between two reports of what is no finding


@dataclass(frozen=True)
class Task:
    """A part of a hunt: so many cases, or until a moment of the clock."""

    name: str
    part: tuple[int, ...]
    cases: float = math.inf
    until: float = math.inf


@dataclass
class Record:
    """The results of a hunt so far."""

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
        return self.keep(answer)

    def keep(self, answer: Answer) -> bool:
        """Keep it if it is worse than those before; whether it is."""
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
        """Add the counts of another record; answers and their number come on their own."""
        self.refused += other.refused
        self.without_twin += other.without_twin
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)

    @property
    def faults(self) -> list[Answer]:
        """The worst of each kind."""
        worst = [self.worst] if self.worst is not None and self.worst.faults else []
        if (
            self.worst_stated is not None
            and self.worst_stated.faults
            and self.worst_stated not in worst
        ):
            worst.append(self.worst_stated)
        return worst + [answer for some in self.findings.values() for answer in some]


def load(extra: str | None) -> dict[str, Hunt]:
    """The hunts of all modules, or those of one file."""
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
            args = hunt.draw(stream(seed, task.name, *task.part))
            pipe.send(("first", args, None))
            with contextlib.suppress(Exception):  # it is asked again, and heard then
                hunt.value(args)
            for answer in Search(hunt, stream(seed, task.name, *task.part)).cases(said):
                last.add(answer)
                if told.add(answer):
                    pipe.send(("answer", answer, None))
                done += 1
                is_over = done >= task.cases or time.time() >= task.until
                if is_over or time.monotonic() > report_at:
                    last.seconds = time.process_time() - started
                    pipe.send(("cases", last, None))
                    last, report_at, started = (
                        Record(),
                        time.monotonic() + TOLD_EVERY,
                        time.process_time(),
                    )
                if is_over:
                    break
        pipe.send(("done", None, None))


class Worker:
    """One process, its pipe, its task, and since when it is silent."""

    def __init__(self, seed: int, extra: str | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(
            target=work, args=(end, list(sys.path), seed, extra), daemon=True
        )
        self.process.start()
        end.close()
        self.task: Task | None = None
        self.done = 0  # cases of the task that were reported
        self.asked: tuple[str, Arguments, float] | None = (
            None  # what it is at, and how long that may last
        )
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


class Pool:
    """Workers at their tasks; `told` hears of each finding as it comes."""

    def __init__(
        self,
        tasks: Iterable[Task],
        jobs: int,
        seed: int,
        extra: str | None,
        told: Callable[[str, Answer], None],
    ) -> None:
        self.queue = list(tasks)[::-1]
        self.jobs, self.seed, self.extra, self.told = jobs, seed, extra, told
        self.records: dict[str, Record] = {}
        self.workers: list[Worker] = []

    def run(self) -> dict[str, Record]:
        """The records of all tasks."""
        self.workers = [self._new() for _ in range(min(self.jobs, len(self.queue)))]
        try:
            while self.workers:
                wait([worker.pipe for worker in self.workers], timeout=0.2)
                for worker in list(self.workers):
                    if not self._look_after(worker):
                        worker.end()
                        self.workers.remove(worker)
                        if self.queue:
                            self.workers.append(self._new())
        finally:
            for worker in self.workers:
                worker.end()
        return self.records

    def _new(self) -> Worker:
        return Worker(self.seed, self.extra)

    def _look_after(self, worker: Worker) -> bool:
        """Hear what it has to say; whether it lives on."""
        while worker.pipe.poll():
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker)
                return False
            if not self._hear(worker, *message):
                return False
        if worker.is_late:
            self._give_up(worker)
            return False
        return True

    def _hear(self, worker: Worker, kind: str, what: Any, limit: float) -> bool:
        """One message; whether the worker is needed any longer."""
        worker.since = time.monotonic()
        if kind in ("ready", "done"):
            worker.give(self.queue.pop() if self.queue else None)
            return worker.task is not None
        task: Any = worker.task
        record = self.records.setdefault(task.name, Record())
        if kind == "value":  # counted here, as a worker that dies cannot report
            worker.done += 1
            record.cases += 1
        if kind in ("first", "value", "truth"):
            allowed = {"first": FIRST_SECONDS, "truth": TWIN_SECONDS}
            worker.asked = (kind, what, allowed.get(kind, LATE * (limit or 0) + GRACE))
            return True
        worker.asked = None
        if kind == "answer":
            self._note(task.name, what, record)
        else:
            record.merge(what)
        return True

    def _note(self, name: str, answer: Answer, record: Record) -> None:
        if record.keep(answer) and answer.faults:
            self.told(name, answer)

    def _bury(self, worker: Worker) -> None:
        """Its question when it died is a finding; without a question, something else broke."""
        worker.process.join()
        status = worker.process.exitcode
        if worker.task is None or worker.asked is None:
            raise RuntimeError(f"a worker died with status {status}")
        kind = "the twin died" if worker.asked[0] == "truth" else "died"
        self._replace(worker, Answer(worker.asked[1], kind, note=f"exit status {status}"))

    def _give_up(self, worker: Worker) -> None:
        """A hang of the function is a finding, one of the twin is not."""
        stage, args, limit = worker.asked or ("", {}, 0.0)
        if stage != "truth":
            answer = Answer(args, "hang", note=f"did not return within {limit:.3g} s")
        else:
            answer = Answer(args, "no twin", note="too slow")
        self._replace(worker, answer)

    def _replace(self, worker: Worker, answer: Answer) -> None:
        """Let another worker do the rest of the task, with other random numbers."""
        task: Any = worker.task
        record = self.records.setdefault(task.name, Record())
        record.without_twin += answer.kind == "no twin"
        self._note(task.name, answer, record)
        left = task.cases - worker.done
        if len(task.part) <= MOST_KILLED and left > 0 and time.time() < task.until:
            self.queue.append(Task(task.name, (*task.part, 1), left, task.until))


def hunt_all(
    tasks: Iterable[Task],
    jobs: int,
    seed: int,
    extra: str | None = None,
    told: Callable[[str, Answer], None] = lambda name, answer: None,
) -> dict[str, Record]:
    """The records of all tasks, by hunts; processes use one thread each."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    return Pool(tasks, jobs, seed, extra, told).run()
