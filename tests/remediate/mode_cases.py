"""Random small problems in every mode, twice: as the search takes them, and as the record-by-record oracle does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from auditor.classes import Domain
from auditor.models import monotone_under
from auditor.remediate._evaluate import NodeDemand
from auditor.remediate._lattice import Sublattice
from auditor.remediate._losses import Losses
from auditor.remediate._recount import Kinds, Recounter, Setting
from auditor.remediate._rollup import Tower, tree_order
from tests.remediate import record_oracle
from tests.remediate.cases import RULES, Sensitive, demand_of, demands, hierarchies, loss_column
from tests.remediate.lattice_oracle import Node, nodes
from tests.remediate.record_oracle import Asked, Made, Modes, Record, Table

EACH: Mapping[str, Any] = {
    "average-risk": lambda size: record_oracle.Fraction(1, size),
    "uniqueness": lambda size: record_oracle.Fraction(size == 1),
}
Wanted = tuple[str, Mapping[str, Any], tuple[int, ...] | None, int, bool]
"""Model, parameters, quasi-identifiers (None: all), sensitive attribute, whether the others join."""


@dataclass(frozen=True)
class ModeCase:
    """One problem. Value 0 of a quasi-identifier is the missing one where `missing` says so."""

    records: tuple[Record, ...]
    hierarchies: tuple[tuple[tuple[int, ...], ...], ...]
    sensitive: tuple[Sensitive, ...]
    wanted: tuple[Wanted, ...]
    low: Node
    high: Node
    limit: int
    modes: Modes

    # as the oracle takes it

    @cached_property
    def asked(self) -> list[Asked]:
        found = []
        for name, parameters, attributes, reads, joins in self.wanted:
            rule = replace(RULES[name](self.sensitive[reads], **parameters), attributes=attributes)
            sensitive = self._is_sensitive(name)
            joined = tuple(i for i in range(len(self.sensitive)) if i != reads) if joins and sensitive else ()
            found.append(Asked(rule, reads if sensitive else None, joined, name == "alpha-k-anonymity", EACH.get(name)))
        return found

    @staticmethod
    def _is_sensitive(name: str) -> bool:
        return name not in (*EACH, "k-anonymity", "max-risk")

    @cached_property
    def made(self) -> dict[Node, Made]:
        table = Table(self.records, self.hierarchies, self.asked, self.modes)
        return {node: table.made(node, self.limit) for node in nodes(self.low, self.high)}

    @property
    def solving(self) -> list[Node]:
        return [node for node, made in self.made.items() if made.solves]

    @cached_property
    def losses(self) -> dict[Node, dict[str, float]]:
        missing = [any(r.values[i] is None for r in self.records) for i in range(len(self.hierarchies))]
        leaves = [len(ladder[0]) + gap for ladder, gap in zip(self.hierarchies, missing, strict=True)]
        under = [[Counter(level) for level in ladder] for ladder in self.hierarchies]
        return {
            node: record_oracle.losses(made, self.records, self.hierarchies, leaves, under)
            for node, made in self.made.items()
        }

    @cached_property
    def monotone(self) -> bool:
        """Whether DEFINITIONS' table grants that generalizing keeps solving, in this mode."""
        granted = [monotone_under(d.model, units=self.modes.units, wildcards=self.has_gaps) for d in self._demands]
        suppressing = bool(self.limit)
        return all(
            g is not None and g.generalization and (not suppressing or (g.suppression and self.modes.stars is None))
            for g in granted
        )

    @property
    def has_gaps(self) -> bool:
        return any(None in record.values for record in self.records)

    # as the search takes it

    @property
    def ranges(self) -> Sublattice:
        return Sublattice(self.low, self.high)

    @cached_property
    def _demands(self) -> list[NodeDemand]:
        found = []
        for (name, parameters, attributes, reads, _), asked in zip(self.wanted, self.asked, strict=True):
            sensitive = None if asked.reads is None else f"s{reads}"
            joined = tuple(f"s{i}" for i in asked.joined)
            found.append(replace(demand_of(name, parameters, attributes), sensitive=sensitive, joined=joined))
        return found

    def search(self) -> tuple[Recounter, Losses]:
        codes, ladders, columns, stars = [], [], [], []
        for i, ladder in enumerate(self.hierarchies):
            used = sorted({-1 if r.values[i] is None else r.values[i] for r in self.records})  # type: ignore[type-var]
            given = np.array([[0 if v == -1 else level[v] + 1 for v in used] for level in ladder])
            code, levels = tree_order(given)
            own = np.array([code[used.index(-1 if r.values[i] is None else r.values[i])] for r in self.records])
            codes.append(own)
            ladders.append(levels)
            columns.append(self._loss_column(ladder, used, given, code, levels, np.bincount(own)))
            stars.append([self._star(i, level, given, code, levels) for level in range(len(ladder))])
        kind = sorted({(r.sensitive, r.unit) for r in self.records})
        tower = Tower(
            codes, ladders, np.ones(len(self.records), dtype=np.int64),
            np.array([kind.index((r.sensitive, r.unit)) for r in self.records]), kinds=len(kind),
        )  # fmt: skip
        setting = Setting(
            self.modes.released and self.modes.stars is None,
            frozenset(i for i in range(len(codes)) if any(r.values[i] is None for r in self.records)),
            None if self.modes.stars is None else stars,
        )
        evaluator = Recounter(tower, self._demands, self.limit, self._kinds(kind), setting)
        in_parts = self.modes.units or any(demand.joined for demand in self._demands)
        return evaluator, Losses(tower, columns, in_parts=in_parts)

    def _star(self, i: int, level: int, given: Any, code: Any, levels: Any) -> int:
        star = None if self.modes.stars is None else self.modes.stars[i][level]
        there = [] if star is None else np.flatnonzero(given[level] == star + 1).tolist()
        return int(levels[level][code[there[0]]]) if there else -1

    @staticmethod
    def _loss_column(ladder: Any, used: Any, given: Any, code: Any, levels: Any, frequencies: Any) -> Any:
        """The column of a ladder; a missing value is a leaf more, a node of its own at every level."""
        if -1 not in used:
            return loss_column(ladder, given - 1, code, levels, frequencies)
        return loss_column([(-1, *level) for level in ladder], given - 1, code, levels, frequencies)

    def _kinds(self, kind: Sequence[tuple[tuple[int, ...], int]]) -> Kinds:
        domains, values = {}, {}
        for i, s in enumerate(self.sensitive):
            occurring = {r.sensitive[i] for r in self.records}
            given = self.modes.references[i] if self.modes.references else None
            known = list(range(s.values)) if s.listed else sorted(occurring | set(given or ()))
            pairs = [(r.sensitive[i], r.unit) for r in self.records]
            q = given or Counter(v for v, _ in (set(pairs) if self.modes.units else pairs))
            ranks = [[value for value in s.order if value in known].index(value) for value in known]
            domains[f"s{i}"] = Domain(
                tuple(map(str, known)),
                np.array([q[value] for value in known], dtype=np.int64),
                np.array(ranks, dtype=np.int64),
                np.array([[level[value] for value in known] for level in s.ladder]),
                listed=s.listed,
            )
            values[f"s{i}"] = np.array([known.index(sensitive[i]) for sensitive, _ in kind])
        units = np.array([unit for _, unit in kind]) if self.modes.units else None
        return Kinds(values, domains, "unit" if self.modes.units else None, units)


