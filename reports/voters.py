"""The fourth demonstration: weigh masking methods on a real table, before one is chosen.

Run it after ``pip install -e '.[demo]'``::

    python reports/voters.py                      # writes out/voters.csv and out/voters.html
    python reports/voters.py --data FOLDER        # writes only the table, into a folder
    python reports/voters.py --examples reports   # writes the example report that is kept in reports/ again

The table has 944 voters of the American National Election Study of 1996 (statsmodels' `anes96`, public domain). The
policy lists methods with the values of their parameters to try; the report says which of them meet it, what each costs,
and which to take.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _run import EXAMPLE_DATE, MET, ROOT, auditor, say
from statsmodels.datasets import anes96

POLICY = "policies/demo/voters.yaml"
COLUMNS = ["age", "income", "educ", "popul", "selfLR", "PID", "TVnews"]
SWEEP = ("tradeoff", "out/voters.csv", "-p", POLICY, "--seeds", "3")


def write_data(folder: Path) -> None:
    """Write the table that is masked."""
    folder.mkdir(exist_ok=True)
    table = anes96.load_pandas().data[COLUMNS].astype(int)
    table.to_csv(folder / "voters.csv", index=False)


def demonstrate() -> int:
    """Weigh the methods; say where the report is."""
    write_data(ROOT / "out")
    if auditor(*SWEEP, "--report", "out/voters.html", show=True) != MET:
        say(f"The sweep was expected to end with exit code {MET}.")
        return 1
    say(f"\nThe risk-utility map is in the report: {ROOT / 'out' / 'voters.html'}")
    return 0


def write_examples(folder: Path) -> int:
    """Write the example report into a folder."""
    write_data(ROOT / "out")
    report = str(folder.resolve() / "voters.html")
    return auditor(*SWEEP, "--as-of", EXAMPLE_DATE, "--report", report, show=False)


if __name__ == "__main__":
    options = sys.argv[1:]
    if options[:1] == ["--data"]:
        write_data(Path(options[1]))
        sys.exit(0)
    sys.exit(write_examples(Path(options[1])) if options[:1] == ["--examples"] else demonstrate())
