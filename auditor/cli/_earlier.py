"""``--previous``, ``--previous-original``, ``--first-release``: the releases before this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import zip_longest
from typing import Any

import click

from auditor.cli._shown import relative
from auditor.errors import UsageError

_PREVIOUS = click.option(
    "--previous", metavar="DATA", multiple=True, help="An earlier release; repeatable, from the first."
)
_ORIGINALS = click.option(
    "--previous-original",
    "originals",
    metavar="DATA",
    multiple=True,
    help="The table that an earlier release was made from: one for each --previous, in their order.",
)
_FIRST = click.option("--first-release", is_flag=True, help="There is no earlier release.")


@dataclass(frozen=True)
class EarlierReleases:
    """What the command line says of earlier releases: each with its original; None where it says nothing."""

    said: tuple[tuple[str, str | None], ...] | None

    @property
    def places(self) -> list[str]:
        """What is read of them."""
        return [place for each in self.said or () for place in each if place is not None]

    def options(self, original: str | None = None) -> list[str]:
        """The options that say so, with file names as the reader of a report will have them."""
        if self.said is None:
            return []
        words = ["--first-release"] if not self.said else []
        words += ["--original", relative(original)] if original is not None else []
        for release, made_from in self.said:
            words += ["--previous", relative(release)]
            words += [] if made_from is None else ["--previous-original", relative(made_from)]
        return words


def earlier_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options, which a command gets as ``earlier``."""

    @wraps(command)
    def gathered(*, previous: tuple[str, ...], originals: tuple[str, ...], first_release: bool, **others: Any) -> Any:
        if first_release and (previous or originals):
            raise UsageError("--first-release says that there is no earlier release; leave out --previous")
        if originals and len(originals) != len(previous):
            raise UsageError("--previous-original is given once for each --previous, in their order, or not at all")
        said = tuple(zip_longest(previous, originals)) if previous or first_release else None
        return command(earlier=EarlierReleases(said), **others)

    return _PREVIOUS(_ORIGINALS(_FIRST(gathered)))


NO_DRY_RUN = "--dry-run does not foretell what earlier releases take; leave out --previous"
