"""Reports of runs with bounds over labels of unjudged documents."""

import re

import pytest

import irbounds as irb

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
DAY = "2026-01-31"


def test_what_labels_make_of_a_difference_is_said():
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(6)}
    runs = {
        "bad": {q: {"d2": 2, "x": 1} for q in qrels},
        "good": {q: {"d1": 2, "x": 1} for q in qrels},
        "open": {q: {"y": 2, "x": 1} for q in qrels},
    }
    page = irb.report_runs(qrels, runs, "P@1", date=DAY, unjudged="bounds", unjudged_hidden=3)
    compared = irb.compare(qrels, runs, "P@1", baseline="bad", unjudged="bounds")
    rows = re.findall(r'<tr data-run="(\w+)" data-measure="P@1">(.*?)</tr>', page, re.DOTALL)
    said = {run: row for run, row in rows if "data-what" in row}
    for run, word in (("good", "stands"), ("open", "labels decide")):
        assert word in said[run]
        bounds = compared.between(run, "bad").unjudged_bounds
        assert [float(x) for x in re.findall(r'value="([^"]+)"', said[run])][1:3] == list(bounds)
    assert 'id="labels"' in page
    assert "be relevant: up to 3 for each query" in page
    plain = irb.report_runs(qrels, runs, "P@1", date=DAY)
    assert 'id="labels"' not in plain
    assert "Over labels" not in plain
