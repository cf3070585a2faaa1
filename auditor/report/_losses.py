"""What the public may not see of the losses of a release: what they are worked out from stands beside them.

Losses of the levels alone tell nothing. Those of the release's classes are made of their sizes; those of the values
are made of how many records had each value before, whatever the classes are: from −Σ n(v)·log2(n(v)/n) and n every n(v)
follows. And with how many records were suppressed, where that is hidden, all losses are.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.result.remediation import RemediationResult, Solution


_SUPPRESSED = "solution/suppressed_records"


def without_told(result: RemediationResult, hidden: AbstractSet[str]) -> RemediationResult:
    """The document without the metrics from which a small number follows, where the paths `hidden` are."""
    solution = result.solution
    if solution is None:
        return result
    shown = _shown(solution, hidden)
    losses = {name: value if not value or name in shown else None for name, value in solution.losses.items()}
    return replace(result, solution=replace(solution, losses=losses))


def derivable(result: RemediationResult, hidden: AbstractSet[str]) -> set[str]:
    """The paths of losses that tell a small number, where the paths `hidden` are already known to.

    Other nodes' losses tell how many records were suppressed there, where they follow from the levels and that alone.
    """
    solution = result.solution
    if solution is None:
        return set()
    costs = {f"solution/costs/{i}/loss" for i, cost in enumerate(solution.costs) if cost.loss is not None}
    least = {f"solution/{name}" for name in ("loss", "loss_bound") if getattr(solution, name) is not None}
    if _SUPPRESSED in hidden:
        return {"solution/losses", *least, *costs}
    minimized = {solution.objective} if isinstance(solution.objective, str) else {*solution.objective}
    if not minimized <= _shown(solution, hidden):
        return least | costs
    return costs if "suppressed" in {(solution.bases or {}).get(name) for name in minimized} else set()


def _shown(solution: Solution, hidden: AbstractSet[str]) -> set[str]:
    """The metrics that tell no small number."""
    bases = {"levels", "suppressed"} | (set() if "classes/smallest" in hidden else {"classes"})
    return {name for name, basis in (solution.bases or {}).items() if basis in bases}
