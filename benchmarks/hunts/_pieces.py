"""The parts of a module that some of its names are made of: a module holds functions over several
kernels, and a change of one leaves the others as they were."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

WORD = re.compile(r"[A-Za-z_]\w*")
# at the beginning of a line: a statement, not what a bracket or a quote of another one ends with
START = re.compile(r"^(?=[A-Za-z_@])", re.MULTILINE)
LIST = re.compile(r"cdef extern from \"|cdef enum\b.*:|cdef:")
DEFINED = re.compile(r"^(?:cpdef |cdef |def |class )(?:class |inline )?(.*)$")


def used_of(text: str, module: str, package: str = "irbounds._core") -> frozenset[str] | None:
    """The names that a file, without its docstrings, takes of a module of a package; None where it
    may take all."""
    names: set[str] = set()
    home = re.escape(package)
    for clause in re.findall(
        rf"^[ \t]*from {home}\.{module} import (\([^)]*\)|.*)", text, re.MULTILINE
    ):
        names |= {line.split()[0] for line in clause.strip("()").split(",") if line.strip()}
    if re.search(rf"^[ \t]*import {home}\.{module}\b", text, re.MULTILINE) or "*" in names:
        return None
    imports = re.compile(rf"^[ \t]*from {home} import (\([^)]*\)|.*)", re.MULTILINE)
    rest = imports.sub("", text)
    for part in ",".join(clause.strip("()") for clause in imports.findall(text)).split(","):
        words = part.split()
        if words and words[0] == module:
            uses = re.findall(rf"(?<![\w.]){words[-1]}\b(\.\w+)?", rest)
            if not all(uses):
                return None
            names |= {use[1:] for use in uses}
    return frozenset(names) or None


def python_piece(text: str, names: Iterable[str]) -> str:
    """The same as `piece` of a Python module; all of it where it does not define each name."""
    parts = [part for statement in ast.parse(text).body for part in _split(statement)]
    defined = [_bound(part) for part in parts]
    wanted = set(names)
    if not wanted <= set().union(*defined):
        return text
    kept = {i for i, some in enumerate(defined) if not some}
    wanted |= {word for i in kept for word in _loaded(parts[i])}
    while True:
        new = {i for i, some in enumerate(defined) if i not in kept and some & wanted}
        if not new:
            return "\n".join(ast.unparse(parts[i]) for i in sorted(kept))
        kept |= new
        wanted |= {word for i in new for word in _loaded(parts[i])}


def _split(statement: ast.stmt) -> list[ast.stmt]:
    """A statement; an import of several names as one of each; nothing of what types alone need."""
    if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
        return []
    if isinstance(statement, ast.ImportFrom):
        module, level = statement.module, statement.level
        return [ast.ImportFrom(module, [alias], level) for alias in statement.names]
    if isinstance(statement, ast.Import):
        return [ast.Import([alias]) for alias in statement.names]
    return [] if isinstance(statement, ast.Pass) else [statement]


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module defines; none of a loop or a branch, which is kept."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        # what a table's cell is set to is not a name of the module: such a statement is kept
        if all(isinstance(target, (ast.Name, ast.Tuple)) for target in targets):
            return {
                node.id
                for target in targets
                for node in ast.walk(target)
                if isinstance(node, ast.Name)
            }
    return set()


def _loaded(statement: ast.stmt) -> set[str]:
    """The words of a statement that may be names of its module."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def piece(text: str, names: Iterable[str]) -> str:
    """The statements that define the names or what these use, and those that define nothing, of a
    module without its docstrings."""
    places = [match.start() for match in START.finditer(text)]
    parts = [text[a:b] for a, b in zip(places, [*places[1:], len(text)], strict=True)]
    defined = [_names_of(part) for part in parts]
    kept = {i for i, some in enumerate(defined) if not some}
    wanted = set(names)
    while True:
        new = {i for i, some in enumerate(defined) if i not in kept and some & wanted}
        if not new:
            return "".join(parts[i] for i in sorted(kept))
        kept |= new
        wanted |= {word for i in new for word in _used(parts[i])}


def _names_of(part: str) -> set[str]:
    """Return what a statement defines: a function, a class, or the names of a list."""
    first, *rest = part.splitlines()
    if LIST.match(first):
        found = {name for line in rest for name in _declared(line)}
        return found | set(WORD.findall(first.partition("cdef enum")[2])[:1])
    if match := DEFINED.match(first):
        head = match[1].split("(")[0].split("=")[0]
        return set(WORD.findall(head)[-1:])
    if match := re.match(r"(\w+) *=", first):
        return {match[1]}
    return set()


def _declared(line: str) -> list[str]:
    """The name that a line of a list declares; fields of a struct are none, constants are."""
    code = line.split("  #")[0].split("(")[0].split("=")[0].rstrip(" :,")
    is_field = code.startswith(" " * 8) and len(code.split()) > 1
    return [] if is_field else WORD.findall(re.sub(r'"\w+"', "", code))[-1:]


def _used(part: str) -> set[str]:
    """The words of a statement; of a list, those of what it declares, without fields."""
    if LIST.match(part):
        part = re.sub(r"^ {8}.*\n?", "", part, flags=re.MULTILINE)
    return set(WORD.findall(part))
