"""Pages for people: one self-contained HTML file each, which asks the network for nothing.

Needs the extra ``report`` (``pip install "irbounds[report]"``).
"""
