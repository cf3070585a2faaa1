"""What a sweep has measured so far: a file of JSON lines that grows, so that an interrupted sweep goes on.

A line names what was measured by a digest of everything that the figures depend on (the data, the policy, the method
with its parameters, the seed, the version of the program), so a state file of another sweep gives nothing away and
nothing wrong: its lines are not found. The last line of a run that was killed may be cut; it is measured again.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any

from auditor.errors import DeliveryError, UsageError
from auditor.files import opened
from auditor.weighing._measure import MethodFigures

HEAD = {"auditor": "tradeoff", "state": 1}
MOST_BYTES = 256 << 20


def key_of(**parts: Any) -> str:
    """The digest of everything that a measurement depends on."""
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


class State:
    """The measurements of a state file, and its end, to which further ones are written."""

    def __init__(self, path: Path | None) -> None:
        """Read what is there.

        Raises:
            UsageError: the file is none of this kind.
        """
        self.path = path
        self.known: dict[str, MethodFigures] = {}
        if path is not None and path.exists() and path.stat().st_size:
            self._read(path)

    def _read(self, path: Path) -> None:
        head, *lines = _lines(path)
        if _parsed(head) != HEAD:
            raise UsageError(
                f"--state {path}: is not a state file of auditor tradeoff; name a new file, or one that it wrote"
            )
        for line in lines:
            entry = _parsed(line)
            if isinstance(entry, dict) and isinstance(entry.get("key"), str):
                measured = MethodFigures.of(entry.get("measured"))
                if measured is not None:
                    self.known[entry["key"]] = measured

    def add(self, key: str, measured: MethodFigures) -> None:
        """Remember one measurement; `DeliveryError` where the file cannot be written."""
        self.known[key] = measured
        if self.path is None:
            return
        try:
            begun = self.path.exists() and self.path.stat().st_size > 0
            # "\n" first: a line that a killed run left unfinished is ended by it
            text = ("\n" if begun else json.dumps(HEAD) + "\n") + json.dumps({"key": key, "measured": measured.plain()})
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DeliveryError(f"{self.path.name}: could not be written ({error.strerror})") from None


def _lines(path: Path) -> list[str]:
    try:
        with opened(path) as file:
            content = file.read(MOST_BYTES) if S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError as error:
        raise UsageError(f"--state {path}: could not be read ({error.strerror})") from None
    return content.decode("utf-8", errors="replace").split("\n")


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
