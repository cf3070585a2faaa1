"""Whether groups of records meet what a policy demands of every class, judged by the models themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditor.classes import BoolArray, Domain, IntArray, KeyLayout, count_classes, distinct
from auditor.models import ClassModel
from auditor.remediate._evaluate import NodeDemand
from auditor.remediate._recount import Kinds
from auditor.remediate._restricted import released_values


class Judge:
    """Judges groups of records by the demands on classes, with the reference distribution of the input.

    A demand on fewer quasi-identifiers is asked of the groups themselves: its classes are unions of them, and unions
    keep what is monotone. A demand that groups by other sensitive attributes besides is asked of the parts of a group
    that these make. What is not monotone, and what is demanded of the whole table, is judged on the release as a whole
    (`_whole`).

    Args:
        demands: what a release must meet.
        kinds: what the kinds of records are.
    """

    def __init__(self, demands: Sequence[NodeDemand], kinds: Kinds) -> None:
        self._kinds = kinds
        asked = [(each, each.model) for each in demands if isinstance(each.model, ClassModel)]
        by_size = [model.least_size for each, model in asked if model.size_decides and not each.joined]
        self._by_size = kinds.units is None
        self.least_size = max((model.least_size for _, model in asked), default=1)
        """Groups with fewer records violate a demand, whatever is in them: ℓ values or persons take ℓ records."""
        self._least = max(by_size, default=1)
        self._asked = [
            (each, model) for each, model in asked if not (self._by_size and model.size_decides and not each.joined)
        ]
        self._meanings = {id(each): self._meaning(each) for each, _ in self._asked if each.sensitive is not None}

    def violating(self, group: IntArray, groups: int, kind: IntArray, counts: IntArray) -> BoolArray:
        """bool[groups]: which groups violate some demand.

        Args:
            group: int64[e], the group of each entry, 0 to `groups` − 1; every group has one.
            groups: how many there are.
            kind: int64[e], the kind of the entry's records.
            counts: int64[e], how many records it stands for.
        """
        sizes = np.bincount(group, weights=counts, minlength=groups)
        wrong: BoolArray = sizes < self.least_size
        for demand, model in self._asked:
            if wrong.all():
                break
            left = ~wrong[group]
            bad = self._bad(demand, model, (group[left], kind[left], counts[left]))
            wrong[bad] = True
        return wrong

    def _bad(self, demand: NodeDemand, model: ClassModel, entries: tuple[IntArray, IntArray, IntArray]) -> IntArray:
        """int64: the groups that violate one demand, of entries told by their groups, kinds and records."""
        group, kind, counts = entries
        part = group
        for name in demand.joined:
            values = self._kinds.values[name]
            _, part = distinct(part * (int(values.max()) + 1) + values[kind])
        present, part = distinct(part)
        owner = np.zeros(len(present), dtype=np.int64)
        owner[part] = group
        sizes, packed, domain = {"part": len(present)}, [part], None
        if demand.sensitive is not None:
            domain, values = self._meanings[id(demand)]
            sizes["value"] = len(domain.labels)
            packed.append(values[kind])
        units = self._kinds.units
        if units is not None:
            sizes["unit"] = int(units.max()) + 1
            packed.append(units[kind])
        layout = KeyLayout.of(sizes)
        table = count_classes(layout.pack(packed), layout, 1, counts, domain=domain, unit=units is not None)
        return owner[model.violates(table, model.measure(table))]

    def _meaning(self, demand: NodeDemand) -> tuple[Domain, IntArray]:
        """What a demand's values mean in the input, and int64[r]: the value of each kind."""
        name = str(demand.sensitive)
        domain, values = demand.domain or self._kinds.domains[name], self._kinds.values[name]
        occur = np.bincount(values, minlength=len(domain.labels)) > 0
        return released_values(domain, values, occur | (domain.reference > 0))
