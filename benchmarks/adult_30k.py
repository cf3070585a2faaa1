"""Ten models on Adult: at most 0.1 CPU seconds for 30,162 rows, in one process after import."""

from __future__ import annotations

import sys

import auditor
from _measure import MET, MISSED, alternated, judge, show, start, timed
from _tables import adult, adult_policy, workplace


def main() -> int:
    start("Adult, 30,162 rows of CSV, 7 quasi-identifiers, ten models (t-closeness six ways)")
    with workplace() as (options, _):
        table, policy = adult(options.data), adult_policy()
        show("the first audit, lazy imports included", timed(lambda: auditor.check(table, policy)))
        cost = alternated({"audit": lambda: timed(lambda: auditor.check(table, policy))}, options.repeats or 11)
    show("an audit (median)", cost["audit"])
    return MET if judge("CPU seconds", cost["audit"].cpu, 0.1) else MISSED


if __name__ == "__main__":
    sys.exit(main())
