"""Queries without a relevant document, and documents that are their own query."""

import json
import random

import numpy as np
import pytest
from commands import run_cli

import irbounds as irb
from irbounds.warnings import RunWarning

MEASURES = "AP nDCG@5 P@3 RR"
SUBTOPICS = "StRecall@3 alpha_nDCG@5"


def random_data(seed, grades=(0, 0, 0, 1, 2)):
    """Some queries have no relevant document, some are documents, some are not retrieved."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(8)]
    qrels = {f"q{i}": {d: rng.choice(grades) for d in rng.sample(docs, 3)} for i in range(12)}
    qrels["q0"] = {"d1": 0}
    run = {
        query: {d: float(rng.randint(0, 4)) for d in [*rng.sample(docs, 5), query]}
        for query in list(qrels)[1:]
    }
    return qrels, run


def same(found, wanted):
    assert found.query_ids == wanted.query_ids
    for name in ("values", "low", "high", "unjudged_low", "unjudged_high"):
        ours, other = getattr(found, name), getattr(wanted, name)
        assert (ours is None) == (other is None)
        assert ours is None or np.array_equal(ours, other)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("measures", "level", "options"),
    [
        (MEASURES, 1, {"bounds": True}),
        ("P(rel=2)@3 AP(rel=2)", 2, {}),
        ("nDCG ERR", 1, {"judged_only": True}),
        ("nDCG(gains={1:0,2:1})", 2, {}),
        ("AP P@2", 1, {"unjudged": "bounds"}),
        ("AP P@2", 1, {"unjudged": 0.25}),
        ("AP NumRet", 1, {"missing": "skip"}),
    ],
)
def test_skipping_is_leaving_out_of_the_judgments(seed, measures, level, options):
    qrels, run = random_data(seed)
    kept = {q: own for q, own in qrels.items() if max(own.values()) >= level}
    lacking = tuple(q for q in qrels if q not in kept)
    assert lacking
    wanted = irb.evaluate(kept, run, measures, **options)
    for source in (run, irb.Run(run), irb.Run(run).to_frame("pandas")):
        found = irb.evaluate(qrels, source, measures, no_relevant="skip", **options)
        same(found, wanted)
        assert found.missing_queries == wanted.missing_queries
        assert found.no_relevant_queries == lacking
        n = len(lacking)
        words = f"{n} {'query' if n == 1 else 'queries'} without a relevant document, left out"
        assert words in repr(found)
    zero = irb.evaluate(qrels, run, measures, **options)
    assert set(zero.no_relevant_queries) == {*lacking} & {*zero.query_ids}
    assert "counted as 0" in repr(zero) or "missing" in options
    with pytest.raises(irb.InputError, match="has no document that is relevant by"):
        irb.evaluate(qrels, run, measures, no_relevant="error", **options)
    assert (
        irb.evaluate(kept, run, measures, no_relevant="error", **options).no_relevant_queries == ()
    )


@pytest.mark.parametrize("measures", [SUBTOPICS, f"{SUBTOPICS} AP", "P_IA@2 AP"])
def test_skipping_with_subtopics(measures):
    qrels, run = random_data(1, (0, 0, 1))
    nested = {q: {d: {"1": grade, "2": 0} for d, grade in own.items()} for q, own in qrels.items()}
    kept = {q: nested[q] for q, own in qrels.items() if max(own.values())}
    found = irb.evaluate(
        nested, run, measures, no_relevant="skip", bounds=SUBTOPICS not in measures
    )
    same(found, irb.evaluate(kept, run, measures, bounds=SUBTOPICS not in measures))
    assert set(found.no_relevant_queries) == set(nested) - set(kept)
    assert len(irb.evaluate(nested, run, measures).no_relevant_queries) == len(nested) - len(kept)
    with pytest.raises(irb.InputError, match="no document that is relevant"):
        irb.evaluate(nested, run, measures, no_relevant="error")


def test_what_cannot_be_skipped():
    qrels, run = {"a": {"d": 1}, "b": {"d": 2}}, {"a": {"d": 1}, "b": {"d": 1}}
    with pytest.raises(irb.InputError, match=r"leaves out other queries by AP.rel=2"):
        irb.evaluate(qrels, run, "AP AP(rel=2)", no_relevant="skip")
    with pytest.raises(irb.InputError, match="no query has a relevant document"):
        irb.evaluate(qrels, run, "AP(rel=3)", no_relevant="skip")
    with pytest.raises(irb.InputError, match="`no_relevant` must be one of"):
        irb.evaluate(qrels, run, "AP", no_relevant="drop")
    assert irb.evaluate(qrels, run, "NumRet Judged", no_relevant="error").no_relevant_queries == ()


def test_a_dict_and_a_frame_of_one_filter():
    """A query of which a filter leaves no row is in the dict, and not in the frame."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"query_id": ["a", "c"], "doc_id": ["i1", "i3"], "relevance": [5, 4]})
    run = {"a": {"i1": 0.9}, "b": {"i2": 0.8}, "c": {"i9": 0.7}}
    for qrels in ({"a": {"i1": 5}, "b": {}, "c": {"i3": 4}}, frame):
        assert irb.evaluate(qrels, run, "Success@2", no_relevant="skip").mean == {"Success@2": 0.5}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measures", [MEASURES, SUBTOPICS])
