"""Control samples and weighted samples."""
