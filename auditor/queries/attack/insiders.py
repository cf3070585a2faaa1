"""The records that insiders of the policy know."""

from __future__ import annotations

from auditor.errors import DataError
from auditor.policy.queries import Queries
from auditor.queries.attack.views import Knowledge
from auditor.queries.records.records import RecordProfiles


def insiders_of(policy: Queries, profiles: RecordProfiles) -> Knowledge:
    """For each insider the rows of the records whose values he knows.

    Raises:
        DataError: the policy names a record that the data lacks.
    """
    wanted = {key for keys in policy.assume.insiders.values() for key in keys}
    if not wanted:
        return {}
    rows = {key: row for row, key in enumerate(profiles.keys) if key in wanted}
    if len(rows) < len(wanted):
        named = "their 0-based row" if policy.key is None else f"column {policy.key!r}"
        raise DataError(
            f"the data lacks a record that assume.insiders of the policy names; records are named by {named}"
        )
    return {user: frozenset(rows[key] for key in keys) for user, keys in policy.assume.insiders.items()}
