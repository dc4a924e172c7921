"""Check that all files name one version and, for a release, that its public addresses are set.

python tools/check_release.py                                        # the versions
python tools/check_release.py v0.1.0 https://github.com/OWNER/irbounds    # a release, of its tag
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {  # where a version stands
    "src/irbounds/_version.py": r'__version__ = "(.+)"',
    "CITATION.cff": r"(?m)^version: (.+)$",
    "CHANGELOG.md": r"(?m)^## (\S+)",
    "recipe/recipe.yaml": r'(?m)^  version: "(.+)"$',
}


def faults_of(texts: dict[str, str], tag: str | None = None, address: str = "") -> list[str]:
    """One line for each rule that files with these texts break."""
    found = {}
    for name, pattern in VERSIONS.items():
        match = re.search(pattern, texts[name])
        found[name] = match[1] if match else "no version"
    version = found["src/irbounds/_version.py"]
    faults = [
        f"{name} has {other}, _version.py has {version}"
        for name, other in found.items()
        if other != version
    ]
    if tag is None:
        return faults
    places = tomllib.loads(texts["pyproject.toml"])["tool"]["irbounds"]
    if tag != f"v{version}":
        faults.append(f"the tag is {tag}, the version is {version}")
    if places["repository"] != address:
        faults.append(f"pyproject.toml: repository is {places['repository']!r}, not {address!r}")
    if not places["documentation"]:
        faults.append("pyproject.toml: documentation has no address")
    if f"repository-code: {address}" not in texts["CITATION.cff"].splitlines():
        faults.append(f"CITATION.cff lacks the line repository-code: {address}")
    if "date-released:" not in texts["CITATION.cff"]:
        faults.append("CITATION.cff lacks date-released")
    if "(unreleased)" in texts["CHANGELOG.md"].partition("\n## ")[2].partition("\n")[0]:
        faults.append("CHANGELOG.md: the version is unreleased")
    return faults


def main(arguments: list[str]) -> int:
    """Print the faults; 1 if there are any."""
    texts = {name: (ROOT / name).read_text("utf-8") for name in (*VERSIONS, "pyproject.toml")}
    faults = faults_of(texts, *arguments)
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
