"""JSON and CSV of `eval` and `compare` say where their numbers come from; JSON has a schema."""

import csv
import hashlib
import io
import json
import math
from pathlib import Path

import pytest
from commands import run_cli
from json_schema import problems

import irbounds as irb

SCHEMAS = Path(__file__).parents[2] / "docs" / "_static"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\nq,2 0 d1 1\n"
A = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\nq,2 Q0 d2 1 0.9 t\nq,2 Q0 d1 2 0.8 t\n"
B = 'q1 Q0 d9 1 2 t\nq1 Q0 d3 3 0.4 t\nq"9 Q0 d2 1 0.9 t\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("a.run", A), ("b.run", B)):
        (tmp_path / name).write_text(text)
    return tmp_path


def printed(*arguments, **streams):
    done = run_cli(*arguments, **streams)
    assert done.returncode == 0, done.stderr
    return done.stdout


def schema(name):
    path = SCHEMAS / f"{name}.schema.json"
    if not path.exists():
        pytest.skip("the schemas are not here")
    return json.loads(path.read_text())


def sha256(name):
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()


OPTIONS = [
    (),
    ("--bounds", "-q"),
    ("--interval", "-m", "AP NumRel ESL(nr=9)", "-q", "--bounds"),
    ("--unjudged", "bounds", "--unjudged-hidden", "2", "-q", "-m", "AP P@1"),
    ("--missing", "skip", "--judged-only", "--score-precision", "float32"),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_eval_follows_its_schema(folder, options):
    found = json.loads(printed("eval", "qrels", "a.run", "b.run", *options, "-f", "json"))
    assert problems(found, schema("eval")) == []
    assert [record["run"] for record in found] == ["a.run", "b.run"]
    for record in found:
        assert record["version"] == irb.__version__
        assert record["sha256"] == sha256(record["run"])
        assert record["qrels"] == {"name": "qrels", "sha256": sha256("qrels")}


def test_a_file_of_probabilities_has_its_hash(folder):
    runs = json.loads(printed("eval", "qrels", "a.run", "-m", "NumRet", "-f", "json"))
    assert "unjudged_sha256" not in runs[0]

    def documents(name):
        return {tuple(line.split()[:3:2]) for line in Path(name).read_text().splitlines()}

    judged = documents("qrels")
    queries = {query for query, _ in judged}
    unjudged = sorted((documents("a.run") | documents("b.run")) - judged)
    Path("p").write_text("".join(f"{q} Q0 {d} 1 0.5 model\n" for q, d in unjudged if q in queries))
    for command, name in (("eval", "eval"), ("compare", "compare")):
        more = () if command == "eval" else ("b.run",)
        found = json.loads(
            printed(command, "qrels", "a.run", *more, "-m", "P@1", "--unjudged", "p", "-f", "json")
        )
        assert problems(found, schema(name)) == []
        assert (found[0] if command == "eval" else found)["unjudged_sha256"] == sha256("p")


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--test", "t", "--baseline", "a.run", "--correction", "dunnett", "-m", "AP RR"),
        ("--unjudged", "bounds", "--ranks", "-m", "P@1"),
    ],
)
def test_compare_follows_its_schema(folder, options):
    command = "compare", "qrels", "a.run", "b.run", *options
    found = json.loads(printed(*command, "-f", "json"))
    assert problems(found, schema("compare")) == []
    hashes = {run["run"]: run["sha256"] for run in found["runs"]}
    assert hashes == {"a.run": sha256("a.run"), "b.run": sha256("b.run")}
    shared = {key: found[key] for key in ("version", "qrels", "ties", "missing", "test", "seed")}
    for row in csv.DictReader(io.StringIO(printed(*command, "-f", "csv"))):
        settings = json.loads(row["settings"])
        assert settings["runs"] == hashes
        assert shared.items() <= settings.items()
    for line in printed(*command, "-f", "jsonl").splitlines():
        assert json.loads(line)["settings"] == settings


def test_the_checker_finds_faults(folder):
    wanted = schema("eval")
    found = json.loads(printed("eval", "qrels", "a.run", "-f", "json", "-q"))
    for key, value in (
        ("ties", "any"),
        ("sha256", "12"),
        ("values", {"AP": "high"}),
        ("n_queries", -1),
        ("more", 1),
        ("measures", "AP"),
    ):
        assert len(problems([{**found[0], key: value}], wanted)) == 1
    del found[0]["version"]
    assert problems(found, wanted) == ["$[0] lacks version"]


def test_all_formats_have_the_same_numbers(folder):
    """Queries with commas and quotes, infinite values, and numbers that repeat."""
    options = ("-m", "AP ESL(nr=2)", "--bounds", "-q", "--missing", "skip")
    command = ("eval", "qrels", "a.run", "b.run", *options, "-f")
    document = json.loads(printed(*command, "json"))
    names = [
        (measure, part) for measure in ("AP", "ESL(nr=2)") for part in ("value", "low", "high")
    ]

    def key(measure, part):
        return measure if part == "value" else f"{measure}.{part}"

    rows = list(csv.DictReader(io.StringIO(printed(*command, "csv"))))
    lines = [json.loads(line) for line in printed(*command, "jsonl").splitlines()]
    for record in document:
        settings = {
            name: record[name] for name in json.loads(schema_text("eval"))["items"]["required"]
        }
        for query, numbers in record["queries"].items():
            (row,) = [r for r in rows if (r["run"], r["query_id"]) == (record["run"], query)]
            own = {
                line["measure"]: line
                for line in lines
                if (line["run"], line.get("query_id")) == (record["run"], query)
            }
            assert row["settings"] == ""
            for measure, part in names:
                value = numbers[key(measure, part)]
                assert own[measure][part] == value
                assert float(row[key(measure, part)]) == (math.inf if value is None else value)
        (row,) = [r for r in rows if (r["run"], r["query_id"]) == (record["run"], "all")]
        assert json.loads(row["settings"]).items() <= settings.items()
    assert [len(record["queries"]) for record in document] == [2, 1]


def schema_text(name):
    return json.dumps(schema(name))


def test_standard_input_has_no_hash(folder):
    (record,) = json.loads(printed("eval", "qrels", "-", "-f", "json", text=A))
    assert record["sha256"] is None
    assert record["qrels"]["sha256"] == sha256("qrels")


def test_numbers_read_back(folder):
    """The shortest digits, whether numbers repeat or not."""
    np = pytest.importorskip("numpy")
    from irbounds.cli.terminal.output import json_numbers, number_texts

    rng = np.random.default_rng(1)
    for values in (rng.random(50), rng.integers(0, 3, 50) / 7, np.array([]), np.ones(3)):
        assert [float(text) for text in number_texts(values)] == values.tolist()
    assert json_numbers(np.array([1.5, np.inf, np.nan, -np.inf, 1.5])) == [
        "1.5",
        *["null"] * 3,
        "1.5",
    ]
