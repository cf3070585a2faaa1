"""A policy as text: canonical JSON, from which its digest is made, and YAML for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from auditor.policy.schema import Policy

NOT_CANONICAL = frozenset({"waivers", "extends", "pack"})
"""Waivers are excused, not demanded; what is inherited is already merged in."""
DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def masked(value: Any, secrets: Mapping[str, str], stand_in: Callable[[str], Any], path: str = "") -> Any:
    """A dumped policy with every secret replaced by what stands in for the variable of that name."""
    if path in secrets:
        return stand_in(secrets[path])
    if not secrets:
        return value
    inner = f"{path}/" if path else ""
    if isinstance(value, dict):
        return {key: masked(item, secrets, stand_in, f"{inner}{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(item, secrets, stand_in, f"{inner}{i}") for i, item in enumerate(value)]
    return value


def canonical_json(policy: Policy) -> str:
    """The effective policy as canonical JSON: keys sorted, no white space, UTF-8, whole numbers without a point."""
    document = policy.model_dump(mode="json", exclude=set(NOT_CANONICAL), exclude_none=True)
    named = masked(document, policy.secret_names, lambda name: {"secret": name})
    return json.dumps(_whole(named), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def to_yaml(policy: Policy) -> str:
    """The effective policy as YAML, defaults left out where nothing was said."""
    text: str = yaml.dump(
        effective(policy), Dumper=DUMPER, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None
    )
    return text


def effective(policy: Policy) -> dict[str, Any]:
    """The effective policy as plain values, without what was never said (None and empty)."""
    document = policy.model_dump(mode="json", exclude={"extends", "pack"}, exclude_none=True)
    return {key: _whole(value) for key, value in document.items() if value not in ({}, [])}


def _whole(value: Any) -> Any:
    """Floats that are whole numbers as integers: 5 and 5.0 are the same bound."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
