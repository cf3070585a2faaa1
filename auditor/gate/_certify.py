"""Certificates of the releases that a gate let through, and their entries in the ledger."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from auditor.certificates import (
    ENDINGS,
    BoundFile,
    Certified,
    Issued,
    Named,
    SecretKey,
    bound,
    cosigned,
    issue_all,
    key_for,
)
from auditor.certificates.digests import digest_of
from auditor.errors import UsageError
from auditor.gate._run import Gated
from auditor.gate._sinks import refuse_links
from auditor.ledger import Addition, Ledger
from auditor.outputs import additions
from auditor.policy.lock import NAME as LOCK
from auditor.result import Verdict
from auditor.result.gate import GateStatus, ReleaseResult

ROLES = {
    "data": "data",
    "outputs": "outputs",
    "original": "reference",
    "hierarchy": "policy",
    "population": "policy",
    "queries": "input",
    "previous": "input",
    "previous_original": "input",
}
"""What a file of a release is in its certificate."""


def certify(gated: Gated, folder: Path, top: Path, key: SecretKey | None = None, sign: str | None = None) -> list[str]:
    """Write a certificate for each release that passed, where the whole gate did: all of them, or none.

    Args:
        gated: what the gate found.
        folder: where the certificates go, as ``RELEASE.json``; made where its own folder is there.
        top: the folder that the names of the result's files begin in; its ledger, where it has one, records each
            certificate, and each mining output that is released with it, as the gate read it.
        key: what digests are keyed with; None keys with a new key, in a file beside it, each certificate that could
            otherwise be guessed from.
        sign: the key that cosign signs each certificate with, or ``keyless``; None signs none.

    Returns:
        The releases that have no file to be bound to, and so no certificate.

    Raises:
        UsageError: the folder cannot be made, or a link of the repository stands where a file would be written.
        DataError: the ledger is not sound, or others added to it since the releases were judged.
        DeliveryError: a file could not be written.
        Unsupported: cosign is to sign, and is not installed; the certificates are written.
    """
    result = gated.result
    if result.exit_code:
        return []
    known = None if gated.kept is None else gated.kept.known()
    try:
        folder.mkdir(exist_ok=True)
    except OSError as wrong:
        raise UsageError(f"{folder}: cannot be the folder of certificates ({wrong.strerror})") from None
    certified: list[tuple[ReleaseResult, Issued]] = []
    left_out = []
    for release in result.releases:
        if release.status not in (GateStatus.PASS, GateStatus.WAIVED) or not release.documents:
            continue
        files = tuple(_files(release, gated.files[release.name]))
        if any(file.role in ("data", "outputs") for file in files):
            held = zip(release.files, gated.files[release.name], strict=True)
            used = key or key_for(files, [path for file, path in held if file.role == "population"])
            said = _said(gated, release, files, used, top)
            certified.append((release, Issued(said, used, new=used is not None and key is None)))
        else:
            left_out.append(release.name)
    targets = {folder / f"{release.name}.json": issued for release, issued in certified}
    refuse_links(target.with_name(f"{target.name}{ending}") for target in targets for ending in ENDINGS)
    issue_all(
        targets,
        ledger=None if result.ledger is None else top / result.ledger,
        first=() if known is None else _outputs(gated, [release for release, _ in certified], known),
        after=None if known is None else known.head,
    )
    for target in targets if sign is not None else ():
        cosigned(target, str(sign))
    return left_out


def _outputs(gated: Gated, releases: list[ReleaseResult], known: Ledger) -> list[Addition]:
    """What the outputs of releases publish, so that later ones are looked at together with them."""
    published = [(gated.published.get(release.name, ()), str(release.policy_sha256)) for release in releases]
    return additions(published, date.fromisoformat(gated.result.evaluated_on), known)


def _files(release: ReleaseResult, paths: Iterable[Path]) -> Iterator[BoundFile]:
    """The files by their roles; those of one role by their names below the folder that they share."""
    reads_original = _has_reference(release)
    files = list(zip(release.files, paths, strict=True))  # names alone do not tell a file behind a variable
    for role in dict.fromkeys(file.role for file in release.files):
        alike = [each for each in files if each[0].role == role]
        root = posixpath.commonpath([posixpath.dirname(file.name) for file, _ in alike])
        kind = "input" if role == "original" and not reads_original else ROLES.get(role, "input")
        for file, path in alike:
            name = posixpath.relpath(file.name, root) if root else file.name
            yield BoundFile(path, name, kind, file.sha256)


def _said(
    gated: Gated, release: ReleaseResult, files: tuple[BoundFile, ...], key: SecretKey | None, top: Path
) -> Certified:
    first, result = release.documents[0], gated.result
    requirements = tuple(each for document in release.documents for each in document.requirements)
    return Certified(
        source=first.data.source if first.data else release.name,
        files=bound(files, key),
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
        rules=tuple(_rules(gated.rules, top)),
        uncommitted=_uncommitted(gated, release, files, top),
        floors=release.floors,
    )


def _rules(files: tuple[Path, ...], top: Path) -> Iterator[Named]:
    """The manifests, the approvals and the lock file, by their names from the top, with plain digests."""
    for file in files:
        role = "lock" if file.name == LOCK else "manifest"
        yield Named(file.resolve().relative_to(top).as_posix(), digest_of(file, None), role)


def _uncommitted(
    gated: Gated, release: ReleaseResult, files: tuple[BoundFile, ...], top: Path
) -> tuple[str, ...] | None:
    """What a certificate rests on that the head's commit does not have; None outside git."""
    if gated.committed is None:
        return None
    policy = [file for place in (Path.cwd(), top) if release.policy and (file := place / release.policy).is_file()]
    used = (*(file.path for file in files), *gated.rules, *policy[:1], *gated.committed.rules())
    return tuple(gated.committed.other(used))


def _has_reference(release: ReleaseResult) -> bool:
    """Whether the policy takes its reference distribution from the original, as its own text says."""
    return any("\nreference: original" in (document.policy.text or "") for document in release.documents)
