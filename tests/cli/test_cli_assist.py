"""`irbounds assist`, `allocate-labels` and `recall --coded`, as a user meets them."""

import csv
import json
import re

import pytest

import irbounds as irb
from irbounds.cli import main
from irbounds.samples.intervals.table import INTERVAL_METHODS

JUDGE = {"q": {f"d{i}": i % 3 for i in range(90)}, "r": {f"d{i}": i % 2 for i in range(40)}}
CODED = """\
segment,call,size,audited,relevant
retrieved,relevant,30000,500,420
unretrieved,not,90000,500,10
unretrieved,,880000,2000,4
"""


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with model.qrels, new.run and coded.csv; (exit status, stdout,
    stderr)."""
    monkeypatch.chdir(tmp_path)
    rows = [(q, doc, grade) for q, docs in JUDGE.items() for doc, grade in docs.items()]
    (tmp_path / "model.qrels").write_text("".join(f"{q} 0 {doc} {g}\n" for q, doc, g in rows))
    (tmp_path / "new.run").write_text(
        "".join(f"{q} Q0 {doc} 1 {-i} t\n" for i, (q, doc, _) in enumerate(rows))
    )
    (tmp_path / "coded.csv").write_text(CODED)

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def filled(path):
    """The table of pairs with labels."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for i, row in enumerate(rows):
        row["relevance"] = i % 2
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_from_the_draw_to_the_interval(cli, tmp_path):
    status, out, err = cli(
        *("allocate-labels", "model.qrels", "new.run", "-m", "P@20", "-n", "12", "--seed", "1"),
        *("-o", "people.csv"),
    )
    assert (status, err) == (0, "")
    assert "12 pairs to label" in out
    filled(tmp_path / "people.csv")
    plan = irb.allocate_labels("model.qrels", "new.run", "P@20", 12, 1)
    with (tmp_path / "people.csv").open(newline="") as file:
        assert [(r["query_id"], r["doc_id"]) for r in csv.DictReader(file)] == list(plan.pairs)
    status, out, err = cli(
        "assist", "people.csv", "model.qrels", "new.run", "-m", "P@20", "-f", "json"
    )
    assert (status, err) == (0, "")
    found = irb.assisted_interval("people.csv", "model.qrels", "new.run", "P@20")
    document = json.loads(out)
    assert [document[name] for name in ("low", "estimate", "high")] == [
        found.low,
        found.estimate,
        found.high,
    ]
    assert document["strata"][0]["grade"] == 0
    table = cli("assist", "people.csv", "model.qrels", "new.run", "-m", "P@20")[1]
    assert "judge and people" in table
    assert "12 of 40 pairs were labelled" in table


