"""The columns that an output speaks of, of which some must not be in a release."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import (
    AssociationRules,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    Published,
    Regression,
)
from auditor.policy import Attribute, Policy
from auditor.policy.compare.roles import FORBIDDEN, effective


def forbidden_columns(policy: Policy, output: Published) -> frozenset[str]:
    """The columns that name a person, or hold free text, by whose values an output has cells, items or conditions."""
    told = ((name, effective(policy, name)) for name in set(_columns(output)) - {""})
    return frozenset(name for name, known in told if isinstance(known, Attribute) and known.role in FORBIDDEN)


def _columns(output: Published) -> Iterator[str]:
    yield from (condition.attribute for group in _groups(output) for condition in group)
    if isinstance(output, FrequencyTable | GroupStatistics):
        yield from output.by
    elif isinstance(output, DecisionTree):
        yield output.target or ""
    elif isinstance(output, Clustering):
        for cluster in output.clusters:
            yield from (name for name, _ in (*cluster.centre, *cluster.counts))


def _groups(output: Published) -> Iterator[Group]:
    if isinstance(output, AssociationRules):
        yield from (side for rule in output.rules for side in (rule.antecedent, rule.consequent))
    elif isinstance(output, FrequentItemsets):
        yield from (each.items for each in output.itemsets)
    elif isinstance(output, DecisionTree):
        yield from (node.path for node in (*output.leaves, *output.inner))
    elif isinstance(output, Regression):
        yield from (term.condition for term in output.terms if term.condition is not None)
    elif isinstance(output, FrequencyTable | GroupStatistics):
        yield output.where
