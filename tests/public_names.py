"""The public names of irbounds, at the top and in its modules."""

from types import ModuleType

import irbounds as irb

MODULES = {
    name: found for name in irb.__all__ if isinstance(found := getattr(irb, name), ModuleType)
}


def home_of():
    """Each public name but those of `plot` and `testing`, and where its documentation stands: the
    top, or else its module."""
    homes = {}
    for name, module in MODULES.items():
        if name not in {"plot", "testing"}:
            homes |= dict.fromkeys(module.__all__, f"irbounds.{name}")
    return homes | dict.fromkeys(set(irb.__all__) - {*MODULES, "__version__"}, "irbounds")
