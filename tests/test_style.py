"""The rules of CONTRIBUTING on the size of files, functions and lines, and on sentences."""

import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "csrc", "tests", "benchmarks", "tools", "fuzz", "examples", "docs")
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".c", ".h"}
MOST_LINES, MOST_OF_FUNCTION, MOST_COLUMNS = 400, 60, 100
# Longer files and functions say why in their first docstring or comment.
REASON = re.compile(r"longer\s+than\s+(400|60)\s+lines")
# A sentence in a docstring, a comment or a message; numbers before the stop are of headings.
BEGINNING = re.compile(r'("|(?<!\d)\.  ?|/\* ?|# )(Of|What) [a-z0-9](?!.*\?)')
LINE = re.compile(r" *(\* )?(Of|What) [a-z0-9`\"](?!.*\?)")
FLAGS = re.DOTALL | re.MULTILINE
PRAGMA = re.compile(r"  # (noqa|type: ignore).*")

pytestmark = pytest.mark.skipif(not (ROOT / "csrc").is_dir(), reason="needs the source tree")


def files(*suffixes):
    """Sources, without the C code that Cython makes."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            is_made = path.suffix == ".c" and "_core" in path.parts
            if path.suffix in (suffixes or SUFFIXES) and not is_made:
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def opening(text):
    """The first docstring or comment of a file."""
    return (re.match(r'"""(.*?)"""|/\*(.*?)\*/', text, re.DOTALL) or [""])[0]


def test_long_files_say_why():
    long = [
        str(path)
        for path, text in files()
        if text.count("\n") > MOST_LINES and not REASON.search(opening(text))
    ]
    assert not long


def lengths(text):
    """Names, lines of code after the docstring, and all lines of functions of Python or Cython."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        head = re.match(r"( *)(?:async |cp?)?def (?!class )[^=]*?(\w+)\(", line)
        if head:
            deeper = re.compile(rf"{head[1]}[ )]|\s*$")
            end = start + 1
            while end < len(lines) and deeper.match(lines[end]):
                end += 1
            while start < end and not re.search(r":\s*(#.*)?$", lines[start]):
                start += 1  # the arguments
            body = "\n".join(lines[start:end]).rstrip()
            docstring = re.search(r'^ *r?"""(.*?)"""\n(?:(?: *#[^\n]*)?\n)*', body, FLAGS) or [""]
            yield head[2], body.count("\n") - docstring[0].count("\n"), body


def test_long_functions_say_why():
    long = [
        (str(path), name, lines)
        for path, text in files(".py", ".pyx")
        for name, lines, body in lengths(text)
        if lines > MOST_OF_FUNCTION and not REASON.search(body)
    ]
    assert not long


def test_long_functions_in_c_say_why():
    long = [
        (str(path), body[0].count("\n"))
        for path, text in files(".c", ".h")
        for body in re.finditer(r"^\{\n.*?^\}$", text, re.DOTALL | re.MULTILINE)
        if body[0].count("\n") > MOST_OF_FUNCTION
        and not REASON.search(text[: body.start()].rpartition("/*")[2])
    ]
    assert not long


def test_long_lines_are_tables_or_addresses():
    long = [
        f"{path}:{number}"
        for path, text in files()
        for number, line in enumerate(text.splitlines(), 1)
        if len(PRAGMA.sub("", line)) > MOST_COLUMNS
        and not line.lstrip().startswith("|")
        and "://" not in line
    ]
    assert not long


def pages():
    """Pages that are written by hand: tables of measurements are made by programs."""
    for place in ("*.md", "docs/**/*.md", "src/**/*.md"):
        for path in sorted(ROOT.glob(place)):
            if "_generated" not in path.parts:
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def written_lines(text):
    """Numbered lines of a page without output: in a block of prompts only they are written."""
    block = None
    prompts = re.compile(r"\s*(>>>|\.\.\.|\$|irbounds) ")
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            end = next((i for i in range(number, len(lines)) if "```" in lines[i]), number)
            block = None if block is not None else lines[number:end]
        elif block is None or not any(map(prompts.match, block)) or prompts.match(line):
            yield number, line


def test_long_lines_of_pages_are_tables_addresses_or_output():
    long = [
        f"{path}:{number}"
        for path, text in pages()
        for number, line in written_lines(text)
        if len(line) > MOST_COLUMNS and not line.lstrip().startswith("|") and "://" not in line
    ]
    assert not long


def indent(line):
    return len(line) - len(line.lstrip())


def begins(before, line):
    """Whether a sentence in a line begins so; it can begin the line, after a full stop, after an
    empty line, or below the name of a parameter."""
    follows = not before.strip(" *") or before.endswith(".") or indent(before) < indent(line)
    return bool(BEGINNING.search(line) or (LINE.match(line) and follows))


def test_no_sentence_begins_with_of_or_what():
    found = [
        f"{path}:{number}: {line.strip()}"
        for path, text in files()
        for number, (before, line) in enumerate(itertools.pairwise(["", *text.splitlines()]), 1)
        if begins(before, line)
    ]
    assert not found


def test_no_sentence_or_heading_of_a_page_begins_with_of_or_what():
    start = re.compile(r"(^|[.!?:] |# |\| |> |- )(Of|What) [a-z0-9](?!.*\?)")
    assert not [
        f"{path}:{number}: {line}"
        for path, text in pages()
        for number, line in enumerate(text.splitlines(), 1)
        if start.search(line)
    ]


def test_objects_are_made_immutable_in_one_way():
    """By frozen dataclasses, whose arrays `ReadOnlyArrays` makes read-only."""
    known = {"measure.py", "read_only.py"}  # a Measure is a str, which no dataclass can be
    own = re.compile(r"def __set(attr|state)__")
    assert not [
        str(path) for path, text in files(".py") if own.search(text) and path.name not in known
    ]


BREACHES = {
    test_long_files_say_why: ("a.py", '"""Sums."""\n' + "x = 1\n" * 400),
    test_long_functions_say_why: ("a.py", 'def f():\n    """D."""\n' + "    x = 1\n" * 61),
    test_long_functions_in_c_say_why: ("a.c", "int f(void)\n{\n" + "    x = 1;\n" * 60 + "}\n"),
    test_long_lines_are_tables_or_addresses: ("a.pyx", "x = 1" + "0" * 96 + "\n"),
    test_long_lines_of_pages_are_tables_addresses_or_output: ("a.md", "one word " * 12),
    test_no_sentence_or_heading_of_a_page_begins_with_of_or_what: ("a.md", f"## {'What'} is it\n"),
    test_objects_are_made_immutable_in_one_way: ("a.py", f"def {'__setattr__'}(self): ...\n"),
    test_no_sentence_begins_with_of_or_what: ("a.h", f"/* Sums. {'Of'} one measure. */\n"),
}


@pytest.mark.parametrize("check", BREACHES)
def test_each_check_finds_a_breach(check, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "src").mkdir()
    check()
    name, text = BREACHES[check]
    (tmp_path / "src" / name).write_text(text)
    with pytest.raises(AssertionError):
        check()


def test_a_breach_is_found():
    first = "Of", "What"
    assert all(BEGINNING.search(f'    """{word} one measure."""') for word in first)
    assert all(BEGINNING.search(f"/* Sums. {word} it adds. */") for word in first)
    assert not BEGINNING.search("# What is it?")
    for word in first:
        assert begins("    seed : int", f"        {word} the tests.")
        assert begins("  It sums.", f"  {word} the tests.")
        assert not begins("  It says", f"  {word} the tests are.")
    [found] = lengths('def f(\n    a,\n):\n    """D."""\n    x = 1\n    return x')
    assert found[:2] == ("f", 2)
    [found] = lengths("cdef int f():\n" + "    x = 1\n" * 61)
    assert found[:2] == ("f", 61)
