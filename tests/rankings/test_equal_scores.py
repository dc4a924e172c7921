"""`score_precision` and `score_tolerance`: on every way in the numbers are those of the tie groups
that the definition gives."""

import itertools
import json
import shlex

import numpy as np
import pytest
from commands import assert_refused, run_cli
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.equal_scores import tie_groups

import irbounds as irb
from irbounds.rankings.data.equal_scores import ScoreRule

MEASURES = "AP nDCG@3 RR Bpref"
QRELS = {"a": {"1": 1, "2": 0, "4": 2, "6": 1, "7": 1}, "b": {"3": 1, "5": 0}}
NEAR = st.builds(
    lambda size, step, power, sign: sign * size * (1 + step * 2.0**power),
    st.sampled_from([1.0, 0.3, 1e-40, 1e300, 1e-310]),
    st.integers(0, 6),
    st.sampled_from([-50, -30, -24, -22, -10, -3]),
    st.sampled_from([1, -1]),
)
SCORES = NEAR | st.sampled_from([0.0, -0.0, np.inf, -np.inf]) | st.floats(allow_nan=False)
RULES = st.tuples(
    st.sampled_from(["float64", "float32"]),
    st.sampled_from([0.0, 2.0**-49, 1e-9, 2.0**-22, 2.0**-8, 0.5, 0.999]),
)


@settings(max_examples=50)
@given(st.lists(SCORES, max_size=30), RULES)
def test_the_definition(scores, rule):
    merged = ScoreRule(*rule).merged(np.array(scores, float)).tolist()
    rank_of = {score: rank for rank, score in enumerate(sorted(set(merged), reverse=True))}
    assert [rank_of[score] for score in merged] == tie_groups(scores, *rule)


def rows_of(run):
    return [(q, d, score) for q, documents in run.items() for d, score in documents.items()]


def as_text(run, path):
    path.write_text("".join(f"{q} Q0 {d} 1 {score!r} tag\n" for q, d, score in rows_of(run)))
    return path


def as_ungrouped_text(run, path):
    rows = sorted(rows_of(run), key=lambda row: row[1])
    path.write_text("".join(f"{q} Q0 {d} 1 {score!r} tag\n" for q, d, score in rows))
    return path


def as_frame(run, module):
    q, d, score = zip(*rows_of(run), strict=True)
    columns = {"query_id": list(q), "doc_id": list(d), "score": list(score)}
    if module == "pyarrow":
        return pytest.importorskip(module).table(columns)
    return pytest.importorskip(module).DataFrame(columns)


def assert_same(found, wanted, columns=None):
    for part in ("values", "low", "high"):
        own = getattr(found, part)
        assert np.array_equal(own, getattr(wanted, part)[:, :columns], equal_nan=True), part


@settings(max_examples=20)
@given(st.data(), RULES, st.sampled_from(["expected", "doc_id", "given"]))
def test_all_ways_in(tmp_path_factory, data, rule, ties):
    sizes = data.draw(st.sampled_from([(7, 7), (1, 4), (5, 2)]))
    docs = [data.draw(st.permutations(range(1, 8)))[:n] for n in sizes]
    run = {
        query: {str(doc): data.draw(SCORES) for doc in own}
        for query, own in zip("ab", docs, strict=True)
    }
    options = {"ties": ties, "bounds": True}
    rounded = dict(zip(("score_precision", "score_tolerance"), rule, strict=True))
    groups = {
        query: dict(zip(own, (-1.0 * g for g in tie_groups(own.values(), *rule)), strict=True))
        for query, own in run.items()
    }
    wanted = irb.evaluate(QRELS, groups, MEASURES, **options)
    evaluator = irb.Evaluator(QRELS, MEASURES, **options, **rounded)
    folder = tmp_path_factory.mktemp("runs")
    queries, documents, scores = zip(*rows_of(run), strict=True)
    runs = {
        "dict": run,
        "text": as_text(run, folder / "a.run"),
        "arrays": irb.Run.from_arrays(queries, documents, scores),
        **{module: as_frame(run, module) for module in ("polars", "pyarrow", "pandas")},
    }
    if ties != "given":
        runs["ungrouped"] = as_ungrouped_text(run, folder / "b.run")
    for found in evaluator.evaluate_many(runs, jobs=1).values():
        assert_same(found, wanted)
    width = max(sizes)
    ids = [own + [-1] * (width - len(own)) for own in docs]
    matrix = [[run[q].get(str(d), 0.0) for d in own] for q, own in zip("ab", ids, strict=True)]
    assert_same(evaluator.evaluate_topk(["a", "b"], ids, matrix), wanted)
    grades = [QRELS[query].get(document, -1) for query, document, _ in rows_of(run)]
    unseen = [
        (query, grade)
        for query, judged in QRELS.items()
        for document, grade in judged.items()
        if document not in run[query]
    ]
    plain = irb.rank_measures(
        scores,
        grades,
        MEASURES,
        groups=queries,
        unretrieved=[grade for _, grade in unseen],
        unretrieved_groups=[query for query, _ in unseen],
        doc_ids=documents,
        **options,
        **rounded,
    )
    assert_same(plain, wanted)


