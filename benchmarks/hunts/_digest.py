"""A digest of the code that a public function is computed by, so that a change elsewhere leaves its
recorded cases valid."""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from hunts import Hunt
from hunts._pieces import piece, python_piece, used_of

# A module that nothing reaches but segments that this public class makes: hunts that do not call it
# leave the module out (a test checks that no hunt of others runs it).
REACHED_BY = {"irbounds.samples.posterior.coded": "Audited"}
Names = frozenset[str] | None  # of a Python or Cython module; None: all
Parts = dict[str, Names]  # files, and what is taken of them
ROOT = Path(__file__).resolve().parents[2]
PUBLIC = re.compile(r"^from \.([\w.]+) import (?:\(\s*)?(\w+) as \2\b", re.MULTILINE)
# Functions besides `raise` whose texts are words of errors and warnings.
TELLING = ("fail", "warn", "check_number", "check_numbers")
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
    names = frozenset(names)
    left_out = frozenset(module for module, name in REACHED_BY.items() if name not in names)
    parts = _joined(_closure(_home(name, root), name, root, left_out) for name in names)
    for name in sorted(parts):
        digest.update(name.encode() + b"\0")
        digest.update(_part(root / name, parts[name]).encode() + b"\0")
    return digest.hexdigest()[:8]


def _part(path: Path, names: Names) -> str:
    """The code of a file, or of what some of its names are made of."""
    if names is None:
        return _code(path)
    return (python_piece if path.suffix == ".py" else piece)(_code(path), names)


@functools.lru_cache
def _code(path: Path) -> str:
    """A file without what no number depends on: comments, docstrings, empty lines, and in Python
    the layout and the words of errors and warnings.  Python's minor versions write it differently:
    records hold for the version that made them."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return ast.unparse(_Bare().visit(ast.parse(text)))
    lines = (NO_CODE_C if path.suffix in (".c", ".h") else NO_CODE).sub("", text).splitlines()
    return "\n".join(line for line in lines if line.strip())


class _Bare(ast.NodeTransformer):
    """Takes docstrings away, and the words of what is raised and warned of."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return _Wordless().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return _Wordless().visit(node) if name in TELLING else self.generic_visit(node)


class _Wordless(ast.NodeTransformer):
    """Makes every text empty."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.Constant("")


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
    never less.  A module counts by the statements that the imported names are made of.
    """
    return frozenset(_closure(_home(name, root), name, root, frozenset()))


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
def _closure(module: str, public: str, root: Path, left_out: frozenset[str]) -> Parts:
    """`left_out`: modules, with what only they reach."""
    skipped = {file for name in left_out for file in _module(name, root)}
    seen: Parts = {}
    left: list[tuple[Path, Names]] = [(path, frozenset([public])) for path in _module(module, root)]
    while left:
        path, names = left.pop()
        if path in skipped:
            continue
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
                is_named = path.suffix in (".py", ".pyx") and file.suffix in (".py", ".pyx")
                *folders, stem = file.relative_to(root / "src").with_suffix("").parts
                home = ".".join(folders)
                found.append((file, used_of(text, stem, home) if is_named else None))
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
