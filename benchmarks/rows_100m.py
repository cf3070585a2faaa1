"""100 million rows, nearly all classes of their own, within --memory 4GB: 3x the bare GROUP BY, at most 5 GB.

``--data`` names the table (as `persons` writes it) instead of making it, which takes a minute and 0.6 GB.
"""

from __future__ import annotations

import sys

from _near_unique import audited

if __name__ == "__main__":
    sys.exit(audited(100_000_000, "4GB", most_gb=5, repeats=1))
