"""A release of a sequence, in arrays: its classes, and which people are in which of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.audit._labels import Cover, Label, is_all
from auditor.audit._linked import NOWHERE, linked
from auditor.classes import IntArray, numbered
from auditor.engines import Coded, ColumnUse, RowKeys, Source
from auditor.errors import NotEvaluated
from auditor.files import shown_name
from auditor.models import ReleasedClasses
from auditor.policy import Attribute, Binding, Policy, bind
from auditor.values import number_of, spelling

MISSING = -1
_UNKNOWN = Attribute(role="insensitive")


class EarlierRelease(NamedTuple):
    """An earlier release, and the table that it was made from, where people are to be followed by that."""

    release: Any
    original: Any = None

    @classmethod
    def of(cls, given: Any) -> EarlierRelease:
        """A release as given, or a pair of it and its original."""
        return cls(*given) if isinstance(given, tuple) else cls(given)


@dataclass(frozen=True)
class HeldPeople:
    """The people of a release, a record each: what tells them apart, their classes, their sensitive values."""

    keys: RowKeys
    classes: NDArray[np.int32]
    values: Mapping[str, NDArray[np.int32]]

    @classmethod
    def of(cls, keys: RowKeys, classes: IntArray, values: Mapping[str, IntArray]) -> HeldPeople:
        """The same in half the memory."""
        return cls(keys, classes.astype(np.int32), {name: each.astype(np.int32) for name, each in values.items()})


@dataclass(frozen=True)
class ReleaseRows:
    """The records of a release: the class of each, and by sensitive attribute its value.

    Values are numbered alike in all releases; −1 is a missing or suppressed one.
    """

    classes: IntArray
    values: Mapping[str, IntArray]

    def cells(self, sensitive: str) -> IntArray:
        """int64[m, 2]: each class with each of its values, once."""
        values = self.values[sensitive]
        known = values != MISSING
        width = int(values.max(initial=0)) + 1
        found = np.flatnonzero(np.bincount(self.classes[known] * width + values[known]))
        return np.stack([found // width, found % width], axis=1)


@dataclass(frozen=True)
class ReleaseTable:
    """A release in arrays.

    Args:
        name: what messages call it.
        columns: the quasi-identifiers.
        records: int64[c], the size of each class.
        keys: int64[c, d], the labels of each class, by their places in `labels`.
        labels: the labels of each column.
        attributes: what the policy says of each column.
        counterfeits: int64[c], how many records of each class are of nobody.
        cells: by sensitive attribute int64[m, 2], as `ReleasedClasses` has them.
        people: who is in it; None where that is not told.
        untold: why it is not.
    """

    name: str
    columns: tuple[str, ...]
    records: IntArray
    keys: IntArray
    labels: tuple[tuple[Label, ...], ...]
    attributes: tuple[Attribute, ...]
    counterfeits: IntArray
    cells: Mapping[str, IntArray]
    people: HeldPeople | None = None
    untold: str = ""

    def released(self, sensitive: str | None) -> ReleasedClasses:
        """Its classes with the values of a sensitive attribute, or of none.

        Raises:
            NotEvaluated: it has no such column.
        """
        if sensitive is None:
            return ReleasedClasses(self.records, self.counterfeits, np.zeros((0, 2), dtype=np.int64))
        if sensitive not in self.cells:
            raise NotEvaluated(f"{self.name}: has no column {sensitive!r}")
        return ReleasedClasses(self.records, self.counterfeits, self.cells[sensitive])


@dataclass(frozen=True)
class TableReader:
    """Reads the releases of a sequence, all in one way.

    Args:
        policy: the policy.
        requirement: the id of a requirement, which says by which columns releases are grouped.
        sensitive: the attributes whose values are read.
        counterfeits: the column of counterfeits; None where there are none.
    """

    policy: Policy
    requirement: str
    sensitive: tuple[str, ...]
    counterfeits: str | None
    meanings: dict[str, dict[object, int]] = field(default_factory=dict)

    def read(self, source: Source, original: Source | None) -> ReleaseTable:
        """One release.

        Raises:
            NotEvaluated: a column is not there, or what is there does not fit together; says in which file.
        """
        name = shown_name(source.facts.name)
        there = [column.name for column in source.columns]
        binding = bind(self.policy, there)
        bound = next((each for each in binding.requirements if each.requirement.id == self.requirement), None)
        if bound is None or bound.reason is not None:
            raise NotEvaluated(f"{name}: {bound.reason if bound is not None else 'is not what the policy is about'}")
        columns = bound.quasi_identifiers
        if not columns:
            raise NotEvaluated(f"{name}: no column is a quasi-identifier, so there are no classes")
        sensitive = tuple(each for each in self.sensitive if each in there)
        counting = (self.counterfeits,) if self.counterfeits in there and self.counterfeits is not None else ()
        coded = _coded(source, binding, (*columns, *sensitive, *counting))
        width = len(columns)
        if not len(coded.codes):
            raise NotEvaluated(f"{name}: has no records")
        classes = numbered(coded.codes[:, :width].T, len(coded.codes))
        _, first = np.unique(classes, return_index=True)
        rows = ReleaseRows(classes, {each: self._values(each, coded, width + i) for i, each in enumerate(sensitive)})
        table = ReleaseTable(
            name=name,
            columns=columns,
            records=np.bincount(classes),
            keys=coded.codes[first, :width].astype(np.int64),
            labels=coded.dictionaries[:width],
            attributes=tuple(binding.roles[each] for each in columns),
            counterfeits=np.zeros(len(first), dtype=np.int64),
            cells={each: rows.cells(each) for each in sensitive},
        )
        if counting:
            table = replace(
                table, counterfeits=_counterfeits(table, classes, coded.codes[:, -1], coded.dictionaries[-1])
            )
        found = self._people((table, rows), (source, binding), original)
        return replace(table, untold=found) if isinstance(found, str) else replace(table, people=found)

    def _people(
        self, read: tuple[ReleaseTable, ReleaseRows], released: tuple[Source, Binding], original: Source | None
    ) -> HeldPeople | str:
        """Whoever is in a release; or why that is not told."""
        table, rows = read
        if self.policy.unit is None:
            return "the policy does not say which column names a person (unit: {column: person, rows: one-per-unit})"
        unit = self.policy.unit.column
        own = _keys(*released, unit)
        if original is not None:
            return self._made_from(read, own, original, unit)
        if own is None:
            return f"{table.name}: has no column {unit!r} to follow people by; name the table that it was made from"
        if table.counterfeits.any():
            return f"{table.name}: which of its records are counterfeits is told by the table that it was made from"
        return HeldPeople.of(own, rows.classes, rows.values)

    def _made_from(
        self, read: tuple[ReleaseTable, ReleaseRows], own: RowKeys | None, original: Source, unit: str
    ) -> HeldPeople | str:
        """By the unit where the release has the original's, on records that may be those; else by the labels."""
        table, rows = read
        binding = bind(self.policy, [column.name for column in original.columns])
        keys, name = _keys(original, binding, unit), shown_name(original.facts.name)
        if keys is None:
            return f"{name}: has no column {unit!r} to follow people by"
        coded = _coded(original, binding, (*table.columns, *rows.values))
        codes = coded.codes[:, : len(table.columns)]
        covers = [
            Cover.of(labels, values, attribute)
            for labels, values, attribute in zip(table.labels, coded.dictionaries, table.attributes, strict=False)
        ]
        values = {each: self._values(each, coded, len(table.columns) + i) for i, each in enumerate(rows.values)}
        found = None if own is None else _by_unit(read, own, keys, (covers, codes))
        if found is None:
            found = _by_labels(table, name, covers, codes)
        held = np.flatnonzero(found != NOWHERE)
        people = HeldPeople.of(_of_rows(keys, held), found[held], {each: of[held] for each, of in values.items()})
        for each, numbers in people.values.items():
            if not _explained(rows, each, people.classes, numbers):
                raise NotEvaluated(f"{table.name}: column {each!r} does not have in each class the values of {name}")
        return people

    def _values(self, name: str, coded: Coded, place: int) -> IntArray:
        """int64[n]: the sensitive value of each record; texts that differ in spelling alone are one value."""
        known = self.meanings.setdefault(name, {})
        numbers = [
            MISSING if is_all(text) else known.setdefault(spelling(str(text)), len(known))
            for text in coded.dictionaries[place]
        ]
        return np.array(numbers, dtype=np.int64)[coded.codes[:, place]]


