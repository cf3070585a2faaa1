"""The gate's result, shown: one document of all releases, and one renderer per format.

`redact` treats every audit inside as the document that it is; all else that the gate says are facts about rules, files
and commits.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, overload

from auditor.errors import without_partitions
from auditor.report._digests import without_guessable_files
from auditor.report._excuses import without_reached
from auditor.report.names import FileNames, placed, places_of_files
from auditor.report.redact import Kept, Redacted
from auditor.report.redact import redact as redact_audit
from auditor.result import SCHEMA_VERSION, Answer, Audience, is_of_gate, plain

if TYPE_CHECKING:
    from auditor.result.comparison import Difference
    from auditor.result.gate import GateResult, ReleaseResult


@dataclasses.dataclass(frozen=True)
class RedactedGate(Redacted["GateResult"]):
    """The gate's result as an audience may see it; each audit in it is a document with paths of its own."""

    def to_dict(self) -> dict[str, object]:
        """See `Redacted`."""
        written = plain(dataclasses.replace(self.result, releases=()))
        for name in ("releases", "schema_version"):
            del written[name]
        releases = [
            {
                **plain(dataclasses.replace(release, documents=())),
                "documents": [Redacted(audit, self.audience).to_dict() for audit in release.documents],
            }
            for release in self.result.releases
        ]
        return {"schema_version": SCHEMA_VERSION, "audience": self.audience.value, **written, "releases": releases}


@overload
def redact(result: GateResult, audience: Audience) -> RedactedGate: ...
@overload
def redact(result: Kept, audience: Audience) -> Redacted[Kept]: ...
def redact(result: Answer, audience: Audience) -> Redacted[Answer]:
    """An audit, or a gate's result, as `audience` may see it."""
    if not is_of_gate(result):
        return redact_audit(result, audience)
    releases = tuple(_release(release, audience) for release in result.releases)
    shown = dataclasses.replace(result, releases=releases)
    if audience is not Audience.INTERNAL:
        told = FileNames(_of_all(result))
        shown = dataclasses.replace(shown, notes=tuple(map(told.instead, result.notes)), gone=())
    return RedactedGate(shown, audience)


def _of_all(result: GateResult) -> dict[str, str]:
    """The places of the files of all releases that nobody named, and of those that are gone."""
    found = dict.fromkeys(map(without_partitions, result.gone), "a file that is gone, or a link")
    for release in result.releases:
        found |= {name: f"{place} of {release.name}" for name, place in places_of_files(release).items()}
    return found


def _release(release: ReleaseResult, audience: Audience) -> ReleaseResult:
    files = places_of_files(release)
    documents = tuple(redact_audit(document, audience, files).result for document in release.documents)
    shown = release
    if audience is not Audience.INTERNAL:
        shown = placed(dataclasses.replace(shown, changes=tuple(map(_without_partitions, shown.changes))))
        shown = without_guessable_files(shown, audience)
    if audience is Audience.PUBLIC:
        compared = shown.comparison and without_reached(shown.comparison)
        shown = dataclasses.replace(shown, comparison=compared, to_waive=(), waive_in=None, waive_at=None)
    return dataclasses.replace(shown, documents=documents)


def _without_partitions(change: Difference) -> Difference:
    """A difference of the release's entry, whose places and files keep the keys of partitions alone."""
    old, new = (
        [without_partitions(each) if isinstance(each, str) else each for each in value]
        if isinstance(value, list | tuple)
        else value
        for value in (change.old, change.new)
    )
    return dataclasses.replace(change, old=old, new=new)
