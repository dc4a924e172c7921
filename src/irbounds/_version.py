"""The version of irbounds."""

__version__ = "0.1.0"
