"""The gate's result, shown: one document of all releases, and one renderer per format.

`redact` treats every audit inside as the document that it is; all else that the gate says are facts about rules, files
and commits.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from auditor.report._digests import without_guessable_files
from auditor.report._names import Files, placed, places_of_files, without_partitions
from auditor.report.redact import redact as redact_audit
from auditor.result import SCHEMA_VERSION, Answer, Audience, Difference, GateResult, ReleaseResult, plain


def redact(result: Answer, audience: Audience) -> dict[str, Any]:
    """The JSON document of an audit, or of a gate's result, as `audience` may see it."""
    if not isinstance(result, GateResult):
        return redact_audit(result, audience)
    document = {
        field.name: plain(getattr(result, field.name))
        for field in dataclasses.fields(result)
        if field.name not in ("releases", "schema_version")
    }
    releases = [_release(release, audience) for release in result.releases]
    if audience is not Audience.INTERNAL:
        told = Files(_of_all(result))
        document |= {"notes": [told.instead(note) for note in result.notes], "gone": []}
    return {"schema_version": SCHEMA_VERSION, "audience": audience.value, **document, "releases": releases}


def _of_all(result: GateResult) -> dict[str, str]:
    """The places of the files of all releases that nobody named, and of those that are gone."""
    found = dict.fromkeys(map(without_partitions, result.gone), "a file that is gone, or a link")
    for release in result.releases:
        found |= {name: f"{place} of {release.name}" for name, place in places_of_files(release).items()}
    return found


def _release(release: ReleaseResult, audience: Audience) -> dict[str, Any]:
    files = places_of_files(release)
    documents = [redact_audit(document, audience, files) for document in release.documents]
    shown = release
    if audience is not Audience.INTERNAL:
        shown = placed(dataclasses.replace(shown, changes=tuple(map(_without_partitions, shown.changes))))
        shown = without_guessable_files(shown, audience)
    if audience is Audience.PUBLIC:
        shown = dataclasses.replace(shown, to_waive=(), waive_in=None, waive_at=None)
    return {**plain(dataclasses.replace(shown, documents=())), "documents": documents}


def _without_partitions(change: Difference) -> Difference:
    """A difference of the release's entry, whose places and files keep the keys of partitions alone."""
    old, new = (
        [without_partitions(each) if isinstance(each, str) else each for each in value]
        if isinstance(value, list | tuple)
        else value
        for value in (change.old, change.new)
    )
    return dataclasses.replace(change, old=old, new=new)
