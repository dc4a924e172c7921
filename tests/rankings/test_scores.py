"""Tables of scores as evaluations."""

import gzip
import itertools
import json
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import irbounds as irb
from irbounds.rankings import read_scores

LONG = "system,unit,score\nA,q1,1\nA,q2,0.5\nB,q1,0\nB,q2,0.25\n"
ROWS = [("A", "q1", 1.0), ("A", "q2", 0.5), ("B", "q1", 0.0), ("B", "q2", 0.25)]


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def check(scores):
    assert list(scores) == ["A", "B"]
    for name, values in (("A", [1, 0.5]), ("B", [0, 0.25])):
        assert scores[name].query_ids == ("q1", "q2")
        assert scores[name].values[:, 0].tolist() == values


def objects(names=("system", "unit", "score")):
    return [dict(zip(names, row, strict=True)) for row in ROWS]


FORMS = {
    "csv": LONG,
    "with a byte order mark": "\ufeff" + LONG,
    "tsv": LONG.replace(",", "\t"),
    "semicolons and blanks": LONG.replace(",", "; "),
    "blank lines": LONG.replace("\n", "\r\n\r\n"),
    "gzip": gzip.compress(LONG.encode()),
    "jsonl": "\n".join(map(json.dumps, objects())),
    "json": json.dumps(objects()),
    "json by system": '{"A": {"q1": 1, "q2": 0.5}, "B": {"q1": 0, "q2": 0.25}}',
    "wide": "unit,A,B\nq1,1,0\nq2,.5,.25\n",
    "wide, with text": "id,question,A,B\nq1,why?,1,0\nq2,how?,.5,.25\n",
    "other names": LONG.replace("system,unit,score", "Model, Query_ID, value"),
    "in another order": "score,unit,system\n1,q1,A\n.5,q2,A\n0,q1,B\n.25,q2,B\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_a_table_give_the_same_evaluations(tmp_path, form):
    check(read_scores(written(tmp_path, "scores", FORMS[form])))


def test_frames_and_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(objects())
    check(read_scores(frame))
    check(read_scores(frame.rename(columns={"system": "llm", "unit": "n"}), "llm", "n"))
    check(read_scores(pandas.DataFrame({"unit": ["q1", "q2"], "A": [1, 0.5], "B": [0, 0.25]})))
    check(read_scores(objects(("model", "item_id", "score"))))
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "scores.parquet")
    check(read_scores(tmp_path / "scores.parquet"))
    frame.to_feather(tmp_path / "scores.arrow")
    check(read_scores(tmp_path / "scores.arrow"))


def test_a_pivot_and_an_index_without_a_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame(objects()).pivot(index="unit", columns="system", values="score")
    check(read_scores(wide))
    check(read_scores(written(tmp_path, "a.csv", ",A,B\nq1,1,0\nq2,.5,.25\n")))
    check(read_scores(written(tmp_path, "b.csv", ",unit,A,B\n7,q1,1,0\n8,q2,.5,.25\n")))


def test_several_columns_of_systems_and_of_units():
    rows = [
        {"model": "m", "prompt": prompt, "task": task, "id": 1, "score": score}
        for (prompt, task), score in zip(itertools.product("ab", "xy"), range(4), strict=True)
    ]
    with pytest.raises(irb.InputError, match="all columns that tell systems apart"):
        read_scores(rows)
    scores = read_scores(rows, ["model", "prompt"], ["task", "id"])
    assert {name: found.mean["score"] for name, found in scores.items()} == {
        "m, a": 0.5,
        "m, b": 2.5,
    }
    assert scores["m, a"].query_ids == (("x", "1"), ("y", "1"))


def test_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("system", "unit", "score"), *ROWS):
        book.active.append(row)
    book.save(tmp_path / "scores.xlsx")
    check(read_scores(tmp_path / "scores.xlsx"))
    with pytest.raises(irb.InputError, match=r"zip: (a zip archive|is not a log of Inspect)"):
        read_scores(written(tmp_path, "a.zip", b"PK\x03\x04 and more"))


def test_files_of_one_system_each(tmp_path):
    one = written(tmp_path, "a.csv", "item_id,score\nq1,1\nq2,.5\n")
    other = written(tmp_path, "b.csv", "item_id,score\nq2,.25\nq1,0\n")
    check(read_scores({"A": one, "B": other}))
    assert list(read_scores([one, other])) == ["a.csv", "b.csv"]


