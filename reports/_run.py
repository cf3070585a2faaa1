"""What the demonstrations share: running the program as a user would, and naming the reports."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_DATE = "2026-11-21"
"""The examples are judged as of this day, so that they change only when the program does."""
MET, NOT_MET = 0, 1


def auditor(*words: str, show: bool) -> int:
    """Run the program as a user would, from the top of the checkout; its exit code."""
    if show:
        say(f"$ auditor {shlex.join(words)}")
    command = [sys.executable, "-c", "from auditor.cli import main; main()", *words]
    run = subprocess.run(command, cwd=ROOT, check=False, stdout=None if show else subprocess.DEVNULL)  # noqa: S603  (our own words)
    return run.returncode


def example(folder: Path, name: str, *words: str) -> int:
    """Run the program on the examples' date and write its report in both formats; its exit code.

    The times of the run are taken out, so that the examples change only when the program does.
    """
    html, document = (folder.resolve() / f"{name}.{suffix}" for suffix in ("html", "json"))
    code = auditor(*words, "--as-of", EXAMPLE_DATE, "--report", str(html), "--report", str(document), show=False)
    timeless = _without_times(json.loads(document.read_text(encoding="utf-8")))
    document.write_text(json.dumps(timeless, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return code


def _without_times(value: Any) -> Any:
    """A document, and those in it, without what was measured of the run."""
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if key != "work"}
    return value


def say(line: str) -> None:
    """Print a line before whatever a later process prints."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
