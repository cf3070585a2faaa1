"""The provenance of a release build: an in-toto statement with the predicate of SLSA v1, on standard output.

``python release/provenance.py dist`` names every file of the folder by its digest, the commit that it was built from,
what it was built with (the packages of requirements.lock, by theirs), and by whom: the workflow that a platform names,
or a local build, which vouches for nothing. A statement proves as much as its signature: sign it, or let the platform.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
PINNED = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?P<digests>(?:.*\\\n)(?:\s+--hash=sha256:\w+(?: \\)?\n)+)", re.MULTILINE
)
LOCAL = "urn:auditor:local-build"


def statement(folder: Path, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """What was built, from what, and by whom.

    Args:
        folder: the files that were built; a statement among them is left out.
        environment: the platform's variables.
    """
    built = [file for file in sorted(folder.iterdir()) if file.is_file() and not file.name.endswith(".intoto.json")]
    server, repository = environment.get("GITHUB_SERVER_URL"), environment.get("GITHUB_REPOSITORY")
    source = f"git+{server}/{repository}" if server and repository else "urn:auditor:source"
    commit = {"uri": source, "digest": {"gitCommit": _git("rev-parse", "HEAD")}}
    workflow = environment.get("GITHUB_WORKFLOW_REF")
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": _digest(file)}} for file in built],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:auditor:make-release:1",
                "externalParameters": {"command": "make release", "source": commit},
                "internalParameters": {"python": platform.python_version(), "system": platform.system()},
                "resolvedDependencies": [commit, {"name": LOCK.name, "digest": {"sha256": _digest(LOCK)}}, *packages()],
            },
            "runDetails": {
                "builder": {"id": f"{server}/{workflow}" if server and workflow else LOCAL},
                "metadata": {"invocationId": environment.get("GITHUB_RUN_ID", "local")},
            },
        },
    }


def packages(text: str | None = None) -> Iterator[dict[str, Any]]:
    """Every file that the lock file admits, as its package and its digest."""
    for found in PINNED.finditer(LOCK.read_text(encoding="utf-8") if text is None else text):
        uri = f"pkg:pypi/{found['name']}@{found['version']}"
        for digest in re.findall(r"--hash=sha256:(\w+)", found["digests"]):
            yield {"uri": uri, "digest": {"sha256": digest}}


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _git(*words: str) -> str:
    told = ["git", "-c", f"safe.directory={ROOT}", *words]
    done = subprocess.run(told, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603  (words of this file)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(statement(Path(sys.argv[1])), indent=1) + "\n")
