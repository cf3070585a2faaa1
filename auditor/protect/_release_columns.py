"""What a masked column looks like in a release: texts for its values, and how many of them are others than before.

A column all of whose values occurred before is written with the texts that stood there, so that swapped values look
like the original's. Where one value is new, all are written in one way, whole numbers as such where they were before:
else the text of a value would tell that it stood in the original.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.engines import Rewritten
from auditor.microdata import LARGEST, MISSING, Categorical, Numeric, Variable, side_by_side

WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)


def rewritten(before: Variable, after: Variable, dictionary: Sequence[str | None]) -> Rewritten:
    """A masked column as labels; `dictionary` has the texts of the column before."""
    if isinstance(after, Categorical):
        codes, labels = _used(after)
        return Rewritten(after.name, codes, labels)
    values, places = np.unique(after.values[~after.missing] + 0.0, return_inverse=True)  # + 0.0: no −0
    every = np.full(len(after.values), MISSING, np.int32)
    every[~after.missing] = places
    texts = [text for text in dictionary if text is not None] if isinstance(before, Numeric) else []
    return Rewritten(after.name, every, _texts(values, texts))


def _used(column: Categorical) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The codes and labels of a column, without those that do not occur."""
    occurring = np.unique(column.codes[column.codes != MISSING])
    places = np.full(len(column.labels) + 1, MISSING, np.int32)
    places[occurring] = np.arange(len(occurring))
    return places[column.codes], tuple(column.labels[code] for code in occurring.tolist())


def _texts(values: NDArray[np.float64], texts: Sequence[str]) -> tuple[str, ...]:
    """A text for each of some ascending numbers; `texts` are those that stood for the numbers before."""
    known = {float(text): text for text in reversed(texts)}
    numbers = values.tolist()
    if all(number in known for number in numbers):
        return tuple(known[number] for number in numbers)
    whole = all(number.is_integer() and abs(number) < LARGEST for number in numbers)
    if whole and all(map(WHOLE.fullmatch, texts)):
        return tuple(str(int(number)) for number in numbers)
    return tuple(map(repr, numbers))


def changed(before: Variable, after: Variable) -> int:
    """In how many records a column holds something else than before."""
    if isinstance(before, Numeric) != isinstance(after, Numeric):
        return int(np.count_nonzero(~(before.missing & after.missing)))
    first, second = side_by_side(before, after)
    return int(np.count_nonzero((first != second) & ~(np.isnan(first) & np.isnan(second))))
