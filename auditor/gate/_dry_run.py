"""``auditor gate --dry-run``: what would be read, grouped and moved for each release, from metadata alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from auditor.costs import DryRun, dry_run, size, text_of
from auditor.distribution import version
from auditor.engines import DatabaseTable, Files, look_at
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, NotEvaluated
from auditor.gate._judge import GateCase
from auditor.gate._places import DataPlace
from auditor.gate._run import GateRun, Options
from auditor.policy import Policy
from auditor.report.words import visible

SCHEMA_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Companions:
    """What would be read beside the data, as a whole: earlier releases, their originals, outputs or query logs.

    `bytes` are those of its files; None for a table of a server that does not know.
    """

    role: str
    files: int
    bytes: int | None


@dataclass(frozen=True, kw_only=True)
class Foretold:
    """A release: its audits, under its policy and under the base revision's where that is another, and what is beside.

    `not_evaluated` says what could not be looked at, and so would not be evaluated.
    """

    name: str
    audits: tuple[DryRun, ...]
    beside: tuple[Companions, ...]
    not_evaluated: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class GateDryRun:
    """What the gate would do. `base` is the commit that it would compare with."""

    schema_version: int = SCHEMA_VERSION
    tool: str
    command: str = "gate"
    dry_run: bool = True
    base: str | None
    releases: tuple[Foretold, ...]

    @property
    def exit_code(self) -> int:
        """3 where something could not be looked at, else 0: nothing is judged."""
        return EXIT_NOT_EVALUATED if any(each.not_evaluated for each in self.releases) else EXIT_MET

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values."""
        return asdict(self)

    def text(self) -> str:
        """The document for a person."""
        return "".join(self._paragraphs())

    def _paragraphs(self) -> Iterator[str]:
        against = "" if self.base is None else f", beside {self.base[:12]}"
        yield f"gate{against}: nothing is judged, nothing is written\n"
        for release in self.releases:
            yield f"\nrelease {release.name}\n"
            yield from map(text_of, release.audits)
            for each in release.beside:
                files = "1 file" if each.files == 1 else f"{each.files:,} files"
                yield f"read as {each.role}: {files}, {size(each.bytes)}\n"
            yield from (visible(f"not evaluated: {reason}") + "\n" for reason in release.not_evaluated)


def foretold(names: Sequence[str] = (), options: Options | None = None) -> GateDryRun:
    """What `gate` would do with the releases of the nearest manifest upwards; the arguments are those of `gate`.

    Raises:
        PolicyError, UsageError: the manifest, a policy or the call is wrong.
        NotEvaluated: the base revision cannot be read.
    """
    with ExitStack() as opened:
        run = GateRun(Path.cwd().resolve(), options or Options(), os.environ, opened)
        return GateDryRun(
            tool=f"auditor {version()}",
            base=None if run.revision is None else run.revision.commit,
            releases=tuple(map(_foretold, run.cases(names))),
        )


def _foretold(case: GateCase) -> Foretold:
    audits: list[DryRun] = []
    beside: list[Companions] = []
    missing: list[str] = []
    for policy in (case.policy, case.base):
        if policy is not None and case.data is not None and policy.requirements:
            try:
                audits.append(_audit(case, policy, case.data))
            except NotEvaluated as reason:
                missing.append(str(reason))
    earlier = case.previous or ()
    of_roles: dict[str, Sequence[DataPlace | None]] = {
        "previous": [each.release for each in earlier],
        "previous_original": [each.original for each in earlier],
        "outputs": case.outputs,
        "queries": case.queries,
    }
    for role, places in of_roles.items():
        try:
            found = [_whole(role, place, case) for place in places if place is not None]
        except NotEvaluated as reason:
            missing.append(str(reason))
            continue
        if found:
            known = [each.bytes for each in found if each.bytes is not None]
            total = sum(known) if len(known) == len(found) else None
            beside.append(Companions(role=role, files=sum(each.files for each in found), bytes=total))
    unique = tuple(dict.fromkeys(missing))
    return Foretold(name=case.name, audits=tuple(audits), beside=tuple(beside), not_evaluated=unique)


def _audit(case: GateCase, policy: Policy, data: DataPlace) -> DryRun:
    return dry_run(
        "check",
        data.located(),
        policy,
        original=None if case.original is None else case.original.located(),
        memory=case.bounds.memory,
        spill=case.bounds.spill,
        csv=case.csv,
    )


def _whole(role: str, place: DataPlace, case: GateCase) -> Companions:
    if not role.startswith("previous"):
        files = place.files()
        return Companions(role=role, files=len(files), bytes=sum(file.stat().st_size for file in files))
    found: Files | DatabaseTable = place.located()
    seen = look_at(found, csv=case.csv)
    return Companions(role=role, files=seen.files, bytes=seen.bytes)
