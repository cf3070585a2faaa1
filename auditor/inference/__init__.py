"""What published answers determine about the unknown numbers they were computed from.

Published sums are linear equations, whether they come from a query log, a table, itemsets or the leaves of a tree.
This room knows nothing of logs, policies or data: it is given equations over groups of interchangeable unknowns
(`Equations`) and says what follows from them.
"""

from auditor.inference.integer.parts import UnknownDomain
from auditor.inference.linear.answered import AnsweredSums, Consequences
from auditor.inference.linear.equations import Equations
from auditor.inference.linear.groups import Group, Groups, disclosed_groups
from auditor.inference.linear.individuals import Individual, disclosed_individuals
from auditor.inference.linear.row_space import Certificate, NullVectors, RowSpace

__all__ = [
    "AnsweredSums",
    "Certificate",
    "Consequences",
    "Equations",
    "Group",
    "Groups",
    "Individual",
    "NullVectors",
    "RowSpace",
    "UnknownDomain",
    "disclosed_groups",
    "disclosed_individuals",
]
