"""``auditor schema``: the JSON Schema of the policy file."""

from __future__ import annotations

from importlib.resources import files

import click


@click.command()
def command() -> int:
    """Print the JSON Schema of the policy file.

    Editors with a YAML language server check and complete policies with it: auditor schema > policy.schema.json
    """
    # Printed from the package, so that no model has to be imported for it.
    click.echo((files("auditor") / "policy" / "schema.json").read_text(encoding="utf-8"), nl=False)
    return 0
