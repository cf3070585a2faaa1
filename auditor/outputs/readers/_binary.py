"""Files that are no text: told apart by their first bytes, and refused before anything of them is looked at."""

from __future__ import annotations

from pathlib import PurePath
from typing import NoReturn

from auditor.errors import Unsupported
from auditor.outputs.readers._file import File

PICKLE = "a Python pickle, which runs code when it is opened; write the output as text (docs/output-formats.md)"
_PICKLE_ENDINGS = frozenset({".pkl", ".pickle", ".joblib", ".dill", ".sav", ".p", ".pt", ".pth"})
_PICKLE_PROTOCOLS = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
_STARTS = {
    b"\x1f\x8b": "a compressed file; unpack it first",
    b"BZh": "a compressed file; unpack it first",
    b"\xfd7zXZ": "a compressed file; unpack it first",
    b"\x28\xb5\x2f\xfd": "a compressed file; unpack it first",
    b"PK\x03\x04": "a ZIP archive (Excel, NumPy or skops); write the output as text (a table as CSV)",
    b"\x89HDF": "an HDF5 file; write the output as text",
    b"PAR1": "a Parquet file; write the table as CSV",
    b"\x93NUMPY": "a NumPy array; write the output as text",
    b"RDX": "R's workspace; write the output as text (write.csv, arules::write, pmml)",
    b"%PDF": "a PDF; write the output as text",
}


def refuse_binary(file: File) -> None:
    """Raise `Unsupported` for a pickle, by its name or its contents, and for other files that hold no text."""
    if PurePath(file.name).suffix.lower() in _PICKLE_ENDINGS or file.content.startswith(_PICKLE_PROTOCOLS):
        _refuse(file, PICKLE)
    for start, what in _STARTS.items():
        if file.content.startswith(start):
            _refuse(file, what)


def _refuse(file: File, what: str) -> NoReturn:
    raise Unsupported(f"{file.name}: {what}")
