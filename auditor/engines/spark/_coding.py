"""Codes in place of values, packed into words: as DataFrames, so that Spark does it where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from pyspark.sql import functions as fn

from auditor.classes import IntArray, KeyLayout
from auditor.engines.spark._cluster import SparkCluster


@dataclass(frozen=True)
class Lookup:
    """How a column is coded: a DataFrame with the columns h (a hash of the value) and code; small ones travel."""

    codes: Any
    travels: bool = True


def lookup(cluster: SparkCluster, hashes: IntArray, codes: IntArray) -> Lookup:
    """The lookup of a dictionary that is known here."""
    return Lookup(cluster.frame(arrow({"h": hashes, "code": codes})))


def arrow(columns: Mapping[str, Any]) -> Any:
    """Integers, and lists of texts, as an Arrow table."""
    import pyarrow as pa

    return pa.table(
        {
            name: pa.array(own, pa.string()) if isinstance(own, list) else pa.array(own.astype(np.int64), pa.int64())
            for name, own in columns.items()
        }
    )


def hashed(value: Any, salt: int = 0) -> Any:
    """64 bits of a value; by another salt other ones. A missing value has its own."""
    return fn.xxhash64(value, fn.isnull(value), fn.lit(salt))


def coded(frame: Any, hashes: Sequence[Any], lookups: Sequence[Lookup], others: Sequence[Any]) -> Any:
    """The codes c0, c1, … of some columns, and other columns besides; no code for a value that a lookup lacks."""
    found = frame.select(*(value.alias(f"h{place}") for place, value in enumerate(hashes)), *others)
    for place, each in enumerate(lookups):
        codes = each.codes.select(fn.col("h").alias(f"k{place}"), fn.col("code").alias(f"c{place}"))
        if each.travels:
            codes = fn.broadcast(codes)
        found = found.join(codes, fn.col(f"h{place}") == fn.col(f"k{place}"), "left")
    return found


def packed(layout: KeyLayout, codes: Sequence[Any]) -> list[Any]:
    """The words w0, w1, … of codes in the layout's order; null where a code is."""
    fields: list[list[Any]] = [[] for _ in range(layout.words)]
    for code, (word, shift, _) in zip(codes, layout.places, strict=True):
        fields[word].append(fn.shiftleft(code, shift) if shift else code)
    words = [reduce(lambda a, b: a.bitwiseOR(b), parts) if parts else fn.lit(0).cast("bigint") for parts in fields]
    return [word.alias(f"w{place}") for place, word in enumerate(words)]


def unpacked(layout: KeyLayout, place: int) -> Any:
    """The code of one column, by its place in the layout, out of the words."""
    word, shift, width = layout.places[place]
    column = fn.col(f"w{word}")
    return (fn.shiftright(column, shift) if shift else column).bitwiseAND(fn.lit((1 << width) - 1).cast("bigint"))


def masked(layout: KeyLayout, columns: Sequence[str]) -> list[Any]:
    """The words with everything cleared but these columns; words without any of them are left out."""
    masks: dict[int, int] = {}
    for name in columns:
        word, shift, width = layout.place(name)
        masks[word] = masks.get(word, 0) | ((1 << width) - 1) << shift
    return [fn.col(f"w{word}").bitwiseAND(fn.lit(mask).cast("bigint")) for word, mask in sorted(masks.items())]


def prefix(layout: KeyLayout, columns: int) -> list[Any]:
    """The words with everything behind the first so many columns cleared: what tells the class."""
    if not columns:
        return []
    word, shift, _ = layout.places[columns - 1]
    last = fn.col(f"w{word}")
    return [*(fn.col(f"w{place}") for place in range(word)), fn.shiftright(last, shift) if shift else last]
