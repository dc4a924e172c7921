"""Warnings of runs whose documents are not judged, or that are nothing but ties."""

import pickle
import unicodedata
import warnings

import numpy as np
import pytest
from commands import run_cli

import irbounds as irb
from irbounds.warnings import RunWarning

pytestmark = pytest.mark.filterwarnings("error::irbounds.warnings.RunWarning")
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1, "d4": -1}}
GOOD = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0, "x": 1.0}}
OTHER_IDS = {"q1": {"1": 2.0, "2": 1.0}, "q2": {"3": 1.0, "4": 1.0}, "q9": {"d1": 1.0, "d2": 1.0}}
TIED = {"q1": {"d1": 2.0, "d2": 2.0}, "q2": {"d3": 0.0, "x": -0.0, "y": 0.0}, "q9": {"d1": 1.0}}
NOT_JUDGED = "none of its 4 documents is judged: are these the document ids of the judgments?"
ONLY_TIES = "all documents have the same score, in all 2 queries with two documents or more"


def said(call):
    """The warnings of a call, and the files that they name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RunWarning)
        call()
    found = [warning for warning in caught if warning.category is RunWarning]
    assert all(warning.filename == __file__ for warning in found)
    return [str(warning.message) for warning in found]


def test_a_run_of_other_ids():
    assert said(lambda: irb.evaluate(QRELS, OTHER_IDS, "AP")) == [f"run: {NOT_JUDGED}"]
    assert said(lambda: irb.evaluate(QRELS, OTHER_IDS, "AP", judged_only=True)) != []


def test_a_run_of_ties():
    assert said(lambda: irb.evaluate(QRELS, TIED, "AP")) == [f"run: {ONLY_TIES}"]


def test_a_run_of_negative_grades():
    """Its ids are those of the judgments."""
    run = {"q1": {"x": 2.0}, "q2": {"d4": 2.0, "y": 1.0}}
    wanted = "run: none of its 3 documents is judged: negative grades, 1 here, mean unjudged"
    assert said(lambda: irb.evaluate(QRELS, run, "AP")) == [wanted]


def test_judgments_of_one_subtopic():
    wanted = (
        "run: no query of the judgments has a second subtopic: are the subtopics in column 2 "
        "(iteration)?"
    )
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    one = {"q1": {"d1": {"0": 1}, "d2": {"0": 0}}}
    two = {"q1": {"d1": {"0": 1}, "d2": {"1": 0}}}
    for measures in ("alpha_nDCG@5", "StRecall@5 AP"):
        assert said(lambda measures=measures: irb.evaluate(one, run, measures)) == [wanted]
        assert said(lambda measures=measures: irb.evaluate(two, run, measures)) == []


def test_a_grade_that_no_judgment_has():
    qrels, run = {"q": {"a": 2, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    assert said(lambda: irb.evaluate(qrels, run, "AP AP(rel=2) nDCG ERR(max_rel=9)")) == []
    end = "or scale the grades; are qrels and run swapped?"
    assert said(lambda: irb.evaluate(qrels, run, "AP(rel=9)")) == [
        "run: no judgment has the lowest grade that AP(rel=9) counts as relevant, 9, or a higher "
        f"one (the highest is 2): give rel=, as in AP(rel=2), {end}"
    ]
    assert said(lambda: irb.evaluate(qrels, run, "AP P(rel=3)@5 RR(rel=9)")) == [
        "run: no judgment has the lowest grade that each of 2 measures, as P(rel=3)@5, count as "
        f"relevant, 3, or a higher one (the highest is 2): give rel=, as in P(rel=2)@5, {end}"
    ]


LOW = {"q": {"a": 0.9, "b": 0.4}, "p": {"a": 0.5}}
NEVER = {"q": {"a": 0, "b": 0}, "p": {"a": 0}}


@pytest.mark.parametrize("measure", ["AP", "P@1", "RR", "R@5", "Rprec", "Bpref", "SetF", "RBP"])
@pytest.mark.parametrize("qrels", [LOW, NEVER])
def test_grades_that_no_measure_reaches(measure, qrels, tmp_path):
    """As language models give them, of judgments that are all 0, and of swapped arguments."""
    run = {"q": {"a": 2, "b": 1}, "p": {"a": 1.0, "b": 0}}
    start = "no judgment has "
    rows = [(q, d, v) for q, own in qrels.items() for d, v in own.items()]
    columns = dict(
        zip(["query_id", "doc_id", "score"], map(list, zip(*rows, strict=True)), strict=True)
    )
    path = tmp_path / "qrels.csv"
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join(["query_id,doc_id,relevance", *lines]))
    sources = [qrels, irb.Qrels(qrels), path, pytest.importorskip("pandas").DataFrame(columns)]
    for source in sources:
        (line,) = said(lambda source=source: irb.evaluate(source, run, measure))
        assert start in line
    ids = np.array([["a", "b"]] * 2)
    evaluator = irb.Evaluator(qrels, measure)
    (line,) = said(lambda: evaluator.evaluate_topk(["q", "p"], ids))
    assert start in line
    assert said(lambda: evaluator.evaluate_topk(["q", "p"], ids)) == []  # once
    evaluator = irb.Evaluator(qrels, measure)
    assert len(said(lambda: evaluator.evaluate_many({"a": run, "b": run}))) == 1
    if measure != "SetF":
        calls = [
            lambda: irb.compare(qrels, {"a": run, "b": {"q": run["q"]}}, measure),
            lambda: irb.gate(qrels, run, run, measure),
        ]
        for call in calls:
            assert sum(start in line for line in said(call)) == 1


def test_graded_measures_need_a_grade_above_0():
    run = {"q": {"a": 2, "b": 1}}
    assert said(lambda: irb.evaluate(LOW, run, "nDCG DCG ERR Judged NumRet")) == []
    (line,) = said(lambda: irb.evaluate(NEVER, run, "nDCG NumRet"))
    assert line == (
        "run: no judgment has a grade above 0, so nDCG finds nothing relevant: are qrels and run "
        "swapped, or the grades in another column?"
    )
    assert said(lambda: irb.evaluate(NEVER, run, "Judged NumRet P(rel=0)@2")) == []
    subtopics = {"q": {"a": {"1": 0.5, "2": 0.25}}}
    (line,) = said(lambda: irb.evaluate(subtopics, run, "StRecall@2"))
    assert "StRecall" in line


def test_ranks_against_scores(tmp_path):
    """Distances written as scores, and columns in the wrong order."""
    path, judged = tmp_path / "run", {"q": {"a": 1}, "p": {"b": 1}}
    for lines, wanted in (
        (["q Q0 a 1 0.1 t", "q Q0 b 2 0.9 t", "q Q0 c 3 1.4 t"], "in all 3 rows lower ranks"),
        (["q Q0 a 0 0.1 t", "q Q0 b 1 0.9 t", "p Q0 b 0 3 t", "p Q0 a 1 4 t"], "distances"),
        (["q Q0 a 0.9 1 t", "q Q0 b 0.5 2 t"], "are rank and score swapped?"),
        ([f"q Q0 d{i} {i} {i / 7} t" for i in range(9000)] + ["q Q0 a 9 -1 t"], "the first "),
        (["q Q0 a 1 0.9 t", "q Q0 b 2 0.1 t"], ""),
        (["q Q0 a 1 0.1 t", "q Q0 b 2 0.9 t", "p Q0 a 1 2 t", "p Q0 b 2 1 t"], ""),
        (["q Q0 a 0 0.1 t", "q Q0 b 0 0.9 t"], ""),
        (["q Q0 a 1 2 t", "q Q0 b 2 2 t", "q Q0 c 3 1 t"], ""),
        (["q Q0 a 1 0.1 t", "p Q0 b 2 0.9 t"], ""),
    ):
        path.write_text("\n".join([*lines, ""]))
        found = said(lambda: irb.evaluate(judged, path, "P@5"))
        assert len([line for line in found if "rank" in line]) == bool(wanted), lines[:3]
        assert wanted in "".join(found)


def test_a_single_query_of_ties():
    run = {"q1": {"d1": 2.0, "d2": 2.0}, "q2": {"d3": 1.0}}
    assert said(lambda: irb.evaluate(QRELS, run, "AP")) == [
        "run: all documents have the same score, in the only query with two documents or more"
    ]


def test_both():
    run = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1, "d": 1}}
    assert said(lambda: irb.evaluate(QRELS, run, "AP")) == [
        f"run: {NOT_JUDGED}",
        f"run: {ONLY_TIES}",
    ]


@pytest.mark.parametrize(
    "run",
    [
        GOOD,
        {"q1": {}, "q2": {"d3": 1.0}},
        {"q1": {"d1": 1.0}, "q2": {"d3": 1.0}},  # one document does not tie
        {"q1": {"x": 1.0, "y": 1.0}, "q2": {"d3": 1.0, "y": 2.0}},
        {**OTHER_IDS, "q1": {"d2": 1.0, "z": 2.0}},  # judged as not relevant
        {**TIED, "q1": {"d1": 2.0, "d2": np.nextafter(2.0, 3)}},
    ],
)
def test_other_runs_are_not_warned_of(run):
    assert said(lambda: irb.evaluate(QRELS, run, "AP")) == []


def test_a_judgment_below_0_is_none():
    assert said(lambda: irb.evaluate(QRELS, {"q2": {"d4": 1.0}}, "AP")) != []


def test_every_way_to_evaluate(tmp_path):
    path = tmp_path / "tied.run"
    irb.Run.from_dict(TIED).to_trec(path)
    evaluator = irb.Evaluator(QRELS, "AP")
    frame = {"query_id": ["q1", "q1"], "doc_id": ["x", "y"], "score": [1.0, 2.0]}
    pandas = pytest.importorskip("pandas")
    topk = np.array([["x", "y"], ["z", "u"]])
    for call, name, n in (
        (lambda: evaluator.evaluate(path), "tied.run", 1),
        (lambda: evaluator.evaluate(irb.Run.of(TIED)), "run", 1),
        (lambda: evaluator.evaluate(pandas.DataFrame(frame)), "run", 1),
        (lambda: evaluator.evaluate_topk(["q1", "q2"], topk), "run", 1),
        (lambda: evaluator.evaluate_many({"a": GOOD, "b": TIED, "c": OTHER_IDS}, jobs=2), "b", 2),
        (lambda: irb.compare(QRELS, {"a": GOOD, "b": TIED}, "AP"), "b", 1),
        (lambda: irb.gate(QRELS, GOOD, TIED, "AP"), "new", 1),
    ):
        lines = said(call)
        assert len(lines) == n
        assert lines[0].split(": ")[0].endswith(name)


def test_measures_of_subtopics_are_warned_of_once():
    qrels = {"q1": {"d1": {"1": 1, "2": 1}, "d2": {"3": 1}}}
    evaluator = irb.Evaluator(qrels, "StRecall@1 AP")
    run = {"q1": {"x": 2.0, "y": 1.0}}
    line = "none of its 2 documents is judged: are these the document ids of the judgments?"
    assert said(lambda: evaluator.evaluate(run)) == [f"run: {line}"]
    assert said(lambda: evaluator.evaluate_many({"a": run})) == [f"a: {line}"]


def test_cautions_are_kept_with_the_evaluation():
    with pytest.warns(RunWarning):
        evaluation = irb.evaluate(QRELS, TIED, "AP")
    assert evaluation.cautions == (ONLY_TIES,)
    assert pickle.loads(pickle.dumps(evaluation)).cautions == (ONLY_TIES,)
    assert irb.evaluate(QRELS, GOOD, "AP").cautions == ()


def test_commands_say_it_on_a_line(tmp_path):
    files = {}
    for name, data in (
        ("qrels", irb.Qrels.from_dict(QRELS)),
        ("good", irb.Run.from_dict(GOOD)),
        ("tied", irb.Run.from_dict(TIED)),
        ("other", irb.Run.from_dict(OTHER_IDS)),
    ):
        files[name] = str(tmp_path / name)
        data.to_trec(files[name])
    for command in ("eval", "compare", "gate"):
        runs = [files["good"], files["tied"]]
        found = run_cli(command, files["qrels"], *runs, "-m", "AP")
        assert found.stderr.count("all documents have the same score, in all 2 queries") == 1, (
            command
        )
        runs = [files["good"], files["other"]]
        found = run_cli(command, files["qrels"], *runs, "-m", "AP")
        assert found.stderr.count("none of its 4 documents is judged") == 1, command


@pytest.mark.usefixtures("empty_pictures")
def test_the_report_says_it():
    pytest.importorskip("matplotlib")
    with pytest.warns(RunWarning, match="^b: all documents have the same score"):
        page = irb.report_runs(QRELS, {"a": GOOD, "b": TIED}, "AP", date="2026-01-31")
    assert f"b: {ONLY_TIES}" in page


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC")])
def test_ids_in_another_form_of_unicode(forms):
    one, other = (unicodedata.normalize(form, "caf\u00e9") for form in forms)
    with pytest.warns(RunWarning, match="is judged: .*look alike"):
        irb.evaluate({"q": {one: 1}}, {"q": {other: 2.0, "d": 1.0}}, "RR")
    with pytest.raises(irb.InputError, match=r"none of its queries is judged: .*look alike"):
        irb.evaluate({one: {"d": 1}}, {other: {"d": 1.0}}, "RR")
    some = {one: {"d": 1}, "q": {"d": 1}}, {other: {"d": 1.0}, "q": {"d": 1.0}}
    with pytest.warns(RunWarning, match="it lacks 1 judged query; .*look alike"):
        irb.evaluate(*some, "RR")
    with pytest.raises(irb.InputError, match=r"lacks the judged query .*look alike"):
        irb.evaluate(*some, "RR", missing="error")


def test_arrays_of_probabilities_as_grades():
    """`rank_measures` warns as `evaluate` does, but not where nothing relevant was retrieved."""
    with pytest.warns(RunWarning, match=r"rank_measures: no judgment has .*the highest is 0.5"):
        assert irb.rank_measures([[3, 2, 1]], [[0.5, 0.2, 0]], "RR").mean == {"RR": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irb.rank_measures([[3, 2, 1]], [[0, 0, 0]], "RR AP")
        irb.rank_measures([[3, 2, 1]], [[0.5, 0.2, 0]], "nDCG")
