"""The rules for wheels catch what they are for."""

import importlib.util
import re
import zipfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "check_contents.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs the source tree")

GOOD = [
    *("irbounds/__init__.py", "irbounds/py.typed", "irbounds/_core/room/kernel.abi3.so"),
    *("irbounds/_core/room/kernel.pyi", "irbounds/_core/_cyutility.abi3.so"),
    *("irbounds/demo/runs.xz", "irbounds/demo/README.md", "irbounds/report/templates/page.j2"),
    *("irbounds/report/templates/page.css", "irbounds-0.1.0.dist-info/licenses/LICENSE"),
    "irbounds-0.1.0.dist-info/sboms/irbounds.cdx.json",
    "irbounds-0.1.0.dist-info/entry_points.txt",
]


@pytest.fixture(scope="module")
def rules():
    spec = importlib.util.spec_from_file_location("check_contents", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_good_wheel_has_no_faults(rules):
    assert rules.faults_of(GOOD, 1_000_000) == []


@pytest.mark.parametrize(
    "name",
    [
        "irbounds/_core/room/kernel.c",
        "irbounds/_core/room/kernel.pyx",
        "irbounds/_core/room/kernel.pxd",
        "csrc/beta.h",
        "tests/rankings/test_input.py",
    ],
)
def test_what_must_not_be_inside(rules, name):
    assert any(name in fault for fault in rules.faults_of([*GOOD, name], 1_000_000))


@pytest.mark.parametrize("name", [name for name in GOOD if "_cyutility" not in name])
def test_what_must_be_inside(rules, name):
    assert rules.faults_of([other for other in GOOD if other != name], 1_000_000)


def test_size(rules):
    assert len(rules.faults_of(GOOD, 3_000_000)) == 1
    assert not rules.faults_of(GOOD, 2_999_999)


def test_command(rules, tmp_path, capsys):
    path = tmp_path / "irbounds-0.1.0-cp311-abi3-any.whl"
    for extra, status in ([], 0), (["irbounds/kernel.c"], 1):
        with zipfile.ZipFile(path, "w") as archive:
            for name in [*GOOD, *extra]:
                archive.writestr(name, b"")
        assert rules.main([str(path)]) == status
        out, err = capsys.readouterr()
        assert re.match(rf"{re.escape(path.name)}: [\d,]+ bytes", out)
        assert bool(err) == bool(extra)
    assert rules.main([]) == 2
