"""Every kind of document that a command answers with."""

from __future__ import annotations

from typing import TypeAlias

from auditor.result._document import Result
from auditor.result._gate import GateResult
from auditor.result._hiding import HidingResult
from auditor.result._tradeoff import TradeoffResult

Document: TypeAlias = Result | HidingResult | TradeoffResult
"""What is redacted as one document."""
Answer: TypeAlias = Document | GateResult
"""What can be rendered: a document, or the gate's, which holds several."""
