"""`irbounds monitor`: a sample that grows, in a file."""

import csv
import io
import json

import pytest
from commands import assert_refused, run_cli

import irbounds as irb

HEADER = "date,relevant,sampled,all_relevant,all_sampled,population\n"
FIRST = "2026-11-13,3,200,3,200,90000\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "elusion.csv"
    path.write_text(HEADER + FIRST)
    return path


def rows_of(*arguments):
    done = run_cli("monitor", *arguments, "-f", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_looks_are_added_and_hold_together(tmp_path):
    log, added = tmp_path / "new.csv", [(3, 200), (0, 200), (9, 1000), (0, 0), (0, 4000)]
    sums, ends = [0, 0], [0.0, 1.0]
    for week, (relevant, sampled) in enumerate(added, 10):
        size = ["--population", "90,000"] if week == 10 else []
        (row,) = rows_of(log, "--add", f"{relevant}/{sampled}", "--date", f"2026-11-{week}", *size)
        sums = [sums[0] + relevant, sums[1] + sampled]
        own = irb.binomial_interval(*sums, size=90_000, method="anytime")
        ends = [max(ends[0], own.low), min(ends[1], own.high)]
        assert (row["all_relevant"], row["all_sampled"]) == tuple(sums)
        assert [row["low"], row["high"]] == pytest.approx(ends, rel=1e-12)
        assert row["documents_high"] == pytest.approx(90_000 * ends[1], rel=1e-12)
    rows = rows_of(log)
    assert rows[-1] == row
    assert [(each["relevant"], each["sampled"]) for each in rows] == added
    assert {each["method"] for each in rows} == {"anytime"}
    assert log.read_text() == HEADER + "".join(
        ",".join(str(row[name]) for name in HEADER.strip().split(",")) + "\n" for row in rows
    )
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]  # nothing temporary is left
    table = list(csv.DictReader(io.StringIO(run_cli("monitor", log, "-f", "csv").stdout)))
    assert [float(each["high"]) for each in table] == [each["high"] for each in rows]
    assert "all looks are true together" in run_cli("monitor", log).stdout


def test_sides_and_levels(log):
    for side in ("lower", "upper"):
        (row,) = rows_of(log, "--side", side, "--confidence-level", "0.9")
        own = irb.binomial_interval(
            3, 200, size=90_000, method="anytime", side=side, confidence_level=0.9
        )
        assert (row["low"], row["high"]) == (own.low, own.high)
    assert "90 % upper bounds" in (
        run_cli("monitor", log, "--side", "upper", "--confidence-level", "0.9").stdout
    )


@pytest.mark.parametrize(
    ("relevant", "sampled", "size", "share"),
    [(0, 7, 7, 0.0), (7, 7, 7, 1.0), (3, 7, 7, 3 / 7), (0, 0, 7, None), (0, 1, 10**9, 0.0)],
)
def test_edges(tmp_path, relevant, sampled, size, share):
    """None found, all found, everything read, nothing read, a large population."""
    log = tmp_path / "log.csv"
    (row,) = rows_of(log, "--add", f"{relevant}/{sampled}", "--population", size)
    assert row["share"] == share
    if sampled == size:
        assert (row["low"], row["high"]) == (share, share)
    if not sampled:
        assert (row["low"], row["high"]) == (0, 1)
        assert "—" in run_cli("monitor", log).stdout


