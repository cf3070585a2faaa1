"""Columns that a program made of one value of another: ``sex_F``, ``C(sex)[T.F]``, ``ward[T.ICU]:age``."""

from __future__ import annotations

import re

from auditor.outputs.published.conditions import Condition, Group, equal
from auditor.outputs.readers._items import Columns

_CODED = re.compile(
    r"(?:C\(\s*(?P<inner>Q\(['\"].*?['\"]\)|[^,()]+?)\s*(?:,.*)?\)|(?P<plain>[^\[\]]+))\[(?:T\.)?(?P<value>.*)\]",
    re.DOTALL,
)
_BETWEEN = re.compile(r":(?![^\[]*\])")
_QUOTED = re.compile(r"Q\((['\"])(.*)\1\)")


def indicator(name: str, columns: Columns) -> Condition | None:
    """The value that a column of zeros and ones stands for; None where the name is that of a column, or says nothing.

    Patsy's names (statsmodels) say it themselves; ``sex_F`` and ``sex=F`` do where `sex` is a known column.
    """
    if name in columns:
        return None
    coded = _CODED.fullmatch(name)
    if coded is not None:
        attribute = coded["inner"] or coded["plain"]
        quoted = _QUOTED.fullmatch(attribute)
        return equal(quoted[2] if quoted is not None else attribute, coded["value"])
    places = [i for i, character in enumerate(name) if character in "_="]
    known = [i for i in places if name[:i] in columns and i + 1 < len(name)]
    return equal(name[: known[-1]], name[known[-1] + 1 :]) if known else None


def group_of_term(name: str, columns: Columns) -> Group | None:
    """Whom a term of a regression is about: the records with all indicators of the product that it is; else None."""
    found = (indicator(part, columns) for part in _BETWEEN.split(name))
    return frozenset(each for each in found if each is not None) or None
