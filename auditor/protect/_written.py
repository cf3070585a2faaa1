"""Writing a masked table, and auditing what was written, by the path that a stranger would use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.audit import judged
from auditor.engines import Limits, Rewritten, Snapshot, open_data
from auditor.errors import EXIT_MET, InternalError
from auditor.models import RecordRequirement
from auditor.policy import Policy
from auditor.protect import _tables as tables
from auditor.result import Result


@dataclass(frozen=True)
class Writer:
    """Writes a masked table, and audits it.

    Where a column that is not released is counted by, the rows are written and audited with it, and written once more
    without: only that is the release, and it is compared with what was audited.

    Args:
        data: what is masked, as it came in.
        policy: what the release is judged by.
        limits: memory and time.
        columns: the columns of the release.
        unit: the column that is counted by and not released; None where there is none.
        as_of: the day on which waivers are judged.
        workspace: the folder for temporary files; None for one of the machine's.
        dialect: how `data` is written, where it is CSV.
        delimiter: the delimiter of the release, where no header shows it.
    """

    data: Any
    policy: Policy
    limits: Limits
    columns: tuple[str, ...]
    unit: str | None
    as_of: date | None
    workspace: Path | None
    dialect: Mapping[str, Any]
    delimiter: str | None

    def written(self, snapshot: Snapshot, rewritten: Sequence[Rewritten], target: Path) -> Result:
        """Write the release to a file, and audit it.

        Raises:
            DeliveryError: it could not be written.
            InternalError: what was written does not hold what was to be released.
        """
        audited = target
        if self.unit is not None:
            folder = target.parent / "with-units"
            folder.mkdir()
            audited = folder / target.name
        snapshot.write(self._with_unit, rewritten, audited)
        after = self._audit(audited, self._followed(snapshot, rewritten, audited), self.delimiter)
        if after.data is None or after.data.rows != len(snapshot.coded.codes):
            raise InternalError("the masked table that was written does not read back with all its records")
        digest = after.data.sha256
        if audited != target:
            snapshot.write(self.columns, rewritten, target)
            digest = self._digest_of_same(audited, target)
            audited.unlink()
        return replace(after, data=replace(after.data, source=target.name, sha256=digest))

    def table(self, snapshot: Snapshot, rewritten: Sequence[Rewritten]) -> Any:
        """The release as a table of the kind that came in, audited as it is handed out; None where a path came in."""
        kind = tables.kind_of(self.data)
        if kind is None:
            return None
        table = tables.like(self.data, snapshot.frame(self._with_unit, rewritten, kind))
        if self._audit(table, self._followed(snapshot, rewritten, None)).exit_code != EXIT_MET:
            raise InternalError("the released table does not meet the policy that its file meets")
        return table if self.unit is None else tables.without(table, self.unit)

    @property
    def _with_unit(self) -> tuple[str, ...]:
        """The unit's column stands last, so that the order of the rows does not depend on it."""
        return self.columns if self.unit is None else (*self.columns, self.unit)

    def _digest_of_same(self, audited: Path, target: Path) -> str | None:
        """The digest of the target, which holds the records that were audited."""
        dialect: dict[str, Any] = {"limits": self.limits, "delimiter": self.delimiter}
        with open_data(audited, **dialect) as first, open_data(target, **dialect) as second:
            same = first.fingerprint(self.columns) == second.fingerprint(self.columns)
            if not same or [column.name for column in second.columns] != list(self.columns):
                raise InternalError("the release that was written is not the one that was audited with its units")
            return second.facts.sha256

    def _followed(
        self, snapshot: Snapshot, rewritten: Sequence[Rewritten], target: Path | None
    ) -> NDArray[np.intp] | None:
        """Which record of the data each row of the release is, where a requirement asks for it."""
        return snapshot.places(self._with_unit, rewritten, target) if follows(self.policy) else None

    def _audit(self, release: Any, followed: NDArray[np.intp] | None, delimiter: str | None = None) -> Result:
        return judged(
            release,
            self.policy,
            self.limits,
            original=self.data,
            original_dialect=self.dialect,
            dialect={"delimiter": delimiter},
            as_of=self.as_of,
            workspace=self.workspace,
            dropped=self.unit,
            followed=followed,
        )


def follows(policy: Policy) -> bool:
    """Whether a requirement of the policy looks at the records of a release beside those of its original."""
    return any(isinstance(each, RecordRequirement) for each in policy.requirements)
