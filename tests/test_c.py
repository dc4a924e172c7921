"""Compiles the C unit tests together with the kernels, strictly, and runs them."""
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STRICT = ["-std=c11", "-g", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[:1]
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which(compiler[0]) is None, reason="needs a C compiler of the Unix kind")


def compile_test(source, program, flags):
    kernels = sorted(map(str, (ROOT / "csrc").glob("*.c")))
    command = [*compiler, *STRICT, *flags, f"-I{ROOT / 'csrc'}", str(source), *kernels, "-lm", "-o", str(program)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("source", sorted((ROOT / "tests" / "c").glob("test_*.c")), ids=lambda path: path.stem)
def test_kernels(source, tmp_path):
    program = tmp_path / source.stem
    built = compile_test(source, program, SANITIZE)
    if built.returncode and any(word in built.stderr for word in ("sanitize", "asan")):
        built = compile_test(source, program, [])  # a compiler without the sanitizers' libraries
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
