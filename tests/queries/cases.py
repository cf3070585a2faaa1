"""The shared query cases as tables, policies and logs; and the verdicts that they state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from auditor.queries import Statement

FILE = Path(__file__).resolve().parents[3] / "shared" / "vectors" / "query_cases.json"


def cases() -> list[dict[str, Any]]:
    """The cases of the shared file; none where it is absent."""
    return json.loads(FILE.read_text())["cases"] if FILE.exists() else []


def table(case: dict[str, Any]) -> pd.DataFrame:
    """The case's table."""
    return pd.DataFrame(case["table"]["rows"], columns=case["table"]["columns"])


def log(case: dict[str, Any]) -> list[Statement]:
    """Its queries; the number of the i-th is i."""
    return [
        Statement(i, query["sql"], query["user"], answer=str(query["answer"]))
        for i, query in enumerate(case["queries"], 1)
    ]


def policy(case: dict[str, Any], **limits: Any) -> dict[str, Any]:
    """A policy that protects the case's sensitive column."""
    sensitive = case["sensitive_column"]
    key = case["table"]["key"]
    attributes = dict.fromkeys(case["table"]["columns"], "insensitive")
    attributes[sensitive] = "sensitive"
    public = [name for name in attributes if name != sensitive and name != "bonus"]
    assume = limits.pop("assume", {})
    attribute = limits.pop("attribute", None)
    if attribute is not None:
        attributes[sensitive] = {"role": "sensitive", **attribute}
    return {
        "version": 1,
        "name": case["id"].lower(),
        "attributes": attributes,
        "queries": {
            "table": case["table"]["name"],
            "key": key,
            "public": public,
            "protects": [sensitive],
            "assume": assume,
            "limits": limits,
        },
    }
