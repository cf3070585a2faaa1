"""Values that a policy lists and the data does not hold as they are listed.

A list may name what does not occur: a convention for missing values, a disease that nobody has this year. What occurs
in another spelling, or cannot be a value of the column, was meant to be found: then the requirement that reads the list
is not evaluated, because it would judge something else than its author wrote. The same holds where nothing of a list
occurs that a requirement is limited to: it would judge nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from auditor.audit._domains import read_costs
from auditor.audit._run import AuditRun
from auditor.classes import Domain
from auditor.engines import Allowed, Column, ColumnUse, Counted
from auditor.errors import NotEvaluated, OutOfMemory
from auditor.models import ColumnRequirement, SensitiveModel
from auditor.policy import BoundRequirement
from auditor.values import ALIKE, Values, misspelled, moment_of, near, number_of, same_value, spelling

TEXTS = ("VARCHAR", "ENUM")
LOOK = "--audience internal shows the line to write"
INFINITE = {"inf", "infinity"}


class Spellings:
    """What is wrong with the lists of a policy, column by column; each column is looked at once."""

    def __init__(self, run: AuditRun, counted: Counted) -> None:
        """Of the columns that were counted; those that were not are read where a requirement asks for it."""
        self._run = run
        self._counted = counted
        self._columns = {column.name: column for column in run.source.columns}
        self._found: dict[str, NotEvaluated | None] = {}
        self.told: dict[str, None] = {}
        """What was not looked at, and what occurs nowhere, in words."""

    def refuse(self, bound: BoundRequirement) -> None:
        """Refuse a requirement that reads a column whose missing values are spelled in another way.

        Raises:
            NotEvaluated: says which value is listed, and what to write.
        """
        for column in self._read(bound):
            if column not in self._found:
                self._found[column] = self._missing_values(column, counted=bound.attribute is None)
            refusal = self._found[column]
            if refusal is not None:
                raise refusal

    def refuse_listed(self, bound: BoundRequirement, domain: Domain) -> None:
        """Refuse a requirement whose own list, or the order that it reads, names values that are spelled otherwise.

        Raises:
            NotEvaluated: says which value is listed, and what to write.
        """
        requirement, column = bound.requirement, str(bound.sensitive)
        if not isinstance(requirement, SensitiveModel):
            return
        listed = requirement.listed
        if listed is not None:
            secret = "values" in bound.confidential
            absent = self._refuse(column, "values", listed, hedged=listed, secret=secret)
            self._tell(column, "values", absent, listed)
            if not self._run.made and not self._occur(bound, listed, domain):
                raise NotEvaluated(
                    f"none of its values occurs in {column!r}, so alpha would limit nothing; check the spelling, or "
                    f"list them under order: of {column!r}"
                )
        ground = requirement.ground_for(numeric=domain.numeric)
        order = self._run.binding.roles[column].order
        if ground == "ordered" and order:
            self._refuse(column, "order", order, hedged=(), secret=self._is_secret("order"))
        if ground == "matrix" and bound.costs is not None:
            self._refuse_costs(column, bound.costs)

    def tell_allowed(self, column: str, listed: Sequence[str]) -> None:
        """Tell what of a list of allowed values occurs nowhere in a column that holds nothing else."""
        labels = self._run.source.dictionary(ColumnUse(column, self._run.binding.roles[column].missing))[0]
        held = Values(label for label in labels if label is not None)
        self._tell(column, "values", [text for text in listed if text not in held], listed)

    def tell_missing(self) -> None:
        """Tell in which columns nothing occurs of what is listed as missing, where a requirement reads them."""
        without = [column for column in self._found if self._lists_in_vain(column)]
        if without:
            names = ", ".join(map(repr, without))
            self.told[f"None of the values that missing_values lists occurs in {names}."] = None

    def _lists_in_vain(self, column: str) -> bool:
        listed = tuple(text for text in self._run.binding.roles[column].missing_values if text.strip())
        if not listed:
            return False
        allowed = Allowed(values=listed, missing=False)
        return self._run.source.outside(ColumnUse(column), allowed) == self._counted.records

    def _refuse_costs(self, column: str, costs: Path) -> None:
        """Refuse a matrix with a second spelling of a value; its other names that do not occur are told."""
        names, _ = read_costs(costs)
        absent, other = misspelled(names, self._labels(column))
        if other:
            raise NotEvaluated(
                f"{other[0][0]!r}, which the cost matrix {costs.name} names, does not occur in {column!r}, and a value "
                f"that differs from it {ALIKE} does; leave it out of the matrix"
            )
        self._tell(column, f"the cost matrix {costs.name}", absent, names)

    def _tell(self, column: str, name: str, absent: Sequence[str], listed: Sequence[str]) -> None:
        if absent:
            few = f"{len(absent):,} of {len(listed):,}"
            self.told[f"Of the values that {name} lists for {column!r}, {few} do not occur in it."] = None

    def _read(self, bound: BoundRequirement) -> Iterator[str]:
        """The columns whose missing values a requirement tells from others."""
        if isinstance(bound.requirement, ColumnRequirement):
            yield from (bound.requirement.attribute,) if bound.requirement.forbids_missing else ()
        yield from bound.quasi_identifiers
        yield from (bound.sensitive,) if bound.sensitive else ()

    def _missing_values(self, column: str, *, counted: bool) -> NotEvaluated | None:
        listed = [text for text in self._run.binding.roles[column].missing_values if text.strip()]
        if not listed or not self._columns[column].type.upper().startswith(TEXTS):
            return None  # a typed value is compared as what it is
        use = ColumnUse(column, self._run.binding.roles[column].missing)
        if counted and not near(listed, self._labels(column)):
            return None
        left = self._run.source.dictionary(use)[0]
        taken = set(self._run.source.dictionary(ColumnUse(column))[0]) - set(left)
        occur = {spelling(label) for label in taken if label is not None}
        other = [(text, label) for text, label in near(listed, left) if spelling(text) not in occur]
        secret = self._is_secret("missing_values")
        return self._misspelled(column, "missing_values", other[0], listed, secret=secret) if other else None

    def _refuse(
        self, column: str, name: str, listed: Sequence[str], *, hedged: Iterable[str], secret: bool
    ) -> list[str]:
        """Refuse listed values that do not occur, and are near to one that does and is not listed itself (`hedged`).

        Those that do not occur, and may not, are returned.
        """
        absent, other = misspelled(listed, self._labels(column), hedged)
        if other:
            raise self._misspelled(column, name, other[0], listed, secret=secret)
        impossible = [text for text in absent if not _can_hold(self._columns[column], text)]
        if impossible:
            what = "a listed value" if secret else repr(impossible[0])
            kind = self._columns[column].type.lower()
            raise NotEvaluated(
                f"{what} of {name} cannot be a value of {column!r}, which is {kind}; leave it out, or write it as "
                "such a value"
            )
        return absent

    def _labels(self, column: str) -> tuple[str | None, ...]:
        try:
            return self._counted.labels(column)
        except OutOfMemory:  # what is judged by ranks alone needs no text of a value
            self.told[
                f"Whether {column!r} holds what the policy lists in another spelling was not checked: its values do "
                "not fit into memory."
            ] = None
            return ()

    def _occur(self, bound: BoundRequirement, values: tuple[str, ...], domain: Domain) -> bool:
        """Whether a listed value occurs, in this column or in another that the same entry of the policy stands for."""
        if domain.among(values).any():
            return True
        others = [
            str(each.sensitive)
            for each in self._run.binding.requirements
            if each.origin == bound.origin and each.reason is None and getattr(each.requirement, "values", ()) == values
        ]
        listed = Values(values)
        return any(label in listed for other in others for label in self._labels(other))

    def _is_secret(self, name: str) -> bool:
        """Whether the policy takes such a list, of any column, from the environment."""
        return any(path.startswith("attributes/") and f"/{name}" in path for path in self._run.policy.secret_names)

    def _misspelled(
        self, column: str, name: str, other: tuple[str, str], listed: Sequence[str], *, secret: bool
    ) -> NotEvaluated:
        """The refusal of a listed text to which a value of the column is near."""
        text, label = other
        what = "a value that" if secret else f"{text!r}, which"
        found = NotEvaluated(
            f"{what} {name} of {column!r} lists does not occur, and a value that differs from it {ALIKE} does; {LOOK}"
        )
        written = ", ".join(_quoted(label if each == text else each) for each in listed)
        found.private = () if secret else (f"write {name}: [{written}]",)
        return found


def _can_hold(column: Column, text: str) -> bool:
    """Whether a text could be a value of a column's type."""
    kind, plain = column.type.upper(), text.strip()
    if column.number:
        number = number_of(plain)
        if number is None:
            return kind in ("FLOAT", "REAL", "DOUBLE") and plain.lower().lstrip("+-") in INFINITE
        return number.denominator == 1 or not kind.endswith(("INT", "INTEGER"))
    if kind == "BOOLEAN":
        return same_value(plain) in (Fraction(0), Fraction(1))
    return moment_of(plain) is not None if kind.startswith(("DATE", "TIMESTAMP")) else True


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
