"""Running a command: every way it can end, as an exit code and a message on standard error."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from auditor.cli._reader import ErrorReader
from auditor.errors import EXIT_FAULT, EXIT_MET, EXIT_NOT_EVALUATED, EXIT_USAGE, AuditorError, PolicyError

_INTERRUPTED = "interrupted; nothing was written [interrupted]"
_OUT_OF_MEMORY = "out of memory; give a smaller --memory, or group by fewer columns [memory]"


_told_to_stop: list[int] = []


def stop(signal: int, _frame: object) -> NoReturn:
    """End the run as an interrupted one, as the handler of a signal."""
    _told_to_stop.append(signal)
    raise KeyboardInterrupt


def run(cli: click.Command, arguments: list[str]) -> int:
    """Run `cli` and return the exit code of the contract; whatever happens, no traceback."""
    reader = ErrorReader()
    _fill_closed_output()
    try:
        code = cli.main(args=arguments, prog_name="auditor", standalone_mode=False, obj=reader)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except (Exception, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001  (the last line of defence)
        message, code = _ending(error, reader)
        with suppress(OSError):  # the exit code is what is left to tell it by
            for line in message.splitlines():
                click.echo(f"auditor: {line}", err=True)
    return code if isinstance(code, int) else EXIT_MET


def _fill_closed_output() -> None:
    """Where standard output is closed (`>&-`), put one that nothing can be written to, so that no file gets its place.

    A command that writes to it ends as where the disk is full; any other does not notice.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")


def _is_of_output(error: OSError) -> bool:
    """Whether an error is what click met as it wrote, or the flush at the end: neither writes anything but output."""
    place = traceback.extract_tb(error.__traceback__)[-1].filename
    return place == __file__ or Path(place).is_relative_to(Path(click.__file__).parent)


def _ending(error: BaseException, reader: ErrorReader) -> tuple[str, int]:
    """The message and exit code for what ended a command."""
    match error:
        # A library that is struck by the interrupt may turn it into an error of its own.
        case _ if _told_to_stop:
            ending = _INTERRUPTED, EXIT_NOT_EVALUATED
        case click.Abort() | KeyboardInterrupt():
            ending = _INTERRUPTED, EXIT_NOT_EVALUATED
        case click.ClickException():
            error.show()
            ending = "", EXIT_USAGE
        case PolicyError():
            ending = str(error), error.exit_code
        case AuditorError():
            notes = getattr(error, "__notes__", ())
            ending = "\n".join([f"{reader.message(error)} [{error.code}]", *notes]), error.exit_code
        case MemoryError():
            ending = _OUT_OF_MEMORY, EXIT_NOT_EVALUATED
        case BrokenPipeError() | SystemExit():
            # The reader of standard output has gone (click then leaves with 1, which here means "not met"); keep the
            # interpreter from complaining about it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ending = "", EXIT_NOT_EVALUATED
        case OSError() if _is_of_output(error):
            from auditor.report.delivery import no_output

            told = no_output(error)
            ending = f"{told} [{told.code}]", told.exit_code
        case _:
            ending = _fault(error), EXIT_FAULT
    return ending


def _fault(error: BaseException) -> str:
    """Where the program broke, without the exception's text: that may hold values of the data."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if "auditor" in frame.filename), None)
    where = f" at {Path(place.filename).name}:{place.lineno}" if place else ""
    return f"a fault of this program ({type(error).__name__}{where}); please report it [fault]"
