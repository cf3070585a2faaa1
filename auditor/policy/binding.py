"""A policy matched with the columns of a table: which column has which role, which requirement reads which columns.

An exact name wins over a glob. Names are case-sensitive. A glob may match nothing; an attribute named exactly that the
data lacks makes every requirement that reads it impossible to evaluate, which is never a pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from itertools import chain, count
from pathlib import Path

from auditor.errors import PolicyError, Problem
from auditor.models import (
    ColumnRequirement,
    GroupedRequirement,
    RecordRequirement,
    Requirement,
    SensitiveModel,
    SensitiveRequirement,
)
from auditor.policy.attributes import Attribute
from auditor.policy.file.nodes import Origin
from auditor.policy.file.problems import did_you_mean, quoted
from auditor.policy.schema import Policy
from auditor.result import LACKING, as_id


@dataclass(frozen=True)
class BoundRequirement:
    """One requirement and the columns that it reads.

    `requirement.sensitive` is one column at most. `reason` says why it cannot be evaluated (None: it can be).
    `origin` is the line it stands in; `confidential` names the parameters that must not be shown; `costs` is the file
    of its cost matrix.
    """

    requirement: Requirement
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: str | None = None
    attribute: str | None = None
    reason: str | None = None
    origin: Origin | None = None
    confidential: frozenset[str] = frozenset()
    costs: Path | None = None


@dataclass(frozen=True)
class Binding:
    """A policy as it applies to one table.

    `undeclared` are the columns that the policy does not name (they are in `roles` too, unless it says
    ``undeclared: fail``); `absent` the attributes that it names exactly and that the data lacks.
    Tuples of columns are in the
    data's order.
    """

    policy: Policy
    roles: Mapping[str, Attribute]
    undeclared: tuple[str, ...]
    absent: Mapping[str, Attribute]
    requirements: tuple[BoundRequirement, ...]
    unit: str | None

    def with_role(self, *roles: str) -> tuple[str, ...]:
        """The columns that have one of the roles."""
        return tuple(column for column, attribute in self.roles.items() if attribute.role in roles)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that an attacker may know."""
        return self.with_role("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that nobody should learn."""
        return self.with_role("sensitive")

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that must not be in a release: identifiers and free text."""
        return self.with_role("identifier", "text")


def bind(policy: Policy, columns: Sequence[str]) -> Binding:
    """Match a policy with the columns of a table.

    Raises:
        PolicyError: when two globs match one column, naming both lines.

    """
    return _Binder(policy, columns).binding()


def is_glob(name: str) -> bool:
    """Whether a name in a policy stands for all columns that it matches."""
    return any(character in name for character in "*?[")


class _Binder:
    def __init__(self, policy: Policy, columns: Sequence[str]) -> None:
        self.policy = policy
        self.columns = tuple(columns)
        self.ids = {str(requirement.id) for requirement in policy.requirements}
        declared = policy.attributes
        self.globs = {name: re.compile(translate(name)) for name in declared if is_glob(name)}
        self.named = {column: self._attribute(column) for column in self.columns}
        self.undeclared = tuple(column for column, attribute in self.named.items() if attribute is None)
        self.roles = {column: a for column, each in self.named.items() if (a := each or self._default()) is not None}
        self.absent = {
            name: attribute for name, attribute in declared.items() if name not in self.named and not is_glob(name)
        }

    def _default(self) -> Attribute | None:
        role = self.policy.undeclared
        return None if role == "fail" else Attribute(role=role)

    def _attribute(self, column: str) -> Attribute | None:
        if column in self.policy.attributes:
            return self.policy.attributes[column]
        matching = [name for name, glob in self.globs.items() if glob.match(column)]
        if len(matching) > 1:
            raise PolicyError([self._two_globs(column, matching)])
        return self.policy.attributes[matching[0]] if matching else None

    def _two_globs(self, column: str, matching: list[str]) -> Problem:
        lines = [self.policy.origin(f"attributes/{name}") for name in matching]
        named = " and ".join(
            f"{quoted(name)} ({line})" if line else quoted(name) for name, line in zip(matching, lines, strict=True)
        )
        return Problem(
            str(lines[0] or self.policy.name),
            f"column {quoted(column)} is matched by {named}",
            "name the column itself",
            "globs",
        )

    def binding(self) -> Binding:
        unit = self.policy.unit.column if self.policy.unit else None
        requirements = tuple(
            bound
            for index, requirement in enumerate(self.policy.requirements)
            for bound in self._bound(index, requirement)
        )
        present = unit if unit in self.named else None
        return Binding(self.policy, self.roles, self.undeclared, self.absent, requirements, present)

    def _bound(self, index: int, requirement: Requirement) -> Iterator[BoundRequirement]:
        origin = self.policy.origin(f"requirements/{index}")
        hidden = self.policy.confidential(requirement.id or "")
        if isinstance(requirement, ColumnRequirement):
            name = requirement.attribute
            yield BoundRequirement(requirement, (), None, name, self._lacks((name,)), origin, hidden)
        elif isinstance(requirement, RecordRequirement):
            # Beside an original every column of numbers is read, so a column of another name would be passed over.
            roles = ("quasi-identifier", *(["sensitive"] if requirement.needs_original else []))
            read = requirement.attributes or self._absent(*roles)
            named = (*read, *requirement.besides, *(self._persons() if requirement.of_people else ()))
            yield BoundRequirement(requirement, reason=self._lacks(named), origin=origin, confidential=hidden)
        elif isinstance(requirement, SensitiveRequirement):
            for each in self._per_sensitive(requirement):
                grouping, reason = self._grouping(each)
                sensitive = str(each.sensitive)
                yield BoundRequirement(
                    each,
                    grouping,
                    sensitive,
                    None,
                    reason or self._lacks((sensitive,)),
                    origin,
                    hidden,
                    self.policy.file_at(f"requirements/{index}/matrix"),
                )
        elif isinstance(requirement, GroupedRequirement):
            grouping, reason = self._grouping(requirement)
            yield BoundRequirement(requirement, grouping, None, None, reason, origin, hidden)

    def _per_sensitive(self, requirement: SensitiveRequirement) -> list[SensitiveRequirement]:
        """The requirement once per column that its sensitive attribute stands for."""
        name = str(requirement.sensitive)
        matching = self._matching(name) if is_glob(name) and name not in self.named else ()
        if not matching:
            return [requirement]
        named = [(self._fresh_id(f"{requirement.id}-{as_id(column)}"), column) for column in matching]
        return [requirement.model_copy(update={"id": fresh, "sensitive": column}) for fresh, column in named]

    def _fresh_id(self, stem: str) -> str:
        counted = (f"{stem}-{number}" for number in count(2))
        name = next(name for name in chain([stem], counted) if name not in self.ids)
        self.ids.add(name)
        return name

    def _matching(self, name: str) -> tuple[str, ...]:
        pattern = re.compile(translate(name))
        return tuple(column for column in self.columns if pattern.match(column))

    def _grouping(self, requirement: GroupedRequirement) -> tuple[tuple[str, ...], str | None]:
        """The grouping columns in the data's order, and why they cannot be grouped by."""
        if requirement.quasi_identifiers is None:
            wanted = {c for c, a in self.roles.items() if a.role == "quasi-identifier"}
            missing = self._absent("quasi-identifier")
        else:
            wanted, missing = self._named(requirement.quasi_identifiers)
        if isinstance(requirement, SensitiveModel) and requirement.others == "quasi-identifiers":
            wanted |= {c for c, a in self.roles.items() if a.role == "sensitive"}
            missing += self._absent("sensitive")
            wanted.discard(str(requirement.sensitive))
        missing += self._persons()
        return tuple(column for column in self.columns if column in wanted), self._lacks(missing)

    def _absent(self, *roles: str) -> list[str]:
        """The columns of some roles that the policy names exactly and the data lacks."""
        return [name for name, attribute in self.absent.items() if attribute.role in roles]

    def _persons(self) -> list[str]:
        """The column that tells whose record each is, where a person may have several."""
        unit = self.policy.unit
        return [] if unit is None or unit.rows == "one-per-unit" else [unit.column]

    def _named(self, names: Sequence[str]) -> tuple[set[str], list[str]]:
        wanted: set[str] = set()
        missing = []
        for name in names:
            found = (name,) if name in self.named else self._matching(name) if is_glob(name) else ()
            wanted |= set(found)
            missing += [] if found else [name]
        return wanted, missing

    def _lacks(self, names: Sequence[str]) -> str | None:
        missing = [name for name in dict.fromkeys(names) if name not in self.named]
        if not missing:
            return None
        said = [f"{name!r}{did_you_mean(name, self.columns)}" for name in missing]
        return f"{LACKING}{', '.join(said)}"
