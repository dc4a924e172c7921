"""The warnings of irbounds, under one base class.

To silence all of them: ``warnings.simplefilter("ignore", irbounds.warnings.IrboundsWarning)``; to
turn them into errors: ``warnings.simplefilter("error", irbounds.warnings.IrboundsWarning)``.
"""

__all__ = [
    "AssistedWarning",
    "ExtrapolationWarning",
    "FewQueriesWarning",
    "FewUnitsWarning",
    "IrboundsWarning",
    "NoVarianceWarning",
    "OptionalStoppingWarning",
    "RunWarning",
    "SampleWarning",
    "UnclearGateWarning",
]


class IrboundsWarning(UserWarning):
    """Base class of all warnings of irbounds."""


class RunWarning(IrboundsWarning):
    """None of a run's documents is judged, all documents of each query have one score, judgments of
    subtopics have one alone or lack the grade of a measure, queries share their only relevant
    document and no groups are named, queries without documents are not written, labels have no
    positive, or repeats of a system move all its scores together."""


class SampleWarning(IrboundsWarning):
    """The prior has much weight in an interval, an interval excludes its own estimate, a sample
    contradicts the sizes of the segments, or looks at a review contradict each other."""


class OptionalStoppingWarning(IrboundsWarning):
    """An interval was computed again: its level holds for one look at a sample of fixed size."""


class ExtrapolationWarning(IrboundsWarning):
    """An extrapolation is unreliable: its point is far from the target recall, or its recall or
    precision is near 1."""


class AssistedWarning(IrboundsWarning):
    """Labels that do not look like a random sample, or that say little about some grades."""


class FewQueriesWarning(IrboundsWarning):
    """The bootstrap has fewer than 30 queries, there are fewer than 8 groups of queries, or nearly
    equal values leave an end of an interval to the limits."""


class FewUnitsWarning(IrboundsWarning):
    """With fewer than 40 units (queries, or groups of them) intervals of ranks may cover less than
    their level."""


class NoVarianceWarning(IrboundsWarning):
    """The values have no variance, so a test or an interval is undefined (nan)."""


class UnclearGateWarning(IrboundsWarning):
    """Queries, ties or labels do not say whether a run is worse."""
