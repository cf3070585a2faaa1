"""``auditor explain``: what a model demands, its source, an example."""

from __future__ import annotations

import click

from auditor.errors import UsageError, nearest
from auditor.models import registry
from auditor.policy.explain_model import model_list, model_text


@click.command()
@click.argument("model", required=False)
def command(model: str | None) -> int:
    """Explain a MODEL: what it demands, its parameters, its source, an example. Without MODEL: list them."""
    models = registry()
    if model is None:
        click.echo(model_list(), nl=False)
    elif model in models:
        click.echo(model_text(models[model]), nl=False)
    else:
        raise UsageError(f"no model is called {model!r}{nearest(model, list(models))}; known: {', '.join(models)}")
    return 0
