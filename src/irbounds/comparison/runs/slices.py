"""Differences within slices of the queries, and whether they differ between slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from irbounds.comparison.data.alignment import Aligned
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.runs.pairwise import Settings, columns_of_pairs, pairs_of, take_differences
from irbounds.comparison.significance.corrections import adjust_with_unknown, alpha_of
from irbounds.foundation.errors import InputError, counted, fail, shown
from irbounds.foundation.rounding import as_decimals, as_high_end, as_low_end
from irbounds.foundation.writing import as_fitting_table, wrapped
from irbounds.queries.groups import Groups

# Permutations of the labels: 9,999 of up to 4,000 queries take half a second for each pair.
MOST_PERMUTATIONS, LEAST_PERMUTATIONS, MOST_CELLS = 9999, 999, 40_000_000
# Slices of fewer queries do not show their variance: with 3 queries of three times the others'
# deviation the test erred in 0.18 at 0.05, with 8 in 0.07.
LEAST_SLICE = 5
EQUAL = 1e-9  # relative: statistics that are equal but for rounding
COLUMNS = (
    *("measure", "run", "against", "slice", "n_queries", "mean", "against_mean", "difference"),
    *("low", "high", "p_value", "adjusted_p_value", "is_significant"),
)


@dataclass(frozen=True)
class Interaction:
    """The test of one difference: whether it is the same in all slices.

    Attributes
    ----------
    measure, run, against : str
    p_value, adjusted_p_value : float
        By permutations of the slices' labels among the queries; adjusted by Holm over all tests.
        Slices of fewer than 5 queries do not take part; nan where fewer than two do, and where
        groups of queries are in several slices.
    """

    measure: str
    run: str
    against: str
    p_value: float
    adjusted_p_value: float


@dataclass(frozen=True)
class Slices:
    """The differences of a comparison within slices of its queries.

    Attributes
    ----------
    sizes : dict
        The number of queries of each slice.
    differences : dict of tuple of Difference
        By slice; adjusted p-values by Holm over all slices and pairs, by each measure or over all
        as the comparison's family is.
    interactions : tuple of Interaction
    n_groups : dict or None
        The number of groups in each slice, if queries have groups.
    untested : str or None
        Why the tests of `interactions` have no p-values.
    """

    sizes: dict[str, int]
    differences: dict[str, tuple[Difference, ...]]
    interactions: tuple[Interaction, ...]
    n_groups: dict[str, int] | None = None
    untested: str | None = None

    @property
    def _columns(self) -> list[str]:
        place = COLUMNS.index("n_queries") + 1
        return [*COLUMNS[:place], *["n_groups"] * bool(self.n_groups), *COLUMNS[place:]]

    def rows(self) -> Iterator[dict[str, Any]]:
        """A dict for each difference and slice; with groups also their number."""
        for label, own in self.differences.items():
            found = {"slice": label, "n_queries": self.sizes[label]}
            if self.n_groups:
                found["n_groups"] = self.n_groups[label]
            for one in own:
                yield {
                    name: found[name] if name in found else getattr(one, name)
                    for name in self._columns
                }

    def to_dict(self) -> dict[str, Any]:
        """The differences by slice, and the tests of whether they differ."""
        return {
            "differences": list(self.rows()),
            "interactions": [asdict(one) for one in self.interactions],
            **({"untested": self.untested} if self.untested else {}),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of `rows`; `backend` is "pandas", "polars" or "pyarrow"."""
        from irbounds.foundation.frames import make_frame

        rows = list(self.rows())
        return make_frame({name: [row[name] for row in rows] for name in self._columns}, backend)

    def to_text(self, width: int | None = None) -> str:
        """A table of the slices for each pair and measure."""
        parts = []
        for test in self.interactions:
            rows = []
            for label, own in self.differences.items():
                one = next(
                    each
                    for each in own
                    if (each.measure, each.run, each.against)
                    == (test.measure, test.run, test.against)
                )
                rows.append(
                    [
                        label,
                        f"{self.sizes[label]}",
                        *([f"{self.n_groups[label]}"] if self.n_groups else []),
                        f"{one.difference:+.4f}",
                        f"[{as_low_end(one.low)}, {as_high_end(one.high)}]",
                        as_decimals(one.p_value),
                        as_decimals(one.adjusted_p_value) + "*" * one.is_significant,
                    ]
                )
            units = ["queries", *["groups"] * bool(self.n_groups)]
            header = ["slice", *units, "difference", "interval", "p", "adjusted"]
            table = as_fitting_table(header, rows, 1, width)
            title = f"{test.measure}, {test.run} − {test.against}, by slice"
            said = "test that the difference is the same in all slices: "
            if self.untested:
                said += f"none, as {self.untested}"
            else:
                said += f"p {as_decimals(test.p_value)}"
                if len(self.interactions) > 1:
                    said += f", adjusted {as_decimals(test.adjusted_p_value)}"
            parts.append(wrapped(title, width) + table + wrapped(said, width, "  "))
        return "\n".join(parts)

    def __repr__(self) -> str:
        return self.to_text().rstrip("\n")


