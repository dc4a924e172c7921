"""Excel workbooks: templates to fill in, and results."""

import hashlib
import shlex
import sys

import pytest
from commands import assert_refused, run_cli
from sizes import long

openpyxl = pytest.importorskip("openpyxl")

STRATA = [("retrieved", 12000, 150, 108), ("unretrieved", 88000, 1300, 20)]
GIVEN = ("--retrieved", "12000/150/108", "--unretrieved", "88000/1300/20")
PLAN = ["--population", "900", "--retrieved", "90", "--recall", "0.8", "--precision", "0.5"]
DAY = ("--date", "2026-01-31")


def fill(path, rows):
    """Write rows into the first sheet of a template, below its header, and save it."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    for number, row in enumerate(rows, 2):
        for place, value in enumerate(row, 1):
            assert sheet.cell(number, place).value in (None, value)
            sheet.cell(number, place).value = value
    book.save(path)


def results(path):
    """The rows of the sheet of results, without what is empty."""
    [sheet] = openpyxl.load_workbook(path).worksheets
    assert sheet.title == "results"
    rows = ([x for x in row if x is not None] for row in sheet.iter_rows(values_only=True))
    return [row for row in rows if row]


def run_from_template(path, *arguments):
    """The commands that a template's explanations name, with values for their placeholders."""
    lines = [row[0] for row in openpyxl.load_workbook(path)["explanations"].values if row[0]]
    commands = [line for line in lines if line.startswith("irbounds ")]
    assert commands
    for line in commands:
        line = line.replace("RETRIEVED/UNRETRIEVED", "12000/88000")
        done = run_cli(*shlex.split(line)[1:], *arguments)
        assert (done.returncode, done.stderr) == (0, ""), line
        yield line, done.stdout


