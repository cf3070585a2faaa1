"""The gate for a terminal: the verdict, each release, and what is weaker."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.report import words
from auditor.report.formats.text import inert
from auditor.report.gate import words as gate
from auditor.report.redact import Redacted
from auditor.result.gate import GateResult, ReleaseResult

MOST = 200
"""So many lines of one release are shown; the JSON document has all."""


def document(redacted: Redacted[GateResult], width: int = 100, colour: bool = False) -> str:  # noqa: ARG001
    """One line for each release, and below it what somebody has to look at."""
    shown = words.view(redacted).result
    lines = [f"{gate.SYMBOLS[shown.verdict]} {gate.HEADLINES[shown.verdict]}", f"  {gate.why(shown)}", ""]
    lines += [f"  manifest  {shown.manifest}", f"  compared  {gate.base(shown)}"]
    lines += [f"  for       audience {redacted.audience}, evaluated on {shown.evaluated_on}"]
    names = max((words.columns(release.name) for release in shown.releases), default=0)
    for release in shown.releases:
        lines += ["", *_release(release, names)]
    parts = (
        ("Trusted settings", list(_trusted(shown))),
        ("Notes", shown.notes),
        (gate.to_approve(shown), shown.to_approve),
        ("and sign it by one of", shown.to_sign),
    )
    for title, found in parts:
        lines += ["", title, *(f"  {line}" for line in found)] if found else []
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _release(release: ReleaseResult, width: int) -> list[str]:
    status = release.status
    policy = f"  {release.policy}" if release.policy else ""
    head = f"{gate.SYMBOLS[status]} {release.name:<{width}}  {gate.STATUSES[status]}{policy}"
    lines = list(_about(release))
    more = [f"    and {len(lines) - MOST} more, in the JSON document"] if len(lines) > MOST else []
    return [head, *(f"    {line}" for line in lines[:MOST]), *more]


def _about(release: ReleaseResult) -> Iterator[str]:
    yield release.why
    yield from gate.failing(release)
    yield from gate.waived(release)
    yield from gate.floors(release)
    both = gate.judged_by_both(release)
    if both is not None:
        yield both
    yield from (gate.difference_line(each) for each in gate.changed(release))
    if release.change is not None:
        yield gate.approval([release.change], release.approval)
    yield from gate.data_changes(release)
    yield from gate.notes_of(release)
    if release.to_waive:
        yield gate.to_waive(release)
        yield from (f"  {line}" for line in release.to_waive)


def _trusted(shown: GateResult) -> Iterator[str]:
    yield from (gate.difference_line(each) for each in shown.trusted)
    if shown.trusted_change is not None:
        yield gate.approval([shown.trusted_change], shown.trusted_approval)
