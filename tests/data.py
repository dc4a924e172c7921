"""Where research data lies beside the repository, if it does; it is never part of the project."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[1].parent / "shared" / "data"


def shared(*parts):
    """A path in the shared data; skips the test where that is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip("needs the research data beside the repository")
    return path
