"""The hunter: every hunt answers, every public function of numbers has one, and what it finds is
found."""

import importlib
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import irbounds as irb

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "hunt.py"
IS_TREE = SCRIPT.exists() and (SCRIPT.parents[1] / "src").is_dir()

pytestmark = pytest.mark.skipif(not IS_TREE, reason="needs the source tree")

LONGEST = 15  # seconds of one hunt
FEWEST, LONG = 3, 40  # questions of each hunt; benchmarks/hunt.py asks many more
# Public names of numbers, by the module of benchmarks/hunts that hunts them.
ROOMS = {
    "assisted": ["Audited", "assisted_interval", "prevalence_interval"],
    "chance": [
        f"hypergeometric_{name}"
        for name in ("pmf", "cdf", "sf", "tail", "logpmf", "logcdf", "logsf", "logtail", "curve")
    ]
    + ["probability_of_correct_selection", "competition"],
    "rankings": ["rank_measures", "evaluate"],
    "ranking_measures": ["rank_measures", "evaluate"],
    "orderings": ["WeakOrdering", "mean_graph", "recall_precision_graph"],
    "curve": ["PrecisionCurve", "extrapolate_precision", "documents_to_review", "cost", "f_score"],
    "comparison": ["compare_evaluations"],
    "sampling": ["random_beta"],
    "shares_compared": ["prob_superior"],
    "counts": [
        "CountsPosterior",
        "FScoreDistribution",
        "BetaDistribution",
        "macro_average",
        "micro_average",
        "prob_superior",
        "paired_comparison",
    ],
    "paired_counts": ["PairedCounts"],
    "queries": ["mean_interval", "comparison_power", "detectable_difference"],
    "samples": [
        "recall_interval",
        "precision_interval",
        "elusion_interval",
        "yield_interval",
        "f_interval",
        "recall_posterior",
        "recall_estimate",
    ],
    "control_samples": [
        "recall_interval_from_sample",
        "recall_estimator_distribution",
        "prior_sensitivity",
        "most_conservative_prior",
    ],
    "proportions": ["binomial_interval", "binomial_ratio_interval"],
    "stopping": ["stopping_curve", "certifying_rank", "weighted_recall_interval"],
    "extrapolation": [
        "extrapolated_precision_interval",
        "documents_to_review_interval",
        "cost_interval",
    ],
    "unjudged": ["compare", "next_judgments"],
    "planning": ["sample_size", "least_sample", "expected_width", "allocate", "coverage"],
}
NO_HUNT = {
    "what takes and holds numbers": "AssistedInterval JudgeStratum LabelPlan LabelStratum "
    "AssumedReview Bounds Comparison Competition ControlSample "
    "CoverageReport "
    "Difference SampledDistribution EvaluatedRuns PriorSensitivity "
    "EstimatorDistribution Evaluation ExtrapolatedRun Interval Distribution Measure "
    "PairedComparison Qrels Realisations RecallPosterior RecallPrecisionGraph Run "
    "SampleMonitor Scenario Sensitivity Stratum Superiority LEGAL NEUTRAL SMALL "
    "measures pool StoppingReport Allocation SampleSize Gate GateCheck Ranks "
    "StoppingCurve ControlCurve ControlPlan NextJudgments History HistoryEntry "
    "ReviewSimulation RuleOutcome ReviewLabels read_labels",
    "errors and warnings": "AssistedWarning ExtrapolationWarning FewQueriesWarning FewUnitsWarning "
    "InputError InputFileError "
    "NoVarianceWarning RunWarning "
    "OptionalStoppingWarning SampleWarning",
    "functions of one's own, whose orders the tests enumerate": "define_measure",
    "drawings and pages of numbers that are hunted": "plot report_recall report_runs "
    "report_history report_review report_assist",
    "another way in, to what is hunted": "Evaluator ReviewMonitor extrapolate_run "
    "paired_comparison_from_labels",
    "a simulation, whose law the tests check": "simulate_stopping simulate_review "
    "compare_scores allocate_labels",
    "a band and a search, which the tests try in full": "control_curve control_plan",
    "verdicts, whose error rates the tests check": "gate gate_evaluations testing",
    "a search, whose answers the tests check by trying the others": "queries_needed",
}


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
    from hunts._search import Search

    answers, start = [], time.monotonic()
    for tried, answer in enumerate(Search(hunt, rng).cases()):
        assert answer.kind != "slow" or answer.seconds > 0  # clocks are for benchmarks/hunt.py
        assert not answer.faults or answer.kind == "slow", (answer.faults, answer.args)
        answers += [answer] if answer.kind == "answer" else []
        is_late = len(answers) >= FEWEST and time.monotonic() - start > LONGEST
        if len(answers) >= n or tried > 50 * n or is_late:
            return answers
    return answers


@pytest.mark.parametrize("name", HUNTS)
def test_every_hunt_answers(machinery, name):
    assert len(asked(HUNTS[name], 1, np.random.default_rng(1))) == 1


