"""What datasets are under two policies: the evidence beside a comparison of the policies themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.audit._check import check
from auditor.engines import Spill
from auditor.errors import Unsupported
from auditor.files import shown_name
from auditor.policy import Policy
from auditor.result import Verdict

if TYPE_CHECKING:
    from auditor.result.comparison import JudgedByBoth


def judged_by_both(
    data: Sequence[str],
    old: Policy,
    new: Policy,
    *,
    memory: str | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
) -> tuple[JudgedByBoth, ...]:
    """Judge each dataset by both policies; those that flip stand first. Neither spills what the other forbids to.

    Raises:
        NotEvaluated: a dataset is missing, empty or unreadable.
    """
    from auditor.result.comparison import JudgedByBoth

    where = Spill.of(spill, old.spill).under(new.spill)

    def verdict(name: str, policy: Policy) -> Verdict | None:
        if not policy.requirements:
            return None
        try:
            return check(name, policy, memory=memory, spill=where, time_limit=time_limit).verdict
        except Unsupported:
            return Verdict.NOT_EVALUATED

    found = [JudgedByBoth(data=_shown(name), old=verdict(name, old), new=verdict(name, new)) for name in data]
    return tuple(sorted(found, key=lambda each: not each.flips))


def _shown(name: str) -> str:
    """The name as given where it is relative, else its last part, without credentials."""
    url = "://" in name and not Path(name).is_absolute()
    return name.split("?", 1)[0] if url else shown_name(name)