def test_columns_of_measures_and_a_column_of_them():
    wide = [{"run": "A", "id": "q1", "acc": 1, "f1": 0.5, "answer": "x"}]
    assert read_scores(wide)["A"].mean == {"acc": 1, "f1": 0.5}
    assert read_scores(wide, score=["f1"])["A"].mean == {"f1": 0.5}
    long = [
        {"run": "A", "id": "q1", "metric": name, "value": value}
        for name, value in (("acc", 1), ("f1", 0.5))
    ]
    assert read_scores(long)["A"].mean == {"acc": 1, "f1": 0.5}


def test_names_of_measures_are_taken_as_they_are():
    rows = [{"system": "A", "unit": i, "P": i, "MRR": i / 9, "ESL": -i} for i in range(9)]
    found = read_scores(rows, lower_is_better=["ESL"])["A"]
    assert found.measures == ("P", "MRR", "ESL")
    assert [name.spec.limits for name in found.measures] == [None, (0, 1), None]
    assert [name.spec.lower_is_better for name in found.measures] == [False, False, True]
    again = pickle.loads(pickle.dumps(found))
    assert again.measures[1].spec.limits == (0, 1)
    assert found.interval("MRR").method in ("widened-t", "t")  # "t" where it is the same
    assert found.interval("MRR").high <= 1
    assert "ties" not in repr(found)


def test_the_direction_of_a_measure_reaches_the_gate():
    rows = [{"unit": i, "old": 1 + i % 3, "new": 2 + i % 3 + i % 2 / 10} for i in range(60)]
    for lower, verdict in ((False, "pass"), (True, "fail")):
        scores = read_scores(rows, lower_is_better=lower)
        assert irb.comparison.gate_evaluations(scores["old"], scores["new"]).verdict == verdict


def test_units_that_a_system_lacks():
    rows = [*objects(), {"system": "A", "unit": "q3", "score": 1}]
    with pytest.raises(irb.InputError, match="'B' has no score for 1 unit: 'q3'"):
        read_scores(rows)
    with pytest.raises(irb.InputError, match="`missing` must be one of 'error', 'skip'"):
        read_scores(rows, missing="zero")
    scores = read_scores(rows, missing="skip")
    check(scores)
    assert scores["B"].missing_queries == ("q3",)
    with pytest.raises(irb.InputError, match="'B' has no score for 1 unit"):
        read_scores([*rows, {"system": "B", "unit": "q3", "score": None}])


def test_a_gate_does_not_pass_where_the_new_system_lacks_units():
    rows = [{"unit": i, "old": i % 5, "new": 1 + i % 5} for i in range(60)]
    for lacking, verdict in (("old", "pass"), ("new", "unclear")):
        scores = read_scores([*rows[1:], {**rows[0], lacking: ""}], missing="skip")
        gate = irb.comparison.gate_evaluations(scores["old"], scores["new"])
        assert gate.verdict == verdict
    assert "1 query of the baseline left out" in gate.reason


REFUSED = {
    "a,b\n1,2\n": r"scores: expected a column 'unit' \(or query, query_id, .*\); found a, b",
    "unit,b\nq,x\n": r"expected a column 'score' \(or value, .*, correct\); found unit, b",
    "system,unit,score\nA,q,x\n": "scores:2: column 'score' must hold numbers; found 'x'",
    "system,unit,score\nA,q,inf\n": "scores:2: column 'score' must be finite",
    "system,unit,score\nA,,1\n": "scores:2: column 'unit' has no value",
    "system,unit,score\n\nA,q\n": "scores:3: expected 3 columns, found 2",
    "system,unit,score\nA,q,1\n\nA,q,2\n": "scores:4: 'A' has two scores for unit 'q': name the "
    "column of repeats with `repeat`",
    "system,unit,score\n": "the file has a header and no rows",
    "unit,unit,score\na,b,1\n": "duplicate column 'unit'",
    "system,unit,score,group\nA,q,1,g\nB,q,1,h\n": "scores:3: unit 'q' has the group 'h' here and "
    "'g' before",
    "": "the file is empty",
    '{"A": [1]}': "expected an array of rows",
    '{"system": "A"}\n{': "scores:2: the line is not JSON",
    "PAR1 no": "the file is damaged",
}


@pytest.mark.parametrize("text", REFUSED)
def test_tables_that_are_refused(tmp_path, text):
    if text.startswith("PAR1"):
        pytest.importorskip("pyarrow")
    with pytest.raises(irb.InputError, match=REFUSED[text]) as caught:
        read_scores(written(tmp_path, "scores", text))
    assert "\n" not in str(caught.value)


