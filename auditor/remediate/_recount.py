"""Nodes whose release is not a matter of whole classes: decided by counting the records that are kept anew.

So it is where units are counted (a person goes whole, and stands in several classes), where a missing value may be any
value (groups overlap), where other sensitive attributes join the grouping (they split classes), and where suppressed
records stay as `*` (they form a class of their own). A cell of such a node's table is one *kind* of record in one
class: one combination of sensitive values and unit. The search rolls these tables up as it does any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from auditor.classes import BoolArray, ClassTable, Domain, IntArray, KeyLayout, count_classes, distinct, numbered
from auditor.errors import InternalError
from auditor.models import ClassModel, EventTable, PersonEvents, PersonValues, TableModel
from auditor.models.k_anonymity import KAnonymity
from auditor.remediate._evaluate import Evaluator, NodeDemand, NodeOutcome, Tables, meets
from auditor.remediate._keys import Rolled
from auditor.remediate._lattice import Node
from auditor.remediate._restricted import released_values
from auditor.remediate._rollup import Tower
from auditor.stages import tell
from auditor.wildcard import widen

_BY_SIZE = NodeDemand(KAnonymity(k=1))
"""Asks for the sizes of classes alone."""


@dataclass(frozen=True)
class Kinds:
    """What tells the records of one class apart.

    Args:
        values: for each sensitive attribute int64[r], its code in each kind.
        domains: for each sensitive attribute that a demand reads, what its codes mean.
        unit: the unit's column; None where rows are counted.
        units: int64[r], the unit's code in each kind.
    """

    values: Mapping[str, IntArray]
    domains: Mapping[str, Domain]
    unit: str | None = None
    units: IntArray | None = None


@dataclass(frozen=True)
class Setting:
    """How a release is made and judged.

    Args:
        moving_reference: whether q is that of the released records.
        wildcards: the columns whose missing values agree with anything; quasi-identifiers by place, others by name.
        stars: where suppressed records are kept as `*`, for each quasi-identifier and level the node that is labelled
            so (−1: none); None where they are left out.
    """

    moving_reference: bool = True
    wildcards: frozenset[int | str] = frozenset()
    stars: Sequence[Sequence[int]] | None = None


class Recounter(Evaluator):
    """An `Evaluator` whose demands are judged as an audit would judge the release.

    A class with fewer rows than a demand's least size violates it whatever is counted, because each unit and each
    distinct value takes a row; the rows of such classes only get fewer by generalizing. Groups of a wildcard are larger
    than their own records, so nothing is concluded from those.
    """

    def __init__(self, tower: Tower, demands: Sequence[NodeDemand], limit: int, kinds: Kinds, setting: Setting) -> None:
        super().__init__({None: tower}, demands, limit, moving_reference=setting.moving_reference)
        self.kinds = kinds
        self.setting = setting
        self.size_decides = False
        self.apart = frozenset(column for column in setting.wildcards if isinstance(column, int))
        if setting.wildcards:
            self.least_size = 1
        if setting.wildcards or kinds.units is not None:
            self.effort = 8  # measured on Adult, where persons are counted and where rows are

    def only(self, demands: Sequence[NodeDemand], limit: int) -> Recounter:
        """See `Evaluator`."""
        return Recounter(self.tower, demands, limit, self.kinds, self.setting)

    def topped(self, place: int) -> Recounter:
        """See `Evaluator`. The one value is labelled `*`."""
        setting = self.setting
        if setting.stars is not None:
            stars = [list(levels) for levels in setting.stars]
            stars[place].append(int(place in self.apart))
            setting = replace(setting, stars=stars)
        (tower,) = self._topped(place).values()
        return Recounter(tower, self.demands, self.limit, self.kinds, setting)

    def classes(self, demand: NodeDemand, node: Node) -> ClassTable:
        """See `Evaluator`."""
        cells = _NodeCells(self.tower, self.tower.at(node))
        return self._counted(demand, cells, np.ones(len(cells.counts), dtype=np.bool_))[0]

    def patterns(self, demand: NodeDemand, node: Node) -> Iterator[ClassTable]:
        """See `Evaluator`."""
        if demand.events is None or self.kinds.units is None:
            yield from super().patterns(demand, node)
            return
        cells = _NodeCells(self.tower, self.tower.at(node))
        for each in demand.groupings:
            for part in self._events(each, cells, np.ones(len(cells.counts), dtype=np.bool_)):
                yield part.classes

    def share(self, demand: NodeDemand, model: TableModel, node: Node) -> Fraction:
        """See `Evaluator`."""
        cells = _NodeCells(self.tower, self.tower.at(node))
        return self._share_of(demand, model, cells, np.ones(len(cells.counts), dtype=np.bool_))

    def decide(
        self,
        node: Node,
        tables: Tables,
        *,
        fully: bool = False,
        at: Mapping[int, int] | None = None,  # noqa: ARG002  (it looks at no population)
    ) -> NodeOutcome:
        """See `Evaluator`."""
        self.evaluated += 1
        tell(self.evaluated, unit="nodes")
        table = tables[self.first]
        sizes = self.tower.sizes(table)
        if not fully and self.too_small(sizes) > self.limit:
            return NodeOutcome(node, sizes, sizes >= self.least_size, solves=False)
        cells = _NodeCells(self.tower, table)
        kept = self._kept(cells, fully=fully)
        lost = np.add.reduceat(np.where(kept, 0, cells.counts), cells.starts)
        solves = int(lost.sum()) <= self.limit and self._solves_released(node, cells, kept)
        return NodeOutcome(node, sizes, lost < sizes, solves, lost, kept)

    def suppressed(self, outcome: NodeOutcome, table: Rolled) -> Mapping[int | str, IntArray]:
        """See `Evaluator`. A unit goes with all its rows; joined attributes tell which part of a class goes."""
        cells = _NodeCells(self.tower, table)
        gone = np.flatnonzero(~outcome.cells) if outcome.cells is not None else np.zeros(0, dtype=np.int64)
        if self.kinds.unit is not None and self.kinds.units is not None:
            return {self.kinds.unit: distinct(self.kinds.units[cells.kinds[gone]])[0]}
        joined = dict.fromkeys(name for demand in self.demands for name in demand.joined)
        columns: dict[int | str, IntArray] = {i: cells.codes(i)[gone] for i in range(len(self.tower.ladders))}
        columns |= {name: self.kinds.values[name][cells.kinds[gone]] for name in joined}
        first = _first_of_each(numbered(list(columns.values()), len(gone)))
        return {column: codes[first] for column, codes in columns.items()}

    def smallest(self, outcome: NodeOutcome, table: Rolled) -> int:  # noqa: ARG002
        """See `Evaluator`. Persons are counted, and with a wildcard all records that a class may be of."""
        cells = _NodeCells(self.tower, table)
        classes, _ = self._counted(_BY_SIZE, cells, np.ones(len(cells.counts), dtype=np.bool_))
        return int(classes.sizes.min())

    def _kept(self, cells: _NodeCells, *, fully: bool) -> BoolArray:
        """bool[c]: the cells that are kept, after as many rounds as it takes."""
        kept = np.ones(len(cells.counts), dtype=np.bool_)
        while kept.any():
            wrong = np.zeros(len(kept), dtype=np.bool_)
            places = np.flatnonzero(kept)
            for demand in chain.from_iterable(each.groupings for each in self.demands):
                if isinstance(demand.model, ClassModel):
                    wrong[places] |= self._exposed(demand, demand.model, cells, kept)
            if self.kinds.units is not None:
                wrong = self._with_their_units(cells, wrong, self.kinds.units)
            if not wrong.any():
                break
            kept &= ~wrong
            if not fully and int(cells.counts[~kept].sum()) > self.limit:
                break
        return kept

    def _with_their_units(self, cells: _NodeCells, wrong: BoolArray, units: IntArray) -> BoolArray:
        of_cell = units[cells.kinds]
        gone = np.zeros(int(units.max()) + 1, dtype=np.bool_)
        gone[of_cell[wrong]] = True
        return gone[of_cell]

    def _solves_released(self, node: Node, cells: _NodeCells, kept: BoolArray) -> bool:
        """Whether the release, with the records that stay as `*`, meets every demand."""
        if self.setting.stars is None or kept.all():
            # no class that is kept violates a demand any more; what is left are the demands on the whole table
            whole = (demand for demand in self.demands if isinstance(demand.model, TableModel))
            return bool(kept.any()) and all(self._holds(demand, cells, kept) for demand in whole)
        stars = [levels[level] for levels, level in zip(self.setting.stars, node, strict=True)]
        starred, everything = cells.with_stars(kept, stars), np.ones(len(kept), dtype=np.bool_)
        return all(self._holds(demand, starred, everything) for demand in self.demands)

    def _holds(self, demand: NodeDemand, cells: _NodeCells, kept: BoolArray) -> bool:
        model = demand.model
        if isinstance(model, TableModel):
            return meets(model, self._share_of(demand, model, cells, kept))
        if not isinstance(model, ClassModel):
            return model.holds_of(self._counted(demand, cells, kept)[0].sizes)
        return not any(self._exposed(each, model, cells, kept).any() for each in demand.groupings)

    def _exposed(
        self, demand: NodeDemand, model: ClassModel | TableModel, cells: _NodeCells, kept: BoolArray
    ) -> BoolArray:
        """bool: which of the kept cells are of a class, or a pattern, that a demand does not allow."""
        if demand.events is None or self.kinds.units is None:
            table, group = self._counted(demand, cells, kept)
            return model.exposes(table)[group]
        person = self.kinds.units[cells.kinds[kept]]
        gone = np.zeros(int(person.max()) + 1, dtype=np.bool_)
        for part in self._events(demand, cells, kept):
            gone[part.persons(model.exposes(part.classes))] = True
        return gone[person]

    def _events(self, demand: NodeDemand, cells: _NodeCells, kept: BoolArray) -> Iterator[EventTable]:
        """The patterns of events of the persons of the kept cells, whom the kinds tell."""
        if demand.events is None or self.kinds.units is None:
            raise InternalError("no person was named whose events are asked for")
        _, event = self._counted(replace(_BY_SIZE, attributes=demand.attributes), cells, kept)
        person = self.kinds.units[cells.kinds[kept]]
        pairs, _ = distinct(event * (int(person.max()) + 1) + person)
        people = PersonEvents.of(pairs % (int(person.max()) + 1), pairs // (int(person.max()) + 1))
        yield from people.tables(
            demand.events, None if demand.sensitive is None else self._values_of(demand, cells, kept, person)
        )

    def _values_of(self, demand: NodeDemand, cells: _NodeCells, kept: BoolArray, person: IntArray) -> PersonValues:
        """The sensitive values of the persons of the kept cells."""
        domain, values = self._meaning(demand, cells, kept)
        width = len(domain.labels)
        pairs, _ = distinct(person * width + values)
        return PersonValues(pairs // width, pairs % width, domain)

    def _share_of(self, demand: NodeDemand, model: TableModel, cells: _NodeCells, kept: BoolArray) -> Fraction:
        """A whole-table model's number, of the kept records; of persons where a pattern exposes these."""
        weights, held = cells.counts[kept], np.zeros(int(kept.sum()), dtype=np.bool_)
        for each in demand.groupings:
            if demand.patterns is None:
                return Fraction(model.numerator(self._counted(each, cells, kept)[0])) / int(weights.sum())
            held |= self._exposed(each, model, cells, kept)
        if self.kinds.units is None:
            return Fraction(int(weights[held].sum()), int(weights.sum()))
        units = self.kinds.units[cells.kinds[kept]]
        return Fraction(len(distinct(units[held])[0]), len(distinct(units)[0]))

    def _counted(self, demand: NodeDemand, cells: _NodeCells, kept: BoolArray) -> tuple[ClassTable, IntArray]:
        """The kept records grouped and counted as a demand asks for, and int64: the class of each kept cell."""
        whole = demand.whole and not cells.starred
        columns = {} if whole and not self.setting.wildcards else self._grouping(demand, cells)
        joined = [self.kinds.values[name][cells.kinds] for name in demand.joined]
        # the classes of all quasi-identifiers are the node's own
        told_by = [cells.owner, *joined] if whole else columns.values()
        group = numbered([codes[kept] for codes in told_by], int(kept.sum()))
        first = _first_of_each(group)
        sizes = {"class": len(first)}
        packed = [group]
        domain = None
        if demand.sensitive is not None:
            domain, values = self._meaning(demand, cells, kept)
            sizes["value"], packed = len(domain.labels), [*packed, values]
        if self.kinds.units is not None:
            sizes["unit"] = int(self.kinds.units.max()) + 1
            packed.append(self.kinds.units[cells.kinds[kept]])
        layout = KeyLayout.of(sizes)
        table = count_classes(
            layout.pack(packed), layout, 1, cells.counts[kept], domain=domain, unit=self.kinds.unit is not None
        )
        wildcards = [str(column) for column in columns if column in self.setting.wildcards]
        if wildcards:
            table = widen(_with_keys(table, {str(c): codes[kept][first] for c, codes in columns.items()}), wildcards)
        return table, group

    def _grouping(self, demand: NodeDemand, cells: _NodeCells) -> dict[int | str, IntArray]:
        """The columns that a demand groups by, and int64[c]: the code of each cell."""
        places = range(len(self.tower.ladders)) if demand.attributes is None else demand.attributes
        columns: dict[int | str, IntArray] = {place: cells.codes(place) for place in places}
        return columns | {name: self.kinds.values[name][cells.kinds] for name in demand.joined}

    def _meaning(self, demand: NodeDemand, cells: _NodeCells, kept: BoolArray) -> tuple[Domain, IntArray]:
        """What a demand's values mean in a release of the kept records, and int64: the value of each kept cell."""
        name = str(demand.sensitive)
        domain = demand.domain or self.kinds.domains[name]
        values = self.kinds.values[name][cells.kinds[kept]]
        occur = np.bincount(values, minlength=len(domain.labels)) > 0
        if self.moving_reference:
            domain = replace(domain, reference=self._reference(values, cells, kept, len(domain.labels)))
        return released_values(domain, values, occur | (domain.reference > 0))

    def _reference(self, values: IntArray, cells: _NodeCells, kept: BoolArray, width: int) -> IntArray:
        """int64[m]: how many of the kept records (or of their units) have each value."""
        if self.kinds.units is None:
            return np.bincount(values, cells.counts[kept], minlength=width).astype(np.int64)
        pairs, _ = distinct(self.kinds.units[cells.kinds[kept]] * width + values)
        return np.bincount(pairs % width, minlength=width)


