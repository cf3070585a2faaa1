"""Questions about patterns: every combination of the columns that an attacker with bounded knowledge may know."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from auditor.audit._questions import Question, under
from auditor.classes import BoolArray, ClassTable, KeyArray, KeyLayout, distinct
from auditor.engines import Counted
from auditor.errors import NotEvaluated
from auditor.models import GroupedRequirement, Knowledge, Profiles
from auditor.result import Patterns


@dataclass(frozen=True)
class ExposingPatterns:
    """Patterns of one combination of columns that the requirement does not allow, by their keys."""

    layout: KeyLayout
    keys: KeyArray

    def hold(self, table: ClassTable) -> BoolArray:
        """bool[n]: which classes of all quasi-identifiers have one of the patterns."""
        if table.keys is None or table.layout is None:
            raise NotEvaluated("the engine delivered classes without keys")
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

    def count(self, counted: Counted, unit: str | None) -> None:
        """Count the patterns of each combination of columns, and then whom those expose that are not allowed.

        Raises:
            NotEvaluated: there are more patterns than may be counted.
        """
        self._refuse(self.knowledge.many(len(self.grouping), every=self.every))
        sensitive = None if self.sensitive is None or self.domain is None else (self.sensitive, self.domain)
        total = unique = 0
        exposing: list[ExposingPatterns] = []
        for columns in self.knowledge.combinations(self.grouping, every=self.every):
            for table in counted.tables(columns, sensitive, unit):
                total += len(table)
                unique += int((table.sizes == 1).sum())
                self._refuse(total)
                exposing += self._exposing(table)
        records, people = self._exposed(counted, unit, exposing)
        if self.summary is not None:
            self.summary.records_violating = records
        self.numerator, self.people = people, counted.units(unit) if unit else counted.records
        below = sum(len(each.keys) for each in exposing)
        self.patterns = Patterns(total=total, below=below, unique=unique, exposed=people)

    def _refuse(self, patterns: int) -> None:
        if patterns > self.most:
            raise NotEvaluated(
                f"an attacker who knows {self.knowledge} has at least {patterns:,} patterns, and {self.most:,} may be "
                "counted; name fewer columns with knows: {columns: …}, or allow more with limits: {patterns: …}"
            )

    def _exposing(self, table: ClassTable) -> list[ExposingPatterns]:
        """What a table of patterns has that the requirement does not allow; the summaries take it in."""
        profiles = Profiles.of(table)
        self.read(table, profiles)
        classes = profiles.classes if self.domain is None else under(profiles.classes, self.domain)
        model = self.requirement
        if not isinstance(model, GroupedRequirement) or table.keys is None or table.layout is None:
            raise NotEvaluated(f"{model.name} cannot be judged by patterns of this engine")
        wrong = model.exposes(classes)[profiles.of_class]
        layout = KeyLayout(table.columns, table.layout.places[: len(table.columns)])
        return [ExposingPatterns(layout, table.keys[wrong])] if wrong.any() else []

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


def _among(keys: KeyArray, wanted: KeyArray) -> BoolArray:
    """bool[n]: which keys are wanted."""
    number = np.zeros(len(keys) + len(wanted), dtype=np.int64)
    for mine, theirs in zip(keys.T, wanted.T, strict=True):
        _, words = distinct(np.concatenate((mine, theirs)))
        _, number = distinct(number * (int(words.max(initial=0)) + 1) + words)
    found = np.zeros(int(number.max(initial=0)) + 1, dtype=np.bool_)
    found[number[len(keys) :]] = True
    return found[number[: len(keys)]]
