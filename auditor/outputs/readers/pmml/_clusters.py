"""ClusteringModel: clusters with their sizes and centres."""

from __future__ import annotations

from auditor.outputs.published.outputs import Cluster, Clustering, Published
from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._context import CLAIMED, PmmlContext
from auditor.outputs.readers.pmml._predicates import Conditions, array_values


def read(model: Element, segment: Conditions, context: PmmlContext) -> list[Published]:
    """The clusters of a model."""
    fields = [
        each.required("field")
        for each in model.all("ClusteringField")
        if each.attributes.get("isCenterField", "true") == "true"
    ]
    context.note(CLAIMED)
    if segment:
        context.left("a clustering of a segment, which speaks of a part of the records only")
    clusters = tuple(_cluster(each, fields, context) for each in model.all("Cluster"))
    sizes = [each.size for each in clusters if each.size is not None]
    records = sum(sizes) if sizes and len(sizes) == len(clusters) else None
    return [Clustering(**context.base(), records=records, clusters=clusters)]


def _cluster(element: Element, fields: list[str], context: PmmlContext) -> Cluster:
    if element.first("Partition") is not None:
        context.left("statistics of single clusters (Partition)")
    if element.first("Covariances") is not None:
        context.left("covariances of single clusters")
    array = element.first("Array")
    centre = [] if array is None else array_values(array)
    if len(centre) not in (0, len(fields)):
        element.wrong("a centre with another number of values than there are fields", "a value per ClusteringField")
    return Cluster(size=element.count("size"), centre=tuple(zip(fields, centre, strict=False)))
