"""Ranks of systems: which can be told apart, and how likely each is the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.comparison.ranks.rank_sets import CORRECTIONS, rank_sets
from irbounds.comparison.significance.corrections import alpha_of
from irbounds.comparison.significance.rank_draws import DRAW_METHODS, draw_ranks
from irbounds.comparison.significance.warnings import caution_of_few_units
from irbounds.foundation.arguments import check_level, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count, counted, fail
from irbounds.foundation.read_only import ReadOnlyArrays
from irbounds.foundation.rounding import as_decimals
from irbounds.foundation.writing import InNotebooks, as_csv, as_fitting_table, as_json, wrapped
from irbounds.queries.groups import Units

if TYPE_CHECKING:
    from irbounds.typing import RNGLike

AVERAGES = ("mean", "borda")
MOST_BEATEN = 4000  # systems: every pair of them in every draw takes time and memory
COLUMNS = (
    "system",
    "mean",
    "rank",
    "low",
    "high",
    "single_low",
    "single_high",
    "expected_rank",
    "draws_low",
    "draws_high",
    "p_best",
    "tier",
)


@dataclass(frozen=True, eq=False)
class Ranks(ReadOnlyArrays, InNotebooks):
    """Ranks of systems, and their bounds.  Arrays are in the order of `systems`, the best first.

    Attributes
    ----------
    systems : tuple of str
        By their means, the best first.
    mean : ndarray
        Means of the scores; with ``average="borda"`` of the share of the other systems that a
        system beats on a unit, equal ones counted half.
    rank : ndarray of int
        By the mean; equal means share the best of their ranks.
    low, high : ndarray of int
        Simultaneous intervals: they contain all true ranks with a probability of
        `confidence_level`.
    single_low, single_high : ndarray of int
        Intervals for one system at a time.
    expected_rank : ndarray
        The mean rank in the draws.
    draws_low, draws_high : ndarray of int
        Quantiles of the rank in the draws.
    p_best : ndarray
        The share of the draws in which a system is best.
    p_beats : ndarray, shape (systems, systems), or None
        The share of the draws in which the first is better than the second; equal ones count half.
        None if it was not wanted.
    tiers : tuple of tuple of str
        Groups whose best system is not told apart from the others in it.
    correction : str or None
        Correction that limits the chance of any false claim about pairs, over all pairs for `low`
        and `high`, over the pairs of one system for `single_low` and `single_high`.
    confidence_level : float
    method, average : str
    draws : int
    n_units, n_groups : int
        Queries (or whatever was scored), and the groups that they are of.
    """

    systems: tuple[str, ...]
    mean: np.ndarray
    rank: np.ndarray
    low: np.ndarray
    high: np.ndarray
    single_low: np.ndarray
    single_high: np.ndarray
    expected_rank: np.ndarray
    draws_low: np.ndarray
    draws_high: np.ndarray
    p_best: np.ndarray
    p_beats: np.ndarray | None
    tiers: tuple[tuple[str, ...], ...]
    correction: str | None
    confidence_level: float
    method: str
    average: str
    draws: int
    n_units: int
    n_groups: int
    _singular: str
    _plural: str

    def __getitem__(self, system: str) -> dict[str, Any]:
        """One system's numbers by name; `p_beats` by the other's name, if it is there."""
        if system not in self.systems:
            raise KeyError(f"{system!r} was not ranked; there are {', '.join(self.systems)}")
        place = self.systems.index(system)
        row = self.rows()[place]
        if self.p_beats is not None:
            row["p_beats"] = dict(zip(self.systems, self.p_beats[place].tolist(), strict=True))
            del row["p_beats"][system]
        return row

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each system, the best first."""
        tier_of = {name: number for number, tier in enumerate(self.tiers, 1) for name in tier}
        columns = [getattr(self, name).tolist() for name in COLUMNS[1:-1]]
        return [
            dict(zip(COLUMNS, [name, *cells, tier_of[name]], strict=True))
            for name, *cells in zip(self.systems, *columns, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The settings, a row for each system, and `p_beats` as a list of lists."""
        settings = ("correction", "confidence_level", "method", "average", "draws")
        return {
            **{name: getattr(self, name) for name in (*settings, "n_units", "n_groups")},
            "tiers": [list(tier) for tier in self.tiers],
            "systems": self.rows(),
            "p_beats": None if self.p_beats is None else self.p_beats.tolist(),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """A frame with a row for each system; `backend` is "pandas", "polars" or "pyarrow"."""
        from irbounds.foundation.frames import make_frame

        rows = self.rows()
        return make_frame({name: [row[name] for row in rows] for name in COLUMNS}, backend)

    def to_csv(self) -> str:
        """A line for each system."""
        return as_csv(list(COLUMNS), [list(row.values()) for row in self.rows()])

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return as_json(self.to_dict())

    def to_text(self, width: int | None = None) -> str:
        """A text table and notes on its columns, at most `width` characters wide if that is
        given."""
        table = as_fitting_table(*self._table(), width=width)
        units = counted(self.n_units, self._singular, self._plural)
        if self.n_groups < self.n_units:
            units += f" in {counted(self.n_groups, 'group', 'groups')}"
        return table + "".join(
            wrapped(line, width)
            for line in (
                f"ranks: {'simultaneous ' if self.correction else ''}"
                f"{100 * self.confidence_level:g} % intervals, paired t, "
                f"correction {self.correction or 'none: each pair alone'}; {units}",
                "individual: the same for one system at a time",
                f"P(best): {self.method}, {self.draws:,} draws, over {self._plural} like these",
            )
        )

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                row["system"],
                as_decimals(row["mean"]),
                _span(row["low"], row["high"]),
                _span(row["single_low"], row["single_high"]),
                _chance(row["p_best"]),
                str(row["tier"]),
            ]
            for row in self.rows()
        ]
        return ["system", "mean", "ranks", "individual", "P(best)", "tier"], rows

    def __repr__(self) -> str:
        return self.to_text().strip("\n")


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}-{high}"


def _chance(share: float) -> str:
    """Three decimals; what is not sure does not read as if it were."""
    if 0.9995 <= share < 1:
        return ">0.999"
    return "<0.001" if 0 < share < 0.0005 else f"{share:.3f}"


def check_rank_options(
    method: str, correction: str | None, average: str, level: float, draws: int
) -> None:
    """Refuse what is not known."""
    check_choice("method", method, DRAW_METHODS)
    check_choice("average", average, AVERAGES)
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS)
    check_level(level)
    if check_count("draws", draws, 100) >= 2**31:
        fail("draws", "must be below 2^31", draws)


def rank_systems(
    names: tuple[str, ...],
    units: Units,
    method: str,
    correction: str | None,
    average: str,
    level: float,
    draws: int,
    rng: RNGLike,
    has_beats: bool = True,
    sign: int = 1,
    stacklevel: int = 1,
) -> Ranks:
    """Rank systems by values where higher is better; the means that are shown are `sign` times
    these."""
    check_rank_options(method, correction, average, level, draws)
    if len(names) < 2:
        fail("systems", "must be two or more", len(names))
    if has_beats and len(names) > MOST_BEATEN:
        raise InputError(
            f"`p_beats` of {len(names)} systems would have {len(names) ** 2} numbers: pass "
            f"p_beats=False with more than {MOST_BEATEN}"
        )
    caution_of_few_units(units, correction, stacklevel + 1)
    shown = units.means()
    if average == "borda":
        units = units._replace(values=_shares_beaten(units.values))
        shown = units.means()
    order = np.argsort(-shown, kind="stable")
    # Best first from here on, as tiers are formed.
    units = units._replace(values=np.ascontiguousarray(units.values[:, order]))
    means = shown[order]
    # One more than the number of better means: equal means share a rank.
    place = 1 + np.searchsorted(-means, -means)
    if average == "mean":
        # Shares of systems beaten have no sign.
        means = sign * means + 0.0  # where 0 is the negative of 0, this is 0
    generator = check_rng(rng)
    tail = (1 - level) / 2
    drawn = draw_ranks(units, method, int(draws), generator, tail, has_beats)
    sets = rank_sets(units, correction, alpha_of(level), generator)
    sorted_names = tuple(names[i] for i in order.tolist())
    ends = (*sets.starts[1:], len(names))
    return Ranks(
        systems=sorted_names,
        mean=means,
        rank=place,
        low=sets.low,
        high=sets.high,
        single_low=sets.single_low,
        single_high=sets.single_high,
        expected_rank=drawn.expected,
        draws_low=drawn.low,
        draws_high=drawn.high,
        p_best=drawn.best,
        p_beats=drawn.beats,
        tiers=tuple(sorted_names[i:j] for i, j in zip(sets.starts, ends, strict=True)),
        correction=correction,
        confidence_level=float(level),
        method=method,
        average=average,
        draws=int(draws),
        n_units=len(units.values),
        n_groups=len(units.weights),
        _singular=units.singular,
        _plural=units.plural,
    )


def _shares_beaten(values: np.ndarray) -> np.ndarray:
    """On each unit the share of the other systems that a system is better than; equal ones count
    half."""
    systems = values.shape[1]
    result = np.empty(values.shape)
    for i in range(systems):
        own = values[:, i : i + 1]
        result[:, i] = (own > values).sum(axis=1) + ((own == values).sum(axis=1) - 1) / 2
    return result / (systems - 1)