def test_ranks_in_the_place_of_scores_never_tie():
    evaluator = irb.Evaluator(QRELS, "AP", score_tolerance=0.5, bounds=True)
    found = evaluator.evaluate_topk(["a"], [list(range(1, 8))])
    assert np.array_equal(found.low, found.high)


def test_chains_are_of_the_whole_run():
    """Unjudged documents connect judged ones, also where they are dropped."""
    scores = {"4": 1.0, "9": 0.95, "2": 0.9}
    for options in ({"judged_only": True}, {"unjudged": "condensed"}):
        found = irb.evaluate(
            QRELS, {"a": scores}, "RR", missing="skip", score_tolerance=0.06, **options
        )
        assert found["RR"].tolist() == [0.75]


@pytest.mark.parametrize("unjudged", ["bounds", 0.25])
def test_unjudged_documents(unjudged):
    run = {"a": {"1": 0.5, "8": 0.5 + 1e-9, "2": 0.4, "4": 0.4 - 1e-12}}
    groups = {"a": {"1": 2.0, "8": 2.0, "2": 1.0, "4": 1.0}}
    own, wanted = (
        irb.evaluate(QRELS, given, "AP RR", unjudged=unjudged, **options)
        for given, options in ((run, {"score_tolerance": 1e-8}), (groups, {}))
    )
    assert np.array_equal(own.values, wanted.values)
    if unjudged == "bounds":
        assert np.array_equal(own.unjudged_low, wanted.unjudged_low)
        assert np.array_equal(own.unjudged_high, wanted.unjudged_high)


def test_comparisons_and_gates():
    rng = np.random.default_rng(3)
    qrels = {f"q{i}": {str(d): int(rng.integers(2)) for d in range(5)} for i in range(8)}
    runs, groups = {}, {}
    for name in ("old", "new"):
        level = {q: {str(d): float(rng.integers(1, 4)) for d in range(7)} for q in qrels}
        groups[name] = level
        runs[name] = {
            q: {d: x * (1 + 1e-9 * rng.random()) for d, x in own.items()}
            for q, own in level.items()
        }
    rule = {"score_precision": "float32"}
    tests = {"test": "t", "unjudged": "bounds"}
    found = irb.compare(qrels, runs, "AP P@2", **tests, **rule)
    wanted = irb.compare(qrels, groups, "AP P@2", **tests)
    assert found.to_dict() == wanted.to_dict()
    assert irb.gate(qrels, *runs.values(), "AP", **rule) == irb.gate(qrels, *groups.values(), "AP")
    asked, wanted = (
        irb.next_judgments(qrels, given, "P@2", **options).to_dict()
        for given, options in ((runs, rule), (groups, {}))
    )
    assert asked == wanted
    assert asked != irb.next_judgments(qrels, runs, "P@2").to_dict()
    graph, wanted = (
        irb.rankings.recall_precision_graph(qrels, given["new"], **options)
        for given, options in ((runs, rule), (groups, {}))
    )
    assert np.array_equal(graph.precision, wanted.precision)
    assert np.array_equal(graph.low, wanted.low)


