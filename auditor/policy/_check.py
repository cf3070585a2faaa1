"""What the schema alone cannot say: whether the parts of a policy fit each other."""

from __future__ import annotations

from auditor.policy._nodes import Mapping, Problems
from auditor.policy.schema import Policy


def check(policy: Policy, tree: Mapping, problems: Problems) -> None:
    """Note every misfit of an effective policy."""
    if not (policy.requirements or policy.queries or policy.outputs):
        problems.add(tree.mark, "nothing to judge", "say requirements, queries or outputs", "empty")
