"""Suppress: a value as it is, or ``*``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.hierarchies._base import STAR, TOP
from auditor.hierarchies._generated import Generated


@dataclass(frozen=True)
class Suppress(Generated):
    """The shortest ladder: the values, and ``*`` above them."""

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:  # noqa: ARG002  (nothing but the top)
        """See `Generated`."""
        return []

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`."""
        return TOP if label == STAR else 0

    def specimen(self, height: int) -> str:  # noqa: ARG002  (one level, whatever the values)
        """See `Hierarchy`. Any value does."""
        return "X"


def built() -> Suppress:
    """The hierarchy; it has no parameters, so a policy writes its name alone."""
    return Suppress()
