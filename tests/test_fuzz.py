"""The harnesses of fuzz/ on their kept inputs and on bytes at random; those of C kernels
under libFuzzer, where it is."""

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
    for _ in range(100):
        check(choose.randbytes(choose.randrange(200)))


KERNELS = {
    "trec_text": ["reading/trec_text.c"],
    "arrow_column": ["reading/arrow_column.c", "reading/arrow_checks.c"],
}
FLAGS = ["-std=c11", "-g", "-O1", "-fno-sanitize-recover=undefined", f"-I{FUZZ.parent / 'csrc'}"]
EMPTY = "int LLVMFuzzerTestOneInput(void) { return 0; }"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **options)


def compiles(compiler, flag, text, tmp_path):
    if shutil.which(compiler) is None:
        return False
    (tmp_path / "empty.c").write_text(text)
    return run(compiler, flag, tmp_path / "empty.c", "-o", tmp_path / "empty").returncode == 0


@pytest.mark.long
@pytest.mark.skipif("IRBOUNDS_SANITIZED" in os.environ, reason="its runtime is another one")
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_under_libfuzzer_or_changed_at_random(name, tmp_path):
    sources = [FUZZ / f"{name}.c", *(FUZZ.parent / "csrc" / file for file in KERNELS[name])]
    program, kept = tmp_path / name, FUZZ / "corpus" / name
    if compiles("clang", "-fsanitize=fuzzer,address,undefined", EMPTY, tmp_path):
        compiler, sanitize = "clang", "-fsanitize=fuzzer,address,undefined"
        (tmp_path / "found").mkdir()
        command = [program, "-runs=20000", "-seed=1", tmp_path / "found", kept]
    else:
        compiler, sanitize = "cc", "-fsanitize=address,undefined"
        if not compiles(compiler, sanitize, "int main(void) { return 0; }", tmp_path):
            pytest.skip("needs a C compiler with sanitizers")
        sources.append(FUZZ / "mutate.c")
        runs = {"trec_text": "20000", "arrow_column": "5000"}[name]  # half a second each
        command = [program, "60", runs, "1", tmp_path / "failed", *sorted(kept.iterdir())]
    built = run(compiler, *FLAGS, sanitize, *sources, "-lm", "-o", program)
    assert built.returncode == 0, built.stderr
    ran = run(*command, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr[-4000:]