def test_other_arguments_that_are_refused(tmp_path):
    rows = objects()
    with pytest.raises(irb.InputError, match=r"expected a column 'sytem'.*did you mean 'system'"):
        read_scores(rows, "sytem")
    for source, message in (
        (3, "expected the path of a table"),
        ([], "there are no rows"),
        ({}, "must have a table"),
        ([3], "must be a list of paths"),
        (tmp_path / "none.csv", "none.csv: No such file"),
    ):
        with pytest.raises(irb.InputError, match=message):
            read_scores(source)
    with pytest.raises(irb.InputError, match="lower_is_better"):
        read_scores(rows, lower_is_better=["x"])
    with pytest.raises(irb.InputError, match="expected a column 'kind'"):
        read_scores(rows, by="kind")


def test_groups_and_slices():
    rows = [{**row, "cluster": row["unit"][:1], "kind": row["unit"]} for row in objects()]
    scores = read_scores(rows, by="kind")
    assert scores.groups == {"q1": "q", "q2": "q"}
    assert scores.labels == {"kind": {"q1": "q1", "q2": "q2"}}
    assert list(scores["A"].measures) == ["score"]


def test_repeats_are_averaged_and_kept():
    rows = [
        {"system": "A", "unit": unit, "epoch": epoch, "score": score}
        for unit, own in (("q1", (0, 1, 0.5)), ("q2", (1, 0)))
        for epoch, score in enumerate(own)
    ]
    scores = read_scores(rows)
    assert scores["A"]["score"].tolist() == [0.5, 0.5]
    assert scores.repeats["A"].shape == (2, 3, 1)
    assert np.isnan(scores.repeats["A"][1, 2, 0])
    with pytest.raises(irb.InputError, match=r"two scores.*each repeat must have one"):
        read_scores([*rows, rows[0]])


def test_the_table_that_the_command_line_writes_is_read(tmp_path):
    path = written(
        tmp_path,
        "eval.csv",
        'run,query_id,AP,settings\na,q1,0.5,\na,q2,1,\na,all,0.75,"{}"\n',
    )
    assert read_scores(path)["a"].mean == {"AP": 0.75}


def test_repeats_that_move_all_units_are_told():
    rows = [
        {"system": "A", "unit": i, "seed": seed, "score": i % 7 + seed + (i * seed) % 3 / 9}
        for i in range(40)
        for seed in range(3)
    ]
    with pytest.warns(irb.warnings.RunWarning, match="A: the scores of a repeat move together"):
        scores = read_scores(rows)
    assert "design='crossed'" in scores["A"].cautions[0]
    nested, crossed = (scores.repeated("A", design=design) for design in ("nested", "crossed"))
    assert crossed.high - crossed.low > 2 * (nested.high - nested.low)
    assert nested.estimate == pytest.approx(scores["A"].mean["score"])
    assert scores.repeated("A", against="A").high == 0
    with pytest.raises(irb.InputError, match="must be one with repeats: A"):
        scores.repeated("B")


@pytest.mark.parametrize("cell", ["1_0", "\u0661", "1\u0661", "1__0"])
def test_digits_of_other_kinds_are_no_scores(cell, tmp_path):
    """Python's float reads them."""
    path = tmp_path / "scores.csv"
    path.write_text(f"system,query,score\nA,q1,{cell}\nA,q2,0\n")
    with pytest.raises(irb.InputError, match="must hold numbers"):
        irb.rankings.read_scores(path)


@pytest.mark.parametrize("make", [int, float, np.int8, np.float32, Decimal, str])
@pytest.mark.parametrize("other", [int, float, np.int64, Fraction, str])
def test_whole_numbers_are_one_unit(make, other):
    rows = [
        {"system": name, "query": kind(unit), "score": unit % 2}
        for name, kind in (("A", make), ("B", other))
        for unit in (1, 2, 30)
    ]
    found = irb.rankings.read_scores(rows)
    assert found["A"].query_ids == found["B"].query_ids == ("1", "2", "30")


@pytest.mark.parametrize("name", ["all", "mean", "Average"])
def test_a_row_of_means_is_said(name):
    rows = [
        {"query": query, "A": a, "B": b}
        for query, a, b in (("x", 1, 0), ("y", 0, 0), (name, 0.5, 0))
    ]
    with pytest.warns(irb.warnings.RunWarning, match="has the mean of the other 2 units"):
        irb.rankings.read_scores(rows)
    rows[-1]["B"] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irb.rankings.read_scores(rows)


def test_numbers_of_rows_are_no_system():
    rows = [{"id": i, "query": f"q{i}", "A": 1, "B": 0} for i in range(3)]
    assert list(irb.rankings.read_scores(rows)) == ["A", "B"]
