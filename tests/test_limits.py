"""Long work, large input and input that means harm: an interrupt stops it, memory stays bounded,
one line says why."""

import bz2
import gzip
import linecache
import lzma
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from commands import assert_refused, run_cli

import irbounds as irb
from irbounds.chance import (
    hypergeometric_curve,
    hypergeometric_sf,
    probability_of_correct_selection,
)
from irbounds.distributions import random_beta
from irbounds.extrapolation import extrapolate_precision
from irbounds.rankings import WeakOrdering

pytestmark = pytest.mark.long

QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.4 t\n"


class Interrupted(Exception):
    """Raised by the handler."""


@pytest.fixture
def interrupts():
    """Signals come all the time; the third one raises that finds a thread in the line of the call
    into a kernel.

    Where the kernel does not look for signals they wait, and one finds it there at most, when all
    is done.
    """
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs the timers of Unix")
    seen = []

    def interrupted(call, line):
        def handle(number, frame):
            # Some instructions have no line.
            source = linecache.getline(frame.f_code.co_filename, frame.f_lineno or 0)
            if frame.f_lineno and line in source:
                seen.append(number)
                if len(seen) >= 3:
                    # again, if a callback of the garbage collector lost it
                    signal.setitimer(signal.ITIMER_REAL, 1, 1)
                    raise Interrupted

        signal.signal(signal.SIGALRM, handle)
        # so often that a kernel of 30 ms has three
        signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
        try:
            call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    before = signal.getsignal(signal.SIGALRM)
    yield interrupted
    signal.signal(signal.SIGALRM, before)


def tied(n):
    return np.zeros(n), np.ones(n)


def mixed(n):
    generator = np.random.default_rng(1)
    return generator.random(n), (generator.random(n) < 0.4).astype(float)


MIXED = mixed(3 * 10**6)
STRATA = (
    [(10**9, 500, 400), (10**9, 300, 100)],
    [(10**9, 1000, 3), (10**8, 100, 1), (5 * 10**8, 2000, 4)],
)
HARD = [[irb.Stratum(10**6 + np.arange(40), 0, 0)] * 20] * 2  # a second for each question
LONG = {  # a call, and the line of ours in which the time goes; "" for loops of Python
    "random_beta": (lambda: random_beta(0.5, 2.5, 10**8, rng=1), "beta_cheng.fill("),
    "many pairs": (lambda: random_beta(np.full(4 * 10**6, 0.5), 2.5, rng=1), "beta_cheng.fill("),
    "hypergeometric_curve": (
        lambda: hypergeometric_curve(np.arange(2 * 10**7) % 10 == 0, 10**9, 10**7),
        "kernel.curve(",
    ),
    "one tail": (lambda: hypergeometric_sf(2**48 - 10**6, 2**50, 2**49, 2**49), "kernel.values("),
    "many tails": (
        lambda: hypergeometric_sf(np.arange(10**6) % 9999 + 50_000.0, 10**7, 10**6, 10**6),
        "kernel.values(",
    ),
    "prob_superior": (
        lambda: irb.prob_superior(
            irb.CountsPosterior(10, 10, 5),
            irb.CountsPosterior(3, 2, 3),
            method="monte-carlo",
            draws=10**9,
            rng=1,
        ),
        "",
    ),
    "recall of strata": (lambda: irb.recall_interval(*HARD), ""),
    "recall by draws": (
        lambda: irb.recall_interval(*STRATA, engine="monte-carlo", draws=10**7, rng=1),
        "",
    ),
    "draws of recall": (
        lambda: irb.recall_posterior((10**9, 500, 400), (10**9, 1000, 3)).rvs(10**7, rng=1),
        "binomial_draws.fill(",
    ),
    "matthews": (
        lambda: irb.CountsPosterior(10, 10, 5, tn=9).matthews(10**7, rng=1),
        "standard_gamma(",
    ),
    "search lengths": (
        lambda: WeakOrdering([2], [10**8]).search_length_distribution(1),
        "probabilities(",
    ),
    "EP, ceiling": (
        lambda: WeakOrdering([10**6], [10**9]).ep(
            recall=np.linspace(0, 1, 10**6), interpolation="ceiling"
        ),
        "precision_at_recall(",
    ),
    "ERR": (lambda: irb.rank_measures(*tied(100_000), "ERR(max_rel=100)"), "run_groups("),
    "one large ranking": (
        lambda: irb.rank_measures(*MIXED, "AP nDCG@10 RR", ties="given"),
        "run_groups(",
    ),
    "many rankings": (
        lambda: irb.rank_measures(
            *MIXED, "AP nDCG RR ERR", bounds=True, groups=np.arange(MIXED[0].size) // 10
        ),
        "run_groups(",
    ),
    "extrapolation": (
        lambda: extrapolate_precision(np.full(5 * 10**6, 0.6), 0.65, 0.03, 0.75),
        "kernel.",
    ),
    "selection": (lambda: probability_of_correct_selection(10**8, 10**5, 1.1), ""),
    "a large dict": (
        lambda: irb.Run.from_dict({"q": {f"d{i}": float(i) for i in range(10**6)}}),
        "DocTable.from_dict(",
    ),
}


