"""What sums together with maxima and minima of the same values tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import IntArray
from auditor.inference import Domain, Equations, extremes
from auditor.inference.equations import Collapsed, Row, collapse, connected
from auditor.inference.mixed import mixed
from auditor.queries._answers import answer_of
from auditor.queries._asked import BoolArray, Extreme, Linear, Quantity, Query
from auditor.queries._found import Found, Judged
from auditor.queries._records import Profiles
from auditor.queries._sums import coefficients
from auditor.queries._views import View


class Mixed:
    """The sums and extremes of a view, where some of them speak of the same values."""

    def __init__(self, profiles: Profiles, queries: Sequence[Query], view: View) -> None:
        seen = [(i, query) for i, query in enumerate(queries) if view.sees(query.statement.user)]
        self._profiles = profiles
        self._view = view
        self._sums = [(i, q.asked) for i, q in seen if isinstance(q.asked, Linear) and q.asked.weights]
        extreme = [(i, q.asked, answer_of(q.asked, profiles)) for i, q in seen if isinstance(q.asked, Extreme)]
        self._extremes = [(i, asked, answer) for i, asked, answer in extreme if answer is not None]

    @property
    def both(self) -> bool:
        """Whether some value stands in a sum and in an extreme."""
        summed = {quantity for _, asked in self._sums for quantity in asked.weights}
        return any(asked.quantity in summed for _, asked, _ in self._extremes)

    def judged(
        self, domains: Mapping[Quantity, Domain], *, distinct: bool, narrow: Fraction | None, deadline: float
    ) -> Judged:
        """Whose value is determined, and (with `narrow`) whose is known more closely than that.

        What insiders know is not joined to it, nor that a value may be missing: such views stay open.
        """
        if self._view.known or not self._profiles.schema.null_is_public:
            return Judged((), open_=True)
        quantities = sorted(domains)
        collapsed = self._collapsed(quantities)
        matrix = collapsed.equations.rows
        sums = Equations(csr_array(matrix[: len(self._sums)]), collapsed.equations.sizes)
        of_atom = self._quantity_of_atom(collapsed)
        asked = [
            extremes.Extreme(each.which, matrix[[len(self._sums) + row]].indices.astype(np.int64), answer)
            for row, (_, each, answer) in enumerate(self._extremes)
        ]
        found = mixed(
            sums,
            [self._right_side(each) for _, each in self._sums],
            asked,
            [domains[quantities[each]] for each in of_atom],
            distinct=distinct,
            enough=Fraction(0) if narrow is None else narrow,
            deadline=deadline,
        )
        if found.consistent is False:
            return Judged((), open_=not distinct)
        together = self._parts_with_both(matrix)
        narrowed, open_ = [], False
        for atom in np.flatnonzero(together >= 0).tolist():
            each = found.of_atom[atom]
            open_ = open_ or each.status == "undetermined"
            kind = self._kind(each.low, each.high, each.status, narrow)
            if kind is not None:
                rests_on = self._positions(matrix, together, int(together[atom]))
                narrowed.append(
                    Found(
                        kind=kind,
                        quantity=quantities[int(of_atom[atom])],
                        records=self._records(collapsed, atom),
                        low=each.low,
                        high=each.high,
                        first=max(rests_on),
                        view=self._view,
                        follows_from=rests_on,
                    )
                )
        return Judged(tuple(narrowed), open_=open_)

    def _kind(self, low: Fraction | None, high: Fraction | None, status: str, narrow: Fraction | None) -> str | None:
        if status == "determined":
            return "exact-value"
        close = narrow is not None and low is not None and high is not None and high - low < narrow
        return "interval" if close and status == "free" else None

    def _collapsed(self, quantities: Sequence[Quantity]) -> Collapsed:
        sums: list[Row] = [partial(coefficients, asked, quantities, len(self._profiles)) for _, asked in self._sums]
        others: list[Row] = [partial(self._members, asked, quantities) for _, asked, _ in self._extremes]
        return collapse([*sums, *others], np.tile(self._profiles.sizes, len(quantities)))

    def _members(self, asked: Extreme, quantities: Sequence[Quantity]) -> BoolArray:
        p = len(self._profiles)
        row = np.zeros(p * len(quantities), dtype=np.bool_)
        start = quantities.index(asked.quantity) * p
        row[start : start + p] = asked.members.dense()
        return row

    def _quantity_of_atom(self, collapsed: Collapsed) -> IntArray:
        of_atom = np.zeros(collapsed.equations.atoms, dtype=np.int64)
        columns = np.flatnonzero(collapsed.atom_of >= 0)
        of_atom[collapsed.atom_of[columns]] = columns // len(self._profiles)
        return of_atom

    def _records(self, collapsed: Collapsed, atom: int) -> tuple[int, ...]:
        profiles = np.flatnonzero(collapsed.atom_of == atom) % len(self._profiles)
        return tuple(np.flatnonzero(np.isin(self._profiles.of_record, profiles)).tolist())

    def _right_side(self, asked: Linear) -> Fraction:
        answer = answer_of(asked, self._profiles)
        return (Fraction(0) if answer is None else answer - asked.constant) / asked.scale

    def _parts_with_both(self, matrix: csr_array) -> IntArray:
        """int64[p]: the connected part of each atom, −1 in parts that hold only sums or only extremes."""
        _, part_of = connected(matrix)
        sums = set(part_of[matrix[: len(self._sums)].indices].tolist())
        others = set(part_of[matrix[len(self._sums) :].indices].tolist())
        return np.where(np.isin(part_of, sorted(sums & others)), part_of, -1)

    def _positions(self, matrix: csr_array, part_of: IntArray, part: int) -> tuple[int, ...]:
        rows = np.unique(matrix.tocsc()[:, np.flatnonzero(part_of == part)].indices)
        positions = [i for i, _ in self._sums] + [i for i, _, _ in self._extremes]
        return tuple(sorted(positions[row] for row in rows))
