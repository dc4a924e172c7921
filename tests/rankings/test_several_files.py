"""Runs in several files give the numbers of the same rows in one, bit for bit."""

import gzip
from itertools import pairwise

import numpy as np
import pytest

import irbounds as irb
from tests.commands import run_cli

pyarrow = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

CUTS = (0, 7, 40, 200, 201, 202, 455, 600)  # a query is in four files, another ends with its file
MEASURES = "AP nDCG@5 RR"


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return [
        (f"q{q}", f"d{d}", float(rng.integers(0, 4)))
        for q in range(20)
        for d in rng.permutation(60)[:30]
    ]


@pytest.fixture
def qrels():
    rng = np.random.default_rng(4)
    return {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(60)} for q in range(20)}


def as_dict(rows):
    run = {}
    for query, document, score in rows:
        run.setdefault(query, {})[document] = score
    return run


@pytest.fixture
def folder(tmp_path, rows):
    for i, (start, stop) in enumerate(pairwise(CUTS)):
        part = rows[start:stop]
        text = "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in part).encode()
        (tmp_path / f"part-{i}.run").write_bytes(gzip.compress(text) if i % 3 == 1 else text)
        columns = zip(("query_id", "doc_id", "score"), zip(*part, strict=True), strict=True)
        table = pyarrow.table(dict(columns))
        parquet.write_table(table, tmp_path / f"part-{i}.parquet", row_group_size=17)
    return tmp_path


SOURCES = {
    "list": lambda folder: sorted(folder.glob("*.run")),
    "pattern": lambda folder: f"{folder}/part-*.run",
    "Parquet": lambda folder: f"{folder}/part-?.parquet",
    "dataset": lambda folder: dataset.dataset(sorted(map(str, folder.glob("*.parquet")))),
    "mixed": lambda folder: [
        folder / "part-0.run",
        *(folder / f"part-{i}.parquet" for i in range(1, 7)),
    ],
    "addresses": lambda folder: [f"file://{path}" for path in sorted(folder.glob("*.run"))],
    "other order": lambda folder: sorted(folder.glob("*.run"), reverse=True),
}


@pytest.mark.parametrize("form", SOURCES)
def test_several_files_are_one_run(form, folder, rows, qrels):
    source, expected = SOURCES[form](folder), irb.evaluate(qrels, as_dict(rows), MEASURES)
    found = irb.evaluate(qrels, source, MEASURES)
    assert found.query_ids == expected.query_ids
    assert (found.values == expected.values).all()
    assert irb.Run.of(source).to_dict() == as_dict(rows)


def test_every_way_takes_them(folder, rows, qrels):
    source, files = f"{folder}/*.parquet", sorted(folder.glob("*.run"))
    expected = irb.evaluate(qrels, as_dict(rows), "AP").mean["AP"]
    many = irb.Evaluator(qrels, "AP").evaluate_many({"a": source, "b": files})
    assert many["a"].mean["AP"] == many["b"].mean["AP"] == expected
    between = irb.compare(qrels, {"a": source, "b": files}, "AP").between("b", "a")
    assert (between.wins, between.losses, between.difference) == (0, 0, 0)
    for unjudged in ("nonrelevant", "bounds"):
        assert irb.gate(qrels, source, files, "AP", unjudged=unjudged).verdict == "pass"
    irb.Qrels.of(qrels).to_trec(folder / "qrels")
    done = run_cli("eval", folder / "qrels", source, "-m", "AP", "-f", "json")
    assert str(expected) in done.stdout, done.stderr


def test_files_of_fsspec(folder, rows, qrels):
    fsspec = pytest.importorskip("fsspec")
    expected = irb.evaluate(qrels, as_dict(rows), MEASURES).values
    names = [f"memory://irbounds/{path.name}" for path in sorted(folder.glob("*.run"))]
    for path, name in zip(sorted(folder.glob("*.run")), names, strict=True):
        with fsspec.open(name, "wb") as file:
            file.write(path.read_bytes())
    for order in (names, names[::-1]):
        for files in (order, [fsspec.open(name) for name in order]):
            assert (irb.evaluate(qrels, files, MEASURES).values == expected).all()


@pytest.mark.long
def test_reports_take_them(folder, qrels):
    runs = {"a": f"{folder}/*.parquet", "b": sorted(folder.glob("*.run"))}
    assert ">20</data> queries" in irb.report_runs(qrels, runs, "AP", output=folder / "page.html")


TWICE = "duplicates='best' keeps the best of its rows, duplicates='first' the first"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q19 Q0 d1 1 x t\n", "bad.run:1: expected a number as score, found 'x'"),
        ("q19 Q0 {last} 1 1 t\n", f"run: duplicate document '{{last}}' for query 'q19': {TWICE}"),
        ("", "bad.run: the file is empty"),
    ],
)
def test_errors_name_the_file(text, problem, folder, rows, qrels):
    (folder / "bad.run").write_text(text.format(last=rows[-1][1]))
    files = [*sorted(folder.glob("part*.run")), folder / "bad.run"]
    with pytest.raises(irb.InputError) as caught:
        irb.evaluate(qrels, files, "AP")
    assert str(caught.value).partition(" (read")[0].endswith(problem.format(last=rows[-1][1]))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("no-*.run", r"no-\*.run: no file has a name of this pattern"),
        (["-", "a.run"], "standard input, -, cannot be one of several files"),
        (["a.run", "b.run"], "a.run: No such file"),
        ("memory://nowhere/a.run", "memory://nowhere/a.run: "),
        ("s4://nowhere/a.run", "s4://nowhere/a.run: "),
    ],
)
def test_one_line_for_what_is_not_there(source, problem, qrels, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(irb.InputError, match=f"^{problem}"):
        irb.evaluate(qrels, source, "AP")
