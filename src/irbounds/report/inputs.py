"""The inputs of a page, with hashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from irbounds.foundation.paths import can_reread, file_hash, is_path
from irbounds.rankings.data.content_hash import content_hash


@dataclass(frozen=True)
class Input:
    """Judgments or a run, and the hash of its file, or of its content where it cannot be read
    again."""

    name: str
    source: Any
    hash: str
    is_file: bool

    @classmethod
    def of(cls, name: str, source: Any, kind: Any) -> Input:
        """An input with its hash; `kind` reads what is no file."""
        if is_path(source) and can_reread(source):
            return cls(name, source, file_hash(source), True)
        whole = kind.of(source)
        return cls("standard input" if name == "-" else name, whole, content_hash(whole), False)

    def row(self, n_queries: int) -> dict[str, Any]:
        """Its row in the table of inputs."""
        return {"name": self.name, "queries": n_queries, "hash": self.hash, "is_file": self.is_file}
