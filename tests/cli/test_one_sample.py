"""One sample of the whole collection: counts or documents, with an elusion sample, in `recall` and
in the memo."""

import json
import re
import shlex

import pytest
from commands import assert_refused, run_cli
from sizes import long

import irbounds as irb
from irbounds.samples import elusion_interval

COUNTS = "12000/88000/131/49/20/1300"
SEGMENTS = (12_000, 180, 131), (88_000, 1320, 20)
BOTH = (12_000, 180, 131), (88_000, 2320, 32)
ELUSION = ("--unretrieved", "86,680/1000/12")


def recall(*arguments):
    done = run_cli("recall", *arguments, "-f", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize(("more", "segments"), [((), SEGMENTS), (ELUSION, BOTH)])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_counts_are_those_of_both_segments(more, segments, side):
    found, said = recall("--sample", COUNTS, *more, "--side", side, "--target", 0.8)
    assert said == ""
    assert [found["retrieved"], found["unretrieved"]] == [[list(each)] for each in segments]
    assert found["probability_of_target"] == irb.recall_posterior(*segments).sf(0.8)
    size = 100_000
    intervals = {
        "recall": irb.recall_interval,
        "precision": irb.precision_interval,
        "F1": irb.f_interval,
        "yield": irb.yield_interval,
        "elusion": elusion_interval,
        "richness": irb.yield_interval,
    }
    assert [row["measure"] for row in found["intervals"]] == list(intervals)
    for row in found["intervals"]:
        expected = intervals[row["measure"]](*segments, side=side)
        by = size if row["measure"] == "richness" else 1
        assert (row["estimate"], row["low"], row["high"]) == (
            expected.estimate / by,
            expected.low / by,
            expected.high / by,
        )
    plain = run_cli("recall", "--sample", COUNTS, *more)
    assert "one sample of the collection, 1500 documents: a random sample of each" in plain.stdout
    assert ("1000 further unretrieved documents" in plain.stdout) == bool(more)


def test_all_methods_and_draws():
    found, _ = recall("--sample", COUNTS, "--all-methods")
    for row in found["intervals"]:
        own = irb.recall_interval(*SEGMENTS, method=row["method"])
        assert (row["low"], row["high"]) == (own.low, own.high)
    drawn, _ = recall("--sample", COUNTS, "--engine", "monte-carlo", "--seed", 1)
    rows = {row["measure"]: row for row in drawn["intervals"]}
    errors = zip(rows["richness"]["standard_error"], rows["yield"]["standard_error"], strict=True)
    assert all(one == other / 100_000 for one, other in errors)


@pytest.mark.parametrize("more", [long(((),)), ELUSION])
def test_the_memo_has_the_same_finding(more, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    given = ("--sample", COUNTS, *more, "--target", 0.8)
    run_cli("report", "recall", *given, "--date", "2026-01-31", "-o", "first.html")
    page = (tmp_path / "first.html").read_text(encoding="utf-8")
    for side in ("two-sided", "lower"):
        for row in recall(*given, "--side", side)[0]["intervals"]:
            if row["measure"] != "elusion" or side == "two-sided":
                values = [row["low"]] + [row["estimate"], row["high"]] * (side == "two-sided")
                body = re.search(rf'<tr data-measure="{row["measure"]}">.*?</tr>', page, re.DOTALL)
                assert all(f'value="{float(value)!r}"' in body[0] for value in values), row
    assert "One simple random sample of <data" in page
    assert "must not have used the sample of the collection" in page
    assert ("An elusion sample of" in page) == bool(more)
    [command] = re.findall(r'<code id="command">(.*?)</code>', page)
    command = re.sub(r"<[^>]*>", "", command)
    again = run_cli(*shlex.split(command)[1:])
    assert again.returncode == 0
    assert (tmp_path / "first.html").read_text(encoding="utf-8") == page


def test_a_memo_needs_the_division():
    pytest.importorskip("matplotlib")
    done = run_cli("report", "recall", "--sample", "12000/88000/1500/131/20")
    assert_refused(done, "this needs to know how many documents of the sample were retrieved")
    for arguments in (((9, 9, 9),), (irb.samples.ControlSample(9, 9, 4, 1, 1, 2), (9, 9, 9))):
        with pytest.raises(irb.InputError, match="or a ControlSample or ClusterSample in place of"):
            irb.report_recall(*arguments)


# A table with a row for each document.

ROWS = [
    *[("yes", "yes")] * 5,
    *[("yes", "no")] * 2,
    *[("no", "yes")] * 1,
    *[("no", "no")] * 12,
]
DOCUMENTS = [(f"d{i}", *row) for i, row in enumerate(ROWS)]
READ = {"retrieved": [[90, 7, 5]], "unretrieved": [[400, 13, 1]]}
WORDS = [("Produced", "Responsive"), ("Not produced", "Not Responsive")]


def table(rows, header="document,retrieved,relevant"):
    return "\n".join([header, *map(",".join, rows), ""])


@pytest.mark.parametrize(
    "text",
    [
        table(DOCUMENTS),
        table(ROWS, "Produced,Responsive"),
        table([[row[1], row[2], row[0]] for row in DOCUMENTS], "Retrieved?;Relevant;Doc ID")
        .replace(",", ";")
        .replace("yes", "1")
        .replace("no", "0"),
        table([[WORDS[a == "no"][0], WORDS[b == "no"][1]] for a, b in ROWS], "retrieved,relevant"),
    ],
)
def test_tables_of_documents(text):
    done = run_cli("recall", "-", "--sample", "90/400", "-f", "json", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert {name: found[name] for name in READ} == READ


def test_a_document_counts_once():
    added = [*DOCUMENTS, DOCUMENTS[0], DOCUMENTS[-1], ("new", "no", "no")]
    done = run_cli("recall", "-", "--sample", "90/400", "-f", "json", text=table(added))
    assert done.stderr == "irbounds: 2 rows repeat a document, which counts once\n"
    assert json.loads(done.stdout)["unretrieved"] == [[400, 14, 1]]


def test_documents_in_workbooks_and_other_columns(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [
        ("Key", "Out", "Good"),
        *((*x[:1], x[1] == "yes", x[2] == "yes") for x in DOCUMENTS),
    ]:
        book.active.append(row)
    book.save(tmp_path / "d.xlsx")
    columns = ("--columns", "document=Key,retrieved=Out,relevant=Good")
    found, _ = recall(tmp_path / "d.xlsx", "--sample", "90/400", *columns)
    assert {name: found[name] for name in READ} == READ


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("d0", "no", "yes"), "standard input:22: document 'd0' is there twice with other values"),
        (("e", "yes", ""), ":22: relevant: every sampled document needs yes or no; found ''"),
        (("e", "perhaps", "no"), ":22: retrieved: must be yes or no; found 'perhaps'"),
        (("", "yes", "no"), ":22: document is empty"),
    ],
)
def test_bad_documents(row, message):
    text = table([*DOCUMENTS, row])
    assert_refused(run_cli("recall", "-", "--sample", "90/400", text=text), message)


def test_sizes_below_those_of_the_sample():
    done = run_cli("recall", "-", "--sample", "6/400", text=table(DOCUMENTS))
    assert_refused(done, "RETRIEVED must be at least the retrieved documents of the sample, 7")
    done = run_cli("recall", "-", text=table(DOCUMENTS))
    assert_refused(done, "expected a column 'segment'")


@pytest.mark.parametrize("counts", ["5/5/0/0/0/0", "0/9/0/0/2/1", "5/0/2/1/0/0", "9/9/0/4/0/5"])
def test_edges(counts):
    done = run_cli("recall", "--sample", counts, "-f", "json")
    assert done.returncode == 0
    first = json.loads(done.stdout)["intervals"][0]
    assert 0 <= first["low"] <= first["high"] <= 1


def test_a_milliard_documents():
    found, _ = recall("--sample", "100000000/900000000/300/700/20/8980", "--side", "lower")
    assert 0.84 < found["intervals"][0]["low"] < found["intervals"][0]["estimate"] == 300 / 320


def test_a_table_with_families_is_cautioned_and_signs_are_no_answers(tmp_path):
    table = tmp_path / "sample.csv"
    table.write_text("retrieved,relevant,Family ID\n" + "yes,yes,1\nno,Not-Relevant,1\n" * 20)
    done = run_cli("recall", table, "--sample", "100/900")
    assert done.returncode == 0
    assert "documents of one family id are not independent" in " ".join(done.stderr.split())
    for answer in ("yes?", "-1", "?"):
        table.write_text(f"retrieved,relevant\nyes,yes\nno,{answer}\n")
        done = run_cli("recall", table, "--sample", "100/900")
        assert (done.returncode, "must be yes or no" in done.stderr) == (2, True)
