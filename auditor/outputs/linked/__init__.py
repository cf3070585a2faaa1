"""What published counts and sums say together: one linear system over the cells of a joint table.

Every output that counts groups of records (tables, itemsets, rules, trees, statistics with n) says of some groups how
many records they have. The columns that the groups speak of, each split into the classes of values that no output tells
apart, span a joint table; a published number is a sum of its cells, and what follows of any cell, or of a suppressed
one, is a question to integer programmes (`auditor.inference`). Hierarchical tables, linked tables and releases of
different days are all the same system.
"""

from auditor.outputs.linked._classes import Column, column_of
from auditor.outputs.linked._derivation import ROUNDS, Derived, derived, following, tangles
from auditor.outputs.linked._nesting import NOTHING_NESTED, Listing, Nesting
from auditor.outputs.linked._numbers import (
    UNKNOWN,
    Number,
    cell_group,
    cell_name,
    counted,
    summed,
    suppressed_count,
)
from auditor.outputs.linked._reduction import Bits, Contradiction, Row
from auditor.outputs.linked._system import SumInterval, System
from auditor.outputs.linked._tangle import Pick, Tangle, UnionQuestion

__all__ = [
    "NOTHING_NESTED",
    "ROUNDS",
    "UNKNOWN",
    "Bits",
    "Column",
    "Contradiction",
    "Derived",
    "Listing",
    "Nesting",
    "Number",
    "Pick",
    "Row",
    "SumInterval",
    "System",
    "Tangle",
    "UnionQuestion",
    "cell_group",
    "cell_name",
    "column_of",
    "counted",
    "derived",
    "following",
    "summed",
    "suppressed_count",
    "tangles",
]
