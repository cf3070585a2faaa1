"""A certificate read back: what has not the shape of one is not a certificate, whoever signed it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.certificates.digests import KEYED, PLAIN, Named
from auditor.certificates.statement import EVALUATION, PREDICATE, STATEMENT
from auditor.errors import DataError
from auditor.files import opened

MOST_BYTES = 64 << 20


class NoCertificate(Exception):  # noqa: N818  (a signal inside this package, not an error)
    """The file is not a certificate of this kind; the text says why."""


@dataclass(frozen=True)
class CertificateContents:
    """What a certificate says, as far as its shape goes."""

    statement: Mapping[str, Any]
    files: tuple[Named, ...]
    keyed: bool

    @property
    def predicate(self) -> Mapping[str, Any]:
        """The verification summary."""
        found: Mapping[str, Any] = self.statement["predicate"]
        return found

    @property
    def evaluation(self) -> Mapping[str, Any]:
        """What the summary has no field for."""
        found: Mapping[str, Any] = self.predicate[EVALUATION]
        return found

    def of(self, *roles: str) -> tuple[Named, ...]:
        """The files of some roles."""
        return tuple(file for file in self.files if file.role in roles)


def content_of(path: Path) -> bytes:
    """The bytes of a certificate's file; `DataError` where it cannot be read."""
    try:
        with opened(path) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DataError(f"{path.name}: is not a regular file")
            content = file.read(MOST_BYTES + 1)
    except OSError as wrong:
        raise DataError(f"{path.name}: cannot be read ({wrong.strerror or type(wrong).__name__})") from None
    if len(content) > MOST_BYTES:
        raise DataError(f"{path.name}: is larger than a certificate can be")
    return content


def shown(content: bytes) -> CertificateContents:
    """The certificate in some bytes; `NoCertificate` says what is wrong with them."""
    try:
        statement = json.loads(content)
    except (ValueError, RecursionError):
        raise NoCertificate("it is not JSON") from None
    if not isinstance(statement, dict) or statement.get("_type") != STATEMENT:
        raise NoCertificate(f"its _type is not {STATEMENT}")
    if statement.get("predicateType") != PREDICATE:
        raise NoCertificate(f"its predicateType is not {PREDICATE}")
    predicate = statement.get("predicate")
    evaluation = predicate.get(EVALUATION) if isinstance(predicate, dict) else None
    if not isinstance(predicate, dict) or not isinstance(evaluation, dict):
        raise NoCertificate(f"its predicate has no {EVALUATION}")
    if not _has_policy(predicate) or not isinstance(evaluation.get("waivers"), list):
        raise NoCertificate("its policy or its waivers are missing")
    listed = [statement.get("subject"), *(evaluation.get(name) for name in ("reference", "policyFiles", "inputs"))]
    found = [file for files in listed for file in _files(files)]
    kinds = {kind for kind, _ in found}
    if len(kinds) != 1 or not statement["subject"]:
        raise NoCertificate("its subject names no files, or files with digests of several kinds")
    return CertificateContents(statement, tuple(file for _, file in found), kinds == {KEYED})


def _has_policy(predicate: Mapping[str, Any]) -> bool:
    policy = predicate.get("policy")
    digest = policy.get("digest") if isinstance(policy, dict) else None
    return isinstance(digest, dict) and isinstance(digest.get(PLAIN), str)


def _files(listed: Any) -> list[tuple[str, Named]]:
    if not isinstance(listed, list):
        raise NoCertificate("a list of files is missing")
    return [_file(each) for each in listed]


def _file(each: Any) -> tuple[str, Named]:
    digest = each.get("digest") if isinstance(each, dict) else None
    notes = each.get("annotations") if isinstance(each, dict) else None
    role = notes.get("role") if isinstance(notes, dict) else None
    if not isinstance(digest, dict) or len(digest) != 1 or not isinstance(role, str):
        raise NoCertificate("a file in it has no digest, or no role")
    ((kind, value),) = digest.items()
    name = each.get("name")
    if kind not in (PLAIN, KEYED) or not isinstance(value, str) or not isinstance(name, str):
        raise NoCertificate("a file in it has no name, or a digest of an unknown kind")
    sealed = notes.get("name") if isinstance(notes, dict) else None
    return kind, Named(name, value, role, sealed.get(KEYED) if isinstance(sealed, dict) else None)
