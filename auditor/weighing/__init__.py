"""Weighing masking methods: what each loses, what it discloses, and whether the policy is met.

::

    _presets, _candidates   what is tried: a policy's protection with its sweeps, or a preset; published names
    _sweep, _state          every candidate with every seed, by several processes, resumable
    _measure, _judged       one masked table: aPIL, ID, RD; whether the policy is met
    _weigh, _changes        means, the frontier, gamed Scores, what to take and what it does
    _tradeoff               the whole run, and its document
"""

from auditor.weighing._presets import PRESETS
from auditor.weighing._tradeoff import SEEDS, Weighed, tradeoff

__all__ = ["PRESETS", "SEEDS", "Weighed", "tradeoff"]
