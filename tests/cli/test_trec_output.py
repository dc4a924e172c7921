"""`irbounds eval --format trec` prints what trec_eval 10 prints, line by line."""

import csv
from collections import Counter

import pytest
from commands import run_cli
from data import shared

import irbounds as irb
from irbounds.cli import main
from irbounds.cli.rankings.trec_output import columns_of
from irbounds.rankings.data.relstring import relevance_strings
from irbounds.rankings.measure_table.measure import Measure, parse_measures

OFFICIAL = "official(rounding=nearest)"
# The calls of trec_eval's quicktest but for prefs_*, qrels of several judges, and those below.
CALLS = [
    ("out.test", "qrels.test", "results.test", ["-m", OFFICIAL]),
    ("out.test", "qrels.test.with-comments", "results.test", ["-m", OFFICIAL]),
    ("out.comment.test", "qrels.comment.test.gz", "results.comment.test.gz", ["-m", OFFICIAL]),
    ("out.test.a", "qrels.test", "results.test", ["-m", "all_trec"]),
    ("out.test.aq", "qrels.test", "results.test", ["-q", "-m", "all_trec"]),
    ("out.test.aqc", "qrels.test", "results.trunc", ["-q", "-m", "all_trec"]),
    (
        "out.test.aql",
        "qrels.rel_level",
        "results.test",
        ["-q", "-m", "all_trec(rel=2)", "-m", "relstring.20"],
    ),
]
PARAMETERS = (
    "P.5,7,3 recall.20,2000 Rprec_mult.5.0,0.2,0.35 utility.2,-1,0,0 ndcg.1=3,2=9,4=4.5 "
    "ndcg_cut.10,20,23.4 success.2,5,20"
)


RECALLS = (0.1, 0.2, 0.25, 0.5, 0.75)
NEAREST = "rounding=nearest"


