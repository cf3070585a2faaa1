"""Spark as an engine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.closing import Closing
from auditor.dialect import CsvDialect
from auditor.engines._address import Address
from auditor.engines._limits import RunLimits
from auditor.engines._protocol import EngineFacts, Source
from auditor.errors import Unsupported

if TYPE_CHECKING:
    from auditor.engines.spark._hadoop import Hadoop


class Spark(Closing):
    """Counts on a cluster, with a session that is given, that runs already, or that is made from settings.

    A session that was given or ran already is never stopped; one of our own is, by `close` or at the process's end.

    >>> spark = Spark(conf={"spark.master": "local[2]"})
    """

    name = "spark"
    folders = True

    def __init__(self, session: Any = None, conf: Mapping[str, str] = MappingProxyType({})) -> None:
        """Use a `SparkSession`, classic or Connect; `conf` holds the settings of a session that is to be made."""
        self._session = session
        self._conf = dict(conf)
        self._own = False

    def open(self, data: Any, dialect: CsvDialect, limits: RunLimits, workspace: Path | None) -> Source:
        """Open a path, an address, ``table:NAME`` of the catalog, or a DataFrame."""
        from auditor.engines.duckdb.connection import Connection
        from auditor.engines.spark import _open, _session
        from auditor.engines.spark._cluster import SparkCluster
        from auditor.engines.spark._source import SparkSource

        version = str(_session.pyspark().__version__)
        connection = Connection(limits, workspace)
        try:
            name = _called(data)
            if dialect.notation or dialect.columns:
                raise Unsupported(
                    f"{name}: the engine spark reads only numbers with a decimal point and days as 2026-02-10, and no "
                    "fixed-width files; use DuckDB, or leave out `reading`, --decimal, --thousands, --dates, --columns"
                )
            _refuse_what_spills(limits)
            cluster = SparkCluster(self._started(limits), name, limits)
            _refuse_unencrypted(limits, cluster.session)
            opened = _open.opened(cluster, data, dialect)
            cluster.what, cluster.delimiter = opened.facts.name, opened.delimiter or dialect.released
            connection.lock([])
            return SparkSource(cluster, connection, opened, EngineFacts("spark", version))
        except BaseException:
            connection.close()
            raise

    def _started(self, limits: RunLimits) -> Any:
        from auditor.engines.spark import _session
        from auditor.engines.spark._progress import is_connect

        if self._session is None:
            self._session = None if self._conf else _session.running()
        if self._session is None:
            self._session = _session.started(self._conf, limits.engine_memory, limits.remaining())
            self._own = True
        if self._own and is_connect(self._session):
            _session.be_patient(self._session, limits)
        return self._session

    def storage(self, address: Address, limits: RunLimits) -> Hadoop:  # noqa: ARG002  (one session, all addresses)
        """The file systems that the session knows."""
        from auditor.engines.spark import _session
        from auditor.engines.spark._hadoop import Hadoop

        _session.pyspark()
        return Hadoop(self._started(limits), limits)

    def close(self) -> None:
        """Stop the session, if it is our own."""
        if self._own:
            self._own, session = False, self._session
            self._session = None
            session.stop()


def _refuse_what_spills(limits: RunLimits) -> None:
    """Spark sorts rows out among its tasks by way of disks, whatever memory there is."""
    if limits.spill.form == "never":
        raise Unsupported(
            "the policy says spill: never, and Spark always writes codes and values to its executors' disks"
        )


def _refuse_unencrypted(limits: RunLimits, session: Any) -> None:
    if limits.spill.form == "encrypted" and session.conf.get("spark.io.encryption.enabled", "false") != "true":
        raise Unsupported(
            "the policy says spill: encrypted, and this session writes to disks in the clear; start one with "
            "--spark-conf spark.io.encryption.enabled=true"
        )


def _called(data: Any) -> str:
    """What messages call the data before it is open: without credentials."""
    if isinstance(data, str | os.PathLike):
        return os.fspath(data).split("?", 1)[0].rsplit("@", 1)[-1]
    return str(getattr(data, "name", type(data).__name__))
