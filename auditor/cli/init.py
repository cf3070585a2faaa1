"""Profile a table and propose a policy."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli._options import bounding_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.dialect import CsvDialect
from auditor.errors import UsageError
from auditor.profile import init
from auditor.report import delivery


@click.command()
@click.argument("data")
@click.option("-o", "--output", metavar="FILE", help="Write the policy to FILE instead of standard output.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--from", "contract", metavar="FILE", help="Take roles from a data contract, or from a file of dbt.")
@click.option("--table", metavar="NAME", help="The table of that file.  [default: the only one]")
@csv_options
@bounding_options
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
def command(
    *,
    data: str,
    output: str | None,
    force: bool,
    contract: str | None,
    table: str | None,
    csv: CsvDialect,
    memory: str | None,
    spill: str | None,
    time_limit: float | None,
    quiet: bool,
) -> None:
    """Profile DATA and propose a policy to start from.

    Roles and hierarchies are proposed from names, counts and shapes, with the evidence in comments. The policy loads;
    read it before you use it. With --from, roles come from a file of the Open Data Contract Standard or of dbt,
    where it says some.
    """
    if table is not None and contract is None:
        raise UsageError("--table names a table of the file that --from names; add --from FILE")
    target = Path(output) if output else None
    if target is not None:
        _check_target(target, Path(data), force=force)
    with progress(shown(data), quiet=quiet):
        text = init(
            data,
            name=_name(data),
            memory=memory,
            spill=spill,
            time_limit=time_limit,
            csv=csv,
            contract=contract,
            table=table,
            folder=target.parent if target else None,
        )
    if target is None:
        click.echo(text.encode("utf-8"), nl=False)
    else:
        delivery.write(target, text.encode("utf-8"))


def _check_target(target: Path, data: Path, *, force: bool) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"-o {target}: there is no folder {target.parent}")
    if target.exists() and not target.is_file():
        raise UsageError(f"-o {target}: is not a regular file")
    if target.exists() and data.exists() and target.samefile(data):
        raise UsageError(f"-o {target}: is the data and would be overwritten")
    if target.exists() and not force:
        raise UsageError(f"-o {target}: exists already; --force replaces it")


def _name(data: str) -> str:
    """The policy's name: the file's, or the table's of a database."""
    _, is_table, table = data.partition("?table=")
    return table if is_table else Path(data.split("?", 1)[0]).name.split(".", 1)[0]
