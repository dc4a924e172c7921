"""The command line: ``irbounds``."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
from collections.abc import Sequence

INTERRUPTED = 130  # 128 and the number of SIGINT
# New objects between two searches for cyclic garbage.  A start makes 40,000, none of them garbage;
# Python's 700 (2,000 from 3.13 on) and a last search at exit take 7 % of a small evaluation.
OBJECTS = 100_000
# NumPy's linear algebra starts a thread for each processor, which waits in a loop at first: 30 ms
# of processor time.  No command computes enough with it to use more than one.
BLAS_THREADS = "OPENBLAS_NUM_THREADS"
LIST_IN_PYTHON, LIST_HERE = "irbounds.measures() lists", "`irbounds measures` lists"
COMPLETE = "_IRBOUNDS_COMPLETE"  # a shell that completes a line says here what it wants


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0, 2 for bad input (one line on stderr), 130 when
    interrupted."""
    thresholds = gc.get_threshold()
    gc.set_threshold(OBJECTS, *thresholds[1:])
    atexit.register(gc.freeze)
    os.environ.setdefault(BLAS_THREADS, "1")
    try:
        _run(arguments)
    except (
        KeyboardInterrupt
    ):  # also while modules are imported, so that this line needs none of them
        if sys.stderr is not None:
            with contextlib.suppress(OSError):
                print("irbounds: interrupted", file=sys.stderr)
        _leave_threads()
        sys.exit(INTERRUPTED)
    finally:
        gc.set_threshold(*thresholds)


def _leave_threads() -> None:
    """End the process at once where other threads evaluate runs (--jobs): no thread but the first
    hears signals, and an exit waits for all of them."""
    runs = sys.modules.get("irbounds.rankings.evaluating.threads")
    if runs is None or not runs.are_running():
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # none, or closed
            stream.flush()
    os._exit(INTERRUPTED)


def _run(arguments: Sequence[str] | None) -> None:
    try:
        import click
    except ImportError:
        _stop('the command line needs click: pip install "irbounds[cli]"', 2)
    from irbounds.cli.app import app
    from irbounds.cli.terminal.screen import prepare_screen

    prepare_screen()
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        # Not click's own `main`, which writes an empty line when it is interrupted.
        if COMPLETE in os.environ:
            from click.shell_completion import shell_complete

            sys.exit(shell_complete(app, {}, "irbounds", COMPLETE, os.environ[COMPLETE]))
        with app.make_context("irbounds", list(arguments)) as context:
            status = app.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except BrokenPipeError:
        _stop_silently()
    except click.ClickException as error:  # a misspelt command or option
        from irbounds.cli.terminal.wording import said_of

        _stop(said_of(error), 2)
    except (ValueError, ImportError) as error:
        _stop(str(error).replace(LIST_IN_PYTHON, LIST_HERE), 2)
    except OSError as error:
        _stop(f"{error.filename or 'output'}: {error.strerror}", 2)
    except MemoryError as error:
        _stop(f"out of memory{str(error) and ': ' + str(error)}", 2)
    sys.exit(status if isinstance(status, int) else 0)


def _stop_silently() -> None:
    """The reader of a pipe has seen enough."""
    from irbounds.cli.terminal.screen import drop_output

    drop_output(1)
    drop_output(2)
    sys.exit(0)


def _stop(message: str, status: int) -> None:
    from irbounds.cli.terminal.screen import drop_output, refuse

    with contextlib.suppress(OSError):  # a full disk, or a closed pipe
        refuse(message)
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            if stream is not None:
                stream.flush()
        except OSError:  # a full disk, or a pipe that nobody reads
            drop_output(descriptor)
    sys.exit(status)
