"""By which columns a requirement groups, as a set that can be compared between policies.

Its elements are names of columns, and patterns: ``declared lab_*`` (the columns that an attribute's glob stands for),
``named lab_*`` (those that a requirement's list means) and ``undeclared``. More elements, more columns: finer classes.
"""

from __future__ import annotations

from collections.abc import Iterable

from auditor.models import GroupedRequirement, SensitiveModel, monotone_under
from auditor.policy.binding import is_glob
from auditor.policy.schema import Policy


def with_role(policy: Policy, *roles: str) -> frozenset[str]:
    """The columns of some roles."""
    names = {
        f"declared {name}" if is_glob(name) else name
        for name, attribute in policy.attributes.items()
        if attribute.role in roles
    }
    return frozenset(names | ({"undeclared"} if policy.undeclared in roles else set()))


def groupings(policy: Policy) -> dict[int, frozenset[str]]:
    """The columns that each requirement groups by, by the requirement's identity."""
    known, sensitive = with_role(policy, "quasi-identifier"), with_role(policy, "sensitive")
    found: dict[int, frozenset[str]] = {}
    for requirement in policy.requirements:
        if isinstance(requirement, GroupedRequirement):
            listed = requirement.quasi_identifiers
            columns = known if listed is None else named(listed)
            if isinstance(requirement, SensitiveModel) and requirement.others == "quasi-identifiers":
                columns = (columns | sensitive) - {str(requirement.sensitive)}
            found[id(requirement)] = columns
    return found


def named(columns: Iterable[str]) -> frozenset[str]:
    """Columns that a list names, or means by patterns."""
    return frozenset(f"named {name}" if is_glob(name) else name for name in columns)


def finer_is_stricter(policy: Policy, requirement: GroupedRequirement) -> bool:
    """Whether a requirement that holds of finer classes holds of the classes merged."""
    kept = monotone_under(requirement, units=policy.unit is not None, wildcards=policy.missing == "wildcard")
    return kept is not None and kept.generalization
