"""Probabilistic loss of 125 masked files of 1,080 records and 13 columns, the original prepared once.

Within 5 CPU ms each, so that a sweep of 25 methods and 5 seeds spends its time on masking and linkage. Beside it stands
what preparing costs, and what each would cost if the original were prepared anew.
"""

from __future__ import annotations

import sys
from functools import partial
from statistics import median

import numpy as np

from _measure import MET, MISSED, judge, show, start, timed
from _tables import workplace
from auditor.utility import Original, probabilistic_loss

RECORDS, COLUMNS, FILES = 1080, 13, 125
CPU_MS = 5


def main() -> int:
    start(f"Probabilistic loss of {FILES} masked files of {RECORDS:,} records and {COLUMNS} columns")
    generator = np.random.default_rng(35)
    with workplace() as (options, _):
        data = options.data
        original = (
            np.loadtxt(data, delimiter=",", skiprows=1)
            if data
            else generator.lognormal(size=(RECORDS, 1)) * generator.lognormal(size=(RECORDS, COLUMNS))
        )
    files = [original + generator.normal(scale=original.std(0) / 10, size=original.shape) for _ in range(FILES)]
    probabilistic_loss(original, files[0])  # imports scipy
    show("preparing the original", timed(lambda: Original(original)))
    prepared = Original(original)
    costs = [timed(partial(prepared.loss, masked)).cpu for masked in files]
    anew = timed(lambda: probabilistic_loss(original, files[0])).cpu
    print(f"   all files {sum(costs):.3f} CPU s; each with the original prepared anew {1000 * anew:.1f} CPU ms")
    return MET if judge("a masked file, median CPU", 1000 * median(costs), CPU_MS, " ms") else MISSED


if __name__ == "__main__":
    sys.exit(main())