def _by_unit(
    read: tuple[ReleaseTable, ReleaseRows],
    own: RowKeys,
    keys: RowKeys,
    original: tuple[Sequence[Cover], NDArray[np.int32]],
) -> IntArray | None:
    """int64[n]: the class of each record of the original, by a unit that both have, or −1.

    None where the unit is not the original's: others than counterfeits are not in that, somebody has two records, or
    the labels of a record do not stand for the values of the person.
    """
    (table, rows), (covers, codes) = read, original
    order = np.argsort(keys.values[:, 0])
    place = np.searchsorted(keys.values[:, 0], own.values[:, 0], sorter=order)
    at = order[np.minimum(place, len(order) - 1)]
    known = (keys.values[at] == own.values).all(axis=1) & ~own.missing
    nobody = np.bincount(rows.classes[~known], minlength=len(table.keys))
    at, classes = at[known], rows.classes[known]
    if not np.array_equal(nobody, table.counterfeits) or (np.bincount(at, minlength=1) > 1).any():
        return None
    for column, cover in enumerate(covers):
        label = table.keys[classes, column]
        layer = cover.layers[label]
        if (layer < 0).any() or (cover.tables[layer, codes[at, column]] != label).any():
            return None
    found = np.full(len(codes), NOWHERE, dtype=np.int64)
    found[at] = classes
    return found


