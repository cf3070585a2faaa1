"""For whom standard error is: whoever ran the command, unless ``--audience`` names somebody who may see less.

`--format github` writes into a log that anybody may read, so there standard error is for the public as well. Below the
internal audience a place stands for a file that was found in a folder or by a pattern, and nothing for a name in
quotation marks that neither the policy nor the command line has: it may be a column that is a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from glob import glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.errors import AuditorError, NotEvaluated

if TYPE_CHECKING:
    from auditor.result import Audience

MOST_FILES = 10_000


@dataclass
class ErrorReader:
    """Who reads standard error, as the options of the command that runs say it."""

    command: click.Context | None = None

    @property
    def audience(self) -> Audience:
        """The audience that was named, or that the format writes for into a log; else whoever ran the command."""
        from auditor.result import Audience

        given = {} if self.command is None else self.command.params
        into_log = Audience.PUBLIC if given.get("format") == "github" else Audience.INTERNAL
        return given.get("audience") or into_log

    def message(self, error: AuditorError) -> str:
        """What an error says to them."""
        if self.audience == "internal" or self.command is None or not isinstance(error, NotEvaluated):
            return str(error)
        typed = list(_typed(self.command.params))
        text = str(error)
        for name, place in _places(typed):
            text = place.join(re.split(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text))
        from auditor.report.names import without_quoted

        return without_quoted(text, {*typed, *_named(self.command.params.get("policy"))})


def _typed(given: Any) -> Iterator[str]:
    """The words of the command line."""
    for value in given.values() if isinstance(given, dict) else given:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from _typed(value)


def _places(typed: list[str]) -> Iterator[tuple[str, str]]:
    """What was found in folders and by patterns, longer names first, and what is said instead."""
    from auditor.errors import without_partitions

    found: dict[str, str] = {}
    for word in typed:
        folder = Path(word)
        paths = sorted(islice(folder.rglob("*"), MOST_FILES)) if folder.is_dir() else _matching(word)
        files = [path for path in paths if path.is_file()]
        for number, path in enumerate(files, 1):
            names = {path.name, str(path), str(path.relative_to(folder)) if folder.is_dir() else path.name}
            found |= dict.fromkeys(names, f"file {number}")
        keyed = {part for path in (folder, *paths) for part in path.parts if "=" in part}
        found |= {part: without_partitions(part) for part in keyed}
    yield from sorted(found.items(), key=lambda each: -len(each[0]))


def _matching(word: str) -> list[Path]:
    if not set(word) & set("*?["):
        return []
    return sorted(map(Path, islice(glob(word, recursive=True), MOST_FILES)))  # noqa: PTH207  (may be absolute)


def _named(policy: Any) -> Iterator[str]:
    """The columns that the policy names."""
    from auditor.policy import load_policy

    if policy is not None:
        try:
            yield from load_policy(policy).attributes
        except AuditorError:
            return
