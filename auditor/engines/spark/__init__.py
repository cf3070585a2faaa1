"""The engine for data on a cluster: Spark counts, partitions of whole classes are read where they are.

``import auditor`` never imports PySpark: this room is imported for a Spark DataFrame, or by whoever names the engine.
"""

from collections.abc import Mapping

from auditor.engines.spark._engine import Spark
from auditor.errors import UsageError

__all__ = ["Spark", "chosen"]


def chosen(settings: Mapping[str, str]) -> Spark:
    """The engine of ``--engine spark``; its settings are those of a session that is to be made."""
    if not all(key.startswith("spark.") for key in settings):
        # not repeated: a setting may hold a password
        raise UsageError("--spark-conf takes KEY=VALUE with a key that begins with spark., as spark.master=local[4]")
    return Spark(conf=settings)
