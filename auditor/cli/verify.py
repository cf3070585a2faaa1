"""Verify that data is what was certified."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from auditor.cli._options import day_option
from auditor.cli._progress import progress
from auditor.errors import EXIT_MET, EXIT_NOT_MET, UsageError
from auditor.report import delivery
from auditor.report.formats.json import escaped
from auditor.report.formats.text import inert
from auditor.report.words import visible


@click.command()
@click.argument("certificate")
@click.argument("data")
@click.option("-p", "--policy", metavar="POLICY", help="The policy that DATA must have been judged by.")
@click.option("--outputs", multiple=True, metavar="FILE", help="Mining outputs that were certified. Repeatable.")
@click.option(
    "--not-released",
    multiple=True,
    metavar="NAME",
    help="A file (or glob) next to the data that was not released, as in the policy or manifest. Repeatable.",
)
@click.option("--reference", metavar="DATA", help="The table that the reference distribution was taken from.")
@click.option("--signature", metavar="FILE", help="A detached signature made by ssh-keygen -Y sign -n auditor.")
@click.option("--signers", metavar="FILE", help="Who may sign: an allowed_signers file, as git uses it.")
@click.option("--identity", metavar="NAME", help="Who must have signed.")
@click.option("--bundle", metavar="FILE", help="A signature made by cosign, which verifies it.")
@click.option("--issuer", metavar="URL", help="Who vouches for --identity, with --bundle.")
@click.option(
    "--cosign-key", metavar="KEY", help="The public key that --bundle must be signed with, as for cosign --key."
)
@click.option("--ledger", metavar="FILE", help="A ledger of releases that must contain the certificate.")
@click.option("--certificate-key", metavar="NAME", help="The environment variable with the key of a keyed certificate.")
@day_option
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    *,
    certificate: str,
    data: str,
    policy: str | None,
    outputs: tuple[str, ...],
    not_released: tuple[str, ...],
    reference: str | None,
    signature: str | None,
    signers: str | None,
    identity: str | None,
    bundle: str | None,
    issuer: str | None,
    cosign_key: str | None,
    ledger: str | None,
    certificate_key: str | None,
    as_of: date | None,
    quiet: bool,
    form: str,
) -> int:
    """Say whether DATA is what CERTIFICATE was written for, and name the first thing that differs.

    No network is used. What is not given is not compared, and the answer says so. The exit code is 0 or 1.
    """
    from auditor.certificates import SecretKey, VerifyRequest, verify
    from auditor.certificates.cosign import Bundle
    from auditor.certificates.signature import DetachedSignature
    from auditor.policy import load_policy

    keyless = bundle is not None and cosign_key is None
    if keyless and not (identity and issuer):
        raise UsageError("--bundle goes with --cosign-key, or with --identity and --issuer")
    if bundle is None and (issuer or cosign_key):
        raise UsageError("--issuer and --cosign-key go with --bundle")
    given = (signature, signers, None if keyless and not signature else identity)
    if any(given) and not all(given):
        raise UsageError("--signature, --signers and --identity belong together")
    if ledger is not None and not Path(ledger).is_file():
        raise UsageError(f"--ledger {ledger}: there is no such file")
    asked = VerifyRequest(
        data=data,
        outputs=outputs,
        policy=load_policy(policy) if policy else None,
        not_released=not_released,
        reference=reference,
        key=SecretKey.from_environment(certificate_key) if certificate_key else None,
        signature=DetachedSignature(Path(signature), identity, Path(signers))
        if signature and signers and identity
        else None,
        bundle=Bundle(Path(bundle), cosign_key, identity, issuer) if bundle else None,
        ledger=Path(ledger) if ledger else None,
        as_of=as_of or date.today(),  # noqa: DTZ011  (the day of whoever asks)
    )
    with progress(Path(data).name, quiet=quiet):
        found = verify(Path(certificate), asked)
    if form == "json":
        delivery.show(escaped(found.to_dict()))
    else:
        head = "✓ This is what was certified" if found.holds else f"✗ Not what was certified: {found.differs}"
        lines = [head, f"  policy {found.policy}, {found.verdict} on {found.evaluated_on}"] if found.policy else [head]
        lines += [f"  compared: {', '.join(found.compared)}"] if found.compared else []
        lines += [f"  not compared: {', '.join(found.not_compared)}"] if found.not_compared else []
        delivery.show("".join(f"{inert(str(visible(line)))}\n" for line in lines))
    return EXIT_MET if found.holds else EXIT_NOT_MET
