"""The certificates of the base revision: one that is gone, edited, or of something else now is weaker.

A later certificate in the place of an old one, of the same release and files of the same names, is what a release
leaves: its seal holds, it says of policy and recipients what the head does, and the ledger has it where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from auditor.certificates.read import CertificateContents, NoCertificate, shown
from auditor.certificates.statement import PREDICATE, seal
from auditor.gate._ledger import LedgerState
from auditor.gate._sides import BaseSide
from auditor.policy.git import Git
from auditor.policy.reading import Stricter, destination, reachable
from auditor.result import Strictness
from auditor.result.comparison import Difference


@dataclass(frozen=True)
class Said:
    """What the head says of a release, as its certificate must."""

    policy_sha256: str
    recipients: tuple[str, ...]


@dataclass(frozen=True)
class IssuedUnder:
    """What a new certificate is held against: the releases that are looked at, and the ledger where there is one."""

    releases: Mapping[str, Said] = field(default_factory=dict)
    kept: LedgerState | None = None

    def wrong(self, old: CertificateContents, new: CertificateContents, content: bytes) -> str | None:
        """Why a certificate may not stand in the place of an old one; None where it may."""
        said = self.releases.get(str(new.evaluation.get("release")))
        reasons = {
            "a certificate of something else": _of(old) != _of(new),
            "a certificate that was edited: its seal does not hold": not _sealed(new),
            "an older certificate": _time(new) < _time(old),  # in whole seconds, and two may be made in one
            "a certificate of another policy, or for others": said is not None and said != _said(new),
            "a certificate that the ledger does not have": not self._noted(content),
        }
        return next((why for why, applies in reasons.items() if applies), None)

    def _noted(self, content: bytes) -> bool:
        if self.kept is None or self.kept.ledger is None:
            return True  # a ledger that is not sound fails by itself
        entries: Iterable[object] = (each.body.get("certificate") for each in self.kept.ledger.of_kind("release"))
        return sha256(content).hexdigest() in entries


def certificates_lost(
    side: BaseSide, names: Iterable[str], top: Path, head: IssuedUnder, files: Callable[[], Iterable[str]]
) -> Iterator[Difference]:
    """What a change makes of the certificates that the base revision has.

    Args:
        side: the base revision.
        names: its certificates, as `certificates_in` finds them.
        top: the working tree.
        head: what a new certificate is held against.
        files: the names, from the top, that one of them may have now: what the next base revision will not have, as
            in a submodule, does not keep a certificate.
    """
    there: dict[int, list[Path]] = {}
    staying: set[Path] = set()
    for name in names:
        blob = side.snapshot.tree.files.get(name)
        content = b"" if blob is None else blob.read()
        staying = staying or {top / each for each in files()}
        old, now = _shown(content), _content(top / name, top) if destination(top / name) in staying else b""
        if old is None or content in (now, now.replace(b"\r\n", b"\n")):
            continue
        new = _shown(now) if PREDICATE.encode() in now else None  # written with escapes, no next change would find it
        if new is None:
            there = there or _by_size(staying)
            if not any(_content(file, top) == content for file in there.get(len(content), ())):
                yield _difference(name, old, [], "a certificate that is gone")
        elif (why := head.wrong(old, new, now)) is not None:
            # An approval is of these contents, and of no others.
            yield _difference(name, old, [*_of(new), f"SHA-256 {sha256(now).hexdigest()}"], why)


def certificates_in(side: BaseSide, git: Git) -> list[str]:
    """The names of the certificates that the base revision has, from the top."""
    found = git.run("grep", "-l", "-z", "--full-name", "-F", "-e", PREDICATE, side.commit, "--", ":/").stdout
    return [each.decode("utf-8", "surrogateescape").partition(":")[2] for each in found.split(b"\0") if each]


def _by_size(files: Iterable[Path]) -> dict[int, list[Path]]:
    """Files by how many bytes they have."""
    found: dict[int, list[Path]] = {}
    for file in files:
        with suppress(OSError):  # it is not there
            found.setdefault(file.lstat().st_size, []).append(file)
    return found


def _content(file: Path, top: Path) -> bytes:
    try:
        return file.read_bytes() if file.is_file() and reachable(file.resolve(), (top,)) else b""
    except OSError:
        return b""


def _shown(content: bytes) -> CertificateContents | None:
    try:
        return shown(content)
    except NoCertificate:
        return None


def _of(found: CertificateContents) -> list[str]:
    """What a certificate is of: its release, and its files by their names."""
    return [str(found.evaluation.get("release")), *sorted(file.name for file in found.of("data", "outputs"))]


def _sealed(found: CertificateContents) -> bool:
    """Whether a seal holds that anybody can look at; what its key makes is for whoever has the key."""
    try:
        return found.keyed or seal(found.statement, None) == found.evaluation.get("seal")
    except (ValueError, RecursionError):  # no number of JSON, or deeper than can be sealed
        return False


def _time(found: CertificateContents) -> str:
    """When a certificate was made, as RFC 3339 in UTC, so that texts compare as times."""
    return str(found.predicate.get("timeVerified"))


def _said(found: CertificateContents) -> Said:
    recipients = found.evaluation.get("recipients")
    named = tuple(map(str, recipients)) if isinstance(recipients, list) else ()
    return Said(str(found.predicate["policy"]["digest"]["sha256"]), named)


def _difference(name: str, old: CertificateContents, new: list[str], note: str) -> Difference:
    return Difference(
        path=f"certificates/{name}",
        old=_of(old),
        new=new,
        old_origin=None,
        new_origin=None,
        direction=Stricter.SUPERSET,
        verdict=Strictness.WEAKER,
        note=note,
    )