def slices_of(
    values: Aligned, by: Mapping[Any, Any], baseline: str | None, settings: Settings
) -> Slices:
    """The differences of each slice, and the tests of whether they differ.

    `by` has the label of each query.  Tests are those of `settings`, without its correction.
    """
    labels = _labels(values.query_ids, by)
    names, place = np.unique(np.array(labels), return_inverse=True)
    if len(names) < 2:
        fail("by", "must have two slices or more", names.tolist())
    own = settings._replace(correction=None)
    differences, n_groups = {}, {}
    for number, name in enumerate(names.tolist()):
        rows = np.flatnonzero(place == number)
        part = values._replace(
            query_ids=tuple(values.query_ids[row] for row in rows.tolist()),
            chosen=values.chosen[:, rows],
            low=None if values.low is None else values.low[:, rows],
            high=None if values.high is None else values.high[:, rows],
            groups=None
            if values.groups is None
            else Groups.of(values.groups.codes[rows].tolist(), len(rows)),
        )
        differences[name] = take_differences(part, baseline, own)
        n_groups[name] = len(rows) if part.groups is None else len(part.groups)
    sizes = dict(zip(names.tolist(), np.bincount(place).tolist(), strict=True))
    adjusted = _adjusted(differences, settings)
    tests, untested = _interactions(values, place, baseline, settings)
    return Slices(sizes, adjusted, tests, None if values.groups is None else n_groups, untested)


def _labels(query_ids: tuple[Any, ...], by: Mapping[Any, Any]) -> list[str]:
    if not isinstance(by, Mapping):
        fail("by", "must be a dict of labels by query", by)
    missing = [query for query in query_ids if query not in by]
    if missing:
        raise InputError(
            f"`by` must have a label for each query; "
            f"{counted(len(missing), 'query has', 'queries have')} none, {shown(missing[0])} first"
        )
    return [str(by[query]) for query in query_ids]


def _adjusted(
    differences: dict[str, tuple[Difference, ...]], settings: Settings
) -> dict[str, tuple[Difference, ...]]:
    """The same with p-values adjusted by Holm over slices."""
    alpha = alpha_of(settings.confidence_level)
    listed = [(label, one) for label, own in differences.items() for one in own]
    families: dict[str, list[int]] = {}
    for number, (_, one) in enumerate(listed):
        families.setdefault("" if settings.family == "all" else one.measure, []).append(number)
    found: dict[str, list[Difference]] = {label: [] for label in differences}
    adjusted = np.empty(len(listed))
    for rows in families.values():
        p_values = np.array([listed[row][1].p_value for row in rows])
        adjusted[rows] = adjust_with_unknown(p_values, "holm")
    for (label, one), p_value in zip(listed, adjusted.tolist(), strict=True):
        found[label].append(
            replace(one, adjusted_p_value=p_value, is_significant=bool(p_value < alpha))
        )
    return {label: tuple(own) for label, own in found.items()}