@pytest.mark.parametrize("options", [{}, {"unjudged": 0.5}, {"unjudged": "bounds"}])
def test_documents_that_are_the_query(seed, measures, options, tmp_path):
    if measures == SUBTOPICS and options:
        pytest.skip("no such bounds")
    qrels, run = random_data(seed, (0, 0, 1))
    if measures == SUBTOPICS:
        qrels = {q: {d: {"1": g} for d, g in own.items()} for q, own in qrels.items()}
    run["q3"] = {"q3": 1.0}
    wanted = {q: {d: s for d, s in own.items() if d != q} for q, own in run.items()}
    irb.Run(run).to_trec(tmp_path / "run")
    forms = [run, irb.Run(run), tmp_path / "run", irb.Run(run).to_frame("polars")]
    for source in forms:
        found = irb.evaluate(qrels, source, measures, drop_self=True, **options)
        same(found, irb.evaluate(qrels, wanted, measures, **options))
        assert found.missing_queries == ("q0", "q3")
    assert irb.Run(run).without_self().to_dict() == wanted
    assert irb.Run(wanted).without_self().to_dict() == wanted


def commands(qrels, run, other, **options):
    yield irb.compare(qrels, {"a": run, "b": other}, MEASURES, **options)
    yield irb.compare(qrels, {"a": run, "b": other}, "AP", unjudged="bounds", **options)
    yield irb.gate(qrels, run, other, "AP", **options)
    yield irb.gate(qrels, run, other, "AP", unjudged="bounds", min_judged=0.1, **options)


@pytest.mark.filterwarnings("ignore::irbounds.warnings.IrboundsWarning")
@pytest.mark.parametrize("options", [{"no_relevant": "skip"}, {"drop_self": True}])
def test_comparisons(options):
    qrels, run = random_data(7)
    other = {q: {d: -s for d, s in own.items()} for q, own in run.items()}
    kept, runs = qrels, [run, other]
    if "no_relevant" in options:
        kept = {q: own for q, own in qrels.items() if max(own.values())}
    else:
        runs = [{q: {d: s for d, s in own.items() if d != q} for q, own in x.items()} for x in runs]
    for found, wanted in zip(
        commands(qrels, run, other, **options), commands(kept, *runs), strict=True
    ):
        ours, theirs = found.to_dict(), wanted.to_dict()
        lacking = set(ours.pop("no_relevant_queries", ())), theirs.pop("no_relevant_queries", ())
        assert lacking[0] == (set(qrels) - set(kept) or set(lacking[1]))
        for record in (ours, theirs):
            record.pop("skips_no_relevant", 0)
            record.pop("judged", 0)  # of all queries
        assert str(ours) == str(theirs)
        assert ("without a relevant document, left out" in found.to_text()) == (kept is not qrels)


@pytest.mark.filterwarnings("error::irbounds.warnings.RunWarning")
def test_a_caution_where_queries_retrieve_themselves():
    qrels = {f"t{i}": {f"t{i}c": 1} for i in range(20)}
    run = {f"t{i}": {f"t{i}": 9.0, f"t{i}c": 5.0} for i in range(20)}
    with pytest.warns(RunWarning, match="^run: 20 of 20 queries retrieved a document of the query"):
        assert irb.evaluate(qrels, run, "RR").mean["RR"] == 0.5
    for source in (irb.Run(run), irb.Run(run).to_frame("pyarrow")):
        with pytest.warns(RunWarning, match="drop_self=True"):
            irb.evaluate(qrels, source, "RR")
    assert irb.evaluate(qrels, run, "RR nDCG@10", drop_self=True).mean == {"RR": 1, "nDCG@10": 1}
    few = {q: own if i % 5 else {f"{q}c": 5.0, "x": 1.0} for i, (q, own) in enumerate(run.items())}
    irb.evaluate(qrels, few, "RR")
    judged = {q: {**own, q: 1} for q, own in qrels.items()}  # found, as was wanted
    irb.evaluate(judged, run, "RR")


@pytest.mark.filterwarnings("ignore::irbounds.warnings.IrboundsWarning")
def test_commands_say_it_once(tmp_path):
    qrels, run = random_data(3)
    irb.Qrels(qrels).to_trec(tmp_path / "qrels")
    for name in ("a", "b"):
        irb.Run(run).to_trec(tmp_path / name)
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    lacking = [q for q, own in qrels.items() if not max(own.values())]
    line = f"{len(lacking)} queries without a relevant document, "
    for command in ("eval", "compare", "gate"):
        found = run_cli(command, *files, "-m", "AP")
        assert (found.stderr + found.stdout).count(line + "counted as 0") == 1, command
        assert found.stderr.count("--drop-self") == 2
        found = run_cli(command, *files, "-m", "AP", "--no-relevant", "skip", "--drop-self")
        assert (found.stderr + found.stdout).count(line + "left out") == 1, command
        assert "--drop-self" not in found.stderr
        found = run_cli(command, *files, "-m", "AP", "--no-relevant", "error")
        assert found.returncode == 2
        assert "has no document that is relevant by AP" in found.stderr
    found = run_cli("eval", *files, "-m", "AP", "--no-relevant", "skip", "-f", "json")
    (record, _) = json.loads(found.stdout)
    assert (record["no_relevant"], record["no_relevant_queries"]) == ("skip", lacking)


@pytest.mark.usefixtures("empty_pictures")
@pytest.mark.filterwarnings("ignore::irbounds.warnings.IrboundsWarning")
def test_the_report_says_it():
    pytest.importorskip("matplotlib")
    qrels, run = random_data(3)
    options = {"date": "2026-01-31", "no_relevant": "skip", "drop_self": True}
    page = irb.report_runs(qrels, {"a": run, "b": run}, "AP", **options)
    assert page.count("queries without a relevant document, left out") == 1
