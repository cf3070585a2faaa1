"""The options that choose where data is counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from auditor import engines
from auditor.cli._options import LazyChoice
from auditor.engines import Engine
from auditor.errors import UsageError

DEFAULT = "duckdb"


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--engine`` and ``--spark-conf``; the command gets the engine as `engine`, or None for the default one."""

    @wraps(command)
    def choosing(*, engine: str, spark_conf: tuple[str, ...], **given: Any) -> Any:
        return command(engine=_engine(engine, spark_conf), **given)

    chosen = click.option(
        "--engine",
        type=LazyChoice(engines.choices, engines.is_choice),
        default=DEFAULT,
        show_default=True,
        help="What counts the data: DuckDB in this process, or Spark (see docs/spark.md).",
    )
    told = click.option(
        "--spark-conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="A setting of Spark, such as spark.master=yarn. Repeatable.",
    )
    return chosen(told(choosing))


def _engine(name: str, settings: tuple[str, ...]) -> Engine | None:
    if settings and name != "spark":
        raise UsageError("--spark-conf is for --engine spark")
    if name == DEFAULT:
        return None
    split = [setting.partition("=") for setting in settings]
    engine = engines.chosen(name, {key if equals else "": value for key, equals, value in split})
    closing = getattr(engine, "close", None)
    if closing is not None:
        click.get_current_context().call_on_close(closing)
    return engine


def words_of(engine: Engine | None) -> list[str]:
    """The words of a command line that choose an engine."""
    return [] if engine is None else ["--engine", engine.name]
