"""The calls of other libraries, answered with exact values under ties: change the import, keep the
code."""
