"""Loading: from a file, a starter pack's name or a Python mapping to a checked, effective policy."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any

from auditor.policy._check import check
from auditor.policy._complete import completed
from auditor.policy._inherit import Chain
from auditor.policy._problems import Problems, TooManyProblems
from auditor.policy._reader import FAILED, Reader
from auditor.policy.hierarchies import FileHierarchy
from auditor.policy.schema import Loaded, Policy


def load_policy(source: str | Path | AnyMapping[str, Any] | Policy) -> Policy:
    """The effective policy: read, merged with what it extends, checked, with the place of every value.

    Args:
        source: a policy file, the name of a starter pack, a mapping as the file would hold it, or a Policy (returned
            as it is).

    Raises:
        PolicyError: with every problem found, each naming its file, line and column.

    """
    if isinstance(source, Policy):
        return source
    problems = Problems()
    try:
        policy = _load(source, problems)
    except TooManyProblems:
        raise problems.error() from None
    problems.raise_if_any()
    return policy


def _load(source: str | Path | AnyMapping[str, Any], problems: Problems) -> Policy:
    chain = Chain(problems)
    tree = chain.effective(source)
    if tree is None:
        raise problems.error()
    tree = completed(tree, problems)
    reader = Reader(problems)
    policy = reader.model(tree, Policy)
    if policy is FAILED:
        raise problems.error()
    loaded = Loaded(
        file=chain.file,
        origins={path: origin for path, mark in reader.marks.items() if (origin := mark.origin) is not None},
        secrets=reader.secrets.names,
        files=reader.files,
        extends_chain=chain.names,
        citations=chain.citations,
    )
    policy._loaded = loaded  # noqa: SLF001  (a frozen model's private attributes are set where it is made)
    _attach_files(policy)
    check(policy, reader.marks, problems)
    return policy  # type: ignore[no-any-return]


def _attach_files(policy: Policy) -> None:
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.hierarchy, FileHierarchy):
            attribute.hierarchy._path = policy.file_at(f"attributes/{name}/hierarchy/file")  # noqa: SLF001  (as above)
