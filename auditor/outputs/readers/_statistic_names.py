"""The names under which programs write statistics, as one name each."""

from __future__ import annotations

import re
from collections.abc import Container

from auditor.outputs.published.totals import SIZES

_NAMES = frozenset(
    {
        *(
            "mean",
            "median",
            "mode",
            "sum",
            "min",
            "max",
            "std",
            "var",
            "sem",
            "first",
            "last",
            "nunique",
            "prod",
            "skew",
        ),
        *("kurt", "iqr", "range", "mad", "gini", "cv"),
    }
)
_OTHER = {"average": "mean", "avg": "mean", "total": "sum", "minimum": "min", "maximum": "max", "amin": "min"}
_OTHER |= {"amax": "max", "sd": "std", "stdev": "std", "variance": "var", "se": "sem", "q1": "p25", "q3": "p75"}
_PERCENT = re.compile(r"(\d{1,2}(?:\.\d+)?|100)%", re.ASCII)
_QUANTILE = re.compile(r"(?:p|percentile_?|quantile_?)(\d{1,3}(?:\.\d+)?)", re.ASCII)

_OF = re.compile(
    r"(count|number|anzahl|nombre|cuenta|sum|average|mean|min|max|summe|mittelwert)\s+(?:of|von|de)\s+(.+)"
)
"""How pivot tables call their numbers: ``Count of id``, ``Sum of cost``."""
_OTHER |= {"number": "count", "anzahl": "count", "nombre": "count", "cuenta": "count"}
_OTHER |= {"summe": "sum", "mittelwert": "mean"}
_SHARE = re.compile(r"0\.(\d*[1-9]\d*)", re.ASCII)
_FUNCTION = re.compile(r"<lambda(?:_\d+)?>")
"""What pandas calls a function without a name, which may give anybody's value."""

NAMES = frozenset({"proportion", "share", "fraction", "rate"})
"""What a single column of shares is called, in small letters; `value_counts(normalize=True)` says ``proportion``."""
PERCENT = frozenset({"percent", "percentage", "pct", "%"})
_PARTS = {**{name: name for name in NAMES | {"prevalence"}}, **dict.fromkeys(PERCENT, "percent")}
_QUOTIENTS = frozenset({*_PARTS, "rates", "ratio", "per", "incidence", "shares", "proportions", "percentages"})
_WORDS = re.compile(r"[\s_.()\[\]]+|(?<=%)(?=\w)|(?<=\w)(?=%)")


def statistic(name: str) -> str | None:
    """The usual name of a statistic (`count` for each kind of n, ``p25`` for ``25%``); None for any other name.

    That of a function without a name is its own: nobody knows what it gives.
    """
    name = name.strip().lower()
    percent = _PERCENT.fullmatch(name) or _QUANTILE.fullmatch(name)
    if percent is not None:
        return f"p{percent[1]}"
    if name in SIZES or counts_of(name):
        return "count"
    return _OTHER.get(name, name if name in _NAMES or _FUNCTION.fullmatch(name) else None)


def row_statistic(name: str) -> str | None:
    """The usual name of a statistic that a row is of: that of `describe()`, and of ``quantile()``, ``0.25``."""
    name = name.strip()
    quantile = _SHARE.fullmatch(name)
    if quantile is not None:
        return f"p{int(quantile[1].ljust(2, '0')[:2])}{f'.{rest}' if (rest := quantile[1][2:]) else ''}"
    return {"unique": "nunique", "top": "top", "freq": "freq"}.get(name) or statistic(name)


def is_quantile(name: str) -> bool:
    """Whether a label is a share below 1, as ``quantile()`` names what it gives."""
    return _SHARE.fullmatch(name.strip()) is not None


def counts_of(name: str) -> bool:
    """Whether a name is that of counts in a pivot table: ``Count of id``."""
    found = _OF.fullmatch(name.strip().lower())
    return found is not None and _OTHER.get(found[1], found[1]) == "count"


def split(name: str) -> tuple[str, str] | None:
    """The column and the statistic of a name such as ``cost_mean``; None where it has none behind."""
    of = _OF.fullmatch(name.strip().lower())
    if of is not None and not counts_of(name):
        return name.strip()[of.start(2) :], _OTHER.get(of[1], of[1])
    column, _, last = name.rpartition("_")
    found = statistic(last)
    return (column, found) if column and found is not None else None


def split_of(name: str, columns: Container[str]) -> tuple[str, str] | None:
    """The column and the statistic of a name such as ``mean_cost``, of a known column; else what `split` says."""
    first, _, column = name.partition("_")
    found = statistic(first) if column in columns and name not in columns else None
    return (column, found) if found is not None else split(name)


def asked_for(text: str, columns: Container[str]) -> tuple[str, str]:
    """The column and the statistic, each "" where it is none, that the user says: ``mean of cost``, ``mean``, ``cost``.

    What is one of `columns` is a column, whatever it is called.
    """
    text = text.strip()
    first, of, column = text.partition(" of ")
    if text in columns:
        return text, ""
    if of and statistic(first) is not None:
        return column.strip(), statistic(first) or ""
    return split(text) or (("", statistic(text) or "") if statistic(text) else (text, ""))


def share_of(name: str) -> tuple[str, str] | None:
    """The column and the statistic of a name such as ``died_pct`` or ``rate of death``, "" of ``rate``; else None."""
    words = [word for word in _WORDS.split(name) if word]
    for word, rest in ((words[-1:], words[:-1]), (words[:1], words[1:])):
        found = _PARTS.get("".join(word).lower())
        column = "_".join(rest[1:] if rest and rest[0].lower() == "of" else rest)
        if found is not None and not is_quotient(column):
            return column, found
    return None


def is_quotient(name: str) -> bool:
    """Whether a name says that numbers are no counts: ``died_pct``, ``deaths per 1000``."""
    return not _QUOTIENTS.isdisjoint(word.lower() for word in _WORDS.split(name))
