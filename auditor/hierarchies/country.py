"""Country: countries by sub-region and region, ``Austria``, ``Western Europe``, ``Europe``, ``*``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.hierarchies._base import STAR, TOP
from auditor.hierarchies._generated import Generated
from auditor.hierarchies._m49 import places, plain, regions

UNLISTED = "no listed country"


@dataclass(frozen=True)
class Countries(Generated):
    """Level 1 is the sub-region, level 2 the region of the United Nations' M49 (see `_m49`).

    A value is a country's name in English, in one of the spellings that tables use, or its code of ISO 3166-1, whatever
    its case, accents and signs. Every other value has a place, too: `UNLISTED` on both levels.
    """

    def rungs(self, values: Sequence[str], column: str) -> list[list[str]]:  # noqa: ARG002  (every value has a place)
        """See `Generated`."""
        found = [_path(value) for value in values]
        return [[path[level] for path in found] for level in range(2)]

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`."""
        if label == STAR:
            return TOP
        return 2 if label in {*regions().values(), UNLISTED} else int(label in regions())

    def specimen(self, height: int) -> str:  # noqa: ARG002  (levels are the same, whatever the values)
        """See `Hierarchy`. A country of the list."""
        return "Iceland"


def is_listed(value: str) -> bool:
    """Whether a value is a country's name or code."""
    return plain(value) in places()


def _path(value: str) -> tuple[str, str]:
    """Sub-region and region of a value; a label of the ladder stays what it is."""
    if value == STAR or value in regions().values():
        return value, value
    if value in regions():
        return value, regions()[value]
    return places().get(plain(value), (UNLISTED, UNLISTED))


def built() -> Countries:
    """The hierarchy; it has no parameters, so a policy writes its name alone."""
    return Countries()
