"""Files of review tools: labels in reading order.

The tables of the projects are those that ASReview 1.6, 2.2 and 3.0 create.
"""

import io
import sqlite3
import zipfile

import numpy as np
import pytest
from commands import assert_refused, run_cli

import irbounds as irb

V1 = "record_id INTEGER, label INTEGER, query_strategy TEXT, labeling_time INTEGER, notes TEXT"
V3 = "record_id INTEGER UNIQUE, label INTEGER, querier TEXT, time FLOAT, note TEXT"
EXPORT = """title,abstract,asreview_label,asreview_time,asreview_note
a,"two
lines, and a comma",1,2026-01-31 10:00:09,
b,,1,2026-01-31 10:00:01,x
c,,,,
d,,0,2026-01-31 10:00:05,
"""
RIS = """TY  - JOUR
TI  - a title
AB  - TY is not a field here
N1  - ASReview_relevant
N1  - asreview_time: "2026-01-31 10:00:09"
ER  -

TY  - JOUR
N1  - <p>ASReview_irrelevant</p>
N1  - <p>asreview_time: "2026-01-31 10:00:01"</p>
ER  -
TY  - JOUR
N1  - ASReview_not_seen
ER  -
"""


def database(path, statements):
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    for statement, rows in statements:
        connection.executemany(statement, rows) if rows else connection.execute(statement)
    connection.commit()
    connection.close()
    return path.read_bytes()


def archive(path, **members):
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/").replace("_sql", ".sql").replace("_db", ".db"),
                          data)  # fmt: skip
    return path


def project(folder, version):
    """Six records: two of prior knowledge; shown in the order 4, 2, 3; 3 is not decided yet."""
    shown = [(0, 1, None, 1), (5, 0, None, 1), (4, 0, "max", 9), (2, 1, "max", 5), (3, None, "max",
             None)]  # fmt: skip
    scratch = folder / "scratch.db"
    if version == 1:
        rows = [(record, label, query or "prior", time) for record, label, query, time in shown]
        data = database(scratch, [
            (f"CREATE TABLE results({V1})", []),
            ("INSERT INTO results VALUES (?, ?, ?, ?, NULL)", rows),
            ("CREATE TABLE record_table(record_id INT)", []),
            ("INSERT INTO record_table VALUES (?)", [(i,) for i in range(6)]),
        ])  # fmt: skip
        return archive(folder / "v1.asreview", project_json="{}", reviews__x__results_sql=data)
    results = [
        (f"CREATE TABLE results({V3})", []),
        ("INSERT INTO results VALUES (?, ?, ?, ?, NULL)", shown),
    ]
    records = [
        ("CREATE TABLE record(record_id INTEGER PRIMARY KEY, duplicate_of INTEGER)", []),
        ("INSERT INTO record VALUES (?, NULL)", [(i,) for i in range(6)]),
    ]
    if version == 2:
        data, store = database(scratch, results), database(scratch, records)
        return archive(folder / "v2.asreview", reviews__x__results_db=data, data_store_db=store)
    # record 6 is a duplicate of 2, and labelled with it; 7 is one of the unread record 1
    results.append(("INSERT INTO results VALUES (6, 1, 'max', 5, NULL)", []))
    records.append(("INSERT INTO record VALUES (?, ?)", [(6, 2), (7, 1)]))
    return archive(folder / "v3.asreview", results_db=database(scratch, results + records))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_projects_of_asreview_tell_order_size_and_prior_knowledge(tmp_path, version):
    path = project(tmp_path, version)
    read = irb.read_labels(path)
    assert read.labels.tolist() == [0, 1]
    assert (read.population, read.prior, read.prior_relevant) == (4, 2, 1)
    assert (
        repr(read) == "ReviewLabels(1 relevant in 2 of 4 documents, without 2 of prior knowledge)"
    )
    assert read.format == "asreview"
    done = run_cli("stop", path, "--target", 0.5)
    assert "left out: 2 of prior knowledge, 1 of them relevant" in done.stdout
    assert irb.stopping_curve(read, read.population).looks.tolist() == [1, 2]


