"""What the codes of a column ascend by: its texts, or the numbers that they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from auditor.dialect import OTHER_MARKS
from auditor.engines._protocol import ColumnUse
from auditor.engines.duckdb import sql
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError


@dataclass(frozen=True, slots=True)
class Ordered:
    """A column of the combinations, its type, and what its codes ascend by.

    `order` is an expression over a value ``v``; values of the same order get the same code.
    """

    column: str
    type: str
    number: bool
    order: str


def by_type(column: str, use: ColumnUse, type_name: str) -> Ordered:
    """The order that a column's type alone tells: numbers by their values, all else by its texts."""
    number = sql.is_number(type_name)
    order = "v" if number else sql.text("v", type_name)
    return Ordered(column, type_name, number and use.kind != "text", order)


def may_hold_numbers(use: ColumnUse, type_name: str) -> bool:
    """Whether a column's texts have to be looked at before its order is known."""
    return use.kind != "text" and not sql.is_number(type_name)


class Orders:
    """Finds out what the codes of columns ascend by."""

    def __init__(self, connection: Connection, what: str, combinations: str) -> None:
        """Look into the table `combinations`."""
        self._connection = connection
        self._what = what
        self._combinations = combinations
        self._number_types: dict[str, str | None] = {}

    def of(self, column: str, use: ColumnUse, type_name: str) -> Ordered:
        """The order of one column.

        Raises:
            DataError: the values are declared to be numbers, and are none, or none that can be compared.
        """
        ordered = by_type(column, use, type_name)
        if not may_hold_numbers(use, type_name) or not self._is_number(column, use):
            return ordered
        return replace(ordered, number=True, order=f"CAST({ordered.order} AS {self._number_type(column) or 'DOUBLE'})")

    def _is_number(self, column: str, use: ColumnUse) -> bool:
        """Whether the texts of a column are to be read as numbers."""
        wrong, distinct, numbers = self._rows(
            "SELECT count(*) FILTER (x IS NULL OR NOT isfinite(x)), count(*), count(DISTINCT x) FROM "
            f"(SELECT {sql.double_of('v')} AS x FROM {self._texts(column)})",
        )
        if use.kind == "auto":
            return bool(not wrong and distinct and self._all_differ(column, distinct, numbers))
        if wrong and self._not_numbers(column):
            raise DataError(
                f"{self._what}: column {use.name!r} is declared type: number and holds values that are not numbers, "
                "or are too large; declare the texts that mean missing under missing_values, or type: text; "
                f"{OTHER_MARKS}"
            )
        if self._number_type(column) is None:
            raise DataError(
                f"{self._what}: column {use.name!r} is declared type: number and holds integers of more than "
                f"{sql.DECIMAL_DIGITS} digits, which cannot be compared; declare type: text"
            )
        return True

    def _number_type(self, column: str) -> str | None:
        """What texts that are numbers are compared as; None for integers that no type holds."""
        if column not in self._number_types:
            self._number_types[column] = self._find_number_type(column)
        return self._number_types[column]

    def _find_number_type(self, column: str) -> str | None:
        if self._rows(sql.longest_text(self._combinations, column))[0] <= sql.DOUBLE_DIGITS:
            return "DOUBLE"
        plain, whole, fraction = self._rows(sql.digits(self._combinations, column))
        if plain and whole + fraction <= sql.DECIMAL_DIGITS:
            return f"DECIMAL({sql.DECIMAL_DIGITS}, {fraction})"
        return None if plain and not fraction else "DOUBLE"

    def _all_differ(self, column: str, distinct: int, doubles: int) -> bool:
        """Whether no two texts are the same number; what doubles take for one number need not be."""
        kind = self._number_type(column)
        if distinct == doubles or kind in (None, "DOUBLE"):
            return distinct == doubles and kind is not None
        statement = f"SELECT count(DISTINCT CAST(v AS {kind})) FROM {self._texts(column)}"
        return bool(distinct == self._rows(statement)[0])

    def _not_numbers(self, column: str) -> bool:
        """Whether a value is no number, or none that a double holds; infinities are numbers, and order themselves."""
        (bad,) = self._rows(
            "SELECT count(*) FILTER (x IS NULL OR isnan(x) OR (isinf(x) AND regexp_matches(v, '[0-9]'))) FROM "
            f"(SELECT v, {sql.double_of('v')} AS x FROM {self._texts(column)})",
        )
        return bool(bad)

    def _texts(self, column: str) -> str:
        """What is not missing, as a CSV file would have it: true is no number, whatever it casts to."""
        texts = f"SELECT DISTINCT CAST({column} AS VARCHAR) AS v FROM {self._combinations}"
        return f"({texts} WHERE {column} IS NOT NULL)"

    def _rows(self, statement: str) -> tuple[int, ...]:
        return self._connection.rows(self._what, statement)[0]
