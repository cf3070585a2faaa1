"""Rule hiding by integer programming: Menon, Ghoshal & Sarkar, "Modifying transactional databases to hide sensitive
association rules", Information Systems Research 33(1), 2022.

The fewest transactions whose change hides every rule by its support or its confidence, with a 0/1 variable per rule
that chooses. Here over transaction types and minimal removal sets (`_model`), so which items go is decided with it, and
a transaction that loses part of an antecedent counts against the confidence of every rule with that antecedent.
"""  # noqa: D205

from __future__ import annotations

from dataclasses import replace

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Edit
from auditor.outputs.hiding.methods import max_min
from auditor.outputs.hiding.methods._demands import demand, targets_of
from auditor.outputs.hiding.methods._model import Model
from auditor.outputs.hiding.methods._programme import TooLarge

HOW = "the fewest transactions where a 0/1 variable per rule chooses support or confidence"
SOURCE = "Menon, Ghoshal & Sarkar, Information Systems Research 33(1), 2022"

MEASURE = "transactions changed"


def hide(problem: HidingProblem) -> Answer:
    """Change the fewest transactions."""
    targets, antecedents = targets_of(problem)
    bound: float | None = None
    try:
        model = Model(problem, [*targets, *antecedents], len(targets), len(targets), per_transaction=True)
        demand(model, problem)
        solved = model.programme.solve(problem.solver_deadline)
        bound = solved.bound
        if solved.values is not None:
            return _answer(model.change(solved.values), bound)
    except TooLarge:
        pass
    note = "no solution was found in the time; this is that of max-min"
    return replace(_answer(max_min.hide(problem).change, bound), notes=(note,), by="max-min")


def _answer(change: Edit, bound: float | None) -> Answer:
    return Answer(change, MEASURE, len({row for row, _ in change.removed}), bound)
