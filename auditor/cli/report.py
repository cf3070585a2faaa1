"""Render a stored result again."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli._options import ReportOptions, reporting_options
from auditor.errors import DataError
from auditor.report import delivery
from auditor.report.stored import parse


@click.command()
@click.argument("result", metavar="RESULT.json", type=click.Path(path_type=Path))
@reporting_options()
def command(result: Path, options: ReportOptions) -> None:
    """Render a stored result again, for the same or a more public audience."""
    plan = delivery.plan(options.format, options.reports, options.audience, inputs=[result])
    try:
        content = result.read_bytes()
    except OSError as wrong:
        raise DataError(f"{result}: could not be read: {wrong.strerror}") from wrong
    plan.deliver_stored(parse(content))
