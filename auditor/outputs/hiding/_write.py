"""Writing transactions, as they were read: one a line, items in one fixed order.

The order of the items says nothing of what was taken out or put in: it is by number where every item is one, else by
text. A transaction that lost all its items stays as an empty line, so that shares keep their base.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from auditor.errors import DeliveryError, UsageError
from auditor.outputs.hiding._files import FIMI, format_of, written
from auditor.outputs.hiding._transactions import Transactions


def check_name(target: Path) -> None:
    """Refuse a release whose name tells no format."""
    if format_of(target) is None:
        raise UsageError(f"{target.name}: a release is written as .dat or .jsonl (also .gz, .zst)")


def check_items(transactions: Transactions, target: Path) -> None:
    """Refuse items that the release's format cannot hold."""
    if format_of(target) == FIMI and any(len(name.encode().split()) != 1 for name in transactions.names):
        raise UsageError(f"{target.name}: some items hold blanks, which .dat cannot; write .jsonl")


def write(transactions: Transactions, path: Path, target: Path) -> None:
    """Write a new file `path`, in the format and compression that the name of `target` says.

    Raises:
        DeliveryError: it cannot be written.
    """
    fimi = format_of(target) == FIMI
    names = [int(name) for name in transactions.names] if transactions.numeric else list(transactions.names)
    codes, starts = transactions.codes.tolist(), transactions.starts.tolist()
    try:
        with written(path, target) as file:
            for start, end in pairwise(starts):
                held = [names[code] for code in codes[start:end]]
                line = " ".join(map(str, held)) if fimi else json.dumps({"items": held}, ensure_ascii=False)
                file.write(f"{line}\n".encode())
    except OSError as error:
        raise DeliveryError(f"{target.name}: could not be written ({error.strerror})") from None
