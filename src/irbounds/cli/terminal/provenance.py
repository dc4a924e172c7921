"""The origin of machine-readable output: the version, the settings and hashes of the files that
its numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from irbounds._version import __version__
from irbounds.foundation.paths import can_reread, file_hash, shown_name


def hash_of(path: str) -> str | None:
    """SHA-256 of a file, as sha256sum prints it; None of what can be read once only."""
    return file_hash(path) if can_reread(path) else None


class Provenance:
    """Judgments, measures and options (named as those of `irbounds.evaluate`) of all runs.

    Files are read again for their hashes, when the first format asks for them.
    """

    def __init__(self, qrels: str, measures: Sequence[Any], options: Mapping[str, Any]) -> None:
        self.qrels, self.measures, self.options = qrels, measures, options

    @cached_property
    def shared(self) -> dict[str, Any]:
        """Fields that all runs share."""
        return {
            "version": __version__,
            "qrels": {"name": shown_name(self.qrels), "sha256": hash_of(self.qrels)},
            "measures": list(map(str, self.measures)),
            **self.options,
            **self._probabilities(),
        }

    def _probabilities(self) -> dict[str, Any]:
        """The hash of a file of probabilities, named by the option `unjudged`."""
        from irbounds.rankings.unjudged.treatment import TREATMENTS

        unjudged = self.options.get("unjudged")
        if not isinstance(unjudged, str) or unjudged in TREATMENTS:
            return {}
        return {"unjudged_sha256": hash_of(unjudged)}

    def of_run(self, path: str) -> dict[str, Any]:
        """Fields of one run."""
        return {**self.shared, "sha256": hash_of(path)}
