"""Approved weakenings: who may approve stands in the base revision, what is approved is one change and no other.

That somebody did approve is verified where the base revision has a key of theirs and they signed (`_attested.py`), and
else declared. What git tells is used in both cases: whoever wrote the change cannot approve it. Where approvals stand
is for the base revision to say.

The digest that an approval names is of the base commit, too, and one that the target branch knows already was used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from shlex import quote
from typing import Any

from auditor.gate._approval_files import ApprovalPlace, Declared, approvals_at, declared_in
from auditor.gate._attestation import NAMESPACE, Attestation
from auditor.gate._authors import Authors, is_one_of
from auditor.gate._manifest import LoadedManifest
from auditor.gate._schema import Weakening
from auditor.gate._sides import BaseSide
from auditor.gate.signatures.keys import PublicKey
from auditor.gate.signatures.signatures import NotSigned
from auditor.policy.file.insertion import insertion
from auditor.policy.reading import Stricter, reported
from auditor.policy.waivers import folded
from auditor.result import Strictness
from auditor.result.comparison import Difference
from auditor.result.gate import Approval, Signature


@dataclass(frozen=True)
class ApprovalRules:
    """What an approval must be: by whom, until when at the longest, signed or not.

    It is bound to one of the commits `since`, of which the first is printed, and is known to none of `seen_in`.
    `remaining` are the approvers that the target branch still has.
    """

    approvers: frozenset[str]
    remaining: frozenset[str]
    as_of: date
    longest: int | None = None
    unsigned: bool = True
    since: tuple[str, ...] = ("",)
    seen_in: tuple[str, ...] = ()


class Approvals:
    """The approvals that a head declares, as the base revision lets them count."""

    def __init__(
        self,
        declared: Iterable[Declared],
        rules: ApprovalRules,
        authors: Authors,
        attestation: Attestation,
        *,
        top: Path,
        manifest: str,
    ) -> None:
        """`rules` and the keys of the `attestation` are those of the base revision; `manifest` is in the tree `top`."""
        self._top = top
        self._manifest = manifest
        self._declared = tuple(declared)
        self._rules = rules
        self._authors = authors
        self._attestation = attestation

    @property
    def since(self) -> tuple[str, ...]:
        """The commits that an approval may be bound to; the first one is printed."""
        return self._rules.since

    def of(self, *changes: str) -> tuple[Approval | None, str]:
        """The approval of a change, by any of its digests; or None, and why there is none that counts.

        Args:
            changes: the digests, in the order of the commits `since`.
        """
        found = [self._of(change, since) for change, since in zip(changes, self.since, strict=True)]
        given = next((approval for approval, _ in found if approval is not None), None)
        why = next((why for _, why in found if why), "nobody has approved it")
        return given, "" if given is not None else why

    def _of(self, change: str, since: str) -> tuple[Approval | None, str]:
        """A signed approval of a change before one that is declared, else why there is none that counts."""
        given, why = None, ""
        for declared in self._declared:
            entry = declared.entry
            if change not in ((entry.change,) if isinstance(entry.change, str) else entry.change):
                continue
            try:
                signature = self._allowed(declared, change, since)
            except NotSigned as wrong:
                why = str(wrong)
                continue
            if given is None or signature is not None:
                expires = None if entry.expires is None else entry.expires.isoformat()
                said = entry.model_dump(exclude={"change", "expires"})
                given = Approval(**said, change=change, expires=expires, signature=signature)
        return given, why

    def _allowed(self, declared: Declared, change: str, since: str) -> Signature | None:
        """The signature of an approval that counts, None where it counts unsigned; `NotSigned` where it does not."""
        wrong = self._wrong(declared.entry, change, since)
        if wrong is not None:
            raise NotSigned(wrong)
        who = declared.entry.approved_by
        try:
            signature = self._attestation.of(declared, since)
        except NotSigned as reason:
            raise NotSigned(f"the approval by {who} does not count: {reason}") from None
        if signature is None and not self._rules.unsigned:
            known = "" if self._attestation.keys(who) else f", and the base revision has no key of {who}"
            raise NotSigned(f"the approval by {who} is not signed{known}")
        return signature

    def _wrong(self, entry: Weakening, change: str, since: str) -> str | None:
        """Why an approval of a change since a commit does not count, whoever signed it."""
        rules, who = self._rules, entry.approved_by
        ends, longest = entry.expires, rules.longest
        reasons = {
            f"{who} is not an approver of the base revision": folded(who) not in rules.approvers,
            f"{who} is no longer an approver of the target branch": folded(who) not in rules.remaining,
            f"{who} wrote the change and cannot approve it": self.wrote(who),
            f"the approval by {who} has expired": ends is not None and ends < rules.as_of,
            f"the approval by {who} does not say when it expires": longest is not None and ends is None,
            f"the approval by {who} expires later than in {longest} days": longest is not None
            and ends is not None
            and (ends - rules.as_of).days > longest,
            f"the approval by {who} has been used already": any(
                self._has(commit, change, since) for commit in rules.seen_in
            ),
        }
        return next((why for why, applies in reasons.items() if applies), None)

    def wrote(self, who: str) -> bool:
        """Whether somebody wrote the change: by the names that its commits have, or by the keys that signed them."""
        return is_one_of(who, self._authors.names) or self._authors.hold(self._attestation.keys(who))

    def _has(self, commit: str, change: str, since: str) -> bool:
        """Whether a file of a commit names a change, or did since the commit from which that change is told.

        An approval that was taken out again, or whose merge was reverted, was used, too.
        """
        git = self._authors.git
        if git.run("grep", "-q", "-F", "-e", change, commit, "--", ":/").returncode == 0:
            return True
        words = ("log", "-1", "-m", "--full-history", "--no-textconv", "--no-show-signature", "-S", change)
        return bool(since and git.text(*words, "--format=%H", commit, f"^{since}", "--", ":/").strip())

    @property
    def approver(self) -> str | None:
        """Who is asked: somebody whom the base revision and the target branch list; None where there is nobody."""
        return min(self._rules.approvers & self._rules.remaining, key=self._preference, default=None)

    def asked(self, changes: Sequence[str]) -> dict[str, Any]:
        """What approves changes: lines to be pasted, into which file, and what signs it; none where nobody may."""
        who = self.approver
        if who is None or not changes:
            return {}
        said: dict[str, object] = {"change": list(changes), "reason": "say why", "approved_by": who}
        if self._rules.longest is not None:
            said["expires"] = (self._rules.as_of + timedelta(days=self._rules.longest)).isoformat()
        place, keys = self._authors.place, self._attestation.keys(who)
        file = self._manifest if place is None else place.path.replace("*", changes[0][:12])
        added = insertion("weakenings", [said], self._top / file)
        signed = signing(keys[0], file) if keys and place is not None else ()
        return {"to_approve": added.lines, "approve_in": file, "approve_at": added.where, "to_sign": signed}

    def _preference(self, who: str) -> tuple[bool, bool, str]:
        """Who is asked first: somebody who has not written the change, and whose key is known."""
        return self.wrote(who), not self._attestation.keys(who), who


def signing(key: PublicKey, file: str) -> tuple[str, ...]:
    """Commands that sign a file of approvals, in a file beside it or by committing it; one is enough."""
    named = quote(file)
    if key.is_ssh:
        private = f"~/.ssh/id_{key.kind}"
        form, made = (
            f"-c gpg.format=ssh -c user.signingKey={private}",
            f"ssh-keygen -Y sign -n {NAMESPACE} -f {private}",
        )
    else:
        form = f"-c gpg.format=openpgp -c user.signingKey={key.fingerprint}"
        made = f"gpg --armor --detach-sign --local-user {key.fingerprint}"
    return f"{made} {named}", f'git add {named} && git {form} commit -S -m "Approve" -- {named}'


def place_of(loaded: LoadedManifest, top: Path) -> str | None:
    """Where a manifest has its approvals, from the top: a file of their own, or itself; None where it does not say."""
    if loaded.place is not None:
        return loaded.place.path
    return loaded.file.resolve().relative_to(top).as_posix() if "weakenings" in loaded.marks else None


def declared(
    side: BaseSide | None, manifest: LoadedManifest, top: Path
) -> tuple[tuple[Declared, ...], ApprovalPlace | None]:
    """The approvals that stand where the base revision has them, and the place of their own that they stand in.

    Where the base revision has them in its manifest, a file that the change names instead holds none. They may leave
    the manifest in two changes: one takes the key out, and one that begins there, where no place is said, names a file.

    Raises:
        PolicyError: a file there is wrong.
    """
    before = None if side is None else side.manifest
    if before is None or before.place == manifest.place or (before.place is None and "weakenings" not in before.marks):
        return manifest.declared, manifest.place
    old = before.place
    if old is None:
        return (), None
    with reported() as problems:
        found = declared_in(approvals_at(old, top, problems))
    return found, old


def moved(side: BaseSide, manifest: LoadedManifest, top: Path) -> tuple[Difference, ...]:
    """That the approvals stand elsewhere than in the base revision, which is a weakening where that says a place."""
    assert side.manifest is not None  # noqa: S101  (asked of a base revision with a manifest)
    old, new = place_of(side.manifest, side.snapshot.top), place_of(manifest, top)
    if old is None or old == new or (side.manifest.place is None and manifest.place is None):
        return ()
    note = "approvals stand where the base revision has them"  # part of what is approved: its digest has it
    found = Difference(
        path="weakenings",
        old=old,
        new=new,
        old_origin=None,
        new_origin=None,
        direction=Stricter.REVIEW,
        verdict=Strictness.WEAKER,
        note=note,
    )
    return (found,)
