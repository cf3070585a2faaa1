"""The ladders of a policy over a table: how many groups each level has, and how large they are; and as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auditor.classes import IntArray
from auditor.dialect import CsvDialect
from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.errors import DataError, UsageError
from auditor.hierarchies import Ladder, build, ladder_spec
from auditor.policy import Policy, bind, load_policy
from auditor.policy.covering import gaps_located
from auditor.stages import Stage, stage

SEPARATOR = ";"
"""What separates the levels in an exported file, as policies expect it."""


@dataclass(frozen=True)
class Level:
    """One level of a ladder over a table: how many groups it has, and the records in the smallest and largest."""

    groups: int
    smallest: int
    largest: int


@dataclass(frozen=True)
class ColumnLadder:
    """The ladder of one column over a table; `counts` are the records of each of its values."""

    column: str
    role: str
    ladder: Ladder
    counts: IntArray

    def levels(self) -> Iterator[Level]:
        """Each level, from the values to the top."""
        for nodes in self.ladder.codes():
            records = np.bincount(nodes, weights=self.counts).astype(np.int64)
            yield Level(len(records), int(records.min()), int(records.max()))

    def to_csv(self) -> str:
        """The ladder as a file that a policy can name: a row per value, ``value;level 1;level 2;…``, no header."""
        text = io.StringIO()
        writer = csv.writer(text, delimiter=SEPARATOR, lineterminator="\n")
        for row in zip(*self.ladder.levels, strict=True):
            if row[0] is not None:
                writer.writerow(row)
        return text.getvalue()


def column_ladders(
    data: Any,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
) -> tuple[ColumnLadder, ...]:
    """Build the ladder of every column that has one in the policy, over the values of a table.

    Args:
        data: anything that `auditor.check` takes.
        policy: a policy, the path of one, or a mapping with its contents.
        memory: a size such as ``1GB``; half of the machine's memory by default.
        spill: the folder for temporary data; the machine's temporary folder by default.
        time_limit: give up after so many seconds.
        csv: how CSV files are written; what it leaves open is found in them.

    Raises:
        HierarchyError: a ladder is wrong: it does not nest, or its file cannot be read.
        UncoveredValues: the table holds values that a ladder does not cover; they stand in its `details`.
        DataError: the table cannot be read.
    """
    loaded = load_policy(policy)
    if not any(attribute.hierarchy for attribute in loaded.attributes.values()):
        raise UsageError(f"policy {loaded.name!r} gives no attribute a hierarchy, so there is nothing to show")
    limits, csv = RunLimits.of(memory, time_limit, spill, loaded.spill), loaded.dialect(csv)
    with closing(open_data(data, limits=limits, csv=csv)) as source:
        roles = bind(loaded, [column.name for column in source.columns]).roles
        found = []
        with stage(Stage.READING) as here:
            for column, attribute in here.counting(list(roles.items()), "columns"):
                if attribute.hierarchy is not None:
                    values, counts = source.dictionary(ColumnUse(column, attribute.missing))
                    with gaps_located(loaded, attribute, values, counts):
                        ladder = build(ladder_spec(attribute.hierarchy), values, column)
                    found.append(ColumnLadder(column, attribute.role, ladder, counts))
        if not found:
            raise DataError(f"{source.facts.name}: has none of the columns that the policy gives a hierarchy")
    return tuple(found)
