"""Masking methods: one per file. To add one, add a file with one public `Method`; nothing else lists them by hand.

Each is a pure function of a table, its parameters and a seeded generator. `registry()` finds them.
"""

from __future__ import annotations

from functools import cache

from auditor import registry as rooms
from auditor.masking._base import Method
from auditor.masking._mdav import mdav as mdav_groups
from auditor.masking._univariate import optimal_univariate as optimal_groups

__all__ = ["Method", "mdav_groups", "optimal_groups", "registry"]


@cache
def registry() -> rooms.Family[Method]:
    """Every method by its policy name, in alphabetical order; a method is imported when it is asked for."""
    return rooms.Family(__name__, Method)  # type: ignore[type-abstract]
