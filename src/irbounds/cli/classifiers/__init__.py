"""Commands of classifiers."""
