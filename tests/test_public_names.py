"""Each public name is listed once, and comes from the module that defines it."""

import importlib
import inspect
import itertools
from pathlib import Path

import pytest
from public_names import MODULES, home_of

import irbounds as irb
from irbounds._lazy import IMPORT

STUBS = {"irbounds": irb} | {
    module.__name__: module
    for module in MODULES.values()
    if Path(f"{inspect.getsourcefile(module)}i").exists()
}


def listed(package):
    """Modules and names of a package's stub."""
    stub = Path(inspect.getsourcefile(package) + "i")
    return IMPORT.findall(stub.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", STUBS)
def test_a_public_name_is_listed_once(name):
    names = [public for _, public in listed(STUBS[name])]
    assert len(names) == len(set(names))
    assert set(names) == set(STUBS[name].__all__) - {"__version__"}


@pytest.mark.parametrize("name", STUBS)
def test_a_public_name_is_listed_where_it_is_defined(name):
    """A module that imports a name from another one is not its home."""
    elsewhere = {
        public: found.__module__
        for module, public in listed(STUBS[name])
        if inspect.isclass(found := getattr(STUBS[name], public)) or inspect.isfunction(found)
        if found.__module__ not in (name, f"{name}.{module}")  # errors say where users find them
    }
    assert not elsewhere


def test_there_are_few_names_at_the_top():
    assert len(irb.__all__) <= 60


@pytest.mark.parametrize("name", STUBS)
def test_no_module_has_the_name_of_a_function_beside_it(name):
    """An imported module would hide the function."""
    folder = Path(inspect.getsourcefile(STUBS[name])).parent
    beside = {path.stem for path in folder.iterdir()}
    assert not beside & {n for n in STUBS[name].__all__ if not inspect.ismodule(getattr(irb, n, 0))}


def test_a_name_that_stands_elsewhere_is_shown_there():
    with pytest.raises(AttributeError, match=r"; it is irbounds\.samples\.elusion_interval$"):
        getattr(irb, "elusion_interval")  # noqa: B009


@pytest.mark.parametrize(
    "name", ["gate", "least_sample", "mean_interval", "prob_superior", "rank_measures"]
)
def test_docstrings_have_their_sections(name):
    module = importlib.import_module(home_of()[name])
    lines = inspect.getdoc(getattr(module, name)).splitlines()
    heads = [line for line, rule in itertools.pairwise(lines) if rule and set(rule) == {"-"}]
    assert heads[:3] == ["Parameters", "Returns", "Raises"]
