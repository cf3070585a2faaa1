"""What a masking is told in words: which methods were applied, what they cost, what they left to find."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from auditor.report import words
from auditor.result import Result, is_hidden, is_of_masking

if TYPE_CHECKING:
    from auditor.result.masking import (
        AppliedMethod,
        ColumnDistribution,
        LinkedBy,
        Masking,
        MaskingResult,
    )

    Linked: TypeAlias = tuple[str, LinkedBy, Sequence[str]]
    """A title, a linkage, and what the attacker may know."""

MEANINGS = {
    "average": "aPIL, the mean of the others",
    "mean": "means",
    "variance": "variances",
    "covariance": "covariances",
    "correlation": "correlations",
    "quantiles": "quantiles, from 5 to 95 percent",
}
"""What each figure of information loss is about."""
MISSING = "missing"
MOST_DRAWN = 12
"""Columns that a page draws before and after."""


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


def whole(document: MaskingResult) -> int:
    """All records; 1 where their number is hidden: then nothing is drawn."""
    records = _masked(document).records
    return 1 if is_hidden(records) else max(records, 1)


def drawn(document: MaskingResult) -> list[ColumnDistribution]:
    """The masked columns that are drawn before and after, in their order."""
    return [each for each in _masked(document).distributions if _is_seen(each)][:MOST_DRAWN]


def _is_seen(column: ColumnDistribution) -> bool:
    """Whether the counts are shown, and are as many as the bins (a stored document may say anything)."""
    if is_hidden(column.before) or is_hidden(column.after):
        return False
    edges, labels = ends(column), column.labels
    bins = len(edges) + 1 if edges else len(labels) + column.rest if labels else len(column.before)
    return len(column.before) == len(column.after) == bins > 0


def not_drawn(document: MaskingResult) -> list[str]:
    """How many masked columns have no picture, and why."""
    masking, seen = _masked(document), drawn(document)
    hidden = sum(is_hidden(each.before) for each in masking.distributions)
    more = len(masking.distributions) - len(seen) - hidden
    without = len(masking.columns) - len(masking.distributions)
    reasons = [
        (more, f"only {MOST_DRAWN} are"),
        (hidden, "few values were masked or lost; this audience is not told which"),
        (without, "too few records share a value, nearly all do, or numbers became categories"),
    ]
    return [f"{words.counted(count, 'column')} not drawn: {reason}." for count, reason in reasons if count > 0]


def ends(column: ColumnDistribution) -> list[str]:
    """The round numbers between bins; none for categories, and where they are hidden."""
    return [] if column.edges is None or is_hidden(column.edges) else [f"{edge:,.12g}" for edge in column.edges]


def rows(column: ColumnDistribution) -> list[tuple[str, int, int]]:
    """Every bin with its records before and after; what is missing comes last, if anything is."""
    found = list(zip(_bins(column), column.before, column.after, strict=True))
    return found + ([(MISSING, column.missing_before, column.missing_after)] if has_missing(column) else [])


def has_missing(column: ColumnDistribution) -> bool:
    """Whether a value is missing, before or after."""
    return bool(column.missing_before or column.missing_after)


def _bins(column: ColumnDistribution) -> list[str]:
    if column.edges is None:
        kept = len(column.before) - column.rest
        labels = column.labels or [f"category {n}" for n in range(1, kept + 1)]
        return [*labels, *(["all others"] if column.rest else [])]
    edges = ends(column)
    if not edges:
        return [f"bin {n}" for n in range(1, len(column.before) + 1)]
    inner = [f"{low} to below {high}" for low, high in pairwise(edges)]
    return [f"below {edges[0]}", *inner, f"{edges[-1]} or more"]


def linked(document: MaskingResult) -> Linked | None:
    """The linkage that finds most records; None where none was measured, or one is hidden."""
    figures = document.protection
    if figures is None or not figures.linkage or any(is_hidden(each.percent) for each in figures.linkage):
        return None
    return "Who is found", max(figures.linkage, key=lambda each: each.percent or 0.0), figures.known


def linked_otherwise(document: MaskingResult) -> Linked | None:
    """The linkage by the numbers that are no codes."""
    codes, figures = _masked(document).codes, document.protection
    if codes is None or figures is None or codes.others is None or is_hidden(codes.others.percent):
        return None
    others = [name for name in figures.numbers if name not in codes.columns]
    return "Who is found by the other numbers", codes.others, others[: len(codes.others.rates or ())]


def how_linked(linked: LinkedBy, known: Sequence[str], records: int) -> str:
    """What an attacker does, and what a bar is."""
    bars = " (a bar for the first, for the first two, …)" if len(known) > 1 else ""
    return (
        f"For each person, an attacker who knows the original values of {words.listed(known, 6)}{bars} takes the "
        f"nearest masked record. Filled: how often that record is the person's own ({linked.linkage} linkage); a guess "
        f"is right once in {words.number(records)} times."
    )


def codes(document: MaskingResult) -> list[str]:
    """Which columns may be codes, what linkage finds without them, and what to declare."""
    found, figures = _masked(document).codes, document.protection
    if found is None or figures is None:
        return []
    holds = "hold" if len(found.columns) > 1 else "holds"
    why = "few whole numbers, and the policy says no type: they count as numbers, also as what an attacker knows."
    told = [f"{words.listed(found.columns, 12)} {holds} {why}"]
    rates = (found.others.percent if found.others else None, figures.linkage_risk)
    if all(isinstance(rate, int | float) for rate in rates):
        without, with_ = map(words.number, rates)
        told.append(f"Linkage by the other masked numbers finds {without} % of the records, not {with_} %.")
    return [*told, _DECLARE + (": paste under attributes" if found.lines else "") + "."]


def lines(document: MaskingResult) -> list[str]:
    """What to paste under `attributes` if columns are codes."""
    found = _masked(document).codes
    return list(found.lines) if found else []


def may_be_codes(document: MaskingResult) -> str:
    """The columns that may be codes, in a few words; none where there are none."""
    found = _masked(document).codes
    return f"{words.listed(found.columns, 4)}; the annex has the lines that declare them" if found else ""


_DECLARE = (
    "If they are counted or measured, declare type: integer. If they are codes, declare type: category, which methods "
    "for numbers refuse, and pram and local-suppression do not"
)


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
        ("Codes taken for numbers", [*codes(document), *lines(document)]),
        ("Where the Score is gamed", [] if figures is None else list(figures.gamed)),
        ("Not measured", [] if figures is None else list(figures.not_measured)),
    ]
