"""Words that people and programs write in place of a value, where they mean all values of a column together.

``All``, ``(all)``, ``Grand Total``, ``Summe``, ``_total_``; ``All sexes``; ``North Total`` for those of North.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence

from auditor.truths import LETTERS, WORDS

_WORDS = frozenset(
    word
    for words in (
        "all, total, totals, tot, ttl, sum, σ, overall, both, combined, everyone, everybody, everything, together",
        "grand total, grandtotal, sub total, subtotal, sum total, in total, altogether, marginal, margin, margins",
        "row total, column total, col total, row totals, column totals",
        "alle, gesamt, insgesamt, summe, gesamtsumme, gesamtergebnis, ergebnis, zusammen, beide",
        "total général, ensemble, tous, toutes, tout, somme, les deux, total general, todos, todas, todo, suma, ambos",
        "ambas, conjunto, soma, total geral, geral, totale, totale complessivo, tutti, tutte, tutto, somma, entrambi",
        "totaal, eindtotaal, alles, allen, totalt, samtliga, summa, alla, båda, i alt, ialt, begge, yhteensä, kaikki",
        "razem, ogółem, suma końcowa, wszyscy, celkem, spolu, összesen, végösszeg, toplam, genel toplam, skupaj",
        "skupno, ukupno, всего, итого, все, общий итог, σύνολο",
        "合計, 総計, 総数, 合计, 总计, 總計, 全部, 합계, 총계, 전체, المجموع, סהכ",
    )
    for word in words.split(", ")
)
"""Words for totals, in small letters, each once."""
_OF_ALL = re.compile(
    r"(?:all|both|total|alle|beide|tous|toutes|todos|todas|tutti|tutte|ambos)(?: (?:the|of|les))? \w+"
    r"|(?:all|overall|sum|summe|gesamt|subtotal) .+"
    r"|total (?:all|number|count|sample|population|persons|people|patients|cases|records)\b.*"
    r"|.+ (?:total|totals|sum|overall|combined|together|gesamt|insgesamt|zusammen)"
    r"|any|any sex|persons|personen|personnes|personas"
    r"|(?:population|patients|people|participants|subjects|respondents|denominators?|cohort|observations|obs)"
    r"|(?:whole|full|entire) (?:sample|population|cohort|group|table|data|study|country)"
)
"""What speaks of all, and may be the name of a value: ``All age groups``, ``Persons``, ``Any`` beside ``None``."""
_EVERYBODY = re.compile(
    r".+ (?:persons|people|patients|residents|respondents|participants|population|sample|cohort|categories|groups?"
    r"|sexes|genders|ages|cases|records)(?: combined| together)?"
)
"""What no value is called that speaks of all: ``All age groups``, ``Both sexes combined``."""
_OTHER = re.compile(
    r"\b(?:other|others|rest|sonstigen?|anderen?|übrigen?|autres|otros|otras|altri|altre|except|excluding|but|ohne|sauf)\b"
)
_BEHIND_HEAD = re.compile(r"\s*[(\[,:;/].*|\s+[-–—].*", re.DOTALL)
"""What stands behind a word for totals, and says of what it is: ``Total (N=45)``, ``Total - Age group``."""
SIZES = frozenset({"n", "count", "counts", "size", "freq", "frequency", "nobs", "length"})
"""What columns of counts are called, in small letters."""
_ALL_OF_THEM = re.compile(
    rf"(?:total )?(?:{'|'.join(sorted(SIZES))}|population|persons|patients|people|participants|subjects|respondents"
    r"|denominators?|cohort|observations|obs|cases|records)(?: total)?"
)
"""What the column is called that says of how many people those beside it are: ``n``, ``population``."""
_YES = frozenset(word for words in (WORDS, LETTERS) for word in words if words[word]) | {"da", "e", "w", "p", "pos"}
"""Labels beside which ``n`` is one more of them: no, north, negative."""
_MEN = frozenset({"m", "h", "man", "male"})
_WOMEN = frozenset({"f", "w", "v", "k", "d"})
_NULL = frozenset({"null", "(null)", "<na>", "\\n", "(blank)"})
_QUANTIFIERS = frozenset({"none", "some", "few", "most", "many", "several", "not all", "keine", "einige", "aucun"})
_SIGNS = frozenset({"*", ".", "-", "–", "—", "∑"})
_BEHIND = re.compile(r"(.+?)[\s:,-]+(?:total|subtotal|sub-total|totals|all|sum|ergebnis|gesamt|summe|totale|totaal)")
_BEFORE = re.compile(
    r"(?:total|subtotal|sub-total|sum|summe|gesamt|totale|totaal|all)(?: (?:of|for|von|für|de))?[\s:,-]+(.+)"
)


_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
"""The scripts whose letters look like each other's."""
_BETWEEN = re.compile(r"\s*[+/&|]\s*|\s*,\s*|\s+(?:or|and|oder|und|ou|et|y|o)\s+")
"""What stands between the labels of a union: ``F+M``, ``A or B``, ``A/B``."""


