"""Names of columns that say what is measured, and where it was cut: ``over65``, ``age >= 66``, ``age_group``.

Two columns of yes and no, `over65` and `over66`, are one quantity cut at two places: nobody is in the second without
being in the first. What is over or under a number, and of nothing that is named, is of age.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from auditor.interval import Interval
from auditor.outputs.published.spans import compared, others, span_of
from auditor.truths import truth_of

AGE = "age"
_OPERATORS = {"gt": ">", "ge": ">=", "gte": ">=", "geq": ">=", "lt": "<", "le": "<=", "lte": "<=", "leq": "<="}
_COMPARED = re.compile(rf"\b({'|'.join(_OPERATORS)})[\s-]*(?=\d)")
_PARTS = re.compile(r"(?<=[a-zäöü])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\s_()\[\]?]+|(?<!\d)\.|\.(?!\d)")
"""Between the words of a name: white space, underscores, brackets, a capital letter, a point that is no decimal one."""
_ASKED = re.compile(r"^(?:is|are|has|flag|ind|indicator|dummy)\s+|(?:\s+|(?<=\d))(?:flag|ind|indicator|dummy|yn)$")
_GROUPS = re.compile(
    r"[\s-]*(?:groups?|grp|grouped|bands?|class|classes|cat|category|categories|brackets?|range|bins?|binned|intervals?)"
    r"(?:[\s-]*\d+)?$"
)
_UNIT = re.compile(r"(?<=\d)[\s-]*(day|week|month|hour)s?$|(?<=\d\d)d$")
"""Of ``within 30 days``, or ``30d``: numbers of days and of weeks are not compared."""
_EVENT = re.compile(r"(.*?[^\W\d_])(?:\s+in)?[\s-]*(\d{1,6})")
"""What happens within a number of days, where a name says no more than that: ``mortality_30d``."""
_THOUSANDS = re.compile(r"(?<=\d)k\b")
"""As in ``income_over_50k``."""


@dataclass(frozen=True)
class NamedQuantity:
    """What a column measures, and the numbers that its name asks for; None where it only says what."""

    name: str
    span: Interval[Fraction] | None = None

    def told(self, label: str) -> Interval[Fraction] | None:
        """The numbers that a label of the column stands for; None where it stands for none."""
        truth = None if self.span is None else truth_of(label)
        if self.span is None or truth is None:
            return span_of(label)
        return self.span if truth else others(self.span)


@lru_cache(maxsize=10_000)
def quantity_of(column: str) -> NamedQuantity:
    """What a column measures by its name; an event that is named with days, that it comes within so many.

    >>> [(each.name, str(each.span)) for each in map(quantity_of, ("over65", "bmi >= 30", "isUnder18", "age_65_plus"))]
    [('age', '(65, inf)'), ('bmi', '[30, inf)'), ('age', '(-inf, 18)'), ('age', '[65, inf)')]
    >>> str(quantity_of("mortality_30d").span)
    '(-inf, 30]'
    >>> quantity_of("age_group")
    Quantity(name='age', span=None)
    """
    words = " ".join(part for part in _PARTS.split(column) if part).casefold()
    words = _THOUSANDS.sub("000", _ASKED.sub("", words))
    unit = _UNIT.search(words)
    of_time = (unit[1] or "day",) if unit else ()
    cut = _COMPARED.sub(lambda found: _OPERATORS[found[1]], words[: unit.start()] if unit else words)
    for start in (0, *(found.start() for found in re.finditer(r"(?<=[\s\w])(?=[<>≤≥])|(?<=\s)|(?<=[a-z])(?=\d)", cut))):
        span = span_of(cut[start:].strip())
        if span is not None and others(span) is not None:
            return NamedQuantity(" in ".join([cut[:start].strip(" -:") or AGE, *of_time]), span)
    if unit and (event := _EVENT.fullmatch(cut)):
        return NamedQuantity(" in ".join([event[1].rstrip(" -:"), *of_time]), compared("<=", Fraction(event[2])))
    return NamedQuantity(_GROUPS.sub("", words) or words)
