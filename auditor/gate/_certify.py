"""Certificates of the releases that a gate let through, and their entries in the ledger."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from auditor.certificates import Certified, Named, issue_all
from auditor.errors import UsageError
from auditor.gate._run import Gated
from auditor.ledger import Addition, Ledger
from auditor.outputs import additions
from auditor.result import GateFile, GateResult, GateStatus, ReleaseResult, Verdict

ROLES = {
    "data": "data",
    "outputs": "outputs",
    "original": "reference",
    "hierarchy": "policy",
    "queries": "input",
    "previous": "input",
}
"""What a file of a release is in its certificate."""


def certify(gated: Gated, folder: Path, top: Path) -> list[str]:
    """Write a certificate for each release that passed, where the whole gate did: all of them, or none.

    Args:
        gated: what the gate found.
        folder: where the certificates go, as ``RELEASE.json``; made where its own folder is there.
        top: the folder that the names of the result's files begin in; its ledger, where it has one, records each
            certificate, and each mining output that is released with it, as the gate read it.

    Returns:
        The releases that have no file to be bound to, and so no certificate.

    Raises:
        UsageError: the folder cannot be made.
        DataError: the ledger is not sound, or others added to it since the releases were judged.
        DeliveryError: a file could not be written.
    """
    result = gated.result
    if result.exit_code:
        return []
    known = None if gated.kept is None else gated.kept.known()
    try:
        folder.mkdir(exist_ok=True)
    except OSError as wrong:
        raise UsageError(f"{folder}: cannot be the folder of certificates ({wrong.strerror})") from None
    certified: list[tuple[ReleaseResult, Certified]] = []
    left_out = []
    for release in result.releases:
        if release.status not in (GateStatus.PASS, GateStatus.WAIVED) or not release.documents:
            continue
        files = tuple(_files(release.files))
        if any(file.role in ("data", "outputs") for file in files):
            certified.append((release, _said(result, release, files)))
        else:
            left_out.append(release.name)
    issue_all(
        {folder / f"{release.name}.json": said for release, said in certified},
        ledger=None if result.ledger is None else top / result.ledger,
        first=() if known is None else _outputs(gated, [release for release, _ in certified], known),
        after=None if known is None else known.head,
    )
    return left_out


def _outputs(gated: Gated, releases: list[ReleaseResult], known: Ledger) -> list[Addition]:
    """What the outputs of releases publish, so that later ones are looked at together with them."""
    published = [(gated.published.get(release.name, ()), str(release.policy_sha256)) for release in releases]
    return additions(published, date.fromisoformat(gated.result.evaluated_on), known)


def _files(files: tuple[GateFile, ...]) -> Iterator[Named]:
    """The files by their roles; those of one role by their names below the folder that they share."""
    for role in dict.fromkeys(file.role for file in files):
        alike = [file for file in files if file.role == role]
        root = posixpath.commonpath([posixpath.dirname(file.name) for file in alike])
        for file in alike:
            name = posixpath.relpath(file.name, root) if root else file.name
            yield Named(name, file.sha256, ROLES.get(role, "input"))


def _said(result: GateResult, release: ReleaseResult, files: tuple[Named, ...]) -> Certified:
    first = release.documents[0]
    requirements = tuple(each for document in release.documents for each in document.requirements)
    kept = (
        files
        if _has_reference(release)
        else tuple(replace(f, role="input") if f.role == "reference" else f for f in files)
    )
    return Certified(
        source=first.data.source if first.data else release.name,
        files=kept,
        policy=first.policy.name,
        policy_file=release.policy,
        policy_sha256=str(release.policy_sha256),
        verdict=Verdict.WAIVED if release.status is GateStatus.WAIVED else Verdict.PASS,
        evaluated_on=result.evaluated_on,
        requirements=requirements,
        tool=result.tool,
        release=release.name,
        recipients=release.recipients,
        purpose=release.purpose,
        base=result.base.commit if result.base else None,
        head=result.head,
    )


def _has_reference(release: ReleaseResult) -> bool:
    """Whether the policy takes its reference distribution from the original, as its own text says."""
    return any("\nreference: original" in (document.policy.text or "") for document in release.documents)
