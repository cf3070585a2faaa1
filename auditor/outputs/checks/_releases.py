"""The outputs that are looked at together, in the order of release, and what all of them say of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from auditor.interval import CountInterval
from auditor.outputs._complete_cases import cases_of
from auditor.outputs._examination import Context
from auditor.outputs.checks._suppression import SuppressionRule, rule_of
from auditor.outputs.linked import Column, Number, column_of, counted
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Clustering, FrequencyTable, GroupStatistics, Published, Regression
from auditor.policy import Policy
from auditor.policy.outputs import FrequencyTableLimits as FrequencyRule


@dataclass(frozen=True)
class Assumed:
    """What a reader takes for granted: every record has a listed value of the `full` columns, or none if `lacking`.

    `among` are the columns of which one is excepted, where that is assumed of each of them in turn.
    """

    numbers: tuple[Number, ...]
    full: frozenset[str]
    lacking: frozenset[str] = frozenset()
    among: tuple[str, ...] = ()

    def weaker(self) -> Iterator[Assumed]:
        """The same with more columns excepted: all, half of them, and so on. Where none fits, nor does this one."""
        columns = self.among
        while len(columns) > _FEW:
            excepted = frozenset(columns)
            yield replace(self, lacking=excepted) if self.lacking else replace(self, full=self.full - excepted)
            half = columns[: len(columns) // 2]
            mine = self.lacking <= set(half) if self.lacking else not self.full.issuperset(half)
            columns = half if mine else columns[len(half) :]


_FEW = 3
"""So few columns are excepted one by one without looking at them together."""


@dataclass(frozen=True)
class Released:
    """Outputs in the order of release, and the place of the one that is checked.

    `within` are the columns that are looked at: numbers of groups by others are left out.
    """

    outputs: tuple[Published, ...]
    place: int
    earlier: int
    within: frozenset[Column] | None = None

    @classmethod
    def of(cls, output: Published, context: Context) -> Released:
        """The outputs of the ledger and of this run. What the ledger holds of this run is the same release."""
        forms = {each.form for each in context.together}
        before = tuple(each for each in context.before if each.form not in forms)
        together = tuple(context.together)
        place = next(at for at, each in enumerate(together) if each is output)
        return cls((*before, *together), len(before) + place, len(before))

    def without_earlier(self) -> Released:
        """The outputs of this run alone."""
        return Released(self.outputs[self.earlier :], self.place - self.earlier, 0)

    def alone(self) -> Released:
        """The output alone."""
        return Released((self.outputs[self.place],), 0, 0)

    def numbers(
        self, policy: Policy, known: Sequence[CountInterval], *, nearest: bool = True, counts: Counts | None = None
    ) -> list[Number]:
        """What all of them say of counts: rounded ones to the nearest multiple, or to either neighbouring one.

        `known` is what a reader knows of the counts that each output suppresses. With data, a model is of its complete
        cases or of all (that it is of others is a mismatch), and what it says of a column that the data lacks is left
        out.
        """
        bases = [base_of(each, policy) for each in self.outputs]
        slack = [base // 2 if nearest else base - 1 for base in bases]
        found = (n for at, each in enumerate(self.outputs) for n in counted(each, at, slack[at], known[at]))
        if counts is not None:
            found = (each for n in found for each in self._of_data(n, counts))
        return [number for number in found if self.within is None or columns_of(number.group) <= self.within]

    def _of_data(self, number: Number, counts: Counts) -> Iterator[Number]:
        output = self.outputs[number.output]
        if not isinstance(output, Regression | Clustering):
            yield number
        elif columns_of(number.group) <= counts.names:
            values = frozenset(each for each in number.group if each.values)
            valued = {each.attribute for each in values}
            cases = cases_of(output, counts)
            yield replace(number, group=values | {each for each in cases if each.attribute not in valued})

    def assumed(self, context: Context) -> list[Assumed]:
        """What may be taken for granted, what says most first.

        Every column is complete, or all but one; else records may lack a value of any, or have others. Of its columns
        the data says which are complete.
        """
        bases = {base_of(each, context.policy) for each in self.outputs}
        rules = self.rules(context)
        known = [[rule.assumed for rule in rules], [rule.declared for rule in rules]]
        found: list[Assumed] = []
        for suppression in known if any(rule.assumes for rule in rules) else known[1:]:
            for nearest in (True, False) if max(bases, default=1) > 1 else (True,):
                numbers = tuple(self.numbers(context.policy, suppression, nearest=nearest, counts=context.counts))
                if context.counts is None:
                    found += _complete(numbers, self.full)
                found += [Assumed(numbers, self.full), Assumed(numbers, self.full, lacking=self.full)]
                found.append(Assumed(numbers, frozenset()))
        return found

    def rules(self, context: Context) -> list[SuppressionRule]:
        """The rules by which the outputs suppress counts."""
        return [rule_of(each, context.policy, context.counts) for each in self.outputs]

    @property
    def full(self) -> frozenset[str]:
        """The columns of tables: every record that a table counts has one of the values that stand in them."""
        tables = (each for each in self.outputs if isinstance(each, FrequencyTable | GroupStatistics))
        return frozenset(column for each in tables for column in each.by)


def columns_of(group: Group) -> frozenset[Column]:
    """The columns that a group has values of."""
    return frozenset(column_of(each) for each in group if each.values)


def base_of(output: Published, policy: Policy) -> int:
    """The base to which the counts of an output are rounded by the policy."""
    if type(output) is not FrequencyTable:
        return 1
    bases = [rule.rounded_to for rule in policy.outputs if isinstance(rule, FrequencyRule) and rule.rounded_to]
    return bases[0] if bases else 1


def _complete(numbers: tuple[Number, ...], full: frozenset[str]) -> Iterator[Assumed]:
    """Every column is complete, or all but one, of which records have no value, or have others."""
    whole = tuple(replace(each, group=_with_values(each.group, full)) for each in numbers)
    yield Assumed(whole, full)
    among = tuple(sorted(full))
    yield from (Assumed(whole, full, frozenset({column}), among) for column in among)
    yield from (Assumed(whole, full - {column}, among=among) for column in among)


def _with_values(group: Group, full: frozenset[str]) -> Group:
    """A group where every record has a value of each column that no table is by."""
    return frozenset(each for each in group if each.values or each.attribute in full)
