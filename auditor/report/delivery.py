"""Bringing reports to where they were asked for: whole or not at all.

`plan` looks at what was asked before anything runs and refuses what cannot be meant; a `DeliveryPlan` writes. A file is
written beside its target, flushed to the disk and renamed over it, so a full disk or an interrupt leaves the target as
it was.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from glob import glob
from itertools import chain
from pathlib import Path

from auditor.errors import DeliveryError, UsageError, nearest
from auditor.report import formats
from auditor.report.formats import FORMATS
from auditor.report.gate import redact
from auditor.report.page import Page
from auditor.report.redact import Redacted
from auditor.report.rendered import audience_for, page_of, render
from auditor.report.stored import Stored, StoredGate
from auditor.result import Answer, Audience


@dataclass(frozen=True)
class Target:
    """A report that was asked for: its format and its file."""

    format: str
    path: Path


@dataclass(frozen=True)
class DeliveryPlan:
    """What to show on standard output, what to write, and for whom (None: each format's own default)."""

    format: str = "text"
    targets: tuple[Target, ...] = ()
    audience: Audience | None = None

    def deliver(self, result: Answer, release: Callable[[], None] | None = None) -> None:
        """Write every report, and standard output; `DeliveryError` where one cannot be written.

        `release` puts in place what they speak of, once all reports are on the disk beside their places and standard
        output has taken its own: where one cannot be written, there is no release. Without a release, reports are put
        in place before standard output is tried.
        """
        self._deliver(lambda audience: redact(result, audience), release)

    def deliver_stored(self, stored: Stored | StoredGate) -> None:
        """As `deliver`, for a stored result: no format's default reaches beyond its own audience."""
        self._deliver(lambda wanted: stored.document_for(wanted if self.audience else stored.narrowed(wanted)))

    def _deliver(
        self, document_for: Callable[[Audience], Redacted[Answer]], release: Callable[[], None] | None = None
    ) -> None:
        documents = {a: document_for(a) for a in {audience_for(f, self.audience) for f in self._formats()}}
        with ExitStack() as stack:
            puts: list[Callable[[], None]] = []
            for target in self.targets:
                text = render(documents[audience_for(target.format, self.audience)], target.format)
                puts.append(stack.enter_context(staged(target.path, text.encode("utf-8"))))
            shown = _for_output(documents[audience_for(self.format, self.audience)], self.format)
            puts = [*puts, partial(show, shown)] if release is None else [partial(show, shown), release, *puts]
            for put in puts:
                put()

    def refuse_others(self, kind: type[Page]) -> None:
        """`UsageError` where a format is asked for that does not write a kind of page."""
        known = formats.of(kind)
        asked = [(f"--report {target.path}", target.format) for target in self.targets]
        for option, format_ in (("--format " + self.format, self.format), *asked):
            if format_ not in known:
                raise UsageError(f"{option}: {kind.WRITTEN}; it is written as {', '.join(known)}")

    def _formats(self) -> tuple[str, ...]:
        return (self.format, *(target.format for target in self.targets))


def plan(
    format_: str = "text",
    reports: Sequence[str] = (),
    audience: Audience | None = None,
    inputs: Sequence[str | Path] = (),
    outputs: Sequence[Path] = (),
) -> DeliveryPlan:
    """Understand ``--format``, ``--report`` and ``--audience``; `UsageError` for what cannot be meant.

    `inputs` are what the command reads, as the command line has it, and `outputs` what else it writes: no report may
    take their place.
    """
    targets = tuple(_target(report) for report in reports)
    resolved = [target.path.resolve() for target in targets]
    for target, path in zip(targets, resolved, strict=True):
        if resolved.count(path) > 1:
            raise UsageError(f"--report {target.path}: two reports cannot go to one file")
        if os.path.realpath(path) in map(os.path.realpath, outputs):
            raise UsageError(f"--report {target.path}: the command writes something else to this file")
        _refuse_inputs(target.path, inputs)
    return DeliveryPlan(format_, targets, audience)


def _target(report: str) -> Target:
    """A report option: a file whose name tells the format, or FORMAT=FILE."""
    word, _, rest = report.partition("=")
    named = bool(rest) and (word in FORMATS or re.fullmatch("[a-z]+", word) is not None)
    if named and word not in FORMATS:
        raise UsageError(f"--report {report}: unknown format {word!r}{nearest(word, FORMATS)}; {_known()}")
    path = Path(rest if named else report)
    format_ = word if named else formats.endings().get(path.suffix.lower())
    if format_ is None:
        raise UsageError(f"--report {report}: the name does not tell the format; {_known()}")
    if not path.parent.is_dir():
        raise UsageError(f"--report {report}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise UsageError(f"--report {report}: is not a regular file")
    return Target(format_, path)


def _known() -> str:
    return f"use a name ending in {', '.join(formats.endings())}, or FORMAT=FILE with one of {', '.join(FORMATS)}"


def _refuse_inputs(report: Path, inputs: Sequence[str | Path]) -> None:
    if not report.exists():
        return
    for given in chain.from_iterable(map(files_of, inputs)):
        inside = given.is_dir() and report.resolve().is_relative_to(given.resolve())
        if inside or (given.exists() and report.samefile(given)):
            raise UsageError(f"--report {report}: is an input of this command and would be overwritten")


def files_of(given: str | Path) -> list[Path]:
    """The files behind an input as the command line has it: a path, a glob, or a database file with its table."""
    path = re.sub(r"^(duckdb|sqlite):(.*?)(\?.*)?$", r"\2", str(given))
    return [Path(path), *map(Path, glob(path, recursive=True))]  # noqa: PTH207  (Path.glob takes no absolute pattern)


def write(path: Path, content: bytes) -> None:
    """Put `content` in place of `path`, whole or not at all; `DeliveryError` says why not."""
    with staged(path, content) as put:
        put()


@contextmanager
def staged(path: Path, content: bytes, mode: int | None = None) -> Iterator[Callable[[], None]]:
    """`content` on the disk beside `path`; what is yielded puts it in place. What was not put is gone afterwards.

    `mode` are the permissions; where it is not said, those of the file that is replaced, or of a new one.

    All that can fail for want of room or permission fails here, so that files and what is to be noted of them can be
    made certain of before any of them is seen. `DeliveryError` says what could not be written.
    """
    path = path.resolve()
    if path.is_dir():
        raise DeliveryError(f"{path.name}: could not be written: it is a folder")
    beside = _written_beside(path, content, _mode(path) if mode is None else mode)

    def put() -> None:
        try:
            beside.replace(path)
        except OSError as wrong:
            raise _undelivered(path, wrong) from wrong

    try:
        yield put
    finally:
        beside.unlink(missing_ok=True)


def _written_beside(path: Path, content: bytes, mode: int) -> Path:
    """A new file in the folder of `path`, flushed to the disk."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".part")
    except OSError as wrong:
        raise _undelivered(path, wrong) from wrong
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(mode)
    except BaseException as wrong:
        beside.unlink(missing_ok=True)
        if isinstance(wrong, OSError):
            raise _undelivered(path, wrong) from wrong
        raise
    return beside


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, else those of a new one."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _undelivered(path: Path, wrong: OSError) -> DeliveryError:
    return DeliveryError(f"{path.name}: could not be written: {wrong.strerror or type(wrong).__name__}")


def _for_output(document: Redacted[Answer], format_: str) -> str:
    if format_ != "text" or not sys.stdout.isatty():
        return render(document, format_)
    colour = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return page_of(document).text(shutil.get_terminal_size().columns, colour)


def show(text: str) -> None:
    """Write to standard output, as UTF-8 whatever the locale; one without bytes (a notebook's) gets the text."""
    try:
        sys.stdout.flush()
        bytes_ = getattr(sys.stdout, "buffer", None)
        if bytes_ is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            bytes_.write(text.encode("utf-8"))
            bytes_.flush()
    except BrokenPipeError:
        raise
    except OSError as wrong:
        raise no_output(wrong) from wrong


def no_output(wrong: OSError) -> DeliveryError:
    """What to raise where standard output cannot be written."""
    # What could not be written would be tried again, and complained about, when the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DeliveryError(f"standard output could not be written: {wrong.strerror}")
