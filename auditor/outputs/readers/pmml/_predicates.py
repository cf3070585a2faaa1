"""Predicates as conditions: what is true of the records that a node, a rule or a segment speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from auditor.outputs.published.conditions import Condition, Operator
from auditor.outputs.published.spans import compared
from auditor.outputs.published.values import number_of
from auditor.outputs.readers._xml import Element

Conditions = tuple[Condition, ...]
"""All of them hold."""

PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
_OPERATORS: dict[str, Operator] = {
    "equal": "=",
    "notEqual": "!=",
    "lessThan": "<",
    "lessOrEqual": "<=",
    "greaterThan": ">",
    "greaterOrEqual": ">=",
}
_OPPOSITE: dict[Operator, Operator] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "in": "not in",
    "not in": "in",
}
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)', re.DOTALL)


class NotExpressible(Exception):  # noqa: N818
    """A predicate that is no conjunction of conditions on columns."""


class Never(Exception):  # noqa: N818
    """A predicate that no record meets."""


def conditions(holder: Element) -> Conditions:
    """The conditions of the predicate in a node, a rule or a segment.

    Raises:
        NotExpressible: they are no conjunction.
        Never: no record meets them.
    """
    predicate = holder.first(*PREDICATES)
    if predicate is None:
        holder.wrong(f"{holder.name} without a predicate", f"one of {', '.join(PREDICATES)}")
    return _conditions(predicate, depth=0)


def _conditions(predicate: Element, depth: int) -> Conditions:
    if depth > 20:
        raise NotExpressible
    if predicate.name == "True":
        return ()
    if predicate.name == "False":
        raise Never
    if predicate.name == "SimplePredicate":
        return (_simple(predicate),)
    if predicate.name == "SimpleSetPredicate":
        return (_set(predicate),)
    parts = list(predicate.all(*PREDICATES))
    operator = predicate.required("booleanOperator")
    if operator == "and":
        return tuple(each for part in parts for each in _conditions(part, depth + 1))
    if operator == "surrogate" and parts:
        # The others stand in where the first one's field is missing, and a missing value meets no condition.
        return _conditions(parts[0], depth + 1)
    if operator == "or":
        return (_any(_conditions(part, depth + 1) for part in parts),)
    raise NotExpressible


def _simple(predicate: Element) -> Condition:
    name, operator = predicate.required("field"), predicate.required("operator")
    if operator == "isNotMissing":
        return Condition(name, "not in", ())
    if operator not in _OPERATORS:
        raise NotExpressible
    return Condition(name, _OPERATORS[operator], (predicate.required("value"),))


def _set(predicate: Element) -> Condition:
    array = predicate.first("Array")
    operator = {"isIn": "in", "isNotIn": "not in"}.get(predicate.required("booleanOperator"))
    if array is None or operator is None:
        predicate.wrong("a set predicate without its set", "isIn or isNotIn, and an Array")
    return Condition(predicate.required("field"), "in" if operator == "in" else "not in", tuple(array_values(array)))


def _any(alternatives: Iterable[Conditions]) -> Condition:
    """One of several values of one column; any other alternative is no conjunction."""
    values: dict[str, None] = {}
    names: set[str] = set()
    for alternative in alternatives:
        if len(alternative) != 1 or alternative[0].operator not in ("=", "in"):
            raise NotExpressible
        names.add(alternative[0].attribute)
        values.update(dict.fromkeys(alternative[0].values))
    if len(names) != 1:
        raise NotExpressible
    return Condition(names.pop(), "in", tuple(values))


def array_values(array: Element) -> list[str]:
    """The values of an Array: separated by spaces, in quotes where they hold any."""
    found = []
    for quoted, plain in _VALUE.findall(array.text):
        found.append(plain or re.sub(r"\\(.)", r"\1", quoted))
    stated = array.attributes.get("n", "").strip()
    if stated.isdigit() and len(stated) < 20 and int(stated) != len(found):
        array.wrong("an Array of another length than it states", "as many values as n")
    return found


def opposite(condition: Condition) -> Condition:
    """What is true of the records whose value is not missing and does not meet the condition."""
    return Condition(condition.attribute, _OPPOSITE[condition.operator], condition.values)


def apart(left: Conditions, right: Conditions) -> bool:
    """Whether it is certain that no record meets both."""
    return any(_apart(a, b) for a in left for b in right if a.attribute == b.attribute)


def _apart(left: Condition, right: Condition) -> bool:
    if left.operator in ("=", "in") and right.operator in ("=", "in"):
        return not set(left.values) & set(right.values)
    if left.operator in ("!=", "not in") and right.operator in ("=", "in"):
        return set(right.values) <= set(left.values)
    if right.operator in ("!=", "not in") and left.operator in ("=", "in"):
        return set(left.values) <= set(right.values)
    if not {left.operator, right.operator} <= {"<", "<=", ">", ">="}:
        return False
    mine, other = number_of(left.values[0]), number_of(right.values[0])
    if mine is None or other is None:
        return False
    return not compared(left.operator, mine).meets(compared(right.operator, other))


def exhaust(children: list[Conditions]) -> bool:
    """Whether it is certain that every record without missing values meets one of them."""
    if any(not child for child in children):
        return True
    single = [child[0] for child in children if len(child) == 1]
    return any(opposite(each) in single for each in single)
