"""``auditor check``: judge a dataset as a release."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from auditor.audit import check
from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.report import delivery
from auditor.result import Audience


@click.command()
@click.argument("data")
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option("--source", is_flag=True, help="Judge a table before release: identifiers are allowed in it.")
@click.option("--original", metavar="DATA", help="The table the release was made from, for reference: original.")
@csv_options
@auditing_options
def command(
    *,
    data: str,
    policy: str,
    source: bool,
    original: str | None,
    delimiter: str | None,
    quote: str,
    encoding: str | None,
    options: AuditOptions,
) -> int:
    """Judge DATA as a release.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON lines; .gz and .zst too), a glob or folder of them, or a database
    table: duckdb:FILE?table=NAME, sqlite:FILE?table=NAME, postgresql://HOST/DB?table=NAME.
    """
    plan = delivery.plan(options.format, options.reports, options.audience, inputs=[data, policy])
    with progress(f"auditing {Path(data).name}", quiet=options.quiet):
        result = check(
            data,
            policy,
            source=source,
            original=original,
            as_of=options.as_of,
            memory=options.memory,
            time_limit=options.time_limit,
            expose=options.audience is Audience.INTERNAL,
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            reproduce=_again(data, policy, source=source),
        )
    plan.deliver(result)
    return result.exit_code


def _again(data: str, policy: str, *, source: bool) -> str:
    """The command that verifies, with file names as the reader of the report will have them."""
    words = ["auditor", "check", _relative(data), "-p", _relative(policy), *(["--source"] if source else [])]
    return shlex.join(words)


def _relative(path: str) -> str:
    """A path as given where it is relative, else its last part: a report says nothing of the machine it was made on."""
    return Path(path).name if Path(path).is_absolute() else path.split("?", 1)[0] if "://" in path else path
