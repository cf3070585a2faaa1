"""Groups of missing values in tables, as pandas writes them with ``dropna=False``: under no label, or ``NaN``.

Totals without a name look the same. A group is one of missing values where the data says so, where totals beside it
count it, or where its counts are too small for what they would be totals of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._column_names import fits_cell
from auditor.outputs.linked import cell_group
from auditor.outputs.published.addition import CellNumbers, says
from auditor.outputs.published.conditions import NO_LABEL
from auditor.outputs.published.lines import Key, Lines
from auditor.outputs.published.outputs import Cell, Statistic, Table, called
from auditor.outputs.published.scales import PLAIN
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.totals import is_not_a_number, is_null, is_total, totalled

MISSING_VALUES = (
    "a label that is not a value was taken for a group of missing values: its numbers are not totals of the others"
)


class Absences(Lines):
    """The groups of missing values of one table."""

    def told(self) -> Table:
        """The table with `missing`, and with `NO_LABEL` in the keys of its groups of missing values."""
        missing = [self.missing_at(at) for at in self.places]
        keys = [
            tuple(
                NO_LABEL if part in missing[at] and not self.is_behind(key, at) else part for at, part in enumerate(key)
            )
            for key in self.keys
        ]
        own: tuple[Cell | Statistic, ...] = self.output.cells
        cells = tuple(replace(cell, key=key) for cell, key in zip(own, keys, strict=True))
        also = tuple(column for column, labels in zip(self.output.by, missing, strict=True) if labels)
        notes = tuple(dict.fromkeys((*self.output.notes, *self.notes)))
        return replace(self.output, cells=cells, notes=notes, missing=also)  # type: ignore[arg-type]

    def missing_at(self, at: int) -> set[str]:
        """The label of the records without a value, where it is certain that it is no total: one, or none."""
        labels = {label for label in self.labels[at] if is_null(label) or is_not_a_number(label)}
        if self.output.by[at] in self.output.missing:
            return labels & {NO_LABEL}
        own = [key for key in self.keys if key[at] in labels and not self.is_behind(key, at)]
        if len(labels) != 1 or not own or len(set(own)) < len(own):
            return set()
        label = labels.copy().pop()
        in_totals = self._is_in_totals(at, label)
        of_data = self._is_missing_in_data(at, label)
        if in_totals is False or of_data is False:
            return set()
        if not (of_data or in_totals or is_not_a_number(label) or self._is_too_small(at, label)):
            return set()
        if not of_data:
            self.notes.append(MISSING_VALUES)
        return labels

    def is_behind(self, key: Key, at: int) -> bool:
        """Whether an empty part of a key stands behind a word for a total, and says no more than that.

        It says more where other totals of the same kind are told of values: ``All,F`` beside ``All,``.
        """
        before = key[at - 1] if at else None
        if set(self.lines[at][*key[:at], *key[at + 1 :]]) - self.possible[at] - {key[at], None}:
            return False
        if at == 0 or before is None:
            return at > 0
        return self.is_word(at - 1, before) or totalled(before, self.labels[at - 1]) is not None

    def _is_in_totals(self, at: int, label: str) -> bool | None:
        """Whether the label's counts are part of the totals beside it; None where there are none to tell."""
        told: set[str] = set()
        for line in self.lines[at].values():
            totals = [number for part, number in line.items() if part is None or is_total(part)]
            values = [n for part, n in line.items() if n not in totals and part not in self.unions[at]]
            if label in line and totals:
                parts = [self.numbers[number][:1] for number in values]
                told |= {self._compared(self.numbers[total][:1], parts) for total in totals}
        if told <= {"open"}:
            return None
        return told <= {"fits", "open"}

    def _is_too_small(self, at: int, label: str) -> bool:
        """Whether its counts are less than what they would be totals of, and nowhere what they would be.

        Of labels that may hold each other, a total is no less than any; of others, than all together.
        """
        apart = self._are_apart(at)
        told: set[str] = set()
        for line in self.lines[at].values():
            if label not in line or self.is_behind(self.keys[line[label]], at):
                continue
            left = self.possible[at] | self.unions[at] | {label}
            others = [number for part, number in line.items() if part is not None and part not in left]
            parts = [self.numbers[number][:1] for number in others]
            own = self.numbers[line[label]][:1]
            told |= {self._compared(own, parts)} if apart and parts else {self._compared(own, [part]) for part in parts}
        return "short" in told and "fits" not in told

    def _are_apart(self, at: int) -> bool:
        """Whether no label of a place may hold another: none is an interval, or coarse by the policy's ladder."""
        scale = self.scales.get(self.output.by[at], PLAIN)
        return not any(span_of(label) is not None or scale.level(label) for label in self.labels[at])

    def _compared(self, own: CellNumbers, parts: Sequence[CellNumbers]) -> str:
        """How a count and others go together, to whatever counts may have been rounded."""
        half, step = Fraction(self.rounded if self.rounded > 1 else 0, 2), Fraction(self.step - 1)
        slack = [each * (len(parts) + 1) for each in (half, max(half, step))]
        return says(own[0], [each[0] for each in parts], *slack, width=0)

    def _is_missing_in_data(self, at: int, label: str) -> bool | None:
        """Whether the label's numbers are those of the data's records without a value; None where it does not tell.

        False, where they are those of the records that have one, too.
        """
        table = self._as_in_data(at)
        if table is None:
            return None
        cells: tuple[Cell | Statistic, ...] = self.output.cells
        told: list[tuple[bool, bool]] = []
        for key, cell in zip(self.keys, cells, strict=True):
            if key[at] != label or any(key[i] in self.possible[i] for i in self.places if i != at):
                continue
            own = self._is_of(table, cell, (*key[:at], NO_LABEL, *key[at + 1 :]))
            total = (*key[:at], None, *key[at + 1 :])
            known, all_ = (
                self._is_of(each, cell, total) for each in (replace(table, missing=table.missing[:-1]), table)
            )
            if own is not None and known is not None:
                told.append((own, known or bool(all_)))
        of_own, of_all = (all(each[side] for each in told) for side in (0, 1))
        return of_own if told and of_own is not of_all else None

    def _as_in_data(self, at: int) -> Table | None:
        """The table as one that counts missing values of a column of the data: of the one that has its labels."""
        if self.counts is None:
            return None
        column, names = self.output.by[at], self.counts.names
        if column not in names:
            labels = set(self.labels[at]) - self.possible[at]
            fitting = [name for name in names - set(self.output.by) if labels <= set(self.counts.column(name)[0])]
            if len(fitting) != 1:
                return None
            column = fitting[0]
        table = called(self.output, (*self.output.by[:at], column, *self.output.by[at + 1 :]))
        return replace(table, missing=(*table.missing, column))

    def _is_of(self, table: Table, cell: Cell | Statistic, key: Key) -> bool | None:
        """Whether the numbers of a cell are those of a group of the data; None where nothing of both is known."""
        assert self.counts is not None  # noqa: S101  (who calls has looked)
        try:
            return fits_cell(table, cell, cell_group(table, key), self.counts)
        except NotEvaluated:
            return None
