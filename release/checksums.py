"""The digests of a folder's files, as ``sha256sum --check`` reads them.

``python release/checksums.py dist`` writes ``dist/SHA256SUMS``.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

NAME = "SHA256SUMS"


def listing(folder: Path) -> str:
    """A line for each file of a folder, but not for the list itself."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name != NAME)
    return "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / NAME).write_text(listing(folder), encoding="utf-8")
