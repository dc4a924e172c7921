"""Docstrings show what happens; `test_pages.py` has the pages."""

import doctest
import importlib
import pkgutil

import pytest

import irbounds

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(irbounds.__path__, "irbounds.")
    if not name.startswith("irbounds._core") and not name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