def printed(*arguments):
    result = run_cli("eval", "--ties", "doc_id", "-f", "trec", *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.mark.parametrize(("output", "qrels", "run", "options"), CALLS)
def test_its_own_test_directory(output, qrels, run, options):
    paths = [str(shared("trec_eval_test", name)) for name in (qrels, run)]
    expected = shared("trec_eval_test", output).read_text().splitlines()
    assert len(expected) >= 30
    assert printed(*paths, *options) == expected


def test_the_first_documents_alone(tmp_path):
    """trec_eval -M100"""
    lines = shared("trec_eval_test", "results.trunc").read_text().splitlines()
    kept, number = [], Counter()
    for line in sorted(lines, key=ranked, reverse=True):
        number[line.split()[0]] += 1
        kept += [line] * (number[line.split()[0]] <= 100)
    assert max(number.values()) > 100
    (tmp_path / "first").write_text("\n".join(kept))
    qrels = str(shared("trec_eval_test", "qrels.test"))
    expected = shared("trec_eval_test", "out.test.aqcM").read_text().splitlines()
    assert printed(qrels, str(tmp_path / "first"), "-q", "-m", "all_trec") == expected


def ranked(line):
    """Sorts lines of a run as trec_eval ranks them."""
    query, _, doc_id, _, score, *_ = line.split()
    return query, float(score), doc_id


def test_differences_from_means_of_other_runs():
    """trec_eval -Z: values less a mean, divided by a standard deviation, that a file has for each
    query and measure.  For all queries it prints their mean, of counts the sum."""
    paths = [shared("trec_eval_test", name) for name in ("qrels.test", "results.test")]
    lines = shared("trec_eval_test", "out.test.aqZ").read_text().splitlines()
    scale = {}
    for line in shared("trec_eval_test", "zscores_file").read_text().splitlines():
        query, name, mean, deviation = line.split()
        scale[query, name] = float(mean), float(deviation)
    columns = {column.label: column.measure for column in columns_of(["all_trec"])}
    named = {name: measure for name, measure in columns.items() if measure}
    found = irb.evaluate(*paths, list(dict.fromkeys(named.values())), ties="doc_id")
    distances = {}
    for line in lines:
        name, query, shown = line.removeprefix("Z").split()
        if (query, name) in scale:
            mean, deviation = scale[query, name]
            value = found[named[name]][found.query_ids.index(query)]
            expected = (value - mean) / deviation if deviation else 0
            assert float(shown) == pytest.approx(expected, abs=5.001e-5), line
            distances.setdefault(name, []).append(expected)
        elif name in distances:
            of_all = sum(distances[name]) / (1 if name.startswith("num_") else 3)
            assert float(shown) == pytest.approx(of_all, abs=5.001e-5), line
    assert len(distances) > 80


def test_parameters_as_trec_eval_writes_them():
    """But for recall levels, which by themselves are rounded as version 9 rounds them: those are
    compared under the names that they have here."""
    paths = [str(shared("trec_eval_test", name)) for name in ("qrels.test", "results.test")]
    lines = shared("trec_eval_test", "out.test.meas_params").read_text().splitlines()
    rounded = [line for line in lines if line.startswith(("iprec", "11pt"))]
    assert printed(*paths, "-q", "-m", PARAMETERS) == [x for x in lines if x not in rounded]
    levels = {f"iprec_at_recall_{at:.2f}": f"IPrec({NEAREST})@{at}" for at in RECALLS}
    levels["11pt_avg_.25,.5,.75"] = f"IPrec11({NEAREST},levels=[.25,.5,.75])"
    found = irb.evaluate(*paths, list(levels.values()), ties="doc_id")
    for line in rounded:
        name, query, shown = line.split()
        summary = found.summary[Measure.parse(levels[name])]
        values = {"all": summary, **dict(zip(found.query_ids, found[levels[name]], strict=True))}
        assert float(shown) == pytest.approx(values[query], abs=5.001e-5), line
    assert len(rounded) == 6 * 4


def test_names_are_those_that_were_asked_for(tmp_path):
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r.txt").write_text("1 Q0 a 1 2 mine\n1 Q0 b 2 2 mine\n1 Q0 c 3 1 mine\n")
    paths = [str(tmp_path / "q.txt"), str(tmp_path / "r.txt")]
    lines = printed(*paths, "-q", "-m", "runid AP,P_1 relstring_2 P.1")
    assert [line.split("\t") for line in lines] == [
        ["AP".ljust(22), "1", "0.5000"],
        ["P_1".ljust(22), "1", "0.0000"],
        ["relstring_2".ljust(22), "1", "'01'"],
        ["runid".ljust(22), "all", "mine"],
        ["AP".ljust(22), "all", "0.5000"],
        ["P_1".ljust(22), "all", "0.0000"],
    ]
    result = run_cli("eval", *paths, "-m", "relstring")
    assert result.returncode == 2
    assert "the text relstring needs --format trec" in result.stderr


def test_ties_are_in_brackets():
    qrels = irb.Qrels.from_dict({"q": {"a": 1, "b": 0, "c": -1, "d": 12, "e": 0.5}})
    run = irb.Run.from_dict({"q": {"a": 3, "b": 3, "x": 2, "c": 1, "d": 1, "e": 0}, "r": {"a": 1}})
    strings = {
        ties: relevance_strings(qrels, run, 5, ties)["q"]
        for ties in ("expected", "doc_id", "given", "best", "worst")
    }
    assert strings == {
        "expected": "(10)-(>.)",
        "doc_id": "01->.",
        "given": "10-.>",
        "best": "10->.",
        "worst": "01-.>",
    }
    assert relevance_strings(qrels, run, 1, "expected") == {"q": "(10)"}
    assert relevance_strings(qrels, run, 6, "doc_id") == {"q": "01->.<"}


@pytest.mark.parametrize(
    ("options", "strings"),
    [
        ([], ["'10-'", "'1.'"]),
        (["--score-precision", "float32"], ["'-01'", "'1.'"]),
        (["--score-tolerance", "0.1"], ["'-01'", "'.1'"]),
        (["--score-tolerance", "0.1", "--judged-only"], ["'01'", "'1'"]),
    ],
)
def test_relstrings_have_the_ties_of_the_measures(tmp_path, options, strings):
    """As trec_eval prints them, which reads scores as 32-bit floats."""
    (tmp_path / "q.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b -1\n")
    (tmp_path / "r.txt").write_text(
        "1 Q0 a 1 1.00000002 x\n1 Q0 b 2 1.00000001 x\n1 Q0 c 3 1 x\n"
        "2 Q0 a 1 1.05 x\n2 Q0 b 2 1 x\n"
    )
    paths = [str(tmp_path / "q.txt"), str(tmp_path / "r.txt")]
    lines = printed(*paths, "-q", "-m", "relstring RR", *options)
    assert [line.split()[2] for line in lines if line.startswith("relstring")] == strings
    places = [text.index("1") for text in strings]  # the first is a quote
    ranks = [line.split()[2] for line in lines if line.startswith("RR")]
    assert ranks[:2] == [f"{1 / place:.4f}" for place in places]


def test_one_call_can_use_several_levels(tmp_path):
    """A label that would stand for two measures is kept for the one that it means alone."""
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n")
    (tmp_path / "r.txt").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 z 1 2 x\nq2 Q0 a 1 1 x\n")
    paths = [str(tmp_path / "q.txt"), str(tmp_path / "r.txt")]
    both = "official(rel=2) map P.5"
    lines = [line.split() for line in printed(*paths, "-m", both)]
    found = {label: value for label, _, value in lines}
    assert len(found) == len(lines) == 5 + 5 + 11 + 1 + 2
    assert (found["AP(rel=2)"], found["map"]) == ("0.2500", "0.7500")
    assert (found["P(rel=2)@5"], found["P_5"]) == ("0.1000", "0.2000")
    assert found["num_rel"] == "1"  # no other measure has its label
    alone = dict(line.split("\tall\t") for line in printed(*paths, "-m", "official(rel=2)"))
    assert alone["map".ljust(22)] == "0.2500"
    for measures in (both, "official all_trec", "iprec_at_recall.0.251,0.254 iprec_at_recall_0.25"):
        result = run_cli("eval", *paths, "--ties", "doc_id", "-f", "csv", "-m", measures)
        header = result.stdout.splitlines()[0]
        names = [column.measure for column in columns_of([measures]) if column.measure]
        wanted = dict.fromkeys(str(Measure.parse(name)) for name in names)
        assert next(csv.reader([header])) == ["run", "query_id", *wanted, "settings"]
        if "P.5" not in measures:  # which takes the place of the set's cut-offs
            assert set(wanted) == set(parse_measures(measures))


def test_cutoffs_take_the_place_of_those_of_sets_alone():
    def labels(text):
        return [column.label for column in columns_of([text])]

    assert labels("P P.7") == labels("P.7") == ["P_7"]
    assert labels("P_10 P.5") == ["P_10", "P_5"]
    assert [x for x in labels("official P.3,8 P.7") if x[0] == "P"] == ["P_3", "P_8", "P_7"]


@pytest.mark.parametrize(
    "asked",
    [
        *("rbp.p=0.8", "rbp_resid.p=0.8", "ndcg.1=3,2=9", "utility.1,-1,0,0", "set_F.4"),
        "11pt_avg..2,1",
    ],
)
def test_printed_labels_are_read_back(asked):
    (column,) = columns_of([asked])
    assert column.label == asked.replace(".", "_", 1)
    assert columns_of([column.label]) == [column]
    measure = str(Measure.parse(column.measure))
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}
    found = irb.evaluate(qrels, run, column.label, ties="doc_id")
    assert list(found.mean) == [measure]


