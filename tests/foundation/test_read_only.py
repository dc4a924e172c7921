"""Arrays of results that nobody can change, also after pickling."""

import pickle

import numpy as np
import pytest

import irbounds as irb
from irbounds.comparison import compare_scores
from irbounds.counts import paired_comparison
from irbounds.extrapolation import PrecisionCurve
from irbounds.rankings import WeakOrdering, mean_graph, recall_precision_graph
from irbounds.warnings import FewUnitsWarning

QRELS = {"q": {"a": 1}}
RUN = {"q": {"a": 2.0, "b": 2.0}}
LEVELS = np.array([0.25, 1.0])


def ranks():
    with pytest.warns(FewUnitsWarning):
        return compare_scores({"a": {"t": 1.0, "u": 2.0}, "b": {"t": 0.0, "u": 2.0}})


RESULTS = {
    "evaluation": (lambda: irb.evaluate(QRELS, RUN, "AP", bounds=True), ("values", "low")),
    "comparison": (lambda: irb.compare(QRELS, {"a": RUN, "b": RUN}, "AP"), ("values", "high")),
    "ranks": (ranks, ("mean", "low", "p_best", "p_beats")),
    "mean graph": (
        lambda: mean_graph(WeakOrdering([1, 3], [2, 7]), levels=LEVELS, bounds=True),
        ("levels", "precision", "low"),
    ),
    "graph": (lambda: recall_precision_graph(QRELS, RUN, levels=LEVELS), ("levels", "precision")),
    "paired comparison": (lambda: paired_comparison([17, 3], [4, 5]), ("wins", "losses", "same")),
    "curve": (lambda: PrecisionCurve(0.03, LEVELS), ("beta",)),
    "curve through points": (
        lambda: PrecisionCurve.through([0.7, 0.8], [0.5, 0.4], 0.03),
        ("prevalence", "beta"),
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_do_not_change(name):
    make, arrays = RESULTS[name]
    result = make()
    again = pickle.loads(pickle.dumps(result))
    assert repr(again) == repr(result)
    for found in (result, again):
        for array in arrays:
            assert not getattr(found, array).flags.writeable
            with pytest.raises(AttributeError):
                setattr(found, array, 0)
    assert LEVELS.flags.writeable  # what was given may change
