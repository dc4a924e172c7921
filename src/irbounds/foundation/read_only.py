"""Arrays of results that nobody can change."""

from __future__ import annotations

from typing import Any

import numpy as np


class ReadOnlyArrays:
    """Base of frozen dataclasses: the arrays in their fields are read-only too."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the arrays read-only again: pickle restores them as writable."""
        self.__dict__.update(state)
        self.__post_init__()