def test_unknown_parameters_are_one_line():
    for text in ("utility.1,2", "map.5", "set_F.-1", "official(depth=3)"):
        with pytest.raises(irb.InputError, match=r"^(cannot read the parameters|'official)[^\n]+$"):
            irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, text)
    with pytest.raises(irb.InputError, match="is text"):
        irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "runid")


def test_judged_documents_alone_and_the_order_of_queries(tmp_path):
    """As trec_eval 10 prints them for the same files with -J and -q."""
    (tmp_path / "q.txt").write_text("10 0 a 1\n10 0 b 0\n10 0 c -1\n9 0 a 1\n2 0 b 1\n")
    (tmp_path / "r.txt").write_text(
        "9 Q0 a 1 2 x\n10 Q0 d 1 3 x\n10 Q0 c 1 3 x\n10 Q0 b 1 2 x\n10 Q0 a 1 1 x\n2 Q0 b 1 1 x\n"
    )
    paths = [str(tmp_path / "q.txt"), str(tmp_path / "r.txt")]
    lines = [
        line.split() for line in printed(*paths, "-q", "--judged-only", "-m", "relstring P.10")
    ]
    assert [line for line in lines if line[0] == "relstring"] == [
        ["relstring", "10", "'01'"],
        ["relstring", "2", "'1'"],
        ["relstring", "9", "'1'"],
    ]
    assert [line[1:] for line in lines if line[0] == "P_10"] == [
        [query, "0.1000"] for query in ("10", "2", "9", "all")
    ]
    alone = [line.split()[0] for line in printed(*paths, "-m", "P")]
    assert alone == [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]


