"""How many queries were answered up to a query, to whoever puts answers together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from auditor.policy.queries import Coalition
from auditor.queries.attack.views import User
from auditor.queries.measures import AskedQueries, is_answered


def numbers(log: AskedQueries) -> Mapping[int, int]:
    """The queries of the user so far, and those of the allies who asked most."""
    scope = log.policy.scope
    allies = scope.coalition - 1 if isinstance(scope, Coalition) else 0 if scope == "per-user" else len(log.queries)
    counts: Counter[User] = Counter()
    found = {}
    for place, query in enumerate(log.queries):
        if is_answered(query):
            user = query.statement.user
            counts[user] += 1
            if place >= log.new:
                others = sorted((n for other, n in counts.items() if other != user), reverse=True)
                found[place] = counts[user] + sum(others[:allies])
    return found
