"""auditor: a declarative, policy-driven privacy compliance checker and auditor.

A policy says what must hold; an engine counts the data once into a class table; models read numbers off that table; a
result says what is met; a renderer shows it. The packages, from the bottom up::

    errors                       every error a user can meet
    distribution                 what is installed: its name, its version, its extras
    dialect                      how CSV files are written
    stages                       the current stage of a long run, for its result and for progress
    workers                      processes that work for a caller, without running the caller's script
    classes, wildcard            class tables: equivalence classes and sensitive counts
    hierarchies                  ladders of coarser values
    result                       what was found, as frozen values
    microdata                    one row per record, in memory
    masking, risk, utility       methods of masking; what an attacker can still find; what was lost
    models                       one privacy model per file
    engines                      data → class tables
    report                       result → redacted result → a format
    policy                       what a release must satisfy
    judge                        from evidence on a demand to its status; what excuses a breach
    audit, profile               data + policy → result; data → a proposed policy
    inference, queries           what published answers determine; query logs, offline and online
    ledger, outputs              what was released before; mining outputs and what they disclose together
    release                      the only writer of data
    remediate                    data + policy → the least generalization that meets the policy
    protect                      data + policy → the masked table, and what the masking cost
    weighing                     methods of masking compared by what they lose and what they disclose
    costs                        what a command would read, group, hold and move, before it runs
    certificates                 what was judged, by which policy, with which outcome, bound by digests
    testing                      tests of policies: tiny tables, expected outcomes, changes that no test would notice
    gate                         releases in a git repository, compared with the base revision
    cli                          the command line

The public API is what this module exports. It is imported on first use, so that ``import auditor`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.audit import CheckResult, check, counting_sql, diff
    from auditor.dialect import CsvDialect
    from auditor.errors import AuditorError
    from auditor.gate import gate
    from auditor.outputs import OutputsAudit, check_outputs
    from auditor.outputs.hiding import Hidden, hide
    from auditor.policy import Policy, load_policy
    from auditor.policy.explain import explain
    from auditor.policy.lint import lint
    from auditor.profile import init
    from auditor.protect import Masked, mask
    from auditor.queries import QueryAudit, QueryAuditor, audit_queries
    from auditor.remediate import Remediated, remediate
    from auditor.result import Audience, Result, Status, Verdict
    from auditor.testing import test
    from auditor.weighing import Weighed, tradeoff

_HOMES = {
    "Audience": "auditor.result",
    "AuditorError": "auditor.errors",
    "CheckResult": "auditor.audit",
    "CsvDialect": "auditor.dialect",
    "Hidden": "auditor.outputs.hiding",
    "Masked": "auditor.protect",
    "OutputsAudit": "auditor.outputs",
    "Policy": "auditor.policy",
    "QueryAudit": "auditor.queries",
    "QueryAuditor": "auditor.queries",
    "Remediated": "auditor.remediate",
    "Result": "auditor.result",
    "Status": "auditor.result",
    "Verdict": "auditor.result",
    "Weighed": "auditor.weighing",
    "audit_queries": "auditor.queries",
    "check": "auditor.audit",
    "check_outputs": "auditor.outputs",
    "counting_sql": "auditor.audit",
    "diff": "auditor.audit",
    "explain": "auditor.policy.explain",
    "gate": "auditor.gate",
    "hide": "auditor.outputs.hiding",
    "init": "auditor.profile",
    "lint": "auditor.policy.lint",
    "load_policy": "auditor.policy",
    "mask": "auditor.protect",
    "remediate": "auditor.remediate",
    "test": "auditor.testing",
    "tradeoff": "auditor.weighing",
}

__all__ = [
    "Audience",
    "AuditorError",
    "CheckResult",
    "CsvDialect",
    "Hidden",
    "Masked",
    "OutputsAudit",
    "Policy",
    "QueryAudit",
    "QueryAuditor",
    "Remediated",
    "Result",
    "Status",
    "Verdict",
    "Weighed",
    "audit_queries",
    "check",
    "check_outputs",
    "counting_sql",
    "diff",
    "explain",
    "gate",
    "hide",
    "init",
    "lint",
    "load_policy",
    "mask",
    "remediate",
    "test",
    "tradeoff",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from auditor.distribution import version

        return version()
    if name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
        return globals().get(name, found)  # a package of that name is the function, too, from its import on
    raise AttributeError(f"module 'auditor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
