"""Earth mover's distance over an expert's cost matrix, by linear programme (Aggarwal 20.3.3).

The programme's constraints, p_i − Σ_j f_ij + Σ_j f_ji = q_i with flows f ≥ 0, let mass pass through intermediate
values, so its optimum equals transport over the shortest-path costs. Those are a metric up to symmetry, under which
mass that p and q share never moves; so only the surplus is transported to the deficit, which keeps the programme small.
"""

from __future__ import annotations

import numpy as np

from auditor.classes import Cells, FloatArray
from auditor.errors import InternalError, NotEvaluated

SOLVER_TOLERANCE = 1e-10
"""How far a constraint may be off, in units of the smallest mass and the largest cost; HiGHS takes nothing tighter."""


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
    surplus, deficit = np.flatnonzero(p > q), np.flatnonzero(q > p)
    if not len(surplus) or not len(deficit):
        return 0.0
    return _cheapest_flow((p - q)[surplus], (q - p)[deficit], costs[np.ix_(surplus, deficit)])


def _cheapest_flow(supply: FloatArray, demand: FloatArray, costs: FloatArray) -> float:
    """The least Σ f_ij·costs_ij with Σ_j f_ij = supply_i, Σ_i f_ij = demand_j, f ≥ 0.

    The solver's tolerances are absolute (it takes a share of 1e-8 for 0), so masses and costs are scaled to about 1.
    """
    from scipy.optimize import linprog  # half a second to import: only policies with a cost matrix pay for it
    from scipy.sparse import eye_array, kron, vstack

    rows, columns = costs.shape
    mass = max(float(min(supply.min(), demand.min())), 1e-9 * float(supply.sum()))
    cost = float(costs.max()) or 1.0
    balance = vstack([kron(eye_array(rows), np.ones((1, columns))), kron(np.ones((1, rows)), eye_array(columns))])
    # one equation follows from the others: left out, the largest demand takes up what rounding left over
    needed = np.arange(rows + columns) != rows + int(demand.argmax())
    flow = linprog(
        costs.ravel() / cost,
        A_eq=balance.tocsr()[needed],
        b_eq=np.concatenate((supply, demand))[needed] / mass,
        method="highs",
        options={"primal_feasibility_tolerance": SOLVER_TOLERANCE, "dual_feasibility_tolerance": SOLVER_TOLERANCE},
    )
    if flow.status != 0 or flow.fun is None:
        raise NotEvaluated(f"the linear programme of a matrix distance was not solved: {flow.message}")
    return float(flow.fun) * mass * cost
