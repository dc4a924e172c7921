"""The oldest versions that pyproject.toml allows at run time, as constraints for pip.

python tools/oldest_requirements.py >oldest.txt && pip install --constraint oldest.txt ".[test]"
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

EXTRAS = ("cli", "frames", "plot", "report")


def oldest(requirement: str) -> str:
    """`name>=1.2` as `name==1.2`."""
    match = re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement)
    if match is None:
        raise SystemExit(f"pyproject.toml: expected name>=version, found {requirement!r}")
    return f"{match[1]}=={match[2]}"


def main() -> None:
    """Print one line for each requirement."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    wanted = [
        *project["dependencies"],
        *(line for extra in EXTRAS for line in project["optional-dependencies"][extra]),
    ]
    for requirement in wanted:
        if not requirement.startswith(project["name"] + "["):
            print(oldest(requirement))


if __name__ == "__main__":
    main()
