"""The gate's result, shown: one document of all releases, and one renderer per format.

`redact` treats every audit inside as the document that it is; all else that the gate says are facts about rules, files
and commits.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from auditor.report._digests import without_guessable_files
from auditor.report._names import placed, without_partitions
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
    return {"schema_version": SCHEMA_VERSION, "audience": audience.value, **document, "releases": releases}


def _release(release: ReleaseResult, audience: Audience) -> dict[str, Any]:
    documents = [redact_audit(document, audience) for document in release.documents]
    shown = release
    if audience is not Audience.INTERNAL:
        shown = placed(dataclasses.replace(shown, changes=tuple(map(_without_partitions, shown.changes))))
        shown = without_guessable_files(shown, audience)
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