@pytest.mark.long
@pytest.mark.parametrize("name", HUNTS)
def test_every_hunt_keeps_its_promise(machinery, name, seed):
    assert len(asked(HUNTS[name], LONG, np.random.default_rng(seed))) >= FEWEST


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_of_numbers_has_a_hunt(machinery, room):
    if not (SCRIPT.parent / "hunts" / f"{room}.py").exists():
        pytest.skip("this module has no hunts yet")
    assert set(ROOMS[room]) <= {hunt.function for hunt in HUNTS.values()}


def test_every_public_name_is_hunted_or_has_a_reason(machinery):
    known = {name for names in ROOMS.values() for name in names} | set(
        " ".join(NO_HUNT.values()).split()
    )
    assert not set(irb.__all__) - {"__version__"} - known
    assert {hunt.function for hunt in HUNTS.values()} <= set(irb.__all__)


FAKES = """
import os, time
from hunts import Hunt

def draw(rng):
    return {"x": int(rng.integers(1, 1000)), "y": [float(rng.random()), 2.0], "word": "a"}

def truth(args):
    return float(args["x"])

def broken(args):
    "Right, but in the corner that only a climb finds."
    return args["x"] + 1e-9 * (args["y"][0] < 1e-3)

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
         Hunt("overstated", draw, broken, truth, 1, stated_error=lambda args: 1e-12),
         Hunt("raising", draw, raising, truth, 1e-12), Hunt("dying", draw, dying, truth, 1e-12),
         Hunt("hanging", draw, hanging, truth, 1e-12, seconds=1e-3)]
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
    status, out = hunt(
        "broken", "overstated", "raising", "dying", "good", "--cases", "1500", "--seed", "1"
    )
    assert status == 1
    assert re.search(r"^# broken: error 1e-09, promised 1e-12: 1e\+03 times$", out, re.MULTILINE)
    assert re.search(r"^# overstated: error 1e-09, stated 1e-12: 1e\+03 times$", out, re.MULTILINE)
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
    assert again.stdout.startswith("broken: error 1e-09, promised 1e-12")


def test_the_same_seed_asks_the_same_with_any_number_of_jobs(hunt):
    found = []
    for jobs in "12":
        _, out = hunt("good", "broken", "--cases", "300", "--seed", "5", "--jobs", jobs)
        found.append([line for line in out.splitlines() if "ask(" in line])
    assert found[0] == found[1] != []


@pytest.mark.long
def test_what_does_not_return_is_found(hunt):
    status, out = hunt("hanging", "--cases", "150", "--seed", "1")
    assert status == 1
    assert re.search(
        r"^# hanging: hang: no answer within 15 s of the processor$", out, re.MULTILINE
    )


def test_commands_are_python(machinery):
    args = {
        "a": math.inf,
        "b": [-math.inf, 1e-300],
        "c": (1, 2.5),
        "d": (3,),
        "e": {"x": None},
        "f": "it's",
    }
    assert eval(machinery.literal(args)) == args
    assert math.isnan(eval(machinery.literal(math.nan)))
    assert machinery.command("name", {"x": 1}).startswith(
        'PYTHONPATH=benchmarks python -c "from hunt import ask'
    )


def recorded(value, seconds=1.0):
    """A record of one answer."""
    from hunts._records import Record
    from hunts._search import Answer

    found = Record(seconds=seconds)
    found.add(Answer({"x": "a|b"}, value=value, truth=1.0, promise=0.5))
    return found


def test_sessions_on_the_same_code_are_joined(machinery, tmp_path):
    from hunts import Hunt, _page

    hunts = {name: Hunt(name, dict, len, len, 0.0) for name in "ab"}
    rows = []
    for code, values in (("1", "ab"), ("2", "ab"), ("2", "b")):
        session = [machinery.row(name, recorded(1.25 + len(rows) / 8), code, 7) for name in values]
        rows = _page.with_session(rows, session)
        _page.write_rows(rows, hunts, {"a": "3", "b": "2"}, tmp_path)
        assert _page.read_rows(tmp_path) == rows
    assert [(row.hunt, row.code, row.cases, row.ratio, row.seeds) for row in rows] == [
        ("a", "1", 1, 0.5, "7"),
        ("b", "1", 1, 0.5, "7"),
        ("a", "2", 1, 1.0, "7"),
        ("b", "2", 2, 1.5, "7 7"),
    ]
    page = (tmp_path / "hunt.md").read_text(encoding="utf-8")
    assert "| `a` | 1 | 0 | 0 | none |\n| `b` | 1 | 2 | 2 | 1.5 |\n" in page
    assert "| `b` | 2 | 1 | 1.5 | 5e-01 |" in page
    assert "a\\|b" in page
    assert "Hunts on the code of that commit: 1, with 2 cases (0 with at least 1,000" in page
    assert "Hunts on earlier code only: 1, with 1 cases." in page
    assert "| `2`, earlier |" in page


def test_a_change_of_the_code_changes_its_digest(machinery, tmp_path):
    from hunts._digest import code_digest

    files = {
        "src/irbounds/__init__.pyi": "from .a.one import one as one\nfrom .b import two as two\n",
        "src/irbounds/a/__init__.py": "",
        "src/irbounds/a/one.py": '"""Doc."""\n# note\ndef f():\n    from irbounds._core import k\n',
        "src/irbounds/b.py": "import math\n",
        "src/irbounds/_core/k.pyx": 'cdef extern from "k.h" nogil:\n    int k\n',
        "csrc/k.h": '#include "deep.h"\n',
        "csrc/deep.h": "int deep(void);\n",
        "csrc/other_name.c": '#include "deep.h"\nint deep(void)\n',
        "csrc/beside.c": '#include "deep.h"\nint beside(void)\n',
        "csrc/unused.c": "",
    }
    roots = []
    for changed in ("", *files):
        root = tmp_path / f"tree{len(roots)}"  # answers are remembered
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + "more\n" * (name == changed))
        roots.append(root)
    before, *after = [code_digest(["one"], root) for root in roots]
    changes = [name for name, digest in zip(files, after, strict=True) if digest != before]
    assert changes == [f"src/irbounds/{name}" for name in ("a/one.py", "_core/k.pyx")] + [
        f"csrc/{name}" for name in ("k.h", "deep.h", "other_name.c")
    ]
    assert code_digest(["two"], roots[3]) == code_digest(["two"], roots[0])
    words = tmp_path / "words"
    roots[0].rename(words)
    for name, old, new in (
        ("src/irbounds/a/one.py", "Doc", "Better"),
        ("csrc/k.h", "#", "// a\n#"),
    ):
        (words / name).write_text((words / name).read_text().replace(old, new))
    assert code_digest(["one"], words) == before


# The Python files whose functions run in calls, but for the first one, which imports.
RUN = """
import importlib, sys, numpy as np
module, name = sys.argv[1:]
sys.path[:0] = ["benchmarks", "."]
hunt = {hunt.name: hunt for hunt in importlib.import_module(f"hunts.{module}").HUNTS}[name]
rng, ran = np.random.default_rng(1), set()
def note(frame, event, _):
    if event == "call":
        ran.add(frame.f_code.co_filename)
