"""Commands that write reports."""
