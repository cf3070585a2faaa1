"""Masked columns that count as numbers, and look like codes: few whole numbers, of which the policy says no type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditor.errors import NotEvaluated
from auditor.microdata import Microdata, Numeric
from auditor.policy import Attribute, Binding
from auditor.policy.file.yaml_text import flow
from auditor.profile import ColumnProfile, may_be_codes
from auditor.protect._figures import MOST_LINKED, linkage_of
from auditor.result import Finding
from auditor.result.masking import CodesAsNumbers, LinkedBy


def codes_as_numbers(
    before: Microdata, after: Microdata, numbers: Sequence[str], binding: Binding
) -> CodesAsNumbers | None:
    """Those of the masked `numbers` that may be codes, and what linkage finds by the others; None where none may be."""
    found = tuple(name for name in numbers if _is_open(binding.roles.get(name)) and _may_be_codes(before.numeric(name)))
    if not found:
        return None
    named = binding.policy.attributes
    others = [name for name in numbers if name not in found]
    return CodesAsNumbers(
        columns=found,
        lines=tuple(_line(name, named[name]) for name in found if name in named),
        others=_most_found(before, after, others) if others and before.records <= MOST_LINKED else None,
    )


def _most_found(before: Microdata, after: Microdata, numbers: Sequence[str]) -> LinkedBy | None:
    try:
        linked = linkage_of(before, after, numbers)
    except NotEvaluated:  # the figures of the masking say why
        return None
    return max(linked, key=lambda each: each.percent or 0.0)


def finding_of(codes: CodesAsNumbers) -> Finding:
    """What the reader is to do about them."""
    names = ", ".join(map(repr, codes.columns))
    told = "Masked and measured as numbers without a declared type, and maybe codes"
    return Finding(level="warning", message=f"{told}: {names}. Declare type: category, or type: integer.")


def _is_open(attribute: Attribute | None) -> bool:
    return attribute is None or attribute.type is None


def _may_be_codes(column: Numeric) -> bool:
    values = np.unique(column.values[~column.missing])
    return may_be_codes(
        ColumnProfile(
            column.name,
            records=len(column.values),
            missing=int(column.missing.sum()),
            distinct=len(values),
            binary=set(values.tolist()) <= {0.0, 1.0},
            whole=bool(np.all(values == np.floor(values))),
        )
    )


def _line(name: str, attribute: Attribute) -> str:
    """The attribute as the policy has it, with the type."""
    written = attribute.model_dump(mode="json", exclude_defaults=True)
    return flow({name: {"role": attribute.role, **written, "type": "category"}})[1:-1]
