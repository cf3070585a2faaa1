"""An audit by hand: every figure of a result, computed from rows with dicts and fractions.

Independent of `auditor` on purpose: rows are plain mappings of column → text (None: missing), a requirement is the
mapping that a policy file would hold, and nothing here is coded, packed, joined or summarized.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests import oracle

Row = Mapping[str, str | None]
Number = int | float | Fraction
Pattern = tuple[str | None, ...]

AT_LEAST = {"k-anonymity": "k", "p-sensitive-k-anonymity": "p", "distinct-l-diversity": "l", "entropy-l-diversity": "l"}
STRICTLY_BELOW = {"recursive-l-diversity": "c", "delta-disclosure": "delta"}
AT_MOST = {
    "alpha-k-anonymity": "alpha", "t-closeness": "t", "max-risk": "max", "basic-beta-likeness": "beta",
    "enhanced-beta-likeness": "beta", "average-risk": "max", "uniqueness": "max",
}  # fmt: skip


@dataclass(frozen=True)
class Attribute:
    """What the policy says of a column; `paths` are a value's labels on every level of its hierarchy."""

    role: str
    numeric: bool = False
    order: tuple[str, ...] | None = None
    paths: Mapping[str | None, tuple[str | None, ...]] | None = None
    missing_values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setting:
    """A table and how the policy wants it read."""

    rows: Sequence[Row]
    attributes: Mapping[str, Attribute]
    missing: str = "value"
    unit: str | None = None
    reference: Sequence[Row] | None = None
    threshold: float = 0.2

    def with_role(self, role: str) -> list[str]:
        return [name for name, attribute in self.attributes.items() if attribute.role == role]

    def value(self, row: Row, column: str) -> Any:
        """A value as models compare it: a number where the column is one, else text."""
        found = row[column]
        if found is None or found in self.attributes[column].missing_values:
            return None
        return Fraction(found) if self.attributes[column].numeric else found


@dataclass
class Group:
    """Records with the same quasi-identifiers (`own`), and all records that stand in their group (`all`)."""

    own: list[Row] = field(default_factory=list)
    all: list[Row] = field(default_factory=list)


def groups(setting: Setting, grouping: Sequence[str]) -> list[Group]:
    """The classes, or the patterns with their groups where a missing value is a wildcard."""
    found: dict[Pattern, Group] = defaultdict(Group)
    for row in setting.rows:
        found[tuple(setting.value(row, column) for column in grouping)].own.append(row)
    for pattern, group in found.items():
        for other, theirs in found.items():
            if _agree(pattern, other, wildcard=setting.missing == "wildcard"):
                group.all += theirs.own
    return list(found.values())


def _agree(one: Pattern, other: Pattern, *, wildcard: bool) -> bool:
    if not wildcard:
        return one == other
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def size(setting: Setting, rows: Sequence[Row]) -> int:
    """|E|: rows, or distinct units."""
    return len(rows) if setting.unit is None else len({row[setting.unit] for row in rows})


def histogram(setting: Setting, rows: Sequence[Row], sensitive: str) -> Counter[Any]:
    """How many rows, or distinct units, have each value."""
    if setting.unit is None:
        return Counter(setting.value(row, sensitive) for row in rows)
    return Counter(value for value, _ in {(setting.value(row, sensitive), row[setting.unit]) for row in rows})


def grouping_of(setting: Setting, requirement: Mapping[str, Any], sensitive: str | None) -> list[str]:
    columns = set(requirement.get("quasi_identifiers") or setting.with_role("quasi-identifier"))
    if requirement.get("others") == "quasi-identifiers":
        columns |= set(setting.with_role("sensitive")) - {sensitive}
    return sorted(columns)


# What a result says of one requirement


@dataclass(frozen=True)
class Expected:
    """What a requirement's result must say; everything is None where it cannot be evaluated."""

    status: str
    achieved: Number | None = None
    classes_violating: int | None = None
    records_violating: int | None = None
    smallest: int | None = None


NOT_EVALUATED = Expected("not-evaluated")


def judged(setting: Setting, requirement: Mapping[str, Any], sensitive: str | None = None) -> Expected:
    """One requirement, for one sensitive attribute where it reads one."""
    name = requirement["model"]
    if name in ("allowed-values", "minimum-level"):
        return _judged_column(setting, requirement)
    grouping = grouping_of(setting, requirement, sensitive)
    promised = [*setting.with_role("quasi-identifier"), *setting.with_role("sensitive")]
    if setting.missing == "reject" and any(setting.value(row, c) is None for row in setting.rows for c in promised):
        return NOT_EVALUATED
    found = groups(setting, grouping)
    if name in ("average-risk", "uniqueness"):
        return _judged_table(setting, requirement, found)
    numbers = [_number(setting, requirement, group, sensitive) for group in found]
    if any(number is None for number in numbers):
        return NOT_EVALUATED
    sizes = [size(setting, group.all) for group in found]
    least = requirement.get("k", 0) if "k" in requirement and name != "k-anonymity" else 0
    wrong = [not holds(n, requirement) or s < least for n, s in zip(numbers, sizes, strict=True)]
    return Expected(
        status=_status(requirement, violated=any(wrong)),
        achieved=(min if name in AT_LEAST else max)(numbers),
        classes_violating=sum(wrong),
        records_violating=sum(len(group.own) for group, bad in zip(found, wrong, strict=True) if bad),
        smallest=min(sizes),
    )


def _status(requirement: Mapping[str, Any], *, violated: bool) -> str:
    if not violated:
        return "pass"
    return "warning" if requirement.get("severity") == "warning" else "fail"


