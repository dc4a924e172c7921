"""Data frames as input and output, through narwhals: pandas, polars, pyarrow and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.typing import FrameLike

BACKENDS = ("pandas", "polars", "pyarrow")


def _narwhals() -> Any:
    try:
        import narwhals
    except ImportError:
        raise ImportError('data frames need narwhals: pip install "irbounds[frames]"') from None
    return narwhals


def column_names(frame: FrameLike) -> list[str]:
    """Names of a frame's columns."""
    return list(_table(frame).columns)


def columns_of(frame: FrameLike, names: list[str]) -> list[list[Any]]:
    """Columns of a frame as lists; missing columns and null values are refused."""
    table = _table(frame)
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(
            f"the data frame needs the column {missing[0]!r}; it has "
            f"{', '.join(map(str, table.columns))}"
        )
    columns = []
    for name in names:
        column = table[name]
        is_null = column.is_null()
        if is_null.any():
            raise InputError(f"column {name!r} has no value in row {is_null.to_list().index(True)}")
        columns.append(column.to_list())
    return columns


def nullable_columns(frame: FrameLike) -> dict[str, list[Any]]:
    """All columns of a frame as lists; None stands for null values."""
    table = _table(frame)
    return {str(column.name): column.to_list() for column in table.iter_columns()}


def _table(frame: FrameLike) -> Any:
    """The frame as a narwhals frame with its rows in memory."""
    narwhals = _narwhals()
    try:
        if hasattr(frame, "__arrow_c_array__") and hasattr(frame, "__arrow_c_stream__"):
            frame = _arrow_table(frame)  # narwhals knows no record batch
        table = narwhals.from_native(frame)
    except TypeError:
        raise InputError(f"expected a data frame, found {type(frame).__name__}") from None
    except narwhals.exceptions.NarwhalsError as error:  # columns of one name, on several lines
        raise InputError(f"the data frame: {' '.join(str(error).split())}") from None
    return table.collect() if isinstance(table, narwhals.LazyFrame) else table


def _arrow_table(frame: FrameLike) -> Any:
    """Rows in Arrow's memory as a table of pyarrow, if that is installed."""
    try:
        import pyarrow
    except ImportError:
        return frame
    return pyarrow.table(frame)


def make_frame(columns: dict[str, Any], backend: str) -> Any:
    """A data frame of the chosen library."""
    if backend not in BACKENDS:
        raise InputError(f"`backend` must be one of {', '.join(BACKENDS)}; found {backend!r}")
    narwhals = _narwhals()
    try:
        return narwhals.from_dict(columns, backend=backend).to_native()
    except ImportError:
        raise ImportError(f"frames of {backend} need {backend}: pip install {backend}") from None
