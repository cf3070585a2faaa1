"""Codes instead of values: what both ways of coding a table's columns offer, and what they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence

from auditor.classes import IntArray, KeyArray, KeyLayout
from auditor.engines.duckdb import sql
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.order import Ordered


class Codes(ABC):
    """The combinations of some columns, as codes that ascend with the values, the missing value first.

    Columns go by their names in the table of combinations: c0, c1 and on.
    """

    cardinality: dict[str, int]
    """How many distinct values each column has, the missing value included."""
    missing: dict[str, bool]
    """Whether each column has missing values; their code is 0."""

    def __init__(self, connection: Connection, what: str, combinations: str, columns: Sequence[Ordered]) -> None:
        """Code `columns` of the table `combinations`."""
        self._connection = connection
        self._what = what
        self._combinations = combinations
        self._columns = {ordered.column: ordered for ordered in columns}

    @abstractmethod
    def keys(
        self, layout: KeyLayout, grouping: int, batches: Callable[[int], int], nodes: Mapping[str, IntArray]
    ) -> Iterator[tuple[KeyArray, IntArray | None]]:
        """Packed keys in batches of whole classes, and how many records each stands for (None: one).

        The first `grouping` columns of the layout make the classes; `batches` says how many batches so many keys ask
        for. Those in `nodes` are packed as the node of each
        code, int64[m]; then only what is distinct so is fetched.
        """

    @abstractmethod
    def class_sizes(self, columns: Sequence[str]) -> dict[int, int]:
        """How many classes of some columns have each size, in records."""

    @abstractmethod
    def cells(self, columns: Sequence[str], nodes: Mapping[str, IntArray]) -> int:
        """How many distinct combinations some columns have, `nodes` as in `keys`."""

    @abstractmethod
    def frequencies(self, column: str, unit: str | None) -> IntArray:
        """int64[m]: for each code how many records (or distinct units) have it."""

    @abstractmethod
    def labels(self, column: str) -> tuple[str | None, ...]:
        """The value behind each code, as text; of equal numbers the text that comes first."""

    @abstractmethod
    def dictionary(self, column: str) -> str:
        """The name of a table with the columns v, code and n: each value, its code and how many records have it."""

    def _make_dictionary(self, column: str) -> str:
        name = f"d_{column}"
        ordered = self._columns[column]
        self._connection.run(self._what, sql.dictionary(name, self._combinations, column, ordered.order))
        return name
