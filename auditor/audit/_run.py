"""What one audit works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from auditor.audit._release_table import EarlierRelease
from auditor.dialect import CsvDialect
from auditor.engines import RunLimits, Source
from auditor.judge import Granted
from auditor.policy import Binding, Policy
from auditor.policy.demands import OF_EVERY_RELEASE
from auditor.policy.waivers import Covered


@dataclass(frozen=True)
class AuditRun:
    """A policy, the data it is bound to, and how the audit was asked for.

    Args:
        policy: the policy.
        binding: the policy, bound to the data's columns.
        source: the data.
        reference: the table that q is taken from; None for the data itself.
        day: the day on which waivers are judged.
        before_release: whether the data is judged before release, when identifiers are allowed in it.
        expose: whether the worst classes are to be named by their keys.
        limits: memory and time.
        dropped: a column that is there to be counted by and will not be released.
        release: the name of the release in the manifest, where there is one.
        original: the table that the release was made from, where a requirement compares them record by record, or
            follows people by it.
        earlier: the releases before this one, from the first; None where nobody says which there are.
        csv: how the CSV files of releases are written, and `original_csv` those of their originals.
        made: whether the data was made from a table that was judged: values may have been suppressed in it.
        not_released: files beside the data that are not part of the release, besides those that the policy names.
        followed: int[n], the row of the original that each row of the data is, where whoever made the release knows.
        population: the table of the population, where a requirement reads it.
    """

    policy: Policy
    binding: Binding
    source: Source
    reference: Source | None
    day: date
    before_release: bool
    expose: bool
    limits: RunLimits
    dropped: str | None = None
    release: str | None = None
    original: Source | None = None
    earlier: tuple[EarlierRelease, ...] | None = None
    csv: CsvDialect = field(default_factory=CsvDialect)
    original_csv: CsvDialect = field(default_factory=CsvDialect)
    followed: NDArray[np.intp] | None = None
    made: bool = False
    not_released: tuple[str, ...] = ()
    population: Source | None = None

    @property
    def granted(self) -> Granted:
        """The waivers that hold for this data on this day."""
        covered = Covered(self.source.facts.name, lambda: self.source.facts.sha256, self.release)
        return Granted(self.policy, self.day, (covered,))

    @property
    def excusable(self) -> dict[str, set[str]]:
        """What a waiver may name, each with the id of the result that it excuses."""
        return {name: {name} for name in (*(str(each.id) for each in self.policy.requirements), *OF_EVERY_RELEASE)}

    @property
    def unit(self) -> str | None:
        """The column whose distinct values are counted; None where rows are."""
        wanted = self.policy.unit
        return wanted.column if wanted and wanted.column in self.columns else None

    @property
    def unit_is_absent(self) -> bool:
        """Whether the policy counts by a column that the data lacks, and does not say that each row is a unit."""
        wanted = self.policy.unit
        return wanted is not None and wanted.rows != "one-per-unit" and wanted.column not in self.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the data's columns."""
        return tuple(column.name for column in self.source.columns)
