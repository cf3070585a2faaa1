"""A header that is the first record: no column would be what its name says, and a person's values would be the names.

Only strong evidence counts, because a header that is refused without need stops an audit that was right: the policy
names no column of the table exactly, and a name and the values below it are dates alike, or have one of the shapes that
identify, such as e-mail addresses and telephone numbers.
"""

from __future__ import annotations

from collections import Counter

from auditor.audit._doubtful import LONGEST, ROWS
from auditor.audit._run import Run
from auditor.engines import ColumnUse
from auditor.errors import DataError
from auditor.looks import RECORDS, look_of


def refuse_records(run: Run) -> None:
    """Refuse a CSV file whose header looks like a record of its own.

    Raises:
        DataError: it does; the message says where, and not what stands there.
    """
    # the facts wait for the digest of the files, so they are asked for last
    if any(name in run.policy.attributes for name in run.columns) or run.source.facts.format != "csv":
        return
    for place, column in enumerate(run.source.columns, 1):
        look = look_of([column.name], [1])
        if look is None or look.name not in RECORDS:
            continue
        (values,) = run.source.some([ColumnUse(column.name, ("",))], ROWS, LONGEST)
        counts = Counter(value for value in values if value is not None)
        if look_of(list(counts), list(counts.values())) == look:
            raise DataError(
                f"{run.source.facts.name}: its header looks like a record: column {place} is named by one of the "
                f"{look.name} that it holds; write a line with the names of the columns first, or name a column of "
                "the file exactly under attributes if this is its header"
            )
