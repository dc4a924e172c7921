"""Metrics of scikit-learn: the same values without ties, means over orders of ties."""

import numpy as np
import pytest

import irbounds as irb
from irbounds.adapters import sklearn as scores
from tests.tied_orders import GRADES, TIED, all_orders

sklearn_metrics = pytest.importorskip("sklearn.metrics")
rng = np.random.default_rng(3)
MARKS, UNTIED = rng.integers(0, 2, (30, 5)), rng.permutation(150).reshape(30, 5) / 150
COARSE = rng.integers(0, 3, (30, 5)) / 2
GAINS, WEIGHTS = rng.integers(0, 4, (30, 5)).astype(float), rng.random(30)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_average_precision_without_ties_is_scikit_learns(average):
    marks = MARKS[MARKS.any(axis=1)]
    expected = sklearn_metrics.average_precision_score(marks, UNTIED[: len(marks)], average=average)
    assert scores.average_precision_score(
        marks, UNTIED[: len(marks)], average=average
    ) == pytest.approx(expected, rel=1e-12)


def test_labels_of_any_kind_are_scikit_learns():
    truth, score = np.array(["no", "yes", "yes", "no", "yes"]), [0.1, 0.9, 0.3, 0.4, 0.8]
    for ours, theirs in ((scores, sklearn_metrics),):
        assert ours.average_precision_score(truth, score, pos_label="yes") == pytest.approx(
            theirs.average_precision_score(truth, score, pos_label="yes")
        )
        assert ours.average_precision_score([-1, 1, 1, -1, 1], score) == pytest.approx(
            theirs.average_precision_score([-1, 1, 1, -1, 1], score)
        )
        classes = np.array([0, 1, 2, 1, 0, 2])
        assert ours.average_precision_score(classes, UNTIED[:6, :3]) == pytest.approx(
            theirs.average_precision_score(classes, UNTIED[:6, :3])
        )
    assert scores.average_precision_score([0, 0], [0.1, 0.2]) == 0.0


def test_tied_average_precision_is_the_mean_of_scikit_learns_over_all_orders():
    """Which on the ties themselves gives neither that mean, nor always a value that some order
    has."""
    documents = list(TIED)
    truth = [int(document in GRADES) for document in documents]
    theirs = [
        sklearn_metrics.average_precision_score(truth, [order[d] for d in documents])
        for order in all_orders(TIED)
    ]
    tied = list(TIED.values())
    assert scores.average_precision_score(truth, tied) == pytest.approx(np.mean(theirs), rel=1e-12)
    assert scores.average_precision_score(truth, tied, ties="best") == pytest.approx(
        max(theirs), rel=1e-12
    )
    assert scores.average_precision_score(truth, tied, ties="worst") == pytest.approx(
        min(theirs), rel=1e-12
    )
    assert sklearn_metrics.average_precision_score(truth, tied) != pytest.approx(
        np.mean(theirs), abs=1e-3
    )
    truth, tied = [0, 0, 1, 1], [1, 0.9, 0.1, 0.1]
    assert sklearn_metrics.average_precision_score(truth, tied) == 0.5
    assert scores.average_precision_score(truth, tied, ties="best") == pytest.approx(5 / 12)
    assert scores.average_precision_score(truth, tied, ties="worst") == pytest.approx(5 / 12)


@pytest.mark.parametrize("k", [None, 1, 3, 5, 9])
@pytest.mark.parametrize("score", [UNTIED, COARSE])
def test_ndcg_and_dcg_are_scikit_learns_with_ties_too(k, score):
    for weights in (None, WEIGHTS):
        assert scores.ndcg_score(GAINS, score, k=k, sample_weight=weights) == pytest.approx(
            sklearn_metrics.ndcg_score(GAINS, score, k=k, sample_weight=weights), rel=1e-12
        )
        assert scores.dcg_score(
            GAINS, score, k=k, log_base=10, sample_weight=weights
        ) == pytest.approx(
            sklearn_metrics.dcg_score(GAINS, score, k=k, log_base=10, sample_weight=weights),
            rel=1e-12,
        )


