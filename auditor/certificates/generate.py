"""Write schema.json, which ``auditor schema certificate`` prints: ``python -m auditor.certificates.generate``."""

from __future__ import annotations

import json
from pathlib import Path

from auditor.certificates.json_schema import certificate_schema

SCHEMA_FILE = Path(__file__).with_name("schema.json")


def schema_text() -> str:
    """The contents of the file."""
    return json.dumps(certificate_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
