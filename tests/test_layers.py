"""The way of the data is a straight line: files in each layer see only the layers below them."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "irbounds"
CSRC = ROOT / "csrc"
CODE = {"csrc": {".c", ".h"}, "src": {".py", ".pyi", ".pyx", ".pxd"}}

# The rooms from the bottom up: a module sees the rooms before its own in this list, its own room,
# and irbounds._core.
ROOMS = [
    "warnings",
    "foundation",
    "chance",
    "samples.model",
    "samples.posterior",
    "samples.bounds",
    "samples.one_proportion",
    "samples.intervals",
    "samples.other_designs",
    "counts",
    "planning.assumptions",
    "planning.design",
    "planning.coverage_studies",
    "planning",
    "stopping",
    "queries",
    "samples.clusters",
    "rankings.reading",
    "rankings.measure_table",
    "rankings.data",
    "rankings.unjudged",
    "rankings.evaluating",
    "rankings.history",
    "extrapolation",
    "rankings.pairs",
    "comparison.significance",
    "comparison.data",
    "comparison.ranks",
    "comparison.label_bounds",
    "comparison.gates",
    "comparison.runs",
    "assisted",
    "adapters",
]
ABOVE = ["cli", "plot", "report", "spark", "testing"]  # these see irbounds itself
# The rooms of the kernels, likewise; rooms of one floor do not see one another.
KERNEL_FLOORS = [
    {"numeric", "reading"},
    {"ordering", "distributions", "yields", "superiority", "draws"},
    {"ties", "bounds", "two_rankings"},
    {"measures", "label_bounds"},
]

pytestmark = pytest.mark.skipif(not PACKAGE.is_dir(), reason="needs the source tree")


BLOCKS = ast.stmt, ast.ExceptHandler, ast.match_case


def is_module(name):
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


@cache
def imports_of(path):
    found, waiting = set(), [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:  # not all nodes: expressions import nothing, and are most of them
        node = waiting.pop()
        waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, BLOCKS)]
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            # A name may be a module of the package: `from irbounds.rankings import measure`.
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            inner = {name for name in names if is_module(name)}
            found |= inner if inner == names else inner | {node.module}
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name.split(".")[0] == "irbounds"}


def test_all_forms_of_imports_are_seen(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "import irbounds.chance.selection\n"
        "from irbounds.rankings.measure_table import measure\n"
        "def later():\n"
        "    from irbounds.foundation.errors import fail, shown\n"
        "    from numpy import pi\n"
    )
    assert imports_of(path) == {
        "irbounds.chance.selection",
        "irbounds.rankings.measure_table.measure",
        "irbounds.foundation.errors",
    }


def modules(*packages):
    """Each module of these packages, as "package.module", and those that it imports."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] in packages and parts[-1] != "__init__":
            # annotations alone name the types of `irbounds.typing`
            names = {
                name
                for name in imports_of(path)
                if "._core" not in name and name != "irbounds.typing"
            }
            found[".".join(parts)] = {name.removeprefix("irbounds.") for name in names}
    return found


def room_of(module):
    """`samples.bounds.guaranteed` is in the room `samples.bounds`."""
    rooms = [room for room in ROOMS if module == room or module.startswith(f"{room}.")]
    assert rooms, f"{module} is in no room"
    return max(rooms, key=len)


def test_every_room_sees_only_the_rooms_below():
    for module, imported in modules(*(room.split(".")[0] for room in ROOMS)).items():
        level = ROOMS.index(room_of(module))
        for name in imported - {"_version"}:
            assert ROOMS.index(room_of(name)) <= level, f"{module} imports {name}"


def test_no_modules_import_one_another_in_a_circle():
    graph = modules(*(room.split(".")[0] for room in ROOMS), *ABOVE)
    assert len(graph) > 120
    while graph:
        free = {module for module, imported in graph.items() if not imported & set(graph)}
        assert free, f"circle among {sorted(graph)}"
        graph = {module: imported for module, imported in graph.items() if module not in free}


def test_core_imports_core_alone():
    sources = (path for path in PACKAGE.glob("_core/**/*.p[yx]*") if path.suffix != ".pyc")
    for path in sources:
        for name in re.findall(
            r"^(?:from|import|cimport) +(irbounds[\w.]*)", path.read_text(), re.MULTILINE
        ):
            assert name.startswith("irbounds._core"), (path.name, name)


def included(path):
    return set(re.findall(r'#include\s+[<"]([^>"]+)', path.read_text()))


def test_kernels_include_no_python():
    allowed = {"float.h", "math.h", "stddef.h", "stdint.h", "string.h", "emmintrin.h"}
    own = {path.relative_to(CSRC).as_posix() for path in CSRC.rglob("*.h")}
    for path in CSRC.rglob("*.[ch]"):
        assert included(path) <= allowed | own, path.name
        assert not re.search(r"\b(malloc|free|printf|fopen)\s*\(", path.read_text()), path.name


def test_kernels_see_only_the_floors_below():
    floor = {room: i for i, rooms in enumerate(KERNEL_FLOORS) for room in rooms}
    assert {path.parent.name for path in CSRC.rglob("*.[ch]")} == set(floor)
    for path in CSRC.rglob("*.[ch]"):
        own = path.parent.name
        for name in included(path):
            room = name.rpartition("/")[0]
            assert not room or room == own or floor[room] < floor[own], f"{path.name}: {name}"


@pytest.mark.parametrize("folder", ["csrc", "src"])
def test_no_folder_has_too_many_files(folder):
    most = {"csrc": 25, "src": 20}[folder]
    files = [path for path in (ROOT / folder).rglob("*.*") if path.suffix in CODE[folder]]
    folders = Counter(path.parent for path in files)
    assert max(folders.values()) <= most, folders.most_common(3)


def test_import_loads_numpy_at_most():
    code = "import sys, irbounds; irbounds.evaluate; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"scipy", "pandas", "narwhals", "click", "rich", "matplotlib", "jinja2"} & set(
        loaded
    )