def test_means_are_rounded_as_trec_eval_sums_them(tmp_path):
    """Their sum over four queries is 27/40; trec_eval 10 prints 0.1688 of its fourth."""
    counts = [1, 1, 1, 24]
    rows = [(q, d) for q in range(len(counts)) for d in range(40)]
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 d{d} {int(d < counts[q])}\n" for q, d in rows))
    (tmp_path / "r.txt").write_text("".join(f"{q} Q0 d{d} 0 {-d} x\n" for q, d in rows))
    (line,) = printed(str(tmp_path / "q.txt"), str(tmp_path / "r.txt"), "-m", "P.40")
    assert line.split()[2] == "0.1688"


def test_a_warning_names_the_file(tmp_path):
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.txt").write_text("1 Q0 x 1 2 mine\n1 Q0 y 2 1 mine\n")
    paths = [str(tmp_path / "q.txt"), str(tmp_path / "r.txt")]
    for measures in ("AP", "AP relstring"):
        result = run_cli("eval", *paths, "-f", "trec", "-m", measures)
        assert "r.txt: none of its 2 documents is judged" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-l2"], "No such option '-l' (as in trec_eval): write the level as in -m \"AP(rel=2)\""),
        (["-M10"], "No such option '-M' (as in trec_eval): write a cut-off, as in -m \"AP@100\""),
    ],
)
def test_options_of_trec_eval_are_answered(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["eval", "qrels", "run", *arguments])
    assert (stop.value.code, *capsys.readouterr()) == (2, "", f"irbounds: {message}\n")


def test_options_that_mean_the_same_are_taken(tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\nr 0 d 1\n")
    (tmp_path / "run").write_text("q Q0 e 1 2 t\nq Q0 d 2 1 t\n")
    paths = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    for given, same in ((["-c"], []), (["-J"], ["--judged-only"])):
        one, other = (
            run_cli("eval", *options, "-m", "map", "-f", "trec", *paths)
            for options in (given, same)
        )
        assert one.stdout == other.stdout != ""
    assert run_cli("eval", "-N", "9", "-m", "HT@1", *paths).returncode == 0


def test_rules_for_ties_are_named_as_options(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    (tmp_path / "run").write_text("q Q0 d 1 1 t\n")
    with pytest.raises(SystemExit):
        main(["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "YAAP"])
    assert "choose --ties best, worst, doc_id or given\n" in capsys.readouterr().err
