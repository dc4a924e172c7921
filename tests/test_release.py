"""A release: one version, addresses from one place, and the step of action.yml."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists() or not (ROOT / "action.yml").exists(),
    reason="needs the source tree",
)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def setup(monkeypatch):
    pytest.importorskip("setuptools", minversion="77")
    monkeypatch.chdir(ROOT)
    return load(ROOT / "setup.py")


@pytest.fixture(scope="module")
def release():
    return load(ROOT / "tools" / "check_release.py")


def test_one_version(release, capsys):
    assert release.main([]) == 0, capsys.readouterr().err


def test_a_release_needs_its_addresses(release):
    address = "https://example.org/irbounds"
    texts = {
        name: (ROOT / name).read_text("utf-8") for name in (*release.VERSIONS, "pyproject.toml")
    }
    version = re.search(r'= "(.+)"', texts["src/irbounds/_version.py"])[1]
    texts["pyproject.toml"] = '[tool.irbounds]\nrepository = ""\ndocumentation = ""\n'
    texts["CITATION.cff"] = f"version: {version}\n"
    texts["CHANGELOG.md"] = f"# Changelog\n\n## {version} (unreleased)\n"
    assert len(release.faults_of(texts, f"v{version}", address)) == 5
    assert len(release.faults_of(texts, "v99", address)) == 6
    texts["pyproject.toml"] = (
        f'[tool.irbounds]\nrepository = "{address}"\ndocumentation = "https://example.org"\n'
    )
    texts["CITATION.cff"] += f"date-released: 2027-01-01\nrepository-code: {address}\n"
    texts["CHANGELOG.md"] = f"# Changelog\n\n## {version} (1 January 2027)\n"
    assert release.faults_of(texts, f"v{version}", address) == []
    texts["recipe/recipe.yaml"] = ""
    assert release.faults_of(texts) == [
        f"recipe/recipe.yaml has no version, _version.py has {version}"
    ]


def test_the_index_shows_no_dead_links(setup, monkeypatch):
    relative = r"\]\((?!https?://|#)"
    monkeypatch.setitem(setup.PLACES, "repository", "")
    monkeypatch.setitem(setup.PLACES, "documentation", "")
    assert setup.urls() == {}
    assert not re.search(relative, setup.description())
    address = "https://example.org/irbounds"
    monkeypatch.setitem(setup.PLACES, "repository", address)
    text = setup.description()
    assert not re.search(relative, text)
    paths = re.findall(rf"\]\({address}/blob/main/([^)]+)\)", text)
    assert len(paths) > 20
    assert all((ROOT / path).exists() for path in paths)
    assert all(link.startswith(address) for link in setup.urls().values())


def test_the_bill_of_materials_names_each_part_once(setup):
    pytest.importorskip("Cython")
    bill = json.loads(json.dumps(setup.bill_of_materials("1.2.3")))
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/irbounds@1.2.3"
    names = [part["bom-ref"] for part in bill["components"]]
    assert bill["dependencies"] == [{"ref": "pkg:pypi/irbounds@1.2.3", "dependsOn": names}]
    assert len(set(names)) == len(names) == 2


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="needs bash")
@pytest.mark.parametrize(
    ("new", "unclear", "status", "verdict"),
    [("b.run", "fail", 3, "unclear"), ("b.run", "pass", 0, "unclear"), ("none", "fail", 2, None)],
)
def test_the_step_of_the_action(tmp_path, new, unclear, status, verdict):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    (tmp_path / "b.run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n")
    inputs = {"QRELS": "q", "BASELINE": "a.run", "NEW": new, "MARGIN": "0.02", "MEASURES": "AP RR"}
    inputs |= {"OPTIONS": "--missing  skip --strict", "UNCLEAR": unclear}
    inputs |= {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", str(ROOT / "tools" / "gate_action.sh")],
        cwd=tmp_path,
        env={**os.environ, **inputs, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == status, done.stderr
    assert (tmp_path / "output").exists() == (verdict is not None)
    if verdict is not None:
        assert (tmp_path / "output").read_text() == f"verdict={verdict}\n"
