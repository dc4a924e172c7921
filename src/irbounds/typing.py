"""Types that the annotations of irbounds name, for users who check types.

Import them under ``if typing.TYPE_CHECKING``: nothing of irbounds needs them at run time.

Aliases that end in ``OrArray`` are `Any` for a type checker, as in SciPy's and NumPy's stubs: a
function returns a float for numbers and an array for arrays, and callers should not have to
narrow the type.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

if TYPE_CHECKING:
    from irbounds.rankings.data.collection import Qrels, Run
    from irbounds.rankings.data.evaluation import Evaluation
    from irbounds.rankings.measure_table.measure import Measure
    from irbounds.samples.model.priors import PerStratum
    from irbounds.samples.model.strata import Audited, Stratum

# Numbers
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatOrArray: TypeAlias = Any  # a float, or an array of floats where the input had arrays
CountLike: TypeAlias = ArrayLike  # a count, or an array of counts that broadcasts with the others
RNGLike: TypeAlias = (
    int | np.integer[Any] | np.random.Generator | np.random.BitGenerator
    | np.random.SeedSequence | np.random.RandomState | Sequence[int] | None
)  # fmt: skip
SizeLike: TypeAlias = int | tuple[int, ...] | None  # shape of random variates

# Input
PathLike: TypeAlias = str | os.PathLike[str]  # "-" is standard input
DateLike: TypeAlias = datetime.date | str | None
Source: TypeAlias = PathLike | IO[bytes] | IO[str]


class FrameLike(Protocol):
    """A data frame: pandas, polars, pyarrow, DuckDB, or what exports Arrow streams."""

    @property
    def columns(self) -> Any: ...  # noqa: D102


ScoresByDoc: TypeAlias = Mapping[str, Mapping[str, Any]]  # {query: {document: number}}
QrelsLike: TypeAlias = "Qrels | Source | ScoresByDoc | FrameLike | Iterable[Any]"
JudgesLike: TypeAlias = "QrelsLike | Sequence[QrelsLike] | Mapping[str, QrelsLike]"
RunLike: TypeAlias = "Run | Source | ScoresByDoc | FrameLike | Iterable[Any]"
RunsLike: TypeAlias = "Mapping[str, RunLike] | Iterable[RunLike]"
EvaluationsLike: TypeAlias = "Mapping[str, Evaluation]"
MeasureLike: TypeAlias = "str | Measure | object"  # also an object whose `str` is a name
MeasuresLike: TypeAlias = "MeasureLike | Iterable[MeasureLike]"
# (size, sampled, relevant), or a list of these for strata
OneSegment: TypeAlias = "Stratum | Audited | tuple[Any, Any, Any]"
SegmentLike: TypeAlias = "OneSegment | Sequence[OneSegment]"
PriorLike: TypeAlias = "float | tuple[float, float] | Mapping[str, Any] | ArrayLike | PerStratum"
LabelsLike: TypeAlias = ArrayLike  # labels of objects, one for each
# {query: group}, a file or a frame of both, a column of the judgments, or a group for each query
GroupsLike: TypeAlias = "Mapping[Any, Any] | PathLike | FrameLike | Sequence[Any] | np.ndarray"
UnjudgedLike: TypeAlias = str | float | ScoresByDoc | FrameLike | os.PathLike[str]
HiddenLike: TypeAlias = int | str | Mapping[str, int]  # or "collection"

# Choices
Side: TypeAlias = Literal["two-sided", "lower", "upper"]
TieRule: TypeAlias = Literal["expected", "best", "worst", "doc_id", "given"]
Missing: TypeAlias = Literal["zero", "skip", "error"]
Engine: TypeAlias = Literal["exact", "monte-carlo"]
Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
TestName: TypeAlias = Literal["permutation", "t", "wilcoxon", "sign", "bootstrap"]
Correction: TypeAlias = Literal["holm", "bonferroni", "tukey", "dunnett"]
MeanMethod: TypeAlias = Literal[
    "t", "widened-t", "hall", "wilson", "jeffreys", "bca", "gaffke", "guaranteed",
    "bayesian-bootstrap",
]  # fmt: skip
IntervalMethod: TypeAlias = Literal[
    "betabinom-half", "betabinom-uniform", "betabinom-mcp", "beta-jeffreys", "koopman",
    "normal-mle", "normal-laplace", "normal-agresti-coull", "naive-binomial",
    "betabinom-half-per-stratum", "guaranteed", "anytime",
]  # fmt: skip
ProportionMethod: TypeAlias = Literal[
    "wilson", "wilson-cc", "wald", "agresti-coull", "jeffreys", "mid-p", "clopper-pearson",
    "blaker", "hypergeometric", "anytime",
]  # fmt: skip
