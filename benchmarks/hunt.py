"""Hunts for the question on which a public function is farthest from the truth.

    python benchmarks/hunt.py hypergeometric_cdf --minutes 10     # all hunts of one function
    python benchmarks/hunt.py --all --cases 1000                  # every hunt
    python benchmarks/hunt.py --list                              # what there is to hunt

Questions are drawn from what a function accepts, and the worst ones are changed step by step to
where the error is largest, as a part of what is promised. A call that raises or does not return is
a finding as well. The hunts are in benchmarks/hunts, a module for each subject.

Each finding is printed as a command that repeats it. With one, the exit status is 1. The seed is
printed; `--seed` with `--cases` repeats a hunt, whatever the number of jobs.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import math
import multiprocessing
import os
import secrets
import shlex
import sys
import time
import warnings
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the twins are

from hunts import Arguments, Hunt, all_hunts
from hunts._search import Answer, search, stream
from hunts._search import ask as ask_hunt

LONGEST = 120.0  # seconds of one call, of the function or of its twin
RESTARTS = 3  # of one hunt, after calls that did not end


def load(file: str | None = None) -> dict[str, Hunt]:
    """The hunts of all modules, or those of one file."""
    if file is None:
        return all_hunts()
    spec = importlib.util.spec_from_file_location("more_hunts", Path(file).resolve())
    if spec is None or spec.loader is None:
        raise ValueError(f"cannot read {file}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {hunt.name: hunt for hunt in module.HUNTS}


def ask(name: str, args: Arguments, file: str | None = None) -> Answer:
    """Ask one question, and print how it went."""
    answer = ask_hunt(load(file)[name], args)
    print(f"{name}: {answer.fault or answer.kind}")
    print(
        f"  value {answer.value!r}, truth {answer.truth!r}, error {answer.error:.3g}, "
        f"promised {answer.promise:.3g} {answer.note}"
    )
    return answer


def command(name: str, args: Arguments, file: str | None = None) -> str:
    """A line for the shell that asks again."""
    of_file = f", {file!r}" if file else ""
    line = f"from hunt import ask, inf, nan; ask({name!r}, {args!r}{of_file})"
    quoted = f'"{line}"' if not set(line) & set('"$`!\\') else shlex.quote(line)
    return f"PYTHONPATH=benchmarks python -c {quoted}"


inf, nan = math.inf, math.nan  # as arguments of a command are written


def chosen(hunts: dict[str, Hunt], wanted: list[str]) -> list[str]:
    """Names of hunts, or of functions with all their hunts."""
    for word in wanted:
        if not any(word in (name, hunt.function) for name, hunt in hunts.items()):
            sys.exit(f"no hunt is called {word!r}; see --list")
    return [name for name, hunt in hunts.items() if {name, hunt.function} & {*wanted}]


@dataclass
class Task:
    """A hunt to be done, and what came out of it so far."""

    name: str
    cases: int  # at most
    seconds: float  # at most
    restarts: int = 0
    asked: int = 0
    worst: float = 0.0
    findings: dict[str, Answer] = field(default_factory=dict)  # the worst of each kind

    def note(self, answer: Answer) -> None:
        """Count a case, and keep it if it is a finding worse than those before."""
        self.asked += 1
        if answer.kind == "answer":
            self.worst = max(self.worst, answer.ratio)
        known = self.findings.get(answer.kind)
        if answer.fault and (known is None or answer.ratio > known.ratio):
            self.findings[answer.kind] = answer


def work(pipe: Connection, seed: int, file: str | None) -> None:
    """A process that hunts: it says what it asks before it asks."""
    warnings.simplefilter("ignore")
    hunts = load(file)
    pipe.send("ready")
    for task in iter(pipe.recv, None):
        start = time.monotonic()
        rng = stream(seed, task.name, task.restarts)
        cases = search(hunts[task.name], rng, lambda args, stage: pipe.send((stage, args)))
        for n, answer in enumerate(cases, task.asked + 1):
            pipe.send(answer)
            if n >= task.cases or time.monotonic() - start > task.seconds:
                break
        pipe.send("ready")


class Worker:
    """A process, and what it does."""

    def __init__(self, seed: int, file: str | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=work, args=(end, seed, file), daemon=True)
        self.process.start()
        end.close()
        self.task: Task | None = None
        self.stage, self.args = "start", Arguments()
        self.heard = time.monotonic()

    def listen(self) -> bool:
        """Hear what it says; whether it waits for a task."""
        while self.pipe.poll():
            said = self.pipe.recv()
            self.heard = time.monotonic()
            if said == "ready":
                return True
            if isinstance(said, Answer):
                assert self.task is not None
                self.task.note(said)
            else:
                self.stage, self.args = said
        return False

    def give(self, task: Task | None) -> None:
        """The next task, or None: the end."""
        self.task, self.heard = task, time.monotonic()
        self.pipe.send(task)

    def end(self) -> None:
        """Stop it."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def look_after(worker: Worker, left: list[Task]) -> bool:
    """Hear a worker, and give it what is left; whether it lives on.

    A call of a function that does not return, or ends the process, is a finding.  A twin that is
    too slow is none.
    """
    try:
        if worker.listen():
            worker.give(left.pop() if left else None)
            return worker.task is not None
        if time.monotonic() - worker.heard < LONGEST:
            return True
        kind, note = "hang", f"no answer within {LONGEST:.0f} s"
    except (EOFError, ConnectionError):
        worker.process.join()
        kind, note = "died", f"exit status {worker.process.exitcode}"
    task = worker.task
    if task is None:
        raise RuntimeError(f"a worker did not start: {note}")
    is_slow_twin = worker.stage == "truth" and kind == "hang"
    task.note(Answer(worker.args, "no twin" if is_slow_twin else kind, note=note))
    task.restarts += 1
    if task.restarts <= RESTARTS and task.asked < task.cases:
        left.append(task)
    return False


