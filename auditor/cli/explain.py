"""Explain a model, a limit or a masking method, with its source and an example."""

from __future__ import annotations

import click

from auditor.errors import UsageError, nearest
from auditor.policy.explain import explained, explanation, explanations


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain a model, a limit or a masking method by NAME: parameters, source, an example. Without NAME: list all."""
    known = explained()
    if name is None:
        click.echo(explanations(), nl=False)
    elif name in known:
        click.echo(explanation(known[name]), nl=False)
    else:
        raise UsageError(
            f"no model, limit or masking method is called {name!r}{nearest(name, list(known))}; "
            f"known: {', '.join(known)}"
        )
    return 0
