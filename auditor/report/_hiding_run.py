"""What the public may not see of a hiding run: where to look, and counts from which a small one follows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from auditor.result import Visibility

if TYPE_CHECKING:
    from auditor.result.hiding import HidingMethod, HidingResult

_THRESHOLDS = ("min_support", "min_support_share", "min_support_release", "min_confidence", "margin")
_COUNTS = ("removed_items", "added_items", "transactions_changed", "transactions_removed", "transactions_emptied")


def hidden(result: HidingResult, k: int) -> frozenset[str]:
    """The paths of the totals that the public may not see.

    The thresholds and the command, which tell where to look; of a method in which a count, or what it leaves of the
    transactions, lies from 1 to k − 1, all totals; and what else is so small.
    """
    methods = {"hiding": result.hiding, **{f"methods/{i}": each for i, each in enumerate(result.methods)}}
    rows = result.data.rows
    small = {path for path, method in methods.items() if _small(method, rows, k)}
    paths = {f"hiding/{name}" for name in _THRESHOLDS if getattr(result.hiding, name) is not None}
    paths |= {f"{path}/{name}" for path in small for name in _totals(methods[path])}
    paths |= {f"{path}/gap" for path in small if methods[path].gap}  # a share of a small number
    paths |= {
        f"findings/{i}/records_count" for i, each in enumerate(result.findings) if 0 < (each.records_count or 0) < k
    }
    if result.release is not None and (0 < result.release.rows < k or "hiding" in small):
        paths.add("release/rows")
    if 0 < rows < k:
        paths.add("data/rows")
    return frozenset(paths if result.reproduce is None else paths | {"reproduce"})


def _small(method: HidingMethod, rows: int, k: int) -> bool:
    counts = [getattr(method, name) for name in _COUNTS]
    left = rows - method.transactions_changed
    return any(0 < count < k for count in (*counts, left, rows))


def _totals(method: HidingMethod) -> list[str]:
    return [
        field.name
        for field in dataclasses.fields(method)
        if field.metadata["visibility"] is Visibility.TOTAL and getattr(method, field.name) is not None
    ]