def is_total(label: str) -> bool:
    """Whether a label is a word for all values together, and nothing else; SDMX writes ``_T``.

    So is one that mixes the letters of scripts that look alike, and may be read as such a word: ``Аll`` with a
    Cyrillic А.
    """
    text = _plain(label)
    return text in _WORDS or label.strip() == "_T" or _seems_total(text)


def _seems_total(text: str) -> bool:
    scripts = [unicodedata.name(letter, "").partition(" ")[0] for letter in text]
    mixed = _SCRIPTS.intersection(scripts)
    for script in mixed if len(mixed) > 1 else ():
        letters = zip(text, scripts, strict=True)
        form = "".join("." if of in mixed and of != script else re.escape(letter) for letter, of in letters)
        if any(re.fullmatch(form, word) for word in _WORDS):
            return True
    return False


def union_of(label: str, labels: Container[object]) -> tuple[str, ...]:
    """The labels of which one says that it is the union: F and M of ``F+M``; none where it is no union of `labels`."""
    parts = tuple(dict.fromkeys(_BETWEEN.split(label.strip())))
    return parts if len(parts) > 1 and all(part in labels for part in parts) else ()


def may_be_total(label: str, others: Iterable[str] = ()) -> bool:
    """Whether a label speaks of all of something, which a value may do, too: ``All sexes``, ``Total hip``.

    So does ``n``, but not beside ``y``; ``T`` beside ``F`` and ``M``; and ``-``, but not beside ``+``.
    """
    others = set(others)
    text, head = _plain(label), _plain(_BEHIND_HEAD.sub("", label))
    if label.strip() in _SIGNS:
        return "+" not in {other.strip() for other in others}
    if text in SIZES:
        return not any(_plain(other) in _YES for other in others)
    if text == "t":
        beside = {_plain(other) for other in others}
        return bool(beside & _MEN) and bool(beside & _WOMEN)
    speaks = head in _WORDS or any(map(_OF_ALL.fullmatch, (text, head)))
    return speaks and _OTHER.search(text) is None and totalled(label, others) is None


def says_of_how_many(label: str, others: Iterable[str]) -> bool:
    """Whether a label beside others is how many they are of: ``n`` beside ``died``, but not beside ``s`` and ``w``."""
    beside = {_plain(other) for other in others} - {_plain(label)}
    letters = {other for other in beside if len(other) == 1} - _MEN - _WOMEN
    return _ALL_OF_THEM.fullmatch(_plain(label)) is not None and not letters and may_be_total(label, beside)


def has_like(label: str, others: Iterable[str]) -> bool:
    """Whether another label speaks of all of something else in the same word: ``Total knee`` beside ``Total hip``.

    Neither is the total of the other then, unless one is that of everybody.
    """
    text = _plain(label)
    first, _, rest = text.partition(" ")
    like = (other for other in map(_plain, others) if other != text and other.partition(" ")[0] == first)
    told = any(other not in _WORDS and _OF_ALL.fullmatch(other) for other in like)
    return bool(rest) and _EVERYBODY.fullmatch(text) is None and told


def is_of_all(label: str, column: str) -> bool:
    """Whether a label that speaks of all speaks of all people, groups, or values of its column: ``All wards``."""
    text, name = _plain(label), _plain(column)
    return may_be_total(label) and (
        _EVERYBODY.fullmatch(text) is not None or (len(name) > 2 and text.rpartition(" ")[2].startswith(name))
    )


def quantifies(labels: Iterable[str]) -> bool:
    """Whether labels say how many of something: beside ``None`` and ``Some``, ``All`` may be a value."""
    return bool(_QUANTIFIERS.intersection(map(_plain, labels)))


def is_null(label: str) -> bool:
    """Whether a label is no value: empty, as programs write totals and missing values alike, or a word for that."""
    return not label.strip() or label.strip().casefold() in _NULL


def is_not_a_number(label: str) -> bool:
    """Whether a label is how pandas writes a missing value, and never a total."""
    return label.strip().casefold() in {"nan", "nat"}


def totalled(label: str, labels: Container[str]) -> str | None:
    """The value of which a label says the total: ``North`` of ``North Total``; None where it says none of `labels`."""
    for form in (_BEHIND, _BEFORE):
        found = form.fullmatch(label.strip().casefold())
        if found is not None:
            start, end = found.span(1)
            value = label.strip()[start:end]
            if value in labels:
                return value
    return None


def by_words(key: Sequence[str | None]) -> tuple[str | None, ...]:
    """A key with None where its parts are words for totals, and in the empty ones right behind them."""
    told: list[str | None] = []
    for part in key:
        behind = bool(told) and told[-1] is None
        told.append(None if part is None or is_total(part) or (behind and not part) else part)
    return tuple(told)


def _plain(label: str) -> str:
    """A label in small letters, without brackets, marks and white space around its words."""
    written = "".join(each for each in unicodedata.normalize("NFKC", label) if unicodedata.category(each) != "Cf")
    return " ".join(re.sub(r"[^\w%+'<>=./]|_", " ", written.casefold()).split()).strip(" <>=./")
