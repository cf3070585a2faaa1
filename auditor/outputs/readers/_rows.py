"""Whether a table of whole numbers holds records: a frame of numbers looks like a crosstab of counts.

A crosstab has values of one column at its top and of another at its left, in their order. Records have the names of
columns at their top, and the numbers of persons or of rows at their left, or the other way round.
"""

from __future__ import annotations

from itertools import pairwise

from auditor.looks import AGE, KEYS, NAMES, POSTCODES, words
from auditor.outputs.readers._frame import Frame, is_withheld
from auditor.outputs.readers._numbers import stated, whole

_MEASURED = AGE | POSTCODES | (KEYS - {"key", "no", "nr", "number", "record"})
_MEASURED |= {"bmi", "birthdate", "birthyear", "cost", "costs", "dob", "earnings", "height", "income", "salary"}
_MEASURED |= {"score", "visits", "wage", "weight", "year"}
"""Names of columns of numbers, and of those that tell persons apart, which no value is called."""
_PERSONS = frozenset({"client", "customer", "employee", "member", "participant", "patient", "person", "pupil"})
_PERSONS |= {"respondent", "student", "subject", "user"}


def may_be_records(found: Frame) -> bool:
    """Whether a table may hold records, by its names, or because its keys are numbers in no order."""
    labels = [part for label in found.labels for part in label]
    keys = [row[0] for row in (key for _, key, _ in found.rows)]
    if any(found.levels):
        return False  # the columns have the name of one, whose values they are by
    if any(map(_is_measured, (*labels, *keys))) or _tells_persons(found.names[0]):
        return True
    corner = whole(stated(found.names[0])) is not None  # the first record stands where names do
    transposed = not found.names[0] and labels == [str(at) for at in range(len(labels))]
    return corner or transposed or (len(found.names) == 1 and _are_in_no_order(found, keys))


def _is_measured(name: str) -> bool:
    parts = words(name)
    return name.strip().lower() in _MEASURED or bool(parts & _PERSONS and parts & KEYS)


def _tells_persons(name: str) -> bool:
    """Whether a name is that of what tells persons apart: ``id``, ``patient_id``, ``email``; not ``hospital_id``."""
    parts = words(name)
    return name.strip().lower() in KEYS - {"no"} or bool(parts & NAMES) or bool(parts & _PERSONS and parts & KEYS)


def _are_in_no_order(found: Frame, keys: list[str]) -> bool:
    """Whether keys are numbers in no order, and no column of the table is in one, either."""
    numbers = [whole(stated(key)) for key in keys]
    if len(keys) < 4 or None in numbers:
        return False
    columns = [[field for _, field in found.column(place)] for place in range(len(found.labels))]
    return not any(_is_ordered(column) for column in (keys, *columns))


def _is_ordered(fields: list[str]) -> bool:
    numbers = [number for field in fields if not is_withheld(field) and (number := whole(stated(field))) is not None]
    return any(all(a <= b for a, b in pairwise(each)) for each in (numbers, numbers[::-1]))
