"""What data is called in progress and reports, where others read it."""

from __future__ import annotations

import re
from pathlib import Path

from auditor.engines import without_credentials


def shown(data: str) -> str:
    """A file's name without its folders; a database's address and table without user, password and options.

    >>> shown("/home/ann/stays.csv"), shown("postgresql://ann:secret@host/clinic?sslmode=require&table=stays")
    ('stays.csv', 'postgresql://host/clinic?table=stays')
    """
    if "://" not in data:
        return Path(data).name
    table = re.search(r".*[?&](table=[^&#]*)", data, re.DOTALL)
    return without_credentials(data) + (f"?{table[1]}" if table else "")


def relative(path: str) -> str:
    """A path as given where it is relative, else its last part: a report says nothing of the machine it was made on."""
    return shown(path) if Path(path).is_absolute() or "://" in path else path
