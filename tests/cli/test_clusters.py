"""`--cluster`: families that were drawn whole, in `irbounds recall` and in its memo."""

import json
import re
import subprocess
import sys

import pytest
from commands import assert_refused, run_cli

import irbounds as irb

FAMILIES = {  # true and false positives, false and true negatives; so many of each
    (3, 1, 0, 0): 12,
    (1, 0, 1, 2): 10,
    (0, 0, 0, 1): 30,
    (0, 1, 0, 4): 20,
}
ANSWERS = ("yes,yes", "yes,no", "no,yes", "no,no")
COUNTS = [
    [counts[kind] for counts, many in FAMILIES.items() for _ in range(many)] for kind in range(4)
]
SIZES = 4000, 9000
SAMPLE = irb.samples.ClusterSample(*SIZES, *COUNTS)
pytestmark = pytest.mark.filterwarnings("ignore::irbounds.warnings.SampleWarning")


@pytest.fixture
def table(tmp_path):
    """A row for each document; those without a family have none in the table."""
    rows, number = [], 0
    for counts, many in FAMILIES.items():
        for _ in range(many):
            number += 1
            name = f"F{number}" if sum(counts) > 1 else ""
            rows += [
                f"{answer},{name}"
                for answer, count in zip(ANSWERS, counts, strict=True)
                for _ in range(count)
            ]
    path = tmp_path / "families.csv"
    lines = [f"D{i},{row}" for i, row in enumerate(rows)]
    path.write_text("\n".join(["document,retrieved,relevant,Family ID", *lines]) + "\n")
    return path


def test_one_sample_of_the_collection(table):
    asked = ("recall", table, "--sample", "4000/9000", "--cluster", "Family ID")
    found = json.loads(run_cli(*asked, "-f", "json").stdout)["intervals"]
    for row, measure in zip(found, SAMPLE.measures, strict=True):
        expected = SAMPLE.interval(measure)
        assert (row["low"], row["high"]) == pytest.approx([*expected], rel=1e-12)
        assert row["n_groups"] == expected.n_groups
        assert row["design_effect"] == pytest.approx(expected.design_effect, rel=1e-9)
    first = run_cli(*asked, "-f", "csv").stdout.splitlines()[1].split(",")
    assert float(first[6]) == SAMPLE.interval().design_effect
    shown = run_cli(*asked)
    assert re.search(r"recall +korn-graubard +0\.8214 .* 22 +\d\.\d\d\n", shown.stdout)
    assert "not independent" not in shown.stderr
    lower = json.loads(run_cli(*asked, "--side", "lower", "-f", "json").stdout)["intervals"][0]
    assert lower["low"] == pytest.approx(SAMPLE.interval(side="lower").low, rel=1e-12)


def test_a_sample_of_each_segment(table):
    """Documents of a family in either segment are a cluster of that segment."""
    asked = ("recall", table, "--retrieved", "4,000", "--unretrieved", "9000", "--cluster")
    rows = json.loads(run_cli(*asked, "Family ID", "-f", "json").stdout)["intervals"]
    one = [4] * 12 + [1] * 30, [3] * 12 + [1] * 10 + [0] * 20
    other = [3] * 10 + [1] * 30 + [4] * 20, [1] * 10 + [0] * 50
    expected = irb.samples.cluster_recall_interval((4000, *one), (9000, *other))
    assert (rows[0]["low"], rows[0]["high"]) == pytest.approx([*expected], rel=1e-9)
    assert [row["measure"] for row in rows] == ["recall", "precision", "elusion"]
    assert "drawn from each segment" not in run_cli(*asked, "Family ID").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--cluster needs --sample RETRIEVED/UNRETRIEVED for one sample of the collection"),
        (("--retrieved", "4000"), "--cluster needs --sample"),
        (
            ("--retrieved", "40/3/2", "--unretrieved", "9"),
            "a sample of each segment; found '40/3/2 9'",
        ),
        (("--sample", "1/2/3/4/5/6"), "RETRIEVED/UNRETRIEVED with a table of its documents"),
        (("--sample", "40/9000"), "RETRIEVED must be at least the retrieved documents"),
        (("--retrieved", "40", "--unretrieved", "9000"), "--retrieved: SIZE must be at least"),
        (("--sample", "4000/9000", "--target", "0.8"), "--cluster does not take --target"),
        (("--sample", "4000/9000", "--method", "koopman"), "--cluster does not take --method"),
        (("--sample", "4000/9000", "--coded", "x"), "--cluster does not take --coded"),
        (("--sample", "4000/9000", "--all-methods"), "--cluster does not take --all-methods"),
        (("--sample", "4000/9000", "--unretrieved", "9"), "--sample does not take --unretrieved"),
    ],
)
def test_what_makes_no_sense(table, options, message):
    assert_refused(run_cli("recall", table, *options, "--cluster", "Family ID"), message)


