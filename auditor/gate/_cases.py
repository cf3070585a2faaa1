"""What is to be judged: each release as the manifests of both sides say that it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from auditor.errors import PolicyError
from auditor.gate import _changes
from auditor.gate._judge import CaseBounds, EarlierPlaces, GateCase
from auditor.gate._ledger import LedgerState
from auditor.gate._manifest import ManifestEntry
from auditor.gate._places import DataPlace, Places
from auditor.gate._readings import before, reread
from auditor.gate._reference import Reference
from auditor.policy import Policy
from auditor.policy.reading import Problems, reported
from auditor.result import Strictness
from auditor.result.comparison import Difference, PolicyComparison

UNASKED = "the policy demands nothing of the data, so nobody judges it"
COUNTED_ELSEWHERE = "its logs and outputs were judged against the data, and are against another table now"


@dataclass
class Candidate:
    """One release with both of its sides; `case` is None where there is nothing to judge, as where it was removed."""

    name: str
    entry: ManifestEntry | None
    old: ManifestEntry | None
    policy: Policy | None = None
    base: Policy | None = None
    unreadable: str | None = None
    comparison: PolicyComparison | None = None
    changes: tuple[Difference, ...] = ()
    case: GateCase | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Cases:
    """Makes the cases of one run.

    `top` is the working tree's, `environment` has the variables that places may name, `standing` says which of them,
    `kept` is the ledger, and `bounds` are those of the whole run.
    """

    top: Path
    environment: Mapping[str, str]
    standing: Reference
    kept: LedgerState | None
    bounds: CaseBounds

    def prepare(self, candidates: Iterable[Candidate]) -> None:
        """Give every release that can be judged its case.

        Raises:
            PolicyError: a manifest of the head names what it may not, all of it.
        """
        with reported() as problems:
            places = self._places(problems)
            for each in candidates:
                if each.entry is not None and each.policy is not None:
                    check(each.entry, each.policy, problems)
                    if each.entry.release.data and not each.policy.requirements:
                        _unasked(each)
                    was = None if each.old is None else each.old.release
                    if was is not None and was.data and (was.queries or was.outputs):
                        _review(each, "original", COUNTED_ELSEWHERE)
                    each.case = self._case(each.entry, each.policy, each, places)

    def _places(self, problems: Problems) -> Places:
        return Places(self.top, frozenset(self.standing.trusted.env), self.environment, problems)

    def _case(self, entry: ManifestEntry, policy: Policy, candidate: Candidate, places: Places) -> GateCase:
        base = candidate.base
        other = base is not None and _changes.demands(base) != _changes.demands(policy)
        case = replace(self._read(entry, policy, base if other else None, places), floors=self.standing.floors)
        if base is None or candidate.old is None:
            return case
        same = self._read(entry, base, None, places)
        was = self._was(candidate.old, base)
        again = reread(same, was or replace(same, csv=candidate.old.release.csv.dialect))
        earlier = before(same, was)
        return replace(case, before=None if earlier == again else earlier, reread=again)

    def _was(self, old: ManifestEntry, base: Policy) -> GateCase | None:
        """The release as the base revision's manifest has it; None where that names what it may not.

        This is no matter of the change.
        """
        side = self.standing.side
        if side is None:
            return None
        here = replace(old, folder=self.top / old.folder.relative_to(side.snapshot.top))
        try:
            with reported() as problems:
                case = self._read(here, base, None, self._places(problems))
        except PolicyError:
            return None
        return case

    def _read(self, entry: ManifestEntry, policy: Policy, base: Policy | None, places: Places) -> GateCase:
        """What is to be judged, as an entry of a manifest says it is read."""
        release = entry.release

        def one(field: str) -> DataPlace | None:
            text: str | None = getattr(release, field)
            return None if text is None else places.of(entry, field, text)

        def many(field: str) -> tuple[DataPlace, ...]:
            given: str | tuple[str, ...] = getattr(release, field)
            texts = (given,) if isinstance(given, str) else given
            return tuple(place for text in texts if (place := places.of(entry, field, text)) is not None)

        def earlier() -> Iterator[EarlierPlaces]:
            for each in release.earlier:
                made_from = None if each.original is None else places.of(entry, "previous", each.original)
                place = places.of(entry, "previous", each.release)
                if place is not None:
                    yield EarlierPlaces(place, made_from)

        return GateCase(
            name=entry.name,
            policy=policy,
            base=base,
            top=self.top,
            data=one("data"),
            original=one("original"),
            previous=None if release.previous is None else tuple(earlier()),
            outputs=many("outputs"),
            queries=many("queries"),
            csv=release.csv.dialect,
            not_released=release.not_released,
            dialect=release.dialect,
            expected=release.sha256,
            folder=entry.folder,
            kept=self.kept,
            bounds=self.bounds,
        )


def _unasked(candidate: Candidate) -> None:
    """Data of which the policy demands nothing: said, and where a change adds it to a release, nothing stricter."""
    candidate.notes.append(f"T{UNASKED[1:]}.")
    _review(candidate, "data", UNASKED)


def _review(candidate: Candidate, field: str, note: str) -> None:
    """What a change names for the first time, and what is not stricter for it."""
    candidate.changes = tuple(
        replace(each, verdict=Strictness.INCOMPARABLE, note=note)
        if each.path.endswith(f"/{field}") and each.verdict is Strictness.STRICTER
        else each
        for each in candidate.changes
    )


def check(entry: ManifestEntry, policy: Policy, problems: Problems) -> None:
    """A release names something to judge, and its policy has the block to judge it by."""
    release = entry.release
    if not (release.data or release.outputs or release.queries):
        problems.add(entry.mark(""), "nothing to judge", "data, outputs or queries", "empty")
    if release.queries and not (release.data or release.original):
        problems.add(entry.mark("queries"), "query logs without their table", "original, or data", "empty")
    if release.queries and policy.queries is None:
        problems.add(entry.mark("queries"), "the policy has no block queries", "queries: in the policy", "empty")
    if release.outputs and not policy.outputs:
        problems.add(entry.mark("outputs"), "the policy has no block outputs", "outputs: in the policy", "empty")
    if release.data and not (policy.requirements or release.outputs or release.queries):
        right = "requirements: in the policy"
        problems.add(entry.mark("data"), "the policy says nothing of a dataset", right, "empty")
