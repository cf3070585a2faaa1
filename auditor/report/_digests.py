"""Digests that would confirm a guess: of a table of a few records somebody can try all there could be.

A digest is shown below the internal audience where the file says too much to be guessed, or is what leaves the house
anyhow: a release, or an output, that passed. One that did not pass keeps its digest for the reviewer, who decides on
that file; the public sees none. Of what is never released (the table before a masking, the table that outputs and
queries are about, a log, the original) both see none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

from auditor.result import (
    Audience,
    DataFacts,
    Document,
    Result,
    Verdict,
    is_of_hiding,
    is_of_masking,
    is_of_outputs,
    is_of_queries,
    is_of_remediation,
    is_of_tradeoff,
)

if TYPE_CHECKING:
    from auditor.result.gate import GateFile, ReleaseResult
    from auditor.result.outputs import OutputResult
    from auditor.result.queries import LogFacts

_RELEASED = (Verdict.PASS, Verdict.WAIVED)
_CANDIDATES = ("data", "outputs")
"""The roles of files of the gate that are to leave the house."""
_PUBLIC = ("policy", "hierarchy", "previous")
"""The roles of files that are no secret, or have left it."""

Hashed = TypeVar("Hashed", DataFacts, "LogFacts", "OutputResult", "GateFile")
Shown = TypeVar("Shown", bound=Document)


def without_guessable(result: Shown, audience: Audience) -> Shown:
    """The document without the digests that the audience may not see."""
    if audience is Audience.INTERNAL:
        return result
    return cast("Shown", _without_guessable(_without_since(result), audience))


def without_guessable_files(release: ReleaseResult, audience: Audience) -> ReleaseResult:
    """A release of the gate without the digests of files that the audience may not see."""
    if audience is Audience.INTERNAL:
        return release
    candidate = audience is Audience.REVIEWER or release.status.value in _RELEASED
    known = {*_PUBLIC, *(_CANDIDATES if candidate else ())}
    return replace(release, files=tuple(_of(file, known=file.role in known) for file in release.files))


def _without_since(result: Document) -> Document:
    """Counts that were kept are salted, and so is the digest of the result that names them; no other one is."""
    if not isinstance(result, Result) or result.since is None or result.since.added:
        return result
    return replace(result, since=replace(result.since, sha256=None))


def _without_guessable(result: Document, audience: Audience) -> Document:
    candidate = audience is Audience.REVIEWER or result_passed(result)
    if is_of_tradeoff(result):
        return replace(result, data=_of(result.data, known=False))
    if is_of_hiding(result):
        release = None if result.release is None else _of(result.release, known=candidate)
        return replace(result, data=_of(result.data, known=False), release=release)
    if is_of_queries(result):
        return replace(result, data=_of_table(result, known=False), log=_of(result.log, known=False))
    if is_of_outputs(result):
        outputs = tuple(_of(output, known=candidate) for output in result.outputs)
        return replace(result, data=_of_table(result, known=False), outputs=outputs)
    if is_of_remediation(result) or is_of_masking(result):
        made = result.written and candidate
        before = result.before and replace(result.before, data=_of_table(result.before, known=False))
        after = result.after and replace(result.after, data=_of_table(result.after, known=made))
        return replace(result, data=_of_table(result, known=made), before=before, after=after)
    return replace(result, data=_of_table(result, known=candidate and not (result.data and result.data.before_release)))


def result_passed(result: Document) -> bool:
    """Whether what was judged may leave the house."""
    return not is_of_tradeoff(result) and result.verdict in _RELEASED


def _of_table(result: Result, *, known: bool) -> DataFacts | None:
    return None if result.data is None else _of(result.data, known=known)


def _of(facts: Hashed, *, known: bool) -> Hashed:
    """The facts, without their digest where that would confirm a guess of what is not `known` anyhow."""
    told = known or getattr(facts, "guessable", None) is False
    return facts if told else replace(facts, sha256=None)
