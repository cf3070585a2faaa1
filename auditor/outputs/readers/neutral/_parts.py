"""What the types share: conditions, keys, and members that may be absent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auditor.outputs.published.conditions import OPERATORS, Condition, Group, equal, group_of
from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers._items import Columns, item
from auditor.outputs.readers._json import Value
from auditor.outputs.readers._numbers import written

# Groups: {"age": "26"}, ["bread", "milk"], [["age", "<=", "30"], ["sex", "in", ["F", "M"]]]


def group(value: Value, columns: Columns) -> Group:
    """The records with these values by column, with these items, or that meet these conditions."""
    if isinstance(value.content, dict):
        return group_of(equal(name, each.text()) for name, each in value.members())
    return group_of(_condition(each, columns) for each in value.elements())


def _condition(value: Value, columns: Columns) -> Condition:
    if not isinstance(value.content, (list, tuple)):
        return item(value.text(), columns)
    parts = value.elements()
    if len(parts) != 3 or parts[1].content not in OPERATORS:
        value.wrong("no condition", f'["column", "operator", value] with an operator of {" ".join(OPERATORS)}')
    attribute, operator = parts[0].text(), parts[1].content
    if operator in ("in", "not in"):
        return Condition(attribute, operator, parts[2].each(Value.text))
    return Condition(attribute, operator, (parts[2].text(),))


def conditions(group: Group) -> Any:
    """A group as JSON: an object where it can be one, else a list of items and triples."""
    conditions = sorted(group)
    attributes = {each.attribute for each in conditions if each.operator == "=" and each.attribute}
    if len(attributes) == len(conditions):
        return {each.attribute: each.values[0] for each in conditions}
    return [_written_condition(each) for each in conditions]


def _written_condition(condition: Condition) -> Any:
    if condition.operator == "=" and not condition.attribute:
        return condition.values[0]
    several = condition.operator in ("in", "not in")
    return [condition.attribute, condition.operator, list(condition.values) if several else condition.values[0]]


# Values that may be absent


def given(**members: Any) -> dict[str, Any]:
    """The members that are not None: numbers as `Stated` written, tuples as arrays."""
    return {name: _plain(value) for name, value in members.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Stated):
        return written(value)
    if isinstance(value, frozenset):
        return conditions(value)
    return list(value) if isinstance(value, tuple) else value


def optional(found: Mapping[str, Value], name: str, read: Callable[[Value], Any], default: Any = None) -> Any:
    """What `read` makes of a member; where it is absent or null, the default."""
    return read(found[name]) if name in found else default


def numbers(value: Value) -> tuple[tuple[str, Stated], ...]:
    """Numbers by name."""
    return tuple((name, each.stated()) for name, each in value.members() if each.content is not None)


def counts(value: Value) -> tuple[tuple[str, int], ...]:
    """Counts by name."""
    return tuple((name, each.count()) for name, each in value.members())


def pairs(pairs: tuple[tuple[str, Any], ...] | None) -> dict[str, Any] | None:
    """Numbers or counts by name, as an object."""
    return None if pairs is None else {name: _plain(value) for name, value in pairs}


def _key(value: Value) -> tuple[str | None, ...]:
    return value.each(lambda part: None if part.content is None else part.text())


def keyed(value: Value, required: tuple[str, ...], by: tuple[str, ...]) -> tuple[str | None, ...]:
    """The key of a cell, which has a part for each column of `by`, beside the members that a cell must have."""
    members = dict(value.members(told=required))
    for name in required:
        if name not in members:
            value.wrong(f"no member {name!r}", f"an object with {', '.join(map(repr, required))}")
    key = _key(members["key"])
    if len(key) != len(by):
        members["key"].wrong("a key of another length than 'by'", "one value, or null for a margin, per column")
    return key
