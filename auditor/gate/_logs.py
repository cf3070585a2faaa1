"""Whether query logs still say all that they said: statements of the base revision that are in no log any more.

What answers disclose they disclose together, so a log that loses a statement hides what it disclosed. Logs grow, and
new ones come beside them: that is every month's road, and free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.errors import AuditorError
from auditor.folders import for_copies
from auditor.policy.tree import Blob
from auditor.queries import Statement
from auditor.queries.logs import read_log

MOST_READ = 64 << 20
"""A log of the base revision with more bytes is compared by them alone."""
Told = tuple[object, ...]


def unsaid(before: Iterable[tuple[str, Blob]], now: Iterable[Path]) -> list[str]:
    """The logs of the base revision of which a statement is missing now, or that cannot be read any more.

    A statement is its text with who asked it, when, with which parameters and what was answered. One that appears twice
    has to stand twice.

    Args:
        before: logs of the base revision by their names, without those that are there as they were.
        now: the logs that are judged, without the same.
    """
    lost: list[str] = []
    asked: dict[str, Counter[Told]] = {}
    with for_copies() as folder:
        for index, (name, blob) in enumerate(before):
            content = blob.read() if blob.size <= MOST_READ else None
            if content is None:
                lost.append(name)
            elif content.strip():
                copy = folder.path / str(index) / Path(name).name
                copy.parent.mkdir()
                copy.write_bytes(content)
                try:
                    asked[name] = Counter(_statements(copy))
                except AuditorError:
                    lost.append(name)
        if asked:
            left = _statements_of(now)
            for name, statements in asked.items():
                if statements - left:
                    lost.append(name)
                left -= statements
    return sorted(lost)


def _statements_of(logs: Iterable[Path]) -> Counter[Told]:
    """The statements of logs; one that cannot be read says nothing."""
    found: Counter[Told] = Counter()
    for log in logs:
        try:
            found += Counter(_statements(log))
        except AuditorError:
            continue
    return found


def _statements(log: Path) -> Iterator[Told]:
    return (_told(statement) for statement in read_log(log))


def _told(each: Statement) -> Told:
    # Git may write the ends of lines otherwise.
    sql = each.sql.replace("\r\n", "\n")
    return sql, each.user, each.time, each.parameters, each.answer, each.failed
