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
STRICT = [
    *("-std=c11", "-g", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Wconversion"),
    *("-Wshadow", "-Werror"),
    f"-I{ROOT / 'csrc'}",
]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[:1]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform == "win32" or shutil.which(compiler[0]) is None,
        reason="needs a C compiler of the Unix kind",
    ),
]


def compiled(command):
    return subprocess.run(
        [*compiler, *STRICT, *map(str, command)], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Compiles a test with the kernels' objects; with sanitizers, unless the compiler has none."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "empty.c").write_text("int main(void) { return 0; }")
    flags = (
        SANITIZE
        if not compiled([*SANITIZE, folder / "empty.c", "-o", folder / "empty"]).returncode
        else []
    )
    for kernel in (ROOT / "csrc").rglob("*.c"):
        made = compiled([*flags, "-c", kernel, "-o", folder / f"{kernel.stem}.o"])
        assert made.returncode == 0, made.stderr

    def build(source):
        program = folder / source.stem
        made = compiled([*flags, source, *folder.glob("*.o"), "-lm", "-o", program])
        assert made.returncode == 0, made.stderr
        return program

    return build


@pytest.mark.parametrize(
    "source", sorted((ROOT / "tests" / "c").glob("test_*.c")), ids=lambda path: path.stem
)
def test_kernels(source, build):
    ran = subprocess.run([build(source)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
