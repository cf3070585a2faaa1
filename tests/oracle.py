"""Every number of the privacy models, once more: straight from the definitions, dense, one class at a time.

Independent of `auditor.models` on purpose: plain Python fractions and dicts, no arrays, no closed form where the
definition is a sum over all values, and linear programmes where the definition is an optimum. Nothing here is fast.

A class is a histogram, value → count; so is the reference table. A number is a `Fraction` where the definition gives
a rational, else a float; `math.inf` where the definition says +∞.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from scipy.optimize import linprog

Value = Hashable
Histogram = Mapping[Value, int]
Shares = Mapping[Value, Fraction]
Ground = Callable[[Value, Value], Fraction | float]


def classes_of(rows: Sequence[Mapping[str, Value]], grouping: Sequence[str], sensitive: str) -> dict[tuple, Counter]:
    """The equivalence classes of a table: what their records agree on → the histogram of the sensitive attribute."""
    classes: dict[tuple, Counter] = {}
    for row in rows:
        classes.setdefault(tuple(row[column] for column in grouping), Counter())[row[sensitive]] += 1
    return classes


def distribution(histogram: Histogram) -> dict[Value, Fraction]:
    """p: each value's share."""
    total = sum(histogram.values())
    return {value: Fraction(count, total) for value, count in histogram.items()}


def both(p: Histogram, q: Histogram) -> list[tuple[Fraction, Fraction]]:
    """(p_i, q_i) for every value that either has."""
    ps, qs = distribution(p), distribution(q)
    return [(ps.get(value, Fraction(0)), qs.get(value, Fraction(0))) for value in {**ps, **qs}]


# Sizes and diversity


def size(histogram: Histogram) -> int:
    """|E|."""
    return sum(histogram.values())


def persons(counts: Sequence[int]) -> int:
    """The population of a class of generated tables: a record with the j-th value is one of j persons."""
    return sum(j * count for j, count in enumerate(counts, 1))


def poisson_tail(members: int, mean: float) -> float:
    """P(X ≥ members | X ≥ 1) for a Poisson X."""
    terms = [math.exp(-mean) * mean**j / math.factorial(j) for j in range(members + 60)]
    return math.fsum(terms[members:]) / math.fsum(terms[1:])


def binomial_delta(members: int, epsilon: float, fraction: float, most: int = 400) -> float:
    """δ of a class of a sample: of n persons more than γn are drawn, for the worst n that may give so many members."""
    gamma = (math.exp(epsilon) - 1 + fraction) / math.exp(epsilon)

    def tail(n: int) -> float:
        drawn = range(math.floor(gamma * n) + 1, n + 1)
        return math.fsum(math.comb(n, j) * fraction**j * (1 - fraction) ** (n - j) for j in drawn)

    return max(tail(n) for n in range(max(1, math.ceil(members / gamma - 1)), most))


def largest_share(histogram: Histogram, limited: Sequence[Value] | None = None) -> Fraction:
    """α: max p_i over the limited values."""
    shares = distribution(histogram)
    return max((share for value, share in shares.items() if limited is None or value in limited), default=Fraction(0))


def distinct(histogram: Histogram) -> int:
    """The number of values that occur."""
    return len([count for count in histogram.values() if count])


def entropy_l(histogram: Histogram) -> float:
    """exp(−Σ p_i ln p_i)."""
    return math.exp(math.fsum(-float(p) * math.log(p) for p in distribution(histogram).values() if p))


def recursive_c(histogram: Histogram, l: int) -> Fraction | float:  # noqa: E741
    """r1 / (r_l + … + r_m); +∞ when fewer than l values occur."""
    counts = sorted((count for count in histogram.values() if count), reverse=True)
    if len(counts) < l:
        return math.inf
    return Fraction(counts[0], sum(counts[l - 1 :]))


# Against the reference


def basic_beta(p: Histogram, q: Histogram) -> Fraction | float:
    """max over p_i > q_i of (p_i − q_i)/q_i."""
    return max((math.inf if b == 0 else (a - b) / b for a, b in both(p, q) if a > b), default=Fraction(0))


def enhanced_beta(p: Histogram, q: Histogram) -> Fraction | float:
    """The smallest β with (p_i − q_i)/q_i ≤ min(β, −ln q_i) wherever p_i > q_i."""
    hopeless = any(b == 0 or float((a - b) / b) > -math.log(b) for a, b in both(p, q) if a > b)
    return math.inf if hopeless else basic_beta(p, q)


def delta(p: Histogram, q: Histogram) -> float:
    """max |ln(p_i/q_i)|; +∞ where one of the two is 0 and the other is not."""
    pairs = [(a, b) for a, b in both(p, q) if a or b]
    return max(math.inf if a == 0 or b == 0 else abs(math.log(a / b)) for a, b in pairs)


def variational(p: Histogram, q: Histogram) -> Fraction:
    """½ Σ |p_i − q_i|."""
    return sum((abs(a - b) for a, b in both(p, q)), Fraction(0)) / 2


