"""A policy as a result names it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from auditor.models import Requirement
from auditor.policy._canonical import said
from auditor.policy.outputs import OutputRule
from auditor.policy.schema import Policy
from auditor.result import PolicyFacts


def policy_facts(policy: Policy) -> PolicyFacts:
    """The policy, as a result names it."""
    return PolicyFacts(
        name=policy.name,
        sha256=policy.sha256,
        file=policy.file,
        description=policy.description,
        owner=policy.owner,
        extends=policy.extends_chain,
        citations=policy.citations,
        text=policy.to_yaml(),
        protection_threshold=protection_threshold(policy),
    )


def method_parameters(policy: Policy, place: int) -> dict[str, Any]:
    """The parameters of a masking method, by its place in ``protection``; secret ones as "confidential"."""
    shown = said(policy.protection[place], policy.secret_names, f"protection/{place}")
    return {name: value for name, value in shown.items() if name not in {"method", "attributes", "sweep"}}


def protection_threshold(policy: Policy) -> int | None:
    """The largest class size, or least count of an output, that is demanded openly; None where none is."""
    demanded = [size for requirement in policy.requirements for size in _class_sizes(policy, requirement)]
    demanded += [size for place, rule in enumerate(policy.outputs) for size in _counts(policy, place, rule)]
    return max(demanded, default=None)


def _class_sizes(policy: Policy, requirement: Requirement) -> Iterator[int]:
    secret = policy.confidential(str(requirement.id))
    k = getattr(requirement, "k", None)
    if isinstance(k, int) and "k" not in secret:
        yield k
    if requirement.name == "max-risk" and "max" not in secret:
        yield ceil(1 / Fraction(repr(getattr(requirement, "max", 1))))


def _counts(policy: Policy, place: int, rule: OutputRule) -> Iterator[int]:
    for limit in rule.LIMITS:
        bound = getattr(rule, limit)
        if (
            limit.startswith("min_")
            and isinstance(bound, int)
            and f"outputs/{place}/{limit}" not in policy.secret_names
        ):
            yield bound
