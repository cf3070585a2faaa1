"""What a masking is told in words: which methods were applied, what they cost, what they left to find."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from auditor.report import words
from auditor.result import Result, is_of_masking

if TYPE_CHECKING:
    from auditor.result.masking import AppliedMethod, Masking, MaskingResult

MEANINGS = {
    "average": "aPIL, the mean of the others",
    "mean": "means",
    "variance": "variances",
    "covariance": "covariances",
    "correlation": "correlations",
    "quantiles": "quantiles, from 5 to 95 percent",
}
"""What each figure of information loss is about."""


def is_one(document: Result) -> TypeGuard[MaskingResult]:
    """Whether a document tells of a masking."""
    return is_of_masking(document) and document.masking is not None


def _masked(document: MaskingResult) -> Masking:
    from auditor.result.masking import Masking

    return document.masking or Masking(methods=(), columns=(), records=0, seeded=False)


def methods(document: MaskingResult) -> list[str]:
    """Every method with its parameters and its columns, in the order in which they were applied."""
    return [_method(each) for each in _masked(document).methods]


def _method(applied: AppliedMethod) -> str:
    parameters = ", ".join(f"{name} {_parameter(value)}" for name, value in applied.parameters.items())
    shown = f" ({parameters})" if parameters else ""
    return f"{applied.method}{shown}: {words.listed(applied.attributes)}"


def _parameter(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return words.number(value)
    return value if isinstance(value, str) else "as in the policy"


def applied(document: MaskingResult) -> str:
    """Which columns were masked by which methods, in one line."""
    by_method = [f"{words.listed(each.attributes, 6)} by {each.method}" for each in _masked(document).methods]
    return "; ".join(by_method)


def columns(document: MaskingResult) -> list[tuple[str, str, str]]:
    """Every masked column, what it holds now, and in how many records it holds something else than before."""
    masking = _masked(document)
    return [
        (each.name, each.holds, f"{words.number(each.changed)} of {words.number(masking.records)} records")
        for each in masking.columns
    ]


def losses(document: MaskingResult) -> list[tuple[str, str]]:
    """What an analyst loses, figure by figure, each from 0 (nothing) to 100."""
    lost = document.protection.information_loss if document.protection else None
    if lost is None:
        return []
    return [(MEANINGS[name], words.number(value)) for name, value in vars(lost).items() if value is not None]


def risks(document: MaskingResult) -> list[tuple[str, str]]:
    """What an attacker who holds the original can find, in percent or in records."""
    figures = document.protection
    if figures is None:
        return []
    known = figures.known  # documents of older versions have none
    named = "original values that the attacker knows" + (", the first, the first two, …" if len(known) > 1 else "")
    linked = [(named, words.listed(known))] if known else []
    linked += [
        (f"records re-identified by {each.linkage} linkage", f"{words.number(each.percent)} %")
        for each in figures.linkage
    ]
    told = [
        ("ID, original values near the masked ones", figures.interval_disclosure, " %"),
        ("RD, records re-identified by the best linkage", figures.linkage_risk, " %"),
        ("DR, the mean of ID and RD", figures.disclosure_risk, " %"),
        ("Score, the mean of aPIL and DR", figures.score, ""),
        ("rows that are rows of the original, in all masked columns", figures.same_rows, ""),
        ("records at least that share all masked values", figures.group_k, ""),
    ]
    shown = [(name, f"{words.number(value)}{unit}") for name, value, unit in told if value is not None]
    return [*shown[:1], *linked, *shown[1:]]


def cost(document: MaskingResult) -> str:
    """The figures in one line: what was lost, what is left to find, and both together."""
    figures = document.protection
    if figures is None:
        return "not measured"
    lost = figures.information_loss
    parts = [
        ("information loss (aPIL)", None if lost is None else lost.average),
        ("disclosure risk (DR)", figures.disclosure_risk),
        ("Score", figures.score),
    ]
    told = [f"{name} {words.number(value)}" for name, value in parts if value is not None]
    return f"{', '.join(told)}, each of 100" if told else "not measured"


def facts(document: MaskingResult) -> list[tuple[str, str]]:
    """What was done, as pairs of a short name and a text."""
    before = document.before and document.before.data
    table = f"{before.source}, {words.number(before.rows)} rows" if before else "–"
    return [("table", table), ("masked", applied(document)), ("cost", cost(document))]


def lists(document: MaskingResult) -> list[tuple[str, list[str]]]:
    """What was masked and what it cost, as titles with sentences."""
    figures = document.protection
    return [
        ("What was masked, in this order", methods(document)),
        ("Changed", [f"{name}: {holds}, in {share}" for name, holds, share in columns(document)]),
        ("What it cost, each of 100", [f"{name}: {value}" for name, value in losses(document)]),
        ("What is left to find", [f"{name}: {value}" for name, value in risks(document)]),
        ("Where the Score is gamed", [] if figures is None else list(figures.gamed)),
        ("Not measured", [] if figures is None else list(figures.not_measured)),
    ]