def _interactions(
    values: Aligned, place: np.ndarray, baseline: str | None, settings: Settings
) -> tuple[tuple[Interaction, ...], str | None]:
    """The tests, and why they have no p-values."""
    pairs, untested = pairs_of(values.runs, baseline), None
    columns = columns_of_pairs(values, pairs)
    if values.groups is not None:
        columns, place = _of_groups(columns, place, values.groups)
        if np.isnan(columns).all():
            untested = "groups of queries are in several slices: labels cannot be permuted"
    if (np.bincount(place) >= LEAST_SLICE).sum() < 2:
        units = "queries" if values.groups is None else "groups"
        untested = untested or f"fewer than two slices have {LEAST_SLICE} {units}"
    p_values = interaction_p_values(columns, place, settings.seed)
    adjusted = adjust_with_unknown(p_values, "holm")
    tests = tuple(
        Interaction(
            str(values.measures[number // len(pairs)]),
            values.runs[pairs[number % len(pairs)][0]],
            values.runs[pairs[number % len(pairs)][1]],
            float(p_value),
            float(adjusted[number]),
        )
        for number, p_value in enumerate(p_values)
    )
    return tests, untested


def _of_groups(
    columns: np.ndarray, place: np.ndarray, groups: Groups
) -> tuple[np.ndarray, np.ndarray]:
    """The means of groups and the slices of these, which are then the sample; none of groups that
    are in several slices, whose labels cannot change places."""
    first = np.full(len(groups.sizes), -1)
    first[groups.codes] = place
    if (first[groups.codes] != place).any():
        return np.full((len(columns), 1), np.nan), np.zeros(1, np.int64)
    sums = np.zeros((len(groups.sizes), len(columns)))
    np.add.at(sums, groups.codes, columns.T)
    return sums.T / groups.sizes, first


def interaction_p_values(columns: np.ndarray, place: np.ndarray, seed: int) -> np.ndarray:
    """p-values of the hypothesis that a row of differences, of shape (rows, queries), has one mean
    in all slices: by permutations of the labels, exact where the slices have one law.

    The statistic is Welch's, the sum of (mean_k - mean)^2 n_k / v_k with weights n_k / v_k, so that
    it holds for many queries where the slices' variances differ (Janssen 1997; Chung & Romano
    2013).  v_k = ((n_k - 1) s_k^2 + s^2) / n_k takes one query's worth of the variance of all, so
    that no slice has a variance of 0.  Slices of fewer than 5 queries are left out; nan if fewer
    than two are left, or a difference is infinite.
    """
    if not np.isfinite(columns).all():
        return np.full(len(columns), np.nan)
    kept = np.bincount(place)[place] >= LEAST_SLICE
    columns, place = columns[:, kept], np.unique(place[kept], return_inverse=True)[1]
    if not kept.any() or place.max() < 1:
        return np.full(len(columns), np.nan)
    n = columns.shape[1]
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    sizes = np.bincount(place)
    centred = columns - columns.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1)
    varies = variance > 0
    p_values = np.ones(len(columns))
    if not varies.any():
        return p_values
    scaled = centred[varies] / np.sqrt(variance[varies, None])

    def statistic(rows: np.ndarray) -> np.ndarray:
        means = np.add.reduceat(rows, starts, axis=1) / sizes
        squares = np.add.reduceat(rows * rows, starts, axis=1) / sizes - means**2
        weights = sizes / (np.maximum(squares, 0.0) + 1.0 / sizes)
        middle = (weights * means).sum(axis=1) / weights.sum(axis=1)
        return (weights * (means - middle[:, None]) ** 2).sum(axis=1)

    found = statistic(scaled[:, order])
    n_drawn = int(min(MOST_PERMUTATIONS, max(LEAST_PERMUTATIONS, MOST_CELLS // n)))
    rng = np.random.default_rng(seed)
    as_large = np.ones(len(found))  # the labels as they are are one of the permutations
    for _ in range(n_drawn):
        as_large += statistic(scaled[:, rng.permutation(n)]) >= found * (1 - EQUAL)
    p_values[varies] = as_large / (n_drawn + 1)
    return p_values
