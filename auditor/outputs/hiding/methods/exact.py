"""The exact method: everything hidden with the fewest border itemsets lost and, of these, the fewest items taken out.

An integer programme over transaction types and minimal removal sets (`_model`). For a sensitive itemset X, of the
transactions that support it at least support(X) − (largest hidden support) are hit. A rule X ⇒ Y may instead lose
confidence: with c = p/q, h supporters of X ∪ Y and b of X lost, q·h − p·b ≥ q·(support + margin) − p·support(X) + 1; a
0/1 variable chooses. An itemset Y of the revised positive border loses at most support(Y) − s supporters, or is lost:
l(Y) = 1. The programme minimises W·Σ l + Σ |D|·n with W larger than the items that ever need to go, so losses come
first. An ideal solution, where the border stays, is the one with Σ l = 0; where none exists the least loss is found.

Removing items hides what contains a hidden itemset too and makes nothing frequent, so the border says all about the
itemsets that stay: with no border itemset lost, none is. Independent parts are solved apart (Menon, Sarkar & Mukherjee
2005 decompose likewise). Where the time runs out, the better one of the best solution found and Max-Min's is the
answer, with what is proved of the least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Edit, Itemset
from auditor.outputs.hiding.methods import max_min
from auditor.outputs.hiding.methods._demands import demand, targets_of
from auditor.outputs.hiding.methods._model import Model
from auditor.outputs.hiding.methods._programme import TooLarge

HOW = "fewest border itemsets lost, then fewest items removed"
SOURCE = "below"

TOO_LARGE = "the exact programme is too large for the time; this is the solution of max-min"
MEASURE = "border itemsets lost, then items removed"


def hide(problem: HidingProblem) -> Answer:
    """Hide everything with the least loss, as far as the time allows to find and to prove it."""
    targets, _ = targets_of(problem)
    weight = 1 + sum(max(0, problem.transactions.support(each) - problem.ceiling) for each in targets)
    try:
        model = _model(problem, weight)
    except TooLarge:
        change = max_min.hide(problem).change
        return Answer(change, MEASURE, _cost(problem, change, weight), None, (TOO_LARGE,), "max-min")
    solved = model.programme.solve(problem.solver_deadline)
    best = None if solved.values is None else model.change(solved.values)
    return _better(problem, best, weight, solved.bound)


def _model(problem: HidingProblem, weight: int) -> Model:
    targets, antecedents = targets_of(problem)
    critical = _critical(problem, targets)
    watched = [*targets, *antecedents, *(each.itemset for each in critical)]
    model = Model(problem, watched, good=len(targets), targets=len(targets))
    demand(model, problem)
    for place, each in enumerate(critical, start=len(targets) + len(antecedents)):
        lost = model.programme.variable(weight, 1, leading=True)
        model.programme.row([*model.touched[place], (lost, each.spare - each.reach)], high=each.spare)
    return model


class _Critical(NamedTuple):
    """A border itemset that could be lost: it can spare so many supporters, and so many are within reach."""

    itemset: Itemset
    spare: int
    reach: int


def _critical(problem: HidingProblem, targets: list[Itemset]) -> list[_Critical]:
    """The border itemsets with more supporters from which an item of theirs may be taken than they can spare."""
    transactions, found = problem.transactions, []
    holders = {target: transactions.supporters(target) for target in targets}
    for itemset, support in problem.border.items():
        near = [holders[target] for target in targets if not set(target).isdisjoint(itemset)]
        if near:
            reach = len(np.intersect1d(transactions.supporters(itemset), np.concatenate(near)))
            if reach > support - problem.min_support:
                found.append(_Critical(itemset, support - problem.min_support, reach))
    return found


def _better(problem: HidingProblem, found: Edit | None, weight: int, bound: float) -> Answer:
    """The solution of the programme or, where it costs less or there is none, that of Max-Min."""
    own = None if found is None else _cost(problem, found, weight)
    if own is not None and own <= bound + 1:
        return Answer(found or Edit(), MEASURE, own, bound)
    other = max_min.hide(problem).change
    cost = _cost(problem, other, weight)
    if own is not None and own <= cost:
        return Answer(found or Edit(), MEASURE, own, bound)
    return Answer(other, MEASURE, cost, bound, ("the best solution found in the time is that of max-min",), "max-min")


def _cost(problem: HidingProblem, change: Edit, weight: int) -> int:
    """What the programme minimises, counted on the transactions themselves."""
    after = change.applied_to(problem.transactions)
    lost = sum(after.support(itemset) < problem.min_support for itemset in problem.border)
    return weight * lost + len(change.removed)
