"""What comparing two policies found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditor.result._document import SCHEMA_VERSION, Tool
from auditor.result._marks import Strictness, Verdict, fact, plain
from auditor.result._requirement import Location


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One field that differs.

    `path` names entries of lists by their id. `old` and `new` are plain values, None where nothing is said, and
    "confidential" for a secret. `direction` is when a value of the field is stricter. `found` has the files among the
    values whose name nobody wrote, as a `GateFile` says it.
    """

    path: str = fact()
    old: Any = fact()
    new: Any = fact()
    old_origin: Location | None = fact()
    new_origin: Location | None = fact()
    direction: str = fact()
    verdict: Strictness = fact()
    note: str | None = fact(None)
    found: tuple[str, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class ComparedPolicy:
    """One of the two policies."""

    name: str = fact()
    source: str | None = fact()
    """How the caller names its place, such as ``main:policies/clinic.yaml``."""
    file: str | None = fact()
    """Its file, relative to the repository or the current folder."""
    sha256: str = fact()


@dataclass(frozen=True, kw_only=True)
class JudgedByBoth:
    """What one dataset is under each of the two policies; None where a policy has nothing to judge a dataset by."""

    data: str = fact()
    old: Verdict | None = fact()
    new: Verdict | None = fact()

    @property
    def flips(self) -> bool:
        """Whether the two say different things."""
        return self.old is not self.new


@dataclass(frozen=True, kw_only=True)
class PolicyComparison:
    """Two policies field by field; the fields that need somebody's approval stand first."""

    schema_version: int = fact(SCHEMA_VERSION)
    tool: Tool = fact()
    command: str = fact("diff")
    verdict: Strictness = fact()
    old: ComparedPolicy = fact()
    new: ComparedPolicy = fact()
    differences: tuple[Difference, ...] = fact(())
    data: tuple[JudgedByBoth, ...] = fact(())
    """What datasets are under both, those that flip first; evidence that has no say in the verdict."""

    def __repr__(self) -> str:
        """The verdict alone, as of other results."""
        return f"<{type(self).__name__}: {self.verdict}, {len(self.differences)} fields differ>"

    @property
    def at_least_as_strict(self) -> bool:
        """Whether no release that meets the new policy breaks the old one."""
        return self.verdict in (Strictness.STRICTER, Strictness.EQUAL)

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values."""
        return {**plain(self)}
