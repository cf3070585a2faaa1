"""Every kind of document that a command answers with, told apart without loading the classes of the others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias

from typing_extensions import TypeIs

if TYPE_CHECKING:
    from auditor.result._document import Result
    from auditor.result.gate import GateResult
    from auditor.result.hiding import HidingResult
    from auditor.result.masking import MaskingResult
    from auditor.result.outputs import OutputsResult
    from auditor.result.queries import QueriesResult
    from auditor.result.remediation import RemediationResult
    from auditor.result.tradeoff import TradeoffResult

Document: TypeAlias = "Result | HidingResult | TradeoffResult"
"""What is redacted as one document."""
Answer: TypeAlias = "Document | GateResult"
"""What can be rendered: a document, or the gate's, which holds several."""


def is_of_gate(answer: object) -> TypeIs[GateResult]:
    """Whether a document is that of a gate."""
    return _is(answer, "gate", "GateResult")


def is_of_hiding(answer: object) -> TypeIs[HidingResult]:
    """Whether a document is that of transactions whose patterns were hidden."""
    return _is(answer, "hiding", "HidingResult")


def is_of_masking(answer: object) -> TypeIs[MaskingResult]:
    """Whether a document is that of a masked table."""
    return _is(answer, "masking", "MaskingResult")


def is_of_outputs(answer: object) -> TypeIs[OutputsResult]:
    """Whether a document is that of mining outputs."""
    return _is(answer, "outputs", "OutputsResult")


def is_of_queries(answer: object) -> TypeIs[QueriesResult]:
    """Whether a document is that of a query log."""
    return _is(answer, "queries", "QueriesResult")


def is_of_remediation(answer: object) -> TypeIs[RemediationResult]:
    """Whether a document is that of a remediated table."""
    return _is(answer, "remediation", "RemediationResult")


def is_of_tradeoff(answer: object) -> TypeIs[TradeoffResult]:
    """Whether a document is that of a sweep over masking methods."""
    return _is(answer, "tradeoff", "TradeoffResult")


def _is(answer: object, module: str, kind: str) -> bool:
    """Whether a value is of a class; none is while nobody has loaded the module of the class."""
    loaded = sys.modules.get(f"{__package__}.{module}")
    return loaded is not None and isinstance(answer, getattr(loaded, kind))
