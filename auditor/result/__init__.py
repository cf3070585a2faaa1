"""What was found: frozen values whose shape is the JSON document of the contract.

Every field says who may see it, once, where it is declared:

* `fact`: about the policy, the run or the schema of the data; everybody may see it.
* `total`: a number counted over people; the public sees it only where it is not small.
* `cell`: a value, key or record of the data; only the internal audience sees it.

The redaction layer (`auditor.report.redact`) reads nothing but these marks, so a new field cannot be forgotten: one
without a mark cannot be defined.

Texts (`message`, `reason`, assumptions) are facts, so they never hold a value or a count of the data; the numbers stand
in fields beside them and the renderers put the sentence together after redaction.
"""

from auditor.result._answers import Answer, Document
from auditor.result._comparison import ComparedPolicy, Difference, JudgedByBoth, PolicyComparison, Strictness
from auditor.result._document import (
    SCHEMA_VERSION,
    Also,
    Citation,
    ClassSummary,
    ColumnFacts,
    DataFacts,
    Dimensionality,
    DimensionStep,
    ExposedClass,
    Feasibility,
    Finding,
    Location,
    Monotone,
    NumberBin,
    PolicyFacts,
    RequirementResult,
    Result,
    Risk,
    RiskAtK,
    SizeBin,
    Tool,
    Waiver,
    verdict_of,
)
from auditor.result._gate import (
    Approval,
    Change,
    GateFile,
    GateResult,
    GateStatus,
    ReleaseResult,
    Revision,
)
from auditor.result._hiding import HiddenPattern, Hiding, HidingMethod, HidingResult
from auditor.result._marks import (
    Audience,
    Kind,
    Status,
    Verdict,
    Visibility,
    cell,
    fact,
    plain,
    total,
)
from auditor.result._outputs import OutputResult, OutputsResult, OutputViolation, Picture, PictureItem
from auditor.result._policy_tests import AchievedDifference, CaseResult, Mutant, PolicyTestsResult
from auditor.result._queries import (
    Disclosure,
    LogFacts,
    QueriesResult,
    QueryResult,
    StructuralFacts,
    UnsupportedConstruct,
    UserCoverage,
)
from auditor.result._remediation import (
    AttributeCost,
    CoarserLadder,
    LadderChoice,
    Lattice,
    LatticeHeight,
    LatticeNode,
    Obstacle,
    RemediationResult,
    Shortfall,
    Solution,
)
from auditor.result._tradeoff import AttributeChange, Recommended, TradeoffResult, WeighedMethod

__all__ = [
    "SCHEMA_VERSION",
    "AchievedDifference",
    "Also",
    "Answer",
    "Approval",
    "AttributeChange",
    "AttributeCost",
    "Audience",
    "CaseResult",
    "Change",
    "Citation",
    "ClassSummary",
    "CoarserLadder",
    "ColumnFacts",
    "ComparedPolicy",
    "DataFacts",
    "Difference",
    "DimensionStep",
    "Dimensionality",
    "Disclosure",
    "Document",
    "ExposedClass",
    "Feasibility",
    "Finding",
    "GateFile",
    "GateResult",
    "GateStatus",
    "HiddenPattern",
    "Hiding",
    "HidingMethod",
    "HidingResult",
    "JudgedByBoth",
    "Kind",
    "LadderChoice",
    "Lattice",
    "LatticeHeight",
    "LatticeNode",
    "Location",
    "LogFacts",
    "Monotone",
    "Mutant",
    "NumberBin",
    "Obstacle",
    "OutputResult",
    "OutputViolation",
    "OutputsResult",
    "Picture",
    "PictureItem",
    "PolicyComparison",
    "PolicyFacts",
    "PolicyTestsResult",
    "QueriesResult",
    "QueryResult",
    "Recommended",
    "ReleaseResult",
    "RemediationResult",
    "RequirementResult",
    "Result",
    "Revision",
    "Risk",
    "RiskAtK",
    "Shortfall",
    "SizeBin",
    "Solution",
    "Status",
    "Strictness",
    "StructuralFacts",
    "Tool",
    "TradeoffResult",
    "UnsupportedConstruct",
    "UserCoverage",
    "Verdict",
    "Visibility",
    "Waiver",
    "WeighedMethod",
    "cell",
    "fact",
    "plain",
    "total",
    "verdict_of",
]
