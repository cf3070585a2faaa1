"""Which demands of one policy follow from the requirements of another.

Every class of a table that meets a requirement has a least size s and a least number d of distinct sensitive values
(`least_size`, `least_distinct` of its model, with the proof there):

* k-anonymity: s = k; maximal risk: s = ⌈1/max⌉; (α, k)- and p-sensitive k-anonymity: s = k;
* distinct ℓ-diversity: d = ℓ; p-sensitive: d = p; recursive (c, ℓ): d = ℓ, as the tail is empty below ℓ values;
* entropy ℓ-diversity: d = ⌈ℓ⌉, as the entropy of d values is at most ln d;
* where rows are counted s ≥ d, as d values take d records (one person may have several, so not where units are).

Both only grow when classes merge, whatever is counted and however missing values are read: what holds of classes holds
of coarser ones. A demand whose model says which s and d suffice (`suffices`) follows where requirements of the same or
a finer grouping, and for d of the same sensitive attribute, together have them. A requirement that is only a warning,
that may be waived, or whose parameters are confidential, proves nothing for one that is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from auditor.models import ClassModel, GroupedRequirement, Requirement, SensitiveModel, Stricter
from auditor.policy._compare_fields import EQUAL, STRICTER, Sides, choices_of, order
from auditor.policy.binding import is_glob
from auditor.policy.schema import Policy

MOST_TRIED = 100
"""So many requirements are tried as proofs of one demand: a hostile policy has a thousand of each."""


def implied_by(sides: Sides, demand: Requirement) -> tuple[str, ...] | None:
    """The ids of the new policy's requirements from which a demand of the old one follows; None where it does not."""
    if not isinstance(demand, GroupedRequirement) or demand.suffices is None or sides.old.confidential(str(demand.id)):
        return None
    size, distinct = demand.suffices
    sensitive = str(getattr(demand, "sensitive", None))
    needed: list[str] = []
    if size > 1:
        needed += [next((i for i, s, _, _ in _proofs(sides, demand) if s >= size), "")]
    if distinct > 1:
        needed += [next((i for i, _, d, of in _proofs(sides, demand) if d >= distinct and of == sensitive), "")]
    return tuple(dict.fromkeys(needed)) if all(needed) else None


def waived(sides: Sides, requirement: Requirement) -> bool:
    """Whether a waiver of the new policy may excuse a requirement, or a column that its pattern stands for."""
    excused = {waiver.requirement for waiver in sides.new.waivers}
    if is_glob(str(getattr(requirement, "sensitive", None))):
        return any(name == requirement.id or name.startswith(f"{requirement.id}-") for name in excused)
    return requirement.id in excused


def severe_enough(old: Requirement, new: Requirement) -> bool:
    """Whether breaking the new requirement is at least as bad as breaking the old one."""
    choices = choices_of(Requirement, "severity")
    return order(Stricter.HIGHER, old.severity, new.severity, choices) in {STRICTER, EQUAL}


def _proofs(sides: Sides, demand: GroupedRequirement) -> Iterator[tuple[str, int, int, str]]:
    """What every class has: the id of the requirement that says so, s, d, and of which attribute d counts values."""
    wanted = sides.groupings[0][id(demand)]
    able = (requirement for requirement in sides.new.requirements if isinstance(requirement, ClassModel))
    for requirement in islice(able, MOST_TRIED):
        if (
            wanted
            and wanted <= sides.groupings[1][id(requirement)]
            and severe_enough(demand, requirement)
            and not waived(sides, requirement)
            and not sides.new.confidential(str(requirement.id))
        ):
            distinct = requirement.least_distinct if isinstance(requirement, SensitiveModel) else 1
            sensitive = str(getattr(requirement, "sensitive", ""))
            yield str(requirement.id), _size(sides.new, requirement), distinct, sensitive


def _size(policy: Policy, requirement: ClassModel) -> int:
    if policy.unit is None or requirement.size_decides:
        return requirement.least_size
    return 1 if requirement.size_field is None else int(getattr(requirement, requirement.size_field))