@pytest.mark.long
def test_the_page_of_runs(tmp_path, monkeypatch):
    """It says which scores tie, and so does the command that it shows."""
    monkeypatch.chdir(tmp_path)
    irb.Qrels.from_dict(QRELS).to_trec("qrels")
    for name, scores in (("one", [0.5, 0.5 + 1e-12]), ("two", [0.25, 0.75])):
        irb.Run.from_dict({"a": dict(zip("12", scores, strict=True))}).to_trec(name)
    options = {"unjudged": "bounds", "date": "2026-01-31", "test": "t"}
    rule = {"score_precision": "float32", "score_tolerance": 1e-6}
    page = irb.report_runs("qrels", ["one", "two"], "P@1", **options, **rule)
    assert "rounded to 32-bit floats" in page
    assert "a relative difference of 1e-06" in page
    command = "--score-precision float32 --score-tolerance 1e-06"
    assert "--score-precision</span> float32" in page
    assert "--score-tolerance</span> 1e-06" in page
    assert "--score-" not in irb.report_runs("qrels", ["one", "two"], "P@1", **options)
    given = shlex.split(command), ["-m", "P@1", "--test", "t", "--unjudged", "bounds"]
    done = run_cli(
        "report", "runs", "qrels", "one", "two", *itertools.chain(*given), "--date", "2026-01-31"
    )
    assert "a relative difference of 1e-06" in done.stdout
    assert page.count("0.2500") == done.stdout.count("0.2500") > 0  # (1/2 + 0) / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score_precision": "float16"}, "`score_precision` must be"),
        ({"score_tolerance": -1e-9}, "`score_tolerance` must be 0 or more and less than 1"),
    ],
)
def test_refused(options, message):
    with pytest.raises(irb.InputError, match=message):
        irb.Evaluator(QRELS, "AP", **options)
    with pytest.raises(irb.InputError, match=message):
        irb.rank_measures([1], [1], "AP", **options)


def test_nan_is_refused_with_its_document():
    with pytest.raises(irb.InputError, match="the score of document '2' is nan"):
        irb.evaluate(QRELS, {"a": {"1": 1.0, "2": np.nan}}, "AP", score_tolerance=0.1)


def test_command_line(tmp_path):
    run = {"a": {"1": 0.5, "2": 0.5 + 1e-12}, "b": {"3": 1.0}}
    path = as_text(run, tmp_path / "a.run")
    qrels = tmp_path / "qrels"
    irb.Qrels.from_dict(QRELS).to_trec(qrels)
    for options in (["--score-precision", "float32"], ["--score-tolerance", "1e-9"]):
        done = run_cli("eval", qrels, path, "-m", "P@1", "-q", "-f", "csv", *options)
        rows = [line.split(",")[1:3] for line in done.stdout.splitlines()[1:]]
        assert rows == [["a", "0.5"], ["b", "1.0"], ["all", "0.75"]]
    refused = run_cli("gate", qrels, path, path, "--score-tolerance", "2")
    assert_refused(refused, "must be 0 or more and less than 1; found 2")
    assert_refused(
        run_cli("compare", qrels, path, path, "--score-precision", "half"), "found 'half'"
    )
    other = as_text({"a": {"1": 1.0, "9": 2.0}, "b": {"3": 1.0}}, tmp_path / "b.run")
    near = as_text({"a": {"8": 0.5, "2": 0.5 + 1e-12}, "b": {"3": 1.0}}, tmp_path / "c.run")
    asked = "next", qrels, near, other, "-m", "P@1", "-f", "json"
    exact, rounded = (
        json.loads(run_cli(*asked, *more).stdout)["documents"]
        for more in ([], ["--score-tolerance", "1e-9"])
    )
    assert [one["doc_id"] for one in exact] == ["9"]
    assert [one["doc_id"] for one in rounded] == ["9", "8"]
    assert_refused(run_cli(*asked, "--score-precision", "half"), "found 'half'")
