"""The second demonstration: audit what a log of aggregate queries gives away.

Run it after ``pip install -e .``::

    python reports/staff.py                      # writes out/queries.html
    python reports/staff.py --examples reports   # writes the example report that is kept in reports/ again

The table and the log (`reports/staff/`) are made up. Every query is about five people or more, so a rule for single
queries lets each of them pass; together they give away one salary (exit code 1), which is what the demonstration
expects.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _run import NOT_MET, ROOT, auditor, example, say

WORDS = ("queries", "reports/staff/log.sql", "-p", "policies/demo/staff.yaml", "-d", "reports/staff/staff.csv")


def demonstrate() -> int:
    """Audit the log, and say where the report is."""
    report = ROOT / "out" / "queries.html"
    report.parent.mkdir(exist_ok=True)
    code = auditor(*WORDS, "--report", "out/queries.html", show=True)
    if code != NOT_MET:
        say(f"The audit was expected to end with exit code {NOT_MET}, and ended with {code}.")
        return 1
    say(f"\nThe answers give a salary away, as expected. The report: {report}")
    return 0


def write_examples(folder: Path) -> int:
    """Write the example report into a folder."""
    code = example(folder, "queries", *WORDS)
    return 0 if code == NOT_MET else 1


if __name__ == "__main__":
    options = sys.argv[1:]
    sys.exit(write_examples(Path(options[1])) if options[:1] == ["--examples"] else demonstrate())
