"""Pictures of what irbounds computes: each function draws on an Axes of Matplotlib and returns it.

Needs the extra ``plot`` (``pip install "irbounds[plot]"``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irbounds.plot.chance import hypergeometric_curve as hypergeometric_curve
    from irbounds.plot.coverage import closest_shares as closest_shares
    from irbounds.plot.coverage import coverage_boxes as coverage_boxes
    from irbounds.plot.coverage import coverage_gaps as coverage_gaps
    from irbounds.plot.curves import extrapolated_run as extrapolated_run
    from irbounds.plot.curves import reference_band as reference_band
    from irbounds.plot.curves import reference_curves as reference_curves
    from irbounds.plot.design import allocation_widths as allocation_widths
    from irbounds.plot.design import sample_widths as sample_widths
    from irbounds.plot.posteriors import recall_posterior as recall_posterior
    from irbounds.plot.posteriors import superiority as superiority
    from irbounds.plot.systems import differences as differences
    from irbounds.plot.systems import recall_precision_graph as recall_precision_graph
    from irbounds.plot.systems import tie_ranges as tie_ranges

_HOMES = {
    "chance": ["hypergeometric_curve"],
    "coverage": ["closest_shares", "coverage_boxes", "coverage_gaps"],
    "curves": ["extrapolated_run", "reference_band", "reference_curves"],
    "design": ["allocation_widths", "sample_widths"],
    "posteriors": ["recall_posterior", "superiority"],
    "systems": ["differences", "recall_precision_graph", "tie_ranges"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'irbounds.plot' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"irbounds.plot.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
