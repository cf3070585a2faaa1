"""Judging one release: its data, its query logs and its outputs, under the head's policy and under the base's.

A case is all that a worker process needs; nothing in it is read again from a policy file, so that what was compared is
what judges.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from pathlib import Path

from auditor.audit import EarlierRelease, judged
from auditor.dialect import CsvDialect
from auditor.engines import DatabaseTable, Files, RunLimits, combined, open_data
from auditor.errors import DataError, NotEvaluated, OutOfMemory, OutOfTime, PolicyError
from auditor.gate._floor import Floor
from auditor.gate._judgement import Held, JudgedCase, Judgement
from auditor.gate._ledger import LedgerState
from auditor.gate._places import DataPlace
from auditor.gate._seal import Seal, seal
from auditor.outputs import Audited, Published, audited
from auditor.policy import Policy
from auditor.policy.floor import laid
from auditor.policy.reading import destination
from auditor.queries import Statement, audit_queries
from auditor.queries.logs import read_log
from auditor.result import Result, verdict_of
from auditor.result.comparison import Difference
from auditor.result.gate import GateFile


@dataclass(frozen=True)
class CaseBounds:
    """What one release may use, the day that it is judged on, and whether its worst classes are named.

    `ends` is when the time of the whole run is up, in seconds since the epoch: clocks of processes differ.
    """

    memory: int
    ends: float | None
    as_of: date
    expose: bool
    spill: Path | None = None

    @property
    def time_limit(self) -> float | None:
        """The seconds that are left."""
        if self.ends is None:
            return None
        left = self.ends - time.time()
        if left <= 0:
            raise OutOfTime("the time limit of the run was reached before this release was judged")
        return left


@dataclass(frozen=True)
class EarlierPlaces:
    """Where an earlier release is, and the table that it was made from."""

    release: DataPlace
    original: DataPlace | None


@dataclass(frozen=True, kw_only=True)
class GateCase:
    """One release to judge.

    `base` is the base revision's policy where it is another one; `before` is the release as the base revision's
    manifest has it, under that policy, where the manifest says other things of how it is read; `reread` are the files
    where they are now, read as the base revision's manifest says.
    """

    name: str
    policy: Policy
    base: Policy | None
    top: Path
    data: DataPlace | None
    original: DataPlace | None
    previous: tuple[EarlierPlaces, ...] | None
    outputs: tuple[DataPlace, ...]
    queries: tuple[DataPlace, ...]
    csv: CsvDialect
    not_released: tuple[str, ...]
    dialect: str
    expected: str | Mapping[str, str]
    folder: Path
    kept: LedgerState | None
    bounds: CaseBounds
    before: GateCase | None = None
    reread: GateCase | None = None
    floors: tuple[Floor, ...] = ()


def judge(case: GateCase) -> JudgedCase:
    """Judge one release, whatever can be judged of it."""
    before, reread = (None if each is None else judge(each).head for each in (case.before, case.reread))
    try:
        material = Material(case)
    except NotEvaluated as reason:
        return JudgedCase(Judgement(missing=[str(reason)]), None, (), before=before, reread=reread)
    head = _under(case.policy, case, material)
    base = None if case.base is None else _under(case.base, case, material)
    if base is not None and base.cut_short is not None:
        # The change could make the judging long, and the base revision's verdict would be lost without a word.
        head.missing.append(f"by the base revision's policy it could not be judged: {base.cut_short}")
    floors = tuple(_held(floor, case, material) for floor in case.floors)
    with noting(head):
        head.notes += _told(case, material)
        material.check(head)
    return JudgedCase(
        head,
        base,
        material.files(),
        material.table,
        tuple(material.roles),
        before,
        floors,
        reread,
        material.by_role,
    )


@contextmanager
def noting(judgement: Judgement) -> Iterator[None]:
    """What cannot be evaluated is noted, and is no reason not to evaluate the rest."""
    try:
        yield
    except NotEvaluated as reason:
        judgement.missing.append(str(reason))
        if isinstance(reason, OutOfTime | OutOfMemory):
            judgement.cut_short = str(reason)


class Material:
    """The files of a release: found, confined, hashed."""

    def __init__(self, case: GateCase) -> None:
        self.case = case
        self.data = self._located(case.data)
        self.original = self._located(case.original)
        self.previous = [(each.release.located(), self._located(each.original)) for each in case.previous or ()]
        self.outputs = [path for place in case.outputs for path in place.files()]
        self.queries = [path for place in case.queries for path in place.files()]
        population = case.policy.population_file
        self.by_role: dict[str, Sequence[Path]] = {
            "data": _paths(self.data),
            "original": _paths(self.original),
            "previous": [path for release, _ in self.previous for path in _paths(release)],
            "previous_original": [path for _, original in self.previous for path in _paths(original)],
            "outputs": self.outputs,
            "queries": self.queries,
            "hierarchy": [file for file in case.policy.referenced_files if file != population],
            "population": [] if population is None else [population],
        }
        self._places = self._written()
        self.roles: dict[Path, str] = {}
        for role, paths in self.by_role.items():
            self.roles |= {path: role for path in paths if path not in self.roles}
        self.sealed: Seal = seal(list(self.roles), case.name)

    def _written(self) -> dict[str, set[Path]]:
        """What the manifest writes of each role; a file that is none of it lies in a folder, or matches a pattern."""
        case = self.case
        earlier = case.previous or ()
        single = {"data": case.data, "original": case.original}
        many = {
            "outputs": case.outputs,
            "queries": case.queries,
            "previous": tuple(each.release for each in earlier),
            "previous_original": tuple(each.original for each in earlier if each.original is not None),
        }
        places = {role: () if place is None else (place,) for role, place in single.items()} | many
        opened = (self.data, self.original, *(found for pair in self.previous for found in pair))
        databases = [found for found in opened if isinstance(found, DatabaseTable)]
        of_databases = {path for found in databases for path in _paths(found)}
        return {role: {Path(each.address) for each in found} | of_databases for role, found in places.items()}

    @staticmethod
    def _located(place: DataPlace | None) -> Files | DatabaseTable | None:
        return None if place is None else place.located()

    def check(self, head: Judgement) -> None:
        """`DataError` where a file changed meanwhile, or is not the one that the manifest expects."""
        self.sealed.check(self.case.name)
        told = {d.data.sha256 for d in head.documents if d.command == "check" and d.data is not None} - {None}
        if told - {self._of_data}:
            raise DataError("the data changed while it was judged, so it is not known what was judged")
        if {output.sha256 for output in head.published} - {self.sealed.digests[path] for path in self.outputs}:
            raise DataError("an output changed while it was judged, so it is not known what was judged")
        if isinstance(self.case.expected, str):
            if self.case.expected != self._of_data:
                raise DataError("the data has another SHA-256 than the manifest expects")
            return
        known = {path.resolve(): digest for path, digest in self.sealed.digests.items()}
        for name, digest in self.case.expected.items():
            if known.get(destination(self.case.folder / name)) != digest:
                raise DataError(f"{name}: its SHA-256 is not the one in the manifest, or it is no file of the release")

    @property
    def _of_data(self) -> str | None:
        """The hash of the data's files together; None for a database."""
        return self._combined(self.data.paths) if isinstance(self.data, Files) else None

    def _combined(self, paths: tuple[Path, ...]) -> str | None:
        """The hash of some files together; None without any."""
        return combined({path: self.sealed.digests[path] for path in paths}) if paths else None

    @property
    def table(self) -> str | None:
        """What stands for the table that outputs are counted in: its bytes; of a database server, where it is."""
        found = self.original or self.data
        if not isinstance(found, DatabaseTable):
            return None if found is None else self._combined(found.paths)
        told = (self._combined(_paths(found)) or found.place, found.table, found.query)
        return sha256(repr(told).encode()).hexdigest()

    def files(self) -> tuple[GateFile, ...]:
        """Every file with its hash."""
        return tuple(
            GateFile(
                role=role,
                name=self._named(path),
                sha256=self.sealed.digests[path],
                guessable=self.sealed.guessable[path],
                found=role in self._places and path not in self._places[role],
            )
            for path, role in self.roles.items()
        )

    def _named(self, path: Path) -> str:
        final = path.resolve()
        return final.relative_to(self.case.top).as_posix() if final.is_relative_to(self.case.top) else path.name


