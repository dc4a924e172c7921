"""Files, data frames and arrays of runs and judgments."""
