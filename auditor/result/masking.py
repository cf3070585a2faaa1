"""What ``mask`` adds to the document: the methods that were applied, and what the masking cost and left to find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.result._document import Result
from auditor.result._marks import Kind, cell, column, fact, total


@dataclass(frozen=True, kw_only=True)
class AppliedMethod:
    """One entry of the policy's ``protection`` as it was applied: the columns that its globs stand for.

    `parameters` are those of the policy; one that comes from the environment reads "confidential".
    """

    method: str = fact()
    attributes: tuple[str, ...] = column()
    parameters: Mapping[str, Any] = fact()


@dataclass(frozen=True, kw_only=True)
class MaskedColumn:
    """A column that was masked: what it holds in the release, and in how many records another value than before."""

    name: str = column()
    holds: str = fact()
    """``numbers``, or ``categories``; also where numbers became categories."""
    changed: int = total()


@dataclass(frozen=True, kw_only=True)
class ColumnDistribution:
    """A masked column before and after: how many records hold a value of each bin, and how many none.

    A bin holds no record, or records of at least k people (10 where k is less), before and after. Bins of numbers are
    between `edges`, each with its lower one, and open at both ends; of categories, there is one for each of `labels`
    and, with `rest`, one for all others. The public sees counts as multiples of k.
    """

    name: str = column()
    edges: tuple[float, ...] | None = total(None, Kind.AMOUNT)
    """Round numbers, one less than bins; None for categories."""
    labels: tuple[str, ...] | None = cell(None)
    rest: bool = fact(False)
    before: tuple[int, ...] = total()
    after: tuple[int, ...] = total()
    missing_before: int = total()
    missing_after: int = total()


@dataclass(frozen=True, kw_only=True)
class CodesAsNumbers:
    """Masked columns of few whole numbers, whose type the policy does not say: they count as numbers, and may be codes.

    Linkage takes a code for a distance, and an attacker of whom it is measured may know codes in the place of numbers.
    """

    columns: tuple[str, ...] = column()
    lines: tuple[str, ...] = fact()
    """What to paste under `attributes` if they are codes: one for each column that the policy names."""
    others: LinkedBy | None = fact(None)
    """The linkage that finds most by the other masked numbers; None without such, or where it was not measured."""


@dataclass(frozen=True, kw_only=True)
class Masking:
    """What was done: the methods in the order in which they were applied, to how many records.

    `seeded` says whether a seed was given, from which whoever knows it repeats every random choice. The seed itself is
    nowhere in the document.
    """

    methods: tuple[AppliedMethod, ...] = fact()
    columns: tuple[MaskedColumn, ...] = fact()
    records: int = total()
    seeded: bool = fact()
    distributions: tuple[ColumnDistribution, ...] = fact(())
    """Of the columns that have two bins at least; none in documents of older versions."""
    codes: CodesAsNumbers | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class LostInformation:
    """The probabilistic information loss of the masked numbers, each figure from 0 (nothing) to 100."""

    average: float = total(kind=Kind.LOSS)
    """aPIL: the mean of the others."""
    mean: float = total(kind=Kind.LOSS)
    variance: float = total(kind=Kind.LOSS)
    covariance: float | None = total(None, Kind.LOSS)
    correlation: float | None = total(None, Kind.LOSS)
    quantiles: float = total(kind=Kind.LOSS)


@dataclass(frozen=True, kw_only=True)
class LinkedBy:
    """The records, in percent, that an attacker re-identifies by one kind of linkage, averaged over what he knows.

    `rates` has a figure for each thing that he may know: the first of `known`, the first two, …
    """

    linkage: str = fact()
    percent: float | None = total(kind=Kind.PERCENT)
    rates: tuple[float, ...] | None = total(kind=Kind.PERCENT)


@dataclass(frozen=True, kw_only=True)
class MaskingFigures:
    """What an attacker who holds the original finds in the release, and what an analyst no longer finds there.

    All but `same_rows` and `group_k` are over `numbers`, the masked columns that hold numbers before and after; what
    is None could not be measured, and `not_measured` says why.
    """

    numbers: tuple[str, ...] = column()
    information_loss: LostInformation | None = fact(None)
    interval_disclosure: float | None = total(None, Kind.PERCENT)
    """ID: how often, in percent, the original value lies near the masked one."""
    known: tuple[str, ...] = column(())
    """The masked numbers whose original values an attacker may know, half of them, one after the other; none where
    linkage was not measured."""
    linkage: tuple[LinkedBy, ...] = fact(())
    linkage_risk: float | None = total(None, Kind.PERCENT)
    """RD: the highest of `linkage`."""
    disclosure_risk: float | None = total(None, Kind.PERCENT)
    """DR = (ID + RD)/2."""
    score: float | None = total(None, Kind.LOSS)
    """(aPIL + DR)/2: the less, the better the balance."""
    same_rows: int | None = total(None)
    """Rows of the release that equal, in all masked columns, a row of the original, wherever it stands."""
    group_k: int | None = total(None)
    """How many records at least share the values of a record in all masked columns."""
    not_measured: tuple[str, ...] = fact(())
    gamed: tuple[str, ...] = fact(())
    """Why the Score says less than it seems to."""


@dataclass(frozen=True, kw_only=True)
class MaskingResult(Result):
    """The answer of ``mask``: what was applied, the table before (as ``check --source``) and the masked one after.

    Everything else in it speaks of the masked table, whether it was written or not.
    """

    masking: Masking | None = fact(None)
    protection: MaskingFigures | None = fact(None)
    before: Result | None = fact(None)
    after: Result | None = fact(None)
    written: bool = fact(False)
    """Whether the release was put in its place: never where the policy is not met."""
