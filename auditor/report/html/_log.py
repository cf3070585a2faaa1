"""The annexes of a query audit: what the log asked, what follows from the answers, and what was not looked at."""

from __future__ import annotations

from auditor.report import queries, words
from auditor.report.html import _timeline
from auditor.result import Audience, is_hidden
from auditor.result.queries import LogFacts, QueriesResult

MOST_PROOFS = 40
MOST_USERS = 40
MOST_CONSTRUCTS = 30
MOST_QUERIES = 200


def annexes(shown: QueriesResult, audience: Audience) -> list[tuple[str, str, object]]:
    """Each annex: its template's name, its title and its model."""
    return [
        ("proofs", "Who is exposed, and by what combination", _proofs(shown, audience)),
        ("timeline", "The log, query by query", _timeline.timeline(shown)),
        ("unsupported", "What could not be audited", _unsupported(shown)),
        ("coverage", "What each user touched", _coverage(shown)),
        ("structural", "Query sets", _structural(shown)),
        ("asked", "Every query", _asked(shown, audience)),
        ("log", "The log", _facts(shown.log)),
    ]


def _proofs(shown: QueriesResult, audience: Audience) -> dict[str, object] | None:
    if not shown.disclosures:
        return None
    internal = audience is Audience.INTERNAL
    told = shown.disclosures_count
    left = told - MOST_PROOFS if isinstance(told, int) else 0
    more = f"and {words.number(left)} more, in the JSON document." if left > 0 else ""
    if is_hidden(told) or (isinstance(told, int) and told > len(shown.disclosures)):
        more = "This audience sees the first of each kind."
    return {"proofs": queries.proofs(shown, MOST_PROOFS), "internal": internal, "more": more}


def _unsupported(shown: QueriesResult) -> list[str]:
    lines = queries.unsupported(shown)
    more = _more(len(lines) - MOST_CONSTRUCTS)
    return [*lines[:MOST_CONSTRUCTS], *([more] if more else [])]


def _coverage(shown: QueriesResult) -> dict[str, object] | None:
    rows = queries.coverage(shown)
    return {"rows": rows[:MOST_USERS], "more": _more(len(rows) - MOST_USERS)} if rows else None


def _structural(shown: QueriesResult) -> dict[str, object] | None:
    facts = queries.structural(shown)
    return {"facts": facts, "violated": queries.violated(shown.queries)} if facts else None


def _asked(shown: QueriesResult, audience: Audience) -> dict[str, object] | None:
    listed = shown.queries
    if not listed:
        return None
    internal = audience is Audience.INTERNAL
    return {"queries": listed[:MOST_QUERIES], "internal": internal, "more": _more(len(listed) - MOST_QUERIES)}


def _more(left: int) -> str:
    return f"and {words.number(left)} more, in the JSON document." if left > 0 else ""


def _facts(log: LogFacts) -> list[tuple[str, str]]:
    facts = [
        ("Source", log.source),
        ("SHA-256", log.sha256),
        ("Format", log.format),
        ("Statements", words.number(log.statements)),
        ("Ended in an error", words.number(log.failed)),
        ("Passed over", f"{words.number(log.ignored)} that cannot answer with data"),
        ("Users", words.listed(log.users, 40)),
        ("First entry", log.first_time),
        ("Last entry", log.last_time),
    ]
    return [(name, text) for name, text in facts if text]
