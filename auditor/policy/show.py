"""The effective policy as people see it."""

from __future__ import annotations

from typing import Any

from auditor.policy._canonical import effective
from auditor.policy.file.yaml_text import yaml_text
from auditor.policy.schema import Policy


def policy_text(policy: Policy) -> str:
    """The effective policy as YAML, headed by its digest and chain, with each value's origin behind it."""
    head = [f"# effective policy {policy.name}", f"# sha256 {policy.sha256}"]
    head += [f"# extends {name}" for name in policy.extends_chain]
    body = yaml_text(effective(policy, policy.secret_names), lambda path: _place(policy, path))
    return "".join(f"{line}\n" for line in head) + body


def policy_document(policy: Policy) -> dict[str, Any]:
    """The effective policy as plain values: defaults filled in, secrets as "confidential"."""
    return effective(policy, policy.secret_names)


def origins(policy: Policy) -> dict[str, dict[str, Any]]:
    """The file, line and column of every value that was written, by its path."""
    paths = sorted(path for path in policy.origin_paths if path)
    found = {path: policy.origin(path) for path in paths}
    return {path: {"file": o.file, "line": o.line, "column": o.column} for path, o in found.items() if o is not None}


def _place(policy: Policy, path: str) -> str:
    return str(policy.origin(path) or "default")
