"""Whole runs carried to one recall."""

import warnings

import numpy as np
import pytest

import irbounds as irb
from irbounds.extrapolation import extrapolate_precision, extrapolate_run
from irbounds.rankings import WeakOrdering
from irbounds.warnings import ExtrapolationWarning
from tests.data import shared


@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_runs():
    rng = np.random.default_rng(7)
    scores, relevance = rng.integers(0, 12, (2, 60)), rng.random((2, 60)) < [[0.3], [0.2]]
    names = [f"d{i}" for i in range(60)]
    qrels = {
        f"q{q}": dict(zip(names, relevance[q].astype(int).tolist(), strict=True)) for q in (0, 1)
    }
    run = {f"q{q}": dict(zip(names[:50], scores[q, :50].tolist(), strict=True)) for q in (0, 1)}
    found = extrapolate_run(qrels, run, 0.6, collection_size=1000)
    assert (
        found.precision.shape
        == found.extrapolated.shape
        == found.sensitivity.precision.shape
        == (2, 19)
    )
    for q in (0, 1):
        w = WeakOrdering.from_scores(
            scores[q, :50], relevance[q, :50], int(relevance[q].sum()), 1000
        )
        assert found.precision[q] == pytest.approx(w.ep(recall=found.levels), rel=1e-12)
        assert found.prevalence[q] == relevance[q].sum() / 1000
        point = found.levels, found.precision[q], found.prevalence[q]
        expected = extrapolate_precision(*point, 0.6, on_invalid="nan")
        np.testing.assert_array_equal(found.extrapolated[q], expected)
        assert found.extrapolated[q, 11] == found.precision[q, 11]
    assert found.to_frame("polars").columns == ["query_id", "recall", "precision", "extrapolated"]
    assert repr(found) == "ExtrapolatedRun(2 queries, 19 recall levels, target_recall=0.6)"
    with pytest.raises(irb.InputError, match="`levels` must be between 0 and 1"):
        extrapolate_run(qrels, run, collection_size=1000, levels=[0, 0.5])


# levels of 0.05 to 0.95 are far from 0.5
@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_real_run():
    files = shared("med", "med.qrels"), shared("med", "med.tfidf.run.xz")
    found = extrapolate_run(*files, 0.5, collection_size=1033)
    assert np.isnan(found.extrapolated).mean() < 0.2
    place = found.levels.tolist().index(0.5)
    np.testing.assert_array_equal(
        found.extrapolated[:, place],
        np.where(
            (found.precision[:, place] > found.prevalence) & (found.precision[:, place] < 1),
            found.precision[:, place],
            np.nan,
        ),
    )


def test_runs_warn_of_far_levels_f5():
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1, "d4": 0}, "q2": {"d1": 0, "d2": 1, "d3": 1, "d4": 0}}
    run = {query: {"d1": 4, "d2": 3, "d3": 2, "d4": 1} for query in qrels}
    with pytest.warns(ExtrapolationWarning) as caught:
        extrapolate_run(qrels, run, 0.9, collection_size=1000, levels=[0.5, 0.55, 0.6, 0.8])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    # at 0.5 the other query has precision 1: no curve, no extrapolation
    assert str(caught[0].message).startswith(
        "extrapolated precision is unreliable for query 'q2' (3 such elements): "
        "recall 0.5 is far from the target 0.9; a change of precision by 0.01 "
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        extrapolate_run(qrels, run, 0.9, collection_size=1000, levels=[0.6, 0.8])


@pytest.mark.filterwarnings("ignore::irbounds.warnings.ExtrapolationWarning")
def test_a_collection_for_each_query_f5():
    rng = np.random.default_rng(8)
    names = [f"d{i}" for i in range(30)]
    qrels, run = (
        {
            str(query): dict(zip(names, rng.integers(0, most, 30).tolist(), strict=True))
            for query in range(5)
        }
        for most in (2, 9)
    )
    del run["3"]
    sizes = dict(zip(qrels, [64, 500, 500, 70, 12_807], strict=True))
    for missing in ("zero", "skip"):
        found = extrapolate_run(
            qrels,
            run,
            0.7,
            collection_size={int(query): n for query, n in sizes.items()},
            missing=missing,
            ties="best",
        )
        kept = [query for query in qrels if missing == "zero" or query in run]
        assert list(found.query_ids) == kept
        for i, query in enumerate(kept):
            alone = extrapolate_run(
                {query: qrels[query], "another": {"d0": 1}},  # a run must have a judged query
                {**run, "another": {"d0": 1}},
                0.7,
                ties="best",
                collection_size=sizes[query],
            )
            np.testing.assert_allclose(found.precision[i], alone.precision[0], rtol=1e-13)
            np.testing.assert_allclose(found.extrapolated[i], alone.extrapolated[0], rtol=1e-12)
            assert found.prevalence[i] == sum(qrels[query].values()) / sizes[query]
    for bad, message in (
        ({"0": 64}, "`collection_size` has no size for the query '1'"),
        ({**sizes, "1": 0}, "`collection_size['1']` must be a whole number, 1 or more; found 0"),
        ([64] * 5, "`collection_size` must be a whole number"),
    ):
        with pytest.raises(irb.InputError) as error:
            extrapolate_run(qrels, run, collection_size=bad)
        assert str(error.value).startswith(message)
    with pytest.raises(irb.InputError, match="it lacks the judged query '3'"):
        extrapolate_run(qrels, run, collection_size=sizes, missing="error")
    with pytest.raises(irb.InputError, match="none of its queries is judged"):
        extrapolate_run(qrels, {"x": {"d1": 1}}, collection_size=sizes)