def test_a_bound_without_prior_knowledge_is_no_larger_than_with_it():
    r, u, p = np.meshgrid(np.arange(20), np.arange(1, 40), np.arange(9))
    inside = r <= u
    assert ((r + p) / (u + p) >= r / u)[inside].all()


def test_exports_are_put_in_the_order_of_time(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(EXPORT)
    read = irb.read_labels(path)
    assert (read.labels.tolist(), read.population, read.format) == ([1, 0, 1], 4, "csv")
    assert irb.read_labels(path, order="file").labels.tolist() == [1, 1, 0]
    first = irb.read_labels(path, n_prior=1)
    assert (first.labels.tolist(), first.population, first.prior_relevant) == ([0, 1], 3, 1)
    path.write_text(RIS)
    read = irb.read_labels(path)
    assert (read.labels.tolist(), read.population, read.format) == ([0, 1], 3, "ris")
    path.write_bytes(RIS.replace("a title", "é").encode("latin-1"))
    assert irb.read_labels(path).labels.tolist() == [0, 1]


def test_duplicates_of_an_export_count_once(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(
        "asreview_label,asreview_time,asreview_group_id\n1,2026-01-01 10:00:00,4\n"
        "1,2026-01-01 10:00:00,4\n0,2026-01-01 09:00:00,2\n,,9\n,,9\n"
    )
    read = irb.read_labels(path)
    assert (read.labels.tolist(), read.population) == ([0, 1], 3)


def test_exports_without_times_are_refused_unless_they_are_in_order(tmp_path):
    path = tmp_path / "export.csv"
    for text in (
        "title,included,asreview_ranking\na,1,1\nb,,2\nc,0,3\n",
        RIS.replace("asreview_time", "other"),
    ):
        path.write_text(text)
        with pytest.raises(irb.InputError, match=r"sorted by label .* read the project file"):
            irb.read_labels(path)
        assert len(irb.read_labels(path, order="file")) == 2


def test_times_that_do_not_sort_as_text_are_refused(tmp_path):
    path = tmp_path / "saved.csv"  # by a spreadsheet: as text October is before September
    path.write_text("asreview_label,asreview_time\n1,9/1/2026 10:00\n0,10/1/2026 10:00\n")
    with pytest.raises(irb.InputError, match="expected times as 2026-01-31 10:00:09; found '9/1/"):
        irb.read_labels(path)
    assert irb.read_labels(path, order="file").labels.tolist() == [1, 0]


def test_other_tables_and_lists_are_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("doc;Included\nx;0\ny;yes\nz;\n")
    read = irb.read_labels(path)
    assert (read.labels.tolist(), read.population) == ([0, 1], 3)
    path.write_text("1\n0\nfalse\nyes\n")
    read = irb.read_labels(path)
    assert (read.labels.tolist(), read.population, read.format) == ([1, 0, 0, 1], None, "text")
    path.write_text("label\n1\n0\n")
    assert irb.read_labels(path).population == 2


def test_runs_of_tar_eval(tmp_path):
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text(
        "T1 AF d3 1 0.9 r\nT1 NF d1 2 0.8 r\nT1 AF d3 3 0.8 r\nT1 NF x 3 0.7 r\n"
        "T1 NS d2 4 0.1 r\nT2 AF d1 1 1 r\n"
    )
    qrels.write_text("T1 0 d1 1\nT1 0 d2 2\nT1 0 d3 0\nT1 0 d4 0\nT2 0 d1 1\n")
    read = irb.read_labels(run, qrels=qrels, topic="T1")
    assert (read.labels.tolist(), read.population, read.unknown) == ([0, 1], 4, 1)
    done = run_cli("stop", run, "--qrels", qrels, "--topic", "T2")
    assert done.returncode == 0
    assert_refused(run_cli("stop", run, "--qrels", qrels), "the run has 2 topics; give --topic")
    assert_refused(run_cli("stop", run, "--qrels", qrels, "--topic", "x"), "must be in the run")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (b"", {}, "the file has no labels"),
        (b"1\n\n0\n", {}, ":2: expected a label, found an empty line"),
        (b"1\n2\n", {}, ":2: a label must be 0 or 1; found '2'"),
        (b"\xff\xfe\0\xd8", {}, "expected text in UTF-8"),
        (b"\xff\xfe", {}, "the file has no labels"),
        (b"title,x\na,1\n", {}, ":1: expected a column asreview_label, label"),
        (b"label,x\n1\n", {}, ":2: expected 2 columns, found 1"),
        (b"label,x\n7,1\n", {}, ":2: a label must be 0 or 1; found '7'"),
        (b"label,x\n", {}, "the file has no records"),
        (b"TY  - JOUR\nER  - \n", {}, "no record has a note ASReview_relevant"),
        (b"TY  - JOUR\nN1  - ASReview_relevant\n", {}, "the last record has no end"),
        (b"PK\x03\x04 and no more", {}, "is not a project of ASReview"),
        (b"PK\x05\x06" + bytes(18), {}, "it has no results.db"),  # an archive of no files
        (b"label,label\n1,0\n", {}, ":1: expected one column label; found two"),
        (b"1\n", {"format": "x"}, "`format` must be one of"),
        (b"1\n", {"n_prior": 2}, "`n_prior` must be at most the 1 labels"),
        (b"1\n", {"topic": "x"}, "`topic` is for runs of tar_eval"),
        (b"1\n", {"format": "tar"}, "`qrels` is for runs of tar_eval"),
    ],
)
def test_hostile_files_are_one_line(tmp_path, text, options, message):
    path = tmp_path / "labels"
    path.write_bytes(text)
    with pytest.raises(irb.InputError) as raised:
        irb.read_labels(path, **options)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_runs_without_documents_are_one_line(tmp_path):
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text("\n")
    qrels.write_text("T1 0 d1 1\n")
    with pytest.raises(irb.InputError, match="run: the run has no documents"):
        irb.read_labels(run, qrels=qrels)


