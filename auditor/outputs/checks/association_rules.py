"""Association rules X ⇒ Y: what each says of small groups and of sensitive values, and all of them together.

Notation: n(X), n(Y), n(XY) are the records (or units) that hold the items of X, of Y, of both; N is all of them. A rule
shows n(XY) people, and by n(X) and its confidence also n(X) and the n(X) − n(XY) who do not follow it, whichever of its
measures were left out (`patterns.supports`). Its confidence n(XY)/n(X) is what it tells of all in X, however many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._antecedents import by_antecedent
from auditor.outputs.checks._derived import judge_channels
from auditor.outputs.checks._judging import (
    UNITS_UNKNOWN,
    Judging,
    counts_units_blindly,
    exact,
    rows_of,
)
from auditor.outputs.checks._listed import ListedValues, is_sensitive
from auditor.outputs.checks._pattern_pictures import rules_picture
from auditor.outputs.patterns.measures import MEASURES, ratio
from auditor.outputs.patterns.supports import Effort, Supports, Written
from auditor.outputs.published.conditions import Group, told
from auditor.outputs.published.outputs import AssociationRule, AssociationRules
from auditor.policy.outputs import AssociationRuleLimits as Policy

COUNTED = ("min_support_count", "min_antecedent_count", "min_exceptions")
TOO_COARSE = "for some rules, the file allows counts on both sides of the limit"
SENTENCES = {
    "min_support_count": "Few people hold all items of the rule.",
    "min_antecedent_count": "Few people hold the items of the antecedent.",
    "min_exceptions": "Few records with the antecedent do not follow the rule, and a subtraction tells how many.",
}
NO_TOTAL = "supports are shares, and the number of records is not known"


@dataclass(frozen=True)
class RuleEvidence:
    """A rule of the output with the supports that are behind it."""

    rule: AssociationRule
    supports: Supports

    @property
    def item(self) -> str:
        """``X => Y``."""
        return f"{told(self.rule.antecedent)} => {told(self.rule.consequent)}"

    @property
    def whole(self) -> Group:
        """X and Y."""
        return self.rule.antecedent | self.rule.consequent


def check(output: AssociationRules, rule: Policy, context: Context) -> Examination:
    """Judge association rules by what the policy says of them."""
    judging = Judging(context, Examination(items=len(output.rules)))
    rules = list(_supports(output, judging))
    _names(judging, rule, output.rules)
    for each in rules:
        _counts(judging, rule, each)
        _confidence(judging, rule, each)
    by_antecedent(judging, rule, [(each.rule, each.supports) for each in rules], _total(output, context))
    if counts_units_blindly(context):
        judging.leave_open([limit for limit in COUNTED if getattr(rule, limit) is not None], UNITS_UNKNOWN)
    judge_channels(judging, rule, output)
    judging.checked.picture = rules_picture(judging.checked, rule, [(each.item, each.supports) for each in rules])
    return judging.done()


def _total(output: AssociationRules, context: Context) -> int | None:
    return output.records if context.counts is None else context.counts.people


def _supports(output: AssociationRules, judging: Judging) -> Iterator[RuleEvidence]:
    """The rules with their supports, from the data or from what is written; what disagrees is a mismatch."""
    counts = judging.context.counts
    if counts is None:
        yield from _written(output, judging)
        return
    judging.checked.judged.add("mismatch")
    people = counts.people
    by_units: list[Violation] = []
    by_records: list[Violation] = []
    for rule in output.rules:
        try:
            groups = (rule.antecedent, rule.consequent, rule.antecedent | rule.consequent)
            in_units = [counts.count(group) for group in groups]
            in_records = [counts.records_in(group) for group in groups]
        except NotEvaluated as error:
            judging.leave_open(("",), f"some rules cannot be counted in the data: {error}")
            continue
        each = RuleEvidence(rule, Supports.counted(*in_units))
        for found, numbers, total in ((by_units, in_units, people), (by_records, in_records, counts.records)):
            if output.records not in (None, people, total) or not Written.of(rule, total).allows(*numbers):
                written, counted = _differing(rule, numbers, total)
                found.append(_mismatch(each, "Its published numbers disagree with the data.", written, counted))
        yield each
    # A miner counts records or units, the same throughout.
    judging.checked.violations += by_units if len(by_units) <= len(by_records) else by_records


def _written(output: AssociationRules, judging: Judging) -> Iterator[RuleEvidence]:
    effort = Effort()
    shares = False
    for rule in output.rules:
        supports = Written.of(rule, output.records).supports(effort)
        shares |= output.records is None and any((rule.support_share, rule.antecedent_share, rule.consequent_share))
        if not supports.boxes:
            judging.checked.judged.add("mismatch")
            each = RuleEvidence(rule, Supports.counted(0, 0, 0))
            judging.checked.violations.append(_mismatch(each, "The numbers contradict each other: no database fits."))
            continue
        yield RuleEvidence(rule, supports)
    if shares:
        judging.checked.notes.append(NO_TOTAL)


def _differing(
    rule: AssociationRule, numbers: Sequence[int], total: int
) -> tuple[int | Fraction | None, int | Fraction | None]:
    """The first number that is written of a rule and is not the data's, and the data's."""
    x, y, both = numbers
    counts = ((rule.support, both), (rule.antecedent_support, x), (rule.consequent_support, y))
    for written, counted in counts:
        if written is not None and written != counted:
            return written, counted
    shares = ((rule.support_share, both), (rule.antecedent_share, x), (rule.consequent_share, y))
    stated = [(of, ratio(counted, total)) for of, counted in shares]
    stated += [(rule.confidence, ratio(both, x))]
    stated += [(of, MEASURES[name](x, y, both, total)) for name, of in rule.measures if name in MEASURES]
    for of, true in stated:
        if of is not None and true is not None and not of.is_met_by(true):
            return of.value, true
    return None, None


def _mismatch(
    each: RuleEvidence, sentence: str, written: int | Fraction | None = None, counted: int | Fraction | None = None
) -> Violation:
    return Violation(
        item=each.item,
        limit="mismatch",
        sentence=sentence,
        reached=written,
        needed=counted,
        about=each.whole,
    )


def _names(judging: Judging, rule: Policy, rules: Sequence[AssociationRule]) -> None:
    """Items that must not appear, anywhere or in an antecedent."""
    if rule.forbidden:
        judging.checked.judged.add("forbidden")
        listed = ListedValues(rule.forbidden, judging.context)
        for each in rules:
            if any(listed.mentioned(item) for item in each.antecedent | each.consequent):
                judging.checked.violations.append(_forbidden(each, "forbidden", "An item of it must not appear."))
    if rule.sensitive_antecedents == "deny":
        judging.checked.judged.add("sensitive_antecedents")
        listed = ListedValues(rule.sensitive or {}, judging.context)
        for each in rules:
            of_role = (is_sensitive(judging.context.policy, item.attribute) for item in each.antecedent)
            if any(listed.said_by(item) for item in each.antecedent) if rule.sensitive else any(of_role):
                sentence = "A sensitive value leads to other facts about those who have it."
                judging.checked.violations.append(_forbidden(each, "sensitive_antecedents", sentence))


def _forbidden(each: AssociationRule, limit: str, sentence: str) -> Violation:
    item = f"{told(each.antecedent)} => {told(each.consequent)}"
    whole = each.antecedent | each.consequent
    return Violation(item=item, limit=limit, sentence=sentence, about=whole)


def _counts(judging: Judging, rule: Policy, each: RuleEvidence) -> None:
    """n(XY), n(X) and n(X) − n(XY): nobody, or enough."""
    antecedent, supports = each.rule.antecedent, each.supports
    asked = (
        ("min_support_count", supports.support, (each.whole, None)),
        ("min_antecedent_count", supports.antecedent, (antecedent, None)),
        ("min_exceptions", supports.exceptions, (antecedent, each.whole)),
    )
    for limit, count, (inside, outside) in asked:
        needed = getattr(rule, limit)
        if judging.least(limit, needed, count, TOO_COARSE):
            found = Violation(
                item=each.item,
                limit=limit,
                sentence=SENTENCES[limit],
                reached=count.point,
                needed=needed,
                measures=_measures(each),
                about=inside if outside is None else None,
                records_count=count.point,
                rows=rows_of(judging.context, inside, outside),
            )
            judging.checked.violations.append(found)


def _confidence(judging: Judging, rule: Policy, each: RuleEvidence) -> None:
    """The share of those with X who have a sensitive value, or who have it not."""
    if rule.max_confidence is None:
        return
    judging.checked.judged.add("max_confidence")
    most, (low, high) = exact(rule.max_confidence), each.supports.confidence
    sensitive = ListedValues(rule.sensitive, judging.context)
    consequent = each.rule.consequent
    alone = next(iter(consequent)) if len(consequent) == 1 else None
    if each.supports.antecedent.high == 0:
        return
    if any(sensitive.said_by(item) for item in consequent):
        sentence = "Records with the antecedent have the sensitive value with more certainty than is allowed."
        _judge_share(judging, each, most, (low, high), sentence)
        if rule.opposite and alone is not None:
            sentence = "Records with the antecedent lack the value with more certainty than is allowed."
            _judge_share(judging, each, most, (1 - high, 1 - low), sentence)
    elif alone is not None and sensitive.left_by(alone):
        sentence = (
            "Every other value is sensitive, and records with the antecedent have one of them with more "
            "certainty than is allowed."
        )
        _judge_share(judging, each, most, (1 - high, 1 - low), sentence)


def _judge_share(
    judging: Judging, each: RuleEvidence, most: Fraction, share: tuple[Fraction, Fraction], sentence: str
) -> None:
    if judging.most("max_confidence", most, share, TOO_COARSE):
        found = Violation(
            item=each.item,
            limit="max_confidence",
            sentence=sentence,
            reached=share[0] if share[0] == share[1] else None,
            needed=most,
            measures=_measures(each),
            about=each.rule.antecedent,
            records_count=each.supports.antecedent.point,
            rows=rows_of(judging.context, each.rule.antecedent),
        )
        judging.checked.violations.append(found)


def _measures(each: RuleEvidence) -> dict[str, int | Fraction]:
    """The numbers that the document shows beside."""
    counts = {"support": each.supports.support, "antecedent_support": each.supports.antecedent}
    known: dict[str, int | Fraction] = {name: n for name, count in counts.items() if (n := count.point) is not None}
    low, high = each.supports.confidence
    return known | {"confidence": low} if low == high else known
