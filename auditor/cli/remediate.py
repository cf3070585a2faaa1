"""Find and write the release that meets a policy and loses least."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli._dry_run import dry_run_option, foretell
from auditor.cli._earlier import NO_DRY_RUN, EarlierReleases, earlier_options
from auditor.cli._engine import DEFAULT, engine_options, words_of
from auditor.cli._gaps import gaps_named
from auditor.cli._manifest import policy_for
from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.dialect import CsvDialect
from auditor.engines import Address
from auditor.errors import UsageError
from auditor.release import as_released, deferral
from auditor.remediate import remediate
from auditor.report import delivery, remediation
from auditor.result import Verdict

if TYPE_CHECKING:
    from rich.live import Live

    from auditor.engines import Engine
    from auditor.result.remediation import AlternativeRelease


@click.command()
@click.argument("data")
@click.option(
    "-p",
    "--policy",
    metavar="POLICY",
    help="The policy file, or a starter pack's name.  [default: that of auditor.yaml]",
)
@click.option("-o", "--output", metavar="RELEASE", help="The file to write; with Spark a folder, or its address.")
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write which value became which. Contains values of the data.",
)
@click.option("--lattice", type=click.Path(path_type=Path), metavar="FILE", help="Write every node with its losses.")
@click.option("--keep-order", is_flag=True, help="Keep the order of the rows, which can reveal whose record is whose.")
@click.option("--plan", is_flag=True, help="Find the release and write nothing.")
@earlier_options
@dry_run_option
@csv_options
@engine_options
@auditing_options
def command(
    *,
    data: str,
    policy: str | None,
    output: str | None,
    mapping: Path | None,
    lattice: Path | None,
    keep_order: bool,
    plan: bool,
    earlier: EarlierReleases,
    dry_run: bool,
    csv: CsvDialect,
    engine: Engine | None,
    options: AuditOptions,
) -> int:
    """Find the release of DATA that meets POLICY with the least loss; write it, and audit what was written.

    The policy's remediation block says how to search: search, objective, suppression_limit, levels. The release is
    written to a temporary file, which is renamed only if its audit passes; otherwise nothing is written. With --engine
    spark the cluster writes it, as a new folder of Parquet files, or of CSV files if its name ends in .csv; RELEASE
    may be an address such as hdfs://HOST/FOLDER. Where the policy sets no suppression_limit or no search, other
    releases are tried as well and listed; on a terminal you are asked which one to write, without a --time-limit.
    POLICY may be left out where the nearest auditor.yaml has one release that is made from DATA.
    """
    policy = policy_for(data, policy)
    if dry_run:
        if earlier.said:
            raise UsageError(NO_DRY_RUN)
        counting = DEFAULT if engine is None else engine.name
        return foretell("remediate", data, policy, options, output=output, engine=counting, csv=csv)
    if plan == (output is not None):
        raise UsageError("give -o RELEASE, or --plan to write nothing")
    local = [] if output is None or Address.of(output) else [Path(output)]
    written = [*local, *(path for path in (mapping, lattice) if path is not None)]
    wanted = delivery.plan(
        options.format, options.reports, options.audience, inputs=[data, policy, *earlier.places], outputs=written
    )
    with deferral() as release:
        with gaps_named(options.audience), progress(shown(data), quiet=options.quiet) as live:
            asks = live is not None and output is not None and sys.stdin is not None and sys.stdin.isatty()
            result = remediate(
                data,
                policy,
                output=output,
                mapping=mapping,
                lattice=lattice,
                keep_order=keep_order,
                **options.bounds,
                csv=csv,
                previous=earlier.said,
                reproduce=_again(output, policy, engine, csv, earlier.options(data if earlier.said else None)),
                engine=engine,
                choose=partial(_chosen, live) if asks else None,
            )
        wanted.deliver(result.result, release.put)
    return result.exit_code


def _chosen(live: Live | None, ways: tuple[AlternativeRelease, ...]) -> int:
    """Ask which of the ways to take that the policy leaves open, where several lead to a release."""
    fit = [place for place, way in enumerate(ways) if way.verdict in (Verdict.PASS, Verdict.WAIVED)]
    if len(fit) < 2 or live is None:
        return 0
    live.stop()
    click.echo("The policy leaves open how to search, or what may be suppressed:", err=True)
    for place in fit:
        click.echo(f"  {place + 1}  {remediation.way(ways[place])}", err=True)
    numbers = click.Choice([str(place + 1) for place in fit])
    answer = click.prompt("Which release is to be written?", type=numbers, default=str(fit[0] + 1), err=True)
    live.start()
    return int(answer) - 1


def _again(
    output: str | None, policy: str, engine: Engine | None, csv: CsvDialect, beside: Sequence[str]
) -> str | None:
    """The command that verifies the release."""
    if output is None:
        return None
    words = ["auditor", "check", Path(output).name, "-p", Path(policy).name]
    return shlex.join([*words, *beside, *as_released(csv).options, *words_of(engine)])
