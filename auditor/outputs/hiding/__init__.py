"""Hiding: sensitive itemsets and rules taken out of transactions before these are released.

::

    transactions + sensitive file ──▶ Problem ──method──▶ Change ──▶ release, written beside, read again, mined again
                                                                         └─▶ measures, and only then renamed into place

    _files, _read, _write    transactions in files: FIMI .dat, JSON lines, compressed
    _sensitive, _thresholds  what must not be found, and what counts as found
    _transactions            items as codes, transactions as sets of them; a change and its application
    _mining, _rules          frequent itemsets (Eclat on bitsets) and rules
    _problem                 what every method is given, and gives back
    methods/                 one method per file
    _measures                what a release hides and costs, counted on the release
    _hide, _run, _outcome    the whole run, and its document

What hiding is not: `docs/hiding.md`.
"""

from auditor.outputs.hiding._hide import Hidden, hide
from auditor.outputs.hiding._run import AUTO
from auditor.outputs.hiding.methods import METHODS

__all__ = ["AUTO", "METHODS", "Hidden", "hide"]
