"""Public names that a package's stub lists, imported when they are first used."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from typing import Any

# `from .room.module import name as name`, in one line or with the name between parentheses.  The
# module `ast` would read any Python, but takes ten times as long, at every start.
IMPORT = re.compile(r"^from \.([\w.]*) import (?:\(\s*)?(\w+) as \2\b", re.MULTILINE)


def public_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from the imports of its `__init__.pyi`.

    A stub is Python, so that type checkers, editors and this function read the same list.
    """
    with open(file.removesuffix("c") + "i", encoding="utf-8") as stub:  # noqa: PTH123, a faster start
        home_of = {
            name: f"{package}.{module}" if module else package
            for module, name in IMPORT.findall(stub.read())
        }
    names = [*sorted(home_of), "__version__"] if package == "irbounds" else sorted(home_of)

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}{home_hint(package, home_of, name)}"
            )
        home = home_of[name]
        if home == package:  # a module of its own
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: names, names


def home_hint(package: str, home_of: dict[str, str], name: str) -> str:
    """Where a name stands that a package lacks: one of its public modules may have it."""
    modules = (sub for sub, home in home_of.items() if home == package)
    for module in (f"{package}.{sub}" for sub in modules):
        if name in getattr(importlib.import_module(module), "__all__", ()):
            return f"; it is {module}.{name}"
    return ""
