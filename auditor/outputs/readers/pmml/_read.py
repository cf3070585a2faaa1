"""The models of a file, wherever they stand in it, and what else it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from auditor.errors import Unsupported
from auditor.outputs.published.outputs import Published
from auditor.outputs.readers._file import File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._records import of_records
from auditor.outputs.readers._xml import Element, parse
from auditor.outputs.readers.pmml import _association, _clusters, _rule_set, _statistics, _tree
from auditor.outputs.readers.pmml._context import PmmlContext, ReadModel
from auditor.outputs.readers.pmml._inspect import inspect
from auditor.outputs.readers.pmml._predicates import Conditions, Never, NotExpressible, conditions

MODELS: Mapping[str, ReadModel] = {
    "AssociationModel": _association.read,
    "TreeModel": _tree.read,
    "RuleSetModel": _rule_set.read,
    "ClusteringModel": _clusters.read,
}
HOLDS_RECORDS = {
    "NearestNeighborModel": "a nearest-neighbour model holds the records that it was made from",
    "SupportVectorMachineModel": "a support vector machine holds records: its support vectors",
    "GaussianProcessModel": "a Gaussian process holds the records that it was made from",
}


def is_one(file: File) -> bool:
    """Whether a file is XML."""
    return file.content.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0").startswith(b"<")


def read(file: File, hints: Hints) -> tuple[Published, ...]:
    """What the models of a file publish."""
    root = parse(file)
    if root.name != "PMML":
        raise Unsupported(f"{file.name}: XML that is not PMML; tables as CSV (in pandas, to_csv)")
    context = PmmlContext(file, hints)
    inspect(root, context)
    outputs = [output for model, segment in _models(root, context) for output in _outputs(model, segment, context)]
    if not outputs:
        raise Unsupported(f"{file.name}: {'; '.join(context.unread) or 'PMML without a model'}")
    outputs += _statistics.of_dictionary(root, context)
    counted = [of_records(each, None if each.records is not None else hints.records) for each in outputs]
    return tuple(
        replace(each, notes=(*each.notes, *context.notes), unread=(*each.unread, *context.unread)) for each in counted
    )


def _outputs(model: Element, segment: Conditions, context: PmmlContext) -> Iterator[Published]:
    yield from MODELS[model.name](model, segment, context)
    yield from _statistics.of_model(model, context)


def _models(root: Element, context: PmmlContext) -> Iterator[tuple[Element, Conditions]]:
    """Each model with the conditions of the segments it stands in; what is no model that can be read is said."""
    waiting: list[tuple[Element, Conditions]] = [(each, ()) for each in reversed(root.children)]
    while waiting:
        element, segment = waiting.pop()
        if element.name in MODELS:
            yield element, segment
        elif element.name == "MiningModel":
            if element.first("Regression", "DecisionTree") is not None:
                context.left("models inside a mining model that are not in segments")
            inner = element.first("Segmentation")
            waiting.extend((each, segment) for each in reversed(inner.children if inner is not None else []))
        elif element.name == "Segment":
            waiting.extend(_segment(element, segment, context))
        elif element.name.endswith("Model"):
            context.left(HOLDS_RECORDS.get(element.name, f"a model of a kind that is not read ({_kind(element)})"))


def _segment(element: Element, segment: Conditions, context: PmmlContext) -> list[tuple[Element, Conditions]]:
    try:
        own = (*segment, *conditions(element))
    except Never:
        return []
    except NotExpressible:
        context.left(_tree.NOT_EXPRESSIBLE)
        return []
    return [(each, own) for each in reversed(element.children)]


def _kind(element: Element) -> str:
    return element.name if element.name in KINDS else "of no known name"


KINDS = frozenset(
    f"{kind}Model"
    for kind in (
        *("AnomalyDetection", "Baseline", "BayesianNetwork", "GeneralRegression", "NaiveBayes", "Regression"),
        *("Sequence", "Text", "TimeSeries"),
    )
)
"""PMML's other models, whose names an error may tell; NeuralNetwork and Scorecard do not end in Model."""
