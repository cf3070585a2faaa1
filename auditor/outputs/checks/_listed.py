"""The values that a policy lists, and whether a condition of an output says one of them of somebody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from auditor.outputs._examination import Context
from auditor.outputs.published.conditions import Condition
from auditor.outputs.published.values import among, meets
from auditor.policy import Policy


def domain(context: Context, attribute: str) -> tuple[str, ...] | None:
    """The values that a column can have, as far as is known: those of the data, else the policy's order of them."""
    if context.counts is not None and attribute in context.counts.names:
        return tuple(label for label in context.counts.column(attribute)[0] if label is not None)
    known = context.policy.attributes.get(attribute)
    return known.order if known is not None else None


def is_sensitive(policy: Policy, attribute: str) -> bool:
    """Whether the policy calls a column sensitive, by its name or by a glob; the exact name wins."""
    exact = policy.attributes.get(attribute)
    if exact is not None:
        return exact.role == "sensitive"
    return any(of.role == "sensitive" and fnmatchcase(attribute, name) for name, of in policy.attributes.items())


@dataclass(frozen=True)
class ListedValues:
    """Values by attribute; None for every value. Items without a column stand under the attribute ""."""

    values: Mapping[str, Sequence[str]] | None
    context: Context

    def mentioned(self, condition: Condition) -> bool:
        """Whether a listed value stands in it."""
        listed = self._of(condition)
        return listed is None or any(among(value, listed) for value in condition.values)

    def said_by(self, condition: Condition) -> bool:
        """Whether everybody who meets it has a listed value."""
        listed = self._of(condition)
        return listed is None or self._all(condition, listed, met=True)

    def left_by(self, condition: Condition) -> bool:
        """Whether everybody who does not meet it has a listed value."""
        listed = self._of(condition)
        return listed is not None and self._all(condition, listed, met=False)

    def _of(self, condition: Condition) -> Sequence[str] | None:
        return None if self.values is None else self.values.get(condition.attribute, ())

    def _all(self, condition: Condition, listed: Sequence[str], *, met: bool) -> bool:
        """Whether the values that meet it (or do not) are known, are any, and are all listed."""
        if not listed:
            return False
        if met and condition.operator in ("=", "in"):
            return all(among(value, listed) for value in condition.values)
        labels = domain(self.context, condition.attribute)
        chosen = [label for label in labels or () if meets(label, condition) is met]
        return bool(chosen) and all(among(label, listed) for label in chosen)
