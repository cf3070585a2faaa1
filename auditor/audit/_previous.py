"""A release beside an earlier one: what follows for the people by whom the two differ.

Whoever holds both can subtract. A class that is larger by one member than it was tells of that member whatever else the
newer release tells of the class; so every class, counted in both, differs by 0 or by at least k. Where people can be
told apart by a unit that both releases have, the newcomers in a class, and those who left it, are 0 or at least k too.

Classes are compared as they are released and, where values stand on several levels of their hierarchy, also rolled up
to the coarsest of these levels: a class of the one release may be the sum of several of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from auditor.audit._release_table import EarlierRelease
from auditor.dialect import CsvDialect
from auditor.engines import Coded, ColumnUse, RunLimits, Source, open_data
from auditor.errors import AuditorError, NotEvaluated
from auditor.hierarchies import STAR, build, ladder_spec
from auditor.judge import Evidence, decided, findings
from auditor.policy import Attribute, Policy, bind
from auditor.policy.facts import least_class_size
from auditor.result import Finding, Kind, RequirementResult, Result, Status, verdict_of

ID, MODEL = "previous", "previous-release"
MESSAGE = "Some classes differ from the previous release by fewer members than the policy demands."

IntArray = NDArray[np.int64]
Judged = TypeVar("Judged", bound=Result)


def beside_previous(
    result: Judged,
    data: object,
    previous: Sequence[EarlierRelease],
    policy: Policy,
    *,
    limits: RunLimits,
    csv: CsvDialect | None = None,
) -> Judged:
    """The result with what the release tells beside each of the earlier ones, as requirements of their own."""
    compared = []
    for number, earlier in enumerate(previous, start=1):
        name = ID if number == 1 else f"{ID}-{number}"
        try:
            found = compare_with_previous(data, earlier.release, policy, limits, csv)
        except NotEvaluated as reason:
            found = not_compared(str(reason))
        compared.append(replace(found, id=name))
    requirements = (*result.requirements, *compared)
    told = [*result.findings, *(each for found in compared for each in finding_of(found))]
    return replace(result, requirements=requirements, findings=tuple(told), verdict=verdict_of(requirements))


def compare_with_previous(
    data: object, previous: object, policy: Policy, limits: RunLimits, csv: CsvDialect | None = None
) -> RequirementResult:
    """Compare a release with an earlier one of the same data.

    Args:
        data: the release.
        previous: the earlier one.
        policy: the policy of both; the largest class size that it demands is k.
        limits: memory and time.
        csv: how CSV files are written; what it leaves open is found in them.

    Returns:
        A requirement of its own, ``previous``. `achieved` is the smallest number of people, but 0, by which a class
        differs; None where none does. `classes_violating` are those that differ by fewer than k, `records_violating`
        is how many people those are in all.

    Raises:
        NotEvaluated: the policy demands no class size, or the two have no quasi-identifier in common.
    """
    k = least_class_size(policy)
    if k is None:
        raise NotEvaluated("the policy demands no class size, so a release cannot be compared with its previous one")
    limits, csv = limits.spilling(policy.spill), policy.dialect(csv)
    with open_data(data, limits=limits, csv=csv) as new, open_data(previous, limits=limits, csv=csv) as old:
        sides = _Sides.of(policy, old, new)
        found = np.concatenate([_smallest(view) for view in sides.views()])
    differing = found[found > 0]
    wrong = differing[differing < k]
    result = RequirementResult(
        id=ID,
        model=MODEL,
        parameters={"k": k},
        severity="error",
        status=Status.NOT_EVALUATED,
        achieved=int(differing.min()) if len(differing) else None,
        kind=Kind.COUNT.value,
        bound=k,
        comparison=">=",
        classes_violating=len(wrong),
        records_violating=int(wrong.sum()),
        quasi_identifiers=sides.columns,
        because="whoever holds both releases can subtract them",
    )
    return decided(result, [Evidence(broken=len(wrong) > 0)])


def not_compared(reason: str) -> RequirementResult:
    """The requirement where it could not be judged, and why; never a pass."""
    result = RequirementResult(id=ID, model=MODEL, parameters={}, severity="error", status=Status.NOT_EVALUATED)
    return decided(result, [Evidence(broken=False, open=reason)])


def finding_of(result: RequirementResult) -> tuple[Finding, ...]:
    """What the reader should act on."""
    return tuple(findings([result], lambda _: MESSAGE))


@dataclass(frozen=True)
class _View:
    """Each row's class in either release, numbered alike, and its unit (each row its own where there is none)."""

    classes: tuple[IntArray, IntArray]
    units: tuple[IntArray, IntArray] | None


