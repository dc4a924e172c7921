"""The table of commands, their options, help, completion, and what a start imports."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import run_cli
from sizes import long

import irbounds as irb
from irbounds.assisted.population import TIES as OF_JUDGES
from irbounds.cli import main
from irbounds.cli.app import COMMANDS, GROUPS, app, find_command
from irbounds.cli.input import options
from irbounds.comparison.significance.table import TESTS
from irbounds.foundation.interval import SIDES
from irbounds.planning.design.sample_size import DESIGNS
from irbounds.rankings.measure_table.measure import TIE_RULES
from irbounds.rankings.pairs.run_pairs import TIES as OF_PAIRS
from irbounds.report.runs import MISSING
from irbounds.samples.model.quantiles import ENGINES

EVALUATION = ("eval", "qrels.txt", "a.run", "-m", "AP")
CLI = Path(irb.cli.__file__).parent


def parameters():
    """Command and option of every option."""
    for name in COMMANDS:
        for parameter in find_command(name).params:
            if isinstance(parameter, click.Option):
                yield name, parameter


def shown_choices(option):
    """The value of an option, as help shows it."""
    return option.make_metavar(click.Context(click.Command("x")))


def loaded(*arguments):
    """The modules that a command imports."""
    code = f"""import sys
from irbounds.cli import main
try:
    main({list(arguments)})
except SystemExit as stop:
    assert stop.code == 0, stop.code
print(*sys.modules, file=sys.stderr)"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


HEAVY = {"scipy", "rich", "typer", "narwhals", "pandas", "pyarrow", "matplotlib", "jinja2"}


def test_the_version_needs_no_numpy():
    assert not loaded("--version") & {"numpy", *HEAVY}


def test_help_needs_no_numpy():
    assert not loaded("--help") & {"numpy", *HEAVY}
    assert not loaded("eval", "--help") & {"numpy", *HEAVY}


def test_an_evaluation_needs_numpy_alone(folder):
    modules = loaded(*EVALUATION)
    assert "numpy" in modules
    # and nothing that an evaluation of two plain TREC files does not use, issue 17: each of these
    # takes a hundredth to a tenth of its time
    unused = {
        *("ast", "bz2", "concurrent.futures", "csv", "decimal", "email", "fractions", "gzip"),
        *("hashlib", "http", "importlib.metadata", "json", "logging", "lzma", "numpy.ma"),
        *("pathlib", "platform", "random", "secrets", "socket", "ssl", "statistics", "tempfile"),
        *("tomllib", "unittest", "urllib.parse", "xml", "zipfile", "zlib"),
    }
    seldom = "expectations many measure_list pools subtopics subtopic_evaluation topk uncertainty"
    unused |= {f"irbounds.rankings.{name}" for name in seldom.split()}
    assert modules & {*HEAVY, *unused} - loaded_by_others() == set()
    ours = {name.split(".")[1] for name in modules if name.startswith("irbounds.")}
    # "queries" has the intervals of the means, which the last line prints
    assert not ours & {"adapters", "comparison", "plot", "report", "samples", "spark"}


def loaded_by_others():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, numpy, click; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_every_module_with_a_command_is_in_the_table():
    modules = {
        ".".join(path.relative_to(CLI).with_suffix("").parts)
        for path in CLI.rglob("*.py")
        if "@declare(" in path.read_text(encoding="utf-8")
    }
    assert modules == {module for _section, module in COMMANDS.values()}
    for name in COMMANDS:
        assert find_command(name).name == name.split()[-1]
        assert " ".join(name.split()[:-1]) in GROUPS


