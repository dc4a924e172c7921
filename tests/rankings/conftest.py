"""Fixtures of tests of input."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Writes a file with this name and content, and gives its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
