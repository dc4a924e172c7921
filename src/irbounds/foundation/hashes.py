"""SHA-256 of values, so that results say what they were computed from; `paths` has that of
files."""

from __future__ import annotations

import hashlib
import json


def canonical(value: object) -> str:
    """A value as JSON in one line, keys sorted."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def text_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
