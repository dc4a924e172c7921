"""Options and input files."""
