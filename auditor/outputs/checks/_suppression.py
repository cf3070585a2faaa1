"""What a reader of a table knows of the rule by which its counts were suppressed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from auditor.interval import CountInterval
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.linked import UNKNOWN, cell_group, cell_name, suppressed_count
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Cell, FrequencyTable, Published
from auditor.policy import Policy
from auditor.policy.outputs import Suppressed, TableLimits


@dataclass(frozen=True)
class SuppressionRule:
    """What is known by what the policy says, and what a reader takes it to be beside."""

    declared: CountInterval = UNKNOWN
    assumed: CountInterval = UNKNOWN

    @property
    def assumes(self) -> bool:
        """Whether a reader takes more for granted than the policy says."""
        return self.assumed != self.declared


def rule_of(output: Published, policy: Policy, counts: Counts | None) -> SuppressionRule:
    """The rule of a table. Several rules of the policy on its type are all known.

    Where nothing is said of zeros and the table publishes one, a reader takes every suppressed count for 1 or more:
    zeros were not worth hiding. With data, this is so only where it is true.
    """
    if not isinstance(output, FrequencyTable):
        return SuppressionRule()
    tables = [rule for rule in policy.outputs if isinstance(rule, TableLimits) and rule.type == output.type]
    said = [(rule.suppressed or Suppressed(), rule.min_cell) for rule in tables]
    below = [small if each.below == "min_cell" else each.below for each, small in said if each.secondary == "never"]
    most = min((least - 1 for least in below if least is not None), default=None)
    zeros = {each.zeros for each, _ in said}
    declared = CountInterval(int("never" in zeros), most)
    as_published = "possible" not in zeros and _tells_zeros(output, counts)
    return SuppressionRule(declared, CountInterval(1, most) if as_published else declared)


def _tells_zeros(table: FrequencyTable, counts: Counts | None) -> bool:
    """Whether a 0 is published, and (as far as the data tells) none is suppressed."""
    if all(cell.count != 0 for cell in table.cells):
        return False
    return counts is None or all(counts.count(cell_group(table, cell.key)) for cell in _suppressed(table))


def _suppressed(table: FrequencyTable) -> Iterable[Cell]:
    return (cell for cell in table.cells if cell.count is None)


def compare_suppressed(table: FrequencyTable, checked: Examination, context: Context) -> None:
    """Suppressed counts of the data that are not what the policy says of them, or the table itself."""
    if context.counts is None:
        return
    known = rule_of(table, context.policy, context.counts).declared
    for cell in _suppressed(table):
        group = cell_group(table, cell.key)
        count = context.counts.count(group)
        if not suppressed_count(cell, known).holds(CountInterval.at(count)):
            checked.violations.append(
                Violation(
                    item=cell_name(table, cell.key),
                    limit="mismatch",
                    sentence="A suppressed count is not what the table, or the policy, says of suppressed ones.",
                    needed=count,
                    about=group,
                )
            )
