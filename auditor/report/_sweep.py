"""What the public may not see of a sweep: figures of a small table, and histograms from which a small count follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.report._parts import Part, marked
from auditor.result import Visibility

if TYPE_CHECKING:
    from auditor.result.tradeoff import TradeoffResult, WeighedMethod

SAME = 1e-9
"""A standard deviation below this is rounding: every masking was the same."""


def hidden(result: TradeoffResult, k: int) -> frozenset[str]:
    """The paths of the totals that the public may not see.

    All of them where the table has fewer than k records; else, of each method and of the table as it is, the figures
    from which a small number of records follows (`_of_line`), and an attribute's histograms, where a bin of either is
    so small. Of a recommended method that changes so few records, also what it does to correlations.
    """
    rows = result.data.rows
    lines = {"identity": result.identity, **{f"methods/{i}": each for i, each in enumerate(result.methods)}}
    if rows < k:
        return frozenset(_totals("", result))
    few = {each.name for each in lines.values() if _few_changed(each, rows, k)}
    few |= {each.name for each in result.methods if few & set(each.parts)}
    paths = {f"{path}/{name}" for path, each in lines.items() for name in _of_line(each, rows, k, few=each.name in few)}
    taken = result.recommended
    if taken is not None and taken.name in few:
        paths |= set(_totals("recommended/", taken))
    for place, change in enumerate(taken.distributions if taken else ()):
        if _small((*change.before, *change.after), rows, k):
            path = f"recommended/distributions/{place}"
            paths |= {f"{path}/before", f"{path}/after"}
    return frozenset(paths)


def _of_line(line: WeighedMethod, rows: int, k: int, *, few: bool) -> set[str]:
    """The figures of a method from which a small number of records follows: one that is counted, or what it leaves.

    A method that draws nothing has the same figures with every seed, and they are counts of the table's own records;
    means over drawn maskings are not. Where a figure is hidden, so are the means that it is a part of; where few
    records change, by the method or by one of those that are put together in it, the loss is that of their values.
    """
    found = {"same_rows"} if _small([line.same_rows / 100], rows, k) else set[str]()
    exact = line.sd is None or line.sd < SAME
    if exact and _small([line.id / 100], rows, k):
        found |= {"id", "dr", "score"}
    if exact and _small([share / 100 for share in (line.rd, *line.linkage)], rows, k):
        found |= {"rd", "linkage", "dr", "score"}
    if few:
        found |= {"id", "dr", "apil", "score", "sd"}
    of_uses = {f"uses/{i}/score" for i, use in enumerate(line.uses) if use.score is not None and "dr" in found}
    of_uses |= {f"uses/{i}/loss" for i, use in enumerate(line.uses) if use.loss is not None and few}
    return {name for name in found if getattr(line, name) not in (None, ())} | of_uses


def _few_changed(line: WeighedMethod, rows: int, k: int) -> bool:
    """Whether few rows are no longer the original's, or few values lie no longer near the original ones."""
    return any(0 < round(rows - share / 100 * rows, 6) < k for share in (line.same_rows, line.id))


def _small(shares: Sequence[float], rows: int, k: int) -> bool:
    counts = [round(share * rows, 6) for share in shares]
    return any(0 < count < k or 0 < rows - count < k for count in counts)


def _totals(path: str, owner: Part) -> Iterator[str]:
    for here, field, value, _ in marked(owner, path):
        if field.metadata["visibility"] is Visibility.TOTAL and value not in (None, ()):
            yield here
