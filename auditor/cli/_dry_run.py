"""``--dry-run``: what a command would read, group, hold and move, instead of running it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from auditor.cli._options import AuditOptions
from auditor.errors import EXIT_MET, UsageError


def dry_run_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--dry-run``."""
    return click.option(
        "--dry-run", is_flag=True, help="Say what would be read, grouped and moved; judge and write nothing."
    )(command)


def foretell(
    command: str, data: str, policy: str, options: AuditOptions, *, output: str | Path | None = None, **told: Any
) -> int:
    """Show what a command would do; 0, whatever that is.

    Raises:
        UsageError: something is asked for that a dry run does not have.
    """
    from auditor.costs import dry_run, text_of

    refuse_reports(options)
    found = dry_run(command, data, policy, output=output, memory=options.memory, spill=options.spill, **told)
    show_foretold(options, found.to_dict(), text_of(found))
    return EXIT_MET


def refuse_reports(options: AuditOptions) -> None:
    """Refuse formats and reports that a dry run does not have; `UsageError` says which it has."""
    if options.format not in ("text", "json"):
        raise UsageError(f"--format {options.format}: a dry run judges nothing; it is written as text or json")
    if options.reports:
        raise UsageError(f"--report {options.reports[0]}: a dry run judges nothing, so there is nothing to report")


def show_foretold(options: AuditOptions, document: dict[str, Any], text: str) -> None:
    """Show what a command would do, in the format that is asked for."""
    from auditor.report import delivery
    from auditor.report.formats.json import escaped

    delivery.show(escaped(document) if options.format == "json" else text)
