"""Parameters taken from the environment: ``{secret: NAME}``.

The value goes into the model that judges; its place is remembered, and nothing that is shown or hashed holds it.
"""

from __future__ import annotations

import os

from auditor.policy.file.nodes import Mapping, Mark, Scalar
from auditor.policy.file.problems import Problems, quoted

KEY = "secret"
CONFIDENTIAL = "confidential"
BLOCKS = frozenset({"requirements", "outputs", "protection", "queries"})
PUBLIC_FIELDS = frozenset(
    {
        "id",
        "model",
        "type",
        "method",
        "severity",
        "because",
        "sensitive",
        "quasi_identifiers",
        "attribute",
        "attributes",
    }
)
"""Fields that name things; they are no parameters, and hiding them would hide what is judged."""


def secret_name(node: Mapping, path: tuple[str, ...]) -> str | None:
    """The variable that a mapping names, where a parameter may be secret."""
    if len(path) < 2 or path[0] not in BLOCKS or PUBLIC_FIELDS & set(path):
        return None
    return node.text(KEY) if len(node.entries) == 1 else None


class Secrets:
    """The places whose values came from the environment, and the variables' names."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.names: dict[str, str] = {}

    def take(self, name: str, mark: Mark, path: tuple[str, ...]) -> Scalar | None:
        """The variable's value as a plain scalar, its place remembered; None, with a problem noted, if it has none."""
        self.names["/".join(path)] = name
        value = os.environ.get(name) if "=" not in name and "\0" not in name else None
        if value is None:
            self.problems.add(
                mark,
                f"the environment variable {quoted(name)} is not set",
                "set it where the policy is judged",
                "secret",
            )
            return None
        return Scalar(value.strip(), True, mark)

    def inside(self, path: tuple[str, ...]) -> bool:
        """Whether a block at this place holds a secret, or is one."""
        return self.covers(path) or any(place.startswith("/".join((*path, ""))) for place in self.names)

    def covers(self, path: tuple[str, ...]) -> bool:
        """Whether a value at this place, or one that it is part of, is secret."""
        return any("/".join(path[:length]) in self.names for length in range(1, len(path) + 1))
