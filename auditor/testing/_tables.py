"""Families of tiny tables, in which one thing grows: a class, the values in it, how uneven they are.

A family is a function of an integer from 1; each table is a list of `EqualRows`. Along a family the answer of a
requirement turns somewhere, and the tables on both sides of that place are what a policy test wants.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from io import StringIO
from math import ceil

from auditor.hierarchies.file import FileHierarchy
from auditor.hierarchies.tree import Tree
from auditor.models import GroupedRequirement, Requirement, SensitiveModel
from auditor.policy import Attribute, Policy
from auditor.policy.binding import is_glob

MOST_ROWS = 1500
SCALES = (1, 5, 20, 100)
"""How finely uneven families are graded: the first grade that shows the difference gives the smallest table."""
FIRST_DAY = date(2000, 1, 1)


@dataclass(frozen=True)
class EqualRows:
    """So many equal rows: of the class `group`, with the sensitive value of that number."""

    group: int
    value: int
    count: int


Family = Callable[[int], list[EqualRows]]


def families(requirement: Requirement) -> Iterator[tuple[str, Family]]:
    """The families in the order in which they are tried, each with what grows in it."""
    size = int(getattr(requirement, str(getattr(requirement, "size_field", None)), 1))
    values = max(2, ceil(getattr(requirement, "l", 2)))
    yield "a class of {n}", partial(_values, 1)
    if not isinstance(requirement, SensitiveModel):
        yield "one unique record and a class of {n}", _alone
        return
    yield "{n} sensitive values", partial(_values, size)
    for scale in SCALES:
        yield f"one value {{n}} times, {scale} others", partial(_uneven, scale, 2)
        yield f"one value {{n}} times, each other {scale} times", partial(_uneven, scale, values)
        yield f"two mirrored classes of {2 * scale}, {{n}} records apart", partial(_mirrored, scale)
        yield f"a rare value {{n}} times in a small class, {scale} times in a large one", partial(_rare, scale)


def _values(times: int, n: int) -> list[EqualRows]:
    """One class: n values, each so many times."""
    return [EqualRows(0, value, times) for value in range(n)]


def _alone(n: int) -> list[EqualRows]:
    return [EqualRows(0, 0, 1), EqualRows(1, 0, n + 1)]


def _uneven(scale: int, values: int, n: int) -> list[EqualRows]:
    """One class: the first of its values n times, the others alike."""
    return [EqualRows(0, 0, n), *(EqualRows(0, value, scale) for value in range(1, values))]


def _mirrored(scale: int, n: int) -> list[EqualRows]:
    """Two classes of one size, in which two values change places."""
    return [EqualRows(group, value, scale + (n if group == value else -n)) for group in (0, 1) for value in (0, 1)]


def _rare(scale: int, n: int) -> list[EqualRows]:
    return [EqualRows(0, 0, n), EqualRows(0, 1, 5 * scale), EqualRows(1, 0, scale), EqualRows(1, 1, 45 * scale)]


def is_table(rows: Sequence[EqualRows]) -> bool:
    """Whether it can be written: no negative counts, some rows, and not too many."""
    return all(part.count >= 0 for part in rows) and 0 < sum(part.count for part in rows) <= MOST_ROWS


class TableWriter:
    """Writes tables with the columns that one requirement of a policy reads."""

    def __init__(self, policy: Policy, requirement: Requirement) -> None:
        declared = policy.attributes
        asked = requirement.quasi_identifiers if isinstance(requirement, GroupedRequirement) else None
        known = [name for name, a in declared.items() if a.role == "quasi-identifier"]
        self.groups = {_column(name): declared.get(name) for name in (asked or known)}
        sensitive = getattr(requirement, "sensitive", None)
        self.sensitive = _column(str(sensitive)) if sensitive else None
        self.values = declared.get(str(sensitive)) if sensitive else None
        wanted = policy.unit
        self.unit = wanted.column if wanted and wanted.rows != "one-per-unit" else None

    def text(self, rows: Sequence[EqualRows]) -> str | None:
        """The table as CSV; None where it cannot be written."""
        if not is_table(rows):
            return None
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        columns = [*([self.unit] if self.unit else []), *self.groups, *([self.sensitive] if self.sensitive else [])]
        writer.writerow(columns)
        number = 0
        for part in rows:
            sensitive = [value_of(self.values, part.value)] if self.sensitive else []
            if None in sensitive:
                return None
            groups = [value_of(attribute, part.group) for attribute in self.groups.values()]
            for _ in range(part.count):
                number += 1
                writer.writerow([*([f"u{number}"] if self.unit else []), *groups, *sensitive])
        return out.getvalue()


def _column(name: str) -> str:
    """A column that a name, or a glob, stands for."""
    return name.replace("*", "1").replace("?", "1") if is_glob(name) else name


def value_of(attribute: Attribute | None, number: int) -> str | None:
    """The value of that number, of the attribute's type; None where it has not so many."""
    if attribute is None:
        return f"v{number + 1}"
    listed = attribute.order or _leaves(attribute)
    if listed is not None:
        return listed[number] if number < len(listed) else None
    if attribute.is_numeric:
        least, most = attribute.range or (None, None)
        value = (0 if least is None else least) + number
        return f"{value:g}" if most is None or value <= most else None
    if attribute.type == "date":
        return (FIRST_DAY + timedelta(days=number)).isoformat()
    if attribute.type == "boolean":
        return ("true", "false")[number] if number < 2 else None
    return f"v{number + 1}"


def _leaves(attribute: Attribute) -> tuple[str, ...] | None:
    """The values that a file, a tree or groups list; None where the hierarchy lists none."""
    if isinstance(attribute.hierarchy, FileHierarchy):
        with attribute.hierarchy.path.open(encoding="utf-8-sig", newline="") as file:
            return tuple(row[0] for row in csv.reader(file, delimiter=attribute.hierarchy.separator) if row)
    tree = getattr(attribute.hierarchy, "tree", None)
    groups = getattr(attribute.hierarchy, "groups", None)
    if tree is not None:
        return tuple(dict.fromkeys(_of_tree(tree)))
    return tuple(value for group in groups for value in group) if groups else None


def _of_tree(tree: Tree) -> Iterator[str]:
    if isinstance(tree, dict):
        for branch in tree.values():
            yield from _of_tree(branch)
    else:
        yield from tree
