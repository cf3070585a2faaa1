"""Uses of a release: what somebody would do with it, and how much worse that becomes by masking. One use per file.

A policy lists uses (``tradeoff: {uses: [{classify: salary-class}, {cluster: 4}]}``). To add one, add a file with one
public `Use`, whose first field has the file's name; `registry()` finds it.
"""

from __future__ import annotations

from functools import cache

from auditor import registry as rooms
from auditor.utility.uses._base import Use, UseBaseline

__all__ = ["Use", "UseBaseline", "registry"]


@cache
def registry() -> rooms.Family[Use]:
    """Every use by the key that a policy writes, in alphabetical order."""
    return rooms.Family(__name__, Use)  # type: ignore[type-abstract]
