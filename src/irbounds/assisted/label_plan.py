"""The pairs that people should label, as `allocate_labels` draws them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irbounds.assisted.labels import Pair, is_unfilled
from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError, counted
from irbounds.foundation.paths import is_path, shown_name
from irbounds.foundation.writing import InNotebooks, as_csv

if TYPE_CHECKING:
    from irbounds.typing import PathLike


@dataclass(frozen=True)
class LabelStratum:
    """A grade of the judge: pairs that count, those labelled before, and those to be labelled.

    With several judges `grade` is the lowest mean mid-rank of the stratum; with scores it is the
    lowest score.
    """

    grade: float
    size: int
    labelled: int
    drawn: int


@dataclass(frozen=True)
class LabelPlan(InNotebooks):
    """Pairs that people should label, in random order.

    Attributes
    ----------
    pairs : tuple of (query_id, doc_id)
    grades : tuple of float
        The judge's, or, of several judges or of scores, those that name the strata.  Do not show
        them to the people who label.
    strata : tuple of LabelStratum
    half_width : float
        About half the width of a 95 % interval on the measure (the widest, of several runs) with
        these labels, if relevance follows the judge's grades as was assumed.
    """

    pairs: tuple[Pair, ...]
    grades: tuple[float, ...]
    strata: tuple[LabelStratum, ...]
    half_width: float

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return {
            "pairs": [list(pair) for pair in self.pairs],
            "grades": list(self.grades),
            "strata": [dict(vars(stratum)) for stratum in self.strata],
            "half_width": self.half_width,
        }

    def write(self, path: PathLike, show_grades: bool = False) -> None:
        """A table to fill in: query_id, doc_id and an empty relevance, separated by commas.  The
        judge's grades are left out, so that they cannot sway people, unless `show_grades`.  Only a
        table without labels is written over."""
        if is_path(path) and Path(path).is_file() and not is_unfilled(path):
            raise InputError(
                f"{shown_name(path)} exists, and is not a table without labels, which alone is "
                "written over: write to another file"
            )
        rows = [
            [query, doc, *([f"{grade:g}"] if show_grades else []), ""]
            for (query, doc), grade in zip(self.pairs, self.grades, strict=True)
        ]
        header = ["query_id", "doc_id", *(["judge_grade"] if show_grades else []), "relevance"]
        write_file(as_csv(header, rows).encode(), path)

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [
            [stratum.grade, stratum.size, stratum.labelled, stratum.drawn]
            for stratum in self.strata
        ]
        return ["grade", "pairs", "labelled", "drawn"], rows

    def __repr__(self) -> str:
        drawn = counted(len(self.pairs), "pair", "pairs")
        lines = [f"{drawn} to label, half-width about {self.half_width:.3f}"]
        lines += [
            f"  grade {s.grade:g}: {s.drawn} of {s.size - s.labelled} without a label"
            for s in self.strata
        ]
        return "\n".join(lines)
