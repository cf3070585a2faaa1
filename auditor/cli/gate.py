"""Judge every release of the manifest, and compare its rules with the base revision."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import click

from auditor.cli._dry_run import dry_run_option, refuse_reports, show_foretold
from auditor.cli._options import AuditOptions, auditing_options
from auditor.cli._progress import progress
from auditor.errors import DeliveryError, UsageError
from auditor.report import delivery, redact, render
from auditor.result import Audience
from auditor.result.gate import GateResult


@click.command()
@click.argument("releases", nargs=-1, metavar="[RELEASE]...")
@click.option(
    "--base",
    metavar="REV",
    help="The revision to compare with, or none; the settings of the target branch's tip then do not count.  "
    "[default: where the change left its target branch]",
)
@click.option(
    "--certificates",
    metavar="FOLDER",
    help="If the gate is open, write a certificate for each release, RELEASE.json.",
)
@click.option("--certificate-key", metavar="NAME", help="The environment variable with a key for all certificates.")
@click.option("--sign", metavar="KEY", help="Sign the certificates with cosign: a key as for cosign --key, or keyless.")
@click.option(
    "--committed",
    is_flag=True,
    help="Do not evaluate files that differ from the head's commit: for hooks, because a push sends the commit.",
)
@dry_run_option
@auditing_options
def command(
    *,
    releases: tuple[str, ...],
    base: str | None,
    certificates: str | None,
    certificate_key: str | None,
    sign: str | None,
    committed: bool,
    dry_run: bool,
    options: AuditOptions,
) -> int:
    """Judge each RELEASE of the nearest auditor.yaml in this folder or above, or all of them.

    The data is judged by the policy of the working tree and by that of the base revision. If a policy is not at least
    as strict as there and nobody has approved that, the exit code is 4. Trusted settings come from the base revision.
    """
    from auditor.certificates import SecretKey
    from auditor.gate import Options, certify, foretold, gated, ledger_turn, refuse_links, sinks
    from auditor.policy.reading import repository_of

    told = Options(
        base=base,
        as_of=options.as_of,
        memory=options.memory,
        spill=None if options.spill is None else Path(options.spill),
        time_limit=options.time_limit,
        expose=options.audience is Audience.INTERNAL,
        committed=committed,
    )
    if dry_run:
        refuse_reports(options)
        seen = foretold(releases, told)
        show_foretold(options, seen.to_dict(), seen.text())
        return seen.exit_code
    if certificates is not None and not Path(certificates).parent.is_dir():
        raise UsageError(f"--certificates {certificates}: there is no folder {Path(certificates).parent}")
    if certificate_key is not None and certificates is None:
        raise UsageError("--certificate-key goes with --certificates FOLDER")
    if sign is not None and certificates is None:
        raise UsageError("--sign goes with --certificates FOLDER")
    key = None if certificate_key is None else SecretKey.from_environment(certificate_key)
    wanted, inputs = sinks()
    plan = delivery.plan(options.format, (*options.reports, *wanted), options.audience, inputs=inputs)
    refuse_links(
        [target.path for target in plan.targets] + ([] if certificates is None else [Path(certificates) / "_"])
    )
    with ExitStack() as held:
        with progress("gate", quiet=options.quiet):
            if certificates is not None:
                held.enter_context(ledger_turn(options.time_limit))
            found = gated(releases, told)
        result = found.result
        plan.deliver(result)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            _tell_github(result, annotate=options.format != "github" and not options.quiet)
        if certificates is not None:
            for name in certify(found, Path(certificates), repository_of(Path.cwd().resolve()), key, sign):
                click.echo(f"{name}: has no file to be bound to, so it got no certificate", err=True)
    return result.exit_code


def _tell_github(result: GateResult, *, annotate: bool) -> None:
    """The summary of the step, and annotations beside the lines that they speak of; both for the public."""
    shown = redact(result, Audience.PUBLIC)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(render(shown, "markdown"))
        except OSError as wrong:
            raise DeliveryError(f"the summary of the step could not be written: {wrong.strerror}") from None
    if annotate:
        click.echo(render(shown, "github"), nl=False, err=True)
