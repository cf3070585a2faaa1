"""Refuse files that must not be committed."""

from __future__ import annotations

import click

from auditor.errors import EXIT_MET, EXIT_NOT_MET
from auditor.report.formats.text import inert
from auditor.report.words import visible


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
def command(files: tuple[str, ...]) -> int:
    """Refuse each FILE that is raw data, as a hook before a commit.

    Raw data is the original of a release of the manifest, a table with a column that a policy of the project calls an
    identifier or free text, or a table that the manifest, its policies and their tests do not name. The exit code is 1
    if a file is refused.
    """
    from auditor.gate import refused

    found = list(refused(files))
    for sentence in found:
        click.echo(inert(str(visible(sentence))))
    return EXIT_NOT_MET if found else EXIT_MET
