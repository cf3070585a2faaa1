"""Outputs in which nothing stands: no item, or no number. Nothing was judged of them, so they are no pass.

A reader that took a file for another format than it has ends here: whoever wrote the file did not write nothing.
"""

from __future__ import annotations

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

NO_ITEM = "there is nothing in it: no rule, itemset, leaf, cell, term or cluster"
NO_NUMBER = "there is no number in it: every cell is empty or suppressed"


def nothing_in(output: Published) -> str | None:
    """Why an output says nothing that could be judged; None where it says something."""
    if isinstance(output, FrequencyTable):
        told = any(
            any(each is not None for each in (c.count, c.least, c.most, c.share, c.sum, *c.sum_ends.ends))
            for c in output.cells
        )
        return None if told else NO_NUMBER if output.cells else NO_ITEM
    if isinstance(output, GroupStatistics):
        told = any(cell.n is not None or cell.values for cell in output.cells)
        return None if told else NO_NUMBER if output.cells else NO_ITEM
    return None if _items(output) else NO_ITEM


def _items(output: Published) -> int:
    """How many items an output has whose items say something without a number, too."""
    match output:
        case AssociationRules():
            return len(output.rules)
        case FrequentItemsets():
            return len(output.itemsets)
        case DecisionTree():
            return len(output.leaves)
        case Regression():
            return len(output.terms)
        case Clustering():
            return len(output.clusters)
    raise AssertionError(f"outputs of type {output.type} say what their items are")
