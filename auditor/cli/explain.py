"""Explain a model, a limit or a masking method, with its source and an example."""

from __future__ import annotations

import click

from auditor.errors import UsageError, nearest
from auditor.policy.explain import explained, explanation, explanations, named


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain a model, a limit or a masking method: parameters, source, an example. Without NAME: list all.

    NAME is what a policy calls it, or what a result does: `max-confidence`, `clusters-max-confidence`, `queries-group`.
    """
    if name is None:
        click.echo(explanations(), nl=False)
    elif (meant := named(name)) is not None:
        click.echo(explanation(meant), nl=False)
    else:
        known = explained()
        raise UsageError(
            f"no model, limit or masking method is called {name!r}{nearest(name, list(known))}; "
            f"known: {', '.join(known)}"
        )
    return 0