def test_looks_that_contradict_each_other(tmp_path):
    """All of the first 30 documents relevant, none of the other 970: one look leaves more than
    remain."""
    log = tmp_path / "log.csv"
    rows_of(log, "--add", "30/30", "--population", 1000, "--date", "2026-11-10")
    done = run_cli("monitor", log, "--add", "0/970", "--date", "2026-11-11", "-f", "json")
    assert "2026-11-11: the looks contradict each other" in done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["low"], row["high"]) == (0.03, 0.03)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2026-11-20,1,100,4,250,90000", "all_sampled must be 300, that of the line before"),
        ("2026-11-20,1,100,5,300,90000", "all_relevant must be 4"),
        ("2026-11-20,1,100,4,300,80000", "population must be 90000"),
        ("2026-11-13,1,100,4,300,90000", "date must be after 2026-11-13"),
        ("20/11/26,1,100,4,300,90000", "date must be as 2026-11-27; found '20/11/26'"),
        ("2026-11-20,101,100,104,300,90000", "relevant must be at most sampled, 100"),
        ("2026-11-20,0,90000,3,90200,90000", "at most 90000 documents, the population"),
        ("2026-11-20,1.5,100,4.5,300,90000", "relevant must be a whole number"),
        ("2026-11-20,1,100,4,300", "expected 6 columns, found 5"),
    ],
)
def test_lines_that_do_not_fit(log, line, said):
    log.write_text(HEADER + FIRST + line + "\n")
    before = log.read_bytes()
    for arguments in ((), ("--add", "1/2", "--date", "2026-12-01")):
        done = run_cli("monitor", log, *arguments)
        assert_refused(done, said)
        assert f"{log.name}:3" in done.stderr
    assert log.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--add", "3/2"), "relevant must be at most sampled"),
        (("--add", "3"), "RELEVANT/SAMPLED"),
        (("--add", "3/20", "--population", "80000"), "--population must be 90000"),
        (("--add", "0/90000", "--date", "2026-11-20"), "at most 90000 documents"),
        (("--add", "0/9", "--date", "2026-11-13"), "date must be after 2026-11-13"),
        (("--add", "0/9", "--date", "tomorrow"), "must be a date"),
        (("--add", "0/9", "--date", "2026-12-01", "--confidence-level", "2"), "between 0 and 1"),
        (("--date", "2026-11-20"), "--date is for lines that --add adds"),
    ],
)
def test_what_is_refused_changes_nothing(log, arguments, said):
    before = log.read_bytes()
    assert_refused(run_cli("monitor", log, *arguments), said)
    assert log.read_bytes() == before


def test_files(log, tmp_path):
    missing = tmp_path / "missing.csv"
    assert_refused(run_cli("monitor", missing), "No such file")
    assert_refused(run_cli("monitor", missing, "--add", "0/9"), "needs --population")
    assert not missing.exists()
    for name in ("log.xlsx", "-"):
        assert_refused(run_cli("monitor", name, "--add", "0/9", "--population", 50), "ends in .csv")
    assert_refused(run_cli("monitor", log, "-o", log), "would write over the input file")
    log.write_text(HEADER.strip() + ",note\n" + FIRST.strip() + ",first\n")
    assert_refused(run_cli("monitor", log, "--add", "0/9"), "the columns must be date,relevant")
    # Excel's form in many countries is read, and written with commas
    log.write_text((HEADER + FIRST).replace(",", ";"), encoding="utf-8-sig")
    rows_of(log, "--add", "0/9", "--date", "2026-11-20")
    assert log.read_text() == HEADER + FIRST + "2026-11-20,0,9,3,209,90000\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [("13.11.2026", "4.12.2026"), ("11/13/2026", "12/4/2026"), ("13/11/2026", "04/12/2026")],
)
def test_dates_that_a_spreadsheet_wrote(log, first, second):
    log.write_text(HEADER + FIRST.replace("2026-11-13", first) + f"{second},0,200,3,400,90000\n")
    assert [row["date"] for row in rows_of(log)] == ["2026-11-13", "2026-12-04"]
    rows_of(log, "--add", "0/1", "--date", "2026-12-05")
    assert log.read_text().startswith(HEADER + FIRST + "2026-12-04,0,200,3,400,90000\n")


@pytest.mark.parametrize("dates", [["11/12/2026"], ["13/11/2026", "11/14/2026"]])
def test_dates_that_may_be_others_are_refused(log, dates):
    rows = [f"{date},0,200,0,{200 * i},90000\n" for i, date in enumerate(dates, 1)]
    log.write_text(HEADER + "".join(rows))
    day, month, _ = dates[0].split("/")
    assert_refused(run_cli("monitor", log), f"found '{dates[0]}': write 2026-{month}-{day} or 2026")


def test_documents_are_whole(log):
    (row,) = rows_of(log)
    assert (row["documents_low"], row["documents_high"]) == (76, 5856)
    assert ",5856.0\n" in run_cli("monitor", log, "-f", "csv").stdout
