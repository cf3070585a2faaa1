"""What the public may not see of a sweep: figures of a small table, and histograms from which a small count follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from auditor.result import TradeoffResult, Visibility


def hidden(result: TradeoffResult, k: int) -> frozenset[str]:
    """The paths of the totals that the public may not see.

    All of them where the table has fewer than k records; else the share of rows that are the original's, where these
    are fewer than k or all but fewer, and an attribute's histograms, where a bin of either is so small. Of the table as
    it is, also the share of linked records and its means, where these are so few or all but so few: it counts the
    records that are like no other.
    """
    rows = result.data.rows
    lines = {"identity": result.identity, **{f"methods/{i}": each for i, each in enumerate(result.methods)}}
    if rows < k:
        return frozenset(_totals("", result))
    paths = {f"{path}/same_rows" for path, each in lines.items() if _small([each.same_rows / 100], rows, k)}
    if _small([share / 100 for share in (result.identity.rd, *result.identity.linkage)], rows, k):
        paths |= {f"identity/{name}" for name in ("rd", "dr", "score", "linkage")}
    for place, change in enumerate(result.recommended.distributions if result.recommended else ()):
        if _small((*change.before, *change.after), rows, k):
            path = f"recommended/distributions/{place}"
            paths |= {f"{path}/before", f"{path}/after"}
    return frozenset(paths)


def _small(shares: Sequence[float], rows: int, k: int) -> bool:
    counts = [round(share * rows, 6) for share in shares]
    return any(0 < count < k or 0 < rows - count < k for count in counts)


def _totals(path: str, owner: Any) -> Iterator[str]:
    for field in dataclasses.fields(owner):
        value = getattr(owner, field.name)
        if field.metadata["visibility"] is Visibility.TOTAL and value not in (None, ()):
            yield f"{path}{field.name}"
        elif dataclasses.is_dataclass(value):
            yield from _totals(f"{path}{field.name}/", value)
        elif isinstance(value, tuple):
            parts = ((i, part) for i, part in enumerate(value) if dataclasses.is_dataclass(part))
            for i, part in parts:
                yield from _totals(f"{path}{field.name}/{i}/", part)
