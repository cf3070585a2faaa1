"""Policy coverage: would the tests notice a weaker policy?

Each number of each requirement and of each limit is loosened by one step, one at a time; a test that passed must then
fail. A step is 1 for a whole number, else 1 in the last decimal that the policy writes (0.05 → 0.06). What has no
number is left out instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ValidationError

from auditor.models import Stricter, one_step
from auditor.policy import Policy, demands
from auditor.policy.demands import Demand
from auditor.policy.fields import directions
from auditor.policy.file.secrets import CONFIDENTIAL
from auditor.result.policy_tests import Mutant
from auditor.spec import as_json
from auditor.stages import Stage, stage
from auditor.testing._file import PolicyTests
from auditor.testing._judge import Observation, day_of, judged, named_files, unmet


@dataclass(frozen=True)
class Loosening:
    """A policy with one requirement or limit weakened (`field` None: left out); `requirement` is its id.

    `path` is the place of the number in the policy, or of what is left out.
    """

    policy: Policy
    requirement: str
    path: str
    field: str | None = None
    old: float | Decimal | None = None
    new: float | Decimal | None = None

    @property
    def block(self) -> str:
        """The block of the policy that it stands in: requirements, queries or outputs."""
        return self.path.partition("/")[0]

    def judged_without(self, found: Observation) -> Observation:
        """What was found, less the requirement that is left out."""
        if self.field is not None:
            return found
        return replace(found, requirements=tuple(r for r in found.requirements if r.id != self.requirement))


@dataclass(frozen=True)
class _Step:
    """One number one step weaker: where it stands in a block, and the block with it."""

    field: str
    old: float | Decimal
    new: float | Decimal
    changed: Any


def coverage(files: Sequence[PolicyTests], as_of: date | None = None) -> tuple[Mutant, ...]:
    """Every loosened number of every policy, with the first test that notices it."""
    by_policy: dict[str, list[PolicyTests]] = {}
    for tests in files:
        by_policy.setdefault(f"{tests.policy.file} {tests.policy.sha256}", []).append(tests)
    every = [(loosened, group) for group in by_policy.values() for loosened in weakenings(group[0].policy)]
    with stage(Stage.LOOSENING) as here:
        return tuple(_mutant(loosened, group, as_of) for loosened, group in here.counting(every, "numbers"))


def weakenings(policy: Policy) -> Iterator[Loosening]:
    """The policy with each number of its requirements and limits loosened by one step, one at a time."""
    for demand in demands.every(policy):
        if demand.limit is None or demands.is_set(demand.block, demand.parameter):
            yield from _of(demand)


def _of(demand: Demand[Any]) -> Iterator[Loosening]:
    steps = list(_steps(demand.block, demand.parameters))
    for each in steps:
        changed = demands.replaced(demand.policy, demand.place, each.changed)
        yield Loosening(changed, demand.id, f"{demand.place}/{each.field}", each.field, each.old, each.new)
    if not steps:
        yield Loosening(demand.policy, demand.id, demand.path)


def _steps(block: BaseModel, parameters: Collection[str]) -> Iterator[_Step]:
    """Each number of some parameters that has a direction, and the next weaker one that the block allows."""
    for name, direction in directions(type(block)).items():
        for inner in _inside(getattr(block, name), direction) if name in parameters else ():
            try:
                type(block).model_validate({**dict(block), name: inner.changed})
            except ValidationError:
                continue
            changed = block.model_copy(update={name: inner.changed})
            yield replace(inner, field=f"{name}/{inner.field}".rstrip("/"), changed=changed)


def _inside(value: Any, direction: Stricter) -> Iterator[_Step]:
    """The steps of a value: of a number, or of the numbers in a block, or in a list of blocks."""
    if isinstance(value, BaseModel):
        yield from _steps(value, type(value).model_fields)
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            for inner in _inside(item, Stricter.NESTED):
                changed = (*value[:place], inner.changed, *value[place + 1 :])
                yield replace(inner, field=f"{place}/{inner.field}", changed=changed)
    elif type(value) in (int, float, Decimal) and direction in {Stricter.HIGHER, Stricter.LOWER}:
        new = one_step(value, -1 if direction is Stricter.HIGHER else 1)
        yield _Step("", value, new, new)


def _mutant(loosened: Loosening, group: Sequence[PolicyTests], as_of: date | None) -> Mutant:
    policy = loosened.policy
    secret = policy.is_secret(loosened.path)
    return Mutant(
        policy=policy.name,
        requirement=loosened.requirement,
        field=loosened.field,
        old=CONFIDENTIAL if secret else _shown(loosened.old),
        new=CONFIDENTIAL if secret else _shown(loosened.new),
        noticed_by=next(_noticing(loosened, group, as_of), None),
        location=policy.location(loosened.path),
    )


def _shown(number: float | Decimal | None) -> float | str | None:
    return as_json(number) if isinstance(number, Decimal) else number


def _noticing(loosened: Loosening, group: Sequence[PolicyTests], as_of: date | None) -> Iterator[str]:
    """The tests that pass, and do not pass with the loosened policy."""
    for tests in group:
        for index, case in enumerate(tests.cases):
            if case.judges != loosened.block or (case.only and loosened.requirement not in case.only):
                continue
            files, day = named_files(tests, index), day_of(tests, as_of)
            after = loosened.judged_without(judged(case, loosened.policy, files, day))
            if any(unmet(case, after)) and not any(unmet(case, judged(case, tests.policy, files, day))):
                yield f"{tests.file}: {case.name}"