def _paths(found: Files | DatabaseTable | None) -> tuple[Path, ...]:
    """The files behind data; a database file is one too."""
    if isinstance(found, Files):
        return found.paths
    return (Path(found.address),) if found is not None and found.format in ("duckdb", "sqlite") else ()


def _under(policy: Policy, case: GateCase, material: Material) -> Judgement:
    """The release under one policy."""
    found = Judgement()
    parts: list[tuple[bool, Callable[[], Result]]] = [
        (material.data is not None and bool(policy.requirements), lambda: _data(policy, case, material)),
        (bool(material.queries) and policy.queries is not None, lambda: _queries(policy, case, material)),
        (bool(material.outputs) and bool(policy.outputs), lambda: _outputs(policy, case, material, found.published)),
    ]
    for asked, part in parts:
        if asked:
            with noting(found):
                found.documents.append(part())
    return found


def _held(floor: Floor, case: GateCase, material: Material) -> Held:
    """The release beside a floor: its data by the columns that it has, the rest by those of the table it is about."""
    parts = [
        (material.data, () if material.data is None else ("requirements",)),
        (
            material.original or material.data,
            (*_asked("queries", material.queries), *_asked("outputs", material.outputs)),
        ),
    ]
    # What the manifest leaves out of a release is held to the floor as what its policy leaves out is.
    left_out = (*case.policy.not_released, *case.not_released)
    whole, held = case.policy.model_copy(update={"not_released": left_out}), replace(case, not_released=())
    readings: list[tuple[Policy, Judgement]] = []
    below: dict[str, Difference] = {}
    try:
        for table, blocks in parts:
            if not blocks:
                continue
            columns = _columns(table, case) if table is not None else list(case.policy.attributes)
            found = laid(floor.policy, whole, columns, blocks, release=case.name, day=case.bounds.as_of)
            below |= {each.path: each for each in found.below}
            under = ((policy, spoken_of(policy, _under(policy, held, material))) for policy in found.readings)
            readings += [(policy, each) for policy, each in under if each.documents or each.missing]
    except (NotEvaluated, PolicyError) as reason:
        return Held(floor, tuple(readings), tuple(below.values()), str(reason).splitlines()[0])
    return Held(floor, tuple(readings), tuple(below.values()))


