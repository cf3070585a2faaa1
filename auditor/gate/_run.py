"""``auditor gate``: every release of the manifest, judged by its policy and by that of the base revision."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path, PurePosixPath

from auditor.distribution import version
from auditor.engines import RunLimits
from auditor.errors import PolicyError, UsageError, nearest
from auditor.gate import _changes, _lock, _manifest, _summary
from auditor.gate._approvals import ApprovalRules, Approvals, declared, moved
from auditor.gate._attestation import Attestation
from auditor.gate._authors import Authors
from auditor.gate._base import Base, base_of
from auditor.gate._cases import Candidate, Cases
from auditor.gate._committed import Committed, Named, files_at, named_by, named_of, rules_of
from auditor.gate._floor import floors_loosened, floors_of_head
from auditor.gate._issued import IssuedUnder, Said, certificates_in, certificates_lost
from auditor.gate._judge import CaseBounds, GateCase
from auditor.gate._ledger import LedgerState, grows_in_git, kept, ledger_of, shortened
from auditor.gate._manifest import LoadedManifest, ManifestEntry
from auditor.gate._parallel import judge_all
from auditor.gate._reference import Reference
from auditor.gate._sides import TARGET, BaseSide, base_side
from auditor.gate._tests import read_for, tests_loosened
from auditor.gate._together import judge_together
from auditor.gate._waivers import Waivers
from auditor.gate.signatures.signers import signers_of
from auditor.outputs import Published
from auditor.policy import Policy, load_policy
from auditor.policy.compare import compare
from auditor.policy.git import Git
from auditor.policy.reading import Problems, destination, reported, repository_of
from auditor.policy.waivers import folded
from auditor.report import Rendered
from auditor.result import Tool
from auditor.result.comparison import Difference
from auditor.result.gate import GateResult, Revision
from auditor.testing import ENDING


class Gate(Rendered, GateResult):
    """The result of `gate`: the JSON document as a value, which can show itself."""


@dataclass(frozen=True)
class Gated:
    """The result, and by release the outputs as they were judged, which a ledger is to remember after what it has.

    `files` are the files of each release, in the order of the result; `rules` are the manifests with what belongs to
    them, and `committed` tells what of all that the head's commit has; None outside git.
    """

    result: Gate
    published: Mapping[str, tuple[Published, ...]]
    kept: LedgerState | None
    files: Mapping[str, tuple[Path, ...]]
    rules: tuple[Path, ...]
    committed: Committed | None


@dataclass(frozen=True)
class Options:
    """What a run can be told besides which releases."""

    base: str | None = None
    as_of: date | None = None
    memory: str | int | None = None
    spill: Path | None = None
    time_limit: float | None = None
    expose: bool = False
    workers: int | None = None
    committed: bool = False
    """Whether what is judged must be what the head's commit has, as where that is pushed."""


def gate(
    releases: str | Sequence[str] = (),
    *,
    folder: str | Path | None = None,
    base: str | None = None,
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    committed: bool = False,
) -> Gate:
    """Judge the releases of the nearest manifest upwards, and compare their rules with those of the base revision.

    Args:
        releases: a name, or several; all where none is named.
        folder: where to begin to look for the manifest; by default the current folder.
        base: the revision to compare with; by default what the environment of continuous integration says, or the
            repository.
        as_of: the day on which waivers and approvals are judged; by default today.
        memory: the most memory, as ``2GB``; by default half of the machine's.
        spill: the folder for temporary data.
        time_limit: seconds for each release.
        committed: whether what is judged must be what the head's commit has.

    Returns:
        Each release, judged. Nothing of the repository is written.

    Raises:
        PolicyError, UsageError: the manifest, a policy or the call is wrong.
        NotEvaluated: the base revision cannot be read.
    """
    where = None if spill is None else Path(spill)
    told = Options(base, as_of, memory, where, time_limit, committed=committed)
    names = [releases] if isinstance(releases, str) else releases
    return gated(names, told, folder=None if folder is None else Path(folder)).result


