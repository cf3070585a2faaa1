"""What the public may read of what is exposed: that there is a disclosure and how it is made, not of how many.

Each disclosure speaks of one person or of a small group, so their number is a count of people: only the first of each
kind and attribute is shown. The sizes of query sets add and subtract like the answers do, so where one small number is
hidden all of them are; so are the coefficients of a combination, unless they are all 1 or −1, because an average is
weighted by the size of its query set.

The numbers of mining outputs add and subtract in the same way, so the public reads none of an item: of each output the
first violation of each limit, without its numbers, and no picture.
"""

from __future__ import annotations

from dataclasses import replace

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


def derivable(result: QueriesResult, small: set[str]) -> set[str]:
    """Paths of what tells a small number, where the paths `small` are already known to."""
    told: dict[str, object] = {
        f"disclosures/{i}/certificate": disclosure.certificate
        for i, disclosure in enumerate(result.disclosures)
        if disclosure.certificate is not None and not _PLAIN.issuperset(disclosure.certificate.values())
    }
    if any(path.startswith(("queries/", "disclosures/", "coverage/", "structural/")) for path in small):
        told |= _sizes_of_query_sets(result)
    return {path for path, value in told.items() if value is not None}


def _sizes_of_query_sets(result: QueriesResult) -> dict[str, object]:
    sizes: dict[str, object] = {f"queries/{i}/query_set": query.query_set for i, query in enumerate(result.queries)}
    sizes |= {f"coverage/{i}/records": user.records for i, user in enumerate(result.coverage)}
    names = ("smallest_query_set", "largest_query_set", "largest_overlap", "compromise_needs")
    return sizes | {f"structural/{name}": getattr(result.structural, name, None) for name in names}
