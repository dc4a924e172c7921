"""Tables as reviewers make them: workbooks, encodings, separators, headers, numbers, totals."""

import io
import json
import sys

import pytest
from commands import run_cli

import irbounds as irb

ROWS = [
    ["segment", "size", "sampled", "relevant"],
    ["retrieved", 12000, 150, 108],
    ["unretrieved", 30000, 500, 14],
    ["unretrieved", 58000, 800, 6],
]
READ = {
    "retrieved": [[12000.0, 150.0, 108.0]],
    "unretrieved": [[30000.0, 500.0, 14.0], [58000.0, 800.0, 6.0]],
}


def text_of(rows, separator=",", end="\n"):
    return "".join(separator.join(map(str, row)) + end for row in rows)


def with_header(*header):
    return text_of([header, *ROWS[1:]])


def workbook(*sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for i, rows in enumerate(sheets):
        sheet = book.active if i == 0 else book.create_sheet()
        for row in rows:
            sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def recall_of(path, *options):
    done = run_cli("recall", path, "-f", "json", *options)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {name: found[name] for name in READ}, done.stderr


def refused(*arguments):
    done = run_cli(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr


@pytest.mark.parametrize(
    "data",
    [
        text_of(ROWS).encode("utf-16"),
        text_of(ROWS, "\t", "\r\n").encode("utf-16-le"),  # without a mark
        text_of(ROWS, "\t").encode("utf-16-be"),
        text_of(ROWS, ";", "\r\n").encode("utf-8-sig"),
        b"sep=;\r\n" + text_of(ROWS, ";", "\r\n").encode(),
        b'"sep=|"\n' + text_of(ROWS, "|").encode(),
        b"sep=\t\n" + text_of(ROWS, "\t").encode(),
        text_of([[*row, "geprüft"] for row in ROWS]).encode("cp1252"),
        text_of([[], *ROWS, ["", "", "", ""]]).encode(),
    ],
)
def test_texts_of_spreadsheets(tmp_path, data):
    (tmp_path / "t.csv").write_bytes(data)
    assert recall_of(tmp_path / "t.csv") == (READ, "")


def test_workbooks(tmp_path):
    path = tmp_path / "t.xlsx"
    floats = [[float(cell) if isinstance(cell, int) else cell for cell in row] for row in ROWS]
    texts = [[str(cell) for cell in row] for row in ROWS]
    for sheets in (
        [ROWS],
        [[], ROWS],
        [floats],
        [texts],
        [[[], *ROWS, [None]]],
        [ROWS, [["notes"]]],
    ):
        path.write_bytes(workbook(*sheets))
        assert recall_of(path) == (READ, "")
    path.write_bytes(workbook([["tp", "fp", "fn"], [90, 10, 30]]))
    assert "0.9000" in run_cli("counts", path).stdout
    path.write_bytes(workbook([["title", "label"], ["a", 1], ["b", 0], ["c", None]]))
    assert irb.read_labels(path).labels.tolist() == [1, 0]
    path.write_bytes(
        workbook(
            [
                ["segment", "size", "prevalence"],
                ["retrieved", 20, 0.7],
                ["unretrieved", 80, "2%"],
            ]
        )
    )
    assert run_cli("plan", path, "--sample", 10).returncode == 0
    path.write_bytes(workbook([*ROWS[:2], ["unretrieved", "8.000", 500, 14]]))
    assert "t.xlsx:3: expected a number as size, found '8.000': write 8000" in refused(
        "recall", path
    )
    path.write_bytes(path.read_bytes()[:2000])
    assert "a zip archive" in refused("recall", path)


NOTES = [
    [["Smith v. Jones"], [], *ROWS],  # a title above the header
    [*ROWS, [], ["Note: drawn on 3 November"]],
    [*ROWS, ["Total (both)", 100_000, 1450, 128], ["Total", "=SUM(B2:B4)"]],
    [
        ROWS[0],
        ["Retrieved documents", *ROWS[1][1:]],
        *(["Not retrieved", *r[1:]] for r in ROWS[2:]),
    ],
    [*ROWS[:2], *(["Unretrieved (null set)", *row[1:]] for row in ROWS[2:])],
]


@pytest.mark.parametrize("rows", NOTES)
def test_what_people_write_around_a_table(tmp_path, rows):
    wide = [[*row, *[""] * (4 - len(row))] for row in rows]  # as Excel writes CSV
    for name, data in ("t.xlsx", workbook(rows)), ("t.csv", text_of(wide).encode()):
        (tmp_path / name).write_bytes(data)
        found, said = recall_of(tmp_path / name)
        assert found == READ
        assert said.count("is left out, as it") == sum(
            str(row[0]).startswith(("Total", "Note")) for row in rows if row
        )


def test_formulas_and_sheets(tmp_path):
    """A formula that no program has computed is no empty cell; hidden sheets are not read."""
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook([*ROWS[:3], ["unretrieved", "=100000-B2-B3", 800, 6]]))
    assert "t.xlsx:4: expected a number as size, found '=100000-B2-B3': a formula that" in refused(
        "recall", path
    )
    cover = [["Matter", "Smith v. Jones"]]
    path.write_bytes(workbook(cover, ROWS))
    assert "the table must be on the first sheet that is not hidden" in refused("recall", path)
    book = openpyxl.load_workbook(path)
    book.worksheets[0].sheet_state = "hidden"
    book.active = 1
    book.save(path)
    assert recall_of(path) == (READ, "")
    path.write_bytes(workbook([["title of the matter"]]))
    assert ":1: expected a header with the columns segment" in refused("recall", path)
    path.write_bytes(workbook([[*ROWS[0], "size"], *([*row, 1] for row in ROWS[1:])]))
    assert "delete or rename one, which may be hidden" in refused("recall", path)
    path.write_bytes(workbook([*ROWS, ["", 100_000, 1450, 128]]))
    assert "a row of totals is left out if it is named Total" in refused("recall", path)


def test_a_workbook_without_openpyxl(tmp_path, monkeypatch):
    path = tmp_path / "t.xlsx"
    path.write_bytes(workbook(ROWS))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert 'pip install "irbounds[excel]"; or save the sheet as CSV' in refused("recall", path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
            "an Excel workbook of before 2007: save",
        ),
        (b"PK\x03\x04" + bytes(60), "a zip archive: expected a table"),
        (b"\x1f\x8b\x08\0", "a compressed file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "expected text in UTF-8"),
    ],
)
def test_other_files_are_named(tmp_path, data, message):
    (tmp_path / "t").write_bytes(data)
    for arguments in (("recall",), ("plan", "--sample", 9), ("counts",)):
        assert message in refused(*arguments, tmp_path / "t")


