"""The gate in Markdown, for a comment on a change: weaker items first, then every release."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.report import words
from auditor.report.formats.markdown import safe
from auditor.report.gate import words as gate
from auditor.report.redact import Redacted
from auditor.result import Audience
from auditor.result.gate import GateResult, ReleaseResult

MOST_RELEASES = 200
MOST_LINES = 20
"""So many releases, and so many lines of one, are shown."""
LONGEST_LINE = 500
MOST_CHARACTERS = 60_000
"""A comment on GitHub holds 65,536 characters, the summary of a step 1 MiB; that something is left out is said."""


def document(redacted: Redacted[GateResult]) -> str:
    """A comment in GitHub's and GitLab's common dialect: the most urgent first, as much of the rest as fits."""
    shown = words.view(redacted).result
    foot = f"<sub>{safe(_footer(shown, redacted.audience))}</sub>\n"
    kept, room = [], MOST_CHARACTERS - len(foot)
    for block in filter(None, _blocks(shown)):
        room -= len(block) + 2
        if room < 0:
            kept.append("There is more than fits here; the JSON document and the page have all of it.")
            break
        kept.append(block)
    return "\n\n".join([*kept, foot])


def _blocks(shown: GateResult) -> Iterator[str]:
    """Every block, made when it is asked for: what no longer fits is not made."""
    yield f"### {gate.SYMBOLS[shown.verdict]} {gate.HEADLINES[shown.verdict]}"
    yield safe(gate.why(shown))
    yield _weaker(shown)
    yield _table(shown)
    yield from map(_details, shown.releases[:MOST_RELEASES])
    yield _bullets("Notes", list(shown.notes))


def _weaker(shown: GateResult) -> str:
    """What needs somebody's approval, before everything else."""
    lines = []
    for found in gate.weakenings(shown):
        lines += [f"{found.title}: {line}" for line in found.lines[:MOST_LINES]]
        lines += [f"{found.title}: {found.told}"]
    return _bullets("Weaker than the base revision", lines)


def _table(shown: GateResult) -> str:
    rows = ["| | Release | Status | Base | Rules | Policy |", "|---|---|---|---|---|---|"]
    for release in shown.releases[:MOST_RELEASES]:
        before = words.STATUSES[release.base_verdict] if release.base_verdict else "–"
        status = release.status
        texts = [gate.SYMBOLS[status], release.name, gate.STATUSES[status], before]
        texts += [gate.PRESENCE[release.presence], release.policy or "–"]
        rows.append(f"| {' | '.join(map(safe, texts))} |")
    left = len(shown.releases) - MOST_RELEASES
    return "\n".join(rows) + (f"\n\nand {left} more" if left > 0 else "")


def _details(release: ReleaseResult) -> str:
    lines = [
        *([release.why] if release.status not in ("pass", "waived") else []),
        *gate.failing(release),
        *gate.waived(release),
        *gate.floors(release),
        *filter(None, [gate.judged_by_both(release)]),
        *(gate.difference_line(each) for each in gate.changed(release) if each.verdict not in gate.WEAKER),
        *([gate.approval([release.change], release.approval)] if release.change is not None else []),
        *gate.data_changes(release),
        *gate.notes_of(release),
    ]
    return _bullets(release.name, lines)


def _bullets(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    more = [f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return f"**{safe(title)}**\n\n" + "\n".join(f"- {safe(_cut(line))}" for line in [*lines[:MOST_LINES], *more])


def _cut(line: str) -> str:
    return words.shortened(line, LONGEST_LINE)


def _footer(shown: GateResult, audience: Audience) -> str:
    return f"{gate.base(shown)}; evaluated on {shown.evaluated_on} for audience {audience}"
