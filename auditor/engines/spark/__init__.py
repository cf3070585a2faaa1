"""The engine for data on a cluster: Spark counts, partitions of whole classes are read where they are.

``import auditor`` never imports PySpark: this room is imported for a Spark DataFrame, or by whoever names the engine.
"""

from auditor.engines.spark._engine import Spark

__all__ = ["Spark"]
