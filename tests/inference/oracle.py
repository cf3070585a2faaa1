"""Linear algebra over the rationals by schoolbook elimination of fractions: slow, short, independent of the house."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Vector = Sequence[int]


def rank(rows: Sequence[Sequence[int | Fraction]]) -> int:
    """The rank, by elimination."""
    left = [[Fraction(entry) for entry in row] for row in rows]
    found = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left[found:] if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left.insert(found, pivot)
        for at in range(found + 1, len(left)):
            factor = left[at][column] / pivot[column]
            left[at] = [entry - factor * other for entry, other in zip(left[at], pivot, strict=True)]
        found += 1
    return found


def spans(rows: Sequence[Vector], vector: Vector) -> bool:
    """Whether the vector is a combination of the rows."""
    return (bool(rows) and rank([*rows, vector]) == rank(rows)) or not any(vector)


def earliest_basis(rows: Sequence[Vector]) -> list[int]:
    """The rows that do not depend on those before them, prefix by prefix."""
    return [at for at in range(len(rows)) if rank(rows[: at + 1]) > rank(rows[:at])]


def unit(length: int, at: int) -> list[int]:
    """The vector of zeros with a one."""
    return [int(place == at) for place in range(length)]


def exposed(rows: Sequence[Vector], columns: int) -> list[int]:
    """The columns whose unit vector the rows span."""
    return [at for at in range(columns) if spans(rows, unit(columns, at))]


def first_spanned(rows: Sequence[Vector], vector: Vector) -> int:
    """The last row of the shortest prefix that spans the vector."""
    return next(at for at in range(len(rows)) if spans(rows[: at + 1], vector))


def supports_inside(rows: Sequence[Vector], columns: int, group: Sequence[int]) -> bool:
    """Whether a non-zero combination of the rows vanishes outside the group: without it the rank is less."""
    others = [at for at in range(columns) if at not in set(group)]
    return rank(rows) > rank([[row[at] for at in others] for row in rows]) if rows else False


def minimal_groups(rows: Sequence[Vector], sizes: Sequence[int], below: int) -> set[tuple[int, ...]]:
    """All minimal sets of columns, of total size below a bound, in which a non-zero combination lies."""
    found: list[tuple[int, ...]] = []
    for count in range(1, len(sizes) + 1):
        for group in combinations(range(len(sizes)), count):
            if sum(sizes[at] for at in group) >= below or any(set(other) <= set(group) for other in found):
                continue
            if supports_inside(rows, len(sizes), group):
                found.append(group)
    return set(found)
