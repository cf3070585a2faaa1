"""Apply the policy's masking methods; write and audit the masked table."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from auditor.cli._dry_run import dry_run_option, foretell
from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.dialect import CsvDialect
from auditor.errors import UsageError
from auditor.protect import mask
from auditor.release import as_released, deferral
from auditor.report import delivery


@click.command()
@click.argument("data")
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="RELEASE", help="The file to write.")
@click.option("--plan", is_flag=True, help="Mask and audit, and write nothing.")
@click.option(
    "--seed", type=int, metavar="N", help="Repeat the random choices of a run with the same seed; never for a release."
)
@dry_run_option
@csv_options
@auditing_options
def command(
    *,
    data: str,
    policy: str,
    output: Path | None,
    plan: bool,
    seed: int | None,
    dry_run: bool,
    csv: CsvDialect,
    options: AuditOptions,
) -> int:
    """Mask DATA by the methods that POLICY lists under protection; write it, and audit what was written.

    Identifiers and free text are left out. The masked table is written to a temporary file, which is renamed only if
    its audit passes; otherwise nothing is written. Rows are sorted by what is released.
    """
    if dry_run:
        return foretell("mask", data, policy, options, output=output, csv=csv)
    if plan == (output is not None):
        raise UsageError("give -o RELEASE, or --plan to write nothing")
    written = [] if output is None else [output]
    wanted = delivery.plan(options.format, options.reports, options.audience, inputs=[data, policy], outputs=written)
    with deferral() as release:
        with progress(shown(data), quiet=options.quiet):
            result = mask(
                data,
                policy,
                output=output,
                seed=seed,
                **options.bounds,
                csv=csv,
                reproduce=_again(output, policy, csv),
            )
        wanted.deliver(result.result, release.put)
    return result.exit_code


def _again(output: Path | None, policy: str, csv: CsvDialect) -> str | None:
    """The command that verifies the release; a seed is nowhere in it."""
    if output is None:
        return None
    return shlex.join(["auditor", "check", output.name, "-p", Path(policy).name, *as_released(csv).options])
