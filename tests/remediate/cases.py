"""Random small remediation problems, twice: as the search takes them, and as the oracle does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from auditor.classes import Domain
from auditor.models import registry
from auditor.remediate._evaluate import Evaluator, NodeDemand
from auditor.remediate._lattice import Sublattice
from auditor.remediate._losses import Aggregate, ColumnLosses, Losses
from auditor.remediate._rollup import Tower, tree_order
from tests import oracle
from tests.remediate import lattice_oracle as plain
from tests.remediate.lattice_oracle import Node, Row, Rule

SENSITIVE = "disease"


@dataclass(frozen=True)
class Sensitive:
    """The sensitive attribute: its order (listed or not) and its hierarchy, as the path above each value."""

    values: int
    order: tuple[int, ...]
    listed: bool
    ladder: tuple[tuple[int, ...], ...]

    @property
    def paths(self) -> dict[int, list[int]]:
        return {value: [level[value] for level in self.ladder] for value in range(self.values)}


def _rule(number: plain.Number, bound: float, direction: str, **more: Any) -> Rule:
    return Rule(number, Fraction(repr(bound)), direction, **more)


def _close(distance: Callable[[Sensitive], plain.Number], *, exact: bool = True) -> Callable[..., Rule]:
    return lambda s, t, **_: _rule(distance(s), t, "<=", exact=exact)


RULES: dict[str, Callable[..., Rule]] = {
    "k-anonymity": lambda s, k: Rule(lambda p, q: oracle.size(p), k, ">="),
    "max-risk": lambda s, max: _rule(lambda p, q: Fraction(1, oracle.size(p)), max, "<="),  # noqa: A006  (its name)
    "confidence": lambda s, max: _rule(lambda p, q: oracle.largest_share(p), max, "<="),  # noqa: A006  (its name)
    "alpha-k-anonymity": lambda s, alpha, k: _rule(lambda p, q: oracle.largest_share(p), alpha, "<=", size=k),
    "p-sensitive-k-anonymity": lambda s, p, k: Rule(lambda h, q: oracle.distinct(h), p, ">=", size=k),
    "distinct-l-diversity": lambda s, l: Rule(lambda p, q: oracle.distinct(p), l, ">="),  # noqa: E741
    "entropy-l-diversity": lambda s, l: _rule(lambda p, q: oracle.entropy_l(p), l, ">=", exact=False),  # noqa: E741
    "recursive-l-diversity": lambda s, c, l: _rule(lambda p, q: oracle.recursive_c(p, l), c, "<"),  # noqa: E741
    "basic-beta-likeness": lambda s, beta: _rule(oracle.basic_beta, beta, "<="),
    "enhanced-beta-likeness": lambda s, beta: _rule(oracle.enhanced_beta, beta, "<=", exact=False),
    "delta-disclosure": lambda s, delta: _rule(oracle.delta, delta, "<", exact=False),
    "variational": _close(lambda s: oracle.variational),
    "kl": _close(lambda s: oracle.kullback_leibler, exact=False),
    "js": _close(lambda s: oracle.jensen_shannon, exact=False),
    "equal": _close(lambda s: oracle.variational),
    "ordered": _close(lambda s: plain.ordered(s.order, listed=s.listed)),
    "hierarchical": _close(lambda s: lambda p, q: oracle.emd_hierarchical(p, q, s.paths)),
    "average-risk": lambda s, max: Rule(  # noqa: A006  (the parameter's name)
        None, Fraction(repr(max)), "<=", whole=lambda sizes: Fraction(len(sizes), sum(sizes))
    ),
    "uniqueness": lambda s, max: Rule(  # noqa: A006  (the parameter's name)
        None, Fraction(repr(max)), "<=", whole=lambda sizes: Fraction(sizes.count(1), sum(sizes))
    ),
}
"""Every model that classes are judged by, t-closeness once per distance."""

DISTANCES: Mapping[str, dict[str, str]] = {
    "variational": {"distance": "variational"}, "kl": {"distance": "kl"}, "js": {"distance": "js"},
    "equal": {"ground": "equal"}, "ordered": {"ground": "ordered"}, "hierarchical": {"ground": "hierarchical"},
}  # fmt: skip
PARAMETERS: Mapping[str, st.SearchStrategy[Any]] = {
    "k": st.integers(1, 4),
    "p": st.integers(1, 3),
    "l": st.integers(1, 3),
    "max": st.sampled_from([0.2, 0.25, 0.34, 0.5, 1.0]),
    "alpha": st.sampled_from([0.4, 0.5, 0.7]),
    "c": st.sampled_from([1.0, 1.5, 2.0, 3.0]),
    "beta": st.sampled_from([0.3, 0.5, 1.0, 2.0]),
    "delta": st.sampled_from([0.3, 0.7, 1.5]),
    "t": st.sampled_from([0.1, 0.2, 0.25, 0.4]),
}


@dataclass(frozen=True)
class Case:
    """One problem: rows, ladders over the hierarchies' leaves, demands, the searched ranges and the settings."""

    rows: tuple[Row, ...]
    hierarchies: tuple[tuple[tuple[int, ...], ...], ...]
    sensitive: Sensitive
    demands: tuple[tuple[str, Mapping[str, Any], tuple[int, ...] | None], ...]
    low: Node
    high: Node
    limit: int
    released: bool

    # as the oracle takes it

    @cached_property
    def rules(self) -> list[Rule]:
        found = []
        for name, parameters, attributes in self.demands:
            plainly = {key: value for key, value in parameters.items() if key != "knows"}
            rule = RULES[name](self.sensitive, **plainly)
            known = parameters.get("knows")
            columns = range(len(self.hierarchies)) if attributes is None else attributes
            groupings = [attributes] if known is None else combinations(columns, min(known, len(columns)))
            found += [Rule(**{**rule.__dict__, "attributes": each}) for each in groupings]
        return found

    @cached_property
    def releases(self) -> dict[Node, plain.Release]:
        """Every node of the ranges, by brute force."""
        return {
            node: plain.release(self.rows, self.hierarchies, self.rules, node, self.limit, released=self.released)
            for node in plain.nodes(self.low, self.high)
        }

    @property
    def solving(self) -> list[Node]:
        return [node for node, release in self.releases.items() if release.solves]

    @cached_property
    def losses(self) -> dict[Node, dict[str, float]]:
        leaves = [len(hierarchy[0]) for hierarchy in self.hierarchies]
        under = [[Counter(level) for level in hierarchy] for hierarchy in self.hierarchies]
        return {
            node: plain.losses(release, self.rows, self.hierarchies, leaves, under)
            for node, release in self.releases.items()
        }

    @cached_property
    def monotone(self) -> bool:
        """Whether DEFINITIONS' table grants that generalizing keeps solving, in this setting."""
        models = [demand.model for demand in self._demands]
        if not all(demand.whole for demand in self._demands) and self.limit:
            return False
        return all(model.monotone.generalization and (model.monotone.suppression or not self.limit) for model in models)

    # as the search takes it

    @property
    def ranges(self) -> Sublattice:
        return Sublattice(self.low, self.high)

    @cached_property
    def _demands(self) -> tuple[NodeDemand, ...]:
        return tuple(demand_of(*demand, width=len(self.hierarchies)) for demand in self.demands)

    def search(self, aggregate: Aggregate = "mean") -> tuple[Evaluator, Losses]:
        """An evaluator and the losses, new each time: an evaluator counts what it evaluates."""
        present = [sorted({values[i] for values, _ in self.rows}) for i in range(len(self.hierarchies))]
        codes, ladders, columns = [], [], []
        for i, (hierarchy, used) in enumerate(zip(self.hierarchies, present, strict=True)):
            given = np.array([[level[value] for value in used] for level in hierarchy])
            code, levels = tree_order(given)
            own = np.array([code[used.index(values[i])] for values, _ in self.rows])
            codes.append(own)
            ladders.append(levels)
            columns.append(loss_column(hierarchy, given, code, levels, np.bincount(own)))
        towers = self._towers(codes, ladders)
        evaluator = Evaluator(towers, self._demands, self.limit, moving_reference=self.released)
        return evaluator, Losses(evaluator.tower, columns, aggregate)

    def _towers(self, codes: Sequence[Any], ladders: Sequence[Any]) -> dict[str | None, Tower]:
        ones = np.ones(len(self.rows), dtype=np.int64)
        if all(demand.sensitive is None for demand in self._demands):
            return {None: Tower(codes, ladders, ones)}
        values = np.array([sensitive for _, sensitive in self.rows])
        return {SENSITIVE: Tower(codes, ladders, ones, *self._domain(values))}

    def _domain(self, values: Any) -> tuple[Any, Domain]:
        """The codes and the domain as an audit makes them: of the values that occur, and those that are listed."""
        s = self.sensitive
        known = list(range(s.values)) if s.listed else sorted(set(values.tolist()))
        ranks = [[value for value in s.order if value in known].index(value) for value in known]
        domain = Domain(
            labels=tuple(map(str, known)),
            reference=np.array([(values == value).sum() for value in known], dtype=np.int64),
            ranks=np.array(ranks, dtype=np.int64),
            ladder=np.array([[level[value] for value in known] for level in s.ladder]),
            listed=s.listed,
        )
        return np.array([known.index(value) for value in values.tolist()]), domain


