"""Comparisons as they are printed, written and looked up."""

import json
import pickle
import warnings

import numpy as np
import pytest
from comparisons import OLD_WARNING, evaluations, of_differences

import irbounds as irb
from irbounds.comparison.significance.table import TESTS


@pytest.fixture
def comparison():
    rng = np.random.default_rng(10)
    qrels = {f"q{q}": {f"d{d}": int(d < 3) for d in range(12)} for q in range(16)}

    def run(noise):
        return {
            query: {d: round(grade + noise * rng.normal(), 1) for d, grade in documents.items()}
            for query, documents in qrels.items()
        }

    return irb.compare(
        qrels,
        {"bm25": run(2), "dense_1": run(0.5), "s&p": run(0.7)},
        "AP nDCG@5",
        rng=1,
        resamples=999,
    )


def test_a_comparison_is_frozen_and_pickles(comparison):
    with pytest.raises(AttributeError):
        comparison.test = "t"
    copy = pickle.loads(pickle.dumps(comparison))
    assert copy.differences == comparison.differences
    for own in (comparison, copy):
        with pytest.raises(ValueError, match="read-only"):
            own.values[0, 0, 0] = 1


def test_look_up(comparison):
    assert [one.measure for one in comparison["ndcg_cut_5"]] == ["nDCG@5"] * 3
    assert comparison.between("dense_1", "bm25", "AP") in comparison.differences
    with pytest.raises(irb.InputError, match="pass `measure`, one of AP, nDCG@5"):
        comparison.between("bm25", "dense_1")
    with pytest.raises(KeyError, match="'x' and 'bm25' were not compared"):
        comparison.between("x", "bm25", "AP")
    with pytest.raises(KeyError, match="RR was not compared"):
        comparison["RR"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(comparison, backend):
    frame = comparison.to_frame(backend)
    names = list(frame.columns if backend != "pyarrow" else frame.column_names)
    assert names[:3] == ["measure", "run", "against"]
    assert frame.shape == (6, len(names))
    assert list(
        map(float, frame["p_value"].to_pylist() if backend == "pyarrow" else frame["p_value"])
    ) == [one.p_value for one in comparison.differences]
    assert comparison.to_frame(backend, rows="runs").shape == (6, 5)
    with pytest.raises(
        irb.InputError, match="`rows` must be 'runs' or 'differences'; found 'queries'"
    ):
        comparison.to_frame(backend, rows="queries")


def test_csv_and_json(comparison):
    import csv
    import io
    import json

    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert [float(row["difference"]) for row in rows] == [
        one.difference for one in comparison.differences
    ]
    assert [float(row["tie_bounds.low"]) for row in rows] == [
        one.tie_bounds.low for one in comparison.differences
    ]
    report = json.loads(comparison.to_json())
    assert (report["test"], report["seed"], report["n_queries"]) == ("permutation", 1, 16)
    assert [one["p_value"] for one in report["differences"]] == [
        one.p_value for one in comparison.differences
    ]
    assert report["runs"][0]["means"] == comparison.means["bm25"]


def test_latex(comparison):
    table = comparison.to_latex()
    assert r" & run & AP & nDCG@5 \\" in table
    assert r"b & dense\_1 & " in table
    assert r"s\&p" in table
    worse = comparison.between("dense_1", "bm25", "AP")
    assert worse.is_significant
    assert worse.difference > 0
    [line] = [line for line in table.splitlines() if line.startswith("b &")]
    assert "$^{a" in line
    differences = comparison.to_latex("differences")
    assert differences.count(r"\\") == 7
    assert "−" not in differences.split("toprule")[1]


def test_names_that_break_rows_and_tables():
    name = "a_b&c%d\\e$f#g{h}~^ <x> |\nnext"
    qrels = {f"q{q}": {"x": 1, "y": 0} for q in range(5)}
    run = {query: {"x": 1, "y": 2} for query in qrels}
    comparison = irb.compare(qrels, {name: run, "b": run}, "AP", test="t")
    row = next(line for line in comparison.to_latex().splitlines() if line.startswith("a &"))
    assert (
        r"a\_b\&c\%d\textbackslash{}e\$f\#g\{h\}\textasciitilde{}\textasciicircum{} "
        r"\textless{}x\textgreater{} "
        r"\textbar{} next &"
    ) in row
    assert any(
        line.startswith("  a_b&c%d\\e$f#g{h}~^ <x> | next  ")
        for line in comparison.to_text().splitlines()
    )
    assert name in comparison.to_csv()
    assert json.loads(comparison.to_json())["runs"][0]["run"] == name


def test_the_best_run_of_many_has_letters():
    values = np.random.default_rng(3).normal(size=(30, 12)) + np.arange(30)[:, None]
    latex = irb.comparison.compare_evaluations(
        evaluations(values), test="t", correction=None
    ).to_latex()
    assert "ad & run 29 & " in latex
    assert "$^{a,aa,ab,ac,b," in latex


def test_nothing_else_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (irb.warnings.FewQueriesWarning, irb.warnings.NoVarianceWarning):
            warnings.simplefilter("ignore", kind)
        warnings.filterwarnings("ignore", OLD_WARNING.partition(":")[2])
        for test in TESTS:
            for values in (
                [0.0],
                [0.1],
                [0, 0],
                [0.1, 0.1],
                [0, 0, 0.1],
                [0.1] * 60,
                [0, 0.2] * 40,
            ):
                repr(of_differences(values, test=test))
