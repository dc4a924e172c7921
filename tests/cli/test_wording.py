"""Messages of functions name options on the command line."""

from __future__ import annotations

import click
import pytest

from irbounds.cli.terminal.wording import with_options


@pytest.fixture
def command():
    options = [
        click.Argument(["runs"], nargs=-1),
        click.Option(["--collection-size"]),
        click.Option(["-m", "--measures"]),
        click.Option(["--correction"]),
        click.Option(["--judged-only"], is_flag=True),
        click.Option(["-n"]),
        click.Option(["--seed"]),
    ]
    with click.Context(click.Command("compare", params=options)):
        yield


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Fallout@10 needs `collection_size`", "Fallout@10 needs --collection-size"),
        ("`runs` must be two or more", "RUNS must be two or more"),
        ("`measures` must be text", "--measures must be text"),
        ("`n` must be at most 3", "-n must be at most 3"),
        ("correction='dunnett' requires `baseline`", "--correction dunnett requires `baseline`"),
        ("`rng` must be 0 or more", "--seed must be 0 or more"),
        ("`--measures` must be text", "--measures must be text"),
        ("give collection_size=100", "give --collection-size 100"),
        ("give collection_size=1e5, say", "give --collection-size 1e5, say"),
        ("give judged_only=True", "give --judged-only"),
        # the rest is no option: parameters of measures, rows of a table, paths, values
        ("'P(n=2)@5': P takes rel, judged_only", "'P(n=2)@5': P takes rel, judged_only"),
        ("a.csv:2: `runs`: must be 1 or more", "a.csv:2: `runs`: must be 1 or more"),
        ("/tmp/n=3/run: no such file", "/tmp/n=3/run: no such file"),
        ("found 'collection_size=3'", "found 'collection_size=3'"),
        ("columns={'query_id': 'q'}", "columns={'query_id': 'q'}"),
    ],
)
def test_arguments_are_options(command, message, shown):
    assert with_options(message) == shown


def test_without_a_command_messages_stay():
    assert with_options("`n` must be at most 3") == "`n` must be at most 3"
