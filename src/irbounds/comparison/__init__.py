"""Systems compared on the same queries: paired tests, corrections, intervals, and what ties could
change."""
