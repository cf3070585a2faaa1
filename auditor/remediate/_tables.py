"""The tables that a remediation hands out besides the release: the mapping applied, and the lattice."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from auditor.engines import Counted, RunLimits
from auditor.errors import Unsupported
from auditor.remediate._chosen import Chosen
from auditor.remediate._losses import METRICS
from auditor.remediate._problem import SearchProblem
from auditor.remediate._search import all_nodes
from auditor.remediate.local import Recoded

MOST_NODES = 2_000_000
"""A lattice of more nodes is not written out."""


def mapping_file(chosen: Chosen | Recoded, counted: Counted) -> bytes:
    """The mapping as CSV with semicolons, by value or by combination of values. It holds values of the data."""
    return _csv(chosen.mapping(counted), ";")


def lattice_file(searched: SearchProblem, limits: RunLimits) -> bytes:
    """Every node as CSV: its levels, its classes, what it suppresses, whether it solves, and each metric.

    Raises:
        Unsupported: the lattice is too large to be written out.
        OutOfTime: the time limit was reached.
    """
    if searched.ranges.nodes > MOST_NODES:
        raise Unsupported(
            f"--lattice: {searched.ranges.nodes:,} nodes are more than the {MOST_NODES:,} that are written out; "
            "restrict them with remediation.levels"
        )
    names = (*searched.quasi_identifiers, "classes", "smallest", "suppressed", "solves", *METRICS)
    return _csv([names, *_nodes(searched, limits)], ",")


def _nodes(searched: SearchProblem, limits: RunLimits) -> Iterator[tuple[Any, ...]]:
    for outcome, table in all_nodes(searched.evaluator, searched.ranges, fully=True):
        limits.check()
        yield (
            *outcome.node,
            len(outcome.sizes),
            searched.evaluator.smallest(outcome, table),
            outcome.suppressed,
            str(outcome.solves).lower(),
            *(f"{loss!r}".removesuffix(".0") for loss in searched.losses.all(outcome, table).values()),
        )


def _csv(rows: Iterable[Iterable[Any]], delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")
