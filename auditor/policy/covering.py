"""Where a policy's hierarchy does not cover the data: the error with the line of the policy and the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from auditor.classes import IntArray
from auditor.errors import UncoveredValues
from auditor.policy.attributes import Attribute
from auditor.policy.schema import Policy


@contextmanager
def gaps_located(
    policy: Policy, attribute: Attribute, values: Sequence[str | None], records: IntArray
) -> Iterator[None]:
    """While the ladder of an attribute is built over `values`, each held by so many `records` (int64[m]).

    Raises:
        UncoveredValues: the ladder does not cover them, with the line of the policy; `extent` counts records too.
    """
    try:
        yield
    except UncoveredValues as gap:
        counts = dict(zip(values, records.tolist(), strict=True))
        raise gap.located(_place(policy, attribute), counts) from None


def _place(policy: Policy, attribute: Attribute) -> str:
    """The line of the policy that has the attribute's hierarchy; of a policy without lines, the path of its keys."""
    paths = [f"attributes/{name}/hierarchy" for name, each in policy.attributes.items() if each is attribute]
    path = paths[0] if paths else "attributes"
    return str(policy.origin(path) or f"{policy.name} at {path}")
