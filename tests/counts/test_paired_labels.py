"""Tables of two systems from labels, and the command that compares them."""

import csv
import json
import pickle
import time

import numpy as np
import pytest
from commands import run_cli
from pairs import EMPTY, MEASURES, USUAL

import irbounds as irb

# Tables from labels
# -------------------------------------------------------------------------------------


def test_labels_of_any_kind():
    truth, a, b = np.random.default_rng(1).integers(0, 2, (3, 500))
    expected = [
        [[int(((truth == t) & (a == i) & (b == j)).sum()) for j in (0, 1)] for i in (0, 1)]
        for t in (0, 1)
    ]
    words = np.array(["no", "yes"])
    for vectors, positive in (
        ((truth, a, b), 1),
        ((truth.astype(bool), a.astype(bool), b.astype(bool)), True),
        ((words[truth], words[a], words[b]), "yes"),
        ([words[v].astype(object) for v in (truth, a, b)], "yes"),
        ([v.tolist() for v in (truth, a, b)], 1),
    ):
        assert irb.PairedCounts.from_labels(*vectors, positive=positive).table.tolist() == expected
    pairs = irb.PairedCounts.from_labels(truth, a, b)
    assert repr(pairs.a) == repr(irb.CountsPosterior.from_labels(truth, a, prior=1.0))
    assert repr(pairs.b) == repr(irb.CountsPosterior.from_labels(truth, b, prior=1.0))
    weighted = irb.PairedCounts.from_labels(truth, a, b, weights=np.full(500, 0.5))
    assert weighted.table.tolist() == (np.array(expected) / 2).tolist()


@pytest.mark.long
def test_several_categories():
    labels = np.random.default_rng(2).integers(0, 3, (3, 200))
    pairs = irb.PairedCounts.from_labels(*labels, labels=[0, 1, 2])
    assert pairs.shape == (3,)
    assert len(repr(pairs).splitlines()) == 1
    marks = irb.PairedCounts.from_labels(*(vector[:, None] == np.arange(3) for vector in labels))
    assert (marks.table == pairs.table).all()
    together = pairs.prob_superior().probability, pairs.difference_interval().high, pairs.mcnemar()
    for i in range(3):
        single = irb.PairedCounts.from_labels(*labels, positive=i)
        assert (single.table == pairs[i].table).all()
        alone = (
            single.prob_superior().probability,
            single.difference_interval().high,
            single.mcnemar(),
        )
        assert tuple(values[i] for values in together) == pytest.approx(alone, abs=1e-14)
    assert (
        pairs.to_dict()["measures"]["f"]["probability"]
        == pairs.prob_superior().probability.tolist()
    )
    assert irb.PairedCounts.from_labels(*np.zeros((3, 0, 2), bool)).table.shape == (2, 2, 2, 2)


def test_a_million_labels_are_counted_at_once():
    """No loop over objects; the bound is some 20 times what it takes, and a loop would take 10
    times the bound."""
    labels = np.random.default_rng(1).integers(0, 2, (3, 10**6))
    start = time.process_time()
    irb.PairedCounts.from_labels(*labels)
    assert time.process_time() - start < 1


