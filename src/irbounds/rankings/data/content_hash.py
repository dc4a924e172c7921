"""The SHA-256 of judgments and runs in memory, so that results say what they were computed from."""

from __future__ import annotations

import hashlib

from irbounds._core.reading.content_text import write_content
from irbounds.foundation.hashes import canonical, text_hash
from irbounds.rankings.data.collection import Qrels, Run


def content_hash(content: Qrels | Run) -> str:
    """SHA-256 of the dict of dicts as JSON in one line, keys sorted."""
    hasher = hashlib.sha256()
    if write_content(content._table, hasher.update):
        return hasher.hexdigest()
    return text_hash(canonical(content.to_dict()))
