"""Docstrings show what happens; `test_pages.py` has the pages."""

import doctest
import importlib
from pathlib import Path

import pytest
from sizes import only

import irbounds

PACKAGE = Path(irbounds.__file__).parent
MODULES = [
    ".".join(["irbounds", *path.relative_to(PACKAGE).with_suffix("").parts])
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
SLOW = {"irbounds.plot.design"}


@pytest.mark.parametrize("name", only(set(MODULES) - SLOW, MODULES))
def test_docstring_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
