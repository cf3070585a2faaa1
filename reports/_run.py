"""What the demonstrations share: running the program as a user would, and naming the reports."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

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


def reports(folder: Path, name: str) -> list[str]:
    """The options that write a report in both formats."""
    return [word for suffix in ("html", "json") for word in ("--report", str(folder.resolve() / f"{name}.{suffix}"))]


def say(line: str) -> None:
    """Print a line before whatever a later process prints."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
