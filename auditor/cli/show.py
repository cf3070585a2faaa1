"""Print the effective policy with origins."""

from __future__ import annotations

import json

import click

from auditor.policy import Policy, load_policy
from auditor.policy.show import origins, policy_document, policy_text


@click.command()
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
def command(policy: str, form: str) -> int:
    """Print the policy as it is judged: everything inherited merged in, defaults filled in.

    After each value comes the file, line and column that it was read from. Secrets are shown as "confidential".
    """
    loaded = load_policy(policy)
    click.echo(_as_json(loaded) if form == "json" else policy_text(loaded), nl=False)
    return 0


def _as_json(policy: Policy) -> str:
    facts = {"name": policy.name, "sha256": policy.sha256, "file": policy.file, "extends": list(policy.extends_chain)}
    document = {**facts, "policy": policy_document(policy), "origins": origins(policy)}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
