"""Run a Python harness under atheris (coverage-guided), or over a corpus.

python fuzz/drive.py measures -max_total_time=60 DIRECTORY…     # options and directories are
libFuzzer's python fuzz/drive.py measures --replay DIRECTORY…
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
HARNESSES = ("measures", "rank_measures", "run_files")


def replay(harness: str, folders: list[str]) -> int:
    """Check every file of the folders; how many there were."""
    check = importlib.import_module(harness).check
    files = [
        path for folder in folders for path in sorted(Path(folder).iterdir()) if path.is_file()
    ]
    for path in files:
        check(path.read_bytes())
    return len(files)


def main() -> None:
    """Choose the harness."""
    harness, arguments = sys.argv[1], sys.argv[2:]
    if harness not in HARNESSES:
        sys.exit(f"no such harness: {harness}; there are {', '.join(HARNESSES)}")
    if arguments[:1] == ["--replay"]:
        print(f"{replay(harness, arguments[1:])} inputs")
        return
    import atheris

    with atheris.instrument_imports(include=["irbounds"]):
        check = importlib.import_module(harness).check
    atheris.Setup([sys.argv[0], *arguments], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