# such a loss, no other
@pytest.mark.filterwarnings("ignore:.*gc_callback:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("case", LONG)
def test_signals_are_seen_during_long_work(case, interrupts):
    with pytest.raises(Interrupted):
        interrupts(*LONG[case])


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A run of one query, one of many, and their judgments."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "qrels").write_text("".join(f"q{q} 0 d1 1\n" for q in range(400)))
    rows = [f"Q0 d{d} 1 {1 / (d + 1):.9f} t\n" for d in range(1_000_000)]
    (folder / "one").write_text("".join("q0 " + row for row in rows))
    (folder / "many").write_text("".join(f"q{i // 2500} " + row for i, row in enumerate(rows)))
    return folder


@pytest.mark.parametrize("case", ["one", "many"])
def test_signals_are_seen_while_files_are_read(case, large, interrupts):
    with pytest.raises(Interrupted):
        interrupts(lambda: irb.evaluate(large / "qrels", large / case, "AP nDCG@10"), "run_reader(")


def test_an_interrupted_draw_leaves_the_generator_usable(interrupts):
    generator = np.random.default_rng(1)
    with pytest.raises(Interrupted):
        interrupts(lambda: random_beta(0.5, 2.5, 10**8, rng=generator), "beta_cheng.fill(")
    assert random_beta(2, 3, 4, rng=generator).shape == (4,)


def test_draws_are_those_of_one_piece():
    """Pieces between looks for signals do not show: the first of many draws are those of fewer, to
    the last batch."""
    many, few = (random_beta(0.5, 2.5, n, rng=9) for n in (700_000, 300_000))
    assert (many[:299_000] == few[:299_000]).all()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("output", [(), ("-o", "out.csv")])
def test_ctrl_c_is_one_line_and_leaves_nothing_half_written(output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    os.mkfifo(tmp_path / "run")
    process = subprocess.Popen(
        [sys.executable, "-m", "irbounds", "eval", "qrels", "run", *output],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with (tmp_path / "run").open("w") as run:  # opens when the command does
        run.write(RUN * 9)
        run.flush()
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error) == (130, "", "irbounds: interrupted\n")
    assert {path.name for path in tmp_path.iterdir()} == {"qrels", "run"}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_while_threads_evaluate_runs(tmp_path, monkeypatch):
    """The process ends although a thread waits for rows that do not come."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "other").write_text(RUN)
    os.mkfifo(tmp_path / "run")
    command = [sys.executable, "-m", "irbounds", "eval", "qrels", "other", "run", "--jobs", "2"]
    process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True)
    with (tmp_path / "run").open("w") as run:  # opens when the command does
        run.write(RUN * 9)
        run.flush()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, "irbounds: interrupted\n")


@pytest.mark.parametrize(
    "module", ["click", "irbounds/cli/rankings/measures", "irbounds/foundation/errors"]
)
def test_ctrl_c_while_modules_are_imported_is_one_line(module, tmp_path):
    hook = (
        "import sys, importlib.abc\n"
        "class Interrupting(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module.replace('/', '.')!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from irbounds.cli import main\n"
        "main(['measures'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", hook], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "irbounds: interrupted\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize(
    "command",
    [
        *("eval qrels run -m AP", "eval qrels run -f csv", "eval qrels run -q -f json"),
        "counts --tp=3 --fp=1 --fn=1",
        *("recall --retrieved 500/50/40 --unretrieved 2000/100/3", "measures"),
        *("measures -f json", "--version", "--help", "demo", "eval --help"),
    ],
)
def test_a_full_disk_is_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "irbounds", *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "irbounds: output: No space left on device\n")
    if command.startswith("eval qrels"):
        assert_refused(
            run_cli(*command.split(), "-o", "/dev/full"), "/dev/full: No space left on device"
        )


limits_memory = pytest.mark.skipif(
    sys.platform != "linux" or "IRBOUNDS_SANITIZED" in os.environ,
    reason="needs limits of memory as Linux has them",
)


def limited(arguments, *, stdin=None, room=2**31):
    """The command with so many bytes of memory."""
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (room, room))

    # whose threads reserve memory that they do not use
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "irbounds", *map(str, arguments)],
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=limit,
        env=environment,
    )


def endless(piece):
    """A process that writes this until nobody reads."""
    code = f"""import os
while True:
    os.write(1, {piece!r} * (1 + (1 << 16) // len({piece!r})))"""
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


ENDLESS = {
    "a line": (
        "eval {qrels} -",
        b"q1 Q0 " + b"x" * 999,
        "standard input:1: the line is longer than 1048576 bytes",
    ),
    "blanks": ("eval {qrels} -", b" ", "standard input:1: the line is longer than 1048576 bytes"),
    "NULs": ("eval {qrels} -", b"\0", "standard input:1: the line is longer than 1048576 bytes"),
    "a row": (
        "eval {qrels} -",
        b"q1 Q0 d1 1 1 t\n",
        "standard input:2: duplicate document 'd1' for query 'q1'",
    ),
    "a judgment": (
        "eval - {run}",
        b"q1 0 d1 1\n",
        "standard input:2: duplicate document 'd1' for query 'q1'",
    ),
    "a table": (
        "counts -",
        b"1,2,3\n",
        "standard input: a table or list of labels must be at most 256 MiB",
    ),
    "labels": (
        "counts --truth - --prediction {run}",
        b"1\n",
        "standard input: a table or list of labels must be",
    ),
}


@limits_memory
@pytest.mark.parametrize("case", ENDLESS)
def test_endless_input_ends_in_one_line(case, tmp_path):
    command, piece, message = ENDLESS[case]
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    writer = endless(piece)
    try:
        done = limited(
            command.format(qrels=tmp_path / "qrels", run=tmp_path / "run").split(),
            stdin=writer.stdout,
        )
    finally:
        writer.stdout.close()
        writer.kill()
        writer.wait()
    assert_refused(done, message)


@limits_memory
@pytest.mark.parametrize(
    ("kind", "piece", "message"),
    [
        *((kind, b"\0", "the line is longer than 1048576 bytes") for kind in ("gz", "xz", "bz2")),
        *(
            (kind, b"q1 Q0 d1 1 1 t\n", "duplicate document 'd1' for query 'q1'")
            for kind in ("gz", "xz")
        ),
    ],
)
def test_a_decompression_bomb_ends_in_one_line(kind, piece, message, tmp_path):
    """Some ten gigabytes in ten kilobytes to ten megabytes."""
    compress = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}[kind]
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "bomb").write_bytes(compress(piece * (2**25 // len(piece))) * 320)
    assert_refused(limited(["eval", tmp_path / "qrels", tmp_path / "bomb"]), message)


@limits_memory
def test_too_little_memory_is_one_line(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text("".join(f"q1 Q0 document-{i} 1 1 t\n" for i in range(2_000_000)))
    assert_refused(
        limited(["eval", tmp_path / "qrels", tmp_path / "run"], room=280 * 2**20), "out of memory"
    )
