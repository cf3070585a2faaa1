"""``--write-baseline``: what fails today as known failures, so that a policy can be adopted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import wraps
from pathlib import Path
from typing import Any

import click

from auditor.errors import UsageError
from auditor.report import delivery
from auditor.result import Result

_FILE = click.option(
    "--write-baseline",
    metavar="FILE",
    help="Record what fails now as known failures, so that the policy can be adopted.",
)
_DAYS = click.option(
    "--baseline-days",
    type=click.IntRange(1, 365),
    default=90,
    show_default=True,
    help="How many days the known failures are excused.",
)


@dataclass(frozen=True)
class Baseline:
    """A baseline to be written: its file, and for how many days it excuses."""

    target: Path
    days: int

    def __post_init__(self) -> None:
        """Never over another, which would excuse in silence what got worse."""
        if self.target.exists() or not self.target.parent.is_dir():
            exists = "exists already; a baseline is never overwritten, because it would grow"
            raise UsageError(f"--write-baseline {self.target}: {exists if self.target.exists() else 'no such folder'}")

    def write(self, result: Result, policy: str) -> None:
        """Record what failed; nothing is written where nothing did that may be excused."""
        from auditor.judge import known_failures
        from auditor.policy import load_policy
        from auditor.policy.file.yaml_text import yaml_text

        day = date.fromisoformat(result.evaluated_on) + timedelta(days=self.days)
        entries, refused = known_failures(load_policy(policy), result.requirements, day)
        for sentence in refused:
            click.echo(sentence, err=True)
        if not entries:
            click.echo("no known failure was recorded", err=True)
            return
        delivery.write(self.target, yaml_text({"baseline": entries}).encode("utf-8"))
        click.echo(f"{self.target}: say `baseline: {self.target.name}` in the policy, and shrink it", err=True)


def baseline_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--write-baseline`` and ``--baseline-days``; the command gets `baseline`, None where it is not asked for."""

    @wraps(command)
    def collected(*, write_baseline: str | None, baseline_days: int, **given: Any) -> Any:
        asked = None if write_baseline is None else Baseline(Path(write_baseline), baseline_days)
        return command(baseline=asked, **given)

    return _FILE(_DAYS(collected))
