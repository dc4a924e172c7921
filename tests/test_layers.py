"""The way of the data is a straight line: files in each layer see only the layers below them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "irbounds"

# Public modules from the bottom up; each may import those above it in this list, and
# irbounds._core.
ORDER = [
    f"{package}.{module}"
    for package, modules in {
        "foundation": "errors atomic arguments quadrature sampling shares laws f_law frames "
        "writing",
        "chance": "hypergeometric selection",
        "samples": "strata priors proportion_methods proportions ratios methods cautions sums "
        "yields continuous_yields "
        "guaranteed approximations estimators posterior_ends intervals outcomes control_sample "
        "sensitivity",
        "counts": "labels posterior superiority paired paired_proportions quick_shares shares "
        "margins paired_measures "
        "joint",
        "planning": "chances divided scenarios report assumptions rough outlook neyman joint "
        "plans allocation single sizes "
        "floor sampled design laboratory requirements monitoring",
        "rankings": "files frames measure_table measure evaluation many collection plan topk "
        "evaluator arrays "
        "tallies weak_ordering graphs",
        "extrapolation": "curve review rising intervals run",
        "comparison": "corrections cautions resampling paired_tests dunnett tukey difference "
        "alignment pairwise compared "
        "presentation comparison systems",
        "adapters": "ir_measures sklearn",
    }.items()
    for module in modules.split()
]
ABOVE = ["cli", "plot", "report", "spark"]  # these see the public modules and irbounds itself

pytestmark = pytest.mark.skipif(not PACKAGE.is_dir(), reason="needs the source tree")


def imports_of(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name.split(".")[0] == "irbounds"}


def test_every_public_module_has_its_place():
    modules = [path.relative_to(PACKAGE).with_suffix("").parts for path in PACKAGE.rglob("*.py")]
    found = {
        ".".join(parts)
        for parts in modules
        if parts[-1] not in {"__init__", "__main__"} and parts[0] not in {*ABOVE, "_core", "demo"}
    }
    assert found == set(ORDER)


@pytest.mark.parametrize("module", ORDER)
def test_public_modules_import_downwards(module):
    below = {f"irbounds.{name}" for name in ORDER[: ORDER.index(module)]}
    for name in imports_of(PACKAGE / f"{module.replace('.', '/')}.py"):
        assert name in below or name.startswith("irbounds._core"), name


def test_core_imports_core_alone():
    for path in PACKAGE.glob("_core/*.p[yx]*"):
        for name in re.findall(
            r"^(?:from|import|cimport) +(irbounds[\w.]*)", path.read_text(), re.MULTILINE
        ):
            assert name.startswith("irbounds._core"), (path.name, name)


def test_kernels_include_no_python():
    allowed = {"float.h", "math.h", "stdint.h", "string.h", "emmintrin.h"}
    own = {path.name for path in (ROOT / "csrc").glob("*.h")}
    for path in (ROOT / "csrc").iterdir():
        assert set(re.findall(r'#include\s+[<"]([^>"]+)', path.read_text())) <= allowed | own, (
            path.name
        )
        assert not re.search(r"\b(malloc|free|printf|fopen)\s*\(", path.read_text()), path.name


def test_import_loads_numpy_at_most():
    code = "import sys, irbounds; irbounds.evaluate; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"scipy", "pandas", "narwhals", "typer", "rich", "matplotlib", "jinja2"} & set(
        loaded
    )
