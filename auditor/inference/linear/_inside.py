"""The vectors of the row space that are supported on given atoms, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from auditor.inference.linear._dependence import supported_inside
from auditor.inference.linear._lifting import common_denominator
from auditor.inference.linear.modular import FloatArray
from auditor.inference.linear.row_space import Certificate, RowSpace


@dataclass(frozen=True)
class KnownTotal:
    """A combination of atoms' totals that is known.

    `coefficients` is atom → integer other than 0, without common factor; the first is positive.
    """

    coefficients: dict[int, int]
    certificate: Certificate


def known_inside(space: RowSpace, null_rows: FloatArray, prime: int, atoms: Sequence[int]) -> list[KnownTotal]:
    """A basis of the vectors of the row space that are supported on the atoms, each proved.

    `null_rows` are the atoms' rows in more random null vectors than there are atoms.
    """
    residues = supported_inside(null_rows, prime)
    found: list[KnownTotal] = []
    for at, vector in enumerate(residues):
        leading = int(np.flatnonzero(vector == -1)[-1])  # the others are 0 there, and all after it are 0
        known = _small(space, atoms, [-int(value) for value in vector], prime)
        if known is None:
            others = [atoms[int(np.flatnonzero(other)[-1])] for place, other in enumerate(residues) if place != at]
            known = _apart(space, atoms, atoms[leading], others)
        if known is not None:
            found.append(known)
    return found


def earliest(known: Sequence[KnownTotal]) -> KnownTotal:
    """Of all combinations of linearly independent known vectors, one that was known first.

    Certificates are over one basis, so elimination from the last row on leaves certificates with different last rows;
    no combination of them ends before all of its terms do.
    """
    left, reduced = list(known), list[KnownTotal]()
    while left:
        last = max(left, key=lambda each: max(each.certificate))
        left.remove(last)
        reduced.append(last)
        row = max(last.certificate)
        left = [_combined(each, last, row) for each in left]
    return reduced[-1]


def _combined(one: KnownTotal, other: KnownTotal, row: int) -> KnownTotal:
    """One without the row, by subtracting a multiple of the other."""
    factor = one.certificate.get(row, Fraction(0)) / other.certificate[row]
    vector = {
        atom: Fraction(one.coefficients.get(atom, 0)) - factor * other.coefficients.get(atom, 0)
        for atom in one.coefficients | other.coefficients
    }
    certificate = {
        at: one.certificate.get(at, Fraction(0)) - factor * other.certificate.get(at, Fraction(0))
        for at in one.certificate | other.certificate
    }
    return _primitive(vector, certificate)


def _small(space: RowSpace, atoms: Sequence[int], residues: list[int], prime: int) -> KnownTotal | None:
    """A vector whose coefficients are small enough to be seen modulo the prime."""
    small = common_denominator(residues, prime)
    vector = {atom: value for atom, value in zip(atoms, small[0], strict=True) if value} if small else {}
    certificate = space.certificate(vector) if vector else None
    return None if certificate is None else _primitive({at: Fraction(v) for at, v in vector.items()}, certificate)


def _apart(space: RowSpace, atoms: Sequence[int], leading: int, others: Sequence[int]) -> KnownTotal | None:
    """A vector of any size: the unit vector of its leading atom, once all but the leading atoms are left out."""
    hidden = [atom for atom in atoms if atom != leading and atom not in others]
    known = np.zeros(space.equations.atoms, dtype=np.int64)
    known[hidden] = space.equations.sizes[hidden]
    certificate = RowSpace(space.equations.without(known)).certificate(leading)
    if certificate is None:
        return None
    columns = space.equations.rows[:, list(atoms)].toarray()
    values = [
        sum((y * int(columns[row, at]) for row, y in certificate.items()), Fraction(0)) for at in range(len(atoms))
    ]
    return _primitive(dict(zip(atoms, values, strict=True)), certificate)


def _primitive(vector: dict[int, Fraction], certificate: Certificate) -> KnownTotal:
    """Without fractions, without common factor, the first coefficient positive, zeros left out."""
    values = {atom: value for atom, value in sorted(vector.items()) if value}
    scale = Fraction(lcm(*(value.denominator for value in values.values())))
    scale /= gcd(*(int(value * scale) for value in values.values()))
    if next(iter(values.values())) < 0:
        scale = -scale
    return KnownTotal(
        {atom: int(value * scale) for atom, value in values.items()},
        {row: y * scale for row, y in sorted(certificate.items()) if y},
    )