@st.composite
def mode_cases(
    draw: st.DrawFn,
    *,
    names: Sequence[str] = tuple(RULES),
    limits: st.SearchStrategy[int] | None = None,
    width: int = 3,
    **fixed: bool,
) -> ModeCase:
    """Up to 12 rows of up to three quasi-identifiers and two sensitive attributes; `fixed` modes are not drawn."""
    units, gaps, star, outside, released = (
        fixed[name] if name in fixed else draw(st.booleans())
        for name in ("units", "gaps", "star", "outside", "released")
    )
    columns, attributes = draw(st.integers(1, width)), draw(st.integers(1, 2))
    ladders = tuple(draw(hierarchies(draw(st.integers(1, 4)), rooted=False)) for _ in range(columns))
    sensitive = tuple(_sensitive(draw, draw(st.integers(1, 3))) for _ in range(attributes))
    values = st.tuples(*(
        st.one_of(st.none(), st.integers(0, len(ladder[0]) - 1)) if gaps else st.integers(0, len(ladder[0]) - 1)
        for ladder in ladders
    ))  # fmt: skip
    row = st.builds(Record, values, st.tuples(*(st.integers(0, s.values - 1) for s in sensitive)), st.integers(0, 6))
    low = tuple(draw(st.integers(0, (len(ladder) - 1) // 2)) for ladder in ladders)
    stars = [
        [draw(st.one_of(st.none(), st.sampled_from(sorted(set(level))))) for level in ladder] for ladder in ladders
    ]
    wanted = st.tuples(
        demands(columns, names, subsets=True), st.integers(0, attributes - 1), st.booleans()
    ).map(lambda found: (*found[0], found[1], found[2]))  # fmt: skip
    return ModeCase(
        records=tuple(draw(st.lists(row, min_size=1, max_size=12))),
        hierarchies=ladders,
        sensitive=sensitive,
        wanted=tuple(draw(st.lists(wanted, min_size=1, max_size=3))),
        low=low,
        high=tuple(draw(st.integers(a, len(ladder) - 1)) for a, ladder in zip(low, ladders, strict=True)),
        limit=draw(limits if limits is not None else st.sampled_from([0, 2, 4, 12])),
        modes=Modes(
            units,
            released and not outside,
            [_reference(draw, s) for s in sensitive] if outside else None,
            stars if star else None,
        ),
    )


def _sensitive(draw: st.DrawFn, m: int) -> Sensitive:
    return Sensitive(m, tuple(draw(st.permutations(range(m)))), draw(st.booleans()), draw(hierarchies(m, rooted=True)))


def _reference(draw: st.DrawFn, s: Sensitive) -> Counter:
    """A reference table's counts: perhaps without values of the data."""
    counts = draw(st.lists(st.integers(0, 3), min_size=s.values, max_size=s.values).filter(any))
    return Counter({value: count for value, count in enumerate(counts) if count})
