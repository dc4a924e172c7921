"""Evaluation of search engines, classifiers and document reviews, with bounds.

`__init__.pyi` lists the names at the top and the public modules (`irbounds.samples`,
`irbounds.planning`, …), whose own stubs list theirs.  `irbounds.adapters`, `irbounds.spark`,
`irbounds.report` and `irbounds.typing` are public, too.  Each name is imported when it is first
used.  Modules deeper than these are not public.
"""

from irbounds._lazy import public_names
from irbounds._version import __version__ as __version__

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
