"""Sweeps that are known by a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from auditor.masking import Method
from auditor.masking.microaggregation import Microaggregation
from auditor.masking.rank_swapping import RankSwapping


def _table_35_1(columns: Sequence[str]) -> tuple[Method, ...]:
    """The 25 methods of a published comparison: rank swapping, and microaggregation of all variables or of four each.

    V. Torra, Privacy in Data Mining, Data Mining and Knowledge Discovery Handbook, 2nd ed., 2010, table 35.1.
    """
    every = tuple(columns)
    return (
        *(RankSwapping(attributes=every, p=p) for p in (5, *range(7, 21))),
        *(Microaggregation(attributes=every, k=k) for k in range(3, 11)),
        *(Microaggregation(attributes=every, k=k, group=4) for k in (3, 4)),
    )


PRESETS: Mapping[str, Callable[[Sequence[str]], tuple[Method, ...]]] = MappingProxyType({"table-35.1": _table_35_1})
"""The methods of each preset, for the columns that they are to mask."""
