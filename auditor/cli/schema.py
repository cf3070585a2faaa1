"""``auditor schema``: the JSON Schema of the policy file, and that of result documents."""

from __future__ import annotations

from importlib.resources import files

import click


@click.command()
@click.argument("which", type=click.Choice(["policy", "result"]), default="policy")
def command(which: str) -> int:
    """Print the JSON Schema of the policy file, or of the documents that commands answer with --format json.

    Editors with a YAML language server check and complete policies with it: auditor schema > policy.schema.json
    """
    # Printed from the package, so that no model has to be imported for it.
    click.echo((files("auditor") / which / "schema.json").read_text(encoding="utf-8"), nl=False)
    return 0