def test_label_ranking():
    marks = np.vstack([MARKS, np.zeros(5, int), np.ones(5, int)])
    score, weights = np.vstack([UNTIED, COARSE[:2]]), np.append(WEIGHTS, [0.3, 0.4])
    assert scores.label_ranking_average_precision_score(
        marks, score, sample_weight=weights
    ) == pytest.approx(
        sklearn_metrics.label_ranking_average_precision_score(marks, score, sample_weight=weights),
        rel=1e-12,
    )
    theirs = [
        sklearn_metrics.label_ranking_average_precision_score(
            [[1, 0, 0, 1, 1, 0]], [list(order.values())]
        )
        for order in ({d: order[d] for d in TIED} for order in all_orders(TIED))
    ]
    assert scores.label_ranking_average_precision_score(
        [[1, 0, 0, 1, 1, 0]], [list(TIED.values())]
    ) == pytest.approx(np.mean(theirs), rel=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_weighted_average_precision_without_ties_is_scikit_learns(average):
    weights = WEIGHTS * (rng.random(30) > 0.2)  # samples of weight 0 do not count
    for relevance, score in ((MARKS, UNTIED), (MARKS[:, 0], UNTIED[:, 0])):
        call = {"average": average, "sample_weight": weights}
        assert scores.average_precision_score(relevance, score, **call) == pytest.approx(
            sklearn_metrics.average_precision_score(relevance, score, **call), rel=1e-12
        )


def test_weights_of_samples_that_tie():
    """Ties matter where a positive is among them."""
    truth, score, weights = [1, 0, 0, 1], [3, 2, 2, 1], [0.5, 1, 1.5, 2]
    wanted = (0.5 * 1 + 2 * 2.5 / 5) / 2.5
    assert scores.average_precision_score(truth, score, sample_weight=weights) == wanted
    tied = {"y_score": [3, 2, 2, 2], "sample_weight": weights}
    assert scores.average_precision_score(truth, **tied, ties="given") == wanted
    tied["sample_weight"] = [0.5, 0, 0, 2]
    assert scores.average_precision_score(truth, **tied) == 1.0
    assert scores.average_precision_score([0, 0], [1, 2], sample_weight=[1, 2]) == 0.0


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
@pytest.mark.parametrize("ties", ["expected", "best", "worst", "given", "steps"])
def test_a_whole_weight_is_so_many_copies(average, ties):
    weights = rng.integers(0, 4, 30)
    for relevance in (MARKS, MARKS[:, 0]):
        for score in (UNTIED, COARSE):
            score = score[:, : relevance[0].size] if relevance.ndim == 2 else score[:, 0]
            options = {"average": average, "ties": ties}
            found = scores.average_precision_score(
                relevance, score, sample_weight=weights, **options
            )
            copies = (np.repeat(each, weights, axis=0) for each in (relevance, score))
            assert found == pytest.approx(scores.average_precision_score(*copies, **options))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_steps_are_scikit_learns(average):
    for relevance, score in ((MARKS, COARSE), (MARKS[:, 0], COARSE[:, 0]), (MARKS, UNTIED)):
        for weights in (None, WEIGHTS, WEIGHTS * (rng.random(30) > 0.2)):
            call = {"average": average, "sample_weight": weights}
            assert scores.average_precision_score(
                relevance, score, **call, ties="steps"
            ) == pytest.approx(
                sklearn_metrics.average_precision_score(relevance, score, **call), rel=1e-12
            )


def test_columns_and_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    truth, score = MARKS[:, 0], UNTIED[:, 0]
    one = scores.average_precision_score(truth, score)
    assert scores.average_precision_score(truth, score[:, None]) == one
    assert scores.average_precision_score(truth[:, None], score[:, None]) == one
    assert scores.average_precision_score(1 - truth, score[:, None], pos_label=0) == one
    for function in (
        scores.average_precision_score,
        scores.ndcg_score,
        scores.dcg_score,
        scores.label_ranking_average_precision_score,
    ):
        assert function(sparse.csr_matrix(MARKS), UNTIED) == function(MARKS, UNTIED)


@pytest.mark.parametrize("k", [None, 2])
def test_ignored_ties_are_scikit_learns(k):
    """In the order of the same sort, which is stable for few documents alone."""
    wide = np.random.default_rng(7)
    gains = wide.integers(0, 4, (5, 300)).astype(float)
    for coarse in (wide.integers(0, 9, (5, 300)), wide.integers(0, 9, (5, 300)) / 2):
        for name in ("ndcg_score", "dcg_score"):
            ours, theirs = getattr(scores, name), getattr(sklearn_metrics, name)
            for truth, score in ((gains, coarse), (GAINS, COARSE)):
                assert ours(truth, score, k=k, ignore_ties=True) == pytest.approx(
                    theirs(truth, score, k=k, ignore_ties=True), rel=1e-12
                )


def test_sparse_labels():
    sparse = pytest.importorskip("scipy.sparse")
    for kind in (sparse.csr_array, sparse.csr_matrix):
        found = scores.label_ranking_average_precision_score(kind(MARKS), UNTIED)
        assert found == scores.label_ranking_average_precision_score(MARKS, UNTIED)


def test_as_a_scorer_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    scorer = sklearn_metrics.make_scorer(
        scores.average_precision_score, response_method="predict_proba"
    )
    features = np.random.default_rng(4).normal(size=(80, 3))
    target = (features[:, 0] + np.random.default_rng(5).normal(size=80) > 0).astype(int)
    ours = cross_val_score(LogisticRegression(), features, target, scoring=scorer)
    theirs = cross_val_score(LogisticRegression(), features, target, scoring="average_precision")
    assert ours == pytest.approx(theirs, rel=1e-12)  # probabilities do not tie


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: scores.average_precision_score([0, 1], [2, 2], sample_weight=[1.5, 2]),
            "`sample_weight` is not supported where a positive sample ties with another",
        ),
        (
            lambda: scores.average_precision_score(MARKS, UNTIED, pos_label=0),
            "Parameter pos_label is fixed to 1 for multilabel-indicator y_true. Do not set",
        ),
        (
            lambda: scores.average_precision_score([0, 1, 2], np.eye(3), pos_label=2),
            "Parameter pos_label is fixed to 1 for multiclass y_true. Do not set",
        ),
        (
            lambda: scores.average_precision_score([0, 1, 2, 1], [0.1, 0.2, 0.3, 0.4]),
            "`y_score` needs to be of shape `(n_samples, n_classes)`: `y_true` has 3 classes",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, 2], sample_weight=[1, 2, 3]),
            "`sample_weight` must be one weight for each of 2 samples",
        ),
        (
            lambda: scores.ndcg_score([[0, 1]], [[1, 2]], ignore_ties=True, ties="best"),
            "give `ties` or `ignore_ties`, not both",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, float("nan")]),
            "`y_score` must be finite, but contains NaN; found nan at",
        ),
        (
            lambda: scores.average_precision_score([0, 1], [1, 2, 3]),
            "`y_true` and `y_score` must have one shape",
        ),
        (
            lambda: scores.average_precision_score([0, 1, 2], np.ones((3, 2))),
            "`y_score` must have a row for each of 3",
        ),
        (
            lambda: scores.average_precision_score([[0, 2]], [[1, 2]]),
            "`y_true` must be 0 or 1 in a matrix of labels",
        ),
        (lambda: scores.average_precision_score([], []), "`y_score` has no values"),
        (lambda: scores.ndcg_score([1, 0], [1, 2]), "`y_true` must have two dimensions"),
        (
            lambda: scores.ndcg_score([[1, -1]], [[1, 2]]),
            "`y_true` must be gains, 0 or more: ndcg_score should not be used on",
        ),
        (
            lambda: scores.ndcg_score([[1, 0]], [[1, 2]], sample_weight=[1, 2]),
            "`sample_weight` must be one weight",
        ),
        (
            lambda: scores.dcg_score([[1, 0]], [[1, 2]], log_base=1),
            "`log_base` must be above 0 and not 1",
        ),
    ],
)
def test_bad_scores(call, message):
    with pytest.raises(irb.InputError) as error:
        call()
    assert str(error.value).startswith(message)


def test_labels_of_several_types_are_one_line():
    with pytest.raises(irb.InputError, match="`y_true` must have labels of one type, none missing"):
        scores.average_precision_score([1, None, 0], [0.1, 0.2, 0.3])
