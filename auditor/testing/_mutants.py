"""Policy coverage: would the tests notice a weaker policy?

Each number of each requirement is loosened by one step, one at a time; a test that passed must then fail. A step is 1
for a whole number, else 1 in the last decimal that the policy writes (0.05 → 0.06). A requirement that has no number is
left out instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from pydantic import ValidationError

from auditor.models import Requirement, Stricter, one_step
from auditor.policy import Policy
from auditor.policy._compare_fields import directions
from auditor.policy._secrets import CONFIDENTIAL
from auditor.result import Location, Mutant
from auditor.spec import as_json
from auditor.stages import Stage, stage
from auditor.testing._file import PolicyTests
from auditor.testing._judge import Judged, day_of, judged, named_files, unmet


@dataclass(frozen=True)
class Loosening:
    """A policy with one requirement weakened (`field` None: left out)."""

    policy: Policy
    index: int
    field: str | None
    old: float | Decimal | None = None
    new: float | Decimal | None = None

    @property
    def requirement(self) -> str:
        """The id of the requirement."""
        return str(self.policy.requirements[self.index].id)

    def judged_without(self, found: Judged) -> Judged:
        """What was found, less the requirement that is left out."""
        if self.field is not None:
            return found
        return replace(found, requirements=tuple(r for r in found.requirements if r.id != self.requirement))


def coverage(files: Sequence[PolicyTests], as_of: date | None = None) -> tuple[Mutant, ...]:
    """Every loosened number of every policy, with the first test that notices it."""
    by_policy: dict[str, list[PolicyTests]] = {}
    for tests in files:
        by_policy.setdefault(f"{tests.policy.file} {tests.policy.sha256}", []).append(tests)
    every = [(loosened, group) for group in by_policy.values() for loosened in weakenings(group[0].policy)]
    with stage(Stage.LOOSENING) as here:
        return tuple(_mutant(loosened, group, as_of) for loosened, group in here.counting(every, "numbers"))


def weakenings(policy: Policy) -> Iterator[Loosening]:
    """The policy with each number of its requirements loosened by one step, one at a time."""
    for index, requirement in enumerate(policy.requirements):
        found = list(_steps(requirement))
        for name, old, new in found:
            changed = requirement.model_copy(update={name: new})
            kept = policy.requirements
            requirements = (*kept[:index], changed, *kept[index + 1 :])
            yield Loosening(policy.model_copy(update={"requirements": requirements}), index, name, old, new)
        if not found:
            yield Loosening(policy, index, None)


def _steps(requirement: Requirement) -> Iterator[tuple[str, float | Decimal, float | Decimal]]:
    """Each number that has a direction, and the next weaker one that the model allows."""
    for name, direction in directions(type(requirement)).items():
        old = getattr(requirement, name)
        is_number = isinstance(old, int | float | Decimal) and not isinstance(old, bool)
        if not is_number or direction not in {Stricter.HIGHER, Stricter.LOWER}:
            continue
        new = one_step(old, -1 if direction is Stricter.HIGHER else 1)
        try:
            type(requirement).model_validate({**requirement.model_dump(), name: new})
        except ValidationError:
            continue
        yield name, old, new


def _mutant(loosened: Loosening, group: Sequence[PolicyTests], as_of: date | None) -> Mutant:
    policy = loosened.policy
    origin = policy.origin(f"requirements/{loosened.index}/{loosened.field}") or policy.origin(
        f"requirements/{loosened.index}"
    )
    secret = loosened.field in policy.confidential(loosened.requirement)
    return Mutant(
        policy=policy.name,
        requirement=loosened.requirement,
        field=loosened.field,
        old=CONFIDENTIAL if secret else _shown(loosened.old),
        new=CONFIDENTIAL if secret else _shown(loosened.new),
        noticed_by=next(_noticing(loosened, group, as_of), None),
        location=Location(file=origin.file, line=origin.line) if origin else None,
    )


def _shown(number: float | Decimal | None) -> float | str | None:
    return as_json(number) if isinstance(number, Decimal) else number


def _noticing(loosened: Loosening, group: Sequence[PolicyTests], as_of: date | None) -> Iterator[str]:
    """The tests that pass, and do not pass with the loosened policy."""
    for tests in group:
        for index, case in enumerate(tests.cases):
            if case.only and loosened.requirement not in case.only:
                continue
            files, day = named_files(tests, index), day_of(tests, as_of)
            after = loosened.judged_without(judged(case, loosened.policy, files, day))
            if any(unmet(case, after)) and not any(unmet(case, judged(case, tests.policy, files, day))):
                yield f"{tests.file}: {case.name}"
