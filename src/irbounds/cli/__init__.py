"""The command line: ``irbounds``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

INTERRUPTED = 130  # 128 and the number of SIGINT


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0, 2 for bad input (one line on stderr), 130 when
    interrupted."""
    try:
        _run(arguments)
    except (
        KeyboardInterrupt
    ):  # also while modules are imported, so that this line needs none of them
        if sys.stderr is not None:
            with contextlib.suppress(OSError):
                print("irbounds: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _run(arguments: Sequence[str] | None) -> None:
    try:
        import typer
    except ImportError:
        _stop('the command line needs typer and rich: pip install "irbounds[cli]"', 2)
    from irbounds.cli.app import app
    from irbounds.cli.output import prepare_screen

    prepare_screen()
    arguments = sys.argv[1:] if arguments is None else arguments
    command = typer.main.get_command(app)
    try:
        status = command.main(
            args=list(arguments) or ["--help"], prog_name="irbounds", standalone_mode=False
        )
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _stop_silently()
    except SystemExit as stop:  # what typer and rich make of a broken pipe
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        _stop_silently()
    except (ValueError, ImportError) as error:
        _stop(str(error), 2)
    except OSError as error:
        _stop(f"{error.filename or 'output'}: {error.strerror}", 2)
    except MemoryError as error:
        _stop(f"out of memory{str(error) and ': ' + str(error)}", 2)
    except Exception as error:
        if type(error).__name__ == "Abort":
            raise KeyboardInterrupt from None
        if not hasattr(error, "format_message"):
            raise
        _stop(" ".join(error.format_message().split()), 2)  # a misspelt command or option
    if status == INTERRUPTED:  # as typer has it
        raise KeyboardInterrupt
    sys.exit(status if isinstance(status, int) else 0)


def _stop_silently() -> None:
    """The reader of a pipe has seen enough."""
    for descriptor in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    sys.exit(0)


def _stop(message: str, status: int) -> None:
    from irbounds.cli.output import complain

    with contextlib.suppress(BrokenPipeError):
        complain([message])
    sys.exit(status)
