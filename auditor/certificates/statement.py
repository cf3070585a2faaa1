"""The certificate itself: an in-toto Statement v1 whose predicate is a SLSA verification summary v1.

What the summary has no field for stands under ``auditor_evaluation``, as its rules for extensions want it. `seal` is of
the whole statement without it, as canonical JSON: it shows an edit by hand. Against a forger it helps only with a key,
which is why certificates are signed, or noted in a ledger.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from auditor.certificates.digests import KEYED, PLAIN, Named, SecretKey, algorithm, placed
from auditor.result import RequirementResult, Tool, Verdict
from auditor.result.gate import FloorResult

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/verification_summary/v1"
VERIFIER = "urn:auditor"
LEVELS = {Verdict.PASS: "AUDITOR_POLICY_MET", Verdict.WAIVED: "AUDITOR_POLICY_MET_WITH_WAIVERS"}
EVALUATION = "auditor_evaluation"


@dataclass(frozen=True, kw_only=True)
class Certified:
    """What a certificate says.

    `files` are the data, the outputs, the reference table and the files that the policy names. `base` and `head` are
    commits, where a gate compared two revisions; `rules` are its manifests, its file of approvals and its lock file, by
    plain SHA-256, and `uncommitted` are the files of both that were judged and are not what `head` has, by their names;
    `floors` are what the release was held to besides.
    """

    source: str
    files: tuple[Named, ...]
    policy: str
    policy_file: str | None
    policy_sha256: str
    verdict: Verdict
    evaluated_on: str
    requirements: tuple[RequirementResult, ...]
    tool: Tool
    not_checked: tuple[str, ...] = ()
    release: str | None = None
    recipients: tuple[str, ...] = ()
    purpose: str | None = None
    base: str | None = None
    head: str | None = None
    rules: tuple[Named, ...] = ()
    uncommitted: tuple[str, ...] | None = None
    floors: tuple[FloorResult, ...] = ()


def certificate(said: Certified, time: str, key: SecretKey | None = None) -> bytes:
    """The certificate as JSON, UTF-8.

    Args:
        said: what it says; its verdict is pass or waived.
        time: when, as RFC 3339.
        key: makes it a keyed one; the files' digests were made with the same key.
    """
    statement = _statement(said, time, key)
    statement["predicate"][EVALUATION]["seal"] = seal(statement, key)
    return (json.dumps(statement, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def _statement(said: Certified, time: str, key: SecretKey | None) -> dict[str, Any]:
    name = algorithm(key)
    return {
        "_type": STATEMENT,
        "subject": [_described(file, name) for file in said.files if file.role in ("data", "outputs")],
        "predicateType": PREDICATE,
        "predicate": {
            "verifier": {"id": VERIFIER, "version": {said.tool.name: said.tool.version}},
            "timeVerified": time,
            "resourceUri": quote(placed(said.source)),
            "policy": {
                "name": said.policy,
                **({"uri": quote(said.policy_file)} if said.policy_file else {}),
                "digest": {"sha256": said.policy_sha256},
                "annotations": {"of": "the effective policy as canonical JSON"},
            },
            "inputAttestations": [],
            "verificationResult": "PASSED",
            "verifiedLevels": [LEVELS[said.verdict]],
            EVALUATION: {
                "verdict": said.verdict.value,
                "evaluatedOn": said.evaluated_on,
                "release": said.release,
                "recipients": list(said.recipients),
                "purpose": said.purpose,
                "requirements": [{"id": r.id, "model": r.model, "status": r.status.value} for r in said.requirements],
                "waivers": list(_waivers(said.requirements)),
                "notChecked": list(said.not_checked),
                "reference": [_described(file, name) for file in said.files if file.role == "reference"],
                "policyFiles": [_described(file, name) for file in said.files if file.role == "policy"],
                "inputs": [_described(file, name) for file in said.files if file.role == "input"],
                "baseRevision": said.base,
                "headRevision": said.head,
                "manifest": [_described(file, PLAIN) for file in said.rules if file.role == "manifest"],
                "lock": [_described(file, PLAIN) for file in said.rules if file.role == "lock"],
                "floors": [
                    {"name": floor.name, "digest": {PLAIN: floor.sha256}, "verdict": floor.verdict.value}
                    for floor in said.floors
                ],
                "uncommitted": None if said.uncommitted is None else sorted(set(map(placed, said.uncommitted))),
            },
        },
    }


def _described(file: Named, name: str) -> dict[str, Any]:
    notes = {"role": file.role, **({"name": {KEYED: file.sealed}} if file.sealed else {})}
    return {"name": file.name, "digest": {name: file.digest}, "annotations": notes}


def _waivers(requirements: Iterable[RequirementResult]) -> Iterable[dict[str, Any]]:
    """What was waived, until when and by whom; the bound that was left standing is the policy's, not the data's."""
    for result in requirements:
        waiver = result.waiver
        if waiver is None:
            continue
        yield {
            "requirement": result.id,
            "kind": waiver.kind,
            "atLeast": None if waiver.kind == "baseline" else waiver.at_least,
            "owner": waiver.owner,
            "approvedBy": waiver.approved_by,
            "approval": waiver.approval,
            "ticket": waiver.ticket,
            "expires": waiver.expires,
        }


def seal(statement: Mapping[str, Any], key: SecretKey | None) -> str:
    """SHA-256 (with a key, HMAC) of the statement without its seal, as canonical JSON: sorted keys, no white space."""
    predicate = statement["predicate"]
    evaluation = {name: value for name, value in predicate[EVALUATION].items() if name != "seal"}
    bare = {**statement, "predicate": {**predicate, EVALUATION: evaluation}}
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
    return hashlib.sha256(text).hexdigest() if key is None else hmac.digest(key.secret, text, "sha256").hex()
