"""Explain a model, a limit or a masking method, with its source and an example."""

from __future__ import annotations

import click

from auditor.policy.explain import explain


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain a model, a limit or a masking method: parameters, source, an example. Without NAME: list all.

    NAME is what a policy calls it, or what a result does: `max-confidence`, `clusters-max-confidence`, `queries-group`.
    """
    click.echo(explain(name), nl=False)
    return 0
