"""The columns that an output speaks of, of which some must not be in a release."""

from __future__ import annotations

from auditor.outputs.published.outputs import Published
from auditor.policy import Attribute, Policy
from auditor.policy.compare.roles import FORBIDDEN, effective


def forbidden_columns(policy: Policy, output: Published) -> frozenset[str]:
    """The columns that name a person, or hold free text, and whose values stand in an output."""
    told = ((name, effective(policy, name)) for name in set(output.columns) - {""})
    return frozenset(name for name, known in told if isinstance(known, Attribute) and known.role in FORBIDDEN)
