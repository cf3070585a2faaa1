"""Compare two policies field by field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from auditor.cli._options import added, bounding_options, format_options
from auditor.errors import EXIT_MET, EXIT_WEAKENED
from auditor.report import delivery, formats
from auditor.report.comparison import ComparisonPage


def _formats(command: Callable[..., Any]) -> Callable[..., Any]:
    return added(command, format_options(ComparisonPage, "form"))


@click.command()
@click.argument("old")
@click.argument("new")
@_formats
@click.option(
    "--data",
    multiple=True,
    metavar="DATA",
    help="Judge this dataset by both policies, and say whether its verdict flips. Repeatable.",
)
@bounding_options
def command(
    *,
    old: str,
    new: str,
    form: str,
    reports: tuple[str, ...],
    data: tuple[str, ...],
    memory: str | None,
    spill: str | None,
    time_limit: float | None,
) -> int:
    """Compare the policies OLD and NEW field by field; what is weaker comes first.

    Each is a file, the name of a starter pack, or REV:PATH, a file of a git revision. The exit code is 4 if NEW is
    not at least as strict as OLD. The verdicts on DATA are evidence; they do not change the exit code.
    """
    from auditor.audit import diff

    plan = delivery.plan(form, reports, inputs=[old, new, *data])
    plan.refuse_others(ComparisonPage)
    found = diff(old, new, data=data, memory=memory, spill=spill, time_limit=time_limit)
    page = ComparisonPage(found)
    for target in plan.targets:
        delivery.write(target.path, formats.write(page, target.format).encode("utf-8"))
    delivery.show(formats.write(page, form))
    return EXIT_MET if found.at_least_as_strict else EXIT_WEAKENED