@pytest.mark.parametrize(
    ("command", "rows", "added"),
    [
        (("recall",), STRATA, [("unretrieved", 10, 10, 1)]),
        (
            ("plan",),
            [("retrieved", 120, "60%"), ("unretrieved", 300, "0.01-0.02")],
            [],
        ),
        long(
            (
                ("recall", "--sample", "12000/88000"),
                [(f"00{i}", ("yes", "no")[i > 5], ("yes", "no")[i % 9 > 4]) for i in range(60)],
                [],
            )
        ),
    ],
)
def test_from_the_template_to_the_result(tmp_path, monkeypatch, command, rows, added):
    monkeypatch.chdir(tmp_path)
    name = "my review.xlsx"
    done = run_cli(*command, "--template", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    before = (tmp_path / name).read_bytes()
    run_cli(*command, "--template", "again.xlsx")
    assert (tmp_path / "again.xlsx").read_bytes() != before  # it names another file
    assert_refused(run_cli(*command, "--template", name), "not written over a file")
    assert (tmp_path / name).read_bytes() == before
    goal = ("--sample", 50) if command == ("plan",) else ()
    unfilled = run_cli(*command, name, *goal)
    said = "has a header and no rows" if "--sample" in command else "my review.xlsx:2: fill in size"
    assert_refused(unfilled, said)
    fill(name, [*rows, *added])
    ran = dict(run_from_template(name))
    assert any(line.endswith((".xlsx'", ".html")) for line in ran)
    plain = tmp_path / "plain.csv"
    text = run_cli(*command, "--template").stdout.splitlines()[0]
    plain.write_text("\n".join([text, *(",".join(map(str, row)) for row in [*rows, *added]), ""]))
    line, shown = next(iter(ran.items()))
    line = line.replace("RETRIEVED/UNRETRIEVED", "12000/88000").replace(
        shlex.quote(name), "plain.csv"
    )
    assert run_cli(*shlex.split(line)[1:]).stdout == shown


def test_templates_as_text(tmp_path):
    for command in (("recall",), ("plan",)):
        text = run_cli(*command, "--template").stdout
        assert run_cli(*command, "--template", tmp_path / f"{command[0]}.csv").returncode == 0
        assert (tmp_path / f"{command[0]}.csv").read_text() == text
        goal = ("--sample", 300) if command == ("plan",) else ()
        assert run_cli(*command, tmp_path / f"{command[0]}.csv", *goal).returncode == 0
        book = tmp_path / f"{command[0]}.xlsx"
        assert run_cli(*command, "--template", "-o", book).returncode == 0
        assert "explanations" in openpyxl.load_workbook(book).sheetnames


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recall", "--template", "a.pdf"), "--template must end in .csv or .xlsx; found 'a.pdf'"),
        (("recall", "--template", "a.csv", "-o", "b.csv"), "name the file of the template once"),
        (("recall", "x.csv", "--template"), "--template does not take a table"),
        (("plan", "x.csv", "--template"), "--template does not take a table"),
        (("recall", *GIVEN, "-f", "xlsx"), "--format xlsx needs --output FILE.xlsx"),
        (("recall", *GIVEN, "-f", "xlsx", "-o", "a.csv"), "FILE.xlsx; found 'a.csv'"),
        (("recall", *GIVEN, "-f", "csv", "-o", "a.xlsx"), "--output must end in .csv (csv)"),
        (("recall", *GIVEN, *DAY), "--date is for workbooks: it needs --output FILE.xlsx"),
        (("recall", *GIVEN, "-o", "a.xlsx", "--date", "May"), "--date must be a date, for example"),
        (("counts", "--tp", 9, "--fp", 1, "--fn", 2, "-o", "a.xlsx"), "--output must end in .csv"),
    ],
)
def test_what_is_refused(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("segment,size,prevalence\n")
    assert_refused(run_cli(*arguments), message)
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_results_are_numbers_with_their_origin(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_cli("recall", "--template", "in.xlsx")
    fill("in.xlsx", STRATA)
    given = ("recall", "in.xlsx", "--target", 0.8, "-o", "out.xlsx", *DAY)
    assert run_cli(*given).returncode == 0
    rows = results("out.xlsx")
    csv = run_cli("recall", "in.xlsx", "-f", "csv").stdout.splitlines()
    assert rows[0] == csv[0].split(",")
    for row, line in zip(rows[1:6], csv[1:], strict=True):
        assert row[:2] == line.split(",")[:2]
        # openpyxl writes 16 digits
        assert row[2:] == pytest.approx(list(map(float, line.split(",")[2:])), rel=1e-15)
        assert all(isinstance(x, int | float) for x in row[2:])
    facts = {row[0]: row[1] for row in rows[6:] if len(row) == 2}
    assert facts["probability of target"] == pytest.approx(0.9853, abs=5e-5)
    assert facts["command"] == shlex.join(["irbounds", *map(str, given)])
    assert facts["version"].startswith("irbounds ")
    assert (facts["date"], facts["input"]) == ("2026-01-31", "in.xlsx")
    digest = hashlib.sha256((tmp_path / "in.xlsx").read_bytes()).hexdigest()
    assert facts["SHA-256"] == digest
    assert [
        "betabinom-half is right in about 95 % of reviews on average, in some less often"
    ] in rows
    first = (tmp_path / "out.xlsx").read_bytes()
    assert run_cli(*given).returncode == 0
    assert (tmp_path / "out.xlsx").read_bytes() == first


def test_the_input_is_not_written_over(tmp_path):
    path = tmp_path / "in.xlsx"
    run_cli("recall", "--template", path)
    fill(path, STRATA)
    before = path.read_bytes()
    assert_refused(run_cli("recall", path, "-o", path), "would write over the input file")
    assert path.read_bytes() == before


def test_other_commands_of_samples(tmp_path):
    for arguments in (
        ("proportion", "12/1500", "--population", 90_000),
        ("plan-proportion", "--margin", 0.02, "--expected", 0.1),
        ("recall", "--retrieved", "500/50/0", "--unretrieved", "2000/100/0"),
        ("recall", "--sample", "12000/88000/1500/131/20", "--all-methods"),
        ("plan", *PLAN, "--target", 0.99),
    ):
        path = tmp_path / f"{arguments[0]}.xlsx"
        done = run_cli(*arguments, "-o", path)
        assert (done.returncode, done.stderr) in ((0, ""), (1, "")), done
        assert results(path)[-1][0] == "date"


def test_names_are_no_formulas(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "=1+1\x01.csv"
    text = "segment,size,sampled,relevant\n"
    (tmp_path / name).write_text(text + "".join(",".join(map(str, row)) + "\n" for row in STRATA))
    assert run_cli("recall", name, "-o", "out.xlsx").returncode == 0
    [sheet] = openpyxl.load_workbook("out.xlsx").worksheets
    found = [cell for row in sheet.rows for cell in row if "=1+1" in str(cell.value)]
    assert {cell.data_type for cell in found} == {"s"}
    assert "=1+1?.csv" in [cell.value for cell in found]


def test_without_openpyxl(tmp_path, monkeypatch):
    for name in ("openpyxl", *(name for name in sys.modules if name.startswith("openpyxl."))):
        monkeypatch.setitem(sys.modules, name, None)
    said = 'writing an Excel workbook needs openpyxl: pip install "irbounds[excel]"; or write .csv'
    for arguments in (("--template", tmp_path / "a.xlsx"), (*GIVEN, "-o", tmp_path / "a.xlsx")):
        assert_refused(run_cli("recall", *arguments), said)
    assert not list(tmp_path.iterdir())


def test_all_methods_say_how_often_they_cover(tmp_path):
    done = run_cli("recall", *GIVEN, "--all-methods", "-f", "csv")
    header, first, *_ = done.stdout.splitlines()
    assert header == "measure,method,estimate,low,high,covers"
    assert first.endswith((",on average", ",every review"))


def test_findings_of_a_plan_are_explained(tmp_path):
    table, path = tmp_path / "t.csv", tmp_path / "sizes.xlsx"
    table.write_text("segment,size,prevalence\nretrieved,120,0.6\nunretrieved,300,0.01\n")
    assert run_cli("plan", table, "--target", 0.5, "-o", path).returncode == 0
    cells = [cell.value for row in openpyxl.load_workbook(path).active for cell in row]
    assert "probability that the bound reaches the target" in cells
    assert not any("AssumedReview(" in str(cell) or cell == "value" for cell in cells)
    done = run_cli("plan-proportion", "--at-most", 0.01, "-f", "csv")
    assert done.stdout.startswith("sampled,allowed,accepted\n")
