"""Sensitive values that are nearly the same: only case, white space, form, zeros or the order of JSON keys differ.

Each is a value of its own to every model, so ``HIV`` beside ``hiv`` makes a class of one diagnosis look diverse. Which
values mean the same nobody but the data's owner knows, so it is noted and nothing is merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from auditor.audit._run import AuditRun
from auditor.engines import Counted, json_text
from auditor.result import Finding
from auditor.values import as_seen, number_of, same_value

MOST_VALUES = 20_000
"""Columns with more values are not checked, and that is noted: so many texts are hardly categories."""


def near_duplicates(run: AuditRun, counted: Counted) -> Iterator[Finding]:
    """A note for each sensitive column that a requirement reads and that holds such values, with their records."""
    judged = dict.fromkeys(each.sensitive for each in run.binding.requirements if each.reason is None)
    for column in judged:
        if column is None or counted.is_number(column):
            continue
        if counted.cardinality(column) > MOST_VALUES:
            many = f"has more than {MOST_VALUES:,} distinct values"
            yield Finding(message=f"Column {column!r} {many}, so it was not checked for near duplicates.", level="note")
            continue
        near = nearly_the_same(counted.labels(column))
        if near:
            counts = counted.frequencies(column)
            yield Finding(
                message=f"Column {column!r} has sensitive values that differ only in case, white space, Unicode "
                "form, number format or the order of JSON keys. Each is a value of its own: where they mean the same, "
                "classes are less diverse than they look.",
                records_count=int(sum(counts[code] for code in near)),
                level="note",
            )


def nearly_the_same(labels: Sequence[str | None]) -> list[int]:
    """The places of texts that some other is the same as but for case, white space, form and how a value is written.

    >>> nearly_the_same([None, "HIV", "flu", "hiv ", "1", "1.0", "01", '{"a": 1, "b": 2}', '{"b":2,"a":1}'])
    [1, 3, 4, 5, 7, 8]
    """
    plain = [None if label is None else _plain(label) for label in labels]
    times = Counter(plain)
    return [place for place, text in enumerate(plain) if text is not None and times[text] > 1]


def _plain(text: str) -> str:
    """A text without what does not tell it from others: as it is seen, white space single and none at its ends."""
    if text.lstrip()[:1] in ("{", "["):
        text = json_text(text)
    plain = " ".join(as_seen(text).split())
    return str(same_value(plain)) if number_of(plain) is not None else plain
