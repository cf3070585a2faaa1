"""Load policies, report every error and questionable choice."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import click

from auditor.errors import EXIT_MET, EXIT_USAGE, PolicyError, Problem, UsageError
from auditor.policy import load_policy
from auditor.policy.find import MANIFEST, nearest_manifest, project_policies
from auditor.policy.lint import doubts
from auditor.report.formats.text import inert
from auditor.report.words import visible

COLOURS = {"error": "red", "warning": "yellow"}


@click.command()
@click.argument("policies", nargs=-1, metavar="[POLICY]...")
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The date on which waivers are judged.  [default: today]",
)
def command(policies: tuple[str, ...], as_of: datetime | None) -> int:
    """Load each POLICY and report every error and every questionable choice.

    Without POLICY, load every policy in the folder policies/ and those that auditor.yaml names. With errors, the exit
    code is 2; questionable choices do not change it.
    """
    today = as_of.date() if as_of else datetime.now(UTC).date()
    files = list(dict.fromkeys(_files(policies)))
    if not files:
        raise UsageError("no policies found: name them, or run where there is a folder policies/ or an auditor.yaml")
    counts = {"error": 0, "warning": 0}
    for file in files:
        for level, problem in _problems(file, today):
            counts[level] += 1
            _say(level, problem)
    click.echo(
        f"{_count(len(files), 'policy', 'policies')}: " + ", ".join(_count(n, each) for each, n in counts.items())
    )
    return EXIT_USAGE if counts["error"] else EXIT_MET


def _files(named: tuple[str, ...]) -> Iterator[str]:
    if not named:
        manifest = nearest_manifest(Path.cwd())
        inside = _of_manifest(manifest) if manifest is not None else []
        yield from sorted({os.path.relpath(file) for file in (*inside, *project_policies(Path.cwd()))})
    for name in named:
        if Path(name).name == MANIFEST:
            yield from (os.path.relpath(file) for file in _of_manifest(Path(name)))
        else:
            yield name


def _of_manifest(manifest: Path) -> list[Path]:
    """The policies of a manifest's releases; everything that is wrong in the manifest is an error."""
    from auditor.gate import policies_of

    return policies_of(manifest)


def _problems(file: str, today: date) -> Iterator[tuple[str, Problem]]:
    try:
        policy = load_policy(file)
    except PolicyError as wrong:
        yield from (("error", problem) for problem in wrong.problems)
        return
    yield from (("warning", doubt) for doubt in doubts(policy, today))


def _say(level: str, problem: Problem) -> None:
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    label = click.style(level, fg=COLOURS[level], bold=True) if coloured else level
    where, what = visible(f"{problem.where}"), visible(f"{problem.what}; {problem.right}".removesuffix("; "))
    click.echo(inert(f"{where}: {label}: {what} [{problem.code}]"))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
