"""The main job of the README: audit a real survey against a policy, show why it fails, write the report.

Run it after ``pip install -e '.[demo]'``::

    python reports/fair.py                      # audits out/fair.csv, writes out/fair.html
    python reports/fair.py --examples reports   # writes the example reports that are kept in reports/ again

The table is `fair` of statsmodels: 6,366 answers to a magazine survey of 1974 on marriage and extramarital affairs
(R. C. Fair, A Theory of Extramarital Affairs, Journal of Political Economy 86, 1978). It is read from the installed
package and never kept here. That the audit ends in "does not meet" (exit code 1) is what the demonstration expects.
"""

from __future__ import annotations

import csv
import shlex
import subprocess
import sys
from pathlib import Path

from statsmodels.datasets import fair

ROOT = Path(__file__).resolve().parent.parent
POLICY = "policies/demo/fair.yaml"
DATA = "out/fair.csv"
EXAMPLE_DATE = "2026-11-21"
"""The examples are judged as of this day, so that they change only when the program does."""
NOT_MET = 1


def write_table(path: Path) -> None:
    """Write the survey as CSV, whole numbers without a decimal point, as its codebook has the codes."""
    table = fair.load_pandas().data
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows([repr(float(value)).removesuffix(".0") for value in row] for row in table.to_numpy())


def auditor(*words: str, show: bool) -> int:
    """Run the program as a user would, from the top of the checkout; its exit code."""
    if show:
        say(f"$ auditor {shlex.join(words)}")
    command = [sys.executable, "-c", "from auditor.cli import main; main()", *words]
    run = subprocess.run(command, cwd=ROOT, check=False, stdout=None if show else subprocess.DEVNULL)  # noqa: S603  (our own words)
    return run.returncode


def demonstrate() -> int:
    """Audit the survey and say where the report is."""
    code = auditor("check", DATA, "-p", POLICY, "--report", "out/fair.html", show=True)
    if code != NOT_MET:
        say(f"The audit was expected to end with exit code {NOT_MET} (not met), and ended with {code}.")
        return 1
    say(f"\nThe survey does not meet the policy, as expected. The report: {ROOT / 'out' / 'fair.html'}")
    return 0


def write_examples(folder: Path) -> int:
    """Write the example reports into a folder."""
    reports = [word for suffix in ("html", "json") for word in ("--report", str(folder.resolve() / f"fair.{suffix}"))]
    code = auditor("check", DATA, "-p", POLICY, "--as-of", EXAMPLE_DATE, *reports, show=False)
    return 0 if code == NOT_MET else 1


def say(line: str) -> None:
    """Print a line before whatever a later process prints."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    write_table(ROOT / DATA)
    options = sys.argv[1:]
    sys.exit(write_examples(Path(options[1])) if options[:1] == ["--examples"] else demonstrate())
