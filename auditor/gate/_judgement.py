"""What was found of a release: under one policy, beside a floor, under all that it is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.gate._floor import Floor
from auditor.outputs import Published
from auditor.policy import Policy
from auditor.policy.reading import destination
from auditor.result import Result, Status, Verdict
from auditor.result.comparison import Difference
from auditor.result.gate import GateFile

ORDER = (Verdict.FAIL, Verdict.NOT_EVALUATED, Verdict.WAIVED, Verdict.PASS)


@dataclass
class Judgement:
    """What was found. `published` are the outputs as they were judged, `missing` says what could not be evaluated.

    `notes` are sentences that say more of the verdict; `cut_short` says which limit of time or memory was reached.
    """

    documents: list[Result] = field(default_factory=list)
    published: list[Published] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cut_short: str | None = None

    @property
    def verdict(self) -> Verdict:
        """The first of fail, not-evaluated, waived, pass that applies; nothing at all is not evaluated."""
        found = {document.verdict for document in self.documents}
        if self.missing or not found:
            found.add(Verdict.NOT_EVALUATED)
        return next(verdict for verdict in ORDER if verdict in found)

    @property
    def failing(self) -> tuple[str, ...]:
        """The requirements that do not hold."""
        return tuple(r.id for document in self.documents for r in document.requirements if r.status is Status.FAIL)


@dataclass(frozen=True)
class Held:
    """A release beside one floor: the files by each reading of it, and the fields of its policy that are below it."""

    floor: Floor
    readings: tuple[tuple[Policy, Judgement], ...]
    below: tuple[Difference, ...]
    missing: str | None = None

    @property
    def verdict(self) -> Verdict:
        """What the files are: the first of fail, not-evaluated, waived, pass that applies to a reading."""
        found = {each.verdict for _, each in self.readings} | ({Verdict.NOT_EVALUATED} if self.missing else set())
        return next((verdict for verdict in ORDER if verdict in found), Verdict.PASS)

    @property
    def failing(self) -> tuple[str, ...]:
        """The requirements of the floor that do not hold."""
        return tuple(dict.fromkeys(name for _, each in self.readings for name in each.failing))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it could not be evaluated."""
        found = (reason for _, each in self.readings for reason in each.missing)
        return tuple(dict.fromkeys((*found, *([self.missing] if self.missing else []))))


@dataclass(frozen=True)
class JudgedCase:
    """A case, judged: under the head's policy, under the base's where that is another, and of which files.

    `before` is what was found of the release as the base revision's manifest has it, where that is other than here;
    `reread` is what was found of its files read as the base revision's manifest says, where that says otherwise;
    `paths` are those of the `files`, `roles` the paths that each role names;
    `table` stands for the table that outputs are counted in, equal for equal ones; None where the release names none.
    """

    head: Judgement
    base: Judgement | None
    files: tuple[GateFile, ...]
    table: str | None = None
    paths: tuple[Path, ...] = ()
    before: Judgement | None = None
    floors: tuple[Held, ...] = ()
    reread: Judgement | None = None
    roles: Mapping[str, Sequence[Path]] = field(default_factory=dict)

    def of(self, role: str) -> list[tuple[GateFile, Path]]:
        """The files of a role, with their paths: one that several links lead to is there as often."""
        told = dict(zip(self.paths, self.files, strict=True))
        return [(told[path], path) for path in self.roles.get(role, ())]

    def inside(self, top: Path) -> frozenset[GateFile]:
        """The files that lie in a working tree: one that a variable leads to may be called as another one is there."""
        told = zip(self.paths, self.files, strict=True)
        return frozenset(file for path, file in told if destination(path).is_relative_to(top))

    @property
    def under_base(self) -> Verdict | None:
        """What the files are by the base revision's rules: a failure by either reading is one; None for the same."""
        found = [each.verdict for each in self._by_base]
        return None if not found else Verdict.FAIL if Verdict.FAIL in found else found[0]

    @property
    def failing_under_base(self) -> tuple[str, ...]:
        """The requirements of the base revision that do not hold."""
        found = (name for each in self._by_base for name in each.failing)
        return tuple(dict.fromkeys(found))

    @property
    def shown_by_base(self) -> tuple[str, ...]:
        """What the files show under the base revision's rules, as an approval binds it: what is not met, or is open.

        A waiver of the base revision, which ends on some day, takes nothing out; neither the words of a reason nor a
        limit of this machine puts anything in.
        """
        told = {
            f"{'open' if each.status is Status.NOT_EVALUATED else 'unmet'} {each.id}"
            for judgement in self._by_base
            for document in judgement.documents
            for each in document.requirements
            if each.status in (Status.FAIL, Status.WAIVED, Status.NOT_EVALUATED)
        }
        unread = any(judgement.missing and judgement.cut_short is None for judgement in self._by_base)
        return tuple(sorted((*told, *(["unread"] if unread else []))))

    @property
    def loosened(self) -> bool:
        """Whether the files meet the head's rules, and by the base revision's fail, or cannot be read any more."""
        met = (Verdict.PASS, Verdict.WAIVED)
        return self.head.verdict in met and (self.under_base is Verdict.FAIL or self.unread)

    @property
    def unread(self) -> bool:
        """Whether the files, read as the base revision's manifest says, cannot be evaluated: it decides nothing."""
        return self.reread is not None and self.reread.verdict is Verdict.NOT_EVALUATED

    @property
    def _by_base(self) -> list[Judgement]:
        return [each for each in (self.base, self.before, self.reread) if each is not None]
