"""The result of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.foundation.errors import InputError, check_choice, counted
from irbounds.foundation.read_only import EqualFields, ReadOnlyArrays
from irbounds.foundation.rounding import as_share
from irbounds.rankings.measure_table.aggregates import aggregate, check_aggregate
from irbounds.rankings.measure_table.measure import Measure, find_measure, ties_words

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval
    from irbounds.typing import FloatArray, GroupsLike, MeasureLike, RNGLike


@dataclass(frozen=True, eq=False)
class Evaluation(EqualFields, ReadOnlyArrays):
    """Values of measures for queries.

    Attributes
    ----------
    measures : tuple of Measure
        The columns.  A `Measure` is a str, its name as ir_measures writes it.  Plain strings are
        converted; the names may be your own.
    query_ids : tuple
        Names of the rows, in the order of the judgments.
    values : ndarray, shape (queries, measures)
        The value by the chosen tie rule.
    low, high : ndarray of that shape, or None
        The least and the greatest value over all orders of tied documents (with ``bounds=True``).
    ties : str
        The tie rule.
    missing_queries, unjudged_queries : tuple
        Judged queries that the run lacks; queries of the run without judgments, which are left out.
    unjudged_low, unjudged_high : ndarray of that shape, or None
        With ``unjudged="bounds"``: the least and the greatest value over all labels that unjudged
        documents could have, at the tie rule; with ``bounds=True`` as well over all labels and all
        orders of tied documents.
    judged : ndarray of that shape, or None
        Beside them the share of judged documents down to each measure's cut-off.
    cautions : tuple of str
        The lines of the `RunWarning`.
    no_relevant_queries : tuple
        Queries without a document that is relevant by each of the measures: rows whose value is 0,
        or with ``no_relevant="skip"`` queries that were left out.
    """

    measures: tuple[Any, ...]
    query_ids: tuple[Any, ...]
    values: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    ties: str = "expected"
    missing_queries: tuple[Any, ...] = ()
    unjudged_queries: tuple[Any, ...] = ()
    unjudged_low: np.ndarray | None = None
    unjudged_high: np.ndarray | None = None
    judged: np.ndarray | None = None
    cautions: tuple[str, ...] = ()
    no_relevant_queries: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", tuple(map(Measure.of, self.measures)))
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and value.flags.writeable:  # it stays the caller's
                object.__setattr__(self, name, value.copy())
        super().__post_init__()

    @cached_property
    def mean(self) -> dict[str, float]:
        """The arithmetic mean of each measure over the queries; nan if there is none.

        It is the double nearest to the exact mean, whatever the order of the queries.
        """
        return self._means(self.values)

    @cached_property
    def mean_bounds(self) -> dict[str, tuple[float, float]]:
        """The smallest and the largest mean over all orders of tied documents.

        Ties of queries are broken independently: these are the means of `low` and of `high`.
        """
        return self._pairs(self._means, *self._low_and_high())

    @cached_property
    def mean_unjudged_bounds(self) -> dict[str, tuple[float, float]]:
        """The least and the greatest mean over all labels of unjudged documents.

        Labels of queries are independent: these are the means of `unjudged_low` and
        `unjudged_high`.
        """
        return self._pairs(self._means, *self._over_labels())

    @cached_property
    def summary_unjudged_bounds(self) -> dict[str, tuple[float, float]]:
        """The least and the greatest `summary` over all labels of unjudged documents."""
        return self._pairs(self._summary, *self._over_labels())

    @cached_property
    def judged_means(self) -> dict[str, float]:
        """The mean share of judged documents down to each measure's cut-off."""
        if self.judged is None:
            raise ValueError(
                "the evaluation does not say which documents are judged: evaluate with "
                "unjudged='bounds'"
            )
        return self._means(self.judged)

    def _over_labels(self) -> tuple[np.ndarray, np.ndarray]:
        if self.unjudged_low is None or self.unjudged_high is None:
            raise ValueError("there are no bounds over labels: evaluate with unjudged='bounds'")
        return self.unjudged_low, self.unjudged_high

    @cached_property
    def summary(self) -> dict[str, float]:
        """One number for each measure as in trec_eval and ir_measures: counts are summed, other
        measures averaged, unless `define_measure` says otherwise."""
        return self._summary(self.values)

    @cached_property
    def summary_bounds(self) -> dict[str, tuple[float, float]]:
        """The smallest and the largest `summary` over all orders of tied documents."""
        return self._pairs(self._summary, *self._low_and_high())

    def aggregated(self, how: str) -> dict[str, float]:
        """Each measure over all queries in another way.

        Parameters
        ----------
        how : {"mean", "sum", "geometric mean", "median"}
            The geometric mean is that of values raised to 0.00001 at least, as in trec_eval.
        """
        how = check_aggregate("how", how)
        return {
            str(measure): aggregate(how, self.values[:, column])
            for column, measure in enumerate(self.measures)
        }

    def _means(self, values: np.ndarray) -> dict[str, float]:
        return dict(zip(map(str, self.measures), column_means(values).tolist(), strict=True))

    def _summary(self, values: np.ndarray) -> dict[str, float]:
        return {
            str(measure): aggregate(measure.spec.aggregate, values[:, column])
            for column, measure in enumerate(self.measures)
        }

    @staticmethod
    def _pairs(
        of: Callable[[FloatArray], dict[str, float]], low: FloatArray, high: FloatArray
    ) -> dict[str, tuple[float, float]]:
        least, greatest = of(low), of(high)
        return {name: (least[name], greatest[name]) for name in least}

    def _low_and_high(self) -> tuple[np.ndarray, np.ndarray]:
        if self.low is None or self.high is None:
            raise ValueError("there are no bounds: evaluate with bounds=True")
        return self.low, self.high

    def column(self, measure: MeasureLike) -> int:
        """The index of a measure's column, for any spelling of its name."""
        return find_measure(measure, self.measures, "evaluated")

    def __getitem__(self, measure: MeasureLike) -> np.ndarray:
        """Values of one measure, one for each query."""
        return self.values[:, self.column(measure)]

    def __contains__(self, measure: object) -> bool:
        """Whether a measure was evaluated, for any spelling of its name."""
        try:
            self.column(measure)
        except (KeyError, InputError):
            return False
        return True

    def __iter__(self) -> Iterator[Measure]:
        """The measures; ``dict(evaluation)`` has their values."""
        return iter(self.measures)

    def keys(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.measures

    def bounds(self, measure: MeasureLike) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest values of one measure, one for each query."""
        low, high = self._low_and_high()
        column = self.column(measure)
        return low[:, column], high[:, column]

    def interval(
        self,
        measure: MeasureLike,
        method: str | None = None,
        confidence_level: float = 0.95,
        side: str = "two-sided",
        rng: RNGLike = 0,
        *,
        statistic: str | None = None,
        limits: tuple[float, float] | None = None,
        resamples: int = 9999,
        groups: GroupsLike | None = None,
    ) -> Interval:
        """An interval of the mean over queries like these, from these as a sample.

        It bounds the mean over other queries of the same kind; `mean_bounds` is the range over the
        orders of tied documents of these queries.

        Parameters
        ----------
        measure : str or ir_measures object
        method, confidence_level, side, resamples, rng
            As in `mean_interval`: by default "t", or "widened-t" where the values are skewed or so
            alike that a sample of this size may lack rare others, and "jeffreys" for geometric
            means.
        statistic : {"mean", "geometric-mean", "median"}, optional
            The mean, if not given; the geometric mean for measures that are aggregated so.
        limits : pair of float, optional
            The least and the greatest value that the measure can take, by default 0 and 1 for those
            that are shares or chances.

        Returns
        -------
        Interval

        Examples
        --------
        >>> import numpy as np
        >>> import irbounds as irb
        >>> values = np.array([[0.2], [0.6], [0.4]])
        >>> ev = irb.Evaluation(("AP",), ("q1", "q2", "q3"), values)
        >>> ev.interval("AP", confidence_level=0.9)
        Interval(0.4 in [0.139696, 0.737171], 0.9 two-sided, widened-t)
        """
        from irbounds.rankings.data.uncertainty import interval_of
        from irbounds.rankings.reading.groups import group_labels

        column = self.column(measure)
        options = {
            "method": method,
            "confidence_level": confidence_level,
            "side": side,
            "statistic": statistic,
            "limits": limits,
            "resamples": resamples,
            "rng": rng,
            "groups": group_labels(groups, self.query_ids),
        }
        return interval_of(
            self.measures[column], self.values[:, column], self.query_ids, options, stacklevel=2
        )

    def to_dict(self) -> dict[Any, dict[str, float]]:
        """``{query_id: {measure: value}}``; with bounds also ``measure.low`` and
        ``measure.high``, with those over labels ``measure.unjudged_low``, ``measure.unjudged_high``
        and ``measure.judged``."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True) if columns else ()
        return {
            query: dict(zip(columns, (float(x) for x in row), strict=True))
            for query, row in zip(self.query_ids, rows, strict=True)
        }

    def to_metrics(self, confidence_level: float | None = None) -> dict[str, float]:
        """``{"nDCG_at_10": 0.71, …}``: names that MLflow and Weights & Biases take.

        In a name "@" is "_at_", and "_" stands for what is no letter and no digit.  With a
        confidence level there are also the ends of each interval, as ``nDCG_at_10_interval_low``;
        with bounds those over orders of ties, as ``nDCG_at_10_ties_low``.

        Parameters
        ----------
        confidence_level : float, optional

        Examples
        --------
        >>> import irbounds as irb
        >>> ev = irb.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 2.0}}, "AP P(rel=2)@10")
        >>> ev.to_metrics()
        {'AP': 1.0, 'P_rel_2_at_10': 0.0}
        """
        from irbounds.rankings.data.uncertainty import metrics_of

        return metrics_of(self, confidence_level)

    def to_frame(
        self, backend: str = "pandas", rows: str = "queries", confidence_level: float = 0.95
    ) -> Any:
        """A data frame with a row for each query: query_id, a column for each measure, with bounds
        also its .low and .high.  With rows="measures" a row for each measure instead: measure,
        value (`summary`), with bounds also low and high (`summary_bounds`), with bounds over labels
        unjudged_low, unjudged_high and judged, and interval_low, interval_high and interval_method
        (`interval`, of this level; nan and "" where there is none, as for totals).

        `backend` is "pandas", "polars" or "pyarrow".  Needs narwhals (``pip install
        "irbounds[frames]"``).
        """
        from irbounds.foundation.frames import make_frame

        if check_choice("rows", rows, ("queries", "measures")) == "measures":
            from irbounds.rankings.data.uncertainty import columns_of_measures

            return make_frame(columns_of_measures(self, confidence_level), backend)
        return make_frame({"query_id": list(self.query_ids), **self.columns()}, backend)

    def columns(self) -> dict[str, np.ndarray]:
        """``{measure: values}``; with bounds also ``measure.low`` and ``measure.high``."""
        columns = {}
        for i, name in enumerate(map(str, self.measures)):
            columns[name] = self.values[:, i].copy()
            for what in ("low", "high", "unjudged_low", "unjudged_high", "judged"):
                if (array := getattr(self, what)) is not None:
                    columns[f"{name}.{what}"] = array[:, i].copy()
        return columns

    def __repr__(self) -> str:
        width = max(map(len, self.measures), default=0)
        lines = [self._headline()]
        for name, value in self.summary.items():
            line = f"  {name:<{width}}  {value:.4f}"
            if self.low is not None:
                low, high = self.summary_bounds[name]
                line += f"  in [{low:.4f}, {high:.4f}]"
            if self.unjudged_low is not None:
                low, high = self.summary_unjudged_bounds[name]
                share = self.judged_means[name]
                line += f"  unjudged in [{low:.4f}, {high:.4f}], {as_share(share)} judged"
            lines.append(line)
        return "\n".join(lines + [f"  {note}" for note in self._notes()])

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        from irbounds.foundation.writing import as_html, html_lines

        header, rows = ["measure", "value"], []
        header += ["low", "high"] if self.low is not None else []
        header += ["unjudged low", "unjudged high", "judged"] if self.judged is not None else []
        for name, value in self.summary.items():
            cells = [value]
            if self.low is not None:
                cells += self.summary_bounds[name]
            if self.judged is not None:
                cells += [*self.summary_unjudged_bounds[name], self.judged_means[name]]
            rows.append([name, *(f"{cell:.4f}" for cell in cells)])
        return html_lines([self._headline()]) + as_html(header, rows) + html_lines(self._notes())

    def _headline(self) -> str:
        counts = counted(len(self.query_ids), "query", "queries")
        return f"Evaluation of {counts}{ties_words(self.ties, self.measures)}"

    def _notes(self) -> list[str]:
        return [
            f"{counted(len(queries), 'query', 'queries')} {what}"
            for what, queries in (
                ("judged but missing from the run", self.missing_queries),
                ("in the run but not judged", self.unjudged_queries),
            )
            if queries
        ] + words_of_barren(self.no_relevant_queries, self.query_ids)


def words_of_barren(barren: tuple[Any, ...], evaluated: tuple[Any, ...]) -> list[str]:
    """A line that counts the queries without a relevant document, if there are some."""
    if not barren:
        return []
    fate = "counted as 0" if barren[0] in evaluated else "left out"
    return [f"{counted(len(barren), 'query', 'queries')} without a relevant document, {fate}"]
