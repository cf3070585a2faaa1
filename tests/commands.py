"""Commands of the program run in this process, each in a folder and among variables of its own.

A process of its own takes half a second of imports. Where its start, its signals or its end are tested, it is started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple
from unittest.mock import patch

from auditor.cli import invoke


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


def ran(*words: str, folder: Path, environment: Mapping[str, str]) -> Ended:
    """The command in a folder, with these variables and no others."""
    with TemporaryFile() as out, TemporaryFile() as err:
        with (
            chdir(folder),
            patch.dict(os.environ, environment, clear=True),
            _written_to(1, out) as stdout,
            _written_to(2, err) as stderr,
            redirect_stdout(stdout),
            redirect_stderr(stderr),
        ):
            code = invoke(list(words))
        return Ended(code, _text(out), _text(err))


@contextmanager
def _written_to(number: int, file: IO[bytes]) -> Iterator[IO[str]]:
    """What this process writes to a descriptor goes to a file; gives a stream that writes there as well."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    before = os.dup(number)
    os.dup2(file.fileno(), number)
    try:
        with os.fdopen(os.dup(number), "w", encoding="utf-8") as stream:
            yield stream
    finally:
        os.dup2(before, number)
        os.close(before)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")
