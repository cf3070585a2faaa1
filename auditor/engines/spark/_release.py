"""Releases on the cluster: ladders travel to the rows; what is suppressed is taken out, and the rest written, there.

Values are told by the hashes that they are counted by, of which the missing value has its own, so that no join has to
be null-safe. A value that came into the data since it was counted has no code, and ends the work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql import functions as fn

from auditor.classes import IntArray
from auditor.engines._address import Address
from auditor.engines._protocol import Recoding, ReleaseRequest
from auditor.engines.duckdb.copies import is_text_folder
from auditor.engines.spark import _lines, _metadata
from auditor.engines.spark._cluster import SparkCluster
from auditor.engines.spark._coding import arrow
from auditor.engines.spark._hadoop import Hadoop
from auditor.engines.spark._values import FewValues, ManyValues, RowCounts
from auditor.errors import DataError, DeliveryError, Unsupported

STAR = "*"


@dataclass(frozen=True)
class _MarkedRows:
    """Rows with what tells whether they are suppressed: an expression per column, and the codes in its terms."""

    frame: Any
    expressions: list[Any]
    suppressed: list[IntArray]


def released(counting: RowCounts, values: Mapping[str, FewValues | ManyValues], release: ReleaseRequest) -> Any:
    """The rows of a release, under its names, spread by a hash of what they hold and sorted by it in each partition.

    So neither the file nor the place in it tells more of a record than its released values do.

    Raises:
        Unsupported: the release keeps the order of the rows, or recodes by groups of records.
    """
    if release.keep_order:
        raise Unsupported(f"{counting.what}: the rows of a cluster have no order to keep")
    if release.regrouping is not None:
        raise Unsupported(
            f"{counting.what}: the engine spark releases by levels of hierarchies; use search: optimal, samarati or "
            "incognito"
        )
    with counting.cluster.planning():
        told, shown = _recoded(counting, values, release)
        frame = told.frame
        suppressed = {f"s{place}": codes for place, codes in enumerate(told.suppressed)}
        if suppressed and len(release.suppressed):
            out = counting.cluster.frame(arrow(suppressed)).withColumn("out", fn.lit(1))
            same = [own == fn.col(name) for own, name in zip(told.expressions, suppressed, strict=True)]
            frame = frame.join(out, same, "left" if release.starred else "left_anti")
        wanted = [shown[name].alias(f"y{place}") for place, name in enumerate(release.columns)]
        frame = _metadata.only(frame.select(*wanted), _unchanged(counting, release))
        return frame.repartition(*frame.columns).sortWithinPartitions(*frame.columns).toDF(*release.columns)


def _recoded(
    counting: RowCounts, values: Mapping[str, FewValues | ManyValues], release: ReleaseRequest
) -> tuple[_MarkedRows, dict[str, Any]]:
    """The rows joined with nodes and labels, and the expression of each released column."""
    recodings = {each.column: each for each in release.recodings}
    places = {name: place for place, name in enumerate(counting.columns)}
    frame, nodes = counting.frame, {}
    shown = {name: fn.col(f"x{places[name]}") for name in release.columns}
    suppressed = {name: release.suppressed[:, place] for place, name in enumerate(release.told_by)}
    for place, name in enumerate(dict.fromkeys((*recodings, *release.told_by))):
        own, recoding = values[name], recodings.get(name)
        if isinstance(own, ManyValues):
            nodes[name], suppressed[name] = own.hash, _hashes(counting, own, suppressed[name])
            continue
        small = _small(own, recoding, place, starred=release.with_stars)
        frame = frame.join(fn.broadcast(counting.cluster.frame(small)), own.hash == fn.col(f"h{place}"), "left")
        nodes[name] = _known(counting, fn.col(f"n{place}"))
        if recoding is not None and name in shown:
            shown[name] = _label(shown[name], recoding, place, nodes[name], starred=release.with_stars)
    told = [nodes[name] for name in release.told_by]
    return _MarkedRows(frame, told, [suppressed[name] for name in release.told_by]), shown


def _unchanged(counting: RowCounts, release: ReleaseRequest) -> dict[int, Mapping[str, Any]]:
    """The metadata of the columns that are released with every value they had, by their places in the release."""
    if len(release.suppressed) and not release.starred:
        return {}
    changed = {each.column for each in release.recodings if each.labels is not None or release.with_stars}
    fields = dict(zip(counting.columns, counting.frame.schema.fields, strict=True))
    kept = [(place, name) for place, name in enumerate(release.columns) if name not in changed]
    return {place: fields[name].metadata or {} for place, name in kept}


def _small(values: FewValues, recoding: Recoding | None, place: int, *, starred: bool) -> Any:
    """A table of the hash of each value, its node (without a recoding its code), and its label where one is shown."""
    hashes, codes = values.coded
    nodes = codes if recoding is None else recoding.nodes[codes]
    columns: dict[str, Any] = {f"h{place}": hashes, f"n{place}": nodes}
    if recoding is not None and (recoding.labels is not None or starred):
        labels = values.labels if recoding.labels is None else recoding.labels
        columns[f"l{place}"] = [labels[code] for code in codes.tolist()]
    return arrow(columns)


def _known(counting: RowCounts, node: Any) -> Any:
    """A node, or the end of the work where a value has none."""
    message = fn.lit(f"{counting.what}: changed")
    return fn.when(node.isNull(), fn.raise_error(message).cast("bigint")).otherwise(node)


def _label(original: Any, recoding: Recoding, place: int, node: Any, *, starred: bool) -> Any:
    """What is shown of a recoded column; the node is asked for, so that no value without one is."""
    if starred:
        return fn.when(node.isNotNull() & fn.col("out").isNotNull(), fn.lit(STAR)).otherwise(fn.col(f"l{place}"))
    shown = original if recoding.labels is None else fn.col(f"l{place}")
    return fn.when(node.isNotNull(), shown)


def _hashes(counting: RowCounts, values: ManyValues, codes: IntArray) -> IntArray:
    """int64[n]: for each code of a column with many values the hash that tells the value."""
    wanted = np.unique(codes)
    small = fn.broadcast(counting.cluster.frame(arrow({"wanted": wanted})))
    found = counting.cluster.arrow(
        values.ranks.codes.join(small, fn.col("code") == fn.col("wanted")).select("code", "h")
    )
    known, hashes = found["code"].to_numpy(), found["h"].to_numpy()
    order = np.argsort(known)
    if not np.array_equal(known[order], wanted):
        raise DataError(f"{counting.what}: the data changed while it was read; start again once it is at rest")
    told: IntArray = hashes[order][np.searchsorted(wanted, codes)]
    return told


def write(cluster: SparkCluster, frame: Any, target: Path | Address) -> None:
    """Write a DataFrame as a folder of Parquet files, or of text where its name says so, whole or not at all.

    Raises:
        DeliveryError: it could not be written.
        Unsupported: it is to be text, and a column has none.
    """
    name = target.named if isinstance(target, Address) else target
    try:
        if is_text_folder(name):
            with cluster.planning():
                lines = _lines.lines(frame, cluster.what, name, cluster.delimiter)
            told = {"compression": "none", "lineSep": "\n", "maxRecordsPerFile": "0"}
            cluster.run(lambda: lines.write.options(**told).mode("error").text(_address(target)))
            _rename_files(cluster, target)
        else:
            zipped = frame.write.option("compression", "zstd")
            cluster.run(lambda: zipped.mode("error").parquet(_address(target)))
    except DataError as error:
        raise DeliveryError(f"{error}; nothing was written") from None


def _address(target: Path | Address) -> str:
    return target if isinstance(target, Address) else f"file://{target.absolute()}"


def _rename_files(cluster: SparkCluster, target: Path | Address) -> None:
    if isinstance(target, Address):
        Hadoop(cluster.session, cluster.limits).rename_files(target, _lines.WRITTEN, target.named.suffix)
    else:
        _lines.rename_files(target, target.suffix)


def table(cluster: SparkCluster, frame: Any, kind: str) -> Any:
    """A DataFrame whose rows the cluster keeps as they are audited, or a table brought here."""
    if kind == "spark":
        return cluster.run(frame.localCheckpoint)
    found = cluster.arrow(frame)
    if kind == "pandas":
        return found.to_pandas()
    if kind == "polars":
        import polars as pl

        return pl.from_arrow(found)
    return found
