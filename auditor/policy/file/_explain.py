"""What pydantic found wrong in one block, said at its line."""

from __future__ import annotations

import re

from pydantic_core import ErrorDetails

from auditor.policy.file.nodes import Mapping, Node, Scalar, Sequence, shown
from auditor.policy.file.problems import Problems
from auditor.policy.file.secrets import Secrets

OPENING = re.compile(r"^[A-Z][a-z]+ should ")
"""How pydantic begins to say what would be right (Input should, String should, Tuple should)."""


def explain(error: ErrorDetails, node: Mapping, path: tuple[str, ...], secrets: Secrets, problems: Problems) -> None:
    """Note one error of a block; a secret's value is never repeated."""
    names = tuple(str(part) for part in error["loc"])
    place, key = _walk(node, names)
    if error["type"] == "model_type" and isinstance(place, Scalar):
        return  # where a scalar may stand too, what is wrong with it is an error of its own
    if error["type"] == "missing":
        problems.add(node.mark, f"{names[-1]} is missing", "", "missing")
    elif error["type"] == "value_error":
        hidden = secrets.inside((*path, *names))
        what = "values that do not fit together, one of them secret" if hidden else str(error["ctx"]["error"])
        problems.add(place.mark, what, "", "value")
    else:
        read = "the secret" if secrets.covers((*path, *names)) else shown(place)
        right = OPENING.sub("it must ", error["msg"])
        problems.add(place.mark, f"{key or 'this block'}: {read} was read", right, "value")


def _walk(node: Node, names: tuple[str, ...]) -> tuple[Node, str]:
    """The innermost node along a path of names, and the last key that leads to it."""
    key = ""
    for name in names:
        inner: Node | None = None
        if isinstance(node, Mapping):
            inner = node.get(name)
            key = name if inner is not None else key
        elif isinstance(node, Sequence) and name.isdigit() and int(name) < len(node.items):
            inner = node.items[int(name)]
        if inner is None:
            break
        node = inner
    return node, key