for i in range(6):
    args = hunt.draw(rng)
    sys.setprofile(note if i else None)
    try:
        hunt.value(args)
    except Exception as error:
        assert type(error).__name__ == "InputError", error
    sys.setprofile(None)
from hunts._digest import ROOT, files_of, homes, names_of
known = frozenset().union(*(files_of(each) for each in names_of(hunt) & homes().keys()))
home = f"{ROOT}/src/irbounds/"
here = {path.removeprefix(f"{ROOT}/") for path in ran if path.startswith(home)}
assert here, "nothing of irbounds ran"
assert not here - known - {"src/irbounds/_lazy.py", "src/irbounds/__init__.py"}, here - known
"""


@pytest.mark.long
@pytest.mark.parametrize("module", ROOMS)
def test_a_digest_holds_all_that_a_call_runs(machinery, module):
    subject = importlib.import_module(f"hunts.{module}").HUNTS
    for name in {hunt.function: hunt.name for hunt in subject}.values():
        command = [sys.executable, "-c", RUN, module, name]
        done = subprocess.run(command, capture_output=True, text=True, cwd=SCRIPT.parents[1])
        assert done.returncode == 0, (name, done.stderr[-500:])


def test_turns_go_to_the_hunts_with_few_cases_first(machinery):
    from hunts._pool import Turns

    turns = Turns({"a": 5, "b": 0, "c": 9}, 1.0, time.time() + 60, 10)
    records, order = {}, []
    for _ in range(6):
        task = turns.next(records, set())
        order.append(task.name)
        records.setdefault(task.name, recorded(1.0)).cases += task.name == "a"
    assert order == ["b", "a", "c", "b", "a", "b"]  # c had enough in its first turn, a soon
    assert Turns({"a": 0}, 1.0, time.time(), 10).next({}, set()) is None


def test_a_stopped_session_keeps_what_was_done(machinery, monkeypatch, tmp_path, capsys):
    from hunts import Hunt, _page

    monkeypatch.setattr(machinery, "read_rows", list)
    monkeypatch.setattr(machinery, "write_rows", lambda *args: _page.write_rows(*args, tmp_path))
    journal = machinery.Journal({"a": Hunt("a", dict, len, len, 0.0)}, 1, True, None)
    journal.ended("a", recorded(1.25))
    assert [row.cases for row in _page.read_rows(tmp_path)] == [1]
    journal.ended("a", recorded(2.25))  # the same session's record, grown
    assert [row.ratio for row in _page.read_rows(tmp_path)] == [2.5]
    journal.found("a", recorded(2.25).worst)
    assert "ask('a'" in capsys.readouterr().err
