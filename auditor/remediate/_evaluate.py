"""What a node's release is: which classes are suppressed, and whether what remains meets the policy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from auditor.classes import BoolArray, ClassTable, Domain, IntArray, merged_classes, numbered
from auditor.errors import DataError, InternalError
from auditor.models import ClassModel, PopulationModel, SampleRequirement, TableModel
from auditor.models import holds as stands
from auditor.remediate._keys import Rolled
from auditor.remediate._lattice import Node
from auditor.remediate._population import POPULATION, HeldNode, Residents
from auditor.remediate._restricted import restricted
from auditor.remediate._rollup import Tower
from auditor.remediate._sample_rows import SampleRows
from auditor.stages import tell

Tables = Mapping[str | None, Rolled]
"""A node's table per sensitive attribute (None: sizes alone)."""


@dataclass(frozen=True)
class NodeDemand:
    """One requirement of severity error.

    `sensitive` is the attribute that it reads (None: none), `attributes` the places of the quasi-identifiers that it
    groups by, where those are not all; `joined` are other sensitive attributes that it groups by besides. `domain` is
    what the codes of its attribute mean to it, where that is not what they mean to the others. `patterns` are the
    places of each combination of quasi-identifiers that an attacker with bounded knowledge may know (None: such an
    attacker is not asked about); `events` is how many records of a person that attacker knows.
    """

    model: ClassModel | TableModel | SampleRequirement
    sensitive: str | None = None
    attributes: tuple[int, ...] | None = None
    joined: tuple[str, ...] = ()
    domain: Domain | None = None
    patterns: tuple[tuple[int, ...], ...] | None = None
    events: int | None = None

    @property
    def whole(self) -> bool:
        """Whether its classes are those of all quasi-identifiers."""
        return self.attributes is None and self.patterns is None

    @cached_property
    def groupings(self) -> tuple[NodeDemand, ...]:
        """The demand once for each combination of columns that it groups by."""
        if self.patterns is None:
            return (self,)
        return tuple(replace(self, attributes=each, patterns=None) for each in self.patterns)

    @property
    def reads_population(self) -> bool:
        """Whether it is about the persons of the population in each class."""
        return isinstance(self.model, PopulationModel)


@dataclass(frozen=True)
class NodeOutcome:
    """What became of a node: its class sizes, which classes are kept, and whether the release meets the policy.

    A class of which some records are suppressed, and not all, is kept; `lost` has the suppressed records of each class
    where that can be, and `cells` then which cells of the node's table are kept.
    """

    node: Node
    sizes: IntArray
    kept: BoolArray
    solves: bool
    lost: IntArray | None = None
    cells: BoolArray | None = None

    @cached_property
    def suppressed(self) -> int:
        """The records that are not released as the others are: left out, or `*` in every quasi-identifier."""
        if self.lost is not None:
            return int(self.lost.sum())
        return 0 if self.kept.all() else int(self.sizes[~self.kept].sum())

    @cached_property
    def released(self) -> IntArray:
        """int64: the records that are left of each class that is kept."""
        left = self.sizes if self.lost is None else self.sizes - self.lost
        return left[self.kept]

    @cached_property
    def gone(self) -> tuple[IntArray, IntArray]:
        """The classes that lose records, by their places, and int64: how many each of them loses."""
        lost = np.where(self.kept, 0, self.sizes) if self.lost is None else self.lost
        places = np.flatnonzero(lost)
        return places, lost[places]


