"""A folder with judgments and a run, in which commands run."""

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder of a test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 7 t\nq1 Q0 d2 2 7 t\nq2 Q0 d1 1 1 t\n")
    return tmp_path
