"""Warnings about samples of labels."""

from __future__ import annotations

import warnings

import numpy as np

UNLIKELY = 1e-3  # the probability of a sample's grades, below which it was not drawn at random
NOTICEABLE = 0.1  # of the pairs: a random sample may miss a grade that few pairs have


class AssistedWarning(UserWarning):
    """Labels that do not look like a random sample, or that say little about some grades."""


def rate_probability(size: np.ndarray, sampled: np.ndarray) -> float:
    """The probability that a simple random sample is as unevenly spread over the grades, by
    chi-square for a finite population."""
    from scipy.stats import chi2

    total, n = size.sum(), sampled.sum()
    if size.size < 2 or n in (0, total):
        return 1.0
    expected = n * size / total
    statistic = ((sampled - expected) ** 2 / expected).sum() * (total - 1) / (total - n)
    return float(chi2.sf(statistic, size.size - 1))


def warn_of_sample(grade: np.ndarray, size: np.ndarray, sampled: np.ndarray) -> None:
    """Warn where all labels are of one grade, or where grades of many pairs have none."""
    n = int(sampled.sum())
    if (sampled > 0).sum() == 1 and size.size > 1 and sampled.max() < size[sampled > 0][0]:
        share = float(size[sampled > 0][0] / size.sum())
        if n >= 2 and share**n < UNLIKELY:
            warnings.warn(
                f"all {n} labels are of pairs with the judge's grade {grade[sampled > 0][0]:g}: "
                "they are no random sample of the pairs",
                AssistedWarning,
                stacklevel=3,
            )
            return
    bare = sampled == 0
    share = float(size[bare].sum() / size.sum())
    if share > NOTICEABLE:
        warnings.warn(
            f"no label of pairs with the judge's grade "
            f"{', '.join(f'{g:g}' for g in grade[bare])}, {share:.0%} of all: the prior alone "
            "speaks for them",
            AssistedWarning,
            stacklevel=3,
        )
