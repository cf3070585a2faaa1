"""The gate: releases of a git repository, judged, and their rules compared with those of the base revision.

::

    manifest   the nearest auditor.yaml upwards: which files leave the house under which policy
    base       the revision that a change is compared with; what is trusted stands there
    judge      data, query logs and outputs under the head's policy, and under the base's where it is another
    compare    policies, the entries of the manifest, the trusted settings; approvals of what is weaker
    summary    what became of each release, and of the whole

Everything that a change brings may be hostile: it names places, and is confined to the repository; it names variables,
and may have those that the base revision lists; it cannot say what is trusted.
"""

from auditor.callable_package import called
from auditor.gate._certify import certify
from auditor.gate._dry_run import GateDryRun, foretold
from auditor.gate._guard import refused
from auditor.gate._ledger import ledger_turn
from auditor.gate._lock import packs
from auditor.gate._manifest import ManifestEntry, entries_of, policies_of
from auditor.gate._run import Gate, Gated, Options, gate, gated
from auditor.gate._sinks import refuse_links, sinks

__all__ = [
    "Gate",
    "GateDryRun",
    "Gated",
    "ManifestEntry",
    "Options",
    "certify",
    "entries_of",
    "foretold",
    "gate",
    "gated",
    "ledger_turn",
    "packs",
    "policies_of",
    "refuse_links",
    "refused",
    "sinks",
]

called(__name__, gate)
