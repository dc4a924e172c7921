"""The subjects of `speed.py`: each module has a table CASES."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Work = Callable[[], Any]
Tools = dict[str, Callable[[], Work]]  # what prepares a tool and returns the call that is timed


class Case(NamedTuple):
    """The same work by several tools, the first of them irbounds.

    `tools` takes whether sizes are tiny.  Results that are not None must agree, within `apart`,
    which may differ by tool.  `times`: how often a call of a tool does the work, if not once.
    `by_clock`: times are by the clock in place of the processor.
    """

    name: str
    tools: Callable[[bool], Tools]
    apart: float | dict[str, float] = 1e-9
    times: dict[str, float] = {}  # noqa: RUF012
    has_memory: bool = False
    by_clock: bool = False


def new_folder() -> Path:
    """A folder that goes with the process."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def unchecked(function: Callable[..., Any], *arguments: Any, **options: Any) -> Work:
    """A call whose result is not compared."""

    def work() -> None:
        function(*arguments, **options)

    return work
