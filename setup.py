"""Builds the C kernels as one static library and the Cython modules on top of it; all else is in
pyproject.toml."""

import os
import sys
import sysconfig
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

KERNELS = "irbounds_kernels"
SOURCES = "src/irbounds/_core/**/*.pyx"
DEBUG = os.environ.get("IRBOUNDS_DEBUG") == "1"
SANITIZE = os.environ.get("IRBOUNDS_SANITIZE") == "1"
COVERAGE = os.environ.get("IRBOUNDS_COVERAGE") == "1"
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
STABLE_ABI = not (FREE_THREADED or COVERAGE or sys.implementation.name != "cpython")

if sys.platform == "win32":
    FLAGS = ["/O2", "/std:c11", "/fp:precise"]
    LINK_FLAGS = []
else:
    # No -ffast-math, no contraction: the same input gives the same bits on every machine.
    FLAGS = [
        "-std=c11",
        "-O3",
        "-g0",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-fvisibility=hidden",
    ]
    if sys.platform == "linux":
        FLAGS += ["-fno-plt"]  # calls of Python for each document: a tenth of a run in dicts
    # No symbols that nothing looks up: 5 % of the wheel.
    LINK_FLAGS = ["-Wl,-s"] if sys.platform == "linux" and not (DEBUG or SANITIZE) else []
    if DEBUG or SANITIZE:
        FLAGS += ["-O1", "-g"]
    if SANITIZE:
        FLAGS += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        LINK_FLAGS += ["-fsanitize=address,undefined"]

MACROS = [("Py_LIMITED_API", "0x030B0000")] if STABLE_ABI else []
if FREE_THREADED and sys.platform == "win32":
    MACROS += [("Py_GIL_DISABLED", "1")]  # there pyconfig.h is one for both builds
if COVERAGE:
    MACROS += [
        ("CYTHON_TRACE", "1"),
        ("CYTHON_TRACE_NOGIL", "1"),
        ("CYTHON_USE_SYS_MONITORING", "0"),
    ]


class BuildExtensions(build_ext):
    """Builds the kernels first, also in place, and the extensions side by side."""

    def run(self):
        self.run_command("build_clib")
        super().run()


class BuildPython(build_py):
    """Leaves the Cython sources and the generated C out of the wheel."""

    def find_data_files(self, package, src_dir):
        files = super().find_data_files(package, src_dir)
        return [name for name in files if not name.endswith((".pyx", ".pxd", ".c"))]


def extensions():
    from Cython.Build import cythonize

    modules = [
        Extension(
            path.removeprefix("src/").removesuffix(".pyx").replace("/", "."),
            [path],
            include_dirs=["csrc"],
            depends=glob("csrc/**/*.[ch]", recursive=True),
            define_macros=MACROS,
            extra_compile_args=FLAGS,
            extra_link_args=LINK_FLAGS,
            libraries=[] if sys.platform == "win32" else ["m"],
            py_limited_api=STABLE_ABI,
        )
        for path in sorted(name.replace(os.sep, "/") for name in glob(SOURCES, recursive=True))
    ]
    utility = Extension(
        "irbounds._core._cyutility",
        ["src/irbounds/_core/_cyutility.c"],
        define_macros=MACROS,
        extra_compile_args=FLAGS,
        extra_link_args=LINK_FLAGS,
        py_limited_api=STABLE_ABI,
    )
    return cythonize(
        [*modules, utility],
        nthreads=os.cpu_count() or 1,
        shared_utility_qualified_name="irbounds._core._cyutility",
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "freethreading_compatible": True,
            "linetrace": COVERAGE,
        },
    )


if __name__ == "__main__":
    setup(
        ext_modules=extensions(),
        libraries=[
            (
                KERNELS,
                {
                    "sources": sorted(glob("csrc/**/*.c", recursive=True)),
                    "include_dirs": ["csrc"],
                    "cflags": FLAGS,
                },
            )
        ],
        cmdclass={"build_ext": BuildExtensions, "build_py": BuildPython},
        options={
            "build_ext": {"parallel": os.cpu_count() or 1},
            "bdist_wheel": {"py_limited_api": "cp311"} if STABLE_ABI else {},
        },
    )