def kullback_leibler(p: Histogram, q: Histogram) -> float:
    """Σ p_i (ln p_i − ln q_i), in nats."""
    pairs = [(a, b) for a, b in both(p, q) if a]
    if any(b == 0 for _, b in pairs):
        return math.inf
    return math.fsum(float(a) * (math.log(a) - math.log(b)) for a, b in pairs)


def jensen_shannon(p: Histogram, q: Histogram) -> float:
    """½ KL(p‖(p+q)/2) + ½ KL(q‖(p+q)/2), in nats."""
    ps, qs = distribution(p), distribution(q)
    scale = size(p) * size(q) * 2
    middle = {v: int((ps.get(v, Fraction(0)) + qs.get(v, Fraction(0))) / 2 * scale) for v in {**ps, **qs}}
    return (kullback_leibler(p, middle) + kullback_leibler(q, middle)) / 2


def emd_ordered(p: Histogram, q: Histogram, order: Sequence[Value]) -> Fraction:
    """1/(m−1) · Σ_{i<m} |Σ_{j≤i} (p_j − q_j)|, values in the given order."""
    if len(order) < 2:
        return Fraction(0)
    ps, qs = distribution(p), distribution(q)
    extra = [ps.get(value, Fraction(0)) - qs.get(value, Fraction(0)) for value in order]
    return sum((abs(sum(extra[: i + 1])) for i in range(len(order) - 1)), Fraction(0)) / (len(order) - 1)


def emd_hierarchical(p: Histogram, q: Histogram, paths: Mapping[Value, Sequence[Value]]) -> Fraction:
    """Σ over inner nodes of height/H · min(Σ positive extra of its children, |Σ negative extra|).

    `paths` gives for each leaf the nodes above it, itself first, the root last.
    """
    ps, qs = distribution(p), distribution(q)
    extra = {(0, path[0]): ps.get(leaf, Fraction(0)) - qs.get(leaf, Fraction(0)) for leaf, path in paths.items()}
    height = len(next(iter(paths.values()))) - 1
    total = Fraction(0)
    for level in range(1, height + 1):
        children: dict[Value, set[Value]] = {}
        for path in paths.values():
            children.setdefault(path[level], set()).add(path[level - 1])
        for node, below in children.items():
            extras = [extra[level - 1, child] for child in below]
            extra[level, node] = sum(extras, Fraction(0))
            moved = min(sum(e for e in extras if e > 0), -sum(e for e in extras if e < 0))
            total += Fraction(level, height) * moved
    return total


# Ground distances, and the two linear programmes


def equal_ground(a: Value, b: Value) -> int:
    """1 between different values."""
    return int(a != b)


def ordered_ground(order: Sequence[Value]) -> Ground:
    """|i − j|/(m − 1)."""
    return lambda a, b: Fraction(abs(order.index(a) - order.index(b)), max(len(order) - 1, 1))


def hierarchical_ground(paths: Mapping[Value, Sequence[Value]]) -> Ground:
    """height(lowest common ancestor)/H."""

    def ground(a: Value, b: Value) -> Fraction:
        height = len(paths[a]) - 1
        return next(Fraction(level, height) for level in range(height + 1) if paths[a][level] == paths[b][level])

    return ground


def transport(p: Histogram, q: Histogram, values: Sequence[Value], ground: Ground) -> float:
    """The classic transport programme: min Σ f_ij d_ij with Σ_j f_ij = p_i, Σ_i f_ij = q_j, f ≥ 0."""
    ps, qs, m = distribution(p), distribution(q), len(values)
    leave = [[float(cell // m == i) for cell in range(m * m)] for i in range(m)]
    arrive = [[float(cell % m == j) for cell in range(m * m)] for j in range(m)]
    demand = [float(ps.get(v, 0)) for v in values] + [float(qs.get(v, 0)) for v in values]
    return _minimum([ground(a, b) for a in values for b in values], leave + arrive, demand)


def aggarwal(p: Histogram, q: Histogram, values: Sequence[Value], ground: Ground) -> float:
    """Aggarwal's programme (20.3.3): min Σ f_ij d_ij with p_i − Σ_j f_ij + Σ_j f_ji = q_i, f ≥ 0."""
    ps, qs, m = distribution(p), distribution(q), len(values)
    balance = [[float(cell // m == i) - float(cell % m == i) for cell in range(m * m)] for i in range(m)]
    surplus = [float(ps.get(v, Fraction(0)) - qs.get(v, Fraction(0))) for v in values]
    return _minimum([ground(a, b) for a in values for b in values], balance, surplus)


def _minimum(costs: Sequence[Fraction | float], equations: list[list[float]], right: list[float]) -> float:
    # One equation follows from the others; a solver that meets it in floating point may call them contradictory.
    independent = {"A_eq": equations[:-1], "b_eq": right[:-1]} if len(equations) > 1 else {}
    solution = linprog([float(c) for c in costs], **independent, method="highs")
    assert solution.status == 0, solution.message
    return float(solution.fun)