def gated(
    names: Sequence[str] = (),
    options: Options | None = None,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Gated:
    """Judge as `gate` does, and hand on what was read, so that what is remembered of a release is what was judged.

    `environment` are variables, as the process has them.
    """
    start = (folder or Path.cwd()).resolve()
    with ExitStack() as opened:
        return GateRun(start, options or Options(), environment, opened).gated(names)


class GateRun:
    """One run of the gate."""

    def __init__(self, start: Path, options: Options, environment: Mapping[str, str], opened: ExitStack) -> None:
        self.options = options
        self.environment = environment
        self.day = options.as_of or date.today()  # noqa: DTZ011  (the day of whoever runs the gate)
        self.git = Git(start)
        self.top = self._top(start)
        self.manifest = _manifest.load(_manifest.find(start, self.top))
        found = base_of(self.git, options.base, environment) if self.in_git else None
        self.revision: Base | None = found
        self.side: BaseSide | None = None
        target: BaseSide | None = None
        if found is not None:
            relative = PurePosixPath(start.relative_to(self.top).as_posix())
            self.side = opened.enter_context(base_side(self.git, found.commit, relative))
            if found.tip not in (None, found.commit):
                target = opened.enter_context(base_side(self.git, str(found.tip), relative, TARGET))
        self.standing = Reference(self.side, target)

    def _top(self, start: Path) -> Path:
        found = self.git.top()
        self.in_git = found is not None
        if found is not None:
            if not start.is_relative_to(found):
                raise UsageError("git has the working tree of this repository elsewhere (core.worktree)")
            return found
        if self.options.base != "none":
            self.git.text("rev-parse", "--show-toplevel")
        return repository_of(start)

    def gated(self, names: Sequence[str]) -> Gated:
        """Judge and compare."""
        ledger = ledger_of(self.manifest, self.top)
        candidates = self._prepared(names, kept(ledger))
        cases = [c.case for c in candidates if c.case is not None]
        judged = judge_together(cases, judge_all(cases, self.options.workers), self.options.workers)
        changed = self._held(candidates)
        approvals = self._approvals()
        waivers = Waivers(self.git, self.top, self.standing, self.day, approvals.wrote)
        summary = _summary.GateSummary(approvals, waivers, self.side, self.git, self.top)
        releases = [summary.release(candidate, judged.get(candidate.name)) for candidate in candidates]
        head, rules = self._head(), tuple(rules_of(self.manifest, self.top))
        committed = None if head is None else self._committed
        named = [*named_by(self.manifest), *named_of(each.entry for each in candidates if each.entry is not None)]
        sources = [file for each in candidates if each.policy is not None for file in each.policy.sources]
        paths = [path for each in judged.values() for path in each.paths]
        floors = [file for policy in floors_of_head(self.manifest, self.top) for file in policy.sources]
        ruling = [*rules, *sources, *floors, *files_at(named_by(self.manifest))]
        read = [*rules, *sources, *files_at(named), *paths]
        read += [] if committed is None else read_for(committed.rules(), self.top)
        read += [self.top / name for name in (*self._certificates, *self._tests)]
        result = Gate(
            tool=Tool(version=version()),
            evaluated_on=self.day.isoformat(),
            manifest=self._shown(self.manifest.file),
            head=head,
            base=None if self.revision is None else Revision(commit=self.revision.commit, found=self.revision.found),
            ledger=None if ledger is None else destination(ledger).relative_to(self.top).as_posix(),
            gone=() if committed is None else committed.gone(named, paths),
            **summary.whole(
                releases,
                changed,
                None if self.old is None else self.old.trusted,
                self.manifest.trusted,
                shortened(self.side, self.manifest, self.top),
                unheld=[
                    *_lock.unheld(self.lock, self.outside),
                    *([] if committed is None else committed.unclear(read, named)),
                    *(
                        []
                        if committed is None
                        else committed.unkept(self._kept_by_git(ledger, [*sources, *floors]), ruling, read)
                    ),
                    *([] if committed is None else self._pushed(committed, head, read, named)),
                ],
                besides=[*self.standing.notes(), *([] if committed is None else committed.note(read, named))],
            ),
        )
        published = {name: tuple(each.head.published) for name, each in judged.items()}
        files = {name: each.paths for name, each in judged.items()}
        return Gated(result, published, self.kept, files, rules, committed)

    def cases(self, names: Sequence[str]) -> list[GateCase]:
        """What is to be judged."""
        return [candidate.case for candidate in self._prepared(names, None) if candidate.case is not None]

    def _prepared(self, names: Sequence[str], remembered: LedgerState | None) -> list[Candidate]:
        """The releases, loaded and compared, each with what is to be judged; `remembered` is of the ledger."""
        self.kept = remembered
        candidates = list(self._candidates(names))
        self._load(candidates)
        self.lock = _lock.of_head(self.manifest, self.top)
        policies = (each.policy for each in candidates if each.policy is not None)
        # The first manifest has nothing that it could be held to but itself.
        trusted = self.manifest.trusted if self.old is None else self.standing.trusted
        trusted = trusted.model_copy(update={"revoked": self._revoked()})
        self.outside = _lock.used(policies, self.manifest, self.top, trusted, self.day)
        for candidate in candidates:
            self._compare(candidate)
        bases = (each.base for each in candidates if each.base is not None)
        self.outside_before = _lock.used_before(bases, self.standing.floors, self.top)
        Cases(self.top, self.environment, self.standing, self.kept, self._bounds()).prepare(candidates)
        return candidates

    def _bounds(self) -> CaseBounds:
        options = self.options
        ends = None if options.time_limit is None else time.time() + options.time_limit
        limits = RunLimits.of(options.memory, spill=options.spill)
        return CaseBounds(limits.memory, ends, self.day, options.expose, limits.spill.folder)

    def _pushed(
        self, committed: Committed, head: str | None, read: Iterable[Path], named: Iterable[Named]
    ) -> Iterator[str]:
        """Why the verdict says nothing of what is pushed, where it has to: one sentence each."""
        if not self.options.committed:
            return
        yield from committed.pending(read, named)
        # As pre-commit tells its hooks; of a first push, which has all commits, it tells the branch alone.
        told = self.environment.get("PRE_COMMIT_TO_REF") or self.environment.get("PRE_COMMIT_LOCAL_BRANCH")
        pushed = self.git.commit(told) if told else None
        if pushed is not None and pushed != head:
            yield f"What is pushed ({pushed[:12]}) is not what is checked out; check it out, and push again."

    def _held(self, candidates: list[Candidate]) -> tuple[Difference, ...]:
        """What changed of all that the base revision holds a change to: the trusted settings, the policy tests."""
        if self.side is None or self.old is None:
            return ()
        successors: dict[str | None, list[Policy]] = {}
        for candidate in candidates:
            if candidate.old is not None and candidate.base is not None and candidate.policy is not None:
                file = candidate.old.folder / candidate.old.release.policy
                known = self.side.snapshot.tree.walk(os.path.relpath(file, self.side.snapshot.top))[0]
                successors.setdefault(known, []).append(candidate.policy)
        loosened = tests_loosened(self.side, self.top, successors, self.day, self._committed.ignored)
        said = {
            each.name: Said(each.policy.sha256, each.entry.release.recipients)
            for each in candidates
            if each.policy is not None and each.entry is not None
        }
        locked = _lock.of_base(self.side)
        pairs = [(each.base, each.policy) for each in candidates if each.base is not None and each.policy is not None]
        instead = _lock.unsigned_instead(locked, pairs, self.top)
        packs = _lock.changes(locked, self.lock, self.outside, self.outside_before, instead)
        return (
            *_changes.trusted(self.old, self.manifest),
            *floors_loosened(self.standing.floors_of_base, self.manifest, self.top),
            *moved(self.side, self.manifest, self.top),
            *loosened,
            *packs,
            *certificates_lost(self.side, self._certificates, self.top, IssuedUnder(said, self.kept), self._remaining),
        )

    def _remaining(self) -> list[str]:
        """The names of the files that stay after a merge, from the top: what git ignores does not."""
        if self.options.committed:
            return list(self.git.objects("HEAD"))
        words = ("ls-files", "-c", "-o", "--exclude-standard", "-z", "--full-name", "--", ":/")
        return self.git.text(*words).split("\0")[:-1]

    def _kept_by_git(self, ledger: Path | None, sources: Iterable[Path]) -> Iterator[Path]:
        """What holds the next change by what git has of it: rules, approvals, policy tests, certificates, ledger.

        `sources` are the files of policies and floors, with their contracts and ladders.
        """
        places = {each.place for each in (self.manifest, self.old) if each is not None and each.place is not None}
        approvals = (name for place in places for name in place.files(self.top))
        yield from (self.top / name for name in (*self._tests, *self._certificates, *approvals))
        yield from rules_of(self.manifest, self.top)
        elsewhere = {each.file for each in self.outside.values()}  # the lock file holds these
        yield from (file for file in sources if file not in elsewhere)
        yield from (ledger,) if ledger is not None and grows_in_git(self.side, self.top) else ()

    @cached_property
    def _committed(self) -> Committed:
        """The commit that is checked out, where there is one."""
        return Committed(self.git, self.top)

    @property
    def _tests(self) -> list[str]:
        """The base revision's files of policy tests: the head's commit may lack what the working tree has."""
        return [] if self.side is None else [name for name in self.side.snapshot.tree.files if name.endswith(ENDING)]

    @cached_property
    def _certificates(self) -> list[str]:
        """The base revision's certificates: git reads all of it to find them, so it is asked once."""
        return [] if self.side is None else certificates_in(self.side, self.git)

    @property
    def old(self) -> LoadedManifest | None:
        """The base revision's manifest."""
        return None if self.side is None else self.side.manifest

    def _head(self) -> str | None:
        told = self.git.run("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")
        return None if told.returncode else told.stdout.decode().strip()

    def _candidates(self, names: Sequence[str]) -> Iterator[Candidate]:
        old = {} if self.old is None else self.old.entries
        known = [*self.manifest.entries, *(name for name in old if name not in self.manifest.entries)]
        for name in names:
            if name not in known:
                raise UsageError(f"no release is called {name!r}{nearest(name, known)}")
        for name in known if not names else dict.fromkeys(names):
            yield Candidate(name, self.manifest.entries.get(name), old.get(name))

    def _load(self, candidates: list[Candidate]) -> None:
        """Load the policies of both sides; everything that is wrong on the head's is one error."""
        loaded: dict[Path | str, Policy] = {}
        with reported() as problems:
            for candidate in candidates:
                if candidate.entry is not None:
                    candidate.policy = self._policy(candidate.entry, loaded, problems)
        for candidate in candidates:
            if candidate.old is not None and self.side is not None:
                found = self.side.policy(candidate.name)
                candidate.base = found if isinstance(found, Policy) else None
                candidate.unreadable = found if isinstance(found, str) else None

    @staticmethod
    def _policy(entry: ManifestEntry, loaded: dict[Path | str, Policy], problems: Problems) -> Policy | None:
        file = entry.policy(problems)
        if file is None:
            return None
        try:
            if file not in loaded:
                loaded[file] = load_policy(file)
        except PolicyError as wrong:
            for problem in wrong.problems:
                problems.add(problem.where, problem.what, problem.right, problem.code)
            return None
        return loaded[file]

    def _compare(self, candidate: Candidate) -> None:
        if candidate.entry is None or candidate.old is None or self.side is None:
            return
        path, marks = f"releases/{candidate.name}", (candidate.old.marks, candidate.entry.marks)
        candidate.changes = _changes.differences(path, candidate.old.release, candidate.entry.release, marks)
        if candidate.base is not None and candidate.policy is not None:
            source = f"{self.side.commit[:12]}:{candidate.base.file}"
            candidate.comparison = compare(candidate.base, candidate.policy, source, candidate.policy.file)

    def _shown(self, file: Path) -> str:
        return file.relative_to(self.top).as_posix()

    def _revoked(self) -> tuple[str, ...]:
        """The keys that sign nothing: a change may withdraw one, too."""
        return *self.standing.trusted.revoked, *self.manifest.trusted.revoked

    def _approvals(self) -> Approvals:
        side, found, standing = self.side, self.revision, self.standing
        entries, place = ((), None) if side is None else declared(side, self.manifest, self.top)
        head, commit, tip = self._head(), "" if side is None else side.commit, None if found is None else found.tip
        rules = ApprovalRules(
            approvers=frozenset(map(folded, standing.base.approvers)),
            remaining=frozenset(map(folded, standing.tip.approvers)),
            as_of=self.day,
            longest=standing.trusted.max_approval_days,
            unsigned=standing.trusted.unsigned != "forbidden",
            since=("",) if found is None else found.binding,
            seen_in=tuple(each for each in dict.fromkeys((commit, tip)) if each and each != head),
        )
        signers = signers_of(standing.base.signers, standing.tip.signers)
        attestation = Attestation(self.git, commit, signers, frozenset(self._revoked()), self.day)
        manifest = self._shown(self.manifest.file)
        return Approvals(entries, rules, Authors(self.git, commit, place), attestation, top=self.top, manifest=manifest)
