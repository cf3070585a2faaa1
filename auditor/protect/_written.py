"""Writing a masked table, and auditing what was written, by the path that a stranger would use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.audit import judged
from auditor.dialect import CsvDialect
from auditor.engines import Rewritten, RowSnapshot, RunLimits, kind_of_frame, shaped_like, without_column
from auditor.errors import EXIT_MET, InternalError
from auditor.models import RecordRequirement
from auditor.policy import Policy
from auditor.protect._types import like
from auditor.release import AuditedRelease, as_released
from auditor.result import Result


@dataclass(frozen=True)
class MaskingWriter:
    """Writes a masked table, and audits it.

    Args:
        data: what is masked, as it came in.
        policy: what the release is judged by.
        limits: memory and time.
        columns: the columns of the release.
        unit: the column that is counted by and not released; None where there is none.
        as_of: the day on which waivers are judged.
        workspace: the folder for temporary files; None for one of the machine's.
        csv: how `data` is written, where it is CSV.
    """

    data: Any
    policy: Policy
    limits: RunLimits
    columns: tuple[str, ...]
    unit: str | None
    as_of: date | None
    workspace: Path | None
    csv: CsvDialect | None

    def written(self, snapshot: RowSnapshot, rewritten: Sequence[Rewritten], target: Path) -> Result:
        """Write the release to a file, and audit it.

        Raises:
            DeliveryError: it could not be written.
            InternalError: what was written does not hold what was to be released.
        """

        def write(columns: tuple[str, ...], path: Path) -> None:
            snapshot.write(columns, rewritten, path)

        def audit(path: Path) -> Result:
            return self._audit(path, self._followed(snapshot, rewritten, path))

        return self._release.written(target, write, audit, len(snapshot.coded.codes))

    def table(self, snapshot: RowSnapshot, rewritten: Sequence[Rewritten]) -> Any:
        """The release as a table of the kind that came in, audited as it is handed out; None where a path came in."""
        kind = kind_of_frame(self.data)
        if kind is None:
            return None
        table = like(self.data, snapshot.frame(self._release.with_unit, rewritten, kind))
        if self._audit(table, self._followed(snapshot, rewritten, None)).exit_code != EXIT_MET:
            raise InternalError("the released table does not meet the policy that its file meets")
        released = table if self.unit is None else without_column(table, self.unit)
        return shaped_like(self.data, released)

    @property
    def _release(self) -> AuditedRelease:
        return AuditedRelease(self.columns, self.unit, self.limits, as_released(self.csv))

    def _followed(
        self, snapshot: RowSnapshot, rewritten: Sequence[Rewritten], target: Path | None
    ) -> NDArray[np.intp] | None:
        """Which record of the data each row of the release is, where a requirement asks for it."""
        return snapshot.places(self._release.with_unit, rewritten, target) if follows(self.policy) else None

    def _audit(self, release: Any, followed: NDArray[np.intp] | None) -> Result:
        return judged(
            release,
            self.policy,
            self.limits,
            original=self.data,
            original_csv=self.csv,
            csv=as_released(self.csv),
            as_of=self.as_of,
            workspace=self.workspace,
            dropped=self.unit,
            followed=followed,
            made=True,
        )


def follows(policy: Policy) -> bool:
    """Whether a requirement of the policy looks at the records of a release beside those of its original."""
    return any(isinstance(each, RecordRequirement) for each in policy.requirements)
