"""What the public may read of what is exposed: that there is a disclosure and how it is made, not of how many.

Each disclosure speaks of one person or of a small group, so their number is a count of people: only the first of each
kind and attribute is shown. The sizes of query sets add and subtract like the answers do, so where one small number is
hidden, or is the difference of two, all of them are; and of more than two sets nothing is shown that several of them
have in common or are together. Hidden, too, are the coefficients of a combination, unless they are all 1 or −1, because
an average is weighted by the size of its query set.

The numbers of mining outputs add and subtract in the same way, so the public reads none of an item: of each output the
first violation of each limit, without its numbers, and no picture.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from auditor.result import Disclosure, OutputResult, OutputsResult, OutputViolation, QueriesResult

_PLAIN = {"1", "-1"}


def first_of_each(result: QueriesResult) -> QueriesResult:
    """The audit with the first disclosure of each kind and attribute only."""
    first: dict[tuple[str, str, str | None], Disclosure] = {}
    for disclosure in result.disclosures:
        first.setdefault((disclosure.kind, disclosure.attribute, disclosure.functional), disclosure)
    return replace(result, disclosures=tuple(first.values()))


def without_items(result: OutputsResult) -> OutputsResult:
    """The audit with the first violation of each limit of an output only, and without the numbers of items."""
    return replace(result, outputs=tuple(map(_without_items, result.outputs)))


def _without_items(output: OutputResult) -> OutputResult:
    first: dict[tuple[str, str], OutputViolation] = {}
    for violation in output.violations:
        bare = replace(
            violation, reached=None, support=None, confidence=None, records_count=None, records=None, measures=None
        )
        first.setdefault((violation.requirement, violation.reason), bare)
    return replace(output, violations=tuple(first.values()), picture=None)


def derivable(result: QueriesResult, small: set[str], k: int) -> set[str]:
    """Paths of what tells a small number, where the paths `small` are already known to."""
    told: dict[str, object] = {
        f"disclosures/{i}/certificate": disclosure.certificate
        for i, disclosure in enumerate(result.disclosures)
        if disclosure.certificate is not None and not _PLAIN.issuperset(disclosure.certificate.values())
    }
    sizes, joint = _sizes(result), _joint(result)
    if len([size for size in sizes.values() if size is not None]) > _MOST_SETS:
        told |= joint
    else:
        sizes |= joint
    if any(path.startswith(_ABOUT_SETS) for path in small) or _close(result, sizes, k):
        told |= sizes | joint | {"structural/compromise_needs": getattr(result.structural, "compromise_needs", None)}
        told |= _ends(result)
    return {path for path, value in told.items() if value is not None}


_ABOUT_SETS = ("queries/", "disclosures/", "coverage/", "structural/")
_MOST_SETS = 2
"""Of two sets, every part is the difference of two numbers among sizes, overlap, union and the table; not of more."""


def _sizes(result: QueriesResult) -> dict[str, object]:
    """The size of each query set."""
    return {f"queries/{i}/query_set": query.query_set for i, query in enumerate(result.queries)}


def _ends(result: QueriesResult) -> dict[str, object]:
    """The least and the largest size, which stand among the others."""
    names = ("smallest_query_set", "largest_query_set")
    ends = {f"structural/{name}": getattr(result.structural, name, None) for name in names}
    return ends | _achieved(result, "query-set-size")


def _joint(result: QueriesResult) -> dict[str, object]:
    """What several query sets have in common, or are together."""
    unions: dict[str, object] = {f"coverage/{i}/records": user.records for i, user in enumerate(result.coverage)}
    overlap = {"structural/largest_overlap": getattr(result.structural, "largest_overlap", None)}
    return unions | overlap | _achieved(result, "overlap")


def _achieved(result: QueriesResult, model: str) -> dict[str, object]:
    return {
        f"requirements/{i}/achieved": each.achieved for i, each in enumerate(result.requirements) if each.model == model
    }


def _close(result: QueriesResult, sizes: dict[str, object], k: int) -> bool:
    """Whether two of the numbers, the table among them, differ by a small number of people."""
    rows = () if result.data is None else (result.data.rows,)
    numbers = sorted({0, *rows, *(size for size in sizes.values() if isinstance(size, int | float))})
    return any(0 < after - before < k for before, after in pairwise(numbers))
