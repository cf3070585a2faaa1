"""Running a command: every way it can end, as an exit code and a message on standard error."""

from __future__ import annotations

import os
import sys
import traceback

import click

from auditor.errors import (
    EXIT_FAULT,
    EXIT_MET,
    EXIT_NOT_EVALUATED,
    EXIT_USAGE,
    AuditorError,
    PolicyError,
)


def run(cli: click.Command, arguments: list[str]) -> int:
    """Run `cli` and return the exit code of the contract."""
    try:
        code = cli.main(args=arguments, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.Abort:
        return _say("interrupted; nothing was written", EXIT_NOT_EVALUATED)
    except click.ClickException as wrong:
        wrong.show()
        return EXIT_USAGE
    except PolicyError as wrong:
        return _say(str(wrong), wrong.exit_code)
    except AuditorError as wrong:
        return _say(f"{wrong} [{wrong.code}]", wrong.exit_code)
    except KeyboardInterrupt:
        return _say("interrupted; nothing was written", EXIT_NOT_EVALUATED)
    except MemoryError:
        return _say("out of memory; give a larger --memory or fewer quasi-identifiers", EXIT_NOT_EVALUATED)
    except BrokenPipeError:
        _close_stdout()
        return EXIT_NOT_EVALUATED
    except Exception as fault:  # noqa: BLE001  (the last line of defence: a fault must end in exit 5, not a traceback)
        return _fault(fault)
    return int(code) if isinstance(code, int) else EXIT_MET


def _say(message: str, code: int) -> int:
    for line in message.splitlines():
        click.echo(f"auditor: {line}", err=True)
    return code


def _fault(fault: Exception) -> int:
    """Say where the program broke without repeating the exception's text, which may hold values of the data."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = next((f for f in reversed(frames) if "auditor" in f.filename), frames[-1] if frames else None)
    where = f" at {os.path.basename(place.filename)}:{place.lineno}" if place else ""  # noqa: PTH119
    return _say(f"a fault of this program ({type(fault).__name__}{where}); please report it [fault]", EXIT_FAULT)


def _close_stdout() -> None:
    """The reader of our standard output has gone; keep the interpreter from complaining about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
