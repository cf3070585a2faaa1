"""The lock file: what policies use from outside their repository, with its digest and what it said.

A starter pack comes with the program, and a folder of ``AUDITOR_POLICIES`` with the machine: git does not know what
they were. ``auditor.lock``, beside the manifest, does. Each entry is what a policy says once it is loaded, as plain
values, and their digest; so an entry does not change with comments or formatting, and can be compared, field by field,
with what the pack says today. A file that is no policy (a ladder, a list of waivers) has the digest of its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from auditor.distribution import version
from auditor.errors import NotEvaluated, PolicyError, UsageError
from auditor.policy._load import load_policy
from auditor.policy.file.files import FOLDERS_VARIABLE, listed_folders
from auditor.policy.file.yaml import MAX_BYTES
from auditor.policy.packs import starter_name
from auditor.policy.schema import Policy

NAME = "auditor.lock"


@dataclass(frozen=True)
class Locked:
    """One pack, policy or file.

    `version` is the program's that brought it, `signed_by` the fingerprint of the key that its bundle is signed with,
    `policy` what it says (None: it is no policy).
    """

    sha256: str
    version: str | None = None
    signed_by: str | None = None
    policy: Mapping[str, Any] | None = None

    def loaded(self, folder: Path) -> Policy | None:
        """The policy as it was locked; None where it cannot be loaded, or was changed by hand.

        Args:
            folder: where the policy stands today, for the files that it names.
        """
        if self.policy is None or _digest(self.policy) != self.sha256:
            return None
        try:
            return load_policy(self.policy, folder)
        except PolicyError:
            return None


@dataclass(frozen=True)
class Lockable:
    """What is there today: the file, and as what it is locked."""

    file: Path
    locked: Locked

    def held_by(self, lock: Mapping[str, Locked], name: str) -> bool:
        """Whether a lock names this very content, also where an older version of the program wrote it down."""
        known = lock.get(name)
        if known is None or known.sha256 == self.locked.sha256:
            return known is not None
        before = known.loaded(self.file.parent)
        return before is not None and _digest(before.effective()) == self.locked.sha256


def outside(policies: Iterable[Policy], top: Path, *, copied: bool = False) -> dict[str, Lockable]:
    """What policies use from outside their repository, by the name that it is locked under.

    Args:
        policies: the policies of all releases.
        top: the repository's folder, resolved.
        copied: whether the policies are of a revision, so that their own files are copies, which are no packs.

    Raises:
        UsageError: two folders of ``AUDITOR_POLICIES`` have a file of one name.
    """
    found: dict[str, Lockable] = {}
    for file in dict.fromkeys(file for policy in policies for file in _outside(policy, top, copied)):
        name = _name(file)
        if name in found:
            raise UsageError(
                f"two folders of {FOLDERS_VARIABLE} have a file {name}; rename one, so that it can be locked"
            )
        found[name] = Lockable(file, _locked(file))
    return dict(sorted(found.items()))


def names_outside(policy: Policy, top: Path, *, copied: bool = False) -> set[str]:
    """The names under which a policy uses what `outside` finds."""
    return {_name(file) for file in _outside(policy, top, copied)}


def _outside(policy: Policy, top: Path, copied: bool) -> Iterator[Path]:
    for file in policy.sources:
        # A virtual environment, or a folder that git ignores, may lie in the repository's.
        from_elsewhere = starter_name(file) is not None or bundle_of(file) is not None
        if from_elsewhere or not (copied or file.is_relative_to(top)):
            yield file


def written(found: Mapping[str, Lockable]) -> str:
    """The text of the lock file."""
    packs = {
        name: {key: value for key, value in vars(each.locked).items() if value is not None}
        for name, each in found.items()
    }
    return json.dumps({"version": 1, "packs": packs}, indent=1, ensure_ascii=False) + "\n"


def entries(content: bytes, shown: str) -> dict[str, Locked]:
    """The entries of a lock file.

    Args:
        content: its bytes.
        shown: how the file is called in an error.

    Raises:
        NotEvaluated: it does not have the shape of one.
    """
    try:
        lock = json.loads(content[: MAX_BYTES + 1])
        if lock["version"] != 1:
            raise ValueError
        return {name: _entry(**entry) for name, entry in lock["packs"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NotEvaluated(f"{shown} is not a lock file; auditor lock writes one") from None


def _entry(*, sha256: str, policy: Mapping[str, Any] | None = None, **told: str) -> Locked:
    if not all(isinstance(text, str) for text in (sha256, *told.values())) or not isinstance(policy, Mapping | None):
        raise TypeError
    return Locked(sha256=sha256, policy=policy, **told)


def _name(file: Path) -> str:
    pack = starter_name(file)
    if pack is not None:
        return pack
    folder = bundle_of(file)
    return f"{FOLDERS_VARIABLE}/{file.relative_to(folder).as_posix() if folder else file.name}"


def bundle_of(file: Path) -> Path | None:
    """The folder of ``AUDITOR_POLICIES`` that a resolved file lies in; None for a starter pack."""
    return next((each for each in listed_folders() if file.is_relative_to(each)), None)


def _locked(file: Path) -> Locked:
    pack = starter_name(file)
    try:
        policy = json.loads(json.dumps(load_policy(pack or file).effective()))
    except PolicyError:
        with file.open("rb") as stream:
            return Locked(file_digest(stream, "sha256").hexdigest())
    return Locked(_digest(policy), version() if pack else None, policy=policy)


def _digest(policy: Mapping[str, Any]) -> str:
    text = json.dumps(policy, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