def demand_of(
    name: str, parameters: Mapping[str, Any], attributes: tuple[int, ...] | None, width: int = 0
) -> NodeDemand:
    given = {key: {"columns": value} if key == "knows" else value for key, value in parameters.items()}
    named = ("t-closeness", DISTANCES[name]) if name in DISTANCES else (name, {})
    model = registry()[named[0]](**named[1], **given)
    attacker = getattr(model, "knows", None)
    columns = range(width) if attributes is None else attributes
    patterns = None if attacker is None else tuple(attacker.combinations(columns))
    reads = SENSITIVE if hasattr(model, "sensitive") else None
    return NodeDemand(model, reads, attributes, patterns=patterns)  # type: ignore[arg-type]


def loss_column(
    hierarchy: Sequence[Sequence[int]], given: Any, code: Any, levels: Any, frequencies: Any
) -> ColumnLosses:
    leaves = []
    for nodes, named, level in zip(levels, given, hierarchy, strict=True):
        under = Counter(level)
        here = np.zeros(int(nodes.max()) + 1, dtype=np.int64)
        for value, node in zip(code, named.tolist(), strict=True):
            here[nodes[value]] = under[node]
        leaves.append(here)
    return ColumnLosses.of(levels, frequencies, leaves, len(hierarchy[0]))


