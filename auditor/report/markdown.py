"""Markdown, for a comment on a change: the verdict, the table, and what was not looked at.

Every text of the document is escaped: it can neither draw markup, mention people, link nor break the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report import masking, outputs, queries, remediation, since, words
from auditor.report.formats.markdown import safe
from auditor.report.reasons import reasons
from auditor.report.redact import Redacted
from auditor.result import Audience, Result, is_of_outputs, is_of_queries

if TYPE_CHECKING:
    from auditor.result.masking import MaskingResult
    from auditor.result.outputs import OutputsResult
    from auditor.result.queries import QueriesResult
    from auditor.result.remediation import RemediationResult

MOST = 30
MOST_PROOFS = 10


def document(redacted: Redacted[Result]) -> str:
    """A comment in GitHub's and GitLab's common dialect."""
    shown = words.view(redacted).result
    symbol = words.SYMBOLS[shown.verdict]
    blocks = [
        f"### {symbol} {words.headline(shown)} {safe(shown.policy.name)}",
        safe(words.why(shown)),
        f"**{safe(blank)}**" if (blank := words.blank(shown)) else "",
        _before_and_after(shown) if remediation.compares(shown) else _table(shown),
    ]
    if remediation.alternatives(shown):
        blocks.append(_alternatives(shown))
    for title, items in _lists(shown):
        blocks.append(f"**{title}**\n\n" + "\n".join(f"- {safe(item)}" for item in items))
    blocks.append(f"<sub>{_footer(shown, redacted.audience)}</sub>")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _table(shown: Result) -> str:
    if not shown.requirements:
        return ""
    ordered = words.by_urgency(shown.requirements)
    rows = ["| | Requirement | Required | Achieved | Margin | Status | Policy |", "|---|---|---|---|---|---|---|"]
    for requirement in ordered[:MOST]:
        status = requirement.status
        texts = [
            words.SYMBOLS[status],
            requirement.id,
            words.required(requirement),
            words.achieved(requirement),
            words.margin(requirement),
            words.STATUSES[status],
            words.where(requirement.location),
        ]
        rows.append(f"| {' | '.join(map(safe, texts))} |")
    more = f"\n\nand {len(ordered) - MOST} more" if len(ordered) > MOST else ""
    return "\n".join(rows) + more


def _before_and_after(shown: RemediationResult | MaskingResult) -> str:
    found = remediation.pairs(shown)
    rows = ["| | Requirement | Required | Before | After | Status | Policy |", "|---|---|---|---|---|---|---|"]
    for pair in found[:MOST]:
        requirement = pair.requirement
        texts = [words.SYMBOLS[pair.status], requirement.id, words.required(requirement), pair.before, pair.after]
        texts += [pair.words, words.where(requirement.location)]
        rows.append(f"| {' | '.join(map(safe, texts))} |")
    more = f"\n\nand {len(found) - MOST} more" if len(found) > MOST else ""
    return "\n".join(rows) + more


def _alternatives(shown: Result) -> str:
    columns = ("", *remediation.ALTERNATIVE_COLUMNS)
    rows = [f"**{remediation.left_open(shown)}**\n", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in remediation.alternatives(shown):
        texts = ["→" if row.taken else "", row.loss, row.suppressed, row.blank, "; ".join((*row.lines, row.reason))]
        rows.append(f"| {' | '.join(safe(text.removesuffix('; ')) for text in texts)} |")
    return "\n".join(rows)


def _lists(shown: Result) -> list[tuple[str, list[str]]]:
    note = words.small_numbers(shown)
    lists = [
        *([("What was done", _done(shown))] if remediation.released(shown) else []),
        *(masking.lists(shown) if masking.is_one(shown) else []),
        *(_asked(shown) if is_of_queries(shown) else []),
        *(_published(shown) if is_of_outputs(shown) else []),
        ("What stands in the way", remediation.lacking(shown) if remediation.is_one(shown) else []),
        ("Why not evaluated", reasons(shown)),
        ("Note", [f"{r.id}: {note}" for r in shown.requirements for note in r.notes]),
        ("Waived", [f"{r.id}: {words.waived_until(r.waiver)}" for r in shown.requirements if r.waiver]),
        ("Not checked", list(shown.not_checked)),
        ("Assumed", since.assumed(shown)),
        ("Hidden", [note] if note else []),
    ]
    return [(title, items) for title, items in lists if items]


def _asked(shown: QueriesResult) -> list[tuple[str, list[str]]]:
    found = [proof.sentence for proof in queries.proofs(shown, MOST_PROOFS)]
    if len(shown.disclosures) > len(found):
        found.append(f"and {words.number(len(shown.disclosures) - len(found))} more")
    return [
        ("What was asked", [f"{name}: {text}" for name, text in queries.facts(shown)]),
        ("What follows from the answers", found),
        ("Could not be audited", queries.unsupported(shown)),
    ]


def _published(shown: OutputsResult) -> list[tuple[str, list[str]]]:
    found = [*outputs.violations(shown, MOST_PROOFS), *outputs.unnamed(shown)]
    return [
        ("What was published", [f"{name}: {text}" for name, text in outputs.facts(shown)]),
        ("What violates", found),
        ("Could not be judged", outputs.unread(shown)),
    ]


def _done(shown: RemediationResult) -> list[str]:
    found = remediation.found(shown.solution) if shown.solution else []
    return [f"{name}: {text}" for name, text in remediation.facts(shown)] + found


def _footer(shown: Result, audience: Audience) -> str:
    data = shown.data
    file = f"file {data.source}, SHA-256 {data.sha256 or 'not shown'}, " if data else ""
    return safe(f"{file}evaluated on {shown.evaluated_on} for audience {audience}")
