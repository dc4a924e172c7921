"""Each public name is listed once, and comes from the module that defines it."""

import inspect
import itertools
from pathlib import Path

import pytest

import irbounds as irb
from irbounds._lazy import IMPORT

STUBS = {"irbounds": irb, "irbounds.plot": irb.plot}


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
        if found.__module__ != f"{name}.{module}"
    }
    assert not elsewhere


@pytest.mark.parametrize(
    "name", ["gate", "least_sample", "mean_interval", "prob_superior", "rank_measures"]
)
def test_docstrings_have_their_sections(name):
    lines = inspect.getdoc(getattr(irb, name)).splitlines()
    heads = [line for line, rule in itertools.pairwise(lines) if rule and set(rule) == {"-"}]
    assert heads[:3] == ["Parameters", "Returns", "Raises"]
