"""The installed distribution: its name, its version, and how one of its extras is installed."""

from __future__ import annotations

from functools import cache

NAME = "disclosure-auditor"
"""What pyproject.toml calls the distribution. The command and the import are called auditor."""


@cache
def version() -> str:
    """The version that is installed."""
    from importlib import metadata  # it takes longer than all that `import auditor` loads

    return metadata.version(NAME)


def installation(extra: str) -> str:
    """The command that adds an extra to this installation; it needs no distribution of this name on an index."""
    return f'pip install "{NAME}[{extra}]"'
