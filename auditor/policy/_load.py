"""Loading: from a file, a starter pack's name or a Python mapping to a checked, effective policy."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditor.hierarchies.file import FileHierarchy
from auditor.policy._check import check
from auditor.policy._inherit import Chain, named_policy
from auditor.policy.file.complete import completed, with_sample
from auditor.policy.file.nodes import Mark
from auditor.policy.file.problems import Problems, quoted, reported
from auditor.policy.file.reader import FAILED, PolicyReader
from auditor.policy.schema import LoadFacts, Policy, SampleBlock

MOST_SHOWN = 5
"""So many weaker fields are named where a policy does not load for them."""


def load_policy(source: str | Path | AnyMapping[str, Any] | Policy, folder: Path | None = None) -> Policy:
    """Load the effective policy: read it, merge in what it extends, check it, and keep the place of every value.

    Args:
        source: a policy file, the name of a starter pack, a mapping with the contents of a file, or a Policy (returned
            unchanged).
        folder: the folder to which file names in a mapping are relative; by default the current folder.

    Raises:
        PolicyError: contains every problem found, each with its file, line and column.

    """
    if isinstance(source, Policy):
        return source
    with reported() as problems:
        policy, marks = _load(source, problems, folder)
        _hold_to_contract(policy, marks, problems)
        if policy.at_least and not problems.found:
            _hold_to(policy, marks, problems)
    return policy


def _load(
    source: str | Path | AnyMapping[str, Any], problems: Problems, folder: Path | None = None
) -> tuple[Policy, dict[str, Mark]]:
    chain = Chain(problems, folder)
    tree = chain.effective(source)
    if tree is None:
        raise problems.error()
    tree = completed(with_sample(tree, SampleBlock.model_fields), problems)
    reader = PolicyReader(problems)
    policy = reader.model(tree, Policy)
    if policy is FAILED:
        raise problems.error()
    decided = tuple(each.among(policy.requirements) for each in policy.requirements)
    policy = policy.model_copy(update={"requirements": decided})
    loaded = LoadFacts(
        file=chain.file,
        path=chain.path,
        origins={path: origin for path, mark in reader.marks.items() if (origin := mark.origin) is not None},
        secrets=reader.secrets.names,
        files=reader.files,
        extends_chain=chain.names,
        citations=chain.citations,
        sources=(*chain.done, *chain.lists),
    )
    policy._loaded = loaded  # noqa: SLF001  (a frozen model's private attributes are set where it is made)
    _attach_files(policy)
    check(policy, reader.marks, problems)
    return policy, reader.marks


def _hold_to_contract(policy: Policy, marks: dict[str, Mark], problems: Problems) -> None:
    if policy.contract is None:
        return
    from auditor.policy.contracts import held_to_contract

    file = held_to_contract(policy, marks, problems)
    if file is not None:
        policy._loaded = replace(policy._loaded, sources=(*policy._loaded.sources, file))  # noqa: SLF001  (as in _load)


def _hold_to(policy: Policy, marks: dict[str, Mark], problems: Problems) -> None:
    """Note every policy that this one says it is at least as strict as, and is not.

    What such a policy says of others is not followed: it speaks of itself alone.
    """
    from auditor.policy.compare import compare, needing_approval

    for index, name in enumerate(policy.at_least):
        mark = marks[f"at_least/{index}"]
        file = named_policy(name, mark, problems)
        if file is None:
            continue
        known = len(problems.found)
        floor, _ = _load(file, problems)
        if len(problems.found) > known:
            return
        sources = (*policy.sources, *floor.sources)
        policy._loaded = replace(policy._loaded, sources=sources)  # noqa: SLF001  (as in _load)
        # What the other one is held to itself demands nothing of a release.
        fields = [field for field in needing_approval(compare(floor, policy)) if field != "at_least"]
        if fields:
            what = f"the policy is not at least as strict as {quoted(name)}: {', '.join(fields[:MOST_SHOWN])}"
            problems.add(mark, what, f"auditor diff {name} {policy.file or policy.name} says where", "weaker")


def _attach_files(policy: Policy) -> None:
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.hierarchy, FileHierarchy):
            attribute.hierarchy._path = policy.file_at(f"attributes/{name}/hierarchy/file")  # noqa: SLF001  (as above)
