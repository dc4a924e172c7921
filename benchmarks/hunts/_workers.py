"""Processes that hunt: each asks, and is killed where it does not return.

A worker writes each question into a file in memory before it asks, and sets a timer of its own
processor time, which kills it. So a question costs no message, and other work on the machine makes
no hang.
"""

from __future__ import annotations

import contextlib
import importlib.util
import mmap
import multiprocessing
import os
import pickle
import signal
import struct
import sys
import tempfile
import time
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hunts import Arguments, Hunt, all_hunts
from hunts._records import Record, Task
from hunts._search import GRACE, LATE, Search, stream, time_limit

# Limits of time are of the worker's processor where the system has a timer of it (not on Windows).
HAS_TIMER = hasattr(signal, "setitimer") and hasattr(signal, "SIGPROF")
FIRST_SECONDS = 120.0  # the first call may import libraries
TWIN_SECONDS = 60.0  # a slow twin that lasts longer is given up: the case does not count
# A call that sleeps uses no processor: the clock on the wall stops it, so many times and seconds
# later, as a worker of the lowest priority may have a twentieth of a processor.
WALL, WALL_GRACE = 20.0, 600.0
LONGEST_QUESTION = 2**24  # bytes; a longer one is found without its arguments
MEMORY = 8 * 2**30  # bytes of address space of a worker, where the system can limit it
TOLD_EVERY = 1.0  # seconds between two reports of what is no finding


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


class Slate:
    """The state of a worker, in a file that both processes see: the question, its stage, its time
    limit, and what was asked before.  It is read when the worker is dead or silent."""

    HEADER = struct.Struct("<qqqdqq")  # asked, refused, without twin, limit, stage, length
    STAGES = ("", "first", "value", "truth")

    def __init__(self, path: str) -> None:
        with Path(path).open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), self.HEADER.size + LONGEST_QUESTION)
        self.counts = [0, 0, 0]

    def write(self, stage: str, args: Arguments, limit: float) -> None:
        """Before a call."""
        question = pickle.dumps(args)
        if len(question) > LONGEST_QUESTION:
            question = pickle.dumps({})
        start = self.HEADER.size
        self.memory[start : start + len(question)] = question
        number = self.STAGES.index(stage)
        self.HEADER.pack_into(self.memory, 0, *self.counts, limit, number, len(question))

    def rest(self) -> None:
        """No call any longer."""
        self.HEADER.pack_into(self.memory, 0, *self.counts, 0.0, 0, 0)

    def read(self) -> tuple[list[int], float, str, Arguments]:
        """Counts, limit, stage, question."""
        *counts, limit, stage, length = self.HEADER.unpack_from(self.memory, 0)
        start = self.HEADER.size
        args = pickle.loads(self.memory[start : start + length]) if length else {}
        return counts, limit, self.STAGES[stage], args


def work(pipe: Connection, path: str, paths: list[str], seed: int, extra: str | None) -> None:
    """A worker: takes tasks, writes down before each call what it asks, and reports."""
    sys.path[:0] = [path for path in paths if path not in sys.path]
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    hunts, slate = load(extra), Slate(path)
    pipe.send(("ready", None))
    while (task := pipe.recv()) is not None:
        slate.counts = [0, 0, 0]
        if time.time() < task.until:
            _ask_all(pipe, slate, hunts[task.name], task, seed)
        slate.rest()
        _set_timer(0)
        pipe.send(("done", None))


def _set_timer(seconds: float) -> None:
    """The system kills the process after so much of its own work; 0 for never."""
    if HAS_TIMER:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _ask_all(pipe: Connection, slate: Slate, hunt: Hunt, task: Task, seed: int) -> None:
    """The cases of one task."""

    def said(args: Arguments, stage: str) -> None:
        limit = TWIN_SECONDS
        if stage == "value":
            slate.counts[0] += 1
            limit = LATE * time_limit(hunt, args) + GRACE
        slate.write(stage, args, limit)
        _set_timer(limit)

    told, last = Record(), Record()
    args = hunt.draw(stream(seed, task.name, *task.part))
    slate.write("first", args, FIRST_SECONDS)
    _set_timer(FIRST_SECONDS)
    with contextlib.suppress(Exception):  # it is asked again, and heard then
        hunt.value(args)
    begun = started = time.process_time()
    report_at = time.monotonic() + TOLD_EVERY
    for answer in Search(hunt, stream(seed, task.name, *task.part)).cases(said):
        last.add(answer)
        if told.add(answer):
            pipe.send(("answer", answer))
        slate.counts[1:] = told.refused, told.without_twin
        now = time.process_time()
        is_over = told.cases >= task.cases or now - begun >= task.seconds
        is_over = is_over or time.time() >= task.until
        if is_over or time.monotonic() > report_at:
            last.seconds = now - started
            pipe.send(("cases", last))
            last, report_at, started = Record(), time.monotonic() + TOLD_EVERY, now
        if is_over:
            return


class Worker:
    """One process, its pipe, its slate, its task, and what it reported of it."""

    def __init__(self, seed: int, extra: str | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        handle, self.path = tempfile.mkstemp(prefix="hunt")
        os.ftruncate(handle, Slate.HEADER.size + LONGEST_QUESTION)
        os.close(handle)
        self.slate = Slate(self.path)
        self.process = context.Process(
            target=work, args=(end, self.path, list(sys.path), seed, extra), daemon=True
        )
        self.process.start()
        end.close()
        self.task: Task | None = None
        self.reported = [0, 0, 0]  # cases of the task, refused ones, ones without twin
        self.heard: Any = None  # its slate, when it was last looked at
        self.since = time.monotonic()

    def give(self, task: Task | None) -> None:
        """A task, or None: go home."""
        self.task, self.reported = task, [0, 0, 0]
        with contextlib.suppress(OSError):
            self.pipe.send(task)

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.slate.memory.close()
        with contextlib.suppress(OSError):
            Path(self.path).unlink()

    @property
    def is_late(self) -> bool:
        """Whether the call it is at lasts too long by the clock on the wall."""
        header = self.slate.memory[: Slate.HEADER.size]
        if header != self.heard:
            self.heard, self.since = header, time.monotonic()
        limit, stage = Slate.HEADER.unpack(header)[3:5]
        allowed = limit * WALL + WALL_GRACE if HAS_TIMER else limit
        return bool(stage) and time.monotonic() - self.since > allowed
