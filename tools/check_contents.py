"""Check the contents of wheels: files that they must and must not have, and their size.

python tools/check_contents.py dist/*.whl
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

LIMIT = 3_000_000  # 2.9 MB on Linux: 1.9 of compiled modules, stripped, and 1 of Python
NEEDED = (
    "irbounds/py.typed",
    "irbounds/__init__.py",
    "irbounds/_core/*/*.pyi",
    "irbounds/demo/*.xz",
    "irbounds/demo/README.md",
    "irbounds/report/templates/*.j2",
    "irbounds/report/templates/*.css",
    "*.dist-info/licenses/LICENSE",
    "*.dist-info/sboms/irbounds.cdx.json",
    "*.dist-info/entry_points.txt",
)
FORBIDDEN = (".c", ".h", ".pyx", ".pxd", ".o", ".a", ".lib", ".orig")
BINARY = (".so", ".pyd")
NO_STUB = {"_cyutility"}  # Cython's own


def module(name: str) -> str:
    """`irbounds/_core/kernel.abi3.so` is `kernel`."""
    return PurePosixPath(name).name.split(".")[0]


def faults_of(names: Iterable[str], size: int) -> list[str]:
    """One line for each rule that a wheel of these files and this size in bytes breaks."""
    files = list(names)
    paths = [PurePosixPath(name) for name in files]
    faults = [
        f"lacks {pattern}" for pattern in NEEDED if not any(path.match(pattern) for path in paths)
    ]
    faults += [f"holds {name}" for name in files if name.endswith(FORBIDDEN)]
    faults += [
        f"holds {name}, outside irbounds and its metadata"
        for name, path in zip(files, paths, strict=True)
        if path.parts[0] not in {"irbounds", "irbounds.libs"}
        and not path.parts[0].endswith(".dist-info")
    ]
    binaries = {module(name) for name in files if name.endswith(BINARY)}
    stubs = {
        module(name)
        for name, path in zip(files, paths, strict=True)
        if path.match("irbounds/_core/*/*.pyi")
    }
    faults += [f"lacks a stub of {name}" for name in sorted(binaries - stubs - NO_STUB)]
    faults += [f"lacks the compiled module {name}" for name in sorted(stubs - binaries)]
    if size >= LIMIT:
        faults.append(f"has {size:,} bytes, {LIMIT:,} are too many")
    return faults


def main(wheels: list[str]) -> int:
    """Print size and faults of each wheel; 1 if there are faults."""
    if not wheels:
        print("name the wheels", file=sys.stderr)
        return 2
    failed = False
    for wheel in map(Path, wheels):
        with zipfile.ZipFile(wheel) as archive:
            faults = faults_of(archive.namelist(), wheel.stat().st_size)
            unpacked = sum(entry.file_size for entry in archive.infolist())
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, {unpacked:,} unpacked")
        for fault in faults:
            print(f"{wheel.name}: {fault}", file=sys.stderr)
        failed = failed or bool(faults)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
