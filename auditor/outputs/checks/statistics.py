"""Statistics of groups: how many stand behind one, single values, groups of one value, and what differences tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs._indicator import PERCENT, SHARES
from auditor.outputs.checks._cells import TableCells
from auditor.outputs.checks._contributions import Contributions, Numerators
from auditor.outputs.checks._ones import hold_ones
from auditor.outputs.checks._pictures import table_picture
from auditor.outputs.checks._sums import judge_sums
from auditor.outputs.checks._together import judge_together
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import GroupStatistics, Stated
from auditor.policy.outputs import StatisticsLimits as Rule

_EXTREMES = frozenset(
    {"min", "minimum", "max", "maximum", "first", "last", "p0", "p100", "amin", "amax", "smallest", "largest"}
)
_END = re.compile(r"(p|percentile_?)?(0|100)(\.0+)?%?|(q|quantile_?)(0(\.0+)?|1\.0+|100)|quantile_?1")
"""The percentiles 0 and 100, which are the least and the largest value, as programs write them."""
_MIDDLE = frozenset({"median", "mode", "q1", "q2", "q3", "1st qu", "3rd qu"})
_PERCENTILE = re.compile(r"p(\d{1,2}(\.\d+)?)|q(0?\.\d+)|quantile_?(0?\.\d+)|percentile_?(\d{1,2}(\.\d+)?)|\d{1,2}%")
_SPREAD = frozenset({"std", "sd", "var", "variance", "range", "stddev"})
_SUMMARIES = (
    _SPREAD
    | SHARES
    | PERCENT
    | {
        *("mean", "average", "avg", "sum", "total", "sem", "se", "cv", "iqr", "mad", "gini", "skew", "skewness"),
        *("kurt", "kurtosis", "nunique", "prod", "count", "geometric_mean"),
        *("stdev", "stderr", "standard_deviation", "standard_error", "unique"),
    }
)
"""Statistics that are made of all values, and so no single contributor's. Any other name could be anything."""
_LOWEST, _HIGHEST = ("min", "minimum", "p0"), ("max", "maximum", "p100")


def check(output: GroupStatistics, rule: Rule, context: Context) -> Examination:
    """Judge statistics of groups.

    * `min_n` n: no statistic is of 1 … n − 1 contributors, whatever it is (mean, quantile, mode).
      Of a column of 0 and 1 a mean with its n, or a sum, is a count, and held to it on both sides.
    * `extremes: deny`: no minimum, maximum, first or last value; no percentile, median or mode that only one
      contributor has, which only the data can tell.
    * `identical: deny`: no group whose values are all equal, for then everybody's is known.
    * `differencing`: no sum or count of 1 … n − 1 follows from these and all that is or was published; a mean with its
      n is a sum.
    """
    checked = Examination(items=len(output.cells))
    groups = _groups(output, context)
    _compare(groups, context, checked)
    if rule.min_n is not None:
        _small(groups, rule.min_n, checked)
    told = [(each.name, each.group, each.n, each.values) for each in groups]
    hold_ones(output, told, ("min_n", rule.min_n), checked, context)
    if rule.extremes == "deny":
        _extremes(groups, checked)
    if rule.identical == "deny":
        _identical(groups, checked)
    if rule.differencing:
        checked.add(judge_together(output, rule, context))
        checked.add(judge_sums(output, rule, context))
    checked.picture = table_picture(TableCells(output, context), checked, rule.min_n)
    return checked


@dataclass(frozen=True)
class _Of:
    """One group: what was written about it, and its values in the data, as numerators over a denominator.

    `given` are the contributions by unit, `records` those by record; `slack` is how far a sum of floats may be off.
    """

    name: str
    group: Group
    n: int | None
    stated: int | None
    values: Mapping[str, Stated]
    given: Numerators | None = None
    records: Numerators | None = None
    denominator: int = 1
    slack: Fraction = Fraction(0)

    def holders(self, value: Stated) -> int | None:
        """How many contributors have a value that is written so; None without data."""
        if self.given is None:
            return None
        low, high = (end * self.denominator for end in value.ends)
        return sum(low <= int(each) <= high for each in self.given)

    def violation(
        self,
        limit: str,
        sentence: str,
        *,
        reached: int | Fraction | None = None,
        needed: int | Fraction | None = None,
    ) -> Violation:
        """What breaks a limit, of this group."""
        return Violation(
            item=self.name,
            limit=limit,
            sentence=sentence,
            records_count=self.n,
            about=self.group,
            reached=reached,
            needed=needed,
        )


