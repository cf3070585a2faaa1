"""All rules with one antecedent together: they tell how a sensitive value is distributed among those who hold X.

Of the rules X ⇒ a=v, over the values v of one sensitive column a, a reader knows p(v) = n(X, a=v)/n(X) for every v that
is written, and that the rest, 1 − Σ p(v), have other values or none. Judged is what follows from that for certain:

* ``min_l``: the number of distinct values that those with X can still have is at most the written values with n > 0 and
  as many more as there are people in the rest (or other values of the column, where these are known); fewer than
  `min_l` violates (distinct ℓ-diversity, Machanavajjhala et al. 2007).
* ``max_t``: the variational distance ½ Σ |p(v) − q(v)| to the whole, q(v) = n(a=v)/N, over the written values and the
  rest as one; above `max_t` violates. The rest can be no closer to the whole than that, however it is spread
  (t-closeness with the equal distance, Li et al. 2007).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from auditor.interval import CountInterval
from auditor.outputs._examination import Violation
from auditor.outputs.checks._judging import Judging, exact, rows_of
from auditor.outputs.checks._listed import domain, is_sensitive
from auditor.outputs.patterns.supports import Supports
from auditor.outputs.published.conditions import Condition, Group, equal, told
from auditor.outputs.published.outputs import AssociationRule
from auditor.outputs.published.values import same_value
from auditor.policy.outputs import AssociationRuleLimits as Policy

TOO_COARSE = "some rules do not determine the shares of a value"
NO_WHOLE = "for some rules, it is not known what share of all records has a value"


@dataclass
class AntecedentShares:
    """What the rules from X to a column tell: n(X), and by value n(X, a=v) and n(a=v)."""

    antecedent: Group
    attribute: str
    holders: CountInterval
    held: dict[Condition, CountInterval] = field(default_factory=dict)
    whole: dict[Condition, CountInterval] = field(default_factory=dict)

    @property
    def item(self) -> str:
        """``X => a``."""
        return f"{told(self.antecedent)} => {self.attribute}"


def by_antecedent(
    judging: Judging, rule: Policy, rules: Sequence[tuple[AssociationRule, Supports]], total: int | None
) -> None:
    """Judge what the rules with each antecedent tell together."""
    limits = [limit for limit in ("min_l", "max_t") if getattr(rule, limit) is not None]
    judging.checked.judged.update(limits)
    for shares in _grouped(judging, rule, rules) if limits else ():
        people = shares.holders.point
        counts = {value: count for value, held in shares.held.items() if (count := held.point) is not None}
        if people is None or len(counts) < len(shares.held):
            judging.leave_open(limits, TOO_COARSE)
        elif sum(counts.values()) > people:
            sentence = "The counts of all rules with this antecedent exceed its own count: no database fits."
            found = Violation(item=shares.item, limit="mismatch", sentence=sentence)
            judging.checked.violations.append(found)
        elif people:
            _diversity(judging, rule, shares, counts, people)
            _distance(judging, rule, shares, counts, people, total=total)


def _grouped(
    judging: Judging, rule: Policy, rules: Sequence[tuple[AssociationRule, Supports]]
) -> Iterable[AntecedentShares]:
    """The rules whose consequent is one value of a sensitive column, by antecedent and column."""
    policy = judging.context.policy
    declared = rule.sensitive or any(attribute.role == "sensitive" for attribute in policy.attributes.values())
    found: dict[tuple[Group, str], AntecedentShares] = {}
    for each, supports in rules:
        item = next(iter(each.consequent)) if len(each.consequent) == 1 else None
        if item is None or item.operator != "=" or not item.attribute:
            continue
        attribute = item.attribute
        if declared and not (attribute in (rule.sensitive or ()) or is_sensitive(policy, attribute)):
            continue
        shares = found.setdefault(
            (each.antecedent, attribute), AntecedentShares(each.antecedent, attribute, supports.antecedent)
        )
        value = equal(attribute, str(same_value(item.values[0])))
        shares.held[value] = supports.support
        shares.whole[value] = supports.consequent
    return found.values()


def _diversity(
    judging: Judging, rule: Policy, shares: AntecedentShares, counts: Mapping[Condition, int], people: int
) -> None:
    if rule.min_l is None:
        return
    rest = people - sum(counts.values())
    values = domain(judging.context, shares.attribute)
    unspoken = None if values is None else {equal(shares.attribute, str(same_value(each))) for each in values}
    others = rest if unspoken is None else min(rest, len(unspoken.difference(counts)))
    possible = sum(count > 0 for count in counts.values()) + others
    judging.checked.reach("min_l", possible, least=True)
    if possible < rule.min_l:
        sentence = "Records with the antecedent can have only a few different values."
        _exposed(judging, shares, people, limit="min_l", sentence=sentence, reached=possible, needed=rule.min_l)


def _distance(
    judging: Judging,
    rule: Policy,
    shares: AntecedentShares,
    counts: Mapping[Condition, int],
    people: int,
    *,
    total: int | None,
) -> None:
    if rule.max_t is None:
        return
    all_of = {value: count.point for value, count in shares.whole.items()}
    if not total or None in all_of.values():
        judging.leave_open(["max_t"], NO_WHOLE)
        return
    apart = [Fraction(counts[value], people) - Fraction(count or 0, total) for value, count in all_of.items()]
    distance = (sum(map(abs, apart), Fraction(0)) + abs(sum(apart, Fraction(0)))) / 2
    judging.checked.reach("max_t", distance, least=False)
    if distance > exact(rule.max_t):
        sentence = "The values of records with the antecedent are distributed unlike those of all records."
        needed = exact(rule.max_t)
        _exposed(judging, shares, people, limit="max_t", sentence=sentence, reached=distance, needed=needed)


def _exposed(
    judging: Judging,
    shares: AntecedentShares,
    people: int,
    *,
    limit: str,
    sentence: str,
    reached: int | Fraction,
    needed: int | Fraction,
) -> None:
    found = Violation(
        item=shares.item,
        limit=limit,
        sentence=sentence,
        reached=reached,
        needed=needed,
        records_count=people,
        about=shares.antecedent,
        rows=rows_of(judging.context, shares.antecedent),
    )
    judging.checked.violations.append(found)
