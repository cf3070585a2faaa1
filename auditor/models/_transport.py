"""Earth mover's distance over an expert's cost matrix, by linear programme (Aggarwal 20.3.3).

The programme's constraints, p_i − Σ_j f_ij + Σ_j f_ji = q_i with flows f ≥ 0, let mass pass through intermediate
values, so its optimum equals transport over the shortest-path costs. Those are a metric up to symmetry, under which
mass that p and q share never moves; so only the surplus is transported to the deficit, which keeps the programme small.
"""

from __future__ import annotations

import numpy as np

from auditor.classes import Cells, FloatArray
from auditor.errors import InternalError, NotEvaluated


def matrix(cells: Cells) -> FloatArray:
    """float64[n]: the cheapest flow from p to q, in the unit of the costs; in [0, max cost]."""
    costs = cells.domain.costs
    if costs is None:
        raise InternalError("the matrix distance was asked of an attribute without a cost matrix")
    shortest = shortest_paths(costs)
    distances = np.empty(len(cells.starts))
    known: dict[tuple[tuple[int, int], ...], float] = {}
    for index in range(len(distances)):
        histogram = tuple(cells.class_counts(index))
        if histogram not in known:
            p = np.zeros(len(cells.domain.labels))
            p[[value for value, _ in histogram]] = [count for _, count in histogram]
            known[histogram] = transport(p / p.sum(), cells.domain.share, shortest)
        distances[index] = known[histogram]
    return distances


def shortest_paths(costs: FloatArray) -> FloatArray:
    """float64[m, m]: the cheapest way from each value to each, through any others."""
    paths = costs.copy()
    for through in range(len(paths)):
        np.minimum(paths, paths[:, through, None] + paths[None, through, :], out=paths)
    return paths


def violates_triangle(costs: FloatArray) -> bool:
    """Whether some detour is cheaper than the direct way."""
    return bool((shortest_paths(costs) < costs - 1e-12 * np.maximum(costs, 1.0)).any())


def transport(p: FloatArray, q: FloatArray, costs: FloatArray) -> float:
    """The least Σ f_ij·costs_ij that turns p into q; `costs` obey the triangle inequality."""
    from scipy.optimize import linprog  # half a second to import: only policies with a cost matrix pay for it
    from scipy.sparse import eye_array, kron, vstack

    surplus, deficit = np.flatnonzero(p > q), np.flatnonzero(q > p)
    if not len(surplus) or not len(deficit):
        return 0.0
    supply, demand = (p - q)[surplus], (q - p)[deficit]
    rows, columns = len(surplus), len(deficit)
    balance = vstack([kron(eye_array(rows), np.ones((1, columns))), kron(np.ones((1, rows)), eye_array(columns))])
    flow = linprog(
        costs[np.ix_(surplus, deficit)].ravel(),
        A_eq=balance.tocsr()[:-1],
        b_eq=np.concatenate((supply, demand)).astype(np.float64)[:-1],
        method="highs",
    )
    if flow.status != 0:
        raise NotEvaluated(f"the linear programme of a matrix distance was not solved: {flow.message}")
    return float(flow.fun)
