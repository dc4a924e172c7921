"""Evaluation of search engines, classifiers and document reviews, with bounds.

The public names are listed in `__init__.pyi`.  Each is imported when it is first used; importing
the package itself loads NumPy alone.  Modules below `irbounds` are not public, except
`irbounds.plot`, `irbounds.adapters`, `irbounds.spark` and `irbounds.report`.
"""

from irbounds._lazy import public_names
from irbounds._version import __version__ as __version__

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
