"""Print the JSON Schema of the policy file, of result documents, or of certificates."""

from __future__ import annotations

from importlib.resources import files

import click

ROOMS = {"policy": "policy", "result": "result", "certificate": "certificates"}
"""Where each schema lies in the package."""


@click.command()
@click.argument("which", type=click.Choice(list(ROOMS)), default="policy")
def command(which: str) -> int:
    """Print the JSON Schema of the policy file, of what commands answer with --format json, or of certificates.

    Editors with a YAML language server use it to check and complete policies: auditor schema > policy.schema.json
    """
    # Printed from the package, so that no model has to be imported for it.
    click.echo((files("auditor") / ROOMS[which] / "schema.json").read_text(encoding="utf-8"), nl=False)
    return 0
