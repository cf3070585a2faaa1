"""Remediation: the least generalization that meets a policy, searched in class tables and never in the data.

::

    _rungs       ladders in tree order
    _counting    counted data → ladders, base tables, what sensitive values mean
    _residents   the population, ready to be rolled up beside the data; _population: held against a node
    _sample_rows the rows of a sample at a node, for what class sizes do not decide
    _base        how fine the base tables are: as the policy allows, and as fits into memory
    _problem     policy + counted data → demands, ranges, an evaluator, losses
    _compliance  the levels whose labels the requirements on columns allow
    _rollup      a class table rolled up a lattice: the hot kernel
    _evaluate    one node: what it suppresses, whether it solves
    _restricted  the classes that are kept, with the reference distribution that is left
    _recount     the same where classes alone do not decide: units, wildcards, stars, joined attributes
    _losses      what it loses
    _search      samarati, incognito, optimal: exact, pruning only by what the demands grant
    _branch      the walk of optimal: branch and bound
    _costs       what each quasi-identifier costs, where not every node was scored
    _chosen      the node that was chosen, and the release that it stands for
    _shortfall   why no node solves, and what would be enough
    _written     the release, written and audited from the file
    _tables      the mapping and the lattice as files
    local        groups of records, each made coarser on its own, in place of a node
    _study       the searches on a class table alone
    _remediate   the whole: audit, search, write, audit what was written
"""

from auditor.callable_package import called
from auditor.remediate._remediate import remediate
from auditor.remediate._remediated import Remediated, RemediateResult
from auditor.remediate._study import Searched, search

__all__ = ["RemediateResult", "Remediated", "Searched", "remediate", "search"]

called(__name__, remediate)
