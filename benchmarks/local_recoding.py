"""Adult, nine quasi-identifiers: loss and CPU seconds of the best lattice node and of local recoding, by k."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from _measure import MET, MISSED, judge, start
from _remediation import lattice_policy
from _tables import adult, workplace
from auditor.remediate import remediate

KS = (2, 5, 10, 25, 50)
LATTICE = ("optimal", "incognito")
GROUPS = ("constrained-local", "kaca", "mage", "mondrian")


def main() -> int:
    start("Adult, nine quasi-identifiers: loss and CPU seconds by k, of the lattice and of groups")
    met = []
    with workplace() as (options, folder):
        table = adult(options.data)
        for k in KS:
            found = {search: _cost(table, folder, k, search) for search in (*LATTICE, *GROUPS)}
            for search, (loss, seconds) in found.items():
                print(f"   k = {k:2}  {search:17} loss {loss:.4f}  {seconds:7.2f} CPU s")
            most = max(found[search][0] for search in GROUPS)
            met.append(judge(f"k = {k}: the most that groups lose, less the best node", most - found["optimal"][0], 0))
    return MET if all(met) else MISSED


def _cost(table: Path, folder: Path, k: int, search: str) -> tuple[float, float]:
    """The loss, which is 1 where there is no release, and the seconds of one remediation."""
    policy = lattice_policy(table, folder, [{"model": "k-anonymity", "k": k}], search=search)
    began = time.process_time()
    solution = remediate(table, policy).solution
    spent = time.process_time() - began
    return 1.0 if solution is None or solution.loss is None else solution.loss, spent


if __name__ == "__main__":
    sys.exit(main())
