"""Results of `mask`, from ordinary to hostile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from auditor.result import Result, Status
from auditor.result.masking import (
    AppliedMethod,
    LinkedBy,
    LostInformation,
    MaskedColumn,
    Masking,
    MaskingFigures,
    MaskingResult,
)
from tests.report import samples


def masking_of(result: Result, names: Sequence[str] = ("age", "cost"), **changes: Any) -> MaskingResult:
    """A masking of some columns whose masked table has this audit."""
    before = samples.SAMPLES["failing"]()
    rows = result.data.rows if result.data else 0
    masking = Masking(
        methods=(
            AppliedMethod(method="microaggregation", attributes=tuple(names[:1]), parameters={"k": 5}),
            AppliedMethod(method="pseudonyms", attributes=tuple(names[1:]), parameters={"key": "confidential"}),
            AppliedMethod(method="pram", attributes=tuple(names), parameters={"matrix": {"a": {"b": 1}}, "flag": True}),
        ),
        columns=tuple(MaskedColumn(name=name, holds="numbers", changed=rows - 3) for name in names),
        records=rows,
        seeded=False,
    )
    figures = MaskingFigures(
        numbers=tuple(names),
        information_loss=LostInformation(
            average=34.36, mean=0.0, variance=12.5, covariance=51.0, correlation=60.25, quantiles=48.0
        ),
        interval_disclosure=32.3,
        known=tuple(names[:2]),
        linkage=(
            LinkedBy(linkage="euclidean", percent=4.1, rates=(2.2, 6.0)),
            LinkedBy(linkage="mahalanobis", percent=3.2, rates=(1.0, 5.4)),
        ),
        linkage_risk=4.1,
        disclosure_risk=18.2,
        score=26.28,
        same_rows=14,
        group_k=11,
    )
    top = {each.name: getattr(result, each.name) for each in fields(Result)}
    own = {"masking": masking, "protection": figures, "before": before, "after": result, "written": result.passed}
    return MaskingResult(**{**top, "command": "mask", **own, **changes})


def masked() -> MaskingResult:
    """The ordinary good end."""
    return masking_of(samples.SAMPLES["passing"]())


def not_met() -> MaskingResult:
    """The masked table does not meet the policy."""
    return masking_of(samples.SAMPLES["failing"]())


def little_left() -> MaskingResult:
    """A risk so small that it tells of a few people, and a k below the one demanded."""
    found = masked()
    assert found.protection is not None
    assert found.data is not None
    few = 100 * 3 / found.data.rows
    linked = LinkedBy(linkage="euclidean", percent=few, rates=(0.0, 2 * few))
    return replace(
        found, protection=replace(found.protection, linkage=(linked,), linkage_risk=few, same_rows=2, group_k=1)
    )


def categories_alone() -> MaskingResult:
    """Nothing of what is measured on numbers."""
    figures = MaskingFigures(
        numbers=(), same_rows=20, group_k=12, not_measured=("Information loss: no masked column holds numbers",)
    )
    return replace(masked(), protection=figures, written=False)


def hostile_masking() -> MaskingResult:
    """Markup and commands as names of columns, methods and reasons."""
    found = masking_of(samples.SAMPLES["hostile"](), samples.HOSTILE)
    assert found.protection is not None
    return replace(found, protection=replace(found.protection, not_measured=tuple(samples.HOSTILE)))


def unjudged() -> MaskingResult:
    """The masked table could not be judged."""
    result = samples.SAMPLES["not-evaluated"]()
    assert any(each.status is Status.NOT_EVALUATED for each in result.requirements)
    return masking_of(result)


MASKINGS = {
    "masked": masked,
    "masked-not-met": not_met,
    "masked-little-left": little_left,
    "masked-categories": categories_alone,
    "hostile-masking": hostile_masking,
    "masked-unjudged": unjudged,
}
"""Every sample of a masking by name."""
