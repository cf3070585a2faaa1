"""Writing a release, and auditing what was written, by the path that a stranger would use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from auditor.audit import AuditRun, judged
from auditor.engines import Address, Counted, Release, Storage, kind_of_frame, shaped_like, without_column
from auditor.errors import EXIT_MET, InternalError
from auditor.release import AuditedRelease
from auditor.remediate._types import like
from auditor.result import Result


@dataclass(frozen=True)
class Writer:
    """Writes the release of one run, and audits it.

    Args:
        data: what the release is made from, as it came in.
        run: the run.
        as_of: the day on which waivers are judged.
        workspace: the folder for temporary files; None for one of the machine's.
        dialect: how `data` is written, where it is CSV.
        delimiter: the delimiter of the release, where no header shows it.
        storage: the file system of a release that goes to an address.
    """

    data: Any
    run: AuditRun
    as_of: date | None
    workspace: Path | None
    dialect: Mapping[str, Any]
    delimiter: str | None
    storage: Storage | None = None

    def written(self, counted: Counted, release: Release, target: Path | Address, records: int) -> Result:
        """Write a release of so many records to a file, and audit it.

        Raises:
            DeliveryError: it could not be written.
            InternalError: what was written does not hold what was to be released.
        """

        def write(columns: tuple[str, ...], path: Path | Address) -> None:
            counted.write(replace(release, columns=columns), path)

        def audit(path: Path | Address) -> Result:
            return self._audit(path, self.delimiter)

        return self._audited(release).written(target, write, audit, records)

    def table(self, counted: Counted, release: Release) -> Any:
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

    def _audited(self, release: Release) -> AuditedRelease:
        engine = self.dialect.get("engine")
        return AuditedRelease(release.columns, self.run.unit, self.run.limits, self.delimiter, engine, self.storage)

    def _audit(self, release: Any, delimiter: str | None = None) -> Result:
        return judged(
            release,
            self.run.policy,
            self.run.limits,
            original=self.data if self.run.policy.reference == "original" else None,
            original_dialect=self.dialect,
            dialect={"delimiter": delimiter, "engine": self.dialect.get("engine")},
            as_of=self.as_of,
            workspace=self.workspace,
            dropped=self.run.unit,
            made=True,
        )
