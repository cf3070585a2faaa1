"""What the columns are, in two policies.

A table that the new policy accepts must not fail the old one. A column of a forbidden role (identifier, text, or one
that is undeclared under ``undeclared: fail``) fails every table that has it, so forbidding is stricter than any other
role. A quasi-identifier makes classes finer, a sensitive attribute demands more; insensitive demands nothing, and a
pseudonym only that it differs from the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from auditor.policy.attributes import Attribute
from auditor.policy.binding import is_glob
from auditor.policy.fields import EQUAL, INCOMPARABLE, STRICTER, WEAKER, FieldPlace, Sides
from auditor.policy.schema import Policy
from auditor.result import Strictness
from auditor.result.comparison import Difference

FORBIDDEN = frozenset({"identifier", "text", "fail"})
RANK = {"insensitive": 0, "pseudonym": 1, "quasi-identifier": 2, "sensitive": 2}
"""Roles of one rank are not comparable."""
OWN = ("identifiers", "undeclared")
"""The requirements that a forbidden column fails."""


def roles(sides: Sides) -> Iterator[Difference]:
    """Every column and glob that the policies treat differently."""
    old, new = sides.old, sides.new
    yield from _undeclared(sides)
    for name in dict.fromkeys((*old.attributes, *new.attributes)):
        path = f"attributes/{name}"
        place = FieldPlace(path if name in old.attributes else None, path if name in new.attributes else None, path)
        before, after = old.attributes.get(name), new.attributes.get(name)
        if is_glob(name) and before != after:
            yield sides.difference(place, (before, after), "glob", INCOMPARABLE, "a pattern of columns is not compared")
        elif not is_glob(name):
            yield from _column(sides, place, name)


def _undeclared(sides: Sides) -> Iterator[Difference]:
    old, new = sides.old.undeclared, sides.new.undeclared
    if old != new:
        place = FieldPlace("undeclared", "undeclared", "undeclared")
        yield sides.difference(place, (old, new), "role", _order(sides, old, new))


def _column(sides: Sides, place: FieldPlace, name: str) -> Iterator[Difference]:
    """One column that at least one of the policies names; the other may have a glob or a rule for the undeclared."""
    before, after = effective(sides.old, name), effective(sides.new, name)
    if before is None or after is None:
        note = "two patterns match this column"
        yield sides.difference(place.at("role"), (None, None), "role", INCOMPARABLE, note)
        return
    old, new = before if isinstance(before, str) else before.role, after if isinstance(after, str) else after.role
    if old != new:
        verdict = _order(sides, old, new)
        if name in sides.grouped_by_name and (old, new) == ("insensitive", "sensitive"):
            # a sensitive column is read as numbers where it can be, which may join what text tells apart
            verdict = INCOMPARABLE
        shown = _in_words(sides.old, name, old), _in_words(sides.new, name, new)
        yield sides.difference(place.at("role"), shown, "role", verdict)
    if isinstance(before, Attribute) and isinstance(after, Attribute) and (old == new or not {old, new} & FORBIDDEN):
        yield from sides.block(place, before, after, skip={"role"})


def _order(sides: Sides, old: str, new: str) -> Strictness:
    if {old, new} <= FORBIDDEN:
        verdict = EQUAL
    elif new in FORBIDDEN:
        verdict = STRICTER
    elif old in FORBIDDEN or RANK[new] < RANK[old]:
        return WEAKER
    else:
        return STRICTER if RANK[new] > RANK[old] else INCOMPARABLE
    # a waived prohibition forbids nothing
    return INCOMPARABLE if any(waiver.requirement in OWN for waiver in sides.new.waivers) else verdict


def effective(policy: Policy, name: str) -> Attribute | str | None:
    """What a policy says of a column: its attribute, ``fail``, or None where two patterns match it."""
    if name in policy.attributes:
        return policy.attributes[name]
    matching = [glob for glob in policy.attributes if is_glob(glob) and fnmatchcase(name, glob)]
    if len(matching) > 1:
        return None
    if matching:
        return policy.attributes[matching[0]]
    return "fail" if policy.undeclared == "fail" else Attribute(role=policy.undeclared)


def _in_words(policy: Policy, name: str, role: str) -> str:
    return role if name in policy.attributes else f"{role} (not declared)"
