"""Remediation: the least generalization that meets a policy, searched in class tables and never in the data.

::

    _problem     policy + counted data → towers, demands, ranges, losses
    _rollup      a class table rolled up a lattice: the hot kernel
    _evaluate    one node: what it suppresses, whether it solves
    _losses      what it loses
    _search      samarati, incognito, optimal: exact, pruning only by what the demands grant
    _chosen      the node that was chosen, and the release that it stands for
    _shortfall   why no node solves, and what would be enough
    _tables      the mapping and the lattice as files
    _remediate   the whole: audit, search, write, audit what was written
"""

from auditor.remediate._remediate import remediate
from auditor.remediate._remediated import Remediated, RemediateResult

__all__ = ["RemediateResult", "Remediated", "remediate"]
