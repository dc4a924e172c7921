"""Completion of commands and options in shells, by click's scripts."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from irbounds.cli import COMPLETE
from irbounds.cli.terminal.screen import write
from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError

SHELLS = ("bash", "zsh", "fish", "powershell")
PROGRAM = "irbounds"


def show(command: click.Command, shell: str) -> None:
    """Print the script."""
    write(_script(command, _known(shell)))


def install(command: click.Command, shell: str) -> None:
    """Write the script to a file that the shell reads when it starts, or that it is told to."""
    shell = _known(shell)
    script = _script(command, shell)
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    # fish reads its file by itself; the others are told to, in the file that they start with
    path, start = {
        "bash": (data / PROGRAM / "completion.bash", home / ".bashrc"),
        "zsh": (data / PROGRAM / "completion.zsh", home / ".zshrc"),
        "fish": (settings / "fish" / "completions" / f"{PROGRAM}.fish", None),
        "powershell": (
            data / PROGRAM / "completion.ps1",
            settings / "powershell" / "Microsoft.PowerShell_profile.ps1",
        ),
    }[shell]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(script.encode(), path)
    told = f"completion for {shell} is in {path}"
    if start is not None:
        line = f'. "{path}"'
        start.parent.mkdir(parents=True, exist_ok=True)
        old = start.read_bytes() if start.exists() else b""
        text = old.decode("utf-8", "surrogateescape")
        if line not in text.splitlines():
            between = "" if text.endswith("\n") or not text else "\n"
            write_file(old + f"{between}{line}\n".encode(), start)
        told += f", which {start} reads"
    write(f"{told}; it begins with the next shell\n")


def _known(shell: str) -> str:
    """One of the shells; an empty name stands for the user's."""
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise InputError(
            f"expected a shell, one of {', '.join(SHELLS)}; found {name!r}"
            + ("" if shell else " in $SHELL")
        )
    return name


def _script(command: click.Command, shell: str) -> str:
    kind = get_completion_class(shell)
    if kind is None:
        raise InputError(f"completion for {shell} needs click 8.5 or later")
    return kind(command, {}, PROGRAM, COMPLETE).source() + "\n"
