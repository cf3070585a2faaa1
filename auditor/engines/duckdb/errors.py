"""DuckDB's errors as ours: which kind it is and where, never the text of a record.

DuckDB repeats the offending line of a file in its messages. A message of ours ends up in logs, so only the line's
number and the kind of trouble are taken over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path

import duckdb

from auditor.engines._limits import RunLimits
from auditor.errors import AuditorError, DataError, Interrupted, OutOfMemory

_TROUBLES = (
    (
        r"FileExpired|FileNotFoundError: |replaced in the store",
        "was replaced in the store while it was read; run it again",
    ),
    (r"^Traceback ", "cannot be read to the end; run it again when its store can be reached"),
    (
        r"Invalid unicode|not utf-8 encoded|File is not utf",
        "holds bytes that are not UTF-8; declare its encoding (--encoding latin-1, …)",
    ),
    (r"Expected Number of Columns: (\d+) Found: (\d+)", "should have {0} fields and has {1}"),
    (r"unterminated quote|quote should be followed", "has a quote that is not closed, or text after a closing quote"),
    (
        r"state machine reached an invalid state",
        "mixes ways to end a line (\\n, \\r\\n, \\r), which --line-ends any reads, or has a quote out of place",
    ),
    (r"Maximum line size", "is longer than the limit of 64 MiB"),
    (r"No magic bytes|parquet|TProtocolException|thrift|corrupt", "is not a readable Parquet file"),
    (r"Malformed JSON|Invalid JSON|JSON transform|expected .* in JSON", "is not valid JSON lines"),
    (r"schema mismatch|Mismatch between|not found in file", "differs from the first file in its columns"),
    (r"gzip|zstd|decompress|Unknown frame descriptor", "cannot be decompressed"),
    (r"No space left|could not write", "needs space that the disk does not have"),
)

_SPILL_IS_FULL = re.compile(r"max_temp_directory_size|duckdb_temp_.*No space left", re.DOTALL)
_DATABASE = re.compile(r"\w{2,}:")
LINE_ENDS = (b"\r\n", b"\n", b"\r")


@contextmanager
def translated(what: str, limits: RunLimits) -> Iterator[None]:
    """Run DuckDB calls about `what`; whatever they raise becomes an `AuditorError` without a value of the data."""
    try:
        yield
    except AuditorError:
        raise
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        if _SPILL_IS_FULL.search(str(error)):
            raise OutOfMemory(
                f"{what}: neither the memory nor the disk for temporary data holds what is counted; give a larger "
                "--memory, or with --spill a folder on a larger disk"
            ) from None
        if isinstance(error, duckdb.IOException):
            raise _read(what, error, limits) from None
        raise OutOfMemory(f"{what}: the memory limit was reached; {limits.advice}, or group by fewer columns") from None
    except duckdb.InterruptException:
        limits.check()
        raise Interrupted("interrupted; nothing was written") from None
    except RuntimeError as error:  # what DuckDB makes of Ctrl-C
        if "interrupted" not in str(error).lower():
            raise
        raise Interrupted("interrupted; nothing was written") from None
    except duckdb.Error as error:
        raise _read(what, error, limits) from None


def _read(what: str, error: duckdb.Error, limits: RunLimits) -> DataError:
    """What went wrong, unless it is that the time is up."""
    if limits.remaining() is not None:
        limits.check()
    return DataError(_describe(what, str(error)))


def _describe(what: str, message: str) -> str:
    line = re.search(r"(?:CSV Error on Line|at line|in line|Line): ?(\d+)", message)
    file = re.search(r'file = ([^\n]*)|file "([^"\n]*)"', message)
    name = (file[1] or file[2]).rsplit("/", 1)[-1] if file and what.count("*") else what
    number = line[1] if line else _odd_line_end(message)
    place = f"{name}:{number}" if number else name
    if "file system operations are disabled" in message and not _DATABASE.match(what):
        # Only what the run opened may be read, and a path that has no file any more is taken for another one.
        return f"{place}: is gone; it was there when the run began"
    for pattern, trouble in _TROUBLES:
        found = re.search(pattern, message, re.IGNORECASE)
        if found:
            return f"{place}: {trouble.format(*found.groups())}"
    kind = message.split(":", 1)[0].split("\n", 1)[0][:40]
    return f"{place}: cannot be read ({kind})"


def _odd_line_end(message: str) -> int | None:
    """The first line that ends another way than the first, which DuckDB finds and does not say."""
    file, quote = re.search(r"file = ([^\n]*)", message), re.search(r"quote = (.) \(", message)
    if "invalid state" not in message or file is None or quote is None:
        return None
    mark = re.escape(quote[1].encode())
    try:
        with Path(file[1]).open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as content:
            quoted, ends, lines = False, set(), 0
            for found in re.finditer(rb"\r\n|\n|\r|" + mark, content):
                if found[0] not in LINE_ENDS:
                    quoted = not quoted
                    continue
                lines += 1
                if not quoted:
                    ends.add(found[0])
                if len(ends) > 1:
                    return lines
    except (OSError, ValueError):
        return None
    return None
