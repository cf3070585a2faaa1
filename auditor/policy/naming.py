"""A policy that names a table's own columns, where the one it is judged by speaks of others: packs have to guess.

Names are compared by their words, and a few that mean the same: `DOB` and `birth_date`, `Postcode` and `zip`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape
from typing import Any

from auditor.looks import meaning, snake_case
from auditor.models import ColumnRequirement, SensitiveRequirement
from auditor.policy.binding import is_glob
from auditor.policy.file.yaml_text import yaml_text
from auditor.policy.schema import Policy

DROPPED = "no column of this table; drop it only if that is so"
UNKNOWN = "decide: the policy does not load before"


def naming(policy: Policy, columns: Sequence[str], base: str, named: Sequence[str] = ()) -> str | None:
    """The text of a policy that extends this one, and says which columns it means.

    Args:
        policy: the policy that the table was judged by.
        columns: the columns of the table that it does not name.
        base: what `extends` calls it.
        named: the columns that it names, also by a glob.

    Returns:
        None where no requirement speaks of a column that the table lacks, or the table has no other column.
    """
    known = {*named, *(name for name in policy.attributes if not is_glob(name))}
    lacking = {str(each.id): told for each in policy.requirements if (told := _named_by(each)) and told[1] not in known}
    if not columns or not lacking:
        return None
    own_names = [each for each in (*columns, *named) if not is_glob(each)]
    found = _pairs({name for _, name in lacking.values()}, own_names)
    if not found:
        return None
    owned = {own: _role(policy, name) for name, own in found.items()}
    # A name with a star would be a pattern, and give its role to other columns.
    roles = {escape(own): owned.get(own) or _role(policy, snake_case(own)) or "review" for own in columns}
    meant = {meaning(own) for own in (*columns, *named)}
    changed = [
        {"id": each, key: found[name]} if name in found else {"id": each, "severity": "off"}
        for each, (key, name) in lacking.items()
        if name in found or meaning(name) not in meant
    ]
    document: dict[str, Any] = {
        "version": 1,
        "name": f"{policy.name}-own"[:200],
        "extends": [base],
        "attributes": roles,
        "requirements": changed,
    }
    said = {f"attributes/{own}": UNKNOWN for own, role in roles.items() if role == "review"}
    said |= {f"requirements/{place}/severity": DROPPED for place, each in enumerate(changed) if "severity" in each}
    return yaml_text(document, lambda path: said.get(path, ""))


def _named_by(requirement: Any) -> tuple[str, str] | None:
    """The field in which a requirement names its one column, and the column; None where it names none."""
    if isinstance(requirement, ColumnRequirement):
        return "attribute", requirement.attribute
    name = requirement.sensitive if isinstance(requirement, SensitiveRequirement) else None
    return None if name is None or is_glob(str(name)) else ("sensitive", str(name))


def _pairs(names: Iterable[str], columns: Sequence[str]) -> Mapping[str, str]:
    """Which column each name means; only where they are each other's only match."""
    found = [(name, column) for name in names for column in columns if meaning(name) == meaning(column)]
    told, meant = (Counter(each) for each in zip(*found, strict=True)) if found else (Counter(), Counter())
    return {name: column for name, column in found if told[name] == meant[column] == 1}


def _role(policy: Policy, name: str) -> str | None:
    """The role that a policy gives to a column of that name; None if it gives none, or several."""
    if name in policy.attributes:
        return policy.attributes[name].role
    roles = {each.role for glob, each in policy.attributes.items() if is_glob(glob) and fnmatchcase(name, glob)}
    return roles.pop() if len(roles) == 1 else None
