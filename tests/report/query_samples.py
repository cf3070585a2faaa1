"""Query audits from ordinary to hostile, as values: what every renderer must stand.

The numbers of `tracked` hang together: `SALARIES` are asked about by the query sets in `ASKED`, and each combination
in a disclosure is checked against them by a test.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from auditor.result import RequirementResult, Status, Tool, verdict_of
from auditor.result.queries import (
    Disclosure,
    LogFacts,
    QueriesResult,
    QueryResult,
    StructuralFacts,
    UnsupportedConstruct,
    UserCoverage,
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


def query(asked: str, **changes: Any) -> QueryResult:
    """One answered query of `ASKED`."""
    user, members = ASKED[asked]
    statement = int(asked.partition(".")[0])
    return replace(
        QueryResult(
            index=asked,
            statement=statement,
            user=user,
            sql=f"SELECT sum(salary) FROM staff WHERE id <> {7000 + statement}",
            decision="answered",
            query_set=len(members),
            time=f"2026-11-21 09:0{statement}:00 UTC",
            aggregate="sum of salary",
            answer=sum(SALARIES[i] for i in members),
        ),
        **changes,
    )


def exact_value() -> Disclosure:
    """One person's salary: everybody less everybody else."""
    return Disclosure(
        kind="exact-value",
        breaks=("queries-exact-value", "queries-group"),
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
        breaks=("queries-group",),
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
        limit(
            "queries-exact-value",
            "exact-value",
            41,
            _failed("exact-value" in kinds),
            len(exposed),
            demand="no value follows",
        ),
        limit("queries-group", "group", 42, _failed("group" in kinds), len(exposed), parameters={"min_group": 3}),
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
            structural=StructuralFacts(
                queries=6, smallest_query_set=20, largest_query_set=60, largest_overlap=59, compromise_needs=2
            ),
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


def online() -> QueriesResult:
    """Decided as a server would: the tracker's second half is denied."""
    denied = query("4", decision="deny", violations=("exact-value",), answer=None)
    queries = (*(query(index, decision="answer") for index in ("1", "2", "3.1", "3.2")), denied)
    return audit_of(queries, (), online=True)


def insiders() -> QueriesResult:
    """Fractions, what somebody knows already, extremes, intervals, categories: every kind of disclosure."""
    fraction = replace(
        exact_value(), certificate={"1": "1/2", "3.1": "1/2", "2": "-1/2"}, tracker=None, low=48_000.5, high=48_000.5
    )
    known = replace(
        exact_value(),
        certificate={"2": "1"},
        known={"s3": "-1", "s4": "-1/2"},
        insider="ana",
        constant="-7",
        tracker=None,
    )
    extreme = replace(exact_value(), certificate=None, follows_from=("1", "2", "3.1"), tracker=None)
    interval = replace(extreme, kind="interval", low=50_000, high=50_400, records=("s1", "s2"), records_count=2)
    category = replace(extreme, kind="finite-domain", attribute="hiv", value="positive", low=1, high=1)
    everybody = replace(category, records=tuple(range(30)), records_count=30)
    weighted = replace(group(), functional="other", coefficients={"s4": "1", "s5": "-2"}, tracker=None)
    person = replace(fraction, kind="individual", certificate={str(i): "1" for i in range(1, 60)})
    found = (fraction, known, extreme, interval, category, everybody, weighted, person)
    return audit_of(tuple(map(query, ASKED)), found)


def long_log() -> QueriesResult:
    """A thousand queries by three hundred users, of which many break limits, and a hundred disclosures."""
    kinds = ("answered", "answered", "answered", "unsupported", "failed")
    queries = tuple(
        QueryResult(
            index=f"{i}.{1 + i % 3}",
            statement=i,
            user=f"user-{i % 300}",
            sql=f"SELECT sum(salary) FROM staff WHERE id <> {i}",
            decision=kinds[i % 5],
            violations=("query-set-size",) if i % 7 == 0 else (),
            query_set=1000 + i,
            aggregate="sum of salary",
            answer=i,
        )
        for i in range(1, 1_001)
    )
    found = tuple(
        replace(exact_value(), records=(f"s{i}",), first_query=queries[500 + i].index, users=("user-1",))
        for i in range(100)
    )
    coverage = tuple(UserCoverage(user=f"user-{i}", queries=33, answered=20, records=500) for i in range(300))
    constructs = tuple(
        UnsupportedConstruct(construct=f"function {i}", statements=i, first_statement=i) for i in range(1, 40)
    )
    return audit_of(queries, found, coverage=coverage, unsupported=constructs, data=samples.data_of(200_000))


def hostile_log() -> QueriesResult:
    """Markup and commands wherever a stranger's text can stand in a log."""
    queries = tuple(
        query(
            "1",
            index=str(i),
            user=text,
            sql=text,
            violations=(text,),
            aggregate=text,
            time=text,
            answer=text,
        )
        for i, text in enumerate(samples.HOSTILE)
    )
    found = tuple(
        replace(
            exact_value(), attribute=text, records=(text,), users=(text,), insider=text, tracker=text, value=text,
            first_query=str(i), certificate={text: "1"}, known={text: "1"},
        )
        for i, text in enumerate(samples.HOSTILE)
    )  # fmt: skip
    everything = " ".join(samples.HOSTILE)
    return audit_of(
        queries,
        found,
        log=replace(tracked().log, source=everything, format=everything, users=samples.HOSTILE, first_time=everything),
        coverage=tuple(UserCoverage(user=text, queries=1, answered=1) for text in samples.HOSTILE),
        unsupported=tuple(
            UnsupportedConstruct(construct=text, statements=1, first_statement=1) for text in samples.HOSTILE
        ),
    )


AUDITS = {
    "tracked-log": tracked,
    "harmless-log": harmless,
    "online-log": online,
    "insiders-log": insiders,
    "long-log": long_log,
    "hostile-log": hostile_log,
}
"""Every sample by name."""
