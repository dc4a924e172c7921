"""A digest of the code that a public function is computed by, so that a change elsewhere leaves its
recorded cases valid."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from hunts import Hunt
from hunts._pieces import piece, used_of

Names = frozenset[str] | None  # of a Cython module; None: all
Parts = dict[str, Names]  # files, and what is taken of them
ROOT = Path(__file__).resolve().parents[2]
PUBLIC = re.compile(r"^from \.([\w.]+) import (?:\(\s*)?(\w+) as \2\b", re.MULTILINE)
# of Python or Cython; the package has no relative imports
IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+(irbounds[\w.]*)[ \t]+c?import[ \t]+(\([^)]*\)|.*)"
    r"|c?import[ \t]+(irbounds[\w.]*))",
    re.MULTILINE,
)
NO_CODE = re.compile(r'^[ \t]*(?:#.*|[rf]?"""(?s:.*?)"""[ \t]*)$', re.MULTILINE)
NO_CODE_C = re.compile(r"^[ \t]*(?://.*|/\*(?s:.*?)\*/[ \t]*)$", re.MULTILINE)
# functions and tables that a kernel gives to others
DEFINED = re.compile(r"^(?!static|typedef|struct|enum)\w[\w \*]*?(\w+)(?:\(| =)", re.MULTILINE)
HEADER = re.compile(r'(?:#\s*include|cdef extern from) "(\w+)\.h"')


def code_of(hunt: Hunt) -> str:
    """The digest of a hunt's code."""
    return code_digest(names_of(hunt) & homes().keys())


def code_digest(names: Iterable[str], root: Path = ROOT) -> str:
    """A hash of the names and the code of the files that public names are made of."""
    digest = hashlib.sha256()
    parts = _joined(_closure(_home(name, root), root) for name in names)
    for name in sorted(parts):
        digest.update(name.encode() + b"\0")
        digest.update(_part(root / name, parts[name]).encode() + b"\0")
    return digest.hexdigest()[:8]


def _part(path: Path, names: Names) -> str:
    """The code of a file, or of what some of its names are made of."""
    return _code(path) if names is None else piece(_code(path), names)


@functools.lru_cache
def _code(path: Path) -> str:
    """A file without comments that have lines of their own, docstrings and empty lines."""
    pattern = NO_CODE_C if path.suffix in (".c", ".h") else NO_CODE
    lines = pattern.sub("", path.read_text(encoding="utf-8")).splitlines()
    return "\n".join(line for line in lines if line.strip())


def names_of(hunt: Hunt) -> frozenset[str]:
    """The public names that a hunt's `value` calls."""
    public, found = homes().keys(), {hunt.function}
    left: list[Any] = [hunt.value]
    seen = set()
    while left:
        function = left.pop()
        if not isinstance(function, FunctionType) or function in seen:
            continue
        seen.add(function)
        codes = [function.__code__]
        while codes:
            code = codes.pop()
            codes += [each for each in code.co_consts if isinstance(each, CodeType)]
            found |= public & set(code.co_names)
            left += [function.__globals__.get(name) for name in code.co_names]
        left += [cell.cell_contents for cell in function.__closure__ or ()]
    return frozenset(found)


@functools.lru_cache
def homes(root: Path = ROOT) -> dict[str, str]:
    """The module of each public name."""
    stub = (root / "src" / "irbounds" / "__init__.pyi").read_text(encoding="utf-8")
    return {name: module for module, name in PUBLIC.findall(stub)}


def files_of(name: str, root: Path = ROOT) -> frozenset[str]:
    """The module of a public name, and all that it imports or includes, directly or not.

    Imports inside of functions count, so that the set holds more than what one call needs, and
    never less.  A Cython module counts by the statements that the imported names are made of.
    """
    return frozenset(_closure(_home(name, root), root))


def _home(name: str, root: Path) -> str:
    return f"irbounds.{homes(root)[name]}"


def _joined(closures: Iterable[Parts]) -> Parts:
    """All files of several closures, with the names that any of them takes."""
    every: Parts = {}
    for closure in closures:
        for name, names in closure.items():
            known = every.get(name, frozenset())
            every[name] = None if names is None or known is None else known | names
    return every


@functools.lru_cache
def _closure(module: str, root: Path) -> Parts:
    seen: Parts = {}
    left: list[tuple[Path, Names]] = [(path, None) for path in _module(module, root)]
    while left:
        path, names = left.pop()
        name = path.relative_to(root).as_posix()
        more = _joined([{name: names}, *([{name: seen[name]}] if name in seen else [])])[name]
        if name not in seen or more != seen[name]:
            seen[name] = more
            left += _next_files(path, more, root)
    return seen


@functools.lru_cache
def _next_files(path: Path, wanted: Names, root: Path) -> tuple[tuple[Path, Names], ...]:
    """The files that one file, or a part of it, names."""
    text = _part(path, wanted)
    found: list[tuple[Path, Names]] = [(file, None) for file in _kernels(text, root)]
    for package, names, module in IMPORTED.findall(text):
        for name in [module] if module else [package, *re.findall(r"\w+", names)]:
            full = name if name == (module or package) else f"{package}.{name}"
            for file in _module(full, root):
                of_core = path.suffix == ".py" and file.suffix == ".pyx"
                found.append((file, used_of(text, file.stem) if of_core else None))
    if path.suffix == ".h":
        found += [(file, None) for file in _kernels_without_header(path)]
    return tuple(found)


def _module(name: str, root: Path) -> Iterator[Path]:
    """The files of a module of irbounds, compiled or not."""
    if name.split(".")[0] == "irbounds" and name != "irbounds":
        path = (root / "src").joinpath(*name.split("."))
        for ending in (".py", ".pyx", ".pxd", "/__init__.py"):
            if (file := Path(f"{path}{ending}")).is_file():
                yield file


def _kernels(text: str, root: Path) -> Iterator[Path]:
    """The headers that a text includes, each with the kernel of its name."""
    for name in HEADER.findall(text):
        for ending in (".h", ".c"):
            if (file := root / "csrc" / (name + ending)).is_file():
                yield file


@functools.lru_cache
def _kernels_without_header(header: Path) -> tuple[Path, ...]:
    """Kernels of another name that define what a header declares."""
    declared = set(re.findall(r"\w+", _code(header)))
    return tuple(
        path
        for path in sorted(header.parent.glob("*.c"))
        if not path.with_suffix(".h").exists()
        and not declared.isdisjoint(DEFINED.findall(_code(path)))
    )
