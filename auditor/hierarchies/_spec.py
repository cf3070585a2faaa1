"""From the policy's words to a hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from auditor.errors import HierarchyError, nearest
from auditor.hierarchies._base import Hierarchy
from auditor.hierarchies._ladder import Ladder
from auditor.hierarchies.dates import Dates
from auditor.hierarchies.file import file
from auditor.hierarchies.groups import groups
from auditor.hierarchies.intervals import Intervals
from auditor.hierarchies.mask import Mask
from auditor.hierarchies.prefix import Prefix
from auditor.hierarchies.suppress import Suppress
from auditor.hierarchies.tree import tree

Spec = Mapping[str, Any] | str
"""A hierarchy as policies write it: ``{"mask": {"side": "right"}}``, ``{"prefix": [3, 2]}``, ``"suppress"``, …"""


def hierarchy(spec: Spec) -> Hierarchy:
    """The hierarchy that a policy describes. A `file` is given by its resolved path.

    >>> hierarchy({"prefix": [3, 2]}).level_of("E1*")
    2

    Raises:
        HierarchyError: the description, or the file it names, is wrong.
    """
    if spec == "suppress":
        return Suppress()
    kinds = [key for key in spec if key in _BUILDERS] if isinstance(spec, Mapping) else []
    if not isinstance(spec, Mapping) or len(kinds) != 1:
        word = spec if isinstance(spec, str) else next(iter(spec), "")
        known = ["suppress", *_BUILDERS]
        raise HierarchyError(f"no hierarchy {word!r}{nearest(word, known)}", f"one of {', '.join(sorted(known))}")
    rest = {key: value for key, value in spec.items() if key != kinds[0] and value is not None}
    return _BUILDERS[kinds[0]](spec[kinds[0]], rest)


def build(spec: Spec, values: Sequence[str | None], column: str = "") -> Ladder:
    """The ladder of a column's distinct values (None: missing); `column` names it in messages.

    >>> build({"mask": {"side": "right"}}, ["123", "124"]).levels[1:]
    (('12*', '12*'), ('1**', '1**'), ('***', '***'))

    Raises:
        HierarchyError: the description, or the file it names, is wrong.
        UncoveredValues: values that the hierarchy does not cover; its text says neither which nor how many.
    """
    return hierarchy(spec).ladder(values, column)


def _intervals(options: Mapping[str, Any], _: Mapping[str, Any]) -> Hierarchy:
    given = {key: value for key, value in options.items() if value is not None}
    widths = tuple(_number(width) for width in given.pop("widths", ()))
    return Intervals(widths, **{key: _number(value) for key, value in given.items()})


def _number(given: float | str | Decimal) -> Decimal:
    """A policy's number as the exact decimal that was written."""
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise HierarchyError(f"{given!r} is not a finite number", "as in widths: [5, 10, 20], start: 0")
    return number


_BUILDERS: dict[str, Callable[[Any, Mapping[str, Any]], Hierarchy]] = {
    "date": lambda names, _: Dates(tuple(names)),
    "file": lambda path, options: file(Path(path), **options),
    "groups": lambda listed, _: groups(listed),
    "intervals": _intervals,
    "mask": lambda options, _: Mask(**{key: value for key, value in (options or {}).items() if value is not None}),
    "prefix": lambda lengths, _: Prefix(tuple(lengths)),
    "tree": lambda nested, _: tree(nested),
}