def _groups(output: GroupStatistics, context: Context) -> list[_Of]:
    cells, counts = TableCells(output, context), context.counts
    source = None if counts is None else Contributions(counts, output.of)
    found = []
    for cell in output.cells:
        group, values = cells.group(cell.key), {name.lower(): value for name, value in cell.values}
        name = cells.named(cell.key)
        if source is None:
            found.append(_Of(name, group, cell.n, cell.n, values))
            continue
        given, records = source.of(group), source.by_record(group)
        slack = source.slack(group)
        found.append(_Of(name, group, len(given), cell.n, values, given, records, source.denominator, slack))
    return found


def _compare(groups: list[_Of], context: Context, checked: Examination) -> None:
    """Stated n, sums, means and extremes that are not those of the data, by record or by unit."""
    if context.counts is None:
        return
    checked.judged.add("mismatch")
    sentence = "A published statistic differs from that of the data."
    for each in groups:
        given = [values for values in (each.given, each.records) if values is not None]
        sizes = [*map(len, given), context.counts.count(each.group)]
        if each.stated is not None and each.stated not in sizes:
            differs = each.violation("mismatch", sentence, reached=each.stated, needed=sizes[0])
            checked.violations.append(differs)
        of_data = [(_computed(values, each.denominator), len(values)) for values in given]
        for name, value in each.values.items():
            known = [(numbers[name], _slack(name, each.slack, n)) for numbers, n in of_data if name in numbers]
            if known and not any(value.is_met_by(number, slack) for number, slack in known):
                nearest = min((number for number, _ in known), key=lambda number: abs(number - value.value))
                differs = each.violation("mismatch", sentence, reached=value.value, needed=nearest)
                checked.violations.append(differs)


def _slack(name: str, of_sum: Fraction, n: int) -> Fraction:
    """How far a statistic of floats may be from the exact one: sums and means are added up, the ends are not."""
    return of_sum if name == "sum" else of_sum / n if name == "mean" else Fraction(0)


def _computed(values: Numerators, denominator: int) -> dict[str, Fraction]:
    if not len(values):
        return {}
    total = Fraction(int(values.sum()), denominator)
    low, high = (Fraction(int(end), denominator) for end in (values.min(), values.max()))
    named = {"sum": total, "mean": total / len(values), "range": high - low}
    return {**named, **dict.fromkeys(_LOWEST, low), **dict.fromkeys(_HIGHEST, high)}


def _small(groups: list[_Of], least: int, checked: Examination) -> None:
    limit = "min_n"
    checked.judged.add(limit)
    sentence = "The statistics of a group come from too few contributors."
    for each in groups:
        if each.n is None:
            checked.open_limits[limit] = "a group has no n; give the data"
        elif each.n:
            checked.reach(limit, each.n, least=True)
            if each.n < least:
                checked.violations.append(each.violation(limit, sentence, reached=each.n, needed=least))


def _extremes(groups: list[_Of], checked: Examination) -> None:
    limit = "extremes"
    checked.judged.add(limit)
    for each in groups:
        for written, value in each.values.items():
            name = written.rstrip(".")  # R's summary() writes Min. and 1st Qu.
            if name in _EXTREMES or _END.fullmatch(name):
                sentence = "The least and the largest value, the first and the last are values of one contributor."
                checked.violations.append(each.violation(limit, sentence))
            elif name in _MIDDLE or _PERCENTILE.fullmatch(name):
                holders = each.holders(value)
                if holders is None:
                    checked.open_limits[limit] = (
                        "only the data shows whether a percentile or mode is one contributor's value"
                    )
                elif holders == 1:
                    sentence = "A percentile or mode is the value of one contributor."
                    checked.violations.append(each.violation(limit, sentence, reached=1))
            elif name not in _SUMMARIES:
                checked.unread.add(limit)
                checked.open_limits[limit] = (
                    "a statistic has a name that is not known, and could be one contributor's value; see "
                    "docs/outputs-statistics.md"
                )


def _identical(groups: list[_Of], checked: Examination) -> None:
    limit = "identical"
    checked.judged.add(limit)
    sentence = "All values of a group are equal, so everybody's value is known."
    for each in groups:
        same = _all_equal(each)
        if same is None:
            checked.open_limits[limit] = "the file does not say whether all values of a group are equal; give the data"
        elif same:
            checked.violations.append(each.violation(limit, sentence))


def _all_equal(each: _Of) -> bool | None:
    """Whether the values of a group are all equal: by the data, or as far as what is written tells."""
    if each.given is not None:
        return len(each.given) > 0 and bool((each.given == each.given[0]).all())
    values = {name: stated.value for name, stated in each.values.items()}
    if any(values.get(name) == 0 for name in _SPREAD):
        return True
    least, most = (next((values[name] for name in names if name in values), None) for names in (_LOWEST, _HIGHEST))
    mean = values.get("mean")
    if least is not None and most is not None:
        return least == most
    if mean is not None and mean in (least, most):
        return True
    spread = any(name in values for name in _SPREAD)
    return False if spread or (mean is not None and (least, most) != (None, None)) or not each.values else None