def test_results_are_fixed_and_can_be_copied():
    pairs = irb.PairedCounts(USUAL)
    with pytest.raises(ValueError, match="read-only"):
        pairs.table[0] = 1
    again = pickle.loads(pickle.dumps(pairs))
    assert (again.table == pairs.table).all()
    assert again.prior == 0.5
    found = json.loads(json.dumps(pairs.to_dict()))
    assert found["measures"]["recall"]["mcnemar"] == pairs.mcnemar("recall")
    assert set(found["measures"]) == set(MEASURES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: irb.PairedCounts([[1, 2], [3, 4]]),
            r"`table` must have the shape \(..., 2, 2, 2\)",
        ),
        (
            lambda: irb.PairedCounts(-np.ones((2, 2, 2))),
            r"`table` must be from 0 to 2\^52; found -1",
        ),
        (lambda: irb.PairedCounts(USUAL, 0), "`prior` must be a number above 0, or an array"),
        (
            lambda: irb.PairedCounts(EMPTY, 1e-3).prob_superior(),
            "`prior` must be 0.05 or more for f where a cell is empty",
        ),
        (
            lambda: irb.PairedCounts(USUAL).prob_superior("prevalence"),
            "`measure` must be one of 'f', 'precision'",
        ),
        (lambda: irb.PairedCounts(USUAL).prob_superior(beta=-1), "`beta` must be 0 or more"),
        (
            lambda: irb.PairedCounts(USUAL).difference_interval(method="tango"),
            "`measure` must be accuracy, recall or specificity for method='tango'; found 'f'",
        ),
        (
            lambda: irb.PairedCounts(np.array(USUAL) / 3).mcnemar(),
            "`table` must have whole counts for McNemar's test",
        ),
        (lambda: irb.PairedCounts(USUAL)[0], "a single table cannot be indexed"),
        (
            lambda: irb.PairedCounts.from_labels([1, 0], [1, 0], [1, 0], weights=[1]),
            "`weights` must have one number for",
        ),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(irb.InputError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def test_small_priors_where_no_cell_is_empty():
    full = np.maximum(USUAL, 1)
    assert irb.PairedCounts(full, 1e-6).prob_superior().probability == pytest.approx(
        irb.PairedCounts(full, 0.1).prob_superior().probability, abs=0.01
    )


# pandas' indexes
# ----------------------------------------------------------------------------------------


def test_indexes_that_differ_are_refused():
    """Rows of different objects were joined by position."""
    pd = pytest.importorskip("pandas")
    one, other = pd.Series([3, 4], index=["a", "b"]), pd.Series([4, 3], index=["b", "a"])
    message = "must have the same index, in the same order; found 'a' and 'b' at position 0"
    for make in (
        lambda: irb.CountsPosterior(one, other, 1),
        lambda: irb.CountsPosterior(1, one, 2, tn=other),
        lambda: irb.CountsPosterior.from_labels(one, other, positive=3),
        lambda: irb.CountsPosterior.from_labels(one, one, positive=3, weights=other),
        lambda: irb.PairedCounts.from_labels(one, one, other, positive=3),
        lambda: irb.counts.paired_comparison_from_labels(one, other, one),
    ):
        with pytest.raises(irb.InputError, match=message):
            make()
    with pytest.raises(
        irb.InputError, match="`tp` and `fp` must have the same index, in the same order; found 2"
    ):
        irb.CountsPosterior(one, one[:1], 1)
    marks = pd.DataFrame({"x": [1, 0], "y": [0, 0]})
    with pytest.raises(irb.InputError, match="`truth` and `prediction` must have the same columns"):
        irb.CountsPosterior.from_labels(marks, marks[["y", "x"]])


def test_equal_indexes_and_arrays_are_taken():
    pd = pytest.importorskip("pandas")
    one, other = pd.Series([3, 4], index=["a", "b"]), pd.Series([4, 3], index=["a", "b"])
    assert irb.CountsPosterior(one, other, np.array([1, 2])).fp.tolist() == [4, 3]
    assert irb.CountsPosterior.from_labels(one, other.to_numpy(), positive=3).fn == 1
    assert (
        irb.CountsPosterior.from_labels(pd.Series([1, 0]), pd.Series([1, 0], index=range(2))).tp
        == 1
    )


# The command line
# ---------------------------------------------------------------------------------------


@pytest.fixture
def labels(tmp_path):
    for name, words in (("truth", "1 1 0 0 1 1"), ("a", "1 1 0 1 1 0"), ("b", "1 0 1 1 0 0")):
        (tmp_path / name).write_text("\n".join(words.split()) + "\n")
    return [
        "counts",
        "--truth",
        tmp_path / "truth",
        "--prediction",
        tmp_path / "a",
        "--prediction",
        tmp_path / "b",
    ]


@pytest.mark.parametrize(
    ("options", "measure", "margin"),
    [
        (("--measure", "recall", "--margin", "0.1"), "recall", 0.1),
        pytest.param((), "f", 0.0, marks=pytest.mark.long),
    ],
)
def test_files_of_labels_are_compared_on_the_same_objects(labels, options, measure, margin):
    pairs = irb.PairedCounts.from_labels([1, 1, 0, 0, 1, 1], [1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 0])
    rows = json.loads(run_cli(*labels, *options, "-f", "json").stdout)["rows"]
    assert rows[1]["P(first better on the same objects)"] == pytest.approx(
        pairs.prob_superior(measure, margin=margin).probability
    )
    assert not any("different" in name for row in rows for name in row)
    interval = pairs.difference_interval(measure)
    assert [
        rows[1][name] for name in ("difference", "difference.low", "difference.high")
    ] == pytest.approx([interval.estimate, interval.low, interval.high])
    assert rows[0]["difference"] is None


@pytest.mark.long
def test_tables_of_the_same_objects(labels):
    pairs = irb.PairedCounts.from_labels([1, 1, 0, 0, 1, 1], [1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 0])
    table = list(csv.DictReader(run_cli(*labels, "-f", "csv").stdout.splitlines()))
    assert not any("different" in name for name in table[0])
    shown = run_cli(*labels).stdout
    assert "same objects" in shown
    assert "different" not in shown
    assert f"{pairs.prob_superior().probability:.4f}" in shown


def test_counts_alone_are_compared_as_of_different_objects():
    done = run_cli("counts", "--tp", 10, "--fp", 10, "--fn", 5, "--tp", 3, "--fp", 2, "--fn", 3)
    assert "P(A better in F1; different objects)" in done.stdout
    done = run_cli(
        "counts", "--tp", 10, "--fp", 10, "--fn", 5, "--tp", 3, "--fp", 2, "--fn", 3, "-f", "csv"
    )
    assert "P(first better if tested on different data)" in done.stdout


def test_measures_that_pairs_lack_are_refused(labels):
    done = run_cli(*labels, "--measure", "prevalence")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--measure must be one of 'f', 'precision'" in done.stderr