def test_hostile_projects_are_one_line(tmp_path):
    path = tmp_path / "x.asreview"
    cases = {
        "it has no results.db": {"project_json": "{}"},
        "2 reviews; export one": {"a__results_db": "", "b__results_db": ""},
        "file is not a database": {"results_db": "x" * 5000},
        "has no record_id, label or querier": {"results_db": ""},
    }
    for message, members in cases.items():
        archive(path, **members)
        with pytest.raises(irb.InputError, match=message) as raised:
            irb.read_labels(path)
        assert "\n" not in str(raised.value)
    with pytest.raises(irb.InputError, match="`n_prior` is not for this format"):
        irb.read_labels(project(tmp_path, 3), n_prior=1)
    data = io.BytesIO(project(tmp_path, 2).read_bytes()).getvalue()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(irb.InputError, match="is not a project of ASReview"):
        irb.read_labels(path)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (["2026-01-31 10:00:09", "1769853600.5"], "expected times of one kind, found"),
        (["2026-01-31T10:00:09Z", "2026-01-31T10:00:08"], "expected times of one kind, found"),
        (["2026-01-31 10:00:08xyz", "2026-01-31 10:00:09"], "expected times as 2026-01-31"),
        (["2026-02-31 10:00:08", "2026-01-31 10:00:09"], "expected times as 2026-01-31"),
    ],
)
def test_times_that_cannot_be_put_in_order(tmp_path, times, message):
    path = tmp_path / "export.csv"
    rows = "".join(f"{i},{time}\n" for i, time in enumerate(times))
    path.write_text("asreview_label,asreview_time\n" + rows)
    with pytest.raises(irb.InputError, match=message):
        irb.read_labels(path)


