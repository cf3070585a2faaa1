"""Writing a release, and auditing what was written, by the path that a stranger would use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from auditor.audit import AuditRun, EarlierRelease, judged
from auditor.dialect import CsvDialect
from auditor.engines import (
    Address,
    Counted,
    Engine,
    ReleaseRequest,
    Storage,
    kind_of_frame,
    shaped_like,
    without_column,
)
from auditor.errors import EXIT_MET, InternalError
from auditor.release import AuditedRelease, as_released
from auditor.remediate._types import like
from auditor.result import Result


@dataclass(frozen=True)
class RemediationWriter:
    """Writes the release of one run, and audits it.

    Args:
        data: what the release is made from, as it came in.
        run: the run.
        as_of: the day on which waivers are judged.
        workspace: the folder for temporary files; None for one of the machine's.
        csv: how `data` is written, where it is CSV.
        engine: what wrote the release, and reads it again; by default DuckDB in this process.
        storage: the file system of a release that goes to an address.
        earlier: the releases before; None where nobody says which there are.
    """

    data: Any
    run: AuditRun
    as_of: date | None
    workspace: Path | None
    csv: CsvDialect | None
    engine: Engine | None
    storage: Storage | None = None
    earlier: Sequence[EarlierRelease] | None = None

    def written(self, counted: Counted, release: ReleaseRequest, target: Path | Address, records: int) -> Result:
        """Write a release of so many records to a file, and audit it.

        Raises:
            DeliveryError: it could not be written.
            InternalError: what was written does not hold what was to be released.
        """

        def write(columns: tuple[str, ...], path: Path | Address) -> None:
            counted.write(replace(release, columns=columns), path)

        def audit(path: Path | Address) -> Result:
            return self._audit(path)

        return self._audited(release).written(target, write, audit, records)

    def table(self, counted: Counted, release: ReleaseRequest) -> Any:
        """The release as a table of the kind that came in, audited as it is handed out; None where a path came in."""
        kind = kind_of_frame(self.data)
        if kind is None:
            return None
        whole = replace(release, columns=self._audited(release).with_unit)
        table = like(self.data, counted.frame(whole, kind), whole)
        if self._audit(table).exit_code != EXIT_MET:
            raise InternalError("the released table does not meet the policy that its file meets")
        released = table if self.run.unit is None else without_column(table, self.run.unit)
        return shaped_like(self.data, released)

    def _audited(self, release: ReleaseRequest) -> AuditedRelease:
        read = as_released(self.csv)
        return AuditedRelease(release.columns, self.run.unit, self.run.limits, read, self.engine, self.storage)

    def _audit(self, release: Any) -> Result:
        return judged(
            release,
            self.run.policy,
            self.run.limits,
            original=self.data if self.run.policy.reference == "original" else None,
            original_csv=self.csv,
            original_engine=self.engine,
            csv=as_released(self.csv),
            engine=self.engine,
            as_of=self.as_of,
            workspace=self.workspace,
            dropped=self.run.unit,
            made=True,
            previous=self.earlier,
        )
