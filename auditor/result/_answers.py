"""Every kind of document that a command answers with, told apart by that command: their classes load when used."""

from __future__ import annotations

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
    return _command(answer) == "gate"


def is_of_hiding(answer: object) -> TypeIs[HidingResult]:
    """Whether a document is that of transactions whose patterns were hidden."""
    return _command(answer) == "hide"


def is_of_masking(answer: object) -> TypeIs[MaskingResult]:
    """Whether a document is that of a masked table."""
    return _command(answer) == "mask"


def is_of_outputs(answer: object) -> TypeIs[OutputsResult]:
    """Whether a document is that of mining outputs."""
    return _command(answer) == "outputs"


def is_of_queries(answer: object) -> TypeIs[QueriesResult]:
    """Whether a document is that of a query log."""
    return _command(answer) == "queries"


def is_of_remediation(answer: object) -> TypeIs[RemediationResult]:
    """Whether a document is that of a remediated table."""
    return _command(answer) == "remediate"


def is_of_tradeoff(answer: object) -> TypeIs[TradeoffResult]:
    """Whether a document is that of a sweep over masking methods."""
    return _command(answer) == "tradeoff"


def _command(answer: object) -> object:
    return getattr(answer, "command", None)