def test_an_option_of_several_commands_is_declared_once():
    """An option that commands share has the same name, letter and type everywhere."""
    spelt = {}
    for name, option in parameters():
        spelt.setdefault(option.name, {})[name] = (tuple(option.opts), option.multiple)
    for name, spellings in spelt.items():
        # `plan` assumes some once, and `proportion` takes a population for each sample
        if name not in {"recall", "precision", "prevalence", "retrieved", "population"}:
            assert len(set(spellings.values())) == 1, (name, spellings)
    declared = [
        node.args[0].value.split()[0]
        for path in CLI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in {"option", "one_of", "flag"}
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
    shared = {"--" + str(name).replace("_", "-") for name, by in spelt.items() if len(by) > 2}
    assert {name for name in shared if declared.count(name) > 1} <= {
        *("--recall", "--precision", "--prevalence", "--retrieved", "--target", "--side"),
        "--date",
    }


def test_formats_are_asked_for_in_one_place():
    for path in CLI.rglob("*.py"):
        if path.name != "render.py":
            assert not re.search(r"format\s*(==|!=|in\b|not in\b)", path.read_text()), path.name


@pytest.mark.parametrize(
    ("option", "words"),
    [("side", SIDES), ("engine", ENGINES), ("design", DESIGNS), ("test", TESTS)],
)
def test_words_are_those_of_the_library(option, words):
    found = [(command, one) for command, one in parameters() if one.name == option]
    assert found
    for command, one in found:
        known = {
            word
            for word in words
            if (command, option) != ("report history", "test") or not words[word].resamples
        }
        assert set(one.type.words) == known
        assert all(word in shown_choices(one) for word in known)


def test_tie_rules_are_those_of_the_function_behind():
    found = {name: one for name, one in parameters() if one.name == "ties"}
    assert len(found) > 5
    assert set(found.pop("overlap").type.words) == set(OF_PAIRS)
    for name, one in found.items():
        assert set(one.type.words) == set(
            OF_JUDGES if name in ("assist", "report assist", "allocate-labels") else TIE_RULES
        )
        assert all(word in shown_choices(one) for word in one.type.words)


def test_words_of_the_report_are_its_own():
    [missing] = [
        one for name, one in parameters() if (name, one.name) == ("report runs", "missing")
    ]
    assert set(missing.type.words) == set(MISSING)


@pytest.mark.parametrize("name", ["", "report", *COMMANDS])
def test_help_fits_80_columns_and_is_whole(name):
    done = run_cli(*name.split(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    text, _, examples = done.stdout.partition("\nExamples\n")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\033" not in done.stdout
    assert not re.search(r"^ *(Of|What) ", text, re.MULTILINE)
    if name in COMMANDS:
        for option in find_command(name).params:
            shown = option.opts[0] if isinstance(option, click.Option) else option.opts[0].upper()
            assert shown in text
        whole = examples.replace(" \\\n      ", " ").splitlines()
        assert whole == [f"  {line}" for line in find_command(name).examples]
        assert all(line.startswith(f"  irbounds {name} ") for line in whole)


def test_help_has_input_first_and_output_last():
    for name in COMMANDS:
        command = find_command(name)
        titles = list(command.sections)
        assert titles[-1] == "Output" or name == "demo"
        is_argument = [isinstance(one, click.Argument) for one in command.params]
        first = command.sections[titles[0]]
        assert not any(is_argument[len(first) :]), name


def test_examples_are_read(capsys):
    """The examples of the help have options that there are, and all arguments."""
    for name in COMMANDS:
        for line in find_command(name).examples:
            context = find_command(name).make_context(name, split(line)[len(name.split()) + 1 :])
            assert context.params
    assert capsys.readouterr().out == ""


def split(line):
    import shlex

    return shlex.split(line)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evl"], "No such command 'evl', did you mean 'eval'?"),
        (["report", "run"], "No such command 'run', did you mean 'runs'?"),
        (["xyz"], "No such command 'xyz'"),
        (["eval", "q", "r", "--bound"], "No such option '--bound', did you mean '--bounds'?"),
        (["--versio"], "No such option '--versio', did you mean '--version'?"),
        (["recall", "--tagret", "1"], "No such option '--tagret', did you mean '--target'?"),
    ],
)
def test_misspelt_words_have_a_suggestion(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert (stop.value.code, *capsys.readouterr()) == (2, "", f"irbounds: {message}\n")


def test_a_group_alone_shows_its_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["report"])
    assert stop.value.code == 0
    assert "irbounds report [OPTIONS] COMMAND" in capsys.readouterr().out


def test_options_may_stand_between_arguments(folder, capsys):
    with pytest.raises(SystemExit):
        main(["eval", "-m", "AP", "qrels.txt", "-f", "csv", "a.run"])
    first = capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*EVALUATION, "-f", "csv"])
    assert capsys.readouterr().out == first


@pytest.mark.parametrize("format", ["trec", "markdown"])
def test_formats_for_other_tools(folder, capsys, format):
    with pytest.raises(SystemExit):
        main(["eval", "qrels.txt", "a.run", "-m", "AP NumRet", "-f", format, "-q"])
    out = capsys.readouterr().out
    if format == "trec":
        assert [line.split("\t") for line in out.splitlines()] == [
            [f"{'AP':<22}", "q1", "0.7500"],
            [f"{'NumRet':<22}", "q1", "2"],
            [f"{'AP':<22}", "q2", "1.0000"],
            [f"{'NumRet':<22}", "q2", "1"],
            [f"{'AP':<22}", "all", "0.8750"],
            [f"{'NumRet':<22}", "all", "3"],
        ]
    else:
        assert out.splitlines() == [
            "| run | query | AP | NumRet |",
            "| --- | --- | ---: | ---: |",
            "| a.run | q1 | 0.7500 | 2 |",
            "| a.run | q2 | 1.0000 | 1 |",
            "| a.run | all | 0.8750 | 3 |",
        ]


def complete(line, shell="bash"):
    """The words that a shell offers after this line."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_IRBOUNDS_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "irbounds"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [item.partition(",")[2] for item in done.stdout.splitlines()]


def test_completion_knows_commands_options_and_words():
    assert complete("irbounds ") == app.list_commands(None)
    assert complete("irbounds report ") == ["runs", "recall", "review", "history", "assist"]
    assert complete("irbounds eval --coll") == ["--collection-size"]
    assert complete("irbounds eval -f js") == ["json", "jsonl"]


@pytest.mark.parametrize("shell", ["bash", long("zsh"), long("fish")])
def test_the_line_that_the_page_shows_completes(shell):
    environment = {**os.environ, "_IRBOUNDS_COMPLETE": f"{shell}_source"}
    script = subprocess.run(
        [sys.executable, "-m", "irbounds"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert "_IRBOUNDS_COMPLETE" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_the_report_of_a_command_is_the_same_in_all_formats(capsys):
    """A command that has no format of its own: rows, records and cells agree."""
    from irbounds.cli.terminal.render import FORMATS, Report, write

    report = Report(["name", "value"], [["a|b", 1.5], ["c", float("inf")]], notes=["a note"])
    shown = {}
    for format in FORMATS:
        write(report, format)
        shown[format] = capsys.readouterr().out
    assert shown["csv"] == "name,value\na|b,1.5\nc,inf\n"
    records = [{"name": "a|b", "value": 1.5}, {"name": "c", "value": None}]
    assert json.loads(shown["json"]) == records
    assert [json.loads(line) for line in shown["jsonl"].splitlines()] == records
    assert r"| a\|b | 1.5 |" in shown["markdown"]
    assert r"a\textbar{}b & 1.5 \\" in shown["latex"]
    assert shown["table"].endswith("  a note\n")


def test_default_measures_are_known():
    assert irb.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, options.DEFAULT_MEASURES).measures
