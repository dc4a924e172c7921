"""The ranking metrics of scikit-learn on (y_true, y_score), exact under tied scores.  scikit-learn
itself is not needed.

Each takes a tie rule: "expected" (the mean over all orders of tied scores), "best", "worst" or
"given" (the order of the input).  This is longer than 400 lines because half of it is docstrings.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_numbers
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.rankings.evaluating.arrays import rank_measures
from irbounds.warnings import RunWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

TIES = ("expected", "best", "worst", "given")
STEPS = "steps"  # of the precision-recall curve, one for each score, as scikit-learn has it
MOST_COPIES = 10**8  # of weighted samples, which are held in memory
AVERAGES = ("macro", "micro", "weighted", "samples")


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    pos_label: object = 1,
    sample_weight: ArrayLike | None = None,
    ties: str = "expected",
) -> Any:
    """Average precision.

    Parameters
    ----------
    y_true : array_like, shape (samples,) or (samples, labels)
        Binary labels, several classes (with `y_score` of a column for each, in sorted order), or a
        matrix of 0 and 1, which may be sparse.
    y_score : array_like, shape (samples,), (samples, 1) or (samples, labels)
    average : {"macro", "micro", "weighted", "samples", None}
        Over labels: their plain mean, all cells as one ranking, the mean weighted by positives, the
        mean over samples; None gives one value for each label.
    pos_label : int, float or str
        The positive one of two labels; 1 for a matrix and for several classes.
    sample_weight : array_like, shape (samples,), optional
        Whole weights are so many copies of each sample, which tie as repeated samples do.  With
        other weights no exact expectation over tied orders is known: a positive that ties with
        another sample is refused, unless `ties` is "given" or "steps", or where the weights are
        those of a mean over samples.
    ties : {"expected", "best", "worst", "given", "steps"}
        "steps" is scikit-learn's own rule, also for weights: see Notes.

    Returns
    -------
    float or ndarray, shape (labels,)
        0 where there is no positive, with a warning.

    Notes
    -----
    scikit-learn takes all samples of one score as one step of the curve, and gives every positive
    among them the precision after the last.  A tie of two at the top, one of them positive, counts
    0.5 there; here 0.75, the mean of 1 and 0.5 (McSherry & Najork 2008).  Its value may lie above
    that of every order: two negatives, then two positives that tie, make 0.5 there and 0.4167 in
    either order.

    Examples
    --------
    >>> from irbounds.adapters.sklearn import average_precision_score
    >>> average_precision_score([0, 1, 1, 0], [0.8, 0.8, 0.4, 0.1])
    0.7083333333333333
    >>> average_precision_score([0, 1, 1, 0], [0.8, 0.8, 0.4, 0.1], ties="worst")
    0.5833333333333333
    """
    check_choice("ties", ties, (*TIES, STEPS))
    if average is not None:
        check_choice("average", average, AVERAGES)
    score = _numbers("y_score", _dense(y_score))
    relevance, score = _binary(np.asarray(_dense(y_true)), score, pos_label)
    if relevance.ndim == 2 and average == "samples":
        return _weighted(_precisions(relevance, score, None, ties), sample_weight)
    weight = None if sample_weight is None else _weights(sample_weight, len(relevance))
    if weight is not None and ties != STEPS and (weight == np.floor(weight)).all():
        if weight.sum() > MOST_COPIES:
            fail(
                "sample_weight",
                "must be at most 10^8 copies in all; ties='steps' has no limit",
                float(weight.sum()),
            )
        copies = weight.astype(np.int64)
        relevance, score = (np.repeat(array, copies, axis=0) for array in (relevance, score))
        weight = None
    if relevance.ndim == 1 or average == "micro":
        every = None if weight is None else np.repeat(weight, relevance[0].size)
        return _precisions(relevance.reshape(1, -1), score.reshape(1, -1), every, ties)[0].item()
    # A ranking of all samples for each class.
    values = _precisions(relevance.T, score.T, weight, ties)
    if average is None:
        return values
    if average == "macro":
        return values.mean().item()
    positives = relevance.sum(axis=0) if weight is None else weight @ relevance
    return float(values @ positives / positives.sum()) if positives.any() else 0.0


def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    ties: str = "expected",
) -> float:
    """Mean nDCG of rankings, one in each row, with the values of `y_true` as gains.  Equals the
    value of scikit-learn, which averages over ties too.

    Parameters
    ----------
    y_true : array_like, shape (samples, documents)
        Gains, 0 or more.
    y_score : array_like of that shape
    k : int, optional
        Only the first k count.
    sample_weight : array_like, shape (samples,), optional
        Weight of each row.
    ignore_ties : bool
        Rank as scikit-learn does with it, by the reverse of NumPy's sort, which leaves documents of
        one score in an arbitrary order.
    ties : {"expected", "best", "worst", "given"}

    Examples
    --------
    >>> from irbounds.adapters.sklearn import ndcg_score
    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    0.6957
    >>> ndcg_score([[1, 0, 0]], [[1, 1, 0]], k=1, ties="best")
    1.0
    """
    options: dict[str, Any] = {"ignore_ties": ignore_ties, "ties": ties}
    return _mean_of_rows(_with_cutoff("nDCG", k), y_true, y_score, sample_weight, **options)


def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    ties: str = "expected",
) -> float:
    """Mean DCG of rankings, one in each row: gains divided by the logarithm of rank + 1.

    Takes the arguments of `ndcg_score`, and `log_base`, the base of the logarithm.

    Examples
    --------
    >>> from irbounds.adapters.sklearn import dcg_score
    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    9.4995
    """
    base = check_numbers(
        "log_base", log_base, "must be above 0 and not 1", lambda x: (x > 0) & (x != 1)
    )
    # 1/log_b(x) is log2(b)/log2(x): another base is a factor.
    options: dict[str, Any] = {"ignore_ties": ignore_ties, "ties": ties}
    mean = _mean_of_rows(_with_cutoff("DCG", k), y_true, y_score, sample_weight, **options)
    return mean * float(np.log2(base))


def label_ranking_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    ties: str = "expected",
) -> float:
    """Mean over samples of the average precision of their labels; 1 if no label or every label of a
    sample is true.

    Parameters
    ----------
    y_true : array_like or sparse, shape (samples, labels)
        0 and 1.
    y_score : array_like of that shape
    sample_weight : array_like, shape (samples,), optional
    ties : {"expected", "best", "worst", "given"}

    Notes
    -----
    scikit-learn ranks every label of a tie last.  "expected" is the mean over their orders instead.

    Examples
    --------
    >>> from irbounds.adapters.sklearn import label_ranking_average_precision_score
    >>> y_true, y_score = [[1, 0, 0], [0, 0, 1]], [[0.5, 0.5, 0], [1, 0.2, 0.1]]
    >>> label_ranking_average_precision_score(y_true, y_score)
    0.5416666666666666
    """
    relevance, score = _both(y_true, y_score)
    _check_marks(relevance)
    _check_shapes(relevance, score)
    values = _measure("AP", relevance, score, check_choice("ties", ties, TIES))
    return _weighted(np.where(relevance.any(axis=1), values, 1.0), sample_weight)


def _mean_of_rows(
    measure: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    ignore_ties: bool,
    ties: str,
) -> float:
    gain, score = _both(y_true, y_score)
    check_numbers(
        "y_true",
        gain,
        "must be gains, 0 or more: ndcg_score should not be used on negative y_true values",
        lambda x: x >= 0,
    )
    _check_shapes(gain, score)
    if measure.startswith("nDCG") and gain.shape[1] == 1:
        raise InputError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got 1 instead."
        )
    check_choice("ties", ties, TIES)
    if check_flag("ignore_ties", ignore_ties):
        if ties != "expected":
            raise InputError("give `ties` or `ignore_ties`, not both")
        order = np.argsort(np.asarray(y_score))[:, ::-1]  # of their own type, as scikit-learn
        gain, score = (np.take_along_axis(array, order, axis=1) for array in (gain, score))
        ties = "given"
    return _weighted(_measure(measure, gain, score, ties), sample_weight)


def _precisions(
    relevance: np.ndarray, score: np.ndarray, weight: np.ndarray | None, ties: str
) -> np.ndarray:
    """Average precision of each row; `weight` has that of each column."""
    if not relevance.any(axis=1).all():  # the words are scikit-learn's
        text = "No positive class found in y_true: average precision is 0"
        warnings.warn(text, RunWarning, stacklevel=3)
    if ties == STEPS:
        rows = zip(relevance, score, strict=True)
        return np.array([_steps(marks, values, weight) for marks, values in rows])
    if weight is None:
        return _measure("AP", relevance, score, ties)
    keep = weight > 0
    return np.array(
        [
            _weighted_precision(marks[keep], values[keep], weight[keep], ties)
            for marks, values in zip(relevance, score, strict=True)
        ]
    )


def _weighted_precision(
    relevance: np.ndarray, score: np.ndarray, weight: np.ndarray, ties: str
) -> float:
    """The mean over positives, by weight, of the weight of positives down to each over that of all
    samples down to it."""
    order = np.argsort(-score, kind="stable")
    relevance, score, weight = relevance[order], score[order], weight[order]
    matters = np.maximum(relevance[1:], relevance[:-1]) > 0
    for place in np.flatnonzero((score[1:] == score[:-1]) & matters)[: ties != "given"]:
        raise InputError(
            "`sample_weight` is not supported where a positive sample ties with another: no exact "
            "expectation over tied orders is known with weights; the score "
            f'{score[place]:.15g} ties; choose ties="given"'
        )
    found = np.cumsum(relevance * weight)
    if not len(found) or not found[-1] > 0:
        return 0.0
    return float((relevance * weight * (found / np.cumsum(weight))).sum() / found[-1])


def _steps(relevance: np.ndarray, score: np.ndarray, weight: np.ndarray | None) -> float:
    """scikit-learn's: all samples of one score are one step, whose positives have the precision
    after the last."""
    _check_values(score)
    weight = np.ones(len(score)) if weight is None else weight
    _, place = np.unique(-score, return_inverse=True)
    found = np.bincount(place, weight * relevance)
    shown = np.bincount(place, weight)
    if not found.sum() > 0:
        return 0.0
    with np.errstate(invalid="ignore"):  # steps of no weight, which nothing is found in
        precision = np.nan_to_num(np.cumsum(found) / np.cumsum(shown))
    return float(found @ precision / found.sum())


def _check_values(score: np.ndarray) -> None:
    if not score.size:
        raise InputError("`y_score` has no values")


def _measure(measure: str, relevance: np.ndarray, score: np.ndarray, ties: str) -> np.ndarray:
    """The measure of each row."""
    _check_values(score)
    return rank_measures(
        np.ascontiguousarray(score), np.ascontiguousarray(relevance), measure, ties=ties
    ).values[:, 0]


def _with_cutoff(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{check_count('k', k)}"


def _weighted(values: np.ndarray, sample_weight: ArrayLike | None) -> float:
    if sample_weight is None:
        return values.mean().item()
    return float(np.average(values, weights=_weights(sample_weight, len(values))))


def _weights(sample_weight: ArrayLike | None, n_samples: int) -> np.ndarray:
    weight = check_numbers(
        "sample_weight",
        sample_weight,
        "must be 0 or more and finite",
        lambda x: (x >= 0) & np.isfinite(x),
    )
    if weight.shape != (n_samples,) or not weight.any():
        sizes = [n_samples, n_samples, weight.size]
        fail(
            "sample_weight",
            f"must be one weight for each of {n_samples} samples, not all 0 (Found input variables "
            f"with inconsistent numbers of samples: {sizes})",
            weight.tolist(),
        )
    return weight


def _dense(values: Any) -> Any:
    """A sparse matrix with its zeros, other values as they are."""
    return values.toarray() if hasattr(values, "toarray") else values


def _numbers(argument: str, values: ArrayLike) -> np.ndarray:
    rule = "must be finite, but contains "
    array = check_numbers(argument, values, f"{rule}NaN", lambda x: ~np.isnan(x))
    return check_numbers(argument, array, f"{rule}infinity", np.isfinite)


def _both(y_true: ArrayLike, y_score: ArrayLike) -> list[np.ndarray]:
    """Truth and scores with a row for each sample."""
    given = {"y_true": y_true, "y_score": y_score}
    arrays = {name: _numbers(name, _dense(values)) for name, values in given.items()}
    for name, array in arrays.items():
        if array.ndim != 2:
            fail(name, "must have two dimensions, a row for each sample", array.shape)
    return list(arrays.values())


def _check_shapes(relevance: np.ndarray, score: np.ndarray) -> None:
    if relevance.shape != score.shape:
        raise InputError(
            f"`y_true` and `y_score` must have one shape; found {relevance.shape} and {score.shape}"
        )


def _distinct(truth: np.ndarray) -> np.ndarray:
    """The labels that occur, sorted."""
    try:
        return np.unique(truth)
    except TypeError:
        fail("y_true", "must have labels of one type, none missing", truth.tolist())


def _check_marks(relevance: np.ndarray) -> None:
    check_numbers(
        "y_true", relevance, "must be 0 or 1 in a matrix of labels", lambda x: (x == 0) | (x == 1)
    )


def _binary(
    truth: np.ndarray, score: np.ndarray, pos_label: object
) -> tuple[np.ndarray, np.ndarray]:
    """Relevance as 0 and 1, in the shape of the scores."""
    if all(array.ndim == 1 or array.shape[1:] == (1,) for array in (truth, score)):
        truth, score = truth.reshape(-1), score.reshape(-1)  # a column, as Keras predicts
    is_matrix = truth.ndim == 2
    if pos_label != 1 and (is_matrix or score.ndim == 2):
        kind = "multilabel-indicator" if is_matrix else "multiclass"
        raise InputError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
            f"pos_label to 1.; found `pos_label` {pos_label!r}"
        )
    if truth.ndim == 2:
        relevance = _numbers("y_true", truth)
        _check_marks(relevance)
    elif truth.ndim == 1 and score.ndim == 2:
        classes = _distinct(truth)
        if score.shape != (len(truth), len(classes)):
            raise InputError(
                f"`y_score` must have a row for each of {len(truth)} samples and a column for "
                "each of "
                f"{len(classes)} classes; found {score.shape}"
            )
        # A column for each class, of which its own samples are relevant.
        relevance = truth[:, None] == classes
    else:
        labels = _distinct(truth)
        if len(labels) > 2 and truth.ndim == 1:
            raise InputError(
                "`y_score` needs to be of shape `(n_samples, n_classes)`: `y_true` has "
                f"{len(labels)} classes, {labels[:5].tolist()}; found shape {score.shape}"
            )
        if len(labels) > 2 or (len(labels) == 2 and pos_label not in labels):
            raise InputError(
                f"pos_label={pos_label} is not a valid label. It should be one of {labels[:5]}"
            )
        relevance = truth == pos_label
    relevance = relevance.astype(float)
    _check_shapes(relevance, score)
    return relevance, score
