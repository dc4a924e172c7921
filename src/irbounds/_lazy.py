"""Public names that a package's stub lists, imported when they are first used."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def public_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from the imports of its `__init__.pyi`.

    A stub is Python, so that type checkers, editors and this function read the same list.
    """
    home_of = {
        alias.name: f"{package}.{node.module}" if node.module else package
        for node in ast.parse(Path(file).with_suffix(".pyi").read_bytes()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    names = [*sorted(home_of), "__version__"] if package == "irbounds" else sorted(home_of)

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = home_of[name]
        if home == package:  # a module of its own
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: names, names
