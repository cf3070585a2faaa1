"""The options that every auditing command has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property, partial, wraps
from typing import Any, TypedDict, get_args, get_type_hints

import click

from auditor.cli._reader import ErrorReader
from auditor.dialect import CsvDialect, DateForm, DecimalMark, ThousandsMark
from auditor.report import formats
from auditor.report.page import Page
from auditor.result import Audience

_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def _duration(_ctx: click.Context, _param: click.Parameter, value: str | None) -> float | None:
    """Read a duration as seconds."""
    if value is None:
        return None
    read = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", value.strip())
    if not read or float(read[1]) == 0:
        raise click.BadParameter(f"{value!r} is not a duration; write it as 90, 90s, 5m or 1h")
    return float(read[1]) * _SECONDS[read[2]]


def _day(_ctx: click.Context, _param: click.Parameter, value: str | None) -> date | None:
    """Read a calendar date."""
    try:
        return None if value is None else date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a date; write it as 2027-03-31") from None


def _audience(ctx: click.Context, _param: click.Parameter, value: str | None) -> Audience | None:
    """Read an audience, and let standard error be for it, too."""
    reader = ctx.find_object(ErrorReader)
    if reader is not None:
        reader.command = ctx
    return Audience(value) if value else None


@dataclass(frozen=True)
class ReportOptions:
    """How the answer is shown: standard output's format, report files, and for whom (None: each format's default)."""

    format: str
    reports: tuple[str, ...]
    audience: Audience | None


class AuditBounds(TypedDict):
    """What bounds an audit, and its day."""

    memory: str | None
    spill: str | None
    time_limit: float | None
    as_of: date | None


@dataclass(frozen=True)
class AuditOptions(ReportOptions):
    """What every auditing command can be told; None leaves the choice to the command."""

    memory: str | None
    spill: str | None
    time_limit: float | None
    as_of: date | None
    quiet: bool

    @property
    def bounds(self) -> AuditBounds:
        """What every audit is bounded by, as its function takes it."""
        return AuditBounds(memory=self.memory, spill=self.spill, time_limit=self.time_limit, as_of=self.as_of)


def audience_option(told: str) -> Callable[..., Any]:
    """``--audience``, with its line of help; None where it is not given."""
    return click.option(
        "--audience",
        type=click.Choice([a.value for a in Audience]),
        callback=_audience,
        help=told,
    )


class LazyChoice(click.Choice[str]):
    """A choice between what is found by being there; nobody looks before somebody chooses or asks for help."""

    def __init__(self, find: Callable[[], Iterable[str]], has: Callable[[str], bool]) -> None:
        self.case_sensitive = True
        self._find, self._has = find, has

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was found."""
        return tuple(self._find())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See `click.Choice`; one that is right is told without looking at the others."""
        return value if isinstance(value, str) and self._has(value) else super().convert(value, param, ctx)


class _Reports(click.Option):
    """``--report``, whose help tells the endings of the formats."""

    kind: type[Page] | None = None

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """See `click.Option`."""
        known = formats.FORMATS if self.kind is None else formats.of(self.kind)
        told = " ".join(ending for ending, name in formats.endings().items() if name in known)
        self.help = f"Write a report; the name sets the format ({told}). Repeatable."
        return super().get_help_record(ctx)


def format_options(kind: type[Page] | None = None, name: str = "format") -> tuple[Callable[..., Any], ...]:
    """``--format`` and ``--report``, for the formats of a kind of page or for all."""
    return (
        click.option(
            "-f",
            "--format",
            name,
            type=LazyChoice(partial(formats.on_screen, kind), partial(formats.is_on_screen, kind)),
            default="text",
            show_default=True,
            help="Format of standard output.",
        ),
        click.option(
            "--report",
            "reports",
            cls=type("Reports", (_Reports,), {"kind": kind}),
            multiple=True,
            metavar="[FORMAT=]FILE",
        ),
    )


def _reporting(kind: type[Page] | None = None) -> tuple[Callable[..., Any], ...]:
    audience = audience_option("The audience: by default reviewer, and public for github and markdown.")
    return (*format_options(kind), audience)


_BOUNDS = (
    click.option(
        "--memory",
        metavar="SIZE",
        help="Maximum memory, such as 2GB.  [default: half of the machine's]",
    ),
    click.option("--spill", metavar="DIR", help="Folder for data that does not fit in memory.  [default: TMPDIR]"),
    click.option(
        "--time-limit", callback=_duration, metavar="TIME", help="Give up after this time, such as 90s or 5m."
    ),
)
day_option = click.option(
    "--as-of", callback=_day, metavar="DATE", help="The date on which waivers are judged.  [default: today]"
)
_LIMITS = (
    *_BOUNDS,
    day_option,
    click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on standard error."),
)


_CSV = (
    click.option("--delimiter", metavar="CHAR", help="Delimiter of CSV data.  [default: detected from the header]"),
    click.option("--quote", metavar="CHAR", default='"', help='Quote character of CSV data.  [default: "]'),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of CSV data.  [default: UTF-8, or the byte order mark's]"
    ),
    click.option(
        "--line-ends",
        type=click.Choice(["any"]),
        help="Lines of CSV data may end in several ways.  [default: all end alike]",
    ),
    click.option(
        "--sheet", metavar="NAME", help="Sheet of a workbook (.xlsx, .ods).  [default: the only one with cells]"
    ),
    click.option(
        "--columns",
        metavar="FILE",
        help="The data are fixed-width lines without a header; a CSV file with name,start,end (or name,width) of each "
        "column.",
    ),
    click.option(
        "--decimal",
        type=click.Choice(get_args(DecimalMark)),
        help="Decimal mark of numbers in CSV data.  [default: the policy's `reading`, or a point]",
    ),
    click.option(
        "--thousands",
        type=click.Choice(get_args(ThousandsMark)),
        metavar="CHAR",
        help="Mark between groups of three digits in CSV data.  [default: the policy's `reading`, or none]",
    ),
    click.option(
        "--dates",
        type=click.Choice(get_args(DateForm)),
        metavar="FORM",
        help=f"How days are written in CSV data: {', '.join(get_args(DateForm))}.  [default: the policy's `reading`]",
    ),
)


def csv_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `CsvDialect`; the command gets one as `csv`."""
    return _collected(command, "csv", CsvDialect, _CSV)


def bounding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--memory``, ``--spill`` and ``--time-limit``."""
    return added(command, _BOUNDS)


def reporting_options(kind: type[Page] | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--format``, ``--report``, ``--audience``; the command gets one `ReportOptions` as `options`."""
    return partial(_collected, name="options", shape=ReportOptions, options=_reporting(kind))


def auditing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every auditing command; the command gets one `AuditOptions` as `options`."""
    return _collected(command, "options", AuditOptions, (*_reporting(), *_LIMITS))


def _collected(
    command: Callable[..., Any], name: str, shape: type[Any], options: tuple[Callable[..., Any], ...]
) -> Callable[..., Any]:
    """Add options, which the command gets as one value of a shape."""
    names = get_type_hints(shape)

    @wraps(command)
    def collecting(**given: Any) -> Any:
        return command(**{name: shape(**{each: given.pop(each) for each in names})}, **given)

    return added(collecting, options)


def added(command: Callable[..., Any], options: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
