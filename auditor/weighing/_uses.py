"""The uses that a policy lists, bound to a table and made of its original, and what each loses by a masking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from auditor.errors import DataError
from auditor.microdata import Microdata
from auditor.policy import Policy
from auditor.policy.applied import matched
from auditor.policy.binding import Binding
from auditor.utility.uses import Use, UseBaseline

USABLE = frozenset({"quasi-identifier", "sensitive", "insensitive"})
"""The roles whose columns a use reads: a pseudonym tells one record from all others, and nothing about people."""

Lost: TypeAlias = float | str
"""A loss in percent, or why there is none."""


@dataclass(frozen=True)
class PreparedUse:
    """A use, made of the original: the columns that it reads, and what it is there."""

    use: Use
    columns: tuple[str, ...]
    baseline: UseBaseline

    def lost(self, masked: Microdata) -> Lost:
        """The loss of a masked table, or why it cannot be measured."""
        try:
            return self.baseline.loss(masked.only(self.columns))
        except DataError as error:
            return str(error)


def prepared(policy: Policy, binding: Binding, table: Microdata) -> tuple[PreparedUse, ...]:
    """The uses of a policy, each made of the table as it is.

    Raises:
        DataError: a use names a column that the table does not have or a release may not have, or has no meaning for
            the table.
        UsageError: an extra is not installed.
    """
    return tuple(_prepared(use, binding, table) for use in (policy.tradeoff.uses if policy.tradeoff else ()))


def _prepared(use: Use, binding: Binding, table: Microdata) -> PreparedUse:
    usable = [name for name in table.names if binding.roles[name].role in USABLE]
    target = [] if use.target is None else _meant(use, [use.target], usable, binding)
    if use.attributes is None:
        read = use.usual(table.only([name for name in usable if name not in target]))
    else:
        read = tuple(_meant(use, use.attributes, usable, binding))
    columns = tuple(name for name in usable if name in {*target, *read})
    try:
        baseline = use.baseline(table.only(columns))
    except DataError as error:
        raise DataError(f"{use.title}: {error}") from None
    return PreparedUse(use, columns, baseline)


def _meant(use: Use, names: Sequence[str], usable: Sequence[str], binding: Binding) -> list[str]:
    """The columns that names and globs stand for."""
    for name in names:
        if name in binding.roles and name not in usable:
            raise DataError(
                f"{use.title}: column {name!r} has the role {binding.roles[name].role}; a use reads columns that are "
                f"{', '.join(sorted(USABLE))}"
            )
    return [column for name in names for column in matched(use.title, name, usable)]
