"""What was found, written as the result document has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from auditor.policy.demands import Demand
from auditor.policy.queries import QueryLimit
from auditor.queries._query import BoolArray, Extreme, Linear, Query, Refused, Statement
from auditor.queries.attack.discovery import Discovery
from auditor.queries.attack.views import User
from auditor.queries.records.records import RecordProfiles
from auditor.result.queries import Disclosure, QueryResult, UnsupportedConstruct, UserCoverage

PROOF_BITS = 2**20
"""A proof whose numbers are longer, all together, is not written out, nor one with a number of more than `_WRITTEN`."""
_WRITTEN = 14_000
"""Python refuses to write integers of more than 4,300 digits."""
_NUMBER_BITS = 1_000
"""A number beyond is not written as one: JSON readers take numbers for floating point."""


def number(value: Fraction | None) -> float | int | None:
    """A rational as JSON has it: an integer where it is one; None where it is too large to be written."""
    if value is None or _bits(value) > _NUMBER_BITS:
        return None
    return value.numerator if value.denominator == 1 else float(value)


def record_names(profiles: RecordProfiles, records: Sequence[int]) -> tuple[int | str, ...]:
    """The keys of records; a key that is a whole number stays one."""
    return tuple(_name(profiles.keys[record]) for record in records)


def _name(key: str) -> int | str:
    return int(key) if key.isdecimal() and (key == "0" or key[0] != "0") and len(key) <= 18 else key


def disclosure(
    found: Discovery, queries: Sequence[Query], profiles: RecordProfiles, limits: Sequence[Demand[QueryLimit]]
) -> Disclosure:
    """A finding as the document has it: queries by their index, records by their key."""
    users = {queries[position].statement.user for position in found.rests_on}
    insider = ", ".join(found.view.insiders) if found.known else None
    found = _bounded(found)
    proof = {queries[position].index: str(found.proof[position]) for position in sorted(found.proof)}
    return Disclosure(
        kind=found.kind,
        breaks=tuple(demand.id for demand in limits if found.kind in demand.limit.broken_by),
        attribute=found.quantity.attribute,
        value=found.quantity.value,
        records=record_names(profiles, found.records),
        records_count=len(found.records),
        low=number(found.low),
        high=number(found.high),
        functional=found.functional,
        first_query=queries[found.first].index,
        users=tuple(sorted(user for user in users if user is not None)),
        certificate=proof or None,
        follows_from=tuple(queries[position].index for position in found.follows_from),
        known=_named(found.known, profiles),
        coefficients=_named(found.coefficients, profiles),
        constant=str(found.constant) if found.constant else None,
        tracker=found.tracker,
        insider=insider,
    )


def _bounded(found: Discovery) -> Discovery:
    """Without a proof that is too long, but with the queries that it follows from."""
    numbers = [*found.proof.values(), *found.known.values(), *found.coefficients.values(), found.constant]
    lengths = [_bits(value) for value in numbers]
    if sum(lengths) <= PROOF_BITS and max(lengths) <= _WRITTEN:
        return found
    nothing: dict[int, Fraction] = {}
    return replace(
        found, proof=nothing, known=nothing, coefficients=nothing, constant=Fraction(0), follows_from=found.rests_on
    )


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _named(coefficients: Mapping[int, Fraction], profiles: RecordProfiles) -> dict[str, str] | None:
    return {profiles.keys[record]: str(value) for record, value in coefficients.items()} or None


def query_result(query: Query, decision: str, violations: Sequence[str], answer: Fraction | str | None) -> QueryResult:
    """One number that was asked for. `answer` is what was logged, else what the data gives."""
    return QueryResult(
        index=query.index,
        statement=query.statement.number,
        user=query.statement.user,
        sql=query.statement.sql,
        decision=decision,
        violations=tuple(violations),
        query_set=query.query_set,
        time=query.statement.time,
        aggregate=_aggregate(query),
        answer=answer if isinstance(answer, str) else number(answer),
    )


def _aggregate(query: Query) -> str | None:
    match query.asked:
        case Linear(weights=weights):
            names = {q.attribute for q in weights}
            counting = any(q.value is not None or q.presence for q in weights)
            kind = "count" if counting else "average" if query.averages else "sum"
            return f"{kind} of {', '.join(sorted(names))}" if names else "count"
        case Extreme(which=which, quantity=quantity):
            return f"{which} of {quantity.attribute}"
        case Refused():
            return None
    return "count"


def coverage(queries: Sequence[Query], decisions: Sequence[str], profiles: RecordProfiles) -> tuple[UserCoverage, ...]:
    """For every user, how much of the table the answered queries touch."""
    users: dict[User, BoolArray] = {}
    counts: dict[User, Counter[str]] = {}
    counted: set[tuple[User, int]] = set()
    for query, decision in zip(queries, decisions, strict=True):
        user = query.statement.user
        touched = users.setdefault(user, np.zeros(len(profiles), dtype=np.bool_))
        counts.setdefault(user, Counter())[decision] += 1
        known = (user, id(query.members))  # what is asked again has the same members
        if query.members is not None and decision in ("answered", "answer") and known not in counted:
            touched[query.members.places()] = True
            counted.add(known)
    return tuple(_coverage(user, counts[user], touched, profiles) for user, touched in users.items())


def _coverage(user: User, counts: Counter[str], touched: BoolArray, profiles: RecordProfiles) -> UserCoverage:
    records = int(profiles.sizes[touched].sum())
    return UserCoverage(
        user=user,
        queries=counts.total(),
        answered=counts["answered"] + counts["answer"],
        denied=counts["deny"],
        unsupported=counts["unsupported"],
        records=records,
    )


def unsupported(queries: Sequence[Query]) -> tuple[UnsupportedConstruct, ...]:
    """The constructs that could not be read, the most frequent first."""
    refused: dict[str, list[Statement]] = {}
    for query in queries:
        if isinstance(query.asked, Refused):
            refused.setdefault(query.asked.construct, []).append(query.statement)
    found = [
        UnsupportedConstruct(construct=name, statements=len(statements), first_statement=statements[0].number)
        for name, statements in refused.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.statements, each.construct)))
