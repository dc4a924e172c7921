"""Results of a vector index (one row of documents for each query) as rows of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.documents.arrow_rows import ArrowBatch
from irbounds._core.documents.doc_rows import MOST_WHOLE, BadRow, id_as_bytes
from irbounds._core.evaluating.topk import TopRows
from irbounds._core.reading.text_buffers import array_buffers, object_buffers
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, fail

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike


def top_rows(
    query_ids: ArrayLike,
    doc_ids: ArrayLike,
    scores: ArrayLike | None,
    padding: object,
    *,
    ascending: bool,
) -> TopRows:
    """The documents of each query, without empty entries."""
    ascending = check_flag("ascending", ascending)
    padding = _padding(padding)
    docs = _matrix("doc_ids", doc_ids)
    keep = np.ones(docs.shape, np.uint8)
    if np.ma.isMA(doc_ids):
        keep &= ~np.ma.getmaskarray(doc_ids)
    if scores is None:
        values = np.broadcast_to(np.zeros(1), docs.shape)
        if ascending:
            raise InputError(
                "`ascending` needs `scores`: without them documents rank in the order given"
            )
    else:
        values = _matrix("scores", scores)
        if values.shape != docs.shape:
            fail("scores", f"must have the shape of `doc_ids`, {docs.shape}", values.shape)
        if values.dtype.kind not in "iuf" or values.dtype.itemsize > 8:
            fail("scores", "must be numbers of at most 64 bits", values.dtype)
        keep &= ~np.ma.getmaskarray(scores) if np.ma.isMA(scores) else True
        keep &= ~np.isnan(values)
    ids = _ids(docs, keep, padding)  # which takes padding out of what is kept
    batch = ArrowBatch.from_buffers([("i", np.zeros(docs.size, np.int8)), ids, _numbers(values)])
    return TopRows(_queries(query_ids, len(docs)), batch, keep, ascending, scores is None)


def _matrix(name: str, values: Any) -> np.ndarray:
    """A matrix of numbers; of objects for text."""
    try:
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            values = np.from_dlpack(values)
        if _is_text_lists(values):  # NumPy takes ten times as long to copy each text
            array = np.asarray(values, object)
        else:
            array = np.ma.getdata(values) if np.ma.isMA(values) else np.asarray(values)
    except ValueError:
        raise InputError(
            f"`{name}` must be a matrix, queries × documents; found rows of several lengths"
        ) from None
    if array.ndim != 2:
        fail(name, "must be a matrix, queries × documents", f"the shape {array.shape}")
    return array


def _is_text_lists(values: object) -> bool:
    """Whether the values are lists of one length, the first of which begins with text."""
    if type(values) is not list or not all(type(row) is list for row in values):
        return False
    sizes = set(map(len, values))
    return len(sizes) == 1 and sizes != {0} and type(values[0][0]) is str


def _numbers(array: np.ndarray) -> tuple[str, np.ndarray]:
    """Numbers as `ArrowBatch.from_buffers` takes them: contiguous, in native byte order."""
    return array.dtype.kind, np.ascontiguousarray(array, array.dtype.newbyteorder("=")).ravel()


def _padding(padding: object) -> object:
    """The id of empty places."""
    if isinstance(padding, np.integer):
        return int(padding)
    if isinstance(padding, bool | float | list | tuple | np.ndarray | np.floating):
        fail("padding", "must be a whole number, text or None", padding)
    return padding


def _ids(docs: np.ndarray, keep: np.ndarray, padding: object) -> tuple[str, Any]:
    if docs.dtype.kind in "iufUS" and not isinstance(padding, int | str | bytes | None):
        fail("padding", "must be a whole number, text or None", padding)
    if docs.dtype.kind == "f" and docs.dtype.itemsize <= 8:
        docs = _whole(docs, keep)
    if docs.dtype.kind in "iu":
        if isinstance(padding, str | bytes):
            fail("padding", "must be a whole number, as `doc_ids` are", padding)
        if padding is not None:
            keep &= docs != padding
        return _numbers(docs)
    if docs.dtype.kind in "US":
        if isinstance(padding, int):  # 7 and "7" are one id
            padding = str(padding)
        if docs.dtype.kind == "S" and isinstance(padding, str):
            padding = padding.encode("utf-8", "surrogateescape")
        if padding is not None:
            keep &= docs != padding
        return "T", array_buffers(docs.ravel())
    if docs.dtype.kind not in "OT":  # T: text of any length
        fail("doc_ids", "must be text or whole numbers", docs.dtype)
    try:
        return "T", object_buffers(docs.ravel(), keep.ravel(), padding)
    except BadRow as error:
        raise InputError(f"`doc_ids`: {error.problem}") from None


def _whole(docs: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Floats that are ids as whole numbers."""
    kept = docs[keep.astype(bool)]
    broken = ~(np.abs(kept) <= MOST_WHOLE[docs.dtype.itemsize]) | (kept != np.floor(kept))
    if broken.any():
        try:
            id_as_bytes(kept[broken][0])
        except BadRow as error:
            raise InputError(f"`doc_ids`: {error.problem}") from None
    return np.where(keep, docs, 0).astype(np.int64)


def _queries(query_ids: Any, n: int) -> list[bytes]:
    """Distinct ids of n queries."""
    try:
        queries = query_ids.tolist() if hasattr(query_ids, "tolist") else list(query_ids)
    except TypeError:
        queries = None
    if not isinstance(queries, list) or isinstance(query_ids, str | bytes):
        fail("query_ids", "must be a list of ids, one for each row of `doc_ids`", query_ids)
    if len(queries) != n:
        fail("query_ids", f"must have one id for each of {n} rows", len(queries))
    try:
        names = [id_as_bytes(query) for query in queries]
    except BadRow as error:
        raise InputError(f"`query_ids`: {error.problem}") from None
    known: set[bytes] = set()
    for name in names:
        if name in known:
            fail("query_ids", "must be distinct", name.decode("utf-8", "surrogateescape"))
        known.add(name)
    return names