@dataclass(frozen=True)
class _Sides:
    """Both releases, row by row, on the quasi-identifiers that both have."""

    columns: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    old: Coded
    new: Coded
    has_unit: bool

    @classmethod
    def of(cls, policy: Policy, old: Source, new: Source) -> _Sides:
        """Read both; `NotEvaluated` where they have no quasi-identifier in common."""
        earlier = {column.name for column in old.columns}
        binding = bind(policy, [column.name for column in new.columns])
        columns = tuple(name for name in binding.quasi_identifiers if name in earlier)
        if not columns:
            raise NotEvaluated("the release and its previous one have no quasi-identifier in common")
        attributes = tuple(binding.roles[name] for name in columns)
        unit = policy.unit.column if policy.unit else None
        has_unit = unit is not None and unit in earlier and binding.unit is not None
        uses = [ColumnUse(name, a.missing) for name, a in zip(columns, attributes, strict=True)]
        uses += [ColumnUse(str(unit))] if has_unit else []
        return cls(columns, attributes, old.coded(uses), new.coded(uses), has_unit)

    def views(self) -> Iterator[_View]:
        """The classes as they are released, and rolled up where their values stand on several levels."""
        units = self._units()
        yield _View(self._classes([None] * len(self.columns)), units)
        ladders = [self._rolled(place) for place in range(len(self.columns))]
        if any(ladder is not None for ladder in ladders):
            yield _View(self._classes(ladders), units)

    def _values(self, place: int) -> list[str | None]:
        """The distinct values of a column in both releases."""
        return list(dict.fromkeys((*self.old.dictionaries[place], *self.new.dictionaries[place])))

    def _rolled(self, place: int) -> dict[str | None, str | None] | None:
        """Each value of a column on the coarsest level that one stands on; None where all stand on one."""
        hierarchy, values = self.attributes[place].hierarchy, self._values(place)
        plain = [value for value in values if value is not None and value != STAR]
        if hierarchy is None or not plain:
            return None
        try:
            ladder = build(ladder_spec(hierarchy), tuple(plain))
        except AuditorError:
            return None
        levels = {ladder.level_of(value) or 0 for value in plain}
        if len(levels) == 1:
            return None
        return dict(zip(plain, ladder.levels[max(levels)], strict=True))

    def _classes(self, ladders: Sequence[dict[str | None, str | None] | None]) -> tuple[IntArray, IntArray]:
        lengths = len(self.old.codes), len(self.new.codes)
        key = np.zeros(sum(lengths), dtype=np.int64)
        for place, ladder in enumerate(ladders):
            column = np.concatenate(self._column(place, ladder))
            key = np.unique(key * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1].astype(np.int64)
        return key[: lengths[0]], key[lengths[0] :]

    def _column(self, place: int, ladder: dict[str | None, str | None] | None) -> tuple[IntArray, IntArray]:
        """The values of a column in both releases, as numbers that mean the same in both."""
        numbers: dict[str | None, int] = {}
        found = []
        for side in (self.old, self.new):
            labels = [value if ladder is None else ladder.get(value, value) for value in side.dictionaries[place]]
            table = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
            found.append(table[side.codes[:, place]] if len(table) else np.zeros(0, dtype=np.int64))
        return found[0], found[1]

    def _units(self) -> tuple[IntArray, IntArray] | None:
        return self._column(len(self.columns), None) if self.has_unit else None


def _smallest(view: _View) -> IntArray:
    """int64[n]: for each class by how many people it differs: the smallest number but 0 of those that count."""
    classes = 1 + max((int(side.max(initial=-1)) for side in view.classes), default=-1)
    if view.units is None:
        old, new = (np.bincount(side, minlength=classes) for side in view.classes)
        differing: IntArray = np.abs(new - old).astype(np.int64)
        return differing
    people = [_pairs(side, units) for side, units in zip(view.classes, view.units, strict=True)]
    old, new = (np.bincount(side[:, 0], minlength=classes) for side in people)
    came = _counted(people[1], ~np.isin(people[1][:, 1], people[0][:, 1]), classes)
    left = _counted(people[0], ~np.isin(people[0][:, 1], people[1][:, 1]), classes)
    numbers = np.stack([np.abs(new - old), came, left])
    largest = np.iinfo(np.int64).max
    smallest: IntArray = np.where(numbers > 0, numbers, largest).min(axis=0).astype(np.int64)
    smallest[smallest == largest] = 0
    return smallest


def _pairs(classes: IntArray, units: IntArray) -> IntArray:
    """int64[m, 2]: each person of each class once."""
    found: IntArray = np.unique(np.stack([classes, units], axis=1), axis=0)
    return found


def _counted(people: IntArray, wanted: NDArray[np.bool_], classes: int) -> IntArray:
    return np.bincount(people[wanted, 0], minlength=classes).astype(np.int64)
