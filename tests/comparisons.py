"""Comparisons of runs with given values."""

import warnings

import numpy as np

import irbounds as irb

SEED = 7
# of Wilcoxon's test in SciPy before 1.13
OLD_WARNING = "ignore:(Exact p-value|Sample size too small)"


def evaluations(values, measures=("AP",), names=None, low=None, high=None):
    """Evaluations of these values, (runs, queries) or (runs, queries, measures)."""
    values = np.asarray(values, float)
    values = values[..., None] if values.ndim == 2 else values
    queries = tuple(f"q{i}" for i in range(values.shape[1]))
    names = names or [f"run {i}" for i in range(len(values))]
    return {
        name: irb.Evaluation(tuple(measures), queries, own.copy(), low, high)
        for name, own in zip(names, values, strict=True)
    }


def compared(values, measures=("AP",), **options):
    """Compare runs with these values, without the warnings of few queries and of no variance."""
    with warnings.catch_warnings():
        for kind in (irb.warnings.FewQueriesWarning, irb.warnings.NoVarianceWarning):
            warnings.simplefilter("ignore", kind)
        return irb.comparison.compare_evaluations(evaluations(values, measures), **options)


def of_differences(differences, **options):
    """The one difference of a run that is better by these than another, all of whose values are
    0."""
    values = np.array([np.zeros(len(differences)), differences])
    return irb.comparison.compare_evaluations(
        evaluations(values), **{"rng": SEED, **options}
    ).between("run 1", "run 0")
