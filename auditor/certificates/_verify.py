"""Is this what was certified? Every answer is no until each comparison has held; the first that does not is named."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from auditor.certificates.cosign import Bundle, unsigned
from auditor.certificates.digests import Named, SecretKey, digest_of, digests_of
from auditor.certificates.read import CertificateContents, NoCertificate, content_of, shown
from auditor.certificates.signature import DetachedSignature, refused
from auditor.certificates.statement import LEVELS, seal
from auditor.engines import Files, is_named, locate
from auditor.errors import DataError, UsageError
from auditor.ledger import read_ledger
from auditor.policy import Policy
from auditor.result import Verdict

MOST_NAMED = 20
"""So many files are named."""
Comparison = Callable[[], str | None]


@dataclass(frozen=True, kw_only=True)
class VerifyRequest:
    """What a certificate is held against; what is None is not compared, and the answer says so."""

    data: str
    outputs: tuple[str, ...] = ()
    policy: Policy | None = None
    not_released: tuple[str, ...] = ()
    reference: str | None = None
    key: SecretKey | None = None
    signature: DetachedSignature | None = None
    bundle: Bundle | None = None
    ledger: Path | None = None
    as_of: date


@dataclass(frozen=True, kw_only=True)
class Verified:
    """The answer: `differs` is the first thing that is not as certified; None where everything compared is."""

    certificate: str
    differs: str | None
    compared: tuple[str, ...]
    not_compared: tuple[str, ...]
    policy: str | None = None
    verdict: str | None = None
    evaluated_on: str | None = None
    signed_by: str | None = None

    @property
    def holds(self) -> bool:
        """Whether this is what was certified, as far as it was compared."""
        return self.differs is None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"command": "verify", "verdict": "pass" if self.holds else "fail", **vars(self)}


def verify(path: Path, asked: VerifyRequest) -> Verified:
    """Hold a certificate against data, and whatever else is at hand.

    Raises:
        DataError: a file cannot be read.
        UsageError: the certificate is keyed, and no key was given.
    """
    content = content_of(path)
    compared: list[str] = []
    try:
        found = shown(content)
    except NoCertificate as wrong:
        why = f"{path.name} is not a certificate: {wrong}"
        return Verified(certificate=path.name, differs=why, compared=(), not_compared=("data",))
    differs: str | None = None
    if found.keyed and asked.key is None:
        asked = replace(asked, key=SecretKey.beside(path))
    for name, comparison in _comparisons(content, found, asked):
        compared.append(name)
        differs = comparison()
        if differs is not None:
            break
    return Verified(
        certificate=path.name,
        differs=differs,
        compared=tuple(compared),
        not_compared=tuple(_left_out(found, compared)),
        policy=_text(found.predicate["policy"].get("name")),
        verdict=_text(found.evaluation.get("verdict")),
        evaluated_on=_text(found.evaluation.get("evaluatedOn")),
        signed_by=asked.signature.identity if asked.signature and differs is None else None,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _comparisons(content: bytes, found: CertificateContents, asked: VerifyRequest) -> Iterator[tuple[str, Comparison]]:
    """What is compared, in this order: first whether the certificate can be believed, then what it says."""
    signature, ledger, policy = asked.signature, asked.ledger, asked.policy
    if signature is not None:
        yield "signature", lambda: refused(content, signature)
    if asked.bundle is not None:
        bundle = asked.bundle
        yield "bundle", lambda: unsigned(content, bundle)
    if ledger is not None:
        yield "ledger", lambda: _unknown_to(ledger, content)
    yield "seal", lambda: _broken_seal(found, asked.key)
    yield "verdict", lambda: _no_pass(found)
    _refuse_unread(asked)
    yield "data", lambda: _differing(found.of("data"), digests_of(asked.data, asked.key), "data")
    if asked.outputs:
        given = sorted(file for each in asked.outputs for file in digests_of(each, asked.key, "outputs"))
        yield "outputs", lambda: _differing_set(found.of("outputs"), given)
    if policy is not None:
        yield "policy", lambda: _other_policy(found, policy, asked.key)
    if asked.reference is not None:
        reference = digests_of(asked.reference, asked.key, "reference")
        yield "reference", lambda: _differing_set(found.of("reference"), list(reference))
    yield "waivers", lambda: _lapsed(found, asked.as_of)


def _refuse_unread(asked: VerifyRequest) -> None:
    """Refuse a folder with files that no reader can read, unless the policy calls them no part of the release."""
    data = locate(asked.data)
    named = (*(asked.policy.not_released if asked.policy else ()), *asked.not_released)
    left = [name for name in data.unread if not is_named(name, named)] if isinstance(data, Files) else []
    if left:
        shown = ", ".join(map(repr, left[:MOST_NAMED])) + (" and others" if len(left) > MOST_NAMED else "")
        raise DataError(
            f"{data.name}: holds files that no reader can read, which were not certified: {shown}; remove them, "
            "or name "
            "those that are not part of the release with --not-released, or in the policy (-p) under not_released"
        )


def _unknown_to(ledger: Path, content: bytes) -> str | None:
    known = {entry.body.get("certificate") for entry in read_ledger(ledger).of_kind("release")}
    if hashlib.sha256(content).hexdigest() in known:
        return None
    return f"the ledger {ledger.name} has no release with this certificate"


def _broken_seal(found: CertificateContents, key: SecretKey | None) -> str | None:
    if found.keyed and key is None:
        raise UsageError(
            "the certificate is keyed; put the file with its key beside it, CERTIFICATE.key, or name the variable that "
            "holds the key with --certificate-key"
        )
    sealed = seal(found.statement, key if found.keyed else None)
    if not hmac.compare_digest(str(found.evaluation.get("seal")), sealed):
        return "the certificate was changed after it was written, or made with another key"
    return None if found.keyed or key is None else "the certificate is not keyed, but a key was given"


def _no_pass(found: CertificateContents) -> str | None:
    predicate, verdict = found.predicate, found.evaluation.get("verdict")
    levels = {each.value: [level] for each, level in LEVELS.items()}
    stated = predicate.get("verificationResult") == "PASSED" and verdict in levels
    if not stated or predicate.get("verifiedLevels") != levels[str(verdict)]:
        return "the certificate does not say that the policy was met"
    return "the verdict is waived, but no waiver is named" if _unexplained(found, str(verdict)) else None


def _unexplained(found: CertificateContents, verdict: str) -> bool:
    return (verdict == Verdict.WAIVED) is not bool(found.evaluation["waivers"])


def _differing(certified: tuple[Named, ...], given: tuple[Named, ...], what: str) -> str | None:
    """The first file that differs; a single file may bear another name."""
    if len(certified) == len(given) == 1:
        return (
            None if certified[0].digest == given[0].digest else f"the {what} {given[0].name} is not what was certified"
        )
    before, after = ({file.known_by: file for file in files} for files in (certified, given))
    for name in sorted(
        before.keys() | after.keys(), key=lambda each: ((before | after)[each].name, each not in before)
    ):
        if name not in after:
            return f"the {what} lacks {before[name].name}, which was certified"
        if name not in before:
            return f"the {what} holds {after[name].name}, which was not certified"
        if before[name].digest != after[name].digest:
            return f"the {what} file {after[name].name} is not what was certified"
    return None


def _differing_set(certified: tuple[Named, ...], given: list[Named]) -> str | None:
    """The first file that was not certified, or is missing; files are known by what is in them."""
    known, there = {file.digest for file in certified}, {file.digest for file in given}
    for file in given:
        if file.digest not in known:
            return f"{file.role} {file.name} is not what was certified"
    missing = next((file for file in certified if file.digest not in there), None)
    return None if missing is None else f"{missing.role} {missing.name} was certified, and is not among those named"


def _other_policy(found: CertificateContents, policy: Policy, key: SecretKey | None) -> str | None:
    if found.predicate["policy"]["digest"]["sha256"] != policy.sha256:
        return f"the policy {policy.name} is not the one that was certified"
    files = [Named(path.name, digest_of(path, key), "policy") for path in policy.referenced_files]
    return _differing_set(found.of("policy"), files)


def _lapsed(found: CertificateContents, as_of: date) -> str | None:
    for waiver in found.evaluation["waivers"]:
        expires = str(waiver.get("expires")) if isinstance(waiver, dict) else ""
        if expires < as_of.isoformat():
            return f"a waiver that it relies on lapsed on {expires or 'no day'}; --as-of verifies as of an earlier day"
    return None


def _left_out(found: CertificateContents, compared: list[str]) -> Iterator[str]:
    there = {"outputs": found.of("outputs"), "reference": found.of("reference")}
    for name in ("signature", "ledger", "data", "outputs", "policy", "reference", "waivers"):
        if name not in compared and there.get(name, True):
            yield name
