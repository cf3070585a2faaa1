"""What the public may read of what is exposed: that there is a disclosure and how it is made, not of how many.

Each disclosure speaks of one person or of a small group, so their number is a count of people: only the first of each
kind and attribute is shown. The sizes of query sets add and subtract like the answers do, so where one small number is
hidden, or is the difference of two, all of them are; and of more than two sets nothing is shown that several of them
have in common or are together. Hidden, too, are the coefficients of a combination, unless they are all 1 or −1, because
an average is weighted by the size of its query set. Which numbers these are, their kind says.

Of a statement one of whose groups has few people nobody learns how many groups it has, which may be how many people it
speaks of: ``3.*`` stands for the groups of statement 3, and its queries that became of the same are one.

The numbers of mining outputs add and subtract in the same way, so the public reads none of an item: of each output the
first violation of each limit, without its numbers, and no picture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from auditor.result import Kind

if TYPE_CHECKING:
    from auditor.result.outputs import OutputResult, OutputsResult, OutputViolation
    from auditor.result.queries import Disclosure, QueriesResult, QueryResult, UserCoverage

_PLAIN = {"1", "-1"}
_GROUP = re.compile(r"\.[0-9]+")
"""In a query's index, which group of its statement it is."""
_FOLDED = ".*"


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


Numbers = Mapping[str, tuple[Kind | None, float]]
"""The totals of a document by their path, with their kinds."""


def derivable(result: QueriesResult, numbers: Numbers, small: set[str], k: int) -> set[str]:
    """Paths of what tells a small number, where the paths `small` are already known to."""
    told = {
        f"disclosures/{i}/certificate"
        for i, disclosure in enumerate(result.disclosures)
        if disclosure.certificate is not None and not _PLAIN.issuperset(disclosure.certificate.values())
    }
    if any(_FOLDED in query.index for query in result.queries):
        told |= set(_of(numbers, Kind.QUERIES))
    sizes, joint = _of(numbers, Kind.QUERY_SET), _of(numbers, Kind.JOINT)
    compared = {path: size for path, size in sizes.items() if path.startswith("queries/")}
    if len(compared) > _MOST_SETS:
        told |= set(joint)
    else:
        compared |= joint
    if small or _close(result, compared, k):
        told |= {*sizes, *joint}
        # in older documents what a limit on sizes reached is a count like any other
        told |= {path for path in _of(numbers, Kind.COUNT) if path.endswith("/achieved")}
        if result.structural is not None:
            told.add("structural/compromise_needs")  # that there is none may tell the size that it is worked out from
    return told


_MOST_SETS = 2
"""Of two sets, every part is the difference of two numbers among sizes, overlap, union and the table; not of more."""


def _of(numbers: Numbers, kind: Kind) -> dict[str, float]:
    return {path: number for path, (of, number) in numbers.items() if of is kind}


def _close(result: QueriesResult, compared: Mapping[str, float], k: int) -> bool:
    """Whether two of the numbers, the table among them, differ by a small number of people."""
    rows = () if result.data is None else (result.data.rows,)
    numbers = sorted({0, *rows, *compared.values()})
    return any(0 < after - before < k for before, after in pairwise(numbers))


def folded(result: QueriesResult, k: int) -> QueriesResult:
    """The audit without the number of groups of each statement that has one of fewer than k people."""
    few = {each.statement for each in result.queries if _GROUP.search(each.index) and _is_few(each.query_set, k)}
    if not few:
        return result
    names = {each.index: _GROUP.sub(_FOLDED, each.index) for each in result.queries if each.statement in few}
    queries: dict[tuple[object, ...], QueryResult] = {}
    for each in result.queries:
        name = names.get(each.index, each.index)
        queries.setdefault((name, each.decision, each.violations, each.aggregate), replace(each, index=name))
    kept = tuple(queries.values())
    first, structural = result.first_compromise, result.structural
    answered = sum(each.decision in _ANSWERED for each in kept)
    return replace(
        result,
        queries=kept,
        disclosures=tuple(_folded(each, names) for each in result.disclosures),
        first_compromise=None if first is None else names.get(first, first),
        coverage=tuple(_recounted(each, kept) for each in result.coverage),
        structural=structural and replace(structural, queries=answered),
    )


_ANSWERED = ("answered", "answer")


def _is_few(size: object, k: int) -> bool:
    return isinstance(size, int) and 0 < size < k


def _folded(disclosure: Disclosure, names: Mapping[str, str]) -> Disclosure:
    """With the names of queries that are left; combinations that have another one are not written out."""
    rests_on = (*(disclosure.certificate or ()), *disclosure.follows_from)
    disclosure = replace(disclosure, first_query=names.get(disclosure.first_query, disclosure.first_query))
    if names.keys().isdisjoint(rests_on):
        return disclosure
    left = tuple(dict.fromkeys(names.get(each, each) for each in rests_on))
    return replace(disclosure, certificate=None, follows_from=left)


def _recounted(user: UserCoverage, kept: tuple[QueryResult, ...]) -> UserCoverage:
    decisions = [each.decision for each in kept if each.user == user.user]
    return replace(
        user,
        queries=len(decisions),
        answered=sum(each in _ANSWERED for each in decisions),
        denied=decisions.count("deny"),
        unsupported=decisions.count("unsupported"),
    )
