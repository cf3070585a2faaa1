"""Write schema.json, which ``auditor schema`` prints: ``python -m auditor.policy.generate``."""

from __future__ import annotations

import json
from pathlib import Path

from auditor.policy.json_schema import policy_schema

SCHEMA_FILE = Path(__file__).with_name("schema.json")


def schema_text() -> str:
    """The contents of the file."""
    return json.dumps(policy_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
