"""The main job of the README: audit a real survey against a policy, make the release that meets it, audit that.

Run it after ``pip install -e '.[demo]'``::

    python reports/fair.py                      # writes out/fair.html, out/fair-release.csv and its report
    python reports/fair.py --examples reports   # writes the example reports that are kept in reports/ again

The table is `fair` of statsmodels: 6,366 answers to a magazine survey of 1974 on marriage and extramarital affairs
(R. C. Fair, A Theory of Extramarital Affairs, Journal of Political Economy 86, 1978). It is read from the installed
package and never kept here. That the first audit ends in "does not meet" (exit code 1), and the release meets the
policy, is what the demonstration expects.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from _run import MET, NOT_MET, ROOT, auditor, example, say
from statsmodels.datasets import fair

POLICY = "policies/demo/fair.yaml"
DATA = "out/fair.csv"
RELEASE = "out/fair-release.csv"


def write_table(path: Path) -> None:
    """Write the survey as CSV, whole numbers without a decimal point, as its codebook has the codes."""
    table = fair.load_pandas().data
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows([repr(float(value)).removesuffix(".0") for value in row] for row in table.to_numpy())


def demonstrate() -> int:
    """Audit the survey, remediate it, audit the release, and say where the reports are."""
    steps = (
        (NOT_MET, ("check", DATA, "-p", POLICY, "--report", "out/fair.html")),
        (MET, ("remediate", DATA, "-p", POLICY, "-o", RELEASE, "--report", "out/fair-release.html")),
        (MET, ("check", RELEASE, "-p", POLICY)),
    )
    for expected, words in steps:
        code = auditor(*words, show=True)
        if code != expected:
            say(f"The step was expected to end with exit code {expected}, and ended with {code}.")
            return 1
        say("")
    say(f"The survey does not meet the policy, as expected. The report: {ROOT / 'out' / 'fair.html'}")
    say(f"A release of it does: {ROOT / RELEASE}. The report: {ROOT / 'out' / 'fair-release.html'}")
    return 0


def write_examples(folder: Path) -> int:
    """Write the example reports into a folder."""
    before = example(folder, "fair", "check", DATA, "-p", POLICY)
    after = example(folder, "fair-release", "remediate", DATA, "-p", POLICY, "-o", RELEASE)
    return 0 if (before, after) == (NOT_MET, MET) else 1


if __name__ == "__main__":
    write_table(ROOT / DATA)
    options = sys.argv[1:]
    sys.exit(write_examples(Path(options[1])) if options[:1] == ["--examples"] else demonstrate())
