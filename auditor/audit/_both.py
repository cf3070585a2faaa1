"""What datasets are under two policies: the evidence beside a comparison of the policies themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.audit._check import check
from auditor.engines import Spill
from auditor.errors import Unsupported
from auditor.files import shown_name
from auditor.policy import Policy, load_policy
from auditor.policy.revision import policy_at
from auditor.result import Verdict

if TYPE_CHECKING:
    from auditor.result.comparison import JudgedByBoth, PolicyComparison


def _judged_by_both(
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


def diff(
    old: str | Path | Mapping[str, Any] | Policy,
    new: str | Path | Mapping[str, Any] | Policy,
    *,
    data: Sequence[str | Path] = (),
    memory: str | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
) -> PolicyComparison:
    """Compare two policies field by field: is the new one at least as strict as the old one?

    Args:
        old: what `auditor.check` takes, or ``REV:PATH``, a file of a git revision.
        new: likewise.
        data: datasets to judge by both, as evidence; it changes nothing in the comparison.
        memory: the most memory for that, as ``2GB``.
        spill: the folder for its temporary data.
        time_limit: seconds for each audit.

    Returns:
        The comparison; `at_least_as_strict` is the answer.

    Raises:
        PolicyError, UsageError: a policy is wrong, or is not there.
        NotEvaluated: a dataset is missing, empty or unreadable.
    """
    from auditor.policy.compare import compare

    with _policy(old) as before, _policy(new) as after:
        places = [
            str(given) if isinstance(given, str | Path) else read.name for given, read in ((old, before), (new, after))
        ]
        found = compare(before, after, *places)
        if not data:
            return found
        names = [str(name) for name in data]
        judged = _judged_by_both(names, before, after, memory=memory, spill=spill, time_limit=time_limit)
        return replace(found, data=judged)


def _policy(given: str | Path | Mapping[str, Any] | Policy) -> AbstractContextManager[Policy]:
    return policy_at(str(given)) if isinstance(given, str | Path) else nullcontext(load_policy(given))


def _shown(name: str) -> str:
    """The name as given where it is relative, else its last part, without credentials."""
    url = "://" in name and not Path(name).is_absolute()
    return name.split("?", 1)[0] if url else shown_name(name)
