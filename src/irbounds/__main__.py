"""``python -m irbounds``."""

from irbounds.cli import main

main()
