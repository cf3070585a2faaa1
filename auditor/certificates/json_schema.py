"""The JSON Schema (draft 2020-12) of certificates, made of the words that they are written and read with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from auditor.certificates.digests import KEYED, PLAIN
from auditor.certificates.statement import EVALUATION, LEVELS, PREDICATE, STATEMENT, VERIFIER
from auditor.result import Status, Verdict

HEX = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
COMMIT = {"type": ["string", "null"], "pattern": "^[0-9a-f]{40}([0-9a-f]{24})?$"}
DAY = {"type": "string", "format": "date"}
MAYBE = {"type": ["string", "null"]}


def certificate_schema() -> dict[str, Any]:
    """The schema; keys may be added to what it describes, and are taken."""
    subject = {**_files("data", "outputs"), "minItems": 1}
    statement = _object(
        _type={"const": STATEMENT}, subject=subject, predicateType={"const": PREDICATE}, predicate=_predicate()
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A certificate of auditor", **statement}


def _predicate() -> dict[str, Any]:
    policy = _object(name=TEXT, digest=_object(sha256=HEX), annotations=_object(of=TEXT))
    policy["properties"]["uri"] = TEXT
    return _object(
        verifier=_object(id={"const": VERIFIER}, version={"type": "object", "additionalProperties": TEXT}),
        timeVerified={"type": "string", "format": "date-time"},
        resourceUri=TEXT,
        policy=policy,
        inputAttestations={"type": "array"},
        verificationResult={"const": "PASSED"},
        verifiedLevels={"type": "array", "items": {"enum": sorted(LEVELS.values())}, "minItems": 1, "maxItems": 1},
        **{EVALUATION: _evaluation()},
    )


def _evaluation() -> dict[str, Any]:
    met = [verdict.value for verdict in LEVELS]
    requirement = _object(id=TEXT, model=TEXT, status=_one_of(Status))
    floor = _object(name=TEXT, digest=_object(sha256=HEX), verdict=_one_of(Verdict))
    return _object(
        verdict={"enum": met},
        evaluatedOn=DAY,
        release=MAYBE,
        recipients=TEXTS,
        purpose=MAYBE,
        requirements={"type": "array", "items": requirement},
        waivers={"type": "array", "items": _waiver()},
        notChecked=TEXTS,
        reference=_files("reference"),
        policyFiles=_files("policy"),
        inputs=_files("input"),
        baseRevision=COMMIT,
        headRevision=COMMIT,
        manifest=_files("manifest"),
        lock=_files("lock"),
        floors={"type": "array", "items": floor},
        uncommitted={"type": ["array", "null"], "items": TEXT},
        seal=HEX,
    )


def _waiver() -> dict[str, Any]:
    return _object(
        requirement=TEXT,
        kind={"enum": ["waiver", "baseline"]},
        atLeast={"type": ["object", "null"]},
        owner=MAYBE,
        approvedBy=MAYBE,
        approval=MAYBE,
        ticket=MAYBE,
        expires=DAY,
    )


def _files(*roles: str) -> dict[str, Any]:
    """A list of files, each with one digest, plain or keyed, and perhaps with the keyed digest of its name."""
    digest = {"oneOf": [_object(**{name: HEX}) for name in (PLAIN, KEYED)], "maxProperties": 1}
    notes = _object(role={"enum": list(roles)})
    notes["properties"]["name"] = _object(**{KEYED: HEX})
    return {"type": "array", "items": _object(name=TEXT, digest=digest, annotations=notes)}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object that has all of these."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _one_of(values: Iterable[Any]) -> dict[str, Any]:
    return {"enum": [each.value for each in values]}
