"""Which demands of one policy follow from the requirements of another.

Every class of a table that meets a requirement has a least size s and a least number d of distinct sensitive values
(`least_size`, `least_distinct` of its model, with the proof there):

* k-anonymity: s = k; maximal risk: s = ⌈1/max⌉; (α, k)- and p-sensitive k-anonymity: s = k;
* distinct ℓ-diversity: d = ℓ; p-sensitive: d = p; recursive (c, ℓ): d = ℓ, as the tail is empty below ℓ values;
* entropy ℓ-diversity: d = ⌈ℓ⌉, as the entropy of d values is at most ln d;
* where rows are counted s ≥ d, as d values take d records (one person may have several, so not where units are);
* of the patterns of an attacker with bounded knowledge nothing follows for classes; these suffice for patterns of
  columns.

Both only grow when classes merge, whatever is counted and however missing values are read: what holds of classes holds
of coarser ones. A demand whose model says which s and d suffice (`suffices`) follows where requirements of the same or
a finer grouping, and for d of the same sensitive attribute, together have them. A requirement that is only a warning,
that may be waived, or whose parameters are confidential, proves nothing for one that is not.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from auditor.models import ClassModel, GroupedRequirement, Requirement, SensitiveModel, Stricter
from auditor.policy.binding import is_glob
from auditor.policy.fields import EQUAL, STRICTER, Sides, choices_of, order
from auditor.policy.schema import Policy

MOST_TRIED = 25
"""So many requirements are tried as proofs of one demand: a hostile policy has a thousand of each."""


def implied_by(sides: Sides, demand: Requirement) -> tuple[str, ...] | None:
    """The ids of the new policy's requirements from which a demand of the old one follows; None where it does not."""
    if not isinstance(demand, GroupedRequirement) or demand.suffices is None or sides.old.confidential(str(demand.id)):
        return None
    if demand.attacker is not None and demand.attacker.events is not None:
        return None
    size, distinct = demand.suffices
    sensitive = str(getattr(demand, "sensitive", None))
    needed: list[str | None] = []
    if size > 1:
        needed += [_proof(sides, demand, lambda r: _size(sides.new, r) >= size)]
    if distinct > 1:
        needed += [_proof(sides, demand, lambda r: _distinct(r, sensitive) >= distinct)]
    found = tuple(dict.fromkeys(name for name in needed if name is not None))
    return None if None in needed else found


def waived(sides: Sides, requirement: Requirement) -> bool:
    """Whether the new policy may excuse a requirement, or a column that its pattern stands for."""
    excused = {each.requirement for each in sides.new.waivers} | {each.requirement for each in sides.new.baseline}
    if is_glob(str(getattr(requirement, "sensitive", None))):
        return any(name == requirement.id or name.startswith(f"{requirement.id}-") for name in excused)
    return requirement.id in excused


def severe_enough(old: Requirement, new: Requirement) -> bool:
    """Whether breaking the new requirement is at least as bad as breaking the old one."""
    if old.hard and not new.hard:
        return False
    choices = choices_of(Requirement, "severity")
    return order(Stricter.HIGHER, old.severity, new.severity, choices) in {STRICTER, EQUAL}


def _proof(sides: Sides, demand: GroupedRequirement, enough: Callable[[ClassModel], bool]) -> str | None:
    """The id of a requirement of the new policy that has enough, in classes no coarser than those of a demand."""
    wanted = sides.groupings[0][id(demand)]
    able = (r for r in sides.new.requirements if isinstance(r, ClassModel) and r.attacker is None and enough(r))
    for requirement in islice(able, MOST_TRIED):
        if (
            wanted
            and wanted <= sides.groupings[1][id(requirement)]
            and severe_enough(demand, requirement)
            and not waived(sides, requirement)
            and not sides.new.confidential(str(requirement.id))
        ):
            return str(requirement.id)
    return None


def _distinct(requirement: ClassModel, sensitive: str) -> int:
    """How many distinct values of an attribute every class has."""
    if isinstance(requirement, SensitiveModel) and str(requirement.sensitive) == sensitive:
        return requirement.least_distinct
    return 1


def _size(policy: Policy, requirement: ClassModel) -> int:
    """How many members every class has."""
    if policy.unit is None or requirement.size_decides:
        return requirement.least_size
    return 1 if requirement.size_field is None else int(getattr(requirement, requirement.size_field))
