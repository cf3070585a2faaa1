"""Judge a dataset as a release."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.audit import check
from auditor.cli._baseline import Baseline, baseline_options
from auditor.cli._dry_run import dry_run_option, foretell
from auditor.cli._earlier import NO_DRY_RUN, EarlierReleases, earlier_options
from auditor.cli._engine import DEFAULT, engine_options, words_of
from auditor.cli._manifest import completed
from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._reader import ErrorReader
from auditor.cli._shown import relative, shown
from auditor.dialect import CsvDialect
from auditor.errors import UsageError
from auditor.policy import load_policy
from auditor.release import deferral
from auditor.report import delivery
from auditor.report.redact import redact
from auditor.result import Audience

if TYPE_CHECKING:
    from auditor.cli._certificate import Wanted
    from auditor.engines import Engine
    from auditor.result import Result


@click.command()
@click.argument("data", required=False)
@click.option(
    "-p",
    "--policy",
    metavar="POLICY",
    help="The policy file, or a starter pack's name.  [default: that of auditor.yaml]",
)
@click.option(
    "--before-release",
    "--source",
    "source",
    is_flag=True,
    help="Judge a table before release: identifiers are allowed in it.",
)
@click.option(
    "--counts",
    metavar="FILE",
    help="Keep the counts (they contain values of the data), so that later rows can be added.",
)
@click.option(
    "--since",
    metavar="RESULT",
    help="Add to the counts of this JSON result, if the data is the same with rows appended.",
)
@click.option(
    "--original",
    metavar="DATA",
    help="The table that the release was made from, for reference: original, or to follow people.",
)
@earlier_options
@baseline_options
@click.option("--certificate", metavar="FILE", help="Write a certificate if the policy is met.")
@click.option(
    "--certificate-key", metavar="NAME", help="The environment variable with a key, for data that can be guessed."
)
@click.option("--sign", metavar="KEY", help="Sign the certificate with cosign: a key as for cosign --key, or keyless.")
@click.option("--ledger", metavar="FILE", help="The ledger of releases to which the certificate is added.")
@click.option("--push-down", is_flag=True, help="Count a PostgreSQL table in its server; no row leaves the server.")
@click.option("--weight", metavar="COLUMN", help="The column that says how many records each row of DATA represents.")
@click.option("--recipient", "recipients", metavar="NAME", multiple=True, help="Who gets the release; repeatable.")
@click.option("--purpose", metavar="TEXT", help="What they get it for.  [default: both as auditor.yaml says]")
@dry_run_option
@engine_options
@csv_options
@auditing_options
def command(
    *,
    data: str | None,
    policy: str | None,
    source: bool,
    counts: str | None,
    since: str | None,
    original: str | None,
    earlier: EarlierReleases,
    baseline: Baseline | None,
    certificate: str | None,
    certificate_key: str | None,
    sign: str | None,
    ledger: str | None,
    push_down: bool,
    weight: str | None,
    recipients: tuple[str, ...],
    purpose: str | None,
    engine: Engine | None,
    dry_run: bool,
    csv: CsvDialect,
    options: AuditOptions,
) -> int:
    """Judge DATA as a release.

    DATA is a file (CSV, TSV, Parquet, Arrow, JSON lines; .gz and .zst too), a glob or folder of them, or a database
    table: duckdb:FILE?table=NAME, sqlite:FILE?table=NAME, postgresql://HOST/DB?table=NAME. With --engine spark it is
    a path or address of CSV, Parquet or ORC, or table:NAME of the catalog. DATA or POLICY may be left out where the
    nearest auditor.yaml has one release that has the other.
    """
    asked = completed(data, policy, csv, quiet=options.quiet)
    data, policy, csv = asked.data, asked.policy, asked.csv
    if engine is not None and push_down:
        raise UsageError(f"--engine {engine.name} does not go with --push-down")
    if dry_run:
        if earlier.said:
            raise UsageError(NO_DRY_RUN)
        if push_down:
            _pushed(data)
        told: dict[str, Any] = {
            "original": original,
            "before_release": source,
            "push_down": push_down,
            "weight": weight,
            "engine": DEFAULT if engine is None else engine.name,
        }
        return foretell("check", data, policy, options, adding=since is not None, **told, csv=csv)
    if sign is not None and certificate is None:
        raise UsageError("--sign goes with --certificate FILE")
    wanted = _wanted(certificate, certificate_key, ledger, [data, policy], source=source)
    outputs = [
        *([baseline.target] if baseline else []),
        *([Path(counts)] if counts else []),
        *(wanted.outputs if wanted else []),
    ]
    inputs = [data, policy, *([since] if since else []), *earlier.places]
    plan = delivery.plan(options.format, options.reports, options.audience, inputs=inputs, outputs=outputs)
    if counts is not None:
        _check_named(plan, counts)
    with deferral() as release:
        with progress(shown(data), quiet=options.quiet):
            result = check(
                data,
                policy,
                source=source,
                original=original,
                previous=earlier.said,
                **options.bounds,
                expose=options.audience is Audience.INTERNAL,
                csv=csv,
                since=since,
                counts=counts,
                weight=weight,
                recipients=recipients or asked.recipients,
                purpose=purpose or asked.purpose,
                engine=_pushed(data) if push_down else engine,
                reproduce=_again(
                    data,
                    policy,
                    csv,
                    source=source,
                    push_down=push_down,
                    weight=weight,
                    engine=engine,
                    beside=earlier.options(original if earlier.said else None),
                ),
            )
        if result.since is not None and not result.since.added and not options.quiet:
            reader = click.get_current_context().find_object(ErrorReader) or ErrorReader()
            anew = redact(result, reader.audience).result.since or result.since
            click.echo(f"auditor: all of the data was counted again: {anew.reason}", err=True)
        plan.deliver(result, None if counts is None else release.put)
    if not options.quiet:
        _propose_names(result, policy)
    if wanted is not None and not result.exit_code:
        followed = [original] if earlier.said and original is not None else []
        wanted.write(result, load_policy(policy), data, original, [*followed, *earlier.places])
        if sign is not None and wanted.target.is_file():
            from auditor.certificates import cosigned

            cosigned(wanted.target, sign)
    if baseline is not None:
        baseline.write(result, policy)
    return result.exit_code


def _propose_names(result: Result, policy: str) -> None:
    """Show whoever ran the command a policy that names the columns of the data, where this one names others."""
    from auditor.policy.naming import naming

    reader = click.get_current_context().find_object(ErrorReader) or ErrorReader()
    roles = () if result.data is None else result.data.column_roles
    columns = [each.name for each in roles if each.role == "undeclared"]
    if not columns or reader.audience is not Audience.INTERNAL:
        return
    named = [each.name for each in roles if each.role != "undeclared"]
    text = naming(load_policy(policy), columns, policy, named)
    if text is not None:
        click.echo(
            f"auditor: {policy} has requirements on columns that the data does not have under their names. This policy "
            "names the data's own; check each line, save it in this folder, and use it:\n\n" + text.rstrip(),
            err=True,
        )


def _check_named(plan: delivery.DeliveryPlan, counts: str) -> None:
    """Refuse to keep counts that no result names: nothing could be added to them."""
    files = [target.path for target in plan.targets if target.format == "json"]
    if plan.format != "json" and not files:
        raise UsageError(f"--counts {counts}: only a JSON result says what they are; add --report result.json")
    apart = [file for file in files if file.resolve().parent != Path(counts).resolve().parent]
    if apart:
        raise UsageError(f"--counts {counts}: the result {apart[0]} looks for its counts in its own folder")


def _wanted(
    certificate: str | None, key: str | None, ledger: str | None, inputs: list[str], *, source: bool
) -> Wanted | None:
    """The certificate that is asked for; what writes it is imported for it alone."""
    if certificate is None and key is None and ledger is None:
        return None
    from auditor.cli._certificate import Wanted

    return Wanted.of(certificate, key, ledger, inputs, source=source)


def _pushed(data: str) -> Engine:
    """What counts a table in its server; refused where DATA is in none."""
    from auditor.engines.postgres import PostgreSQL

    if not re.match("postgres(ql)?:", data):
        raise UsageError(f"--push-down is for tables of a PostgreSQL server, which {shown(data)} is not")
    return PostgreSQL()


def _again(
    data: str,
    policy: str,
    csv: CsvDialect,
    *,
    source: bool,
    push_down: bool,
    weight: str | None,
    engine: Engine | None,
    beside: Sequence[str],
) -> str:
    """The command that verifies, with file names as the reader of the report will have them."""
    words = ["auditor", "check", relative(data), "-p", relative(policy), *(["--source"] if source else [])]
    words += [*(["--push-down"] if push_down else []), *(["--weight", weight] if weight is not None else [])]
    return shlex.join([*words, *beside, *csv.options, *words_of(engine)])
