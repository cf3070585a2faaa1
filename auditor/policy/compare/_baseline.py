"""Baselines of two policies: a known failure more, one that allows a worse number or lasts longer, is weaker."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from auditor.models import ClassModel, Stricter, TableModel
from auditor.policy.baseline import KnownFailure
from auditor.policy.demands import named
from auditor.policy.fields import EQUAL, INCOMPARABLE, STRICTER, WEAKER, FieldPlace, Sides, directions, order
from auditor.policy.schema import Policy
from auditor.result import Strictness
from auditor.result.comparison import Difference


def known_failures(sides: Sides) -> Iterator[Difference]:
    """Every requirement whose known failures changed."""
    for name in dict.fromkeys(entry.requirement for entry in (*sides.old.baseline, *sides.new.baseline)):
        old, new = _of(sides.old, name), _of(sides.new, name)
        if [_said(entry) for entry in old.values()] != [_said(entry) for entry in new.values()]:
            place = FieldPlace(next(iter(old), None), next(iter(new), None), f"baseline/{name}")
            shown = tuple([_said(entry) for entry in side.values()] or None for side in (old, new))
            verdict = _order(sides, name, list(old.values()), list(new.values()))
            yield sides.difference(place, (shown[0], shown[1]), Stricter.SUBSET, verdict)


def _of(policy: Policy, name: str) -> dict[str, KnownFailure]:
    return {f"baseline/{i}": entry for i, entry in enumerate(policy.baseline) if entry.requirement == name}


def _said(entry: KnownFailure) -> dict[str, object]:
    return entry.model_dump(mode="json", exclude={"id", "requirement"}, exclude_defaults=True)


def _order(sides: Sides, name: str, old: list[KnownFailure], new: list[KnownFailure]) -> Strictness:
    if not old or not new:
        return WEAKER if not old else STRICTER
    if len(old) > 1 or len(new) > 1:
        return INCOMPARABLE
    verdicts = {order(Stricter.LOWER, old[0].expires.toordinal(), new[0].expires.toordinal())}
    verdicts.add(order(Stricter.LOWER, old[0].records, new[0].records))
    verdicts |= set(_achieved(sides, name, old[0], new[0]))
    verdicts -= {EQUAL}
    return INCOMPARABLE if len(verdicts) > 1 or INCOMPARABLE in verdicts else next(iter(verdicts), EQUAL)


def _achieved(sides: Sides, name: str, old: KnownFailure, new: KnownFailure) -> Iterator[Strictness]:
    """How the recorded numbers compare, where both policies mean the same by them."""
    before, after = _demand(sides.old, name), _demand(sides.new, name)
    if before is None or after is None or type(before) is not type(after):
        yield EQUAL if old.achieved == new.achieved and type(before) is type(after) else INCOMPARABLE
        return
    for parameter in {*old.achieved, *new.achieved}:
        direction = directions(type(after))[parameter]
        yield order(direction, old.achieved.get(parameter), new.achieved.get(parameter))


def _demand(policy: Policy, name: str) -> BaseModel | None:
    demand = named(policy).get(name)
    if demand is None or (demand.limit is None and not isinstance(demand.block, ClassModel | TableModel)):
        return None
    return demand.block
