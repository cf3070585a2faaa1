"""Regressions: residual degrees of freedom, and indicators that stand for too few records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from auditor.outputs._complete_cases import cases_of
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.published.conditions import EVERYBODY, Condition, Group, equal, told
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Regression, Term
from auditor.policy.outputs import RegressionLimits as Rule

INTERCEPTS = frozenset({"const", "constant", "intercept", "(intercept)", "_cons", "1"})


def check(output: Regression, rule: Rule, context: Context) -> Examination:
    """Judge a regression of n records on p terms.

    * `min_dof` d: n − p, and the degrees of freedom that are written, are at least d. With none left the model is
      saturated: its predictions are the records.
    * `min_indicator` m: no indicator is 1 for 1 … m − 1 records, nor 0 for so few; and so for the category that the
      indicators of a column leave out. With data, a term that is a column of it is an indicator where all but 1 … m − 1
      records have one value. The records are those of the model: without a value of what it speaks of, they are none.
    """
    checked = Examination(items=len(output.terms))
    if rule.min_dof is not None:
        _freedom(output, rule.min_dof, checked)
    if rule.min_indicator is not None:
        _indicators(output, rule.min_indicator, context, checked)
    return checked


def _freedom(output: Regression, least: int, checked: Examination) -> None:
    limit = "min_dof"
    counted = None if output.records is None else output.records - len(output.terms)
    known = [freedom for freedom in (output.dof, counted) if freedom is not None]
    if not known:
        checked.open_limits[limit] = "the file states neither the degrees of freedom nor the number of records"
        return
    reached = min(known)
    checked.reach(limit, reached, least=True)
    if reached < least:
        saturated = "No degrees of freedom are left: the model's predictions are the records themselves."
        few = "The model has nearly as many terms as records, so it comes close to each record."
        checked.violations.append(
            Violation(
                item=f"regression of {output.outcome}" if output.outcome is not None else "regression",
                limit=limit,
                sentence=few if reached > 0 else saturated,
                reached=reached,
                needed=least,
            )
        )


@dataclass(frozen=True)
class _Cases:
    """The records of the data that a regression is of."""

    counts: Counts
    of: Group

    def count(self, group: Group) -> int:
        """How many of them are in a group."""
        return self.counts.count(group | self.of)

    def sizes(self, column: str) -> dict[str, int]:
        """How many of them have each value of a column."""
        found = self.counts.spread(self.counts.members(self.of), column, units=False)
        return {label: size for label, size in found.items() if label is not None}


@dataclass(frozen=True)
class _IndicatorRecords:
    """Records for which an indicator has one of its values."""

    item: str
    count: int
    about: Group | None = None


def _indicators(output: Regression, least: int, context: Context, checked: Examination) -> None:
    limit = "min_indicator"
    checked.judged.add(limit)
    counted = None if context.counts is None else _Cases(context.counts, cases_of(output, context.counts))
    people = output.records if counted is None else counted.count(EVERYBODY)
    for term in output.terms:
        sides = list(_sides(term, people, counted))
        if not sides and term.name.lower() not in INTERCEPTS:
            checked.open_limits[limit] = "the file does not state if a term is an indicator, or of how many records"
        _judge(sides, least, checked)
        _compare(term, counted, checked)
    if people is None and any(_ones(term, None) is not None for term in output.terms):
        checked.open_limits[limit] = "the file states no number of records, so those with an indicator of 0 are unknown"
    _judge(list(_left_out(output, people, counted)), least, checked)


def _judge(sides: list[_IndicatorRecords], least: int, checked: Examination) -> None:
    for side in sides:
        if side.count <= 0:
            continue
        checked.reach("min_indicator", side.count, least=True)
        if side.count < least:
            checked.violations.append(
                Violation(
                    item=side.item,
                    limit="min_indicator",
                    sentence="An indicator singles out too few records, and its coefficient describes only them.",
                    reached=side.count,
                    needed=least,
                    records_count=side.count,
                    about=side.about,
                )
            )


def _ones(term: Term, cases: _Cases | None) -> int | None:
    """For how many records an indicator is 1."""
    if cases is not None and term.condition is not None:
        return cases.count(term.condition)
    return term.ones


def _sides(term: Term, people: int | None, cases: _Cases | None) -> Iterator[_IndicatorRecords]:
    """The two values of an indicator; nothing where the term is none, or that is not known."""
    ones = _ones(term, cases)
    if ones is not None:
        yield _IndicatorRecords(term.name, ones, term.condition)
        if people is not None:
            yield _IndicatorRecords(f"not {term.name}", people - ones)
    elif cases is not None and term.name in cases.counts.names:
        held = sorted((-size, label) for label, size in cases.sizes(term.name).items())
        if not held:
            return
        common = held[0][1]
        others = frozenset([Condition(term.name, "not in", (common,))])
        yield _IndicatorRecords(f"{term.name} other than the most common value", cases.count(others), others)
        if len(held) == 2:
            of_common = frozenset([equal(term.name, common)])
            yield _IndicatorRecords(f"{term.name} of the most common value", cases.count(of_common), of_common)


def _left_out(output: Regression, people: int | None, cases: _Cases | None) -> Iterator[_IndicatorRecords]:
    """The category of a column that has no indicator, where others have."""
    named: dict[str, list[tuple[str, int | None]]] = defaultdict(list)
    for term in output.terms:
        conditions = sorted(term.condition or ())
        if len(conditions) == 1 and conditions[0].operator == "=":
            named[conditions[0].attribute].append((conditions[0].values[0], _ones(term, cases)))
    for column, values in named.items():
        ones = [count for _, count in values if count is not None]
        if len(values) < 2 or len(ones) < len(values) or people is None:
            continue
        rest = frozenset([Condition(column, "not in", tuple(value for value, _ in values))])
        count = people - sum(ones) if cases is None else cases.count(rest)
        yield _IndicatorRecords(told(rest), count, rest)


def _compare(term: Term, cases: _Cases | None, checked: Examination) -> None:
    """A stated number of ones that is not the data's."""
    if cases is None or term.ones is None or term.condition is None:
        return
    count = cases.count(term.condition)
    if count != term.ones:
        checked.violations.append(
            Violation(
                item=term.name,
                limit="mismatch",
                sentence="The number of records with an indicator of 1 is not that of the data.",
                reached=term.ones,
                needed=count,
                about=term.condition,
            )
        )
