"""The hunter: every hunt answers, and what it looks for is found."""

import importlib
import math
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sizes import only

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "hunt.py"
IS_TREE = SCRIPT.exists() and (SCRIPT.parents[1] / "src").is_dir()

pytestmark = pytest.mark.skipif(not IS_TREE, reason="needs the source tree")

LONGEST = 15  # seconds of one hunt
FEWEST, LONG = 3, 40  # questions of each hunt; benchmarks/hunt.py asks many more


@pytest.fixture
def machinery(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parents[1]))
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return importlib.import_module("hunt")


def all_hunts():
    sys.path[:0] = [str(SCRIPT.parent), str(SCRIPT.parents[1])]
    try:
        return importlib.import_module("hunts").all_hunts()
    finally:
        del sys.path[:2]


HUNTS = all_hunts() if IS_TREE else {}


def asked(hunt, n, rng):
    """Answers, one after the other, until so many are no refusals, or the time is over."""
    from hunts._search import search

    answers, start = [], time.monotonic()
    for tried, answer in enumerate(search(hunt, rng)):
        assert not answer.fault, (answer.fault, answer.args)
        answers += [answer] if answer.kind == "answer" else []
        is_late = len(answers) >= FEWEST and time.monotonic() - start > LONGEST
        if len(answers) >= n or tried > 50 * n or is_late:
            return answers
    return answers


# the twins of these take a second or more
SLOW = ("other β", "FScoreDistribution", "difference_interval", "most_conservative_prior")
QUICK = [name for name in HUNTS if not any(word in name for word in SLOW)]


@pytest.mark.parametrize("name", only(QUICK, [*HUNTS]))
def test_every_hunt_answers(machinery, name):
    assert len(asked(HUNTS[name], 1, np.random.default_rng(1))) == 1


@pytest.mark.long
@pytest.mark.parametrize("name", HUNTS)
def test_every_hunt_keeps_its_promise(machinery, name, seed):
    assert len(asked(HUNTS[name], LONG, np.random.default_rng(seed))) >= FEWEST


FAKES = """
import os
from hunts import Hunt

def draw(rng):
    return {"x": int(rng.integers(1, 1000)), "y": [float(rng.random()), 2.0], "word": "a"}

def truth(args):
    return float(args["x"])

def broken(args):
    "Wrong by more the smaller y is: only a search finds a large error."
    return args["x"] + 1e-15 / max(abs(args["y"][0]), 1e-6)

def raising(args):
    if args["x"] % 40 == 7:
        raise ZeroDivisionError("what a user would see")
    return truth(args)

def dying(args):
    if args["x"] % 40 == 7:
        os._exit(3)
    return truth(args)

def hanging(args):
    if args["x"] % 40 == 7:
        sum(range(10**12))  # C code, which hears no signal
    return truth(args)

HUNTS = [Hunt("good", draw, truth, truth, 1e-12), Hunt("broken", draw, broken, truth, 1e-12),
         Hunt("raising", draw, raising, truth, 1e-12), Hunt("dying", draw, dying, truth, 1e-12),
         Hunt("hanging", draw, hanging, truth, 1e-12)]
"""


@pytest.fixture
def hunt(tmp_path):
    """Runs the script on the fakes: its status, and what it prints."""
    (tmp_path / "fakes.py").write_text(FAKES)

    def run(*arguments):
        command = [sys.executable, SCRIPT, "--file", tmp_path / "fakes.py", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout

    return run


def test_what_is_wrong_is_found(hunt, tmp_path):
    status, out = hunt("broken", "raising", "dying", "good", "--cases", "1500", "--seed", "1")
    assert status == 1
    assert re.search(r"^# broken: error .*, promised 1e-12: [0-9e+.]+ times$", out, re.MULTILINE)
    assert "# raising: ZeroDivisionError: what a user would see" in out
    assert "# dying: died: exit status 3" in out
    assert "# good" not in out
    assert "seed 1: " in out
    line = next(line for line in out.splitlines() if "ask('broken'" in line)
    environment = {**os.environ, "PYTHONPATH": str(SCRIPT.parent)}
    code = re.search(r'python -c "(.*)"$', line)[1]
    again = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert re.match(r"broken: error .*, promised 1e-12", again.stdout)


def test_the_same_seed_asks_the_same_with_any_number_of_jobs(hunt):
    found = []
    for jobs in "12":
        _, out = hunt("good", "broken", "--cases", "300", "--seed", "5", "--jobs", jobs)
        found.append([line for line in out.splitlines() if "ask(" in line])
    assert found[0] == found[1] != []


def test_a_hunt_without_findings_succeeds(hunt):
    status, out = hunt("good", "--minutes", "0.01")
    assert status == 0
    assert "0 findings" in out


@pytest.mark.long
def test_what_does_not_return_is_found(machinery, monkeypatch, tmp_path):
    (tmp_path / "fakes.py").write_text(FAKES)
    monkeypatch.setattr(machinery, "LONGEST", 10.0)
    monkeypatch.setattr(machinery, "RESTARTS", 1)
    task = machinery.Task("hanging", 150, math.inf)
    machinery.hunt_all([task], 1, 1, str(tmp_path / "fakes.py"))
    assert task.findings["hang"].fault == "hang: no answer within 10 s"
    assert task.findings["hang"].args["x"] % 40 == 7


def test_commands_are_python(machinery):
    args = {"a": math.inf, "b": [-math.inf, 1e-300], "c": (1, 2.5), "f": "it's"}
    line = machinery.command("name", args)
    assert line.startswith("PYTHONPATH=benchmarks python -c ")
    code = shlex.split(line)[3]
    assert eval(code.split("ask('name', ")[1][:-1], {"inf": math.inf}) == args
