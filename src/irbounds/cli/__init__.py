"""The command line: ``irbounds``."""
from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from irbounds.cli.output import complain, prepare_screen

INTERRUPTED = 130  # 128 and the number of SIGINT


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0, 2 for bad input (one line on stderr), 130 when interrupted."""
    try:
        import typer
    except ImportError:
        _stop('the command line needs typer and rich: pip install "irbounds[cli]"', 2)
    from irbounds.cli.app import app

    prepare_screen()
    arguments = sys.argv[1:] if arguments is None else arguments
    command = typer.main.get_command(app)
    try:
        status = command.main(args=list(arguments) or ["--help"], prog_name="irbounds", standalone_mode=False)
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
    except KeyboardInterrupt:
        _stop("interrupted", INTERRUPTED)
    except Exception as error:
        if type(error).__name__ == "Abort":
            _stop("interrupted", INTERRUPTED)
        if not hasattr(error, "format_message"):
            raise
        _stop(" ".join(error.format_message().split()), 2)  # a misspelt command or option
    if status == INTERRUPTED:  # as typer has it
        _stop("interrupted", INTERRUPTED)
    sys.exit(status if isinstance(status, int) else 0)


def _stop_silently() -> None:
    """The reader of a pipe has seen enough."""
    for descriptor in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    sys.exit(0)


def _stop(message: str, status: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        complain([message])
    sys.exit(status)
