"""``auditor explain``: what a model demands or a masking method does, its source, an example."""

from __future__ import annotations

import click

from auditor.errors import UsageError, nearest
from auditor.policy.explain_model import explained, model_list, model_text


@click.command()
@click.argument("model", required=False)
def command(model: str | None) -> int:
    """Explain a MODEL or masking method: what it does, its parameters, its source, an example. Without: list them."""
    known = explained()
    if model is None:
        click.echo(model_list(), nl=False)
    elif model in known:
        click.echo(model_text(known[model]), nl=False)
    else:
        raise UsageError(
            f"no model or masking method is called {model!r}{nearest(model, list(known))}; known: {', '.join(known)}"
        )
    return 0
