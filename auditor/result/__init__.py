"""What was found: frozen values whose shape is the JSON document of the contract.

Every field says who may see it, once, where it is declared:

* `fact`: about the policy, the run or the schema of the data; everybody may see it.
* `total`: a number counted over people; the public sees it only where it is not small.
* `cell`: a value, key or record of the data; only the internal audience sees it.
* `run`: about this run on its machine, as its times; the public does not see it.

The redaction layer (`auditor.report.redact`) reads nothing but these marks, so a new field cannot be forgotten: one
without a mark cannot be defined.

Texts (`message`, `reason`, assumptions) are facts, so they never hold a value or a count of the data; the numbers stand
in fields beside them and the renderers put the sentence together after redaction.

What every document has is imported here. The documents of other commands than `check` are files of their own (`gate`,
`hiding`, `outputs`, …), imported where they are made or drawn: an audit does not load them.
"""

from auditor.result._answers import (
    Answer,
    Document,
    is_of_gate,
    is_of_hiding,
    is_of_masking,
    is_of_outputs,
    is_of_queries,
    is_of_remediation,
    is_of_tradeoff,
)
from auditor.result._document import (
    LACKING,
    SCHEMA_VERSION,
    Citation,
    ClassSummary,
    ColumnFacts,
    CountsFacts,
    DataFacts,
    Dimensionality,
    DimensionStep,
    Feasibility,
    Finding,
    PolicyFacts,
    Result,
    Risk,
    RiskAtK,
    SinceFacts,
    SizeBin,
    Tool,
)
from auditor.result._marks import (
    HIDDEN,
    Audience,
    HiddenTotal,
    Kind,
    Status,
    Strictness,
    Verdict,
    Visibility,
    as_id,
    cell,
    fact,
    fields_of,
    is_hidden,
    plain,
    run,
    total,
)
from auditor.result._requirement import (
    Also,
    ExposedClass,
    Location,
    Monotone,
    NumberBin,
    PatternCounts,
    RequirementResult,
    WaiverFacts,
    verdict_of,
)
from auditor.result._work import StageTime, Work, work_of

__all__ = [
    "HIDDEN",
    "LACKING",
    "SCHEMA_VERSION",
    "Also",
    "Answer",
    "Audience",
    "Citation",
    "ClassSummary",
    "ColumnFacts",
    "CountsFacts",
    "DataFacts",
    "DimensionStep",
    "Dimensionality",
    "Document",
    "ExposedClass",
    "Feasibility",
    "Finding",
    "HiddenTotal",
    "Kind",
    "Location",
    "Monotone",
    "NumberBin",
    "PatternCounts",
    "PolicyFacts",
    "RequirementResult",
    "Result",
    "Risk",
    "RiskAtK",
    "SinceFacts",
    "SizeBin",
    "StageTime",
    "Status",
    "Strictness",
    "Tool",
    "Verdict",
    "Visibility",
    "WaiverFacts",
    "Work",
    "as_id",
    "cell",
    "fact",
    "fields_of",
    "is_hidden",
    "is_of_gate",
    "is_of_hiding",
    "is_of_masking",
    "is_of_outputs",
    "is_of_queries",
    "is_of_remediation",
    "is_of_tradeoff",
    "plain",
    "run",
    "total",
    "verdict_of",
    "work_of",
]