def _by_labels(table: ReleaseTable, name: str, covers: Sequence[Cover], codes: NDArray[np.int32]) -> IntArray:
    """int64[n]: the class of each record of the original, by what the labels of classes stand for, or −1.

    Raises:
        NotEvaluated: that is not told.
    """
    holding = np.flatnonzero(table.records > table.counterfeits)
    for place, column in enumerate(table.columns):
        if (covers[place].layers[table.keys[holding, place]] < 0).any():
            raise NotEvaluated(
                f"{table.name}: column {column!r} has values that are neither those of {name} nor above them in the "
                "policy's hierarchy, so the two have no common leaf; give the column the hierarchy that the release "
                "was made with, with the original's values as its leaves"
            )
    try:
        people = (table.records - table.counterfeits)[holding]
        found = linked(table.keys[holding], people, covers, codes)
    except NotEvaluated as reason:
        advice = f"is {name} the table that it was made from, and are counterfeits counted in a column?"
        raise NotEvaluated(f"{table.name}: {reason}; {advice}") from None
    classes: IntArray = np.where(found == NOWHERE, NOWHERE, holding[found])
    return classes


def _of_rows(keys: RowKeys, rows: NDArray[np.intp]) -> RowKeys:
    return RowKeys(keys.values[rows], keys.spellings[rows], keys.missing[rows])


def _coded(source: Source, binding: Binding, names: Sequence[str]) -> Coded:
    there = {column.name for column in source.columns}
    lacking = [name for name in names if name not in there]
    if lacking:
        raise NotEvaluated(
            f"{shown_name(source.facts.name)}: has no column {lacking[0]!r}, which a release from it has"
        )
    return source.coded([ColumnUse(name, binding.roles.get(name, _UNKNOWN).missing) for name in names])


def _keys(source: Source, binding: Binding, unit: str) -> RowKeys | None:
    if unit not in {column.name for column in source.columns}:
        return None
    return source.row_keys(ColumnUse(unit, binding.roles.get(unit, _UNKNOWN).missing))


def _counterfeits(
    table: ReleaseTable, classes: IntArray, codes: NDArray[np.int32], texts: Sequence[str | None]
) -> IntArray:
    """int64[c]: how many records of each class are counterfeits, as all of its records say.

    Raises:
        NotEvaluated: they do not say one number, from 0 to the size of the class.
    """
    numbers = [number_of(text) for text in texts]
    said = np.array([-1 if n is None or n.denominator != 1 or abs(n) > len(codes) else int(n) for n in numbers])[codes]
    _, first = np.unique(classes, return_index=True)
    found: IntArray = said[first].astype(np.int64)
    if (said != found[classes]).any() or (found < 0).any() or (found > table.records).any():
        raise NotEvaluated(
            f"{table.name}: its column of counterfeits must hold the same number in all records of a class, how many "
            "of these are of nobody: 0, or up to the size of the class"
        )
    return found


def _explained(rows: ReleaseRows, sensitive: str, classes: NDArray[np.int32], values: NDArray[np.int32]) -> bool:
    """Whether each class has the values of its people, and besides them none but its counterfeits'."""
    released = rows.values[sensitive]
    width = int(max(released.max(initial=0), values.max(initial=0))) + 2
    size = (int(rows.classes.max()) + 1) * width
    here = np.bincount(rows.classes * width + released + 1, minlength=size)
    there = np.bincount(classes.astype(np.int64) * width + values + 1, minlength=size)
    return bool((here >= there).all())
