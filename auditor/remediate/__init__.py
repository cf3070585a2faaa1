"""Remediation: the least generalization that meets a policy, searched in class tables and never in the data.

::

    _problem     policy + counted data → towers, demands, ranges, losses
    _rollup      a class table rolled up a lattice: the hot kernel
    _evaluate    one node: what it suppresses, whether it solves
    _losses      what it loses
    _search      samarati, incognito, optimal: exact, pruning only by what the demands grant
    _remediate   the whole: audit, search, write, audit what was written
"""

from auditor.remediate._remediate import Remediated, remediate

__all__ = ["Remediated", "remediate"]