@pytest.mark.parametrize(
    "header",
    [
        ("Segment", "Population", "Sample size", "Relevant"),
        ("SEGMENT", "Documents", "Reviewed", "Responsive"),
        ("stratum", "Stratum size", "Docs reviewed", "Responsive documents"),
        ("Segment", "N", "n", "r"),
        ("Segment", "N", "sample_size", "Relevant docs"),
        ("segment ", "# documents", "Documents-sampled", " relevant"),
        ("Teil", "Grundgesamtheit", "Stichprobe", "Relevant"),
    ],
)
def test_headers_that_people_write(tmp_path, header):
    (tmp_path / "t.csv").write_text(with_header(*header))
    assert recall_of(tmp_path / "t.csv") == (READ, "")


def test_columns_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(with_header("where", "how many", "looked at", "good"))
    columns = "segment=where,size=how many,sampled=looked at,relevant=GOOD"
    assert recall_of(path, "--columns", columns) == (READ, "")
    assert "expected a header with the columns segment, size" in refused("recall", path)
    assert "there is no column 'bad', which --columns names as size" in refused(
        "recall", path, "--columns", "size=bad"
    )
    assert "this table has no column 'sizes', did you mean 'size'?" in refused(
        "recall", path, "--columns", "sizes=good"
    )
    path.write_text(with_header("segment", "Population", "Documents", "relevant"))
    assert "'Population' and 'Documents' may be it; name one with --columns size=Pop" in refused(
        "recall", path
    )
    path.write_text("model;right;wrong;lost\na;9;1;2\n")
    named = run_cli("counts", path, "--columns", "tp=right,fp=wrong,fn=lost")
    assert "0.9000" in named.stdout


