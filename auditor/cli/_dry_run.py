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
    from auditor.report import delivery
    from auditor.report.json import escaped

    if options.format not in ("text", "json"):
        raise UsageError(f"--format {options.format}: a dry run judges nothing; it is written as text or json")
    if options.reports:
        raise UsageError(f"--report {options.reports[0]}: a dry run judges nothing, so there is nothing to report")
    found = dry_run(command, data, policy, output=output, memory=options.memory, spill=options.spill, **told)
    delivery.show(escaped(found.to_dict()) if options.format == "json" else text_of(found))
    return EXIT_MET
