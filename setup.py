"""Builds the C kernels as one static library and the Cython modules on top of it; the README of the
package index, with its links; a bill of materials for the wheel.  All else is in pyproject.toml."""

import gzip
import json
import os
import re
import sys
import sysconfig
import tarfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

KERNELS = "irbounds_kernels"
SOURCES = "src/irbounds/_core/**/*.pyx"
DEBUG = os.environ.get("IRBOUNDS_DEBUG") == "1"
SANITIZE = os.environ.get("IRBOUNDS_SANITIZE") == "1"
COVERAGE = os.environ.get("IRBOUNDS_COVERAGE") == "1"
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
EPOCH = os.environ.get("SOURCE_DATE_EPOCH")
PLACES = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["irbounds"]
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


class BuildKernels(build_clib):
    """Compiles the files of the kernels side by side: 20 s on two cores instead of 39."""

    def build_libraries(self, libraries):
        compile_all = self.compiler.compile

        def compile_each(sources, **options):
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                found = pool.map(lambda source: compile_all([source], **options), sources)
                return [name for names in found for name in names]

        self.compiler.compile = compile_each
        super().build_libraries(libraries)


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


class BuildSource(sdist):
    """With SOURCE_DATE_EPOCH, the same tree gives the same archive, byte for byte."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, **owners):
        if EPOCH is None or format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, **owners)

        def plain(entry):
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = int(EPOCH), 0, 0, "", ""
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            return entry

        path = f"{base_name}.tar.gz"
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with (
            Path(path).open("wb") as file,
            gzip.GzipFile("", "wb", mtime=int(EPOCH), fileobj=file) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            archive.add(base_dir, filter=plain)  # a folder's files in the order of their names
        return path


class BuildWheel(bdist_wheel):
    """Puts a bill of materials into the metadata (PEP 770), which setuptools cannot do."""

    def run(self):
        if EPOCH is not None:
            os.umask(0o022)  # the archive has the rights of its files
        super().run()

    def egg2dist(self, egginfo_path, distinfo_path):
        super().egg2dist(egginfo_path, distinfo_path)
        folder = Path(distinfo_path, "sboms")
        folder.mkdir()
        materials = json.dumps(bill_of_materials(self.distribution.get_version()), indent=1)
        (folder / "irbounds.cdx.json").write_text(materials + "\n", encoding="utf-8")


def bill_of_materials(version):
    """What a wheel contains, as CycloneDX: own code, Cython's support code, and the demo's data."""
    from Cython import __version__ as cython

    purl = f"pkg:pypi/irbounds@{version}"
    parts = [
        {
            "type": "library",
            "name": "Cython",
            "version": cython,
            "purl": f"pkg:pypi/cython@{cython}",
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "description": "its support code is in every compiled module",
        },
        {
            "type": "data",
            "name": "Optical Recognition of Handwritten Digits",
            "licenses": [{"license": {"id": "CC-BY-4.0"}}],
            "description": "irbounds/demo: judgments and scores computed from it",
            "externalReferences": [
                {"type": "website", "url": "https://doi.org/10.24432/C50P49"},
            ],
        },
    ]
    for part in parts:
        part["bom-ref"] = part["name"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.4",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": purl,
                "name": "irbounds",
                "version": version,
                "purl": purl,
                "licenses": [{"license": {"id": "BSD-3-Clause"}}],
                "description": "own Python, Cython and C code; it contains no other library",
            }
        },
        "components": parts,
        "dependencies": [{"ref": purl, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def urls():
    """The project's links; none before it has a public address."""
    repository, documentation = PLACES["repository"], PLACES["documentation"]
    links = {"Documentation": documentation, "Source": repository}
    if repository:
        links |= {
            "Issues": f"{repository}/issues",
            "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        }
    return {name: link for name, link in links.items() if link}


def description():
    """The README without its picture and with links into the repository; before that has an
    address, without links."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)\n+", "", Path("README.md").read_text("utf-8"))
    local = r"\[([^\]]+)\]\((?!\w+:|#)([^)]+)\)"
    if PLACES["repository"]:
        return re.sub(local, rf"[\1]({PLACES['repository']}/blob/main/\2)", text)
    return re.sub(local, r"\1", text)


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
        long_description=description(),
        long_description_content_type="text/markdown",
        project_urls=urls(),
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
        cmdclass={
            "bdist_wheel": BuildWheel,
            "build_ext": BuildExtensions,
            "build_clib": BuildKernels,
            "build_py": BuildPython,
            "sdist": BuildSource,
        },
        options={
            "build_ext": {"parallel": os.cpu_count() or 1},
            "bdist_wheel": {"py_limited_api": "cp311"} if STABLE_ABI else {},
        },
    )
