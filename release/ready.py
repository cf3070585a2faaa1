"""What has to be true before a release: its version is dated in the changelog, and its addresses are real.

``python release/ready.py`` prints the version. It says what is not true yet, and ends with 2 where anything is not.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENTRY = re.compile(r"^## \[(?P<version>[^\]]+)\] - (?P<day>.+)$", re.MULTILINE)
PLACEHOLDER = "example.org"


def problems(project: Mapping[str, Any], changelog: str) -> Iterator[str]:
    """What keeps the project from being released, with what would be right."""
    newest = ENTRY.search(changelog)
    if newest is None:
        yield "CHANGELOG.md has no entry: begin one with ## [VERSION] - YYYY-MM-DD"
    elif newest["version"] != project["version"]:
        yield (
            f"pyproject.toml says version {project['version']!r}, and the newest entry of CHANGELOG.md "
            f"{newest['version']!r}: write the same into both"
        )
    elif not re.fullmatch(r"\d{4}-\d{2}-\d{2}", newest["day"]):
        yield f"CHANGELOG.md says {newest['day']!r} of {newest['version']}: write the day, as in 2026-12-01"
    for name, url in project.get("urls", {}).items():
        if PLACEHOLDER in url:
            yield f"pyproject.toml: {name} = {url!r} is a placeholder: write where the project is"


def main() -> int:
    """Print the version, or what is not ready."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = list(problems(project, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    sys.stdout.write(f"{project['name']} {project['version']}{' (a draft)' if found else ''}\n")
    sys.stderr.writelines(f"{problem}\n" for problem in found)
    return 2 if found else 0


if __name__ == "__main__":
    sys.exit(main())
