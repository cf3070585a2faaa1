"""Questions about patterns: all that an attacker with bounded knowledge may know of a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditor.audit._questions import Question, under
from auditor.classes import BoolArray, ClassTable, Domain, KeyArray, KeyLayout, distinct, numbered
from auditor.engines import Counted
from auditor.errors import InternalError, NotEvaluated
from auditor.models import GroupedRequirement, Knowledge, PersonEvents, PersonValues, Profiles
from auditor.result import PatternCounts


@dataclass(frozen=True)
class ExposingPatterns:
    """Patterns of one combination of columns that the requirement does not allow, by their keys."""

    layout: KeyLayout
    keys: KeyArray

    def hold(self, table: ClassTable) -> BoolArray:
        """bool[n]: which classes of all quasi-identifiers have one of the patterns."""
        if table.keys is None or table.layout is None:
            raise InternalError("an engine delivered classes without keys")
        if not self.layout.columns:
            return np.ones(len(table), dtype=np.bool_)
        packed = self.layout.pack([table.layout.codes(table.keys, column) for column in self.layout.columns])
        return _among(packed, self.keys)


@dataclass
class PatternQuestion(Question):
    """A requirement on patterns, each of which it judges as a class, with the persons whom some of them expose.

    Args:
        requirement: one with an attacker of bounded knowledge.
        knowledge: what the attacker knows.
        every: whether patterns of fewer columns do not follow from the largest ones.
        most: how many patterns may be counted.
    """

    knowledge: Knowledge = field(kw_only=True)
    every: bool = field(kw_only=True)
    most: int = field(kw_only=True)
    _total: int = field(default=0, init=False)
    _below: int = field(default=0, init=False)
    _unique: int = field(default=0, init=False)

    def count(self, counted: Counted, unit: str | None) -> None:
        """Count the patterns, and then whom those expose that are not allowed.

        Raises:
            NotEvaluated: there are more patterns than may be counted, or no persons who could have several records.
        """
        if self.knowledge.events is not None:
            self._count_events(counted, unit, self.knowledge.events)
        else:
            self._count_columns(counted, unit)

    def _count_columns(self, counted: Counted, unit: str | None) -> None:
        self._refuse(self.knowledge.many(len(self.grouping), every=self.every))
        exposing: list[ExposingPatterns] = []
        for columns in self.knowledge.combinations(self.grouping, every=self.every):
            for table in counted.tables(columns, self._read, unit):
                wrong = self._taken_in(table)
                self._refuse(self._total)
                if table.keys is None or table.layout is None:
                    raise InternalError("an engine delivered patterns without keys")
                if wrong.any():
                    layout = KeyLayout(table.columns, table.layout.places[: len(table.columns)])
                    exposing.append(ExposingPatterns(layout, table.keys[wrong]))
        self._conclude(counted, unit, *self._exposed(counted, unit, exposing))

    def _count_events(self, counted: Counted, unit: str | None, most: int) -> None:
        if unit is None:
            raise NotEvaluated("events are the records of a person, and the policy names no unit; as in unit: pid")
        if counted.has_missing(unit) and (most > 1 or self.sensitive is not None):
            raise NotEvaluated(
                f"column {unit!r} has missing values: rows without a unit may be of several persons, none of whom has "
                "the records of all; complete the column, or leave these rows out"
            )
        people = _events(counted, self.grouping, unit)
        self._refuse(people.many(most))
        exposed = np.zeros(counted.units(unit), dtype=np.bool_)
        values = None if self._read is None else _values(counted, *self._read, unit)
        for table in people.tables(most, values):
            exposed[table.persons(self._taken_in(table.classes))] = True
        records = 0
        for each in counted.tables((unit,)) if exposed.any() else ():
            if each.keys is None or each.layout is None:
                raise InternalError("an engine delivered units without keys")
            records += int(each.rows[exposed[each.layout.codes(each.keys, unit)]].sum())
        self._conclude(counted, unit, records, int(exposed.sum()))

    @property
    def _read(self) -> tuple[str, Domain] | None:
        """The sensitive attribute that the model reads."""
        return None if self.sensitive is None or self.domain is None else (self.sensitive, self.domain)

    def _conclude(self, counted: Counted, unit: str | None, records: int, people: int) -> None:
        if self.summary is not None:
            self.summary.records_violating = records
        self.numerator, self.among = people, counted.units(unit) if unit else counted.records
        self.patterns = PatternCounts(total=self._total, below=self._below, unique=self._unique, exposed=people)

    def _refuse(self, patterns: int) -> None:
        if patterns > self.most:
            # all digits of a sum of binomials tell how many records the person with the most of them has
            rounded = patterns - patterns % 10 ** (len(str(patterns)) - 1)
            raise NotEvaluated(
                f"an attacker who knows {self.knowledge} has more than {max(rounded, self.most):,} patterns, and "
                f"{self.most:,} may be counted; let the attacker know less with knows: {{…: …}}, or allow more with "
                "limits: {patterns: …}"
            )

    def _taken_in(self, table: ClassTable) -> BoolArray:
        """bool[n]: which patterns of a table the requirement does not allow; all are counted."""
        profiles = Profiles.of(table)
        self.read(table, profiles)
        classes = profiles.classes if self.domain is None else under(profiles.classes, self.domain)
        if not isinstance(self.requirement, GroupedRequirement):
            raise InternalError(f"{self.requirement.name} was asked about patterns")
        wrong = self.requirement.exposes(classes)[profiles.of_class]
        self._total += len(table)
        self._below += int(wrong.sum())
        self._unique += int((table.sizes == 1).sum())
        return wrong

    def _exposed(self, counted: Counted, unit: str | None, exposing: list[ExposingPatterns]) -> tuple[int, int]:
        """How many records, and how many persons (records where there is no unit), have one of the patterns."""
        if not exposing:
            return 0, 0
        records, people = 0, np.zeros(counted.units(unit) + 1 if unit else 0, dtype=np.bool_)
        for table in counted.tables(self.grouping, unit=unit):
            held = np.zeros(len(table), dtype=np.bool_)
            for patterns in exposing:
                held |= patterns.hold(table)
            records += int(table.rows[held].sum())
            if table.units is not None:
                people[table.units[np.repeat(held, table.sizes)]] = True
        return records, int(people.sum()) if unit else records


def _events(counted: Counted, grouping: Sequence[str], unit: str) -> PersonEvents:
    """The distinct records of each person, told by the classes that they are in."""
    persons, events, before = [], [], 0
    many = max(counted.combinations, counted.units(unit))
    small: Any = np.int32 if many <= np.iinfo(np.int32).max else np.int64
    for table in counted.tables(grouping, unit=unit):
        if table.units is None:
            raise InternalError("an engine delivered classes without their units")
        persons.append(table.units.astype(small))
        events.append(np.repeat(np.arange(before, before + len(table), dtype=small), table.sizes))
        before += len(table)
    return PersonEvents.of(np.concatenate(persons), np.concatenate(events))


def _values(counted: Counted, sensitive: str, domain: Domain, unit: str) -> PersonValues:
    """The sensitive values of each person."""
    persons, values = [], []
    for table in counted.tables((sensitive,), unit=unit):
        if table.units is None or table.keys is None or table.layout is None:
            raise InternalError("an engine delivered classes without keys or units")
        persons.append(table.units)
        values.append(np.repeat(table.layout.codes(table.keys, sensitive), table.sizes))
    person, value = np.concatenate(persons), np.concatenate(values)
    order = np.argsort(person, kind="stable")
    return PersonValues(person[order], value[order], domain)


def _among(keys: KeyArray, wanted: KeyArray) -> BoolArray:
    """bool[n]: which keys are wanted."""
    words = (distinct(np.concatenate(both))[1] for both in zip(keys.T, wanted.T, strict=True))
    number = numbered(words, len(keys) + len(wanted))
    found = np.zeros(int(number.max(initial=0)) + 1, dtype=np.bool_)
    found[number[len(keys) :]] = True
    return found[number[: len(keys)]]
