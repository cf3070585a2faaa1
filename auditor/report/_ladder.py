"""Small numbers that follow from larger ones: histograms, curves and counts of the same table hang together.

Bins of a histogram add up to the table, and a curve's points differ by a bin. All of these numbers are values of one
cumulative function F(edge), the records (and classes) below an edge. So a set of edges is chosen whose values lie 0 or
at least k apart, and only numbers between chosen edges are published: whatever is added or subtracted, no number from
1 to k − 1 comes out. A hidden bin therefore never stands alone. Where the smallest class is smaller than k, no 0 below
it is published: no class of 1, and some below 3, is one of 2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.result import ClassSummary, Kind, NumberBin, RequirementResult, Result, SizeBin

END = math.inf


@dataclass(frozen=True)
class _Point:
    """F at one edge: what lies below it. None is unknown."""

    records: int | None
    classes: int | None = None

    def apart(self, other: _Point, k: int) -> bool:
        """Whether nothing small lies between two points."""
        pairs = ((self.records, other.records), (self.classes, other.classes))
        return all(a is None or b is None or a == b or abs(a - b) >= k for a, b in pairs)


@dataclass
class _Ladder:
    """Points of one cumulative function, and the statements (paths in the document) that rest on them."""

    points: dict[float, _Point]
    edges_are_sizes: bool = False
    urgent: list[float] = field(default_factory=list)
    first: float = END
    """Where F leaves 0, which is a small size: no edge below it is published, for the last one would tell that size."""
    statements: list[tuple[tuple[float, ...], tuple[str, ...]]] = field(default_factory=list)
    counted: dict[float, list[tuple[int, set[int]]]] = field(default_factory=lambda: defaultdict(list))
    """By edge, numbers of records that it tells, each with those of other ladders that it may lie within."""

    def state(self, paths: tuple[str, ...], *at: tuple[float, _Point]) -> None:
        """Note that these paths tell F at these edges."""
        for edge, point in at:
            known = self.points.get(edge, point)
            records = point.records if known.records is None else known.records
            classes = point.classes if known.classes is None else known.classes
            self.points[edge] = _Point(records, classes)
        self.statements.append((tuple(edge for edge, _ in at), paths))

    def count(self, others: set[int]) -> None:
        """Hold what each edge tells to the numbers `others`, and add those that are published to them."""
        for edge, point in self.points.items():
            if 0 < edge < END and point.records is not None:
                self.counted[edge].append((point.records, others))

    def unsafe(self, k: int) -> set[str]:
        """List the paths of the statements that must be hidden."""
        chosen = {edge for edge in (0.0, END) if edge in self.points}
        for edge in [*self.urgent, *sorted(self.points)]:
            if not 0 < edge <= self.first < k and all(self._apart(edge, other, k) for other in chosen):
                if any(0 < abs(n - other) < k for n, others in self.counted[edge] for other in others):
                    continue
                chosen.add(edge)
                for n, others in self.counted[edge]:
                    others.add(n)
        return {path for edges, paths in self.statements if not chosen.issuperset(edges) for path in paths}

    def _apart(self, edge: float, other: float, k: int) -> bool:
        """Whether nothing small lies between two edges; between sizes s and s + 1, classes are records / s."""
        low, high = sorted((edge, other))
        below, above = self.points[low].records, self.points[high].records
        if self.edges_are_sizes and high == low + 1 and below is not None and above is not None:
            return above == below or above - below >= k * max(low, 1)
        return self.points[edge].apart(self.points[other], k)


def derivable(result: Result, k: int) -> set[str]:
    """Paths of totals from which, with what else is published, a number from 1 to k − 1 could be computed."""
    paths: set[str] = set()
    told: set[int] = set()
    if result.data is not None and result.classes is not None:
        paths |= _sizes(result, result.classes, result.data.rows, told).unsafe(k)
    functions: dict[tuple[object, ...], set[int]] = defaultdict(set)
    for index, requirement in enumerate(result.requirements):
        ladder, path = _numbers(requirement, f"requirements/{index}"), f"requirements/{index}"
        ladder.count(functions[requirement.model, requirement.sensitive, requirement.quasi_identifiers])
        if len(ladder.urgent) == 1 and requirement.records_violating is not None:
            ladder.counted[ladder.urgent[0]].append((requirement.records_violating, told))
        elif not ladder.points and result.data is not None and not _of_sizes(requirement, result.classes):
            _state_requirement(ladder, requirement, path, result.data.rows)
            ladder.count(told)
        paths |= ladder.unsafe(k)
    return paths | _steps(result, k, told)


def _of_sizes(requirement: RequirementResult, classes: ClassSummary | None) -> bool:
    """Whether the requirement is on the classes whose sizes are told."""
    return classes is not None and set(requirement.quasi_identifiers) == set(classes.quasi_identifiers)


def _sizes(result: Result, classes: ClassSummary, rows: int, told: set[int]) -> _Ladder:
    """Everything that tells how many records stand in classes below some size."""
    counts_rows = result.data is not None and result.data.unit == "rows"
    ladder = _Ladder({0.0: _Point(0, 0), END: _Point(rows, classes.count)}, edges_are_sizes=counts_rows)
    ladder.first = END if classes.smallest is None else classes.smallest
    for index, requirement in enumerate(result.requirements):
        if _of_sizes(requirement, classes):
            _state_requirement(ladder, requirement, f"requirements/{index}", rows)
    ladder.state(("classes/sample_uniques",), (2, _Point(classes.sample_uniques)))
    if result.risk is not None:
        below = _Point(_records(result.risk.share_at_risk, rows))
        ladder.state(("risk/share_at_risk",), (_edge_of_risk(result.risk.threshold), below))
    ladder.urgent = sorted(ladder.points)[1:-1]
    for index, point in enumerate(classes.risk_curve):
        path = f"classes/risk_curve/{index}"
        ladder.state((f"{path}/records_below", f"{path}/share_below"), (point.k, _Point(point.records_below)))
    steps = result.dimensionality.steps if result.dimensionality else ()
    if result.dimensionality and len(steps) == len(classes.quasi_identifiers):
        path = f"dimensionality/steps/{len(steps) - 1}"
        ladder.state((f"{path}/unique_records", f"{path}/unique_share"), (2, _Point(steps[-1].unique_records)))
        edge = result.dimensionality.k
        ladder.state((f"{path}/below_k", f"{path}/below_k_share"), (edge, _Point(steps[-1].below_k)))
    edges = [(float(b.low), END if b.high is None else float(b.high + 1)) for b in classes.sizes]
    _state_bins(ladder, edges, classes.sizes, "classes/sizes")
    ladder.count(told)
    return ladder


def _state_requirement(ladder: _Ladder, requirement: RequirementResult, path: str, rows: int) -> None:
    violating = _Point(requirement.records_violating, requirement.classes_violating)
    paths = (f"{path}/records_violating", f"{path}/classes_violating")
    edge = requirement.edge
    if edge is not None and requirement.kind == Kind.SHARE:
        ladder.state((f"{path}/achieved",), (edge, _Point(_records(requirement.achieved, rows))))
    elif edge is not None:
        ladder.state(paths, (edge, violating))


def _edge_of_risk(risk: float) -> float:
    """The size from which on 1/size is at most `risk`."""
    return math.ceil(1 / risk - 1e-9) if risk > 0 else END


def _records(share: float | None, rows: int) -> int | None:
    return None if share is None else round(share * rows)


def _numbers(requirement: RequirementResult, path: str) -> _Ladder:
    """The distribution of a requirement's per-class number; its edges are the bins' positions."""
    bins = requirement.distribution
    ladder = _Ladder({})
    if not bins:
        return ladder
    edges = [(float(i), END if i + 1 == len(bins) else float(i + 1)) for i in range(len(bins))]
    ladder.urgent = [float(i) for i in range(1, len(bins)) if bins[i].violates != bins[i - 1].violates]
    _state_bins(ladder, edges, bins, f"{path}/distribution")
    if len(ladder.urgent) == 1:
        paths = (f"{path}/records_violating", f"{path}/classes_violating")
        edge = ladder.urgent[0]
        ladder.state(paths, (edge, ladder.points[edge]))
    return ladder


def _state_bins(
    ladder: _Ladder, edges: list[tuple[float, float]], bins: Sequence[NumberBin | SizeBin], path: str
) -> None:
    records = classes = 0
    for index, ((low, high), part) in enumerate(zip(edges, bins, strict=True)):
        below = _Point(records, classes)
        records, classes = records + part.records, classes + part.classes
        paths = (f"{path}/{index}/records", f"{path}/{index}/classes")
        ladder.state(paths, (low, below), (high, _Point(records, classes)))


def _steps(result: Result, k: int, told: set[int]) -> set[str]:
    """Within one step of the dimensionality check, unique records are among those below k; so are those of the next."""
    paths: set[str] = set()
    if result.dimensionality is None or result.data is None:
        return paths
    for index, step in enumerate(result.dimensionality.steps):
        path = f"dimensionality/steps/{index}"
        ladder = _Ladder({0.0: _Point(0), END: _Point(result.data.rows)}, urgent=[2.0])
        ladder.first = 1.0 if step.below_k and not step.unique_records else END
        ladder.state((f"{path}/below_k", f"{path}/below_k_share"), (2.0, _Point(step.below_k)))
        ladder.state((f"{path}/unique_records", f"{path}/unique_share"), (1.0, _Point(step.unique_records)))
        ladder.count(told)
        paths |= ladder.unsafe(k)
    return paths
