"""The neutral JSON: one object per output, and an array of them for several. Ledgers keep outputs in this form.

What each type holds stands in docs/output-formats.md. `from_json(as_json(output))` is the same output, but for where
it came from (`source`, `format`, `sha256`, given anew) and what its first reader said of it (`notes`, `unread`); in a
ledger, which sorts names, classes and statistics stand in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auditor.outputs.published.outputs import (
    AssociationRules,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    MagnitudeTable,
    Published,
    Regression,
)
from auditor.outputs.readers._file import File, Provenance
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import Value
from auditor.outputs.readers._reader import Documents
from auditor.outputs.readers._records import of_records
from auditor.outputs.readers.neutral._models import clusters, regression, written_clusters, written_regression
from auditor.outputs.readers.neutral._parts import given
from auditor.outputs.readers.neutral._patterns import itemsets, rules, written_itemsets, written_rules
from auditor.outputs.readers.neutral._tables import statistics, table, written_statistics, written_table
from auditor.outputs.readers.neutral._trees import tree, written_tree
from auditor.registry import Ground

FORMAT = "neutral JSON"
ABOUT = "every type of output"
GROUND = Ground.CONTENTS
__all__ = ["FORMAT", "as_json", "from_json", "is_one", "read"]


def is_one(value: Value) -> bool:
    """Whether a document is an output in the neutral form, or an array of them."""
    content = value.content
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and isinstance(first.get("type"), str)


def read(value: Value, file: File, hints: Hints) -> tuple[Published, ...]:
    """The outputs of a document."""
    values = value.elements() if isinstance(value.content, list) else [value]
    provenance = file.provenance(FORMAT)
    return tuple(of_records(_read(each, provenance, hints.columns), hints.records) for each in values)


def from_json(content: Mapping[str, Any], *, source: str = "", columns: Columns = frozenset()) -> Published:
    """The output that an object in the neutral form describes; the inverse of `as_json`.

    Raises:
        DataError: the object is none; the message has the place in it.
    """
    provenance = Provenance(source=source, format=FORMAT, sha256="")
    return _read(Value(dict(content), "", source), provenance, columns)


def as_json(output: Published) -> dict[str, Any]:
    """An output in the neutral form: everything that checks read, and nothing that JSON could not hold."""
    body = _WRITERS[type(output)](output)
    return {
        "type": output.type,
        **given(records=output.records if output.records_told else None),
        **body,
    }


def _read(value: Value, provenance: Provenance, columns: Columns) -> Published:
    kind = value.content.get("type") if isinstance(value.content, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        value.wrong("no type of output that is known", f"a member 'type': {', '.join(_READERS)}")
    required, optional, read_as = _READERS[kind]
    found = value.known(("type", *required), ("records", *optional))
    for name in required:
        if name not in found:
            value.wrong(f"{name!r} is null", f"a value for {name!r}")
    records = found["records"].count() if "records" in found else None
    return read_as(found, columns, {**provenance, "records": records})


_Read = Callable[[Mapping[str, Value], Columns, dict[str, Any]], Published]

_READERS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], _Read]] = {
    "association-rules": (("rules",), ("min_support",), rules),
    "frequent-itemsets": (("itemsets",), ("min_support", "longest"), itemsets),
    "decision-tree": (("leaves",), ("target", "inner", "ordered"), tree),
    "frequency-table": (("by", "cells"), ("where", "missing"), table),
    "magnitude-table": (("by", "of", "cells"), ("where", "missing"), table),
    "statistics": (("of", "by", "cells"), ("where", "missing"), statistics),
    "regression": (("terms",), ("outcome", "dof"), regression),
    "clusters": (("clusters",), (), clusters),
}
_WRITERS: Mapping[type[Published], Callable[[Any], dict[str, Any]]] = {
    AssociationRules: written_rules,
    FrequentItemsets: written_itemsets,
    DecisionTree: written_tree,
    FrequencyTable: written_table,
    MagnitudeTable: written_table,
    GroupStatistics: written_statistics,
    Regression: written_regression,
    Clustering: written_clusters,
}


READERS = (Documents(lambda value, _: is_one(value), read),)
