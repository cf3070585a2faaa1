"""Who signed an approval: the file that it stands in, or the commits that brought it into that file.

Whose key it is, the base revision says. A file is signed for `NAMESPACE`, so that no signature of something else by the
same key is an approval. Of an approval that is in the file of a commit and of none of its parents, that commit is what
was signed. Were there several such commits, each of them must be: nobody else brings back what was taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import product
from pathlib import Path

from auditor.errors import UsageError
from auditor.gate._approval_files import ApprovalFile, Declared, entries_in
from auditor.gate._schema import Weakening
from auditor.gate.signatures.commits import Commit, read_commit
from auditor.gate.signatures.keys import PublicKey
from auditor.gate.signatures.signatures import NotSigned, signed_by
from auditor.gate.signatures.signers import Signers
from auditor.policy.git import Git
from auditor.policy.reading import Problems, TooManyProblems
from auditor.policy.waivers import folded
from auditor.result.gate import Signature

NAMESPACE = "auditor-approval"
MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Attestation:
    """Looks for the signatures of approvals.

    `base` is the base revision, `signers` whose keys may sign, `revoked` the fingerprints of those that may no longer,
    `as_of` the day on which a key must be valid.
    """

    git: Git
    base: str
    signers: Signers
    revoked: frozenset[str]
    as_of: date
    _entries: dict[tuple[str, str], tuple[Weakening, ...]] = field(default_factory=dict)

    def keys(self, who: str) -> tuple[PublicKey, ...]:
        """The keys of a person."""
        return self.signers.get(folded(who), ())

    def of(self, declared: Declared, since: str) -> Signature | None:
        """The signature of an approval of a change since a commit; None where nobody signed it.

        Raises:
            NotSigned: somebody did, and it does not count: why, in words.
        """
        who, file = declared.entry.approved_by, declared.file
        keys = self.keys(who)
        if file is None or not keys:
            return None
        wrong: NotSigned | None = None
        for look in (self._file, self._commits):
            try:
                found = look(declared.entry, file, keys)
            except NotSigned as reason:
                wrong = wrong or reason
                continue
            if found is not None:
                key, commit = found
                return Signature(signer=who, key=key.fingerprint, since=since, commit=commit, file=file.path)
        if wrong is not None:
            raise wrong
        return None

    def _file(self, _: Weakening, file: ApprovalFile, keys: tuple[PublicKey, ...]) -> tuple[PublicKey, None] | None:
        """The key that the file is signed with: one good signature beside it is enough."""
        wrong: NotSigned | None = None
        for (name, text), content in product(file.signatures.items(), _line_ends(file.content)):
            try:
                return signed_by(content, text, keys, NAMESPACE, self.as_of, revoked=self.revoked), None
            except NotSigned as reason:
                wrong = wrong or NotSigned(f"the signature {name} {reason}")
        if wrong is not None:
            raise wrong
        return None

    def _commits(
        self, entry: Weakening, file: ApprovalFile, keys: tuple[PublicKey, ...]
    ) -> tuple[PublicKey, str] | None:
        """The key that the commits are signed with which brought an approval."""
        commits = list(self._bringing(entry, file.path))
        if not any(commit.signatures for commit in commits):
            return None
        found = None
        for commit in commits:
            try:
                found = commit.signed_by(keys, self.as_of, self.revoked), commit.name
            except NotSigned as reason:
                raise NotSigned(f"the signature of the commit {commit.name[:12]} {reason}") from None
        return found

    def _bringing(self, entry: Weakening, path: str) -> Iterator[Commit]:
        """The commits since the base revision that have an approval in a file of which no parent of theirs has it."""
        told = self.git.text("rev-list", "--full-history", f"{self.base}..HEAD", "--", f":(top,literal){path}")
        for name in told.split():
            commit = read_commit(self.git, name)
            if entry in self._at(name, path) and not any(entry in self._at(each, path) for each in commit.parents):
                yield commit

    def _at(self, commit: str, path: str) -> tuple[Weakening, ...]:
        """The approvals in a file of a commit; none where it cannot be read."""
        if (commit, path) not in self._entries:
            self._entries[commit, path] = self._read(f"{commit}:{path}")
        return self._entries[commit, path]

    def _read(self, name: str) -> tuple[Weakening, ...]:
        size = self.git.run("cat-file", "-s", name)
        if size.returncode or int(size.stdout) > MOST_BYTES:
            return ()
        problems = Problems()
        try:
            found = entries_in(self.git.output("cat-file", "blob", name), Path(name), problems)
        except (TooManyProblems, UsageError):
            return ()
        return () if problems.found else found


def _line_ends(content: bytes) -> Iterable[bytes]:
    """A text as it is, and as git writes it on other machines, where its signer may have seen it."""
    plain = content.replace(b"\r\n", b"\n")
    return dict.fromkeys((content, plain, plain.replace(b"\n", b"\r\n")))