class Evaluator:
    """Decides nodes, for one table, one set of demands and one limit of suppression.

    Args:
        towers: the table per sensitive attribute that a demand reads; one for None where none does.
        demands: what a release must meet.
        limit: how many records may be suppressed.
        moving_reference: whether q is that of the released records (``reference: released``), so that it moves with
            what is suppressed; then classes are removed in rounds until none violates.
        residents: the population, where a demand reads it.
        rows: the rows of the sample, where a demand on it reads them.
    """

    def __init__(
        self,
        towers: Mapping[str | None, Tower],
        demands: Sequence[NodeDemand],
        limit: int,
        *,
        moving_reference: bool = True,
        residents: Residents | None = None,
        rows: SampleRows | None = None,
    ) -> None:
        self.rows = rows
        self.towers: Mapping[str | None, Tower] = towers
        if residents is not None:
            self.towers = {**towers, POPULATION: residents.tower}
        self.residents = residents
        self.demands = tuple(demands)
        self.limit = limit
        self.first = next(iter(towers))
        self.evaluated = 0
        self.apart: frozenset[int] = frozenset()
        """The quasi-identifiers, by place, of which a missing value stays apart at every level; its code is 0."""
        sampled = any(isinstance(d.model, SampleRequirement) for d in demands)
        patterns = max((len(each.patterns or (0,)) for each in demands), default=1)
        self.effort = 64 if rows is not None else max(8 if sampled else 1, patterns)
        """How many times the work of adding up class sizes a node takes, roughly; measured on Adult."""
        whole = [d.model for d in demands if isinstance(d.model, ClassModel) and d.whole]
        self.least_size = max((model.least_size for model in whole), default=1)
        """Smaller classes violate a demand whatever is in them: what every node can be held to without its cells."""
        self.size_decides = len(whole) == len(demands) and all(model.size_decides for model in whole)
        """Whether that is all that is demanded."""
        self._whole = [
            (d, d.model) for d in demands if not isinstance(d.model, ClassModel) and _by_class_sizes(d.model)
        ]
        # distances to q cost more than counts inside a class, so they are asked last
        self._asked = sorted((d for d in demands if not _by_size(d)), key=_reads_reference)
        self.moving_reference = moving_reference
        self._moving = moving_reference and any(map(_reads_reference, demands))
        # A class of fewer columns loses members with the classes inside it, so one round does not settle it.
        self._grouped = not all(demand.whole for demand in demands)

    def only(self, demands: Sequence[NodeDemand], limit: int) -> Evaluator:
        """An evaluator of the same table for some demands alone and another limit of suppression."""
        return self._of(self.towers, demands, limit)

    def _of(self, towers: Mapping[str | None, Tower], demands: Sequence[NodeDemand], limit: int) -> Evaluator:
        residents = None if self.residents is None else replace(self.residents, tower=towers[POPULATION])
        own = {name: tower for name, tower in towers.items() if name != POPULATION}
        return Evaluator(
            own, demands, limit, moving_reference=self.moving_reference, residents=residents, rows=self.rows
        )

    def topped(self, place: int) -> Evaluator:
        """An evaluator of the same table where one ladder has a further level, on which all its values are one."""
        return self._of(self._topped(place), self.demands, self.limit)

    def _topped(self, place: int) -> Mapping[str | None, Tower]:
        apart = int(place in self.apart)
        return {
            name: tower.topped(place, np.minimum(tower.ladders[place][-1], apart))
            for name, tower in self.towers.items()
        }

    @property
    def tower(self) -> Tower:
        """One of the towers; all have the same quasi-identifiers."""
        tower: Tower = self.towers[self.first]
        return tower

    def at(self, node: Node) -> NodeOutcome:
        """Decide one node, rolled up from the base."""
        return self.decide(node, self.tables(node))

    def at_subset(self, attributes: Sequence[int], levels: Node) -> NodeOutcome:
        """Decide a node of a subset of the quasi-identifiers: the others do not group."""
        tables = {name: tower.at_subset(attributes, levels) for name, tower in self.towers.items()}
        return self.decide(levels, tables, at=dict(zip(attributes, levels, strict=True)))

    def tables(self, node: Node) -> Tables:
        """The tables of one node, rolled up from the base."""
        return {name: tower.at(node) for name, tower in self.towers.items()}

    def classes(self, demand: NodeDemand, node: Node) -> ClassTable:
        """The classes that a demand looks at, at a node with nothing suppressed."""
        name = demand.sensitive if demand.sensitive in self.towers else self.first
        table = self.towers[name].at(node)
        classes = _meant(self.towers[name].classes(table), demand.domain)
        everything = np.ones(len(classes), dtype=np.bool_)
        held = self._held(self.tables(node), dict(enumerate(node))) if demand.reads_population else None
        if demand.attributes is None:
            return classes if held is None else held.counted(classes, everything)
        group = next(_grouped(self.towers[name], table, demand, everything))
        merged = merged_classes(classes, group)
        return merged if held is None else held.merged(merged, group, demand.attributes, everything)

    def patterns(self, demand: NodeDemand, node: Node) -> Iterator[ClassTable]:
        """The classes, or the patterns in parts, that a demand looks at, at a node with nothing suppressed."""
        for each in demand.groupings:
            yield self.classes(each, node)

    def share(self, demand: NodeDemand, model: TableModel, node: Node) -> Fraction:
        """A whole-table model's number at a node with nothing suppressed."""
        tables = self.tables(node)
        sizes = self.tower.sizes(tables[self.first])
        return self._share(demand, model, ClassTable(sizes, sizes), tables, np.ones(len(sizes), dtype=np.bool_))

    def _held(self, tables: Tables, levels: Mapping[int, int]) -> HeldNode | None:
        if self.residents is None:
            return None
        return HeldNode(self.residents, self.tower, (tables[self.first], tables[POPULATION]), levels)

    def suppressed(self, outcome: NodeOutcome, table: Rolled) -> Mapping[int | str, IntArray]:
        """What a release leaves out, given a decided node and its table.

        Returns:
            For each column that tells it (a quasi-identifier by its place, another one by its name) int64: the code,
            of a quasi-identifier that of the node's level.
        """
        gone = ~outcome.kept
        return {place: self.tower.nodes_of(table, place)[gone] for place in range(len(self.tower.ladders))}

    def too_small(self, sizes: IntArray) -> int:
        """How many records stand in classes that are too small for some demand: at least so many are suppressed.

        Generalizing only lowers it, whatever the demands are.
        """
        return int(sizes[sizes < self.least_size].sum())

    def decide(
        self, node: Node, tables: Tables, *, fully: bool = False, at: Mapping[int, int] | None = None
    ) -> NodeOutcome:
        """Decide one node whose tables are at hand.

        A node that exceeds the limit is left at that, with fewer classes suppressed than all rounds would; `fully` goes
        through all of them. `at` has the levels of the quasi-identifiers that group, by place, where those are not all.
        """
        self.evaluated += 1
        tell(self.evaluated, unit="nodes")
        sizes = self.tower.sizes(tables[self.first])
        kept = sizes >= self.least_size
        within = fully or int(sizes[~kept].sum()) <= self.limit
        levels = dict(enumerate(node)) if at is None else at
        held = self._held(tables, levels)
        if within and not self.size_decides:
            kept = self._settled(sizes, kept, tables, held, fully=fully)
        solves = self._solves(sizes, kept, tables, held) and self._rows_hold(kept, tables[self.first], levels)
        return NodeOutcome(node, sizes, kept, solves)

    def _rows_hold(self, kept: BoolArray, table: Rolled, levels: Mapping[int, int]) -> bool:
        """Whether the rows of what is kept meet every demand that looks at them."""
        return self.rows is None or all(
            self.rows.holds(demand.model, self.tower, table, levels, kept)
            for demand in self.demands
            if isinstance(demand.model, SampleRequirement) and not demand.model.by_sizes
        )

    def number_of_sample(self, model: SampleRequirement, node: Node, sizes: IntArray) -> float:
        """The number of a requirement on a sample at a node of such classes, nothing suppressed; ∞ for none."""
        try:
            if self.rows is None or model.by_sizes:
                return model.of_sizes(sizes)
            table = self.tower.at(node)
            kept = np.ones(len(self.tower.sizes(table)), dtype=np.bool_)
            return self.rows.number(model, self.tower, table, dict(enumerate(node)), kept)
        except DataError:
            return math.inf

    def smallest(self, outcome: NodeOutcome, table: Rolled) -> int:  # noqa: ARG002
        """The least |E| of a node before anything is suppressed, as k-anonymity counts it."""
        return int(outcome.sizes.min())

    def _settled(
        self, sizes: IntArray, large: BoolArray, tables: Tables, held: HeldNode | None, *, fully: bool
    ) -> BoolArray:
        """bool[n]: the classes that are kept, after as many rounds as it takes."""
        classes = {name: tower.classes(tables[name]) for name, tower in self.towers.items() if name != POPULATION}
        kept = np.ones(len(sizes), dtype=np.bool_)
        while kept.any():
            # a class that is too small violates whatever is in it; but it counts in a coarser class, and in q
            measured = kept if self._grouped else kept & large
            spare = self.tower.records if fully else self.limit - int(sizes[~measured].sum())
            wrong = self._violating(classes, (tables, held), measured, kept if self._moving else None, spare)
            remaining = kept & large
            remaining[np.flatnonzero(measured)[wrong]] = False
            if remaining.sum() == kept.sum():
                break
            kept = remaining
            if not (self._moving or self._grouped) or not (fully or int(sizes[~kept].sum()) <= self.limit):
                break
        return kept

    def _violating(
        self,
        classes: Mapping[str | None, ClassTable],
        at: tuple[Tables, HeldNode | None],
        kept: BoolArray,
        q: BoolArray | None,
        spare: int,
    ) -> BoolArray:
        """bool: which of the kept classes violate a demand, with q of the classes `q` (None: of the input).

        Once they hold more records than there are to spare, the demands that are left are not asked.
        """
        wrong = np.zeros(int(kept.sum()), dtype=np.bool_)
        released: dict[tuple[str | None, int], ClassTable] = {}
        for demand in self._asked:
            if isinstance(demand.model, ClassModel):
                asked = demand.sensitive, id(demand.domain)
                table = released.get(asked)
                if table is None:
                    source = classes[demand.sensitive if demand.sensitive in classes else self.first]
                    table = released[asked] = restricted(_meant(source, demand.domain), kept, q)
                wrong |= self._violates(demand, table, at, kept, spare)
                if int(table.sizes[wrong].sum()) > spare:
                    break
        return wrong

    def _violates(
        self,
        demand: NodeDemand,
        table: ClassTable,
        at: tuple[Tables, HeldNode | None],
        kept: BoolArray,
        spare: int,
    ) -> BoolArray:
        """bool: which of the kept classes violate a demand; once they hold more records than `spare`, not all."""
        model, (tables, held) = demand.model, at
        if not isinstance(model, ClassModel):
            raise InternalError("a whole-table model was asked about its classes")
        if not demand.reads_population:
            held = None
        if demand.whole:
            table = table if held is None else held.counted(table, kept)
            return model.violates(table, model.measure(table))
        name = demand.sensitive if demand.sensitive in tables else self.first
        wrong = np.zeros(len(table), dtype=np.bool_)
        groups = _grouped(self.towers[name], tables[name], demand, kept)
        for each, group in zip(demand.groupings, groups, strict=True):
            coarse = merged_classes(table, group)
            if held is not None:
                coarse = held.merged(coarse, group, each.attributes or (), kept)
            wrong |= model.violates(coarse, model.measure(coarse))[group]
            if int(table.sizes[wrong].sum()) > spare:
                break
        return wrong

    def _solves(self, sizes: IntArray, kept: BoolArray, tables: Tables, held: HeldNode | None) -> bool:
        """Whether what is kept meets the limit and every whole-table model."""
        lost = 0 if kept.all() else int(sizes[~kept].sum())
        if lost > self.limit or not kept.any():
            return False
        if held is not None and any(_misses(demand, held, kept) for demand in self.demands):
            return False
        return not self._whole or self._meets_whole(sizes[kept], kept, tables)

    def _meets_whole(self, sizes: IntArray, kept: BoolArray, tables: Tables) -> bool:
        released = ClassTable(sizes, sizes)
        for demand, model in self._whole:
            if isinstance(model, TableModel):
                holds = meets(model, self._share(demand, model, released, tables, kept))
            else:
                groups = () if demand.whole else _grouped(self.tower, tables[self.first], demand, kept)
                grouped = [merged_classes(released, group) for group in groups] or [released]
                holds = model.holds_of(grouped[0].sizes)
            if not holds:
                return False
        return True

    def _share(
        self, demand: NodeDemand, model: TableModel, released: ClassTable, tables: Tables, kept: BoolArray
    ) -> Fraction:
        """A whole-table model's number, of the classes that are kept."""
        held, grouped = np.zeros(len(released), dtype=np.bool_), released
        for group in () if demand.whole else _grouped(self.tower, tables[self.first], demand, kept):
            grouped = merged_classes(released, group)
            if demand.patterns is not None:
                held |= model.exposes(grouped)[group]
        exposed = model.numerator(grouped) if demand.patterns is None else int(released.rows[held].sum())
        return Fraction(exposed) / int(released.rows.sum())


