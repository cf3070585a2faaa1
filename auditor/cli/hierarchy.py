"""Show the ladders of a policy over a table."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from auditor.cli._gaps import gaps_named
from auditor.cli._options import audience_option, bounding_options, csv_options
from auditor.cli._progress import progress
from auditor.dialect import CsvDialect
from auditor.errors import UsageError
from auditor.ladders import ColumnLadder, column_ladders
from auditor.report.delivery import write
from auditor.result import Audience


@click.command()
@click.argument("data")
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy whose hierarchies are shown.")
@click.option("-f", "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--export", type=click.Path(path_type=Path), metavar="DIR", help="Write each ladder as a hierarchy file into DIR."
)
@audience_option("internal: name the values that a ladder does not cover.")
@csv_options
@bounding_options
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
def command(
    *,
    data: str,
    policy: str,
    format_: str,
    export: Path | None,
    audience: Audience | None,
    quiet: bool,
    csv: CsvDialect,
    **bounds: Any,
) -> None:
    """Show each ladder of POLICY on DATA: its levels, their groups, and the records in the smallest and largest group.

    No value is shown, except to the internal audience those that a ladder does not cover. An exported file contains the
    values of the data and their labels, so treat it like the data.
    """
    if export is not None and not export.is_dir():
        raise UsageError(f"--export {export}: there is no such folder")
    with gaps_named(audience), progress(Path(data).name, quiet=quiet):
        ladders = column_ladders(data, policy, csv=csv, **bounds)
    for ladder in ladders if export else ():
        _export(ladder, export or Path())
    click.echo(_as_json(ladders) if format_ == "json" else _as_text(ladders))


def _export(ladder: ColumnLadder, folder: Path) -> None:
    """Write one ladder; a file that is there stays, because someone may have edited it."""
    target = folder / f"{_file_name(ladder.column)}.csv"
    if target.exists():
        raise UsageError(f"--export: {target} exists and would be overwritten")
    write(target, ladder.to_csv().encode())


def _file_name(column: str) -> str:
    """The column's name without what a file name must not have."""
    return "".join(c if c.isalnum() or c in "-_. " else "_" for c in column).strip(". ") or "column"


def _as_json(ladders: tuple[ColumnLadder, ...]) -> str:
    document = [
        {"column": each.column, "role": each.role, "levels": [asdict(level) for level in each.levels()]}
        for each in ladders
    ]
    return json.dumps(document, indent=2, ensure_ascii=False)


def _as_text(ladders: tuple[ColumnLadder, ...]) -> str:
    lines = []
    for each in ladders:
        records = int(each.counts.sum())
        lines += [f"{each.column} ({each.role})", "  level  groups   smallest group    largest group"]
        for number, level in enumerate(each.levels()):
            smallest, largest = (f"{n:>9,} {n / records:>6.1%}" for n in (level.smallest, level.largest))
            lines.append(f"  {number:>5}  {level.groups:>6,} {smallest} {largest}")
    return "\n".join(lines)