class _NodeCells:
    """A node's table, cell by cell.

    Attributes:
        starts: int64[n], the first cell of each class.
        kinds: int64[c], the kind of each cell.
        counts: int64[c], how many records it stands for.
        starred: whether some cells have `*` for every quasi-identifier, whatever class they stand in.
    """

    def __init__(self, tower: Tower, table: Rolled, *, starred: bool = False) -> None:
        self.starred = starred
        self._tower = tower
        self._table = table
        self._codes: dict[int, IntArray] = {}
        self.starts = tower.class_starts(table)
        self.kinds = tower.values_of(table)
        self.counts = table.counts

    @cached_property
    def owner(self) -> IntArray:
        """int64[c]: the class of each cell."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.counts)))

    def codes(self, place: int) -> IntArray:
        """int64[c]: the code of one quasi-identifier."""
        if place not in self._codes:
            self._codes[place] = self._tower.nodes_of(self._table, place)[self.owner]
        return self._codes[place]

    def with_stars(self, kept: BoolArray, stars: Sequence[int]) -> _NodeCells:
        """The same with `*` for every quasi-identifier of what is not kept; `stars` has its code, or −1 for none."""
        other = _NodeCells(self._tower, self._table, starred=True)
        for place, star in enumerate(stars):
            own = self.codes(place)
            other._codes[place] = np.where(kept, own, star if star >= 0 else own.max() + 1)
        return other


def _first_of_each(group: IntArray) -> IntArray:
    """int64: some row of each number."""
    first = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    first[group] = np.arange(len(group))
    return first


def _with_keys(table: ClassTable, columns: Mapping[str, IntArray]) -> ClassTable:
    """The table with the codes of its classes as its keys."""
    layout = KeyLayout.of({name: int(codes.max(initial=0)) + 1 for name, codes in columns.items()})
    return replace(table, columns=tuple(columns), keys=layout.pack(list(columns.values())), layout=layout)