def _by_class_sizes(model: TableModel | SampleRequirement) -> bool:
    return isinstance(model, TableModel) or model.by_sizes


def _misses(demand: NodeDemand, held: HeldNode, kept: BoolArray) -> bool:
    """Whether persons of the population with values that nobody in the release has violate a demand."""
    model = demand.model
    if not isinstance(model, PopulationModel) or not model.misses(0, held.total):
        return False
    return model.misses(held.released(demand.attributes, kept), held.total)


def meets(model: TableModel, number: Fraction) -> bool:
    """Whether a whole-table model's number of a release stands on the right side of its bound, compared exactly."""
    return stands(number, Fraction(repr(model.bound)), model.comparison)


def _meant(table: ClassTable, domain: Domain | None) -> ClassTable:
    """The table with what its codes mean to one demand (None: as they are)."""
    if domain is None or table.cells is None:
        return table
    return replace(table, cells=replace(table.cells, domain=domain))


def _grouped(tower: Tower, table: Rolled, demand: NodeDemand, kept: BoolArray) -> Iterator[IntArray]:
    """int64: for each kept class the number of its class in a grouping by fewer columns; one for each grouping."""
    count, codes = int(kept.sum()), dict[int, IntArray]()
    for each in demand.groupings:
        places = each.attributes or ()
        codes |= {place: tower.nodes_of(table, place)[kept] for place in places if place not in codes}
        yield numbered([codes[place] for place in places], count)


def _reads_reference(demand: NodeDemand) -> bool:
    return isinstance(demand.model, ClassModel) and demand.model.reads_reference


def _by_size(demand: NodeDemand) -> bool:
    return isinstance(demand.model, ClassModel) and demand.model.size_decides and demand.whole
