"""Classes of a release, some of which are left out: their cells, and what is left of the reference distribution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from auditor.classes import BoolArray, Cells, ClassTable, Domain, IntArray


def restricted(table: ClassTable, kept: BoolArray, q: BoolArray | None) -> ClassTable:
    """The kept classes alone, with the reference distribution of the classes `q` (None: as it is)."""
    sizes = table.sizes[kept]
    if table.cells is None:
        return ClassTable(sizes, sizes)
    if kept.all() and (q is None or q.all()):
        return table
    cells = table.cells
    inside = kept[cells.owner]
    lengths = cells.lengths[kept]
    values, domain = cells.values[inside], cells.domain
    if q is not None and not q.all():
        values, domain = _released(cells, q, values)
    starts = np.cumsum(lengths) - lengths
    return ClassTable(sizes, sizes, Cells(starts, values, cells.counts[inside], domain))


def _released(cells: Cells, q: BoolArray, values: IntArray) -> tuple[IntArray, Domain]:
    """Values of the classes `q`, and their domain, with the counts of these classes as the reference."""
    domain, released = cells.domain, q[cells.owner]
    weights = np.bincount(cells.values[released], cells.counts[released], minlength=len(domain.reference))
    reference = weights.astype(np.int64)
    smaller, values = released_values(replace(domain, reference=reference), values, reference > 0)
    return values, smaller


def released_values(domain: Domain, values: IntArray, present: BoolArray) -> tuple[Domain, IntArray]:
    """The domain and the values of a release in which only some of the domain's values are present.

    Where values are ranked among those that are there, the ones that are no more make way.
    """
    if domain.ranks is None or domain.listed or domain.costs is not None or present.all():
        return domain, values
    code = np.cumsum(present) - 1
    smaller = replace(
        domain,
        labels=tuple(label for label, there in zip(domain.labels, present.tolist(), strict=True) if there),
        reference=domain.reference[present],
        ranks=np.argsort(np.argsort(domain.ranks[present])),
        ladder=None if domain.ladder is None else domain.ladder[:, present],
    )
    return smaller, code[values]
