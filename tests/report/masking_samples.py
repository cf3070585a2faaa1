"""Results of `mask`, from ordinary to hostile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from auditor.result import Result, Status
from auditor.result.masking import (
    AppliedMethod,
    CodesAsNumbers,
    ColumnDistribution,
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


def distribution(name: str, **changes: Any) -> ColumnDistribution:
    """A column of numbers, with bins of three hundred, and 40 values that were suppressed."""
    own = {"edges": (10.0, 20.0), "before": (300, 400, 300), "after": (300, 380, 280)}
    return ColumnDistribution(name=name, **{**own, "missing_before": 0, "missing_after": 40, **changes})


def pictured(names: Sequence[str] = ("age", "cost", "ward")) -> MaskingResult:
    """Distributions of numbers and of categories, and codes that linkage takes for numbers."""
    found = masking_of(samples.SAMPLES["passing"](), names)
    assert found.masking is not None
    long = tuple(f"a very long category, {'which has a long name' * n}" for n in range(8))
    kinds: list[dict[str, Any]] = [
        {},
        {"edges": tuple(10_000_000.0 * n for n in range(1, 17)), "before": (60,) * 17, "after": (55,) * 17},
        {"edges": None, "labels": long, "rest": True, "before": (110,) * 9, "after": (*(100,) * 8, 150)},
    ]
    columns = tuple(distribution(name, **kinds[n % 3]) for n, name in enumerate(names))
    others = LinkedBy(linkage="euclidean", percent=36.5, rates=(13.0, 60.0))
    lines = tuple(f"{name}: {{role: quasi-identifier, type: category}}" for name in names[:2])
    codes = CodesAsNumbers(columns=tuple(names[:2]), lines=lines, others=others)
    assert found.protection is not None
    figures = replace(found.protection, numbers=(*names, *"xy"))
    return replace(found, masking=replace(found.masking, distributions=columns, codes=codes), protection=figures)


def many_pictured() -> MaskingResult:
    """More columns than a page draws, of long names."""
    return pictured([f"column-with-a-long-name-{n}" for n in range(15)])


def hostile_pictures() -> MaskingResult:
    """Markup and commands as names of columns and of categories."""
    found = pictured(samples.HOSTILE)
    assert found.masking is not None
    hostile = tuple(samples.HOSTILE[:2])
    drawn = distribution(samples.HOSTILE[0], edges=None, labels=hostile, before=(500, 500), after=(480, 480))
    return replace(found, masking=replace(found.masking, distributions=(drawn, *found.masking.distributions)))


MASKINGS = {
    "masked-pictured": pictured,
    "masked-many-pictured": many_pictured,
    "hostile-masking-pictures": hostile_pictures,
    "masked": masked,
    "masked-not-met": not_met,
    "masked-little-left": little_left,
    "masked-categories": categories_alone,
    "hostile-masking": hostile_masking,
    "masked-unjudged": unjudged,
}
"""Every sample of a masking by name."""
