"""HTML reports in one file without network access.

Needs the extra ``report`` (``pip install "irbounds[report]"``).
"""
