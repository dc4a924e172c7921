"""The harnesses of fuzz/ on their kept inputs and on bytes at random; the tokenizer's under
libFuzzer, where it is."""

import importlib
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"

pytestmark = pytest.mark.skipif(not FUZZ.is_dir(), reason="needs the source tree")


@pytest.fixture
def check(request, monkeypatch):
    monkeypatch.syspath_prepend(str(FUZZ))
    yield importlib.import_module(request.param).check
    for name in (request.param, "source"):
        sys.modules.pop(name, None)


HARNESSES = ["measures", "rank_measures", "run_files"]


@pytest.mark.parametrize(
    ("check", "name"), [(name, name) for name in HARNESSES], indirect=["check"]
)
def test_kept_inputs(check, name):
    inputs = [path.read_bytes() for path in sorted((FUZZ / "corpus" / name).iterdir())]
    assert inputs
    for data in inputs:
        check(data)


@pytest.mark.parametrize("check", HARNESSES, indirect=True)
def test_bytes_at_random(check):
    choose = random.Random(1)
    for _ in range(300):
        check(choose.randbytes(choose.randrange(200)))


def test_the_tokenizer_under_libfuzzer(tmp_path):
    clang = shutil.which("clang")
    sources = [FUZZ / "trec_text.c", FUZZ.parent / "csrc" / "trec_text.c"]
    program = tmp_path / "trec_text"
    flags = [
        "-std=c11",
        "-g",
        "-O1",
        "-fsanitize=fuzzer,address,undefined",
        "-fno-sanitize-recover=undefined",
    ]
    if clang is None or "IRBOUNDS_SANITIZED" in os.environ:  # whose runtime is gcc's
        pytest.skip("needs clang")
    built = subprocess.run(
        [clang, *flags, f"-I{FUZZ.parent / 'csrc'}", *sources, "-lm", "-o", program],
        capture_output=True,
        text=True,
    )
    if "libclang_rt.fuzzer" in built.stderr:
        pytest.skip("needs libFuzzer")
    assert built.returncode == 0, built.stderr
    (tmp_path / "found").mkdir()
    command = [
        program,
        "-runs=20000",
        "-seed=1",
        f"-dict={FUZZ / 'trec_text.dict'}",
        tmp_path / "found",
        FUZZ / "corpus" / "trec_text",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr[-4000:]