def _asked(block: str, files: Sequence[Path]) -> tuple[str, ...]:
    return (block,) if files else ()


def _columns(table: Files | DatabaseTable, case: GateCase) -> list[str]:
    with open_data(table, limits=_limits(case), csv=case.csv) as source:
        return [column.name for column in source.columns]


def spoken_of(floor: Policy, found: Judgement) -> Judgement:
    """What was found, without outputs of which the floor says nothing: those are the release's business."""
    kinds = {rule.type for rule in floor.outputs}
    silent = {f"outputs-{each.type}" for each in found.published if each.type not in kinds}
    documents = []
    for each in found.documents:
        kept = tuple(r for r in each.requirements if r.model != "undeclared" or r.id not in silent)
        if kept:
            documents.append(replace(each, requirements=kept, verdict=verdict_of(kept)))
    return replace(found, documents=documents)


def _told(case: GateCase, material: Material) -> tuple[str, ...]:
    """What is to be said of a database file that is released: what it holds besides, and nobody judges."""
    if not isinstance(material.data, DatabaseTable) or not material.data.released:
        return ()
    with open_data(material.data, limits=_limits(case), csv=case.csv) as source:
        return source.facts.notes


def _limits(case: GateCase) -> RunLimits:
    """What judging may use; under one policy nothing is spilled that another forbids to."""
    limits = RunLimits.of(case.bounds.memory, case.bounds.time_limit, case.bounds.spill, case.policy.spill)
    for policy in (*([] if case.base is None else [case.base]), *(floor.policy for floor in case.floors)):
        limits = limits.spilling(policy.spill)
    return limits


def _data(policy: Policy, case: GateCase, material: Material) -> Result:
    return judged(
        material.data,
        policy,
        _limits(case),
        original=material.original,
        csv=case.csv,
        original_csv=case.csv,
        as_of=case.bounds.as_of,
        expose=case.bounds.expose,
        release=case.name,
        not_released=case.not_released,
        previous=None if case.previous is None else [EarlierRelease(*each) for each in material.previous],
    )


def _queries(policy: Policy, case: GateCase, material: Material) -> Result:
    """All logs together: what their answers disclose, they disclose together."""
    table = material.original or material.data
    assert table is not None  # noqa: S101  (a manifest with query logs and no table is refused)
    return audit_queries(
        _statements(material.queries),
        policy,
        table,
        dialect=case.dialect,
        as_of=case.bounds.as_of,
        memory=case.bounds.memory,
        spill=_limits(case).spill,
        time_limit=case.bounds.time_limit,
        release=case.name,
        csv=case.csv,
    )


def _statements(logs: list[Path]) -> Path | list[Statement]:
    if len(logs) == 1:
        return logs[0]
    # Whatever turns a log over begins the next one without a byte.
    heard = [statement for log in logs if log.stat().st_size for statement in read_log(log)]
    if all(statement.time is not None for statement in heard):
        heard.sort(key=lambda statement: str(statement.time))
    return [replace(statement, number=number) for number, statement in enumerate(heard, start=1)]


def _outputs(policy: Policy, case: GateCase, material: Material, published: list[Published]) -> Result:
    """All outputs together: small numbers appear where two of them meet. Adds to `published` what was judged."""
    found = audited_outputs(policy, case, material, material.outputs)
    published += found.published
    return found.result


def audited_outputs(
    policy: Policy,
    case: GateCase,
    material: Material,
    outputs: Sequence[Path | Published],
    beside: tuple[Published, ...] = (),
) -> Audited:
    """The outputs of a release under one policy, together with what the ledger holds and what is released beside."""
    return audited(
        outputs,
        policy,
        material.original or material.data,
        limits=_limits(case),
        day=case.bounds.as_of,
        known=None if case.kept is None else case.kept.known(),
        beside=beside,
        release=case.name,
        csv=case.csv,
    )
