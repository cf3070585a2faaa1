"""What has to be touched for everything to be hidden, as rows of the programme."""

from __future__ import annotations

from auditor.outputs.hiding._problem import HidingProblem, Rule
from auditor.outputs.hiding._transactions import Itemset
from auditor.outputs.hiding.methods._model import Model


def targets_of(problem: HidingProblem) -> tuple[list[Itemset], list[Itemset]]:
    """What shall lose supporters (the itemsets, then those of the rules), and the antecedents, which shall not."""
    return [*problem.itemsets, *(r.itemset for r in problem.rules)], [r.antecedent for r in problem.rules]


def demand(model: Model, problem: HidingProblem) -> None:
    """Add the rows; the model watches what `targets_of` lists, in that order, first."""
    for place, itemset in enumerate(problem.itemsets):
        model.programme.row(model.touched[place], low=problem.transactions.support(itemset) - problem.ceiling)
    for place, rule in enumerate(problem.rules, start=len(problem.itemsets)):
        _rule(model, problem, rule, place, place + len(problem.rules))


def _rule(model: Model, problem: HidingProblem, rule: Rule, itemset: int, antecedent: int) -> None:
    """A rule loses its support (choice = 1) or its confidence (choice = 0)."""
    support, whole = problem.rule_supports(rule)
    hits, breaks = model.touched[itemset], model.touched[antecedent]
    c = problem.min_confidence
    if c is None:
        model.programme.row(hits, low=support - problem.ceiling)
        return
    choice = model.programme.variable(0, 1)
    model.programme.row([*hits, (choice, -(support - problem.ceiling))], low=0)
    needed = c.denominator * (support + problem.margin) - c.numerator * whole + 1
    terms = [(variable, c.denominator * value) for variable, value in hits]
    terms += [(variable, -c.numerator * value) for variable, value in breaks]
    slack = max(0, needed) + c.numerator * model.programme.reach(breaks)
    model.programme.row([*terms, (choice, slack)], low=needed)
