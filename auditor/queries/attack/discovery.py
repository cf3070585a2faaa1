"""A disclosure as the audit finds it, before it is written into the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from auditor.queries._query import Quantity
from auditor.queries.attack.views import View


@dataclass(frozen=True)
class Discovery:
    """Something that follows from the answers of a view about `records`, by their rows.

    The number that follows lies from `low` to `high` and is Σ `proof`[q] · answer of the q-th query of the log +
    constant + Σ `known`[r] · value of record r. For a group, `coefficients` are those of its records in that number,
    empty for the plain sum. Where it follows in another way, `follows_from` are the queries it rests on. `first` is the
    position of the query whose answer completes it.
    """

    kind: str
    quantity: Quantity
    records: tuple[int, ...]
    low: Fraction | None
    high: Fraction | None
    first: int
    view: View
    functional: str | None = None
    proof: Mapping[int, Fraction] = field(default_factory=dict)
    follows_from: tuple[int, ...] = ()
    constant: Fraction = Fraction(0)
    known: Mapping[int, Fraction] = field(default_factory=dict)
    coefficients: Mapping[int, Fraction] = field(default_factory=dict)
    tracker: str | None = None

    @property
    def rests_on(self) -> tuple[int, ...]:
        """The positions of the queries that it follows from."""
        return tuple(sorted({*self.proof, *self.follows_from}))

    @property
    def key(self) -> tuple[str, Quantity, tuple[int, ...]]:
        """What makes two findings the same: another view or a later query does not."""
        return self.kind, self.quantity, self.records


@dataclass(frozen=True)
class Conclusions:
    """What follows, and whether something could not be settled; or that no values give the answers."""

    found: tuple[Discovery, ...]
    open_: bool
    consistent: bool = True