def hunt_all(tasks: list[Task], jobs: int, seed: int, file: str | None = None) -> None:
    """Do all tasks; each process uses one thread."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    left, workers = tasks[::-1], list[Worker]()
    try:
        while left or workers:
            while left and len(workers) < jobs:
                workers.append(Worker(seed, file))
            wait([worker.pipe for worker in workers], timeout=0.5)
            for worker in list(workers):
                if not look_after(worker, left):
                    worker.end()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.end()


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("function", nargs="*", help="public names, or names of hunts")
    parser.add_argument("--all", action="store_true", help="every hunt")
    parser.add_argument("--list", action="store_true", help="print the hunts, and end")
    parser.add_argument("--minutes", type=float, help="for all hunts together, in equal shares")
    parser.add_argument(
        "--cases", type=int, help="of each hunt, instead of --minutes; 1000 by default"
    )
    parser.add_argument(
        "--seed", type=int, help="drawn and printed by default; IRBOUNDS_SEED sets it too"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--file", help="a Python file with a list HUNTS, instead of the modules")
    options = parser.parse_args()
    if not (options.list or options.all or options.function):
        parser.error("name a function, or give --all or --list")
    if options.minutes is not None and options.cases is not None:
        parser.error("give --minutes or --cases, not both")
    return options


def main() -> int:
    """Hunt, and say what was found."""
    options = arguments()
    hunts = load(options.file)
    if options.list:
        print(*hunts, sep="\n")
        return 0
    names = list(hunts) if options.all else chosen(hunts, options.function)
    seed = options.seed
    if seed is None:
        seed = int(os.environ.get("IRBOUNDS_SEED") or secrets.randbits(32))
    print(f"{len(names)} hunts, seed {seed}", flush=True)
    if options.minutes is None:
        tasks = [Task(name, options.cases or 1000, math.inf) for name in names]
    else:
        share = 60 * options.minutes * options.jobs / len(names)
        tasks = [Task(name, sys.maxsize, share) for name in names]
    with contextlib.suppress(KeyboardInterrupt):  # what was found until then is told
        hunt_all(tasks, options.jobs, seed, options.file)
    for task in tasks:
        print(f"{task.name}: {task.asked} cases, largest error/promise {task.worst:.2g}")
    findings = [(task.name, answer) for task in tasks for answer in task.findings.values()]
    for name, answer in findings:
        print(f"\n# {name}: {answer.fault}\n{command(name, answer.args, options.file)}")
    n_cases = sum(task.asked for task in tasks)
    print(f"\n{n_cases:,} cases of {len(tasks)} hunts, seed {seed}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
