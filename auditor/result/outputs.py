"""What ``outputs`` adds to the document: each mining output, what in it violates the policy, and what it exposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.result._document import Result
from auditor.result._marks import Kind, cell, fact, path, total


@dataclass(frozen=True, kw_only=True)
class OutputViolation:
    """One item that may not be published: why, the number needed and reached, and (internally) whom it exposes.

    `requirement` is the id of the requirement that it breaks. `sentence` holds no value and no count of the data. Where
    a stated number disagrees with the data (``mismatch``), `written` is what the output says and `counted` what the
    data gives; `reached` is how far they are apart, where 0 is needed.
    """

    item: str | None = cell()
    reason: str = fact()
    requirement: str = fact()
    sentence: str = fact()
    reached: float | None = total(None, Kind.DERIVED)
    needed: float | None = fact(None)
    support: int | None = total(None)
    confidence: float | None = total(None, Kind.DERIVED)
    records_count: int | None = total(None)
    records: tuple[int | str, ...] | None = cell(None)
    measures: Mapping[str, float] | None = total(None, Kind.DERIVED)
    written: float | None = cell(None)
    counted: float | None = cell(None)


@dataclass(frozen=True, kw_only=True)
class PictureItem:
    """One thing that the report draws: a rule, an itemset, a node, a cell or a cluster.

    `label` names it (internally), `status` is safe, unsafe, suppressed or recoverable; `at` is where it stands: the
    parent's place for a node, row and column for a cell, the number of items for an itemset. `count` and `share` are
    its numbers: support and confidence of a rule, size and purity of a leaf or a cluster.
    """

    label: str | None = cell(None)
    status: str = fact("safe")
    at: tuple[int, ...] = fact(())
    count: int | None = total(None)
    share: float | None = total(None, Kind.DERIVED)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What the report draws of an output: ``rules``, ``lattice``, ``tree``, ``table`` or ``clusters``.

    `rows` and `columns` label a table's cells (internally). `least` and `most` bound the region that is allowed: the
    least count and the largest share. Of more than `items` the worst are drawn, and `left_out` says how many are not.
    """

    kind: str = fact()
    items: tuple[PictureItem, ...] = fact(())
    rows: tuple[str, ...] | None = cell(None)
    columns: tuple[str, ...] | None = cell(None)
    least: int | None = fact(None)
    most: float | None = fact(None)
    left_out: int = fact(0)


@dataclass(frozen=True, kw_only=True)
class OutputResult:
    """One mining output. `items` is how many rules, itemsets, leaves, cells or clusters it has.

    `found` says that nobody wrote its file's name, because a pattern matches it: below the internal audience a place
    stands for it.

    `counted` says where the counts are from: ``data`` (recomputed) or ``file`` (its own). `picture` is what the report
    draws of it.
    """

    file: str = path()
    type: str = fact()
    items: int = fact()
    format: str = fact()
    sha256: str | None = fact(None)
    counted: str = fact("file")
    records: int | None = total(None)
    violations: tuple[OutputViolation, ...] = fact(())
    violations_count: int = total(0, Kind.DERIVED)
    not_evaluated: tuple[str, ...] = fact(())
    notes: tuple[str, ...] = fact(())
    picture: Picture | None = fact(None)
    found: bool = fact(False)


@dataclass(frozen=True, kw_only=True)
class OutputsResult(Result):
    """The answer of ``outputs``. The policy's limits stand in `requirements` too, so every format can tell them."""

    outputs: tuple[OutputResult, ...] = fact(())
    ledger: str | None = fact(None)
    """The ledger that was looked at, by its name."""
    released_before: int = fact(0)
    """How many outputs it remembers."""
