"""Writing a release, and auditing what was written, by the path that a stranger would use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from auditor.audit import Run, judged
from auditor.engines import Counted, Release, open_data
from auditor.errors import EXIT_MET, InternalError
from auditor.remediate import _frames as frames
from auditor.result import Result


@dataclass(frozen=True)
class Writer:
    """Writes the release of one run, and audits it.

    Where units are counted, the rows are written and audited with their units, and written once more without: only that
    is the release, and it is compared with what was audited.

    Args:
        data: what the release is made from, as it came in.
        run: the run.
        as_of: the day on which waivers are judged.
        workspace: the folder for temporary files; None for one of the machine's.
        dialect: how `data` is written, where it is CSV.
        delimiter: the delimiter of the release, where no header shows it.
    """

    data: Any
    run: Run
    as_of: date | None
    workspace: Path | None
    dialect: Mapping[str, Any]
    delimiter: str | None

    def written(self, counted: Counted, release: Release, target: Path, records: int) -> Result:
        """Write a release of so many records to a file, and audit it.

        Raises:
            DeliveryError: it could not be written.
            InternalError: what was written does not hold what was to be released.
        """
        audited = target
        if self.run.unit is not None:
            folder = target.parent / "with-units"
            folder.mkdir()
            audited = folder / target.name
        counted.write(self._with_unit(release), audited)
        after = self._audit(audited, self.delimiter)
        if after.data is None or after.data.rows != records:
            raise InternalError("the release that was written does not read back with all its records")
        digest = after.data.sha256
        if audited != target:
            counted.write(release, target)
            digest = self._digest_of_same(audited, target, release)
            audited.unlink()
        return replace(after, data=replace(after.data, source=target.name, sha256=digest))

    def table(self, counted: Counted, release: Release) -> Any:
        """The release as a table of the kind that came in, audited as it is handed out; None where a path came in."""
        kind = frames.kind_of(self.data)
        if kind is None:
            return None
        whole = self._with_unit(release)
        table = frames.like(self.data, counted.frame(whole, kind), whole)
        if self._audit(table).exit_code != EXIT_MET:
            raise InternalError("the released table does not meet the policy that its file meets")
        return table if self.run.unit is None else frames.without(table, self.run.unit)

    def _with_unit(self, release: Release) -> Release:
        """The release with the unit's column last, so that the order of the rows does not depend on it."""
        unit = self.run.unit
        return release if unit is None else replace(release, columns=(*release.columns, unit))

    def _digest_of_same(self, audited: Path, target: Path, release: Release) -> str | None:
        """The digest of the target, which holds the records that were audited."""
        dialect: dict[str, Any] = {"limits": self.run.limits, "delimiter": self.delimiter}
        with open_data(audited, **dialect) as first, open_data(target, **dialect) as second:
            same = first.fingerprint(release.columns) == second.fingerprint(release.columns)
            if not same or [column.name for column in second.columns] != list(release.columns):
                raise InternalError("the release that was written is not the one that was audited with its units")
            return second.facts.sha256

    def _audit(self, release: Any, delimiter: str | None = None) -> Result:
        return judged(
            release,
            self.run.policy,
            self.run.limits,
            original=self.data if self.run.policy.reference == "original" else None,
            original_dialect=self.dialect,
            dialect={"delimiter": delimiter},
            as_of=self.as_of,
            workspace=self.workspace,
            dropped=self.run.unit,
        )
