"""What a ledger remembers of outputs: each as what it publishes, in the neutral form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from auditor.errors import DataError
from auditor.ledger import Addition, Entry, Ledger, add
from auditor.outputs._margins import with_margins
from auditor.outputs.published.outputs import Published
from auditor.outputs.readers import neutral

ENTRY = "output"
"""The kind of the ledger's entries that are outputs."""
MARGINS, KNOWN = "margins", "null"
"""What an entry says whose margins are null in the keys, and no labels."""


def released(ledger: Ledger) -> tuple[Published, ...]:
    """The outputs that were released, oldest first; `DataError` where an entry holds none."""
    return tuple(_recorded(entry, ledger.name) for entry in ledger.of_kind(ENTRY))


def _recorded(entry: Entry, ledger: str) -> Published:
    """The output that an entry holds; a chain that is sound says nothing of what stands in it."""
    where = f"{ledger}:{entry.index + 1}"
    form = entry.body.get("published")
    if not isinstance(form, Mapping):
        raise DataError(f"{where}: an entry without an output; one has 'published', an output in the neutral form")
    file = entry.body.get("file")
    named = f"entry {entry.index + 1} of the ledger" + (f" ({file})" if isinstance(file, str) and file else "")
    output = replace(neutral.from_json(form, source=where), source=named)
    # Before margins were looked for, a ledger kept their words as if they were values.
    return output if entry.body.get(MARGINS) == KNOWN else with_margins(output)


def form_of(output: Published) -> str:
    """What an output publishes, as the text that a ledger keeps: outputs that publish the same have the same."""
    return json.dumps(neutral.as_json(output), sort_keys=True)


def additions(releases: Iterable[tuple[Iterable[Published], str]], day: date, known: Ledger) -> list[Addition]:
    """The entries for outputs that a ledger does not hold yet, each output once.

    Args:
        releases: outputs, with the digest of the policy that they were judged by.
        day: when they were released.
        known: the ledger that they were judged with.
    """
    held = set(_forms(known))
    found = []
    for outputs, policy in releases:
        for output in outputs:
            form = form_of(output)
            if form not in held:
                held.add(form)
                body: dict[str, Any] = {
                    "file": output.source,
                    "policy": policy,
                    MARGINS: KNOWN,
                    "published": json.loads(form),
                }
                found.append(Addition(ENTRY, body, day.isoformat()))
    return found


def _forms(ledger: Ledger) -> Iterable[str]:
    return (json.dumps(entry.body.get("published"), sort_keys=True) for entry in ledger.of_kind(ENTRY))


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
    found = additions([(outputs, policy)], day, known)
    if found:
        add(path, found, after=known.head)
