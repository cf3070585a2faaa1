"""Local recoding: records are put into groups, and each group is released under labels of its own.

A search of the lattice gives every value of a column the same label wherever it stands; here the same value may be
released finely where there are many like it, and coarsely where there are few.

::

    _scales      how the values of one quasi-identifier are made coarser for a group, and what that loses
    _partition   the records in groups
    _judge       whether groups meet what a policy demands of every class
    _mondrian    groups by splitting
    _constrained groups by regions, in each of which every column has one level
    _distance    the weighted hierarchical distance between classes
    _kaca        groups by merging along it
    _mage        groups by merging categories and dividing their numbers
    _setup       from a policy and counted data to what these need; what is refused
    _whole       a partition as the release that it stands for, judged as a whole, and its losses
    _mend        merging groups until that holds
    _recoded     what a search found: the release, the solution, the mapping
"""

from auditor.remediate.local._recoding import Recoded, recoded

__all__ = ["Recoded", "recoded"]
