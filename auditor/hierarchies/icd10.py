"""ICD-10: codes of diseases by category and chapter, ``E11.9``, ``E11``, ``E00-E90``, ``*``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.hierarchies._base import STAR, TOP, read_all
from auditor.hierarchies._generated import Generated

CHAPTERS = (
    "A00-B99", "C00-D48", "D50-D89", "E00-E90", "F00-F99", "G00-G99", "H00-H59", "H60-H95", "I00-I99", "J00-J99",
    "K00-K93", "L00-L99", "M00-M99", "N00-N99", "O00-O99", "P00-P96", "Q00-Q99", "R00-R99", "S00-T98", "V01-Y98",
    "Z00-Z99", "U00-U99",
)  # fmt: skip
"""The chapters I to XXII (World Health Organization, International Statistical Classification of Diseases and Related
Health Problems, 10th Revision)."""
_CODE = re.compile(r"([A-Z][0-9][0-9A-Z])(?:\.?[0-9A-Z]{1,4})?[*+†!]?")


@dataclass(frozen=True)
class Diseases(Generated):
    """Level 1 is the category, a code's first three characters; level 2 the chapter, by WHO's first and last category.

    A code is written with or without its point, and with the signs of the dagger and asterisk system or without. The
    categories that national modifications add, such as C7A or D49, stand in the chapter that their letter and number
    are in.
    """

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:
        """See `Generated`."""
        paths = read_all(values, _path, column, "ICD-10 codes, such as E11.9")
        return [[path[level] for path in paths] for level in range(2)]

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`."""
        path = _path(label)
        if path is None:
            return None
        return TOP if label == STAR else 2 * (label == path[1]) or int(label == path[0])

    def specimen(self, height: int) -> str:  # noqa: ARG002  (levels are the same, whatever the values)
        """See `Hierarchy`. A code of the classification."""
        return "E11.9"


def _path(value: str) -> tuple[str, str] | None:
    """Category and chapter of a code; a label of the ladder stays what it is."""
    if value == STAR or value in CHAPTERS:
        return value, value
    code = _CODE.fullmatch(value)
    return None if code is None else (code[1], _chapter(code[1]))


def _chapter(category: str) -> str:
    """The last chapter that begins in its ten or before; in the order of the alphabet, U is between T and V."""
    return max((chapter for chapter in CHAPTERS if chapter[:2] <= category), key=lambda chapter: chapter[:2])


def built() -> Diseases:
    """The hierarchy; it has no parameters, so a policy writes its name alone."""
    return Diseases()
