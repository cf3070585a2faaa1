"""What a ledger remembers of outputs: each as what it publishes, in the neutral form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from auditor.errors import DataError
from auditor.ledger import Entry, Ledger, extend
from auditor.outputs._published import Published
from auditor.outputs.readers import neutral

ENTRY = "output"
"""The kind of the ledger's entries that are outputs."""


def released(ledger: Ledger) -> tuple[Published, ...]:
    """The outputs that were released, oldest first; `DataError` where an entry holds none."""
    return tuple(_recorded(entry, ledger.name) for entry in ledger.of_kind(ENTRY))


def _recorded(entry: Entry, ledger: str) -> Published:
    """The output that an entry holds; a chain that is sound says nothing of what stands in it."""
    where = f"{ledger}:{entry.index + 1}"
    form = entry.body.get("published")
    if not isinstance(form, Mapping):
        raise DataError(f"{where}: an entry without an output; one has 'published', an output in the neutral form")
    return replace(neutral.from_json(form, source=where), source="")


def remember(outputs: Iterable[Published], path: str | Path, policy: str, day: date, known: Ledger) -> None:
    """Add to a ledger the outputs that it does not hold yet, all or none.

    Args:
        outputs: what was released.
        path: the ledger's file.
        policy: the digest of what the outputs were judged by.
        day: when they were released.
        known: the ledger that they were judged with.

    Raises:
        DataError: the ledger is not sound, or has entries that the outputs were not judged with.
        DeliveryError: it cannot be written.
    """
    forms = [entry.body.get("published") for entry in known.of_kind(ENTRY)]
    bodies = []
    for output in outputs:
        form = neutral.as_json(output)
        if form not in forms:
            bodies.append({"file": output.source, "policy": policy, "published": form})
            forms.append(form)
    if bodies:
        extend(path, ENTRY, bodies, day.isoformat(), after=known.head)