def test_times_are_sorted_as_times(tmp_path):
    path = tmp_path / "export.csv"
    times = ["2026-01-31T10:00:09+02:00", "2026-01-31T08:00:08Z"]
    path.write_text(f"asreview_label,asreview_time\n1,{times[0]}\n0,{times[1]}\n")
    assert irb.read_labels(path).labels.tolist() == [0, 1]
    path.write_text("asreview_label,asreview_time\n1,1769853600.25\n0,1769853600\n")
    assert irb.read_labels(path).labels.tolist() == [0, 1]


def test_text_has_one_order(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("1\n0\n")
    assert irb.read_labels(path, order="file").labels.tolist() == [1, 0]
    with pytest.raises(irb.InputError, match="`order` must be 'file' for a file of format 'text'"):
        irb.read_labels(path, order="time")


@pytest.mark.parametrize("column", ["record_id", "doc_id", "document_id", "ID"])
def test_a_record_counts_once(tmp_path, column):
    path = tmp_path / "review.csv"
    path.write_text(f"{column},included\na,1\nb,0\n,1\n,0\na,0\n")
    done = run_cli("stop", path, "--population", 9)
    assert_refused(done, ":6: record 'a' is on line 2 already; it counts once")
    path.write_text(f"{column},included\na,1\nb,0\n,1\n,0\n")  # no name is no duplicate
    assert irb.read_labels(path).labels.tolist() == [1, 0, 1, 0]


def test_a_record_has_one_label(tmp_path):
    path = tmp_path / "review.ris"
    record = "TY  - JOUR\n{}ER  -\n"
    notes = "N1  - ASReview_relevant\nN1  - ASReview_irrelevant\n"
    path.write_text(record.format(notes))
    assert_refused(
        run_cli("stop", path, "--population", 9, "--order", "file"), ":3: the record has two labels"
    )
    for again in ("N1  - ASReview_relevant\n", "N1  - ASReview_not_seen\n"):
        path.write_text(record.format(again + "N1  - ASReview_relevant\n" + again))
        assert irb.read_labels(path, order="file").labels.tolist() == [1]


def test_a_collection_has_all_records_of_its_file(tmp_path):
    path = tmp_path / "review.csv"
    path.write_text("title,included\na,1\nb,0\nc,\n")
    done = run_cli("stop", path, "--population", 2)
    assert_refused(done, f"--population must be at least the 3 records of {path}; found 2")
    assert run_cli("stop", path, "--population", 3).returncode in (0, 1)


OWN = """Doc;Coded;Reviewed at
a;1;2026-01-31 10:00:09
b;yes;2026-01-31 10:00:01
c;;
d;0;2026-01-31 10:00:05
"""


def test_columns_of_a_table_by_its_own_names(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(OWN)
    read = irb.read_labels(path, columns={"label": "coded"})
    assert read.labels.tolist() == [1, 1, 0]
    assert read.population == 4
    by_time = irb.read_labels(path, columns={"label": "Coded", "time": "Reviewed at"})
    assert by_time.labels.tolist() == [1, 0, 1]
    with pytest.raises(irb.InputError, match="no column 'x', which `columns` names as label"):
        irb.read_labels(path, columns={"label": "x"})
    with pytest.raises(irb.InputError, match="must be one of"):
        irb.read_labels(path, columns={"lable": "Coded"})
    with pytest.raises(irb.InputError, match="is for tables"):
        irb.read_labels(path, columns={"label": "Coded"}, format="ris")
    shown = run_cli(
        "stop", str(path), "--columns", "label=Coded,time=Reviewed at", "--format", "json"
    )
    assert '"found": 2' in shown.stdout
    assert_refused(run_cli("stop", str(path)), "--columns names the one of the labels")
