"""What stands in a file besides the models that are read: known to say nothing of the data, or unread."""

from __future__ import annotations

from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._context import PmmlContext

HOLDS = {
    "ModelVerification": "ModelVerification holds rows, which may be records of the data; remove it before release",
    "TrainingInstances": "TrainingInstances hold records of the data",
    "ModelExplanation": "measures of quality (ModelExplanation) hold counts that were not judged",
    "LinearNorm": "bounds of normalised fields (LinearNorm) are often least and largest values",
    "NeuralNetwork": "a model of a kind that is not read (NeuralNetwork)",
    "Scorecard": "a model of a kind that is not read (Scorecard)",
}
UNKNOWN = "elements that PMML does not know, or that are not read"
EXTENSIONS = "extensions of the producer were not read"
CONTENTS = "extensions of the producer with contents of their own"
PRIOR = "prior probabilities of classes were not judged"
REPLACED = "values that replace missing or outlying ones were not judged"

_FRAME = """PMML Header Application Annotation Timestamp DataDictionary DataField Value Interval Taxonomy ChildParent
MiningSchema MiningField Output OutputField Decisions Decision Targets Target TargetValue MiningBuildTask"""
_TRANSFORMATIONS = """TransformationDictionary LocalTransformations DerivedField DefineFunction ParameterField FieldRef
Constant Apply NormContinuous NormDiscrete Discretize DiscretizeBin MapValues FieldColumnPair InlineTable Aggregate Lag
BlockIndicator TextIndex TextIndexNormalization"""
_STATISTICS = """ModelStats UnivariateStats MultivariateStats Counts NumericInfo Quantile DiscrStats ContStats Anova
Array REAL-Array INT-Array"""
_MODELS = """AssociationModel Item Itemset ItemRef AssociationRule TreeModel Node ScoreDistribution SimplePredicate
SimpleSetPredicate CompoundPredicate True False RuleSetModel RuleSet RuleSelectionMethod SimpleRule CompoundRule
ClusteringModel ComparisonMeasure euclidean squaredEuclidean cityBlock chebychev minkowski simpleMatching jaccard
tanimoto binarySimilarity ClusteringField Comparisons Matrix KohonenMap MissingValueWeights Cluster Partition
Covariances MiningModel Segmentation Segment VariableWeight Regression DecisionTree"""
KNOWN = frozenset(f"{_FRAME} {_TRANSFORMATIONS} {_STATISTICS} {_MODELS}".split())
"""Elements that are read, or that say nothing of the data."""
_TABLES = frozenset({"InlineTable", "Extension", "MiningBuildTask", *HOLDS})
"""What stands in these has names of its own."""


def inspect(root: Element, context: PmmlContext) -> None:
    """Say of every element that is not read whether it may be about the data."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.name in HOLDS:
            context.left(HOLDS[element.name])
        elif element.name == "Extension":
            _extension(element, context)
        elif element.name not in KNOWN and not element.name.endswith("Model"):
            context.left(UNKNOWN)
        elif element.name == "TargetValue" and "priorProbability" in element.attributes:
            context.left(PRIOR)
        elif element.name == "MiningField" and {"missingValueReplacement", "lowValue"} & element.attributes.keys():
            context.note(REPLACED)
        if element.name not in _TABLES and not _is_other_model(element):
            waiting.extend(element.children)


def _extension(element: Element, context: PmmlContext) -> None:
    if element.children or element.text.strip():
        context.left(CONTENTS)
    else:
        context.note(EXTENSIONS)


def _is_other_model(element: Element) -> bool:
    """Whether it is a model that is not read, of which that much is said where the models are."""
    return element.name.endswith("Model") and element.name not in KNOWN