@st.composite
def hierarchies(draw: st.DrawFn, leaves: int, *, rooted: bool) -> tuple[tuple[int, ...], ...]:
    """A nested ladder over so many leaves; its last level has one value if `rooted`, else perhaps."""
    levels = [tuple(range(leaves))]
    for _ in range(draw(st.integers(0, 2))):
        parents = draw(st.lists(st.integers(0, leaves - 1), min_size=leaves, max_size=leaves))
        levels.append(tuple(parents[node] for node in levels[-1]))
    if rooted or draw(st.booleans()):
        levels.append((0,) * leaves)
    return tuple(levels)


@st.composite
def demands(draw: st.DrawFn, width: int, names: Sequence[str], *, subsets: bool, known: bool = False) -> Any:
    """A requirement with its parameters, perhaps on some of the quasi-identifiers, perhaps of which few are known."""
    name = draw(st.sampled_from(sorted(names)))
    wanted = {"t"} if name in DISTANCES else set(registry()[name].model_fields) & set(PARAMETERS)
    parameters = {parameter: draw(PARAMETERS[parameter]) for parameter in sorted(wanted)}
    attributes = None
    if subsets and draw(st.integers(0, 3)) == 0:
        chosen = draw(st.sets(st.integers(0, width - 1), min_size=1))
        attributes = None if len(chosen) == width else tuple(sorted(chosen))
    if known and name not in {"average-risk", "uniqueness"} and draw(st.booleans()):
        parameters["knows"] = draw(st.integers(1, width))
    return name, parameters, attributes


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    names: Sequence[str] = tuple(RULES),
    limits: st.SearchStrategy[int] | None = None,
    subsets: bool = False,
    known: bool = False,
    width: int = 3,
) -> Case:
    """Up to 14 rows of up to three quasi-identifiers."""
    columns = draw(st.integers(1, width))
    ladders = tuple(draw(hierarchies(draw(st.integers(1, 5)), rooted=False)) for _ in range(columns))
    m = draw(st.integers(1, 4))
    values = st.tuples(*(st.integers(0, len(ladder[0]) - 1) for ladder in ladders))
    rows = draw(st.lists(st.tuples(values, st.integers(0, m - 1)), min_size=1, max_size=14))
    low = tuple(draw(st.integers(0, (len(ladder) - 1) // 2)) for ladder in ladders)
    high = tuple(draw(st.integers(a, len(ladder) - 1)) for a, ladder in zip(low, ladders, strict=True))
    return Case(
        rows=tuple(rows),
        hierarchies=ladders,
        sensitive=Sensitive(
            m,
            tuple(draw(st.permutations(range(m)))),
            draw(st.booleans()),
            draw(hierarchies(m, rooted=True)),
        ),
        demands=tuple(draw(st.lists(demands(columns, names, subsets=subsets, known=known), min_size=1, max_size=3))),
        low=low,
        high=high,
        limit=draw(limits if limits is not None else st.sampled_from([0, 1, 3, 6])),
        released=draw(st.booleans()),
    )
