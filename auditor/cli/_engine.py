"""The options that choose where data is counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.engines.spark import Spark


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--engine`` and ``--spark-conf``; the command gets a `Spark` as `engine`, or None for DuckDB."""

    @wraps(command)
    def choosing(*, engine: str, spark_conf: tuple[str, ...], **given: Any) -> Any:
        return command(engine=_engine(engine, spark_conf), **given)

    chosen = click.option(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        default="duckdb",
        show_default=True,
        help="What counts: DuckDB in this process, or Spark (see docs/spark.md).",
    )
    told = click.option(
        "--spark-conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark, as spark.master=yarn. Repeatable."
    )
    return chosen(told(choosing))


def _engine(name: str, settings: tuple[str, ...]) -> Spark | None:
    if name != "spark":
        if settings:
            raise UsageError("--spark-conf is for --engine spark")
        return None
    from auditor.engines.spark import Spark

    split = [setting.partition("=") for setting in settings]
    if any(not (key.startswith("spark.") and equals) for key, equals, _ in split):
        # not repeated: a setting may hold a password
        raise UsageError("--spark-conf takes KEY=VALUE with a key that begins with spark., as spark.master=local[4]")
    engine = Spark(conf={key: value for key, _, value in split})
    click.get_current_context().call_on_close(engine.close)
    return engine