def test_rows_of_totals_are_left_out(tmp_path):
    path = tmp_path / "t.csv"
    rows = [[*row, ""] for row in ROWS]
    for total in (["Total", 100000, 1450, 128, ""], ["", 100000, 1450, 128, "Grand total:"]):
        path.write_text(text_of([*rows, total]))
        found, said = recall_of(path)
        assert found == READ
        assert f"t.csv:5: the row '{total[0] or total[4]}' is left out, as it adds up" in said
    path.write_text(text_of([*rows, ["TOTAL (all)", 99000, 1450, 128, ""]]))
    assert "the row 'TOTAL (all)' has 99000 as size, but the rows add up to 100000" in refused(
        "recall", path
    )
    path.write_text(text_of([*rows, ["Total reviewed", 1, 1, 1, ""]]))
    assert "it was not compared" in recall_of(path)[1]
    path.write_text(text_of([*rows, ["unretrieved", 88000, 1300, 20, "Subtotal"]]))
    assert recall_of(path)[0] == READ
    path.write_text(text_of([rows[0], ["Total", "100,000", "", 128, ""], *rows[1:]], ";"))
    assert recall_of(path)[0] == READ


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ((100001, 1450, 128), "has 100001 as size, but the rows add up to 100000"),
        ((100000, 1450, 129), "has 129 as relevant, but the rows add up to 128"),
        ((88000, 1300, 128), "has 88000 as size, but the rows add up to 100000"),
    ],
)
def test_a_total_that_is_not_the_sum_is_refused(tmp_path, cells, said):
    path = tmp_path / "t.csv"
    path.write_text(text_of([*ROWS, ["Total", *cells]]))
    message = refused("recall", path)
    assert f"t.csv:5: the row 'Total' {said}: correct the rows, or leave the total out" in message


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("8.000", ": write 8000 or 8, as this may be either"),
        ("1.234", ": write 1234 or 1.2340, as this may be either"),
        ("1.234.567", ": write 1234567"),
        ("8,000", ": write 8000"),
        ("8 000", ": write 8000"),
        ("8\u00a0000", ": write 8000"),
        ("8'000", ": write 8000"),
        ("8’000", ": write 8000"),
        ("1_000", ": write 1000"),
        ("8.000,5", ": write 8000.5"),
        ("8,5", ": write 8.5"),
        ("٨٠٠٠", ": write it with the digits 0 to 9"),
        ("８０００", ": write it with the digits 0 to 9"),
        ("85 %", ": write a number without %"),
        ("108 docs", ": write the number alone"),
        ("1932-11-07 00:00:00", ": a date: give the cell the format of a number"),
        ("=B2", ": a formula that was never computed: open the file in Excel, and save it"),
        ("many", ""),
        ("", ""),
    ],
)
def test_numbers_that_may_be_others_are_refused(tmp_path, cell, advice):
    path = tmp_path / "t.csv"
    path.write_text(text_of([ROWS[0], ["retrieved", cell, 8, 8], *ROWS[2:]], "\t"))
    message = refused("recall", path)
    assert f":2: expected a number as size, found {cell!r}{advice}\n" in message
    path.write_text(f"tp\tfp\tfn\n{cell}\t56\t78\n")
    assert refused("counts", path).endswith(f"{advice}\n")
    if cell and not cell.startswith("8,5"):
        option = refused("counts", "--tp", cell, "--fp", 56, "--fn", 78)
        assert option.endswith(f"{advice}\n")


def test_the_template_is_a_table(tmp_path):
    path = tmp_path / "strata.csv"
    assert run_cli("recall", "--template", "-o", path).returncode == 0
    assert path.read_text() == run_cli("recall", "--template").stdout == text_of(ROWS)
    assert recall_of(path) == (READ, "")


def test_percents_and_commas_in_options():
    found = {
        run_cli(
            *("extrapolate", "--recall", recall, "--precision", precision, "--prevalence", "0.03"),
            *("--population", population, "-f", "csv"),
        ).stdout
        for recall, precision, population in (
            ("0.7", "0.5", 100000),
            ("70%", "50 %", "100,000"),
            ("+.7", "5e-1", "1e5"),
        )
    }
    assert len(found) == 1
    assert "" not in found
    shares = [
        run_cli(
            "recall", "--retrieved", "12,000/150/108", "--unretrieved", "88000/1300/20", *target
        )
        for target in (("--target", "80%", "--confidence-level", "95 %"), ("--target", 0.8))
    ]
    assert shares[0].stdout == shares[1].stdout != ""
    assert "--population must be a whole number; found '100.000': write 100000 or 100" in refused(
        *("plan", "--retrieved", "9", "--recall", "80%", "--precision", "60%-70%"),
        *("--sample", 9, "--population", "100.000"),
    )
    low = run_cli(
        "recall", "--retrieved", "9/9/9", "--unretrieved", "9/9/1", "--confidence-level", "5%"
    )
    assert "--confidence-level 0.05 claims little" in low.stderr


# Names of files that promise another format
# ----------------------------------------------------------------------------------------

SAMPLES = ("--retrieved", "12000/150/108", "--unretrieved", "88000/1300/20")


@pytest.mark.parametrize("ending", ["pdf", "docx", "xlsx", "txt", "json", "gz"])
def test_pages_are_html(tmp_path, ending):
    path = tmp_path / f"memo.{ending}"
    assert "--output must end in .html, as the page is HTML" in refused(
        "report", "recall", *SAMPLES, "-o", path
    )
    with pytest.raises(irb.InputError, match=r"`output` must end in .html"):
        irb.report_recall((500, 50, 40), (2000, 100, 3), output=path)
    assert not path.exists()


def test_tables_have_the_endings_of_their_formats(tmp_path):
    for ending in ("pdf", "docx", "xls", "parquet", "html", "dat", "tsv", "csv.gz"):
        path = tmp_path / f"table.{ending}"
        message = refused("recall", *SAMPLES, "-o", path)
        assert "--output must end in .csv (csv), .json (json)" in message
        assert not path.exists()
    for ending in ("csv", "JSON", "txt", "v2.1", "log"):
        assert run_cli("recall", *SAMPLES, "-o", tmp_path / f"table.{ending}").returncode == 0
    assert run_cli("recall", *SAMPLES, "-f", "csv", "-o", tmp_path / "table.dat").returncode == 0
    assert "spreadsheets open .csv" in refused(
        "recall", *SAMPLES, "-f", "csv", "-o", tmp_path / "table.xlsx"
    )