def test_several_judges_are_repeated_options(cli, tmp_path):
    text = (tmp_path / "model.qrels").read_text()
    (tmp_path / "second.qrels").write_text(text.replace(" 2\n", " 1\n"))
    draw = ("model.qrels", "new.run", "--judge", "second.qrels", "-m", "P@20", "-n", "12")
    status, _, err = cli("allocate-labels", *draw, "--seed", "1", "-o", "people.csv")
    assert (status, err) == (0, "")
    filled(tmp_path / "people.csv")
    files = ("people.csv", "model.qrels", "new.run", "--judge", "second.qrels", "-m", "P@20")
    status, out, err = cli("assist", *files, "-f", "json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    judges = {"model": "model.qrels", "second": "second.qrels"}
    found = irb.assisted_interval("people.csv", judges, "new.run", "P@20")
    assert (document["low"], document["high"]) == (found.low, found.high)
    assert len(document["judges"]) == 2
    status, _, err = cli("assist", *files, "--combine", "best")
    assert (status, err.count("\n")) == (2, 1)
    assert "requires three judges or more" in err
    status, page, err = cli("report", "assist", *files, "--date", "2026-01-31", "-o", "-")
    assert (status, err) == (0, "")
    assert "--judge second.qrels --combine patterns" in re.sub("<[^>]*>", "", page)
    assert "2 judges graded all" in page


def test_coded_reviews_beside_the_claim_without_audits(cli):
    status, out, err = cli("recall", "--coded", "coded.csv", "-f", "json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    recall = document["intervals"][0]
    assert recall["estimate"] == pytest.approx(0.876217, abs=1e-6)
    assert (recall["low"], recall["high"]) == pytest.approx((0.803522, 0.927374), abs=1e-6)
    claim = document["recall_if_calls_were_right"]
    assert claim["estimate"] == pytest.approx(0.944584, abs=1e-6)
    assert (claim["low"], claim["high"]) == pytest.approx((0.877809, 0.980552), abs=1e-6)
    assert "if every call were right" in cli("recall", "--coded", "coded.csv")[1]


def test_calls_without_a_relevant_one_leave_recall_undefined(cli, tmp_path):
    rows = "retrieved,not,100,10,3\nunretrieved,not,90,10,1\n"
    (tmp_path / "none.csv").write_text(CODED.splitlines(keepends=True)[0] + rows)
    out = cli("recall", "--coded", "none.csv")[1]
    assert "nothing would be relevant, and recall undefined" in out
    assert "nan" not in out


@pytest.mark.long
def test_both_calls_of_a_segment_are_one_audited_segment(cli, tmp_path):
    """An audit that found nothing lowers the low end, as it does for `Audited`."""
    rows = "retrieved,not,1940,100,0\nretrieved,relevant,60,20,6\nunretrieved,,99000,2000,4\n"
    (tmp_path / "both.csv").write_text(CODED.splitlines(keepends=True)[0] + rows)
    intervals = json.loads(cli("recall", "--coded", "both.csv", "-f", "json")[1])["intervals"]
    retrieved, other = irb.Audited(2000, 2000, 60, (20, 6), (100, 0)), (99_000, 2000, 4)
    for found, of in zip(intervals, (irb.recall_interval, irb.precision_interval), strict=False):
        own = of(retrieved, other)
        strata = of([(60, 20, 6), (1940, 100, 0)], other, method="betabinom-half-per-stratum")
        assert (found["method"], found["low"], found["high"]) == (own.method, own.low, own.high)
        assert own.low < strata.low
    page = cli("report", "recall", "--coded", "both.csv", "--date", "2026-01-31", "-o", "-")[1]
    assert "--coded</span> both.csv" in page


@pytest.mark.long
def test_a_method_of_calls_is_one_interval_under_one_name(cli):
    """Issue 22: F1 beside another method of recall was by strata, under the name of the calls'
    own; and the words on coverage differed."""

    def rows(*options):
        document = json.loads(cli("recall", "--coded", "coded.csv", "-f", "json", *options)[1])
        return {(i["measure"], i["method"]): i for i in document["intervals"]}

    usual, beside = rows(), rows("--method", "beta-jeffreys")
    shared = usual.keys() & beside.keys()
    assert {measure for measure, _ in shared} == {"F1", "yield"}
    assert all(usual[key] == beside[key] for key in shared)
    every = rows("--all-methods")
    half = "recall", "betabinom-half"
    assert every[half] == rows("--method", half[1])[half]
    table = cli("recall", "--coded", "coded.csv", "--all-methods")[1]
    assert next(line for line in table.splitlines() if half[1] in line).endswith("on average")
    # and that interval is Python's, from audited segments and, for other methods, from strata
    other = [irb.Audited(90_000, 90_000, 0, (0, 0), (500, 10)), (880_000, 2000, 4)]
    audited = irb.Audited(30_000, 30_000, 30_000, (500, 420), (0, 0)), other
    strata = [(30_000, 500, 420)], [(90_000, 500, 10), (880_000, 2000, 4)]
    for (_, method), found in every.items():
        one = irb.recall_interval(*audited, method=method)
        assert (found["low"], found["high"]) == (one.low, one.high)
        if method not in ("betabinom-half", "betabinom-uniform"):
            again = irb.recall_interval(*strata, method=method)
            assert (one.low, one.high) == (again.low, again.high)
    lower = [irb.recall_interval(*segments, side="lower") for segments in (audited, strata)]
    assert lower[0].low == lower[1].low
    assert {one.method for one in lower} == {"guaranteed"}


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_the_probability_of_a_target_has_no_side(cli, side):
    """Issue 22: beside a lower bound it was that of strata that share a prior."""
    out = cli("recall", "--coded", "coded.csv", "--target", "0.8", "--side", side, "-f", "json")[1]
    retrieved = irb.Audited(30_000, 30_000, 30_000, (500, 420), (0, 0))
    other = [irb.Audited(90_000, 90_000, 0, (0, 0), (500, 10)), (880_000, 2000, 4)]
    prior = INTERVAL_METHODS["betabinom-half"].prior
    chance = irb.recall_posterior(retrieved, other, prior).sf(0.8)
    assert json.loads(out)["probability_of_target"] == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recall", "coded.csv", "--coded", "coded.csv"), "give --coded or samples, not both"),
        (("recall", "--coded", "bad.csv"), "or empty (not coded); found 'maybe'"),
        (("assist", "-", "-", "new.run"), "standard input can be read once only"),
        (("assist", "new.run", "model.qrels"), "new.run"),
        (("allocate-labels", "model.qrels", "new.run", "-n", "99"), "--labels must be at most"),
    ],
)
def test_bad_input_is_one_line_and_status_2(cli, tmp_path, arguments, message):
    (tmp_path / "bad.csv").write_text(
        CODED.replace("relevant,not", "relevant,no").replace("unretrieved,not", "unretrieved,maybe")
    )
    status, out, err = cli(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_labels_that_do_not_count_are_told(cli, tmp_path):
    # P@20 counts documents before d20
    rows = [f"{q},d{i},{i % 2}" for q in "qr" for i in (*range(0, 18, 2), 5, 7, 30, 31, 32)]
    (tmp_path / "more.csv").write_text("\n".join(["query_id,doc_id,relevance", *rows]) + "\n")
    status, out, _ = cli("assist", "more.csv", "model.qrels", "new.run", "-m", "P@20")
    found = irb.assisted_interval("more.csv", "model.qrels", "new.run", "P@20")
    assert status == 0
    assert found.unused == len(rows) - found.sampled > 0
    assert "labels of pairs that the measure does not count: not used" in out
    assert "if labels were drawn for another run alone" in out
    assert f"{found.unused} other labels unused" in repr(found)


def test_a_judge_s_fractions_in_the_form_of_trec_qrels(cli, tmp_path):
    judge = {"q": {f"d{i}": (i % 4) / 4 + 0.5 for i in range(90)}}
    human = {"q": {f"d{i}": i % 2 for i in range(30)}}
    for name, labels in (("scores.qrels", judge), ("people.qrels", human)):
        rows = [f"q 0 {doc} {grade}\n" for doc, grade in labels["q"].items()]
        (tmp_path / name).write_text("".join(rows))
    status, out, _ = cli("assist", "people.qrels", "scores.qrels", "-f", "json")
    assert (status, json.loads(out)) == (
        0,
        json.loads(json.dumps(irb.assisted_interval(human, judge, measure="SetP").to_dict())),
    )
    for row, said in (
        ("q 0 d0 0.5", "duplicate document 'd0' for query 'q'"),
        ("q 0 x high", "expected a number as relevance, found 'high'"),
        ("q 0 x inf", "expected a number as relevance, found 'inf'"),
    ):
        (tmp_path / "bad.qrels").write_text(f"q 0 d0 0.5\n{row}\n")
        assert cli("assist", "people.qrels", "bad.qrels") == (
            2,
            "",
            f"irbounds: bad.qrels:2: {said}\n",
        )


def test_empty_classes_of_calls_change_nothing(cli, tmp_path):
    status, out, _ = cli("recall", "--coded", "coded.csv")
    codes = CODED.replace("relevant,30000", "R,30000").replace("not,90000", "NR,90000")
    (tmp_path / "more.csv").write_text(codes + "unretrieved,relevant,0,0,0\n")
    assert cli("recall", "--coded", "more.csv") == (status, out, "")
    assert (status, "betabinom-half" in out) == (0, True)


def test_labels_are_not_written_over(cli, tmp_path):
    plan = ("allocate-labels", "model.qrels", "new.run", "-m", "P@20", "-n", "9", "--seed", "1")
    assert cli(*plan, "-o", "people.csv")[0] == 0
    filled(tmp_path / "people.csv")
    labels = (tmp_path / "people.csv").read_bytes()
    assert cli(*plan, "-o", "people.csv") == (
        2,
        "",
        "irbounds: people.csv exists, and is not a table without labels, which alone is written "
        "over: write to another file\n",
    )
    assert (tmp_path / "people.csv").read_bytes() == labels


def test_the_share_of_all_pairs_without_a_run(cli, tmp_path):
    assert cli("allocate-labels", "model.qrels", "-n", "20", "--seed", "1", "-o", "p.csv")[0] == 0
    filled(tmp_path / "p.csv")
    status, out, _ = cli("assist", "p.csv", "model.qrels")
    assert (status, "SetP, 95 % intervals" in out) == (0, True)
