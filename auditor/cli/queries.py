"""Audit a log of aggregate queries."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

from auditor.cli._baseline import Baseline, baseline_options
from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.dialect import CsvDialect
from auditor.errors import UsageError
from auditor.queries import audit_queries
from auditor.queries.logs import FORMATS
from auditor.report import delivery

_SNAPSHOT = re.compile(r"(\d{4}-\d\d-\d\d[^=]*)=(.+)", re.DOTALL)


@click.command()
@click.argument("log")
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option(
    "-d",
    "--data",
    required=True,
    multiple=True,
    metavar="[TIME=]DATA",
    help="The table that was queried; or each of its snapshots, with the time from which it is valid.",
)
@click.option("--online", is_flag=True, help="Decide each query in order, as a server would answer or deny it.")
@click.option(
    "--log-format",
    metavar="FORMAT",
    help=f"{', '.join(FORMATS)}.  [default: detected from the name and the contents]",
)
@click.option("--dialect", default="postgres", show_default=True, metavar="NAME", help="The dialect of the SQL.")
@baseline_options
@csv_options
@auditing_options
def command(
    *,
    log: str,
    policy: str,
    data: tuple[str, ...],
    online: bool,
    log_format: str | None,
    dialect: str,
    baseline: Baseline | None,
    csv: CsvDialect,
    options: AuditOptions,
) -> int:
    """Audit LOG, the queries that were answered about DATA, against the limits of POLICY.

    LOG is a .sql file, JSON lines, CSV, or a server log of PostgreSQL (csvlog, jsonlog).
    """
    if online and baseline is not None:
        raise UsageError("--write-baseline records what was answered; it does not go with --online")
    snapshots = _snapshots(data)
    written = [baseline.target] if baseline else []
    plan = delivery.plan(
        options.format, options.reports, options.audience, inputs=[log, policy, *snapshots.values()], outputs=written
    )
    with progress(shown(log), quiet=options.quiet):
        result = audit_queries(
            log,
            policy,
            snapshots.get("", snapshots),
            online=online,
            log_format=log_format,
            dialect=dialect,
            **options.bounds,
            csv=csv,
            reproduce=_again(log, policy, snapshots, csv, online=online),
        )
    plan.deliver(result)
    if baseline is not None:
        baseline.write(result, policy)
    return result.exit_code


def _snapshots(given: tuple[str, ...]) -> dict[str, str]:
    """The data by the time from which on it was so; by an empty text where it is one table."""
    if len(given) == 1 and not _SNAPSHOT.match(given[0]):
        return {"": given[0]}
    read = [_SNAPSHOT.match(each) for each in given]
    if not all(read):
        raise UsageError(
            "several tables must be snapshots of one: write each as TIME=DATA, for example 2026-01-31=january.csv"
        )
    found = {each[1]: each[2] for each in read if each}
    if len(found) < len(given):
        raise UsageError("two snapshots have the same time; give each the time from which it was valid")
    return found


def _again(log: str, policy: str, snapshots: dict[str, str], csv: CsvDialect, *, online: bool) -> str:
    """The command that verifies, with file names as the reader of the report will have them."""
    words = ["auditor", "queries", Path(log).name, "-p", Path(policy).name]
    for time, data in snapshots.items():
        table = shown(data)
        words += ["-d", f"{time}={table}" if time else table]
    return shlex.join([*words, *csv.options, *(["--online"] if online else [])])
