"""30 million rows, nearly all classes of their own, within --memory 1GB: 3x the bare GROUP BY, at most 1.3 GB."""

from __future__ import annotations

import sys

from _near_unique import audited

if __name__ == "__main__":
    sys.exit(audited(30_000_000, "1GB", most_gb=1.3, repeats=3))