def test_other_mistakes(table):
    asked = ("--sample", "4000/9000", "--cluster")
    assert_refused(
        run_cli("recall", *asked, "family"), "needs a table with a row for each document"
    )
    assert_refused(run_cli("recall", table, *asked, "Thread"), "there is no column 'Thread'")
    table.write_text(table.read_text() + "D0,yes,yes,F2\n")
    message = "document 'D0' is there twice with other values of retrieved or relevant or Family ID"
    assert_refused(run_cli("recall", table, *asked, "Family ID"), message)


def test_the_memo(table, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    asked = ("report", "recall", table, "--sample", "4000/9000", "--cluster", "Family ID")
    done = run_cli(*asked, "--date", "2026-01-31", "-o", tmp_path / "memo.html")
    assert (done.returncode, "clusters" in done.stderr) == (0, True)  # fewer than 30 have relevant
    page = (tmp_path / "memo.html").read_text("utf-8")
    row = re.search(r'<tr data-measure="recall">.*?</tr>', page, re.DOTALL)[0]
    values = [float(value) for value in re.findall(r'<data value="([^"]+)">', row)]
    both, bound = SAMPLE.interval(), SAMPLE.interval(side="lower")
    expected = (both.estimate, *both, bound.low, 22, both.design_effect)
    assert values == pytest.approx(expected, rel=1e-9)
    assert "families.csv, SHA-256" in page
    pytest.importorskip("html5lib")
    from pages import Page, check_nothing_from_outside, check_tables

    check_nothing_from_outside(Page(page))
    check_tables(Page(page))
    assert_refused(run_cli(*asked, "--method", "koopman", "-o", "m.html"), "does not take --method")
    again = irb.report_recall(SAMPLE, date="2026-01-31", source=table)
    assert again == page
    command = re.search(r'id="command">python -c (.*?)</code>', page, re.DOTALL)[1]
    code = command.replace("&#39;", "'").replace("&#34;", '"').strip("'")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    hashes = [
        re.search(r'id="hash">(\w+)<', text)[1]
        for text in (page, (tmp_path / "memo.html").read_text("utf-8"))
    ]
    assert hashes[0] == hashes[1]
    missed = irb.report_recall(SAMPLE, target=0.99, date="2026-01-31")
    assert "was missed: with the same confidence, recall is below it" in missed
    assert "Fewer than 30 clusters have documents that count for recall." in missed
    with pytest.raises(irb.InputError, match="takes no `unretrieved` and no `method`"):
        irb.report_recall(SAMPLE, (9, 9, 9))


def test_weighted_families(tmp_path):
    path = tmp_path / "found.csv"
    rows = [f"{'un' * (i % 5 == 0)}retrieved,0.1,{i // 3},{int(i < 40)}" for i in range(60)]
    path.write_text("\n".join(["segment,probability,Thread,relevant", *rows]) + "\n")
    done = run_cli("recall", path, "--weighted", "--cluster", "Thread", "-f", "json")
    found = json.loads(done.stdout)
    lists = [[str(i // 3) for i in range(40) if (i % 5 == 0) == other] for other in (False, True)]
    chances = [[0.1] * len(each) for each in lists]
    expected = irb.samples.weighted_recall_interval(*chances, 30, clusters=lists)
    assert (found["low"], found["high"]) == pytest.approx([*expected], rel=1e-12)
    assert found["largest_weights"] == pytest.approx([30])
    assert done.stderr == ""
    path.write_text("segment,probability,Thread\nretrieved,0.1,a\nunretrieved,0.2,a\n")
    asked = ("recall", path, "--weighted", "--cluster", "Thread")
    assert_refused(run_cli(*asked), "--cluster needs --largest-weight")
    assert_refused(run_cli(*asked, "--largest-weight", "20"), "must have one probability")


def test_a_caution_is_one_line(table):
    done = run_cli("recall", table, "--sample", "100/90000", "--cluster", "Family ID")
    (line,) = (line for line in done.stderr.splitlines() if "hardly so far off" in line)
    assert line.startswith("irbounds: ")
    assert "Warning" not in done.stderr