def holds(number: Number, requirement: Mapping[str, Any]) -> bool:
    """Whether a number stands on the right side of the bound; irrational ones within 1e-9 count as equal."""
    name = requirement["model"]
    key = {**AT_LEAST, **STRICTLY_BELOW, **AT_MOST}[name]
    bound = Fraction(str(requirement[key]))
    if isinstance(number, float) and math.isfinite(number) and abs(number - bound) <= 1e-9 * max(1, abs(bound)):
        number = bound
    if name in AT_LEAST:
        return number >= bound
    return number < bound if name in STRICTLY_BELOW else number <= bound


def _judged_table(setting: Setting, requirement: Mapping[str, Any], found: Sequence[Group]) -> Expected:
    sizes = [size(setting, group.all) for group in found]
    if requirement["model"] == "average-risk":
        total = sum(Fraction(len(group.own), s) for group, s in zip(found, sizes, strict=True))
    else:
        total = Fraction(sum(len(group.own) for group, s in zip(found, sizes, strict=True) if s == 1))
    number = total / len(setting.rows)
    return Expected(_status(requirement, violated=not holds(number, requirement)), number)


def _judged_column(setting: Setting, requirement: Mapping[str, Any]) -> Expected:
    column = requirement["attribute"]
    texts = [None if setting.value(row, column) is None else row[column] for row in setting.rows]
    wrong = sum(not _complies(text, requirement, setting.attributes[column]) for text in texts)
    return Expected(_status(requirement, violated=wrong > 0), wrong, None, wrong)


def _complies(text: str | None, requirement: Mapping[str, Any], attribute: Attribute) -> bool:
    if text is None:
        return requirement.get("missing") != "forbidden"
    if requirement["model"] == "minimum-level":
        paths = attribute.paths or {}
        levels = [level for path in paths.values() for level, label in enumerate(path) if label == text]
        return bool(levels) and max(levels) >= requirement["level"]
    if "pattern" in requirement and not re.fullmatch(requirement["pattern"], text):
        return False
    if "values" in requirement and text not in requirement["values"]:
        return False
    if "min" not in requirement and "max" not in requirement:
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return requirement.get("min", -math.inf) <= number <= requirement.get("max", math.inf)


# One number per class


def _number(setting: Setting, requirement: Mapping[str, Any], group: Group, sensitive: str | None) -> Number | None:
    name, members = requirement["model"], size(setting, group.all)
    if name == "k-anonymity":
        return members
    if name == "max-risk":
        return Fraction(1, members)
    p = histogram(setting, group.all, str(sensitive))
    if name == "alpha-k-anonymity":
        limited = requirement.get("values")
        return Fraction(max((c for v, c in p.items() if limited is None or v in limited), default=0), members)
    if name == "recursive-l-diversity":
        return oracle.recursive_c(p, requirement["l"])
    alone: dict[str, Callable[[oracle.Histogram], Number]] = {
        "p-sensitive-k-anonymity": oracle.distinct,
        "distinct-l-diversity": oracle.distinct,
        "entropy-l-diversity": oracle.entropy_l,
    }
    if name in alone:
        return alone[name](p)
    q = histogram(setting, setting.rows if setting.reference is None else setting.reference, str(sensitive))
    against: dict[str, Callable[[oracle.Histogram, oracle.Histogram], Number]] = {
        "basic-beta-likeness": oracle.basic_beta,
        "enhanced-beta-likeness": oracle.enhanced_beta,
        "delta-disclosure": oracle.delta,
    }
    return against[name](p, q) if name in against else _distance(setting, requirement, p, q, str(sensitive))


def _distance(
    setting: Setting, requirement: Mapping[str, Any], p: Counter[Any], q: Counter[Any], sensitive: str
) -> Number | None:
    attribute = setting.attributes[sensitive]
    distance = requirement.get("distance", "emd")
    ground = requirement.get("ground") or ("ordered" if attribute.numeric else "equal")
    if distance == "kl":
        return oracle.kullback_leibler(p, q)
    if distance == "js":
        return oracle.jensen_shannon(p, q)
    if distance == "variational" or ground == "equal":
        return oracle.variational(p, q)
    if ground == "hierarchical":
        return oracle.emd_hierarchical(p, q, attribute.paths or {})
    order = sorted({*p, *q}, key=lambda value: (value is None, value)) if attribute.numeric else attribute.order
    values = {setting.value(row, sensitive) for row in [*setting.rows, *(setting.reference or [])]}
    if order is None or None in values or not values <= {*order, *(values if attribute.numeric else ())}:
        return None
    order = sorted(values) if attribute.numeric else order
    return oracle.emd_ordered(p, q, order)


# The whole table


def classes_block(setting: Setting) -> dict[str, Number]:
    found = groups(setting, setting.with_role("quasi-identifier"))
    sizes = [size(setting, group.all) for group in found]
    return {
        "count": len(found),
        "smallest": min(sizes),
        "largest": max(sizes),
        "average": Fraction(sum(sizes), len(sizes)),
        "sample_uniques": sum(len(group.own) for group, s in zip(found, sizes, strict=True) if s == 1),
    }


def risk_block(setting: Setting) -> dict[str, Number]:
    found = groups(setting, setting.with_role("quasi-identifier"))
    risks = [Fraction(1, size(setting, group.all)) for group in found for _ in group.own]
    above = [risk for risk in risks if risk > Fraction(str(setting.threshold))]
    return {
        "prosecutor_highest": max(risks),
        "marketer": sum(risks) / len(risks),
        "share_at_risk": Fraction(len(above), len(risks)),
    }


def verdict(statuses: Sequence[str]) -> str:
    return next((s for s in ("fail", "not-evaluated", "waived") if s in statuses), "pass")
