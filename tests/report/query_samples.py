"""Query audits from ordinary to hostile, as values: what every renderer must stand.

The numbers of `tracked` hang together: `SALARIES` are asked about by the query sets in `ASKED`, and each combination
in a disclosure is checked against them by a test.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from auditor.result import (
    Disclosure,
    LogFacts,
    QueriesResult,
    QueryResult,
    RequirementResult,
    Status,
    StructuralFacts,
    Tool,
    UnsupportedConstruct,
    UserCoverage,
    verdict_of,
)
from tests.report import samples

SALARIES = [41_000 + 137 * i * (i % 7) for i in range(60)]
ALL = frozenset(range(60))
ASKED: dict[str, tuple[str, frozenset[int]]] = {
    "1": ("ana", ALL),
    "2": ("ana", frozenset(range(30))),
    "3.1": ("ben", frozenset(range(20))),
    "3.2": ("ben", frozenset(range(20, 60))),
    "4": ("ben", ALL - {17}),
    "5": ("ana", frozenset(range(30)) - {4, 5}),
}
"""Query → user and query set, each a sum of salaries."""


def query(index: str, **changes: Any) -> QueryResult:
    """One answered query of `ASKED`."""
    user, members = ASKED[index]
    statement = int(index.partition(".")[0])
    return replace(
        QueryResult(
            index=index,
            statement=statement,
            user=user,
            sql=f"SELECT sum(salary) FROM staff WHERE id <> {7000 + statement}",
            decision="answered",
            query_set=len(members),
            time=f"2026-11-21 09:0{statement}:00 UTC",
            shape="SELECT sum(salary) FROM staff WHERE id <> ?",
            aggregate="sum of salary",
            answer=sum(SALARIES[i] for i in members),
        ),
        **changes,
    )


def exact_value() -> Disclosure:
    """One person's salary: everybody less everybody else."""
    return Disclosure(
        kind="exact-value",
        attribute="salary",
        records=("s17",),
        records_count=1,
        low=SALARIES[17],
        high=SALARIES[17],
        first_query="4",
        users=("ana", "ben"),
        certificate={"1": "1", "4": "-1"},
        tracker="individual",
    )


def group() -> Disclosure:
    """What two people earn together."""
    both = SALARIES[4] + SALARIES[5]
    return Disclosure(
        kind="group",
        attribute="salary",
        records=("s4", "s5"),
        records_count=2,
        low=both,
        high=both,
        functional="total",
        first_query="5",
        users=("ana",),
        certificate={"2": "1", "5": "-1"},
    )


def limit(id_: str, model: str, line: int, status: Status, violating: int | None, **changes: Any) -> RequirementResult:
    """One of the policy's limits as a requirement."""
    return replace(
        RequirementResult(
            id=id_,
            model=model,
            parameters={},
            severity="error",
            status=status,
            records_violating=violating,
            location=samples.Location(file="policies/discharge.yaml", line=line),
        ),
        **changes,
    )


def audit_of(queries: tuple[QueryResult, ...], disclosures: tuple[Disclosure, ...], **changes: Any) -> QueriesResult:
    """A query audit around these parts."""
    exposed = {record for disclosure in disclosures for record in disclosure.records or ()}
    kinds = {disclosure.kind for disclosure in disclosures}
    requirements = (
        limit("queries-exact-value", "exact-value", 41, _failed("exact-value" in kinds), len(exposed)),
        limit("queries-min-group", "min-group", 42, _failed("group" in kinds), len(exposed), parameters={"k": 3}),
    )
    return replace(
        QueriesResult(
            tool=Tool(version="0.1.0"),
            command="queries",
            evaluated_on="2026-11-21",
            verdict=verdict_of(requirements),
            policy=samples.policy_of(protection_threshold=5),
            data=samples.data_of(60, source="staff.parquet"),
            requirements=requirements,
            assumptions=("The table did not change while the log was written.",),
            reproduce="auditor queries log.csv -p policies/discharge.yaml -d staff.parquet",
            log=LogFacts(
                source="log.csv",
                format="csvlog",
                statements=7,
                failed=1,
                ignored=12,
                users=("ana", "ben"),
                first_time="2026-11-21 09:01:00 UTC",
                last_time="2026-11-21 09:07:00 UTC",
                sha256=samples.SHA,
            ),
            queries=queries,
            disclosures=disclosures,
            disclosures_count=len(disclosures),
            exposed_count=len(exposed),
            first_compromise=disclosures[0].first_query if disclosures else None,
            coverage=(
                UserCoverage(user="ana", queries=3, answered=3, records=60),
                UserCoverage(user="ben", queries=4, answered=3, unsupported=1, records=60),
            ),
            structural=StructuralFacts(queries=6, smallest_query_set=20, largest_query_set=60, largest_overlap=59),
        ),
        **changes,
    )


def _failed(failed: bool) -> Status:
    return Status.FAIL if failed else Status.PASS


def tracked() -> QueriesResult:
    """Every query speaks of twenty people or more, and two combinations do not."""
    unsupported = QueryResult(
        index="6",
        statement=6,
        user="ben",
        sql="SELECT median(salary) FROM staff",
        decision="unsupported",
        violations=("median",),
    )
    failed = QueryResult(index="7", statement=7, user="ben", sql="SELECT sum(salry) FROM staff", decision="failed")
    return audit_of(
        (*map(query, ASKED), unsupported, failed),
        (exact_value(), group()),
        unsupported=(UnsupportedConstruct(construct="median", statements=1, first_statement=6),),
    )


def harmless() -> QueriesResult:
    """Nothing follows from the answers but the answers."""
    return audit_of(tuple(map(query, ("1", "2"))), ())
