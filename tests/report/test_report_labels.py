"""Reports of runs with bounds over labels of unjudged documents."""

import hashlib
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


PAIR = {
    "a": {"q1": {"d1": 3, "x": 2, "d2": 2}, "q2": {"x": 2, "d2": 1}},
    "b": {"q1": {"x": 3, "d1": 2, "d2": 1}, "q2": {"d1": 2, "y": 1}},
}
JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}


@pytest.mark.parametrize("unjudged", [0.25, {"q1": {"x": 0.5}, "q2": {"y": 1.0}}, "condensed"])
def test_pages_have_the_numbers_of_compare(unjudged):
    page = irb.report_runs(JUDGED, PAIR, "AP P@2", date=DAY, unjudged=unjudged)
    compared = irb.compare(JUDGED, PAIR, "AP P@2", baseline="a", unjudged=unjudged)
    rows = re.findall(r'<tr data-run="b" data-measure="([^"]+)">(.*?)</tr>', page, re.DOTALL)
    for measure, row in rows:
        found = float(re.search(r'value="([^"]+)"', row)[1])
        assert found == pytest.approx(compared.between("b", "a", measure).difference, abs=1e-12)
    assert [measure for measure, _ in rows] == ["AP", "P@2"]
    drops = unjudged == "condensed"
    assert ("were dropped from the rankings first" in page) == drops
    assert ("Each unjudged document is relevant with" in page) != drops
    assert ("No order of ties changes a value" in page) == drops


def test_a_page_with_probabilities_gives_its_command(tmp_path):
    for name, rows in (("qrels", JUDGED), *PAIR.items()):
        lines = [(q, d, n) for q, documents in rows.items() for d, n in documents.items()]
        form = "{0} 0 {1} {2}\n" if name == "qrels" else "{0} Q0 {1} 1 {2} s\n"
        (tmp_path / name).write_text("".join(form.format(*line) for line in lines))
    files = [str(tmp_path / name) for name in PAIR]
    page = irb.report_runs(str(tmp_path / "qrels"), files, "AP", date=DAY, unjudged=0.25)
    assert "--unjudged</span> 0.25" in page
    assert "--judged-only" not in page
    page = irb.report_runs(str(tmp_path / "qrels"), files, "AP", date=DAY, unjudged="condensed")
    assert "--unjudged</span> condensed" in page
    chances = tmp_path / "chances.run"
    chances.write_text("q1 Q0 x 1 .5 s\nq2 Q0 x 1 .4 s\nq2 Q0 y 2 .3 s\n")
    page = irb.report_runs(str(tmp_path / "qrels"), files, "AP", date=DAY, unjudged=str(chances))
    assert "chances.run" in page
    assert hashlib.sha256(chances.read_bytes()).hexdigest() in page


def test_treatments_of_unjudged_documents_that_reports_refuse():
    for unjudged in ("other", 2, None, {"q1": {"d1": 0.5}}, {"q9": {"x": 0.5}}):
        with pytest.raises(irb.InputError, match="unjudged"):
            irb.report_runs(JUDGED, PAIR, "AP", unjudged=unjudged)


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 x .5\nq2 0 x .4\nq2 0 y .3\n",
        "query_id,doc_id,probability\nq1,x,.5\nq2,x,.4\nq2,y,.3\n",
        "q1 Q0 x 1 .5 s\nq2 Q0 x 1 .4 s\nq2 Q0 y 2 .3 s\n",
    ],
    ids=["form of qrels", "column of its own name", "form of a run"],
)
def test_a_page_takes_the_files_of_probabilities_that_evaluate_takes(tmp_path, text):
    chances = tmp_path / "chances"
    chances.write_text(text)
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
    page = irb.report_runs(qrels, PAIR, "AP", date=DAY, unjudged=str(chances))
    assert hashlib.sha256(chances.read_bytes()).hexdigest() in page
    table = {"q1": {"x": 0.5}, "q2": {"x": 0.4, "y": 0.3}}
    assert irb.report_runs(qrels, PAIR, "AP", date=DAY, unjudged=table) != ""
