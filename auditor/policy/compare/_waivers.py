"""Waivers of two policies, by what they excuse on which day.

Of several waivers of one requirement the one that lasts longest is in force, so that removing one can bring back
another with a lower bound. What is in force changes only on the day after a waiver ends; the policies are compared on
every last day of a waiver. A waiver is weaker than none, and one without a bound weaker than one with; the same waiver
limited to some data is stricter. One that is approved by its owner excuses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from pydantic import BaseModel, ValidationError

from auditor.models import Stricter
from auditor.policy.demands import named, relaxed
from auditor.policy.fields import EQUAL, INCOMPARABLE, STRICTER, WEAKER, FieldPlace, Sides
from auditor.policy.schema import Policy
from auditor.policy.waivers import Waiver, in_force
from auditor.result import Strictness
from auditor.result.comparison import Difference

_UNLIMITED = {"scope": None, "sha256": None}
_NO_BOUNDS = {"id", "severity", "quasi_identifiers", "sensitive", "attribute"}
"""What a waiver cannot change of a requirement, and a waiver's order is not about."""


def waivers(sides: Sides) -> Iterator[Difference]:
    """Every requirement whose waivers changed."""
    named = dict.fromkeys(waiver.requirement for waiver in (*sides.old.waivers, *sides.new.waivers))
    for name in named:
        old, new = _of(sides.old, name), _of(sides.new, name)
        if [_excuse(waiver) for waiver in old.values()] != [_excuse(waiver) for waiver in new.values()]:
            place = FieldPlace(next(iter(old), None), next(iter(new), None), f"waivers/{name}")
            shown = tuple([_excuse(waiver) for waiver in side.values()] or None for side in (old, new))
            yield sides.difference(place, (shown[0], shown[1]), Stricter.SUBSET, _order(sides, name))


def _of(policy: Policy, name: str) -> dict[str, Waiver]:
    return {f"waivers/{i}": waiver for i, waiver in enumerate(policy.waivers) if waiver.requirement == name}


def _excuse(waiver: Waiver) -> dict[str, object]:
    """What a waiver says, less what is for the reader alone."""
    said: dict[str, object] = {"expires": waiver.expires.isoformat(), "approved_by": waiver.approved_by}
    said |= {"at_least": dict(waiver.at_least)} if waiver.at_least else {}
    said |= {"scope": waiver.scope.model_dump(exclude_defaults=True, mode="json")} if waiver.scope else {}
    said |= {"sha256": waiver.sha256} if waiver.sha256 else {}
    return {**said, "approved_by_its_owner": True} if waiver.is_self_approved else said


def _order(sides: Sides, name: str) -> Strictness:
    limits = [{waiver.limits for waiver in _of(policy, name).values()} for policy in (sides.old, sides.new)]
    if all(limits) and len(limits[0] | limits[1]) > 1:
        return _limited(sides, name)
    days = sorted({w.expires for w in (*sides.old.waivers, *sides.new.waivers) if w.requirement == name})
    verdicts = {_on(sides, name, day) for day in days}
    if verdicts <= {EQUAL}:
        return EQUAL
    if verdicts <= {EQUAL, STRICTER}:
        return STRICTER
    return WEAKER if verdicts <= {EQUAL, WEAKER} else INCOMPARABLE


def _limited(sides: Sides, name: str) -> Strictness:
    """Waivers that are limited to different data have no order, but for one waiver and the same limited further."""
    old, new = (list(_of(policy, name).values()) for policy in (sides.old, sides.new))
    if len(old) == len(new) == 1:
        added = [after for before, after in zip(old[0].limits, new[0].limits, strict=True) if before != after]
        further = all(
            before in (None, frozenset()) or before == after
            for before, after in zip(old[0].limits, new[0].limits, strict=True)
        )
        same = _excuse(old[0].model_copy(update=_UNLIMITED)) == _excuse(new[0].model_copy(update=_UNLIMITED))
        if added and further and same:
            return STRICTER
    return INCOMPARABLE


def _on(sides: Sides, name: str, day: date) -> Strictness:
    """How the waivers in force on a day compare."""
    old, new = in_force(sides.old.waivers, name, day), in_force(sides.new.waivers, name, day)
    if old is None or new is None:
        return EQUAL if old is new else WEAKER if old is None else STRICTER
    if old.approved_by != new.approved_by:
        return INCOMPARABLE
    if not old.at_least or not new.at_least:
        return EQUAL if old.at_least == new.at_least else WEAKER if old.at_least else STRICTER
    return EQUAL if old.at_least == new.at_least else _bounds(sides, name, old, new)


def _bounds(sides: Sides, name: str, old: Waiver, new: Waiver) -> Strictness:
    """How the bounds compare that two waivers leave standing, under the order of the requirement's parameters."""
    before, after = _relaxed(sides.old, name, old), _relaxed(sides.new, name, new)
    if before is None or after is None or type(before) is not type(after):
        return INCOMPARABLE
    nowhere = FieldPlace(None, None, name)
    found = sides.block(nowhere, before, after, skip=_NO_BOUNDS | _of_others(sides.old, name, before))
    verdicts = {difference.verdict for difference in found}
    if verdicts <= {EQUAL, STRICTER}:
        return STRICTER if verdicts & {STRICTER} else EQUAL
    return WEAKER if verdicts <= {EQUAL, WEAKER} else INCOMPARABLE


def _relaxed(policy: Policy, name: str, waiver: Waiver) -> BaseModel | None:
    """What a waiver names, with the bound that it leaves; None where there is nothing that may be compared."""
    demand = named(policy).get(name)
    block = next((each for each in policy.outputs if each.id == name), None) if demand is None else demand.block
    if block is None or policy.confidential(name) or (demand is not None and demand.limit and demand.confidential):
        return None
    if not set(waiver.at_least) <= set(type(block).model_fields):
        return None
    try:
        return relaxed(block, waiver)
    except ValidationError:
        return None


def _of_others(policy: Policy, name: str, block: BaseModel) -> set[str]:
    """The parameters of a block that a waiver of one of its limits does not speak of."""
    demand = named(policy).get(name)
    return set() if demand is None else set(type(block).model_fields) - set(demand.parameters)
